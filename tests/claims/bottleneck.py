"""Chapter 2's first page: what the context vector keeps, BLEU by hand, the central experiment beside the published table."""

import math
from collections import Counter
from collections.abc import Callable
from functools import cache

import torch

from course_lib.bleu import bleu
from course_lib.checks import trusted
from course_lib.probes import contexts, guesses
from course_lib.results import load
from course_lib.shipped import rnnencdec
from course_lib.text.corpora import english_french

from . import claim

REFERENCE = ["le", "petit", "chat", "noir", "dort", "dans", "la", "maison"]
ANSWER = ["le", "chat", "noir", "dort", "dans", "la", "la", "maison"]
# Bahdanau et al. 2015, table 1, as source L prints it: all sentences, sentences without unknown words.
PUBLISHED = {
    "RNNencdec-30": (13.93, 24.19), "RNNsearch-30": (21.50, 31.44), "RNNencdec-50": (17.82, 26.71),
    "RNNsearch-50": (26.75, 34.16), "RNNsearch-50*": (28.45, 36.15), "Moses": (33.30, 35.63),
}  # fmt: skip


@cache
def read(part: str, low: int, high: int) -> tuple[torch.Tensor, list[tuple[str, ...]]]:
    """C of each sentence of low to high words, and the sentences."""
    fixed = rnnencdec()
    sentences = [pair.source for pair in getattr(english_french(), part) if low <= len(pair.source) <= high]
    with trusted():
        return contexts(fixed.model, fixed.source, sentences), sentences


def read_back(word: Callable[[tuple[str, ...]], str], low: int, high: int) -> float:
    """The share of test sentences whose word a linear read-out from C, fitted on the training part, finds."""
    vocabulary = rnnencdec().source
    (X, train), (Z, test) = read("train", low, high), read("test", low, high)
    right, wanted = (torch.tensor([vocabulary.encode([word(s)])[0] for s in part]) for part in (train, test))
    return (guesses(X, right, Z) == wanted).double().mean().item()


@claim("L2.1.first", rtol=0.02)
def first_word_of_long_sentences() -> float:
    return read_back(lambda s: s[0], 21, 30)


@claim("L2.1.middle", rtol=0.1)
def middle_word_of_long_sentences() -> float:
    return read_back(lambda s: s[len(s) // 2], 21, 30)


@claim("L2.1.guess")
def always_the_most_frequent_middle_word() -> float:
    sentences = read("test", 21, 30)[1]
    return Counter(s[len(s) // 2] for s in sentences).most_common(1)[0][1] / len(sentences)


@claim("L2.4.hand")
def bleu_by_hand() -> float:
    logs = 0.0
    for size in (1, 2, 3, 4):
        said, right = (Counter(tuple(w[i : i + size]) for i in range(len(w) - size + 1)) for w in (ANSWER, REFERENCE))
        logs += math.log(sum((said & right).values()) / sum(said.values())) / 4
    return 100 * math.exp(logs) * min(1.0, math.exp(1 - len(REFERENCE) / len(ANSWER)))


@claim("L2.4.library")
def bleu_by_the_library() -> float:
    return bleu([ANSWER], [REFERENCE])


def rows(model: str, longest: int) -> list[dict]:
    return [row for row in load("central_experiment")["rows"] if (row["model"], row["longest"]) == (model, longest)]


def mean(model: str, longest: int, label: str = "all") -> float:
    found = [row["scores"][label]["bleu"] for row in rows(model, longest)]
    return sum(found) / len(found)


@claim("L2.5.encdec_short")
def rnnencdec_trained_to_15_words() -> float:
    return mean("RNNencdec", 15)


@claim("L2.5.search_short")
def rnnsearch_trained_to_15_words() -> float:
    return mean("RNNsearch", 15)


@claim("L2.5.encdec_long")
def rnnencdec_trained_to_30_words() -> float:
    return mean("RNNencdec", 30)


@claim("L2.5.search_long")
def rnnsearch_trained_to_30_words() -> float:
    return mean("RNNsearch", 30)


@claim("L2.5.beyond")
def rnnsearch_beyond_its_trained_lengths() -> float:
    return mean("RNNsearch", 30, "51 to 90") - mean("RNNsearch", 30, "21 to 30")


@claim("L2.5.seeds")
def groups_and_seeds_in_which_short_search_beats_long_encdec() -> int:
    pairs = [(a, b) for a in rows("RNNsearch", 15) for b in rows("RNNencdec", 30)]
    return sum(a["scores"][label]["bleu"] > b["scores"][label]["bleu"] for a, b in pairs for label in a["scores"] if label != "all")


@claim("L-E15.fraction")
def bleu_as_defined() -> float:
    return bleu_by_hand() / 100


@claim("L-E15.percent")
def bleu_as_printed() -> float:
    return bleu_by_hand()


@claim("L-E16.known")
def rnnsearch_minus_moses_on_known_words() -> float:
    return PUBLISHED["RNNsearch-50*"][1] - PUBLISHED["Moses"][1]


@claim("L-E16.all")
def rnnsearch_minus_moses_on_all_sentences() -> float:
    return PUBLISHED["RNNsearch-50*"][0] - PUBLISHED["Moses"][0]


@claim("L-E21.rows")
def rows_in_which_search_beats_encdec_as_published() -> int:
    return sum(PUBLISHED[f"RNNsearch-{n}"][k] > PUBLISHED[f"RNNencdec-{n}"][k] for n in (30, 50) for k in (0, 1))
