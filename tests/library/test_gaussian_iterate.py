"""Iterated layers against the plain float64 loop, exact rational arithmetic and closed forms; the page on them and its
table."""

import functools
import math
import re
from fractions import Fraction

import numpy as np
import pytest

from course_lib.gaussian import (
    Gaussian,
    Heads,
    affine,
    congruence,
    first_order,
    flow,
    iterate,
    push,
    random_covariance,
    random_heads,
    reach,
)
from course_lib.results import load
from tests.shared.record import rounding
from tests.shared.refusals import named
from tests.shared.seeded import rng
from tools.repository import ROOT

RULES = {"congruence": congruence, "first_order": first_order}

LARGE, SMALL = (300, 128), (30, 1280)
BIBLIOGRAPHY = ROOT / "book" / "references.bib"


def drawn(seed, d=12, m=5, h=1):
    generator = rng(seed)
    return random_covariance(d, generator), random_heads(d, m, h, generator=generator)


def scalar(c, w):
    """One head in one dimension: score c x y, and w of what it averages is written."""
    return Heads(*(np.full((1, 1, 1), value) for value in (c, 1.0, w, 1.0)), scale=1.0)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("step", [1e-3, 0.1, 1.0, 30.0])
@pytest.mark.parametrize("heads", [1, 3])
def test_a_path_is_the_plain_loop_and_ends_where_that_ends(rule, step, heads):
    for seed in range(3):
        start, layer = drawn(seed, h=heads)
        path, plain, over = iterate(start, layer, 14, step=step, rule=rule), start, None
        for count in range(1, 15):
            with np.errstate(over="ignore", invalid="ignore"):
                plain = RULES[rule](plain, layer, step=step)
            if not np.isfinite(plain).all():
                over = count
                break
            values = np.linalg.eigvalsh(plain)
            size = abs(values).max()
            if size < 1e150:  # eigvalsh scales by itself beyond that, but not the comparison below
                np.testing.assert_allclose(path.eigenvalues(count), values[[0, -1]], atol=1e-8 * size)
            assert path.log10_size[count] == pytest.approx(math.log10(size), rel=1e-9)
        assert path.overflow == over
        assert np.isfinite(path.log10_size).all() and path.passes == 14


def log10_of(number: Fraction) -> float:
    """Also of a number far beyond float64, from the 1000 leading bits of its numerator and denominator."""
    cut = [max(0, part.bit_length() - 1000) for part in (number.numerator, number.denominator)]
    return (
        math.log10(abs(number.numerator) >> cut[0])
        - math.log10(number.denominator >> cut[1])
        + (cut[0] - cut[1]) * math.log10(2)
    )


def unscaled(path) -> np.ndarray:
    """The covariance at the end of a path, which keeps its size apart."""
    return path.covariance * 10 ** path.log10_size[-1]


def far(path, goal: np.ndarray) -> float:
    """Relative distance of the path's end from a covariance."""
    return np.linalg.norm(unscaled(path) - goal) / np.linalg.norm(goal)


@pytest.mark.parametrize("rule", RULES)
def test_beyond_float64_the_size_is_that_of_exact_arithmetic(rule):
    path, exact = iterate(np.array([[9.0]]), scalar(0.5, -2.0), 10, step=0.5, rule=rule), Fraction(9)
    for count in range(1, 11):
        grown = 1 - exact / 2
        exact = exact * grown**2 if rule == "congruence" else exact * (2 * grown - 1)
        assert path.log10_size[count] == pytest.approx(log10_of(exact), rel=1e-12, abs=1e-12)
        assert (path.largest[count] > 0) == (exact > 0)
    assert path.log10_size[-1] > 500


@pytest.mark.parametrize("factor", [0.25, 0.375, 0.5 - 2**-54, 0.5, 0.75, 1.0 - 2**-53, 1.0])
def test_the_overflow_is_told_at_the_last_number_that_float64_holds(factor):
    path = iterate(np.array([[2.0**512]]), scalar(1.0, 1.0), 1, step=factor, rule="first_order")  # Σ ↦ Σ + 2εΣ²
    exact = Fraction(2) ** 512 + 2 * Fraction(factor) * Fraction(2) ** 1024
    assert path.overflow == (None if exact < 2**1024 else 1)
    assert path.log10_size[1] == pytest.approx(log10_of(exact), rel=1e-14)


def test_far_out_a_layer_is_purely_cubic():
    start, layer = drawn(0)
    a, b = (iterate(factor * start, layer, 30) for factor in (1e30, 3e30))
    assert a.overflow == b.overflow and a.log10_size[-1] > 1e12
    assert (b.log10_size - a.log10_size) / 3.0 ** np.arange(31) == pytest.approx(math.log10(3), rel=1e-6)


