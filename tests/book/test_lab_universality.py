"""The lab on small networks: its checks know right from wrong, its bounds hold where they can be tried, both notebooks
say what its text says."""

import re

import numpy as np
import pytest

from course_lib.approximation import Rule, logistic
from course_lib.incontext import in_context
from tests.book.every_lab import EveryLab
from tests.shared.lab_notebook import printed

ANSWERS = {
    "factor": (
        [
            "inside = 1 - g * (0.5 - eta)\noutside = theta + g / 2\nreturn max(inside, outside)",
            "return np.max([1 - g / 2 + g * eta, theta + 0.5 * g])",
            "a, b = 1 - g * (1 / 2 - eta), theta + g / 2\nreturn a if a > b else b",
        ],
        [
            ("max(inside, outside)", "inside", "Elsewhere the correction"),
            ("max(inside, outside)", "outside", "On U⁺ there is"),
            ("0.5 - eta", "1 - eta", "not g(1 − η)"),
            ("max(", "min(", "The error is the larger"),
            ("0.5 - eta", "0.5 + eta", "short of 1 by η"),
        ],
    ),
    "heights": (
        [
            "F = np.hstack([features, np.ones((len(features), 1))])\nreturn np.linalg.pinv(F) @ values",
            "A = np.c_[features, np.ones(len(values))]\nreturn np.linalg.solve(A.T @ A, A.T @ values)",
            (
                "fm, vm = features.mean(0), values.mean()\nw = np.linalg.lstsq(features - fm, values - vm, "
                "rcond=None)[0]\nreturn np.append(w, vm - fm @ w)"
            ),
            (
                "A = torch.tensor(np.column_stack([features, np.ones(len(values))]))\nreturn torch.linalg.lstsq(A, "
                "torch.tensor(values)[:, None]).solution[:, 0]"
            ),
        ],
        [
            ("np.ones", "np.zeros", "column of ones"),
            ("[features, np.ones((len(features), 1))]", "[np.ones((len(features), 1)), features]", "come last"),
            (
                "w = np.linalg.lstsq(features, values - values.mean(), rcond=None)[0]\nreturn [*w, values.mean()]",
                "not the mean of the target",
            ),
            ("return np.linalg.lstsq(features, values, rcond=None)[0]", "One number is missing"),
            (
                "return np.linalg.lstsq(np.c_[features, np.ones(len(values))], values, rcond=None)",
                "returns four things",
            ),
        ],
    ),
    "fewest": (
        [
            (
                "count, run = 1, []\n"
                "for value in values:\n"
                "    run.append(value)\n"
                "    if max(run) - min(run) > 2 * eps:\n"
                "        count += 1\n"
                "        run = [value]\n"
                "return count"
            ),
            (
                "start, count = 0, 0\n"
                "while start < len(values):\n"
                "    spread = np.maximum.accumulate(values[start:]) - np.minimum.accumulate(values[start:])\n"
                "    start += np.searchsorted(spread, 2 * eps, side='right')\n"
                "    count += 1\n"
                "return count"
            ),
            (
                "if len(values) == 0:\n"
                "    return 0\n"
                "k = 1\n"
                "while k < len(values) and np.ptp(values[:k + 1]) <= 2 * eps:\n"
                "    k += 1\n"
                "return 1 + fewest(values[k:], eps)"
            ),
        ],
        [
            ("return count", "return count - 1", "one piece more"),
            ("2 * eps", "eps", "within eps of all"),
            ("return int(np.ceil((values.max() - values.min()) / (2 * eps)))", "only rises"),
            ("> 2", ">= 2", "exactly 2 eps"),
            ("return 1 + (np.abs(np.diff(values)) > 2 * eps).sum()", "You compare neighbours"),
            ("max(run) - min(run)", "abs(value - run[0])", "the run's first value"),
        ],
    ),
    "turns": (
        [
            (
                "count, wanted = 0, None\n"
                "for value in values:\n"
                "    if value >= a and wanted != '-':\n"
                "        count, wanted = count + 1, '-'\n"
                "    elif value <= -a and wanted != '+':\n"
                "        count, wanted = count + 1, '+'\n"
                "return count"
            ),
            (
                "signs = np.sign(values[np.abs(values) >= a])\nreturn int(len(signs) > 0) + "
                "np.count_nonzero(np.diff(signs))"
            ),
            "from itertools import groupby\nreturn sum(1 for _ in groupby(v > 0 for v in values if abs(v) >= a))",
        ],
        [
            ("return np.sum(np.abs(values) >= a)", "count once"),
            (
                "signs = np.sign(values[np.abs(values) >= a])\nreturn np.count_nonzero(np.diff(signs))",
                "Count the points",
            ),
            ("return 1 + np.count_nonzero(np.diff(np.sign(values[values != 0])))", "do not count"),
            (
                (
                    "signs = np.sign(values[np.abs(values) > a])\nreturn int(len(signs) > 0) + "
                    "np.count_nonzero(np.diff(signs))"
                ),
                "exactly a or −a",
            ),
            (
                "signs = np.sign(values[np.abs(values) >= a])\nreturn 1 + np.count_nonzero(np.diff(signs))",
                "no point to pick",
            ),
        ],
    ),
    "floor_of": (
        [
            "return (answers.max() - answers.min()) / 2",
            (
                "low = high = answers[0]\n"
                "for each in answers:\n"
                "    low, high = min(low, each), max(high, each)\n"
                "return 0.5 * (high - low)"
            ),
            "return np.ptp(answers) / 2",
            (
                "ordered = sorted(answers)\n"
                "middle = (ordered[0] + ordered[-1]) / 2\n"
                "return max(abs(x - middle) for x in ordered)"
            ),
        ],
        [
            (" / 2", "", "off by half"),
            ("return np.abs(answers - answers.mean()).max()", "best for squares"),
            ("return answers.std()", "typical error"),
            ("- answers.min()", "+ answers.min()", "the best number itself"),
            ("return np.abs(answers).max()", "error of the number 0"),
        ],
    ),
}


