"""The lab that beats the thesis: its checks know right from wrong, its loop is the library's, both notebooks agree with
what it says."""

import re

import numpy as np
import pytest
import torch

from course_lib.memoryless import Batches, Ensemble, Training, train
from course_lib.published import P, rows
from course_lib.sources import Memoryless
from tests.book.every_lab import EveryLab
from tests.shared.lab_notebook import printed, tables
from tests.shared.seeded import rng

ANSWERS = {
    "token_of": (
        [
            "ends = np.cumsum(p)\nreturn (u[..., None] >= ends[:-1]).sum(-1)",
            "return np.digitize(u, np.cumsum(p)[:-1])",
            (
                "out = np.zeros(u.shape, dtype=int)\nfor index, x in np.ndenumerate(u):\n    token = 0\n    while x >= "
                "p[:token + 1].sum() and token < len(p) - 1:\n        token += 1\n    out[index] = token\nreturn out"
            ),
            "return torch.searchsorted(torch.tensor(p).cumsum(0)[:-1], torch.tensor(u), right=True)",
        ],
        [
            (">=", ">", "without its right end"),
            ("return np.floor(u * len(p)).astype(int)", "p is not used"),
            (".sum(-1)", ".sum(-1) + 1", "counted from 0"),
            ("return (u[..., None] >= p).sum(-1)", "with the probabilities themselves"),
            ("return p[np.digitize(u, np.cumsum(p)[:-1])]", "The token is its number"),
            ("return np.digitize(u.flatten(), np.cumsum(p)[:-1])", "the shape of u"),
        ],
    ),
    "shares": (
        [
            "counts = np.zeros(v)\nfor token in tokens:\n    counts[token] += 1\nreturn counts / counts.sum()",
            "return (tokens[:, None] == np.arange(v)).mean(axis=0)",
            "return [list(tokens).count(word) / len(tokens) for word in range(v)]",
            "return torch.bincount(torch.tensor(tokens), minlength=v) / len(tokens)",
        ],
        [
            ("counts / counts.sum()", "counts", "Those are counts"),
            ("counts.sum()", "v", "divide by v"),
            ("return np.bincount(tokens) / len(tokens)", "never came"),
            (
                "words, counts = np.unique(tokens, return_counts=True)\nreturn counts / counts.sum()",
                "has no place in your answer",
            ),
            ("counts / counts.sum()", "100 * counts / counts.sum()", "percent"),
        ],
    ),
    "standard_error": (
        [
            "error = np.sqrt(p * (1 - p) / N)\nreturn error",
            "return [(x * (1 - x) / N) ** 0.5 for x in p]",
            "variance = p - p ** 2\nreturn np.sqrt(variance) / np.sqrt(N)",
            "p = torch.as_tensor(p)\nreturn (p * (1 - p) / N).sqrt()",
        ],
        [
            ("np.sqrt(p * (1 - p) / N)", "p * (1 - p) / N", "That is the variance"),
            (" / N)", ") / N", "not N times"),
            ("p * (1 - p)", "p", "p − p²"),
            (" / N", "", "That is one draw"),
            (" / N", " / (N - 1)", "not N − 1"),
        ],
    ),
    "running_mean": (
        [
            "return ((k - 1) * mean + x) / k",
            "weight = 1 / k\nreturn (1 - weight) * mean + weight * x",
            "return np.average([mean, x], axis=0, weights=[k - 1, 1])",
            "return [m + (y - m) / k for m, y in zip(mean, x)]",
            "return torch.lerp(torch.tensor(mean), torch.tensor(x), 1 / k)",
        ],
        [
            ("return (mean + x) / 2", "half of the weight"),
            ("return mean + x / k", "must shrink"),
            ("return (k * mean + x) / (k + 1)", "one array too many"),
            ("return ((k - 1) * x + mean) / k", "The two are exchanged"),
            ("return mean + (x - mean) / np.array(k - 1)", "you divide by 0"),
            ("mean += (x - mean) / k\nreturn mean", "changes its argument 1"),
        ],
    ),
    "paired": (
        [
            (
                "d = b - a\n"
                "n = len(d)\n"
                "mean = sum(d) / n\n"
                "variance = sum((x - mean) ** 2 for x in d) / (n - 1)\n"
                "return mean, (variance / n) ** 0.5"
            ),
            "d = b - a\nreturn np.array([np.mean(d), np.std(d, ddof=1) / np.sqrt(d.size)])",
            "d = torch.tensor(b - a)\nreturn d.mean(), d.std() / len(d) ** 0.5",
        ],
        [
            ("b - a", "a - b", "You take a − b"),
            ("(variance / n) ** 0.5", "variance ** 0.5", "Divide by √n"),
            ("(n - 1)", "n", "`ddof=1`"),
            ("return b.mean() - a.mean(), ((a.var(ddof=1) + b.var(ddof=1)) / len(a)) ** 0.5", "These are pairs"),
            ("(variance / n) ** 0.5", "variance ** 0.5 / n", "You divide by n"),
            ("return mean, (variance / n) ** 0.5", "return mean", "Two are asked for"),
        ],
    ),
}