def test_a_path_ends_where_the_logarithm_of_the_size_ends():
    path = iterate(np.eye(1), scalar(1.0, 1.0), 1000)
    assert 600 < path.passes < 700 and np.isfinite(path.log10_size).all() and path.log10_size[-1] > 1e290


def test_a_cloud_may_vanish():
    path = iterate(Gaussian(np.ones(1), np.eye(1)), scalar(1.0, -1.0), 3)
    assert (path.log10_size[1:] == -math.inf).all() and path.overflow is None and path.indefinite is None
    assert path.eigenvalues(1) == (0, 0) and not np.isnan(path.log10_mean).any() and path.covariance[0, 0] == 0


def test_the_pass_at_which_positivity_is_lost():
    path = iterate(np.eye(1), scalar(1.0, -1.0), 4, step=0.4, rule="first_order")  # 1 ↦ 1 − 0.8 ↦ 0.2 − 0.8 · 0.04 …
    assert path.indefinite is None
    path = iterate(np.array([[2.0]]), scalar(1.0, -1.0), 4, step=0.4, rule="first_order")  # 2 ↦ 2 − 0.8 · 4
    assert path.indefinite == 1 and path.eigenvalues(1)[0] == pytest.approx(-1.2)


@functools.cache
def cloud() -> tuple[Heads, np.ndarray]:
    generator = rng()
    heads = random_heads(3, 2, generator=generator)
    return heads, generator.standard_normal((1000, 3)) + np.array([1.0, 2.0, 0.0])


def test_the_mean_goes_with_the_cloud():
    start, layer = drawn(1, h=2)
    cloud = Gaussian(np.linspace(-1, 2, 12), start)
    path = iterate(cloud, layer, 12, step=0.1)
    for count in range(1, 4):
        cloud = push(cloud, layer, step=0.1)
        assert path.log10_mean[count] == pytest.approx(math.log10(np.linalg.norm(cloud.mean)), rel=1e-12)
    short = iterate(Gaussian(np.linspace(-1, 2, 12), start), layer, 3, step=0.1)
    np.testing.assert_allclose(short.mean, cloud.mean / np.linalg.norm(cloud.mean), atol=1e-12)
    np.testing.assert_allclose(short.covariance, cloud.covariance / np.linalg.norm(cloud.covariance, 2), atol=1e-12)
    assert np.isfinite(path.log10_mean).all() and iterate(start, layer, 1).mean is None
    assert (iterate(Gaussian(np.zeros(12), start), layer, 2).log10_mean == -math.inf).all()


def test_one_plus_the_reach_is_at_most_cubed():
    for seed in range(10):
        start, layer = drawn(seed, h=2)
        path = iterate(start, layer, 8)
        bound = np.log10(1 + reach(layer) * 10 ** path.log10_size[0]) * 3.0 ** np.arange(9)
        assert (path.log10_size + math.log10(reach(layer)) <= bound).all()


def test_the_flow_in_one_dimension_is_the_closed_form():
    times = np.array([0.0, 0.1, 0.2, 0.2, 0.24])
    for w in (1.0, -1.0):
        sizes = flow(np.array([[2.0]]), scalar(1.0, w), times)[:, 0, 0]  # σ²' = 2wσ⁴: blow-up at 1/2wσ² = 0.25
        np.testing.assert_allclose(sizes, 2 / (1 - 4 * w * times), rtol=1e-5)
    (late,) = flow(np.array([[2.0]]), scalar(1.0, 1.0), [0.25 * (1 - 1e-3)])
    assert late.item() == pytest.approx(2000, rel=2e-3)


def test_many_small_layers_are_the_flow_and_the_error_is_of_first_order():
    start, layer = drawn(2)
    (goal,) = flow(start, layer, [0.2])
    assert np.linalg.eigvalsh(goal)[0] > 0
    for rule in RULES:
        errors = [far(iterate(start, layer, passes, step=0.2 / passes, rule=rule), goal) for passes in (100, 200, 400)]
        assert errors[0] < 0.02 and 1.8 < errors[0] / errors[1] < 2.2 and 1.8 < errors[1] / errors[2] < 2.2


ONE = scalar(1.0, 1.0)
test_what_is_refused_is_named = named(
    (lambda: flow(np.eye(1), ONE, [0.1, 0.0]), "times must be an array"),
    (lambda: flow(np.eye(1), ONE, [1.0]), r"times must be numbers up to 0\.5, where the size has grown"),
    (lambda: iterate(np.eye(1), ONE, 9).eigenvalues(), "passes must be a pass whose eigenvalues fit"),
)


# ---- the page
def rows(kind: str, *sizes: tuple[int, int]) -> list[dict]:
    return [row for row in load("gaussian_iteration")["rows"] if row["kind"] == kind and (row["d"], row["m"]) in sizes]