class TestLab(EveryLab):
    name, left_out = (
        "universality",
        r"^ask\(|interactive\(|for theta in|def three|best_pair|separators saved|each.factor",
    )
    answers = ANSWERS
    lines, fallbacks = 27, 10


def test_the_factor_is_the_librarys(lab):
    for theta, g, eta in ((0.25, 0.75, 1 / 6), (0.5, 0.9, 1 / 6), (0.1, 0.6, 0.01)):
        assert lab["factor"](theta, g, eta) == pytest.approx(Rule(theta, g, eta).factor, abs=1e-15)


def test_as_many_stairs_as_the_lab_counts_are_enough_and_one_fewer_is_not(lab):
    values = np.sin(np.linspace(0, 2 * np.pi, 121)).round(6)
    count, by_table = lab["fewest"](values.tolist(), 0.2), lab["by_table"](values.tolist(), 0.2)
    assert count == by_table == 9
    spans = np.array([[np.ptp(values[i : j + 1]) if j >= i else np.inf for j in range(121)] for i in range(121)])
    least = spans[0].copy()  # the smallest worst span with k pieces, for every end
    for _ in range(2, count + 1):
        before, least = (
            least,
            np.array([min([spans[0, j], *(max(least[i], spans[i + 1, j]) for i in range(j))]) for j in range(121)]),
        )
    assert least[-1] <= 0.4 < before[-1]


def test_no_sum_of_n_units_changes_sign_more_often_than_the_lab_says(lab):
    generator, x = np.random.default_rng(0), np.linspace(-20, 20, 4001)
    most = {}
    for n in (1, 2, 3):
        counts = []
        for _ in range(1500):
            features = logistic(np.exp(generator.normal(0, 1, n)) * (x[:, None] - generator.normal(0, 2, n)))
            value = (features - features[generator.integers(1500, 2500)]) @ generator.normal(
                size=n
            )  # 0 somewhere in the middle
            counts.append(lab["by_signs"](value.tolist(), 1e-9) - 1)
        most[n] = max(counts)
    assert most[1] == 1 and 2 <= most[2] <= 3 and 3 <= most[3] <= 7


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (..., "Your turn"),
        ((0.25, 0.75), "does not work"),
        ("abc", "does not work"),
        ((0.5, 1.2, 1 / 6), "does not work"),
        ((0.25, 0.75, 1 / 6), "63"),
        ((0.3, 1.2, 1 / 6), "does not work"),
    ],
)
def test_a_rule_that_gains_nothing_is_refused_with_its_reason(lab, shown, numbers, words):
    built = lab["with_rule"](numbers)
    assert words in shown[-1].message and not shown[-1].correct
    assert built.network.units == 36 and lab["error_of"](built.network) < 0.1


def test_another_rule_that_is_smaller_is_used(lab, shown):
    built = lab["with_rule"]([0.4, 0.75, 1 / 6])
    assert shown[-1].correct and built.network.units < 63 and built.corrections[0].rule.threshold == 0.4


