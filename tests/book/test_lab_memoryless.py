"""The lab that beats the thesis: its checks know right from wrong, its loop is the library's, both notebooks agree with what it says."""

import re

import numpy as np
import pytest
import torch

from course_lib.memoryless import Batches, Ensemble, Training, train
from course_lib.published import P, rows
from course_lib.sources import Memoryless
from tests.shared.lab_notebook import EveryLab, printed, tables
from tests.shared.seeded import rng


class TestLab(EveryLab):
    name, left_out = "memoryless", r"= trained\(|\bask\(|interactive\(|plots\.|paired\(errors|counters|errors\["
    exercises = ("token_of", "shares", "standard_error", "running_mean", "paired")
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
    theirs = train(lab["sizes"], Memoryless(P[4]), (0, 5), Training(updates=40, decay="linear", average="tail"), dtype=torch.float64)
    torch.testing.assert_close(mine.flat, theirs.ensemble.flat)
    torch.testing.assert_close(torch.as_tensor(mean.value), theirs.averaged.flat)
    assert isinstance(mine, Ensemble) and isinstance(lab["Batches"](lab["published_source"], [0], 16, 16, 8000), Batches)


@pytest.mark.parametrize(
    ("rule", "words"),
    [(lambda over: ..., "Your turn"), (lambda over: 1.0, "come down"), (lambda over: -over, "negative"), (lambda over: 3 * (1 - over), "above 2"), (lambda over: 1 / 0, "stopped with"), (lambda over: None, "returned nothing"), (lambda over: "a", "stopped with")],
)
def test_what_is_no_rule_is_refused_with_its_reason(lab, shown, rule, words):
    course = object()
    assert lab["examined"](course)(rule) is course
    assert words in shown[-1].message and not shown[-1].correct


@pytest.mark.parametrize(
    ("p", "words"),
    [(..., "Your turn"), ([0.5, 0.5], "Four numbers"), ([0.4, 0.4, 0.2, 0.1], "sum 1"), ([0.97, 0.01, 0.01, 0.01], "at least 0.02"), (P[4].tolist(), "published"), ("abcd", "no four numbers"), ([[0.5], [0.5, 1]], "no four numbers")],
)
def test_what_is_no_source_is_refused_with_its_reason(lab, shown, p, words):
    assert lab["own_source"](p).p.tolist() == [0.85, 0.05, 0.05, 0.05]
    assert words in shown[-1].message and not shown[-1].correct


def test_a_rule_and_a_source_that_are_good_are_used(lab):
    rule = lambda over: (1 - over) ** 2  # noqa: E731
    assert lab["examined"](object())(rule) is rule
    assert lab["own_source"]([0.4, 0.3, 0.2, 0.1]).p.tolist() == [0.4, 0.3, 0.2, 0.1]


def body(name, caption):
    """The rows of a table of the notebook, each cut where two spaces stand."""
    lines = tables(name).split(caption)[1].split("\n─")[1].splitlines()[1:]
    return [re.split(r"\s{2,}", line.strip()) for line in lines[: next((i for i, line in enumerate(lines) if "  " not in line), len(lines))]]


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