class TestLab(EveryLab):
    name, left_out = "memoryless", r"= trained\(|\bask\(|interactive\(|plots\.|paired\(errors|counters|errors\["
    answers = ANSWERS
    lines, fallbacks = 11, 7


def test_the_labs_source_is_the_librarys(lab):
    for p in (P[4], np.array([0.85, 0.05, 0.05, 0.05])):
        ours, theirs = (source.sample(50, 7, rng(3)) for source in (lab["Source"](p), Memoryless(p)))
        assert (ours == theirs).all()
    assert (lab["one_by_one"](P[4], rng(3).random((50, 7))) == Memoryless(P[4]).sample(50, 7, rng(3))).all()


def test_the_labs_loop_is_the_librarys_training(lab):
    """Decay and average too, after a short run."""
    space = lab  # the cells ran in this dict
    kept = {name: space[name] for name in ("SEEDS", "UPDATES")}
    space |= {"SEEDS": (0, 5), "UPDATES": 40}
    try:
        mean = lab["Mean"]()
        mine = lab["trained"](lab["published_source"], lab["my_rate"], mean)
    finally:
        space |= kept
    theirs = train(
        lab["sizes"],
        Memoryless(P[4]),
        (0, 5),
        Training(updates=40, decay="linear", average="tail"),
        dtype=torch.float64,
    )
    torch.testing.assert_close(mine.flat, theirs.ensemble.flat)
    torch.testing.assert_close(torch.as_tensor(mean.value), theirs.averaged.flat)
    assert isinstance(mine, Ensemble) and isinstance(
        lab["Batches"](lab["published_source"], [0], 16, 16, 8000), Batches
    )


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        (lambda over: ..., "Your turn"),
        (lambda over: 1.0, "come down"),
        (lambda over: -over, "negative"),
        (lambda over: 3 * (1 - over), "above 2"),
        (lambda over: 1 / 0, "stopped with"),
        (lambda over: None, "returned nothing"),
        (lambda over: "a", "stopped with"),
    ],
)
def test_what_is_no_rule_is_refused_with_its_reason(lab, shown, rule, words):
    course = object()
    assert lab["examined"](course)(rule) is course
    assert words in shown[-1].message and not shown[-1].correct


@pytest.mark.parametrize(
    ("p", "words"),
    [
        (..., "Your turn"),
        ([0.5, 0.5], "Four numbers"),
        ([0.4, 0.4, 0.2, 0.1], "sum 1"),
        ([0.97, 0.01, 0.01, 0.01], "at least 0.02"),
        (P[4].tolist(), "published"),
        ("abcd", "no four numbers"),
        ([[0.5], [0.5, 1]], "no four numbers"),
    ],
)
def test_what_is_no_source_is_refused_with_its_reason(lab, shown, p, words):
    assert lab["own_source"](p).p.tolist() == [0.85, 0.05, 0.05, 0.05]
    assert words in shown[-1].message and not shown[-1].correct


def test_a_rule_and_a_source_that_are_good_are_used(lab):
    rule = lambda over: (1 - over) ** 2
    assert lab["examined"](object())(rule) is rule
    assert lab["own_source"]([0.4, 0.3, 0.2, 0.1]).p.tolist() == [0.4, 0.3, 0.2, 0.1]


def body(name, caption):
    """The rows of a table of the notebook, each cut where two spaces stand."""
    lines = tables(name).split(caption)[1].split("\n─")[1].splitlines()[1:]
    return [
        re.split(r"\s{2,}", line.strip())
        for line in lines[: next((i for i, line in enumerate(lines) if "  " not in line), len(lines))]
    ]


TABLES = ("Sixteen models each way", "Against the training as published", "in counting limits")


@pytest.mark.parametrize("caption", TABLES)
def test_blank_and_solution_show_the_same_tables(caption):
    blank, solution = (body(name, caption) for name in (f"labs/{TestLab.name}", f"labs/solutions/{TestLab.name}"))
    assert blank == solution and len(solution) >= 2


def test_the_lab_says_what_the_training_found():
    name = f"labs/solutions/{TestLab.name}"
    text = printed(name)
    assert rows()[24].table == 4 and f"published err {rows()[24].error}" in text
    each, against, own = (body(name, caption) for caption in TABLES)
    median, below = {row[0]: float(row[1]) for row in each}, {row[0]: int(row[3].split()[0]) for row in each}
    assert below["averaged"] == 16 and 0 < below["as published"] < 10  # beaten by every model; by luck, by some
    assert median["averaged"] < 0.7 < 2 < median["as published"]
    way, difference, uncertain, _ = against[0]
    assert way == "averaged" and float(difference.replace("−", "-")) < -3 * float(uncertain)
    against, uncertain = map(float, re.search(r"against them: ([-+][\d.]+) ± ([\d.]+)", text).groups())
    assert against > -uncertain  # no better than a tally of the same labels
    assert [(row[1], row[3]) for row in own] == [("0.63", "3.7"), ("0.40", "2.8")]  # as the text says
