"""The builder of the four-layer theorem: each lemma's inequality on points that the builder did not use, the network,
the factor, the budgets."""

import math
from functools import cache

import numpy as np
import pytest

from course_lib.approximation import (
    PROOF,
    BudgetError,
    Built,
    Rule,
    arctan,
    assemble,
    balanced,
    build,
    check_squashing,
    clip,
    grid_on,
    guard,
    logistic,
    separate,
    step,
    steps,
)
from tests.shared.refusals import named
from tests.shared.seeded import rng

SIGMAS = (logistic, arctan, clip)
SQUARE = ((-1, 1), (-1, 1))

EPS = 1 / 6  # what the theorem's proof asks of lemma 2.5


def bump(x, y):
    return np.exp(-3 * (x**2 + y**2))


def cusp(x):
    return np.sqrt(np.abs(x))


def inside(points, half, generator, times=40):
    """Random points of the boxes around `points`, corners included."""
    dimension = points.shape[1]
    corners = np.stack(np.meshgrid(*[[-1, 1]] * dimension), -1).reshape(-1, dimension)
    shifts = np.concatenate([generator.uniform(-1, 1, (times, dimension)), corners])
    return (points[:, None] + shifts * half).reshape(-1, dimension)


# Lemma 2.3


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize(("x0", "x1"), [(0.0, 1.0), (-2.0, 3.5), (1.0, -4.0)])
def test_a_step_takes_the_two_levels_and_keeps_them_beyond(sigma, x0, x1):
    s, t = step(x0, x1, 0.05, 0.9, sigma=sigma)
    assert sigma(np.array([s + t * x0]))[0] == pytest.approx(0.05, abs=1e-9)
    assert sigma(np.array([s + t * x1]))[0] == pytest.approx(0.9, abs=1e-9)
    away = np.linspace(0, 50, 200) * np.sign(x1 - x0)
    assert (sigma(s + t * (x0 - away)) <= 0.05 + 1e-9).all() and (sigma(s + t * (x1 + away)) >= 0.9 - 1e-9).all()


@pytest.mark.parametrize(
    ("sigma", "says"),
    [
        (np.tanh, "from 0 to 1"),
        (lambda x: np.maximum(x, 0), "from 0 to 1"),
        (lambda x: 1 - logistic(x), "never decreases"),
        (lambda x: np.clip(0.5 + 0.2 * np.tanh(x), 0, 1), "at −∞"),
        (lambda x: 0.5, "keeps the shape"),
        (3, "function"),
    ],
)
def test_what_does_not_squash_is_refused(sigma, says):
    with pytest.raises(ValueError, match=says):
        check_squashing(sigma)


# Lemma 2.4


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("room", [(0.2, 0.6), (0.0, 1.0), (0.05, 0.9)])
def test_a_guard_is_small_in_its_polygon_and_near_one_on_the_set(sigma, room):
    generator = rng(1)
    eps, half = 0.1, np.array([0.02, 0.03])
    angle = np.linspace(0, 2 * math.pi, 150)
    ring = np.stack([1.3 * np.cos(angle), np.sin(angle)], axis=1)
    point = np.array([0.2, -0.1])
    found = guard(point, ring, eps, half=half, room=room, sigma=sigma)
    assert (found(inside(ring, half, generator)) > 1 - eps).all()
    assert found(inside(point[None], half, generator)).max() < eps
    x = np.concatenate([point + generator.uniform(-0.05, 0.05, (2000, 2)), generator.uniform(-1.5, 1.5, (20_000, 2))])
    core = found.core(x)
    assert core.any() and (found(x[core]) < eps).all()
    f = (x - point) @ found.slopes  # G-E8: 0 at the point, 1 at each b_j
    assert np.allclose(((found.at - point) @ found.slopes).diagonal(), 1) and (f[core] <= found.near + 1e-12).all()


def test_a_guard_leaves_out_what_another_half_space_has_covered():
    line = np.stack([np.linspace(-1, 1, 101), np.full(101, 1.0)], axis=1)
    assert len(guard(np.zeros(2), line, 0.1).b) == 1  # one half-plane covers a straight line
    assert len(guard(np.zeros(2), np.concatenate([line, -line]), 0.1).b) == 2


# Lemma 2.5


def two_sets(dimension, generator):
    """Marked cells of a grid on which a wavy function is above 0.3 and below −0.3."""
    grid = grid_on((0, 3) if dimension == 1 else ((0, 3), (0, 2)), 121 if dimension == 1 else 61)
    x = grid.points
    values = np.sin(3 * x[:, 0] + 1) * (1 if dimension == 1 else np.cos(2 * x[:, 1]))
    return x[values > 0.3], x[values < -0.3], grid.half


