"""Tokens in depth: what the table's parts mean, and the page's share of runs."""

from collections import Counter

import numpy as np
import pytest

from course_lib.results import load
from studies import tokens_in_depth as study

TABLE = load("tokens_in_depth")


def stored(part, **wanted):
    return [row for row in TABLE[part] if all(row[name] == value for name, value in wanted.items())]


def test_the_first_number_that_stays():
    held = study.HELD // study.EVERY
    assert study.first_held([60] * 30 + [9] * (held - 1) + [4] * held + [2] * 99) == 4
    assert study.first_held([1] * 5 + [3] * (held - 1) + [2] * (held - 1) + [1] * 40) == 1
    assert study.first_held([60] * 99) is None and study.first_held([1] * 8 + [3] * held) == 3


def first(beta, start):
    return Counter(row["first"] for row in stored("circle", beta=beta, start=start))


def test_the_fastest_wave_names_the_first_groups(record):  # B14
    assert record("B14.even", first(5, "even")[3] / study.SEEDS) == 0.95
    assert first(5, "drawn")[3] / study.SEEDS == 0.65
    assert first(25, "even")[7] / study.SEEDS == 0.45


def test_the_prediction_has_its_limits():
    n = 16
    assert study.predicted(0, 0, n) == pytest.approx((1, n))  # equal weights: all tokens are one after a layer
    _, keys = study.predicted(1e6, 0.9, n)
    assert keys == pytest.approx(1, abs=0.01)  # a choice
    # α = 1: nothing is looked at
    assert study.predicted(3, 1, n)[0] == 0


def test_the_prediction_is_met_where_a_path_is_left():
    gaps = [
        abs(np.mean(row["cosines"]) - row["predicted cosine"])
        for row in TABLE["map"]
        if row["alpha"] > 0 and row["d"] == 64
    ]
    assert len(gaps) == 45 and np.mean(gaps) < 0.04 and max(gaps) < 0.16


def test_shuffled_words_are_the_same_words():
    text = "one two three four five six seven"
    assert sorted(study.shuffled(text, 3).split()) == sorted(text.split()) and study.shuffled(text, 3) != text
