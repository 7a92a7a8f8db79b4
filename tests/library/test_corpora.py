"""The corpora: shipped texts against their sources and against grammar, numbers read back, files right and wrong."""

import bz2
import gzip
import lzma
import random
import re
import sys
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from course_lib.text import corpora
from course_lib.text.corpora import (
    english_french,
    english_prose,
    in_words,
    number_words,
    read_descriptions,
    read_pairs,
    towns,
)
from course_lib.text.readers import Pair
from tests.shared.refusals import named

FIXTURES = Path(__file__).with_name("fixtures")
DATA = Path(corpora.__file__).with_name("data")
PARTS = ("train", "valid", "test")
CLAUSES = [line.split("\t") for line in corpora._shipped("english_french.tsv.gz")[1]]


# ---- English and French


def test_parts_have_fixed_sizes_and_share_nothing():
    corpus = english_french()
    assert [len(getattr(corpus, part)) for part in PARTS] == [12_000, 600, 1_200]
    sources = [pair.source for part in PARTS for pair in getattr(corpus, part)]
    assert len(set(sources)) == len(sources)
    joints = r" (?:and|but|because|while|when) | \."
    clauses = {
        part: {c for p in getattr(corpus, part) for c in re.split(joints, " ".join(p.source)) if c} for part in PARTS
    }
    assert not clauses["train"] & clauses["test"] and not clauses["train"] & clauses["valid"]
    assert not clauses["test"] & clauses["valid"]
    assert len(clauses["train"]) == 9000


def test_clauses_are_those_that_sentences_were_joined_from():
    there = {tuple(clause) for clause in CLAUSES}
    for i, pair in enumerate(english_french().train):
        parts = corpora.clauses(pair)
        assert len(parts) == 1 + i % 6 and all(both[-1] == "." for part in parts for both in part)
        assert {tuple(" ".join(both[:-1]) for both in part) for part in parts} <= there


def test_every_part_has_all_lengths():
    for part in PARTS:
        pairs = getattr(english_french(), part)
        joints = Counter(
            sum(word in ("and", "but", "because", "while", "when") for word in pair.source) for pair in pairs
        )
        assert joints == dict.fromkeys(range(6), len(pairs) // 6)
        lengths = [len(pair.source) for pair in pairs]
        assert min(lengths) <= 4 and max(lengths) >= 60


def test_training_part_knows_every_word():
    for side in (0, 1):
        known = {word for pair in english_french().train for word in pair[side]}
        assert {word for part in PARTS for pair in getattr(english_french(), part) for word in pair[side]} == known


def test_shorter_than_is_a_filter():
    corpus, short = english_french(), english_french().shorter_than(20)
    assert short.test == tuple(pair for pair in corpus.test if len(pair.source) < 20)
    assert max(len(pair.source) for pair in short.train) == 19
    assert short.credit == corpus.credit and "pyrealb" in corpus.credit and "CC BY-SA" in corpus.licence


def test_clauses_are_distinct_tokens_without_failures():
    assert len({english for english, _ in CLAUSES}) == len(CLAUSES) == 10_000
    for clause in CLAUSES:
        for text in clause:
            assert re.fullmatch(r"[a-zà-ÿœ]+'?( [a-zà-ÿœ]+'?)*", text), text


# What French forbids, whatever the sentence says. No word of the corpus has an aspirated h.
VOWEL = "[aeiouhàâéèêœ]"
BEFORE = "beaux|belles|vieux|vieilles|petite?s|grande?s|nouveaux|nouvelles|mauvaise?s|jeunes"
FORBIDDEN = {
    "le enfant": rf"\b(le|la|de|je|ne|que|ce|ma|ta|beau|nouveau) {VOWEL}",
    "vieux avocat": rf"\bvieux {VOWEL}\w*[^sx ]( |$)",
    "l' roi": rf"\b(l|d|j|n|qu)' (?!{VOWEL})",
    "de le roi": r"\bde (le|les|des) ",
    "ne voit pas un roi": r"\bpas (?!dans |été |quand |et |mais )(\w+ )?(un|une|des) ",
    "des petits rois": rf"\bdes ({BEFORE}) ",
    "mes roi": r"\b(mes|tes|ces) \w*[^sx ]( |$)",
}


@pytest.mark.parametrize("rule", FORBIDDEN)
def test_french_keeps_its_rules(rule):
    whole = [
        (" ".join(pair.source), " ".join(pair.target)) for part in PARTS for pair in getattr(english_french(), part)
    ]
    broken = [pair for pair in CLAUSES + whole if re.search(FORBIDDEN[rule], pair[1])]
    if rule == "des petits rois":  # where the English has "of the", "des" is de + les
        broken = [pair for pair in broken if " of the " not in pair[0]]
    assert broken == []
    assert re.search(FORBIDDEN[rule], rule)


def test_conjunctions_elide_at_the_joint():
    assert corpora._elided("parce que", "il dort") == "parce qu' il dort"
    assert corpora._elided("quand", "il dort") == "quand il dort"
    assert corpora._elided("pendant que", "les chats dorment") == "pendant que les chats dorment"
    assert any("parce qu' elle" in " ".join(pair.target) for pair in english_french().test)


# ---- where the shipped files come from


def test_clauses_come_from_the_grammar():
    pytest.importorskip("pyrealb")
    from tools.models.corpora import clauses  # tools/models/corpora.py

    assert [line.split("\t") for line in clauses(150)] == CLAUSES[:150]


@pytest.mark.skipif(find_spec("codicefiscale") is None, reason="python-codicefiscale is not installed")
def test_towns_are_those_of_the_register():
    from tools.models.corpora import towns as written

    assert written() == towns()


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="the reference's text changes with Python's version")
def test_prose_is_that_of_the_reference():
    from tools.models.corpora import prose

    assert "\n".join(prose()) == english_prose()


