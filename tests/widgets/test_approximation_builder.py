"""ApproximationBuilder: its JavaScript against course_lib.approximation, cover by cover; its budgets; what is told and
refused."""

import math
from itertools import islice

import numpy as np
import pytest

from course_lib import approximation
from course_lib.approximation import PROOF, BudgetError, balanced, steps
from course_lib.widgets import ApproximationBuilder, settings
from course_lib.widgets.approximation_builder import POINTS, UNITS
from tests.shared.graph_node import node

DECLARED = settings.declared(ApproximationBuilder)
DEFAULT = {name: each["default"] for name, each in DECLARED.items()}
POLYGON = DEFAULT["heights"]
KNOTS = np.linspace(-1, 1, 9)
TARGETS = {
    "sine": (np.sin, (0, 2 * math.pi)), "step": (lambda x: 0.5 + 0.5 * np.tanh(6 * x), (-1, 1)),
    "cusp": (lambda x: np.sqrt(np.abs(x)), (-1, 1)),
    "bump": (lambda x, y: np.exp(-3 * (x * x + y * y)), ((-1, 1), (-1, 1))),
}  # fmt: skip
RULES = {"proof": PROOF, "balanced": balanced(1 / 2)}
CASES = [
    ({}, 7), ({"sigma": "arctan"}, 4), ({"sigma": "clip", "rule": "balanced"}, 6), ({"target": "cusp"}, 7),
    ({"target": "step"}, 7), ({"target": "drawn"}, 6),
    ({"target": "drawn", "heights": [-1.5, 1.5, -1.5, 0.0, 0.0, 0.05, 0.0, 1.0, -1.0], "rule": "balanced"}, 5),
    ({"target": "bump", "rule": "balanced"}, 3),
]  # fmt: skip


def ask(*questions):
    return node("approximation_builder.mjs", questions)


def target(state):
    if state["target"] == "drawn":
        return lambda x: np.interp(x, KNOTS, state["heights"]), (-1, 1)
    return TARGETS[state["target"]]


def corrections(state):
    f, box = target(state)
    sigma, points = getattr(approximation, state["sigma"]), POINTS[len(np.atleast_2d(box))]
    return steps(f, box, sigma=sigma, rule=RULES[state["rule"]], max_units=UNITS, max_points=points)


@pytest.mark.parametrize(
    ("more", "most"), CASES, ids=[f"{case[0].get('target', 'sine')}{i}" for i, case in enumerate(CASES)]
)
def test_the_same_covers_sizes_and_errors(more, most):  # G2.5
    state = DEFAULT | more
    [built] = ask(["build", state, most])
    wanted = list(islice(corrections(state), most))
    assert len(built["corrections"]) == most and built["why"] is None
    for got, each in zip(built["corrections"], wanted, strict=True):
        assert got["size"] == each.grid.shape[0] and got["sizes"] == list(each.network.sizes[1:-1])
        assert (
            got["positive"] == np.flatnonzero(each.positive).tolist()
            and got["negative"] == np.flatnonzero(each.negative).tolist()
        )
        assert (got["before"], got["after"], got["gain"]) == pytest.approx(
            (each.before, each.after, each.gain), abs=1e-10
        )
        assert got["after"] < RULES[state["rule"]].factor * got["before"]
        assert len(got["guards"]) == len(each.separator.guards)
        for cover, guard in zip(got["guards"], each.separator.guards, strict=True):
            np.testing.assert_array_equal(cover["around"], guard.around)
            np.testing.assert_array_equal(np.reshape(cover["at"], guard.at.shape), guard.at)
            np.testing.assert_allclose(cover["near"], guard.near, atol=1e-12)
            np.testing.assert_allclose(cover["far"], guard.far, atol=1e-12)
        np.testing.assert_allclose(got["H"], each.separator(each.grid.points[:50]), atol=1e-10)
    generator = np.random.default_rng(1)
    box = np.atleast_2d(target(state)[1])
    x = generator.uniform(box[:, 0], box[:, 1], (40, len(box)))
    [outputs] = ask(["network", state, most, x.ravel().tolist()])
    np.testing.assert_allclose(outputs, wanted[-1].network(x), atol=1e-10)  # the matrices of the four layers