@pytest.mark.parametrize("sigma", SIGMAS)
@pytest.mark.parametrize("dimension", [1, 2])
@pytest.mark.parametrize("as_proof", [False, True])
def test_a_separator_separates_all_points_of_the_boxes(sigma, dimension, as_proof):
    generator = rng(2)
    A, B, half = two_sets(dimension, generator)
    found = separate(A, B, EPS, half=half, as_proof=as_proof, sigma=sigma)
    on_A, on_B = inside(A, half, generator, 10), inside(B, half, generator, 10)
    assert (found.h(on_A) > 1 - EPS).all() and (found.h(on_B) < EPS).all()
    assert (found(on_A) > 1 - EPS).all() and (found(on_B) < EPS).all()
    everywhere = found(generator.uniform(-1, 4, (500, dimension)))
    assert (everywhere >= 0).all() and (everywhere <= 1).all()
    covered = np.zeros(len(A), dtype=bool)
    for each in found.guards:
        covered |= each.core(A, half)
    assert covered.all()


@pytest.mark.parametrize("sigma", SIGMAS)
def test_empty_sets_give_a_constant(sigma):
    none, some, x = np.zeros((0, 2)), np.array([[0.5, 0.5]]), rng(3).uniform(-9, 9, (50, 2))
    low, high, both = (
        separate(none, some, sigma=sigma),
        separate(some, none, sigma=sigma),
        separate(none, none, sigma=sigma),
    )
    assert low.sizes == both.sizes == (0, 0, 1) and (low(x) < 1 / 6).all() and np.ptp(low(x)) == 0
    assert high.sizes == (0, 1, 1) and (high(x) > 5 / 6).all() and np.ptp(high(x)) == 0


# Theorem 2.2


@pytest.mark.parametrize(("target", "box", "rule", "sigma"), [
    (np.sin, (0, 2 * math.pi), PROOF, logistic), (cusp, (-1, 1), PROOF, logistic), (np.abs, (-1, 1), PROOF, clip),
    (np.sin, (0, 4), balanced(0.4), arctan), (lambda x: 2 * x - 7, (-1, 2), PROOF, logistic), (bump, SQUARE,
    balanced(0.5), logistic),
])  # fmt: skip
def test_the_error_falls_by_the_factor_and_the_network_is_the_recursion(target, box, rule, sigma):
    low, high = np.atleast_2d(box).T
    x = rng(4).uniform(low, high, (2000, len(low)))
    values = target(*grid_on(box, None).points.T)
    outputs = np.full(len(x), 0.5 * (values.max() + values.min()))
    for each in steps(target, box, rule=rule, sigma=sigma):
        assert each.after < rule.factor * each.before
        outputs = outputs - each.gain * (each.separator(x) - 0.5)
        assert np.abs(each.network(x) - outputs).max() < 1e-12
        points = each.grid.points
        assert each.after == pytest.approx(np.abs(each.network(points) - target(*points.T)).max(), abs=1e-12)
        assert each.network.sizes == (len(low), *each.network.sizes[1:3], each.number, 1)
        residual = each.residual
        assert (residual[each.positive] >= rule.threshold * each.before).all()
        assert (residual[each.negative] <= -rule.threshold * each.before).all()
        assert (np.abs(residual[~each.positive & ~each.negative]) < rule.threshold * each.before).all()
        if each.after < 0.15 or each.number == 5:
            break


@pytest.mark.parametrize(("target", "modulus"), [(np.sin, 1.0), (cusp, math.sqrt)])
def test_the_bound_holds_between_the_grids_points(target, modulus):
    built = build(target, (-1, 3), 0.12)
    fine = np.linspace(-1, 3, 200_001)[:, None]
    error = np.abs(built.network(fine) - target(fine[:, 0])).max()
    bound = built.bound(modulus)
    assert built.errors[-1] < 0.12 and error <= bound < 2 * error
    middle = rng(5).uniform(-1, 3, (300, 1))
    low, high = built.network.enclose(middle - 0.01, middle + 0.01)
    for shift in np.linspace(-0.01, 0.01, 21):
        y = built.network(middle + shift)
        assert (low <= y).all() and (y <= high).all()


def test_in_the_plane_the_bound_holds_too():
    built = build(bump, SQUARE, 0.2, rule=balanced(0.5))
    x = rng(6).uniform(-1, 1, (50_000, 2))
    assert np.abs(built.network(x) - bump(*x.T)).max() <= built.bound(math.sqrt(6) * math.exp(-0.5)) < 0.4


def test_the_bound_adds_what_the_target_may_do_within_a_cell():
    constant = build(np.sin, (0, 1), 2.0)  # no correction: the network is exact, and half a cell is half a gap
    assert constant.bound(3.0) - constant.bound(0.0) == pytest.approx(3 * 0.5 / 512)
    assert constant.bound(lambda r: r**2) - constant.bound(0.0) == pytest.approx((0.5 / 512) ** 2)


def test_cells_between_two_sets_are_counted_along_diagonals_too():
    grid = grid_on(SQUARE, 11)
    first, second = (np.zeros((11, 11), dtype=bool) for _ in range(2))
    first[2, 2] = second[5, 6] = True  # three and four steps away
    for A, B in ((first, second), (second, first)):
        assert grid.apart(A.ravel(), B.ravel(), 3) and not grid.apart(A.ravel(), B.ravel(), 4)