def test_float64_ends_with_the_seventh_pass(record):
    large = rows("growth", LARGE)
    (only,) = {row["overflow"] for row in large}
    assert record("G-E30.pass", only) == 7 and len(large) == 20
    plain, layer = drawn(0, *LARGE)
    assert iterate(plain, layer, 10, rule="first_order").overflow == 10
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(6):
            plain = congruence(plain, layer)
        assert np.isfinite(plain).all() and not np.isfinite(congruence(plain, layer)).all()


def test_thirty_orders_is_the_luck_of_a_draw(record):
    large, small = (np.array([row["log10 size"][5] for row in rows("growth", size)]) for size in (LARGE, SMALL))
    less = np.median(large) - small
    assert record("G-E29.orders", np.median(less)) == pytest.approx(11.8, abs=0.1)
    assert int((less >= 30).sum()) == 9 and int((less < 0).sum()) == 35
    assert record("G3.3.gpt3", 12288 // 128) == 96


def loop(x: np.ndarray, passes: int, renewed: bool, step: float = 0.1) -> np.ndarray:
    """Source G's loop over samples; `renewed`: with the mean of each pass, not of the start."""
    heads, mean = cloud()[0], x.mean(0)
    for _ in range(passes):
        mean = x.mean(0) if renewed else mean
        A, _ = affine(heads, Gaussian(mean, np.cov(x.T, bias=True)), step=step)
        x = x @ A + step * mean @ heads.writing[0]
    return x


def error_of_the_mean(passes: int, renewed: bool) -> float:
    heads, x = cloud()
    truth = iterate(Gaussian(x.mean(0), np.cov(x.T, bias=True)), heads, passes, step=0.1)
    mean = truth.mean * 10 ** truth.log10_mean[-1]
    return rounding(np.linalg.norm(loop(x, passes, renewed).mean(0) - mean) / np.linalg.norm(mean), 1e-9)


def test_a_mean_that_is_not_renewed_is_wrong_and_harmless():
    assert error_of_the_mean(1, False) == error_of_the_mean(10, True) == 0
    assert error_of_the_mean(2, False) > 0.001
    assert error_of_the_mean(10, False) == pytest.approx(0.208, abs=1e-3)
    kept, renewed = (np.cov(loop(cloud()[1], 10, each).T) for each in (False, True))
    np.testing.assert_allclose(kept, renewed, rtol=0, atol=1e-9)


def test_the_stopping_rule_grows_with_the_samples():
    x = cloud()[1]  # the norm of the first change
    few, many = (np.linalg.norm(x[:n] - loop(x[:n], 1, True), 2) for n in (10, 1000))
    assert 8 < many / few < 12  # √100 = 10


def test_minus_a_hundred_thousand_is_not_reached(record):
    after_25 = record("G-E31.after_25", min(row["after 25"][0] for row in rows("negative", LARGE, SMALL)))
    assert after_25 == pytest.approx(-0.308, abs=1e-3)
    assert record("G-E31.step", np.median([row["step needed"] for row in rows("negative", LARGE)])) > 0.02
    assert record("G-E31.pass", np.median([row["first below"] for row in rows("negative", LARGE)])) > 50


def flat_share(step: float) -> float:
    """Smallest eigenvalue over the size after one first-order step on a cloud without extent in one direction, over
    ε²."""
    start, heads = drawn(0)
    values, vectors = np.linalg.eigh(start)
    values[0] = 0
    after = np.linalg.eigvalsh(first_order((vectors * values) @ vectors.T, heads, step=step))
    return float(after[0] / after[-1] / step**2)


def test_negative_at_once_or_never():
    assert sum(row["first negative"] == 1 for row in rows("negative", LARGE)) == 10
    by_the_congruence = sum(row["congruence negative"] is not None for row in rows("negative", LARGE, SMALL))
    assert by_the_congruence == 0
    assert flat_share(1e-3) == pytest.approx(-0.639, abs=0.01)
    assert flat_share(1e-4) == pytest.approx(flat_share(1e-3), rel=0.01)  # below 0 for every step, like ε²


def test_the_law_was_there_from_the_start():
    wide = [row for row in load("gaussian_iteration")["rows"] if row["kind"] == "wide"]
    assert 100 * max(row["change"] for row in wide) < 4
    assert max(row["to the start"] for row in wide) < 0.01


def test_papers_that_the_thesis_quotes(record):  # G-E45: its reference [2] ends with Kaiser
    entry = re.search(
        r"@inproceedings\{vaswani2017.*?author = \{(.*?)\}, title", BIBLIOGRAPHY.read_text(encoding="utf-8"), re.S
    )
    authors = entry[1].split(" and ")
    assert authors[-2:] == ["Kaiser, {\\L}ukasz", "Polosukhin, Illia"] and record("G-E45.authors", len(authors)) == 8