@pytest.mark.parametrize(
    ("centres", "slopes", "words"),
    [
        (..., ..., "Your turn"),
        ([1.0], [1.0, 2.0], "1 centres and 2 slopes"),
        ([1.0] * 7, [1.0] * 7, "One to six"),
        ([np.nan], [1.0], "not finite"),
        (["a"], [1.0], "no lists"),
        ([np.pi], [1.0], "not below"),
        ([1, 3, 5], [40, 40, 40], "not below"),
    ],
)
def test_units_that_miss_are_refused_with_their_error(lab, shown, centres, slopes, words):
    got = lab["small_network"](centres, slopes)
    assert words in shown[-1].message and not shown[-1].correct and got[0].tolist() == [np.pi, np.pi]


def test_other_units_that_reach_it_are_used(lab, shown):
    centres, slopes = lab["small_network"]([0.25, np.pi, 2 * np.pi - 0.25], [1, 1, 1])
    assert shown[-1].correct and len(centres) == 3 and slopes.tolist() == [1, 1, 1]


@pytest.mark.parametrize(
    ("target", "words"),
    [
        (lambda x: ..., "Your turn"), (lambda x: 1 / 0, "ZeroDivisionError"), (lambda x: x[:5], "shape [5]"),
        (lambda x: 2 * np.cos(x), "larger than 1"),
        (lambda x: np.cos(5 * x), "slope goes up to 5.00"), (np.sin, "at 2 points"), (lambda x: 0.5 * np.cos(2 * x),
        "at 0 points"),
    ],
)  # fmt: skip
def test_what_the_small_network_may_reach_is_refused_with_its_reason(lab, shown, target, words, capsys):
    course = object()
    assert lab["designed"](course)(target) is course
    assert words in shown[-1].message and not shown[-1].correct and "cos 2x" in capsys.readouterr().out


def test_another_target_is_used(lab, shown):
    zigzag = lambda x: 0.95 * (2 * abs((2 * x / np.pi) % 2 - 1) - 1)
    assert lab["designed"](object())(zigzag) is zigzag and shown[-1].correct


@pytest.mark.parametrize(
    ("numbers", "words"),
    [
        (..., "Your turn"),
        ((0, 1, 1), "no head"),
        ((0, 1, 1, 1), "expected"),
        ((1, 1, 1, -1), "do the scores depend on x"),
        ("abcd", "no head"),
    ],
)
def test_a_head_that_is_not_the_target_is_refused(lab, shown, numbers, words):
    head = lab["my_head_or"](numbers)
    assert words in shown[-1].message and not shown[-1].correct
    X = lab["contexts"][2]
    np.testing.assert_allclose(in_context(X, X, head), X - X.mean(0), atol=1e-12)


@pytest.mark.parametrize(
    ("statistic", "words"),
    [
        (lambda X: ..., "Your turn"), (lambda X: X[0, 0], "order"), (lambda X: X.mean(), "may be able to see it"),
        (lambda X: X.max(), "may be able"),
        (lambda X: X, "stopped with"), (lambda X: np.inf * len(X), "not finite"),
    ],
)  # fmt: skip
def test_what_attention_may_see_is_refused(lab, shown, statistic, words, capsys):
    course = object()
    assert lab["blind_spot"](course)(statistic) is course
    assert words in shown[-1].message and not shown[-1].correct and "my_statistic" in capsys.readouterr().out


def test_another_blind_spot_is_used(lab, shown):
    total = lambda X: X.sum()
    assert lab["blind_spot"](object())(total) is total and shown[-1].correct


def test_the_lab_says_what_it_computes():
    text = printed(f"labs/solutions/{TestLab.name}")
    assert "hidden units: 63" in text and "ε = 0.1 : 18 pieces, so 17 units" in text
    rows = re.findall(
        r"θ = ([\d.]+), g = [\d.]+: factor at most ([\d.]+); (\d+) corrections, (\d+) units, largest weight (\d+)", text
    )
    factors, corrections, units, weights = ([float(row[i]) for row in rows] for i in (1, 2, 3, 4))
    assert (
        len(rows) == 4
        and factors == sorted(factors)
        and corrections == sorted(corrections)
        and weights == sorted(weights, reverse=True)
    )
    assert units != sorted(units)  # a smaller factor does not mean fewer units
    assert float(re.search(r"fewest units at θ = ([\d.]+)", text)[1]) == (0.3, 0.4, 0.5, 0.6)[units.index(min(units))]
    assert float(re.search(r"this rule guarantees a factor of ([\d.]+)", text)[1]) > 0.9
    sine, target = map(float, re.findall(r"best pair of units found ([\d.]+)", text))
    assert sine < 0.1 and target >= 0.9
    assert "the builder, with at most 63 units, stops at error" in text
