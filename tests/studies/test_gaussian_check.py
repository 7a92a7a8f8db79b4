"""Pages 02 and 03 of chapter 6: what they claim, computed another way, and a sample of the stored table computed again."""

import math

import numpy as np
import pytest

from course_lib.gaussian import (
    Gaussian,
    Heads,
    affine,
    attend_particles,
    congruence,
    random_covariance,
    random_heads,
    score_spread,
)
from course_lib.results import load
from studies import gaussian_check as tool
from tests.shared.seeded import rng

TABLE = load("gaussian_check")


# --- page 02 -----------------------------------------------------------------------------------------------------------


def rule(mean: float, variance: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and masses of an 80-point Gauss–Hermite rule for N(mean, variance)."""
    nodes, mass = np.polynomial.hermite_e.hermegauss(80)
    return mean + math.sqrt(variance) * nodes, mass / mass.sum()


def test_steins_lemma_and_what_it_needs(record):  # GA.2, G-E18
    z, mass = rule(0, 1)
    f = np.sin(2 * z) * np.exp(z / 2)
    slope = (2 * np.cos(2 * z) + np.sin(2 * z) / 2) * np.exp(z / 2)
    assert mass @ (z * f) == pytest.approx(mass @ slope, abs=1e-10)
    # ∫_{−a}^{a} z f φ dz for a = 100 … 120, f = z cos z / ((1 + z²) φ): f φ → 0, but E[Z f(Z)] does not exist
    z = np.linspace(0, 120, 120_001)
    partial = (2 * np.cumsum(z**2 / (1 + z**2) * np.cos(z)) * (z[1] - z[0]))[100_000:]
    assert record("G-E18.oscillation", np.ptp(partial)) == pytest.approx(4, abs=0.01)  # cos oscillates for ever: 2 ∫ cos = 2 sin
    assert np.corrcoef(partial, np.sin(z[100_000:]))[0, 1] > 0.999


def test_the_sum_over_a_coin_is_not_gaussian(record):  # GA.2, G-E17: S = X + RX with a fair sign R; 3 for a Gaussian
    x, mass = rule(0, 1)
    fourth = record("GA.2.fourth_moment", (mass @ (2 * x) ** 4 / 2) / (mass @ (2 * x) ** 2 / 2) ** 2)
    assert fourth == pytest.approx(6)
    # nor do variances add up after a layer of two heads, as if x and the heads were independent
    g = rng(1)
    covariance = random_covariance(4, g)
    heads = random_heads(4, 8, 2, generator=g)
    parts = [C @ covariance @ M for C, M in zip(heads.scoring, heads.writing, strict=True)]
    independent = np.trace(covariance) + sum(np.trace(part.T @ covariance @ part) for part in parts)
    assert independent / np.trace(congruence(covariance, heads)) != pytest.approx(1, abs=0.05)


def returned(points: np.ndarray, mass: np.ndarray, x: float) -> float:
    """What a token at x gets from a cloud of points with masses, all matrices 1."""
    weight = np.exp(x * points) * mass
    return float(weight @ points / weight.sum())


def test_only_the_normal_cloud_gives_a_line():  # G3.2
    assert returned(*rule(0, 1), 3.0) == pytest.approx(3, rel=1e-9)
    assert returned(np.array([-1.0, 1.0]), np.ones(2), 3.0) == pytest.approx(math.tanh(3), rel=1e-12)
    uniform = np.linspace(-math.sqrt(3), math.sqrt(3), 20_001), np.ones(20_001)
    at = 3 * math.sqrt(3)  # K(t) = log(sinh(√3 t)/(√3 t)), K′ = √3 coth(√3 t) − 1/t
    assert returned(*uniform, 3.0) == pytest.approx(math.sqrt(3) / math.tanh(at) - 1 / 3, abs=1e-3)


# --- page 03: theorems -------------------------------------------------------------------------------------------------


def test_errors_of_sample_moments():  # G-E26
    g = rng(3)
    root, n = g.standard_normal((4, 4)), 12
    after = Gaussian(np.ones(4), root @ root.T)
    x = after.sample(20_000 * n, g).reshape(-1, n, 4)
    means = x.mean(1, keepdims=True)
    mean = ((means - 1) ** 2).sum((1, 2)).mean()
    covariances = (x - means).swapaxes(1, 2) @ (x - means) / n
    covariance = ((covariances - after.covariance) ** 2).sum((1, 2)).mean()
    of_mean, of_covariance = tool.predicted(after, n)
    assert math.sqrt(mean) / 2 == pytest.approx(of_mean, rel=0.02)
    assert math.sqrt(covariance / (after.covariance**2).sum()) == pytest.approx(of_covariance, rel=0.02)


def stored(part: str, name: str) -> np.ndarray:
    return np.array(TABLE["parts"][part][name])


def typical(part: str, name: str) -> float:
    return float(np.sqrt((stored(part, name) ** 2).mean()))


def test_the_published_check_is_the_law_of_sampling(record):  # G-E26
    part = "source as published"
    mean = record("G-E26.mean_error", typical(part, "mean error"))
    assert mean == pytest.approx(typical(part, "mean predicted"), rel=0.1)
    covariance = record("G-E26.covariance_error", typical(part, "covariance error"))
    assert covariance == pytest.approx(typical(part, "covariance predicted"), rel=0.02)
    for name, printed in (("mean error", 2.49e-2), ("covariance error", 5.32e-2)):
        assert stored(part, name).min() <= printed <= stored(part, name).max()


def test_softmax_at_the_published_sizes(record):  # G-E26
    part = "source as published"
    assert np.median(stored(part, "spread")) == pytest.approx(math.sqrt(300 + math.sqrt(300)), rel=0.02)
    assert 1 <= record("G-E26.effective", np.median(stored(part, "effective"))) < 1.5
    assert record("G-E26.softmax", np.median(stored(part, "attention error"))) > 0.9
    assert stored("source unit", "spread").mean() == pytest.approx(math.sqrt(2), rel=0.05)
    assert np.median(stored("source unit", "attention error")) < 0.03


def test_the_spread_at_the_start():
    g = rng(4)
    x, covariance = g.standard_normal((1, 20)), np.diag(np.linspace(0.5, 2, 20))
    squares = [score_spread(x, random_heads(20, 5, generator=g), covariance)[0, 0] ** 2 for _ in range(1500)]
    assert np.mean(squares) == pytest.approx((x**2).sum() * np.trace(covariance) / 400, rel=0.08)


def test_the_error_of_a_softmax_over_samples():  # G3.2: e^{s²} tr(Σ + uᵀu)/n for one query, 1,000 keys, spread 1
    g = rng(2)
    cloud, heads, x = Gaussian([0.3, -0.4], np.eye(2)), Heads(*[np.eye(2)[None]] * 4, scale=1.0), np.array([[0.6, 0.8]])
    A, b = affine(heads, cloud)
    errors = [attend_particles(x, heads, keys=cloud.sample(1000, g)).output - (x @ A + b) for _ in range(400)]
    assert (np.concatenate(errors) ** 2).sum(1).mean() == pytest.approx(math.e * 3 / 1000, rel=0.15)
    g, one = rng(5), Heads(*[np.ones((1, 1, 1))] * 4, scale=1.0)
    looked = attend_particles(np.array([[1.0]]), one, keys=g.standard_normal((400_000, 1)))
    assert looked.effective[0, 0] / 400_000 == pytest.approx(math.exp(-1), rel=0.02)


def test_no_softmax_gets_over_the_wall(record):  # G3.2
    assert record("G3.2.shift", stored("shift 10000", "shift")[-1]) < math.sqrt(2 * math.log(10_000)) < 6
    for n in tool.COUNTS:
        found = stored(f"shift {n}", "shift")
        assert (np.diff(found) > 0).all() and found[-1] < math.sqrt(2 * math.log(n))
        assert found[1] == pytest.approx(1, abs=0.03)
    assert stored("shift 1000000", "effective")[1] == pytest.approx(1e6 / math.e, rel=0.01)


def test_where_the_mean_over_queries_is_finite():
    """On a line: E e^{s(x)²} with s = cσ|x| is (1 − 2c²σ⁴)^{−1/2}, for cσ² < 1/√2; a rule with more points grows without end beyond."""
    nodes = {points: np.polynomial.hermite_e.hermegauss(points) for points in (40, 160)}

    def factor(largest: float, points: int) -> float:
        z, mass = nodes[points]
        return float(np.exp((largest * z) ** 2) @ mass / mass.sum())

    assert factor(0.4, 160) == pytest.approx((1 - 2 * 0.16) ** -0.5, rel=1e-6)
    assert factor(0.8, 160) > 10 * factor(0.8, 40)


def power(spread: float) -> float:
    """With which power of n the error of a whole cloud's averages falls."""
    counts = TABLE["settings"]["cloud"]["counts"]
    errors = [typical(f"cloud {spread} {n}", "error") for n in counts]
    return float(np.polyfit(np.log(counts), np.log(errors), 1)[0])


def test_the_rate_is_that_of_the_spread(record):  # G3.2
    assert record("G3.2.rate_small", power(0.5)) == pytest.approx(-0.5, abs=0.05)
    assert record("G3.2.rate_large", power(3.0)) > -0.25


# --- the stored table --------------------------------------------------------------------------------------------------


def row(part: str, i: int) -> dict[str, float]:
    return {name: values[i] for name, values in TABLE["parts"][part].items()}


def test_rows_made_again():
    assert tool.shift(3.0, 100, 2000) == pytest.approx(row("shift 100", 5), rel=2e-3)
    assert tool.cloud(2.0, 256, 3) == pytest.approx(row("cloud 2.0 256", 3), rel=2e-3)
    assert tool.source(7, True) == pytest.approx(row("source unit", 7), rel=2e-3)


def test_stored_errors_by_another_way():
    """A cloud of the table again, by weights written out, over the closed form."""
    g = rng(1)
    heads = random_heads(8, 4, generator=g)
    scale = heads.scale * 0.5 / np.linalg.norm(heads.scoring[0])
    x = Gaussian(np.zeros(8), np.eye(8)).sample(64, rng([1, 64]))
    scores = scale * (x @ heads.W_Q[0]) @ (x @ heads.W_K[0]).T
    weights = np.exp(scores) / np.exp(scores).sum(1, keepdims=True)
    A, _ = affine(Heads(heads.W_Q, heads.W_K, heads.W_V, heads.W_O, scale), Gaussian(np.zeros(8), np.eye(8)))
    error = weights @ x @ heads.W_V[0] @ heads.W_O[0] - x @ (A - np.eye(8))
    size = np.linalg.norm(heads.W_V[0] @ heads.W_O[0])
    assert math.sqrt((error**2).sum(1).mean()) / size == pytest.approx(row("cloud 0.5 64", 1)["error"], rel=2e-3)