@pytest.mark.parametrize("name", ["english_french.tsv.gz", "towns.txt.gz", "prose.txt.gz"])
def test_shipped_files_are_small_dated_nowhere_and_say_whose_they_are(name):
    packed = (DATA / name).read_bytes()
    assert len(packed) <= 250_000
    assert packed[4:8] == bytes(4)  # gzip's date: zero, or the same text would give other bytes
    fields, lines = corpora._shipped(name)
    assert re.search(r"licen[cs]e|MIT", fields.get("licence", fields["credit"]), re.I)
    assert fields["command"] == f"python -m tools.models.corpora {dict(e='clauses', t='towns', p='prose')[name[0]]}"
    assert all(lines) and not any(line.startswith("#") for line in lines)


def test_towns():
    names = towns()
    assert len(names) == len(set(names)) == 10_632
    assert {"Roma", "Torino", "Cuneo", "Reggio Nell'Emilia"} <= set(names)
    names.clear()
    assert len(towns()) == 10_632  # the list is the caller's own


def test_prose_is_english():
    words = Counter(english_prose().lower().split())
    assert [word for word, _ in words.most_common(2)] == ["the", "a"]
    assert english_prose().isascii() and 50_000 < len(english_prose()) < 100_000


# ---- numbers


def test_numbers_are_distinct_and_of_all_lengths(monkeypatch):
    monkeypatch.setattr(corpora, "in_words", lambda number: number)
    values = number_words(1500, random.Random(0))
    assert len(set(values)) == 1500 and min(values) >= 1 and max(values) < 10**24
    lengths = Counter(len(str(each)) for each in values if each >= 1000)
    assert max(lengths.values()) < 2 * min(lengths.values())  # digits are drawn evenly


def test_german_crosses():
    assert corpora.german_morphemes("dreihundertvierundfünfzig") == ["drei", "hundert", "vier", "und", "fünfzig"]
    assert corpora.german_morphemes("eine Million eins") == ["eine", "Million", "eins"]


def test_numbers_follow_the_generator():
    assert (
        number_words(50, random.Random(3)) == number_words(50, random.Random(3)) != number_words(50, random.Random(4))
    )


test_numbers_say_what_is_wrong = named(
    (lambda: number_words(10, random.Random(0), digits=1), r"count must be at most 9·10\^0"),
    (lambda: number_words(1, random.Random(0), digits=25), "digits must be an int from 1 to 24, got 25"),
    (lambda: in_words(0), r"number must be an int from 1 to 9{24}, got 0"),
    (lambda: in_words(10**24), r"number must be an int from 1 to 9{24}, got 10{24}"),
)


