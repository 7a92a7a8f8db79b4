"""Text as people type it, in many scripts: page and Python cut it alike, never through a character, and pieces give it
back."""

import unicodedata
from functools import partial
from itertools import accumulate

import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib.shipped import town_model, translator
from course_lib.text.tokenisers import END_OF_WORD, BytePairs, characters, words
from course_lib.text.vocabulary import END, SPECIALS, UNKNOWN, Vocabulary
from tests.shared.graph_node import call, js

composed = partial(unicodedata.normalize, "NFC")

# text → its words
WORDS = {
    "cafe\u0301 café Forli\u0300": ["café", "café", "Forlì"],
    "किसानों ने कहा।": ["किसानों", "ने", "कहा", "।"],
    "العَرَبِيَّة؟ שָׁלוֹם\u200f!": ["العَرَبِيَّة", "؟", composed("שָׁלוֹם"), "!"],
    "می\u200cخواهم می\u200cروم": ["می\u200cخواهم", "می\u200cروم"],
    "ภาษาไทย ខ្មែរ မြန်မာ": ["ภาษาไทย", "ខ្មែរ", "မြန်မာ"],
    "한국어 " + unicodedata.normalize("NFD", "한국어 Việt"): ["한국어", "한국어", "Việt"],
    "Don't, l’homme; well-known non‑break co\u00adop a--b": ["Don't", ",", "l’homme", ";", "well-known", "non‑break",
    "co\u00adop", "a", "-", "-", "b"],
    "col·lega low·er · «a · b»": ["col·lega", "low·er", "·", "«", "a", "·", "b", "»"],
    "\ufeffGo.\u200b On\ufeff": ["Go", ".", "On"],
    "🇮🇹🇫🇷 👨\u200d👩\u200d👧!👍🏽 ☕️ 1️⃣ 🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f": ["🇮🇹", "🇫🇷",
    "👨\u200d👩\u200d👧", "!", "👍🏽", "☕️", "1️⃣", "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"],
    "q\u0303 \u0301a Å Ω τι\u037e": ["q\u0303", "\u0301", "a", "Å", "Ω", "τι", ";"],
}  # fmt: skip
SAMPLES = [
    *"aÈßı12_ .,;!-'’·‐«»\u0301\u0327\u0323\u00ad\u200b\u200c\u200f\ufeff中か",
    "e\u0301",
    "q\u0303",
    "α\u0301",
    "И\u0306",
    "שׁ",
    "אַ",
    "بّ",
    "कि",
    "सों",
    "क्\u200dष",
    "क্ষ",
    "กำ",
    "ကို",
    "ក្ម",
    "한",
    "\u1112\u1161\u11ab",
    "か\u3099",
    "🇮🇹",
    "🇫🇷",
    "👩\u200d👧",
    "👍🏽",
    "☕️",
    "1️⃣",
]
texts = st.lists(st.sampled_from(SAMPLES), max_size=10).map("".join)


def in_page(name, texts):
    """What the page's own reading of this name makes of each text."""
    return call(*map(js("runtime/text.js")[name], texts))


def graphemes(text):
    """Where a reader sees characters begin, by the browser's own rules."""
    cut = js().Reflect.construct(js().Intl.Segmenter, ["en", {"granularity": "grapheme"}])
    return js().Array["from"](cut.segment(composed(text)))


def borders(parts):
    return set(accumulate(map(len, parts), initial=0))


def test_words_are_whole_and_the_same_in_the_page():
    drawn = ["".join(SAMPLES[(7 * i + 13 * j * j + i * j) % len(SAMPLES)] for j in range(12)) for i in range(300)]
    asked = [*WORDS, *drawn]
    for text, theirs, cut in zip(asked, in_page("words", asked), call(*map(graphemes, asked)), strict=True):
        found, seen = words(text), [each["segment"] for each in cut]
        assert found == theirs and found == WORDS.get(text, found), text
        assert characters(text) == list("".join(seen))
        at, seen = 0, borders(seen)
        for word in found:  # it begins where a character does; a mark stands on its own where it stood on a blank
            at = composed(text).index(word, at)
            assert at in seen or unicodedata.category(word[0])[0] == "M", (text, word)
            at += len(word)


@given(texts)
def test_what_is_cut_is_given_back(text):
    found = words(text)
    assert found == [word for each in found for word in words(each)] and composed("".join(found)) == "".join(found)
    assert "".join(characters(text)) == composed(text)
    if found:
        learned = BytePairs.learn(text, 6)
        assert learned.decode(learned.encode_text(text)) == found
        for word in found:
            assert learned.decode(learned.encode(unicodedata.normalize("NFD", word))) == [word]
        vocabulary = Vocabulary(learned.pieces)
        assert learned.decode(vocabulary.decode(vocabulary.encode(learned.encode_text(text)))) == found
    assert END_OF_WORD not in composed(END_OF_WORD + text)


@pytest.mark.parametrize("special", SPECIALS)
def test_a_special_token_in_a_text_is_none(special):
    assert Vocabulary(["a"]).encode(["a", special]) == [4, UNKNOWN]
    assert Vocabulary(["a"]).encode(["a"], end=True) == [4, END]


def test_towns_and_sentences_are_read_however_they_are_typed():
    towns, english = town_model().vocabulary, translator().source
    typed = [
        "Forlì",
        "Forli\u0300",
        "L’Aquila",
        "L‘Aquila",
        "L'Aquila",
        "Foza\u00a0di Sopra",
        "Sant\u2011Angelo",
        "\ufeffRo\u00adma",
        "q\u0303",
    ]
    read = ["Forlì", "Forlì", "L'Aquila", "L'Aquila", "L'Aquila", "Foza di Sopra", "Sant-Angelo", "Roma", "q\u0303"]
    assert in_page("plain", typed) == read
    for name, letters in zip(read, in_page("letters", typed), strict=True):
        assert towns.encode(letters) == ([UNKNOWN] if name == "q\u0303" else towns.encode(characters(name)))
    assert UNKNOWN not in towns.encode(characters("Forli\u0300"))
    cat, cafe = in_page("sentence", ["The cat\u200b sleeps\u00a0.", "They’re CAFE\u0301."])
    assert (
        cat == ["the", "cat", "sleeps", "."] and UNKNOWN not in english.encode(cat) and cafe == ["they're", "café", "."]
    )