def test_rules():
    assert PROOF.factor == pytest.approx(3 / 4)
    for threshold in (0.1, 0.25, 0.5):
        rule = balanced(threshold)
        assert rule.factor == pytest.approx(threshold + (1 - threshold) / (2 * (1 - rule.eps)))
        worse = [Rule(threshold, rule.gain * by, rule.eps).factor for by in (0.95, 1.05)]
        assert min(worse) > rule.factor
    assert balanced(1e-9, 1e-9).factor == pytest.approx(1 / 2)


def test_a_network_without_corrections_is_a_constant():
    network = assemble(2.5, [], [], dimension=2, sigma=logistic)
    assert network.units == 0 and (network(np.ones((3, 2))) == 2.5).all()
    assert build(np.sin, (0, 1), 2.0).corrections == []


@pytest.mark.parametrize(
    ("budget", "says"),
    [
        ({"max_units": 30}, "max_units = 30"),
        ({"max_points": 600}, "max_points is 600"),
        ({"max_steps": 3}, "max_steps = 3"),
    ],
)
def test_a_budget_that_runs_out_carries_the_best_network(budget, says):
    with pytest.raises(BudgetError, match=says) as caught:
        build(np.sin, (0, 4 * math.pi), 0.01, **budget)
    best = caught.value.best
    x = best.corrections[-1].grid.points
    assert 0 < len(best.corrections) == best.network.sizes[3] == len(best.errors) - 1
    assert np.abs(best.network(x) - np.sin(x[:, 0])).max() == pytest.approx(best.errors[-1], abs=1e-12)
    assert best.errors == sorted(best.errors, reverse=True) and best.network.units <= budget.get("max_units", 10**9)


def test_a_first_correction_that_is_too_dear_still_carries_a_constant():
    with pytest.raises(BudgetError) as caught:
        build(np.sin, (0, 4 * math.pi), 0.01, max_units=3)
    assert caught.value.best.network.units == 0 and caught.value.best.errors == [pytest.approx(1, abs=1e-3)]


ONE = np.zeros((1, 1))
test_what_is_refused_is_named = named(
    (lambda: guard(np.zeros(1), np.array([[0.1]]), 0.1, half=0.06), "closed must be boxes that meet neither"),
    (lambda: guard(np.zeros(1), np.array([[1.0]]), 0.4), "eps must be below 1/3"),
    (lambda: guard(np.zeros(1), np.array([[1.0]]), 0.1, room=(0.5, 0.6)), "room must be"),
    (lambda: separate(ONE, np.array([[0.0], [1.0]])), "closed must be boxes"),
    (lambda: build(np.sin, (1, 1), 0.1), "box must be low < high"),
    (lambda: build(lambda x: np.full(3, 1.0), (0, 1), 0.1), "target must be"),
    (lambda: build(lambda x: np.where(x > 0.5, np.inf, x), (0, 1), 0.1), "target must be finite"),
    (lambda: build(np.sin, ((0, 1), (0, 1), (0, 1)), 0.1), "box must be"),
    (lambda: Rule(threshold=0.9), "factor is below 1"),
)


# The page's numbers and the errata of §2.2.1


@cache
def sine() -> Built:
    return build(np.sin, (0, 2 * math.pi), 0.1)


def test_the_sine_of_the_page():
    assert len(sine().corrections) == 7 and sine().network.units == 63
    assert sine().errors[-1] < 0.1 and sine().bound(1.0) < 0.1
    as_proof = next(each for each in steps(np.sin, (0, 2 * math.pi), as_proof=True) if each.number == 4)
    assert as_proof.network.units > 10 * sum(sine().corrections[3].network.sizes[1:4])


def test_a_combination_of_squashed_functions_is_not_squashed():  # G-E7
    assert 2 * logistic(np.array([3.0]))[0] > 1


def proof_unit(N: int, f: float, t: float | None = None) -> float:
    """σ(s + t f) of the proof of lemma 2.4, ε/(2N) at ε and 1 − ε/2 at 1 − ε; or with another t."""
    s, right = step(EPS, 1 - EPS, EPS / (2 * N), 1 - EPS / 2)
    return logistic(np.array([s + (t or right) * f]))[0]


# G-E9: the printed reason would make the unit 1 − ε or more at 0.51 ε
def test_half_epsilon_is_not_enough_in_lemma_2_4():
    assert proof_unit(2, 0.51 * EPS) < EPS / 2
    assert proof_unit(2, 1 - EPS) > 1 - EPS


def test_without_its_factor_lemma_2_5_does_not_rise():  # G-E10: where g = 1 and N = 1, with t it is above 1 − ε
    assert proof_unit(1, 1.0, t=1.0) < 1 - EPS < proof_unit(1, 1.0)


def test_an_empty_set_is_a_constant_unit():  # G-E11: of a target above 0, U⁺ of the first residual is empty from 0
    found = next(steps(lambda x: 1 + 0.5 * np.sin(x), (0, 3), start=0.0))
    assert not found.positive.any() and found.factor < 3 / 4


def test_the_constant_belongs_to_the_correction():  # G-E12: f̂ − αH, without + α/2
    assert max(each.factor for each in sine().corrections) < 3 / 4
    first = sine().corrections[0]
    residual = first.residual - first.gain * first.separator(first.grid.points)
    assert np.abs(residual).max() / first.before > 1