def test_words_are_those_of_num2words():
    """Beside what the package itself wrote: 200 numbers of up to 24 digits, and those at each power of a thousand."""
    for line in (FIXTURES / "numbers_in_words.tsv").read_text(encoding="utf-8").splitlines():
        number, english, german = line.split("\t")
        words = english.replace(",", "").replace("-", " ").split()
        assert in_words(int(number)) == Pair(tuple(words), tuple(corpora.german_morphemes(german))), number


# ---- files of one's own


def test_pairs_from_a_file():
    pairs = read_pairs(FIXTURES / "pairs.tsv")
    assert pairs == [
        Pair(("The", "cat", "sleeps", "."), ("Le", "chat", "dort", ".")),
        Pair(("I", "don't", "know", "!"), ("Je", "ne", "sais", "pas", "!")),
        Pair(("She's", "well-known", "."), ("Elle", "est", "connue", ".")),
    ]
    backwards = read_pairs(FIXTURES / "pairs.tsv", columns=(1, 0), tokenise=lambda text: text.lower().split())
    assert backwards[0] == Pair(("le", "chat", "dort."), ("the", "cat", "sleeps."))


def test_packed_files_read_the_same(tmp_path):
    for suffix, module in ((".gz", gzip), (".bz2", bz2), (".xz", lzma)):
        for name in ("pairs.tsv", "Translation-en"):
            (tmp_path / (name + suffix)).write_bytes(module.compress((FIXTURES / name).read_bytes()))
        assert read_pairs(tmp_path / f"pairs.tsv{suffix}") == read_pairs(FIXTURES / "pairs.tsv")
        packed = read_descriptions(tmp_path / f"Translation-en{suffix}", FIXTURES / "Translation-it")
        assert packed == read_descriptions(FIXTURES / "Translation-en", FIXTURES / "Translation-it")


def test_descriptions_are_joined_on_their_sums():
    pairs = read_descriptions(FIXTURES / "Translation-en", FIXTURES / "Translation-it", tokenise=str.split)
    assert [(" ".join(a), " ".join(b)) for a, b in pairs] == [
        ("clock for two players", "orologio per due giocatori"),
        ("It counts down the time of both players.", "Conta il tempo di entrambi i giocatori."),
        ("It rings a bell when a flag falls.", "Suona una campana quando una bandierina cade."),
        ("Main features:", "Caratteristiche principali:"),
        ("It needs no network.", "Non richiede la rete."),
        ("chess program", "programma di scacchi"),
        ("It plays. It draws the board too.", "Gioca e disegna anche la scacchiera."),
    ]


def test_columns_are_checked():
    with pytest.raises(ValueError, match=r"columns must be two ints ≥ 0, got \(0, -1\)"):
        read_pairs(FIXTURES / "pairs.tsv", columns=(0, -1))


def read_index(path):
    return read_descriptions(path, FIXTURES / "Translation-it")


@pytest.mark.parametrize(
    ("read", "text", "says"),
    [
        (read_pairs, "a\tb\n\nonly one\n", r"bad, line 3: must be 2 or more columns with tabs between, got 'only one'"),
        (read_pairs, "a\t \n", r"bad, line 1: must be a sentence in column 1, got 'a\\t '"),
        (read_pairs, "a\tb\n\xff\n", r"bad, line \d: must be text in UTF-8, got the bytes b'\\xff'"),
        (read_index, " continued\n", "bad, line 1: must be a field before a line that continues it"),
        (
            read_index,
            "Package: a\nno colon here\n",
            "bad, line 2: must be a field, \"Name: value\", got 'no colon here'",
        ),
        (
            read_index,
            "Package: a\nDescription-en: x\n",
            "bad, line 1: must be a stanza with the field description-md5, got package, description-en",
        ),
        (
            read_index,
            "\nDescription-md5: 0\nDescription-it: x\n",
            "bad, line 2: must be a stanza with the field description-en",
        ),
        (read_index, "Package: a\nPackage: b\n", "bad, line 2: must be a field that this stanza has not yet"),
    ],
)
def test_a_malformed_line_is_named(tmp_path, read, text, says):
    (tmp_path / "bad").write_bytes(text.encode("latin-1"))
    with pytest.raises(ValueError, match=says):
        read(tmp_path / "bad")