@pytest.mark.parametrize(("down", "across"), [(0, 1), (1, 0), (1, 1), (1, -1), (0, -1)])
def test_two_points_are_apart_with_three_cells_between_them(down, across):
    for by in range(1, 7):
        a, b = np.zeros((15, 15), bool), np.zeros((15, 15), bool)
        a[7, 7] = b[7 + by * down, 7 + by * across] = True
        assert ask(["apart", 15, 2, a.ravel().tolist(), b.ravel().tolist()]) == [by - 1 >= 3]
        if not down:
            assert ask(["apart", 15, 1, a[7].tolist(), b[7].tolist()]) == [by - 1 >= 3]


def test_a_budget_that_runs_out_is_named():
    """A cusp needs an ever finer grid: the page stops at the same correction as Python, with the same network."""
    state = DEFAULT | {"target": "cusp", "rule": "proof"}
    [built, words] = ask(["build", state, 24], ["words", state, 24, 1])
    done = []
    with pytest.raises(BudgetError) as ran_out:
        done.extend(corrections(state))
    assert built["why"] == "points" and "max_points" in str(ran_out.value)
    best = ran_out.value.best
    assert len(built["corrections"]) == len(best.corrections) and built["corrections"][-1]["after"] == pytest.approx(
        best.errors[-1], abs=1e-10
    )
    assert "the page's budget: the next correction would need a finer grid" in words["ended"]


def test_nothing_to_correct_and_words():
    flat = DEFAULT | {"target": "drawn", "heights": [0.5] * 9}
    [built, ended, begun, one, tall] = ask(
        ["build", flat, 3],
        ["words", flat, 3, 0],
        ["words", DEFAULT, 1, 0],
        ["words", DEFAULT, 1, 1],
        ["words", DEFAULT | {"eps": 0.5}, 2, 2],
    )
    assert built["why"] == "exact" and built["errors"] == [0] and "nothing is left to correct" in ended["ended"]
    first = next(iter(corrections(DEFAULT)))
    assert begun["told"].startswith("For sin x the start is the constant 0, off by at most 1.")
    assert (
        "U⁺ is 1 interval and U⁻ 1 interval" in one["told"]
        and f"a factor {first.factor:.3g} where the theorem promises less than 0.75" in one["told"]
    )
    assert f"{first.network.sizes[1]} + {first.network.sizes[2]} + {first.network.sizes[3]} hidden units" in one["told"]
    assert "is not reached yet" in one["told"] and "is not reached yet" in tall["told"] and one["ended"] == ""


def test_the_page_takes_what_python_takes():
    [constants] = ask(["constants"])
    told = {"target": constants["targets"], "sigma": constants["sigmas"], "rule": list(constants["rules"])}
    assert told == {name: DECLARED[name]["takes"] for name in told}
    assert (
        constants["most"] == {"units": UNITS, "points": {str(d): count for d, count in POINTS.items()}}
        and constants["places"] == KNOTS.tolist()
    )
    for name, rule in RULES.items():
        got = constants["rules"][name]
        assert (got["threshold"], got["gain"], got["eps"], got["factor"]) == pytest.approx(
            (rule.threshold, rule.gain, rule.eps, rule.factor), rel=1e-15
        )


def shown(target: str, count: int = 7) -> list[approximation.Correction]:
    """The corrections that widgets.ApproximationBuilder shows, with its budgets."""
    return list(islice(corrections(DEFAULT | {"target": target}), count))


def test_the_pages_numbers_are_the_librarys(record):  # G2.5
    [sine, cusp] = ask(["build", DEFAULT, 7], ["build", DEFAULT | {"target": "cusp"}, 7])
    assert (
        sine["errors"][-1] == pytest.approx(shown("sine")[-1].after, abs=1e-10)
        and sine["errors"][-1] < 0.1 <= sine["errors"][-2]
    )
    assert sum(sine["corrections"][-1]["sizes"]) == shown("sine")[-1].network.units
    factor = record("G2.5.live.factor", max(each.factor for target in ("sine", "cusp") for each in shown(target)))
    assert max(each["factor"] for each in sine["corrections"] + cusp["corrections"]) == pytest.approx(factor, abs=1e-9)
