"""The widget of two translators, its Python side: sentences, errors, the page's words, what travels."""

import gzip
import json

import numpy as np
import pytest

from course_lib import shipped
from course_lib.text.corpora import english_french
from course_lib.translation import translate
from course_lib.widgets.translate import MODELS, SENTENCES, _data, longest_trained, sentence
from tests.shared.graph_node import call, exports, js
from tools.models import translate_sentences


# ---- The sentences
def test_the_sentences_are_the_first_of_the_test_part():
    table = json.loads(SENTENCES.read_text(encoding="utf-8"))
    assert table == json.loads(json.dumps(translate_sentences.table()))
    whole = [pair for i, pair in enumerate(english_french().test) if i % 6 == 5][:8]
    assert [tuple(sentence(i, 6)) for i in range(8)] == [
        (" ".join(pair.source), " ".join(pair.target)) for pair in whole
    ]


def test_what_is_offered_shows_what_it_says():
    """Two words change places, and one is dropped: by the models themselves, beside the reference that the page has."""
    (_, *turned), (_, *dropped) = json.loads(SENTENCES.read_text(encoding="utf-8"))["offers"]
    answers = {}
    for name in MODELS:
        model, source, target, _ = getattr(shipped, name)()
        answers[name] = [
            " ".join(each.words)
            for each in translate(model, source, target, [english.split() for english, _ in (turned, dropped)])
        ]
    assert answers["rnnsearch"][0] == turned[1] and answers["rnnencdec"][0] == turned[1].replace(" rouge", "")
    assert answers["rnnsearch"][1] == dropped[1].replace(" blanche", "") and answers["rnnencdec"][1] != dropped[1]


def test_fewer_clauses_are_the_beginning_and_a_full_stop():
    for example in range(8):
        for clauses in range(1, 6):
            for short, long in zip(sentence(example, clauses), sentence(example, clauses + 1), strict=True):
                assert short.endswith(" .") and long.startswith(short[:-1])
    assert sentence(0, 1) == (
        "your bad painter did not run in the kitchen .",
        "ton mauvais peintre n' a pas couru dans la cuisine .",
    )


@pytest.mark.parametrize(
    ("given", "name"), [((8, 1), "example"), ((0, 0), "clauses"), ((0, 7), "clauses"), (("0", 1), "example")]
)
def test_a_wrong_sentence_is_named(given, name):
    with pytest.raises(ValueError, match=f"^{name} must be a whole number from "):
        sentence(*given)


# ---- What travels
def test_what_a_page_loads_is_bounded():
    """Both models, their graphs and the sentences, as a server sends them."""
    assert sum(len(gzip.compress(blob, 6)) for blob in _data().values()) < 2_000_000


def test_the_page_knows_how_long_the_training_was():
    assert json.loads(_data()["sentences"])["trained"] == longest_trained() == 30


# ---- What the page counts and says
def distance(a, b):
    """Levenshtein's, by its recursion over prefixes, one row at a time."""
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        row, above = [i], row
        for j, y in enumerate(b, 1):
            row.append(min(above[j] + 1, row[-1] + 1, above[j - 1] + (x != y)))
    return row[-1]


PAGE = exports("translate", "compare", "words")


def counted(*cases):
    """What the page counts of the words and their reference, up to a place or to the end."""
    told = []
    for words, reference, *until in cases:
        found = PAGE.compare(words, reference)
        told.append(js().Object.assign({"counted": PAGE.counted(found, *(until or [len(words), True]))}, found))
    return call(*told)


def test_wrong_and_missing_words_make_the_reference_again():
    generator = np.random.default_rng(0)
    pairs = [[list(map(str, generator.integers(0, 4, generator.integers(0, 9)))) for _ in range(2)] for _ in range(200)]
    pairs += [[["a"], ["a"]], [[], []], [["le", "chat", "dort"], ["le", "petit", "chat", "noir", "dort"]]]
    for (words, reference), got in zip(pairs, counted(*pairs), strict=True):
        assert got["errors"] == distance(words, reference)
        assert got["counted"] == {"wrong": sum(got["wrong"]), "missing": sum(got["missing"])}
        assert sum(got["counted"].values()) == got["errors"]
        right = [word for word, wrong in zip(words, got["wrong"], strict=True) if not wrong]
        rest = iter(reference)
        assert all(word in rest for word in right)  # what is not marked stands in the reference, in this order
    assert got["missing"] == [0, 1, 1, 0] and got["wrong"] == [False] * 3


def test_before_the_end_only_what_is_said_counts():
    case = [["les", "chats", "dort"], ["le", "chat", "dort", "bien"]]
    want = [(0, 0), (1, 0), (2, 0), (2, 0), (2, 1)]
    asked = [[*case, at, False] for at in range(4)] + [[*case, 3, True]]
    got = counted(*asked)
    assert [(each["counted"]["wrong"], each["counted"]["missing"]) for each in got] == want


def say(name, *given):
    return call(PAGE[name](*given))[0]


def test_steps_are_told_in_words():
    said = {"rnnsearch": {"word": "cheval"}, "rnnencdec": {"word": "chien", "wrong": True}}
    names = ["the", "white", "horse", "."]
    step = {"at": 4, "total": 9, "said": said, "row": [0, 0.06, 0.93, 0.01], "names": names, "length": 4}
    assert (
        say("stepWords", step)
        == "Step 4 of 9: RNNsearch says cheval, looks at horse 0.93. RNNencdec says chien (wrong)."
    )
    ended = {
        **step,
        "said": {"rnnsearch": {"word": "⟨end⟩"}, "rnnencdec": {"ended": True}},
        "row": [0.1, 0.1, 0.1, 0.7],
    }
    assert say("stepWords", ended) == "Step 4 of 9: RNNsearch ends, looks at the full stop 0.70. RNNencdec has ended."
    assert "Nothing is said yet" in say("stepWords", {**step, "at": 0})
    cell = {"at": 4, "word": "cheval", "weights": [0, 0.06, 0.93, 0.01], "names": names, "column": 2}
    assert (
        say("cellWords", cell)
        == "Step 4, writing “cheval”: “horse” has weight 0.93, the largest of the 4 weights of this step."
    )
    assert say("cellWords", {**cell, "column": 1}).endswith("“white” has weight 0.06; the largest, 0.93, has “horse”.")


def test_counts_and_warnings_are_told_in_words():
    assert say("countWords", {"wrong": 3, "missing": 2}, 18) == "3 of 18 words wrong, 2 missing"
    assert say("countWords", {"wrong": 0, "missing": 1}, 5) == "1 word missing"
    assert say("countWords", {"wrong": 0, "missing": 0}, 7) == "all 7 words right"
    assert say("countWords", {"wrong": 0, "missing": 0}, 0) == "nothing said yet"
    counts = {"rnnencdec": {"wrong": 3, "missing": 1}, "rnnsearch": {"wrong": 0, "missing": 0}}
    assert (
        say("verdict", {"counts": counts, "clauses": 2, "length": 21})
        == "At 2 clauses, 21 tokens: RNNencdec makes 4 errors, RNNsearch no error."
    )
    plain = {"unknown": [], "known": 334, "length": 9, "trained": 30}
    assert say("warning", plain) == ""
    assert say("warning", {**plain, "unknown": ["zeppelin", "zeppelin"]}).startswith(
        "“zeppelin” is not among the 334 words that the models know: both read ⟨unk⟩"
    )
    assert say("warning", {**plain, "length": 31}) == "These are 31 tokens. In training no sentence had more than 30."
