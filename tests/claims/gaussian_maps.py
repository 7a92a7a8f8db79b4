"""Chapter 6: a Gaussian cloud through attention in closed form, and the check of it by true softmax."""

import math

import numpy as np

from course_lib.gaussian import (
    Gaussian,
    Heads,
    affine,
    attend_particles,
    congruence,
    first_order,
    layer_matrix,
    push,
    random_covariance,
    random_heads,
)
from course_lib.results import load

from . import claim, rounding

ONE = [[[1.0]]]


def rule(mean: float, variance: float) -> tuple[np.ndarray, np.ndarray]:
    """Nodes and masses of an 80-point Gauss–Hermite rule for N(mean, variance)."""
    nodes, mass = np.polynomial.hermite_e.hermegauss(80)
    return mean + math.sqrt(variance) * nodes, mass / mass.sum()


# --- page 02: the tools ------------------------------------------------------------------------------------------------


@claim("GA.2.mgf")
def moment_generating_function() -> float:
    """E e^{tY} for Y ~ N(1, 2) and t = 1, over e^{tμ + t²σ²/2}."""
    y, mass = rule(1, 2)
    return float(mass @ np.exp(y) / math.exp(2))


@claim("GA.2.stein")
def both_sides_of_steins_lemma() -> float:
    """E[Z f(Z)] − E[f′(Z)] for f = sin(2z) e^{z/2}."""
    z, mass = rule(0, 1)
    f = np.sin(2 * z) * np.exp(z / 2)
    slope = (2 * np.cos(2 * z) + np.sin(2 * z) / 2) * np.exp(z / 2)
    return rounding(float(mass @ (z * f) - mass @ slope), 1e-10)


@claim("GA.2.fourth_moment")
def fourth_moment_of_a_coin_sum() -> float:
    """E S⁴ / (E S²)² of S = X + RX with a fair sign R: 3 for a Gaussian, E(2X)⁴/2 / 2² = 6 for this one."""
    x, mass = rule(0, 1)
    return float((mass @ (2 * x) ** 4 / 2) / (mass @ (2 * x) ** 2 / 2) ** 2)


def partial_integrals() -> np.ndarray:
    """∫_{−a}^{a} z f φ dz for a = 100 … 120, f = z cos z / ((1 + z²) φ): f φ → 0, but E[Z f(Z)] does not exist."""
    z = np.linspace(0, 120, 120_001)
    return (2 * np.cumsum(z**2 / (1 + z**2) * np.cos(z)) * (z[1] - z[0]))[100_000:]


@claim("G-E18.oscillation")
def oscillation_of_the_partial_integrals() -> float:
    return float(np.ptp(partial_integrals()))


# --- page 02: the map --------------------------------------------------------------------------------------------------


@claim("G3.2.line_mean")
def mean_after_the_layer_on_a_line() -> float:
    return push(Gaussian([0.7], [[0.5]]), Heads(ONE, ONE, ONE, ONE)).mean[0].item()


@claim("G3.2.line_variance")
def variance_after_the_layer_on_a_line() -> float:
    return push(Gaussian([0.7], [[0.5]]), Heads(ONE, ONE, ONE, ONE)).covariance[0, 0].item()


def returned(points: np.ndarray, mass: np.ndarray, x: float) -> float:
    """What a token at x gets from a cloud of points with masses, all matrices 1."""
    weight = np.exp(x * points) * mass
    return float(weight @ points / weight.sum())


@claim("G3.2.normal")
def average_at_three_from_a_normal_cloud() -> float:
    return returned(*rule(0, 1), 3.0)


@claim("G3.2.two_points")
def average_at_three_from_two_points() -> float:
    return returned(np.array([-1.0, 1.0]), np.ones(2), 3.0)


def drawn(seed: int = 0, d: int = 12) -> tuple[Heads, np.ndarray]:
    g = np.random.default_rng(seed)
    covariance = random_covariance(d, g)
    return random_heads(d, 8, 2, generator=g), covariance


@claim("G-E24.exact")
def remainder_less_its_closed_form() -> float:
    """Largest entry of congruence − first order − ε²BᵀΣB over the largest of the last, at ε = 0.3."""
    heads, covariance = drawn()
    B = layer_matrix(heads, covariance)
    square = 0.3**2 * B.T @ covariance @ B
    difference = congruence(covariance, heads, step=0.3) - first_order(covariance, heads, step=0.3)
    return rounding(float(abs(difference - square).max() / abs(square).max()), 1e-10)


@claim("G-E17.heads")
def variance_if_the_heads_were_independent() -> float:
    """Total variance after a layer of two heads, adding variances as if x and the heads were independent, over the true one."""
    heads, covariance = drawn(1, 4)
    parts = [C @ covariance @ M for C, M in zip(heads.scoring, heads.writing, strict=True)]
    independent = np.trace(covariance) + sum(np.trace(part.T @ covariance @ part) for part in parts)
    return float(independent / np.trace(congruence(covariance, heads)))


# --- page 03: the check ------------------------------------------------------------------------------------------------


def stored(part: str, name: str) -> np.ndarray:
    return np.array(load("gaussian_check")["parts"][part][name])


def typical(values: np.ndarray) -> float:
    return float(np.sqrt((values**2).mean()))


@claim("G-E26.mean_error")
def error_of_the_mean_in_the_published_check() -> float:
    return typical(stored("source as published", "mean error"))


@claim("G-E26.mean_predicted")
def its_prediction_by_the_law_of_sampling() -> float:
    return typical(stored("source as published", "mean predicted"))


@claim("G-E26.covariance_error")
def error_of_the_covariance_in_the_published_check() -> float:
    return typical(stored("source as published", "covariance error"))


@claim("G-E26.covariance_predicted")
def prediction_for_the_covariance() -> float:
    return typical(stored("source as published", "covariance predicted"))


@claim("G-E26.spread")
def spread_of_the_scores_at_the_published_sizes() -> float:
    return float(np.median(stored("source as published", "spread")))


@claim("G-E26.effective")
def effective_keys_at_the_published_sizes() -> float:
    return float(np.median(stored("source as published", "effective")))


@claim("G-E26.softmax")
def error_against_softmax_at_the_published_sizes() -> float:
    return float(np.median(stored("source as published", "attention error")))


@claim("G-E26.softmax_unit")
def error_against_softmax_with_unit_variance() -> float:
    return float(np.median(stored("source unit", "attention error")))


@claim("G3.2.sample_error", rtol=0.05)
def squared_error_over_the_theorem() -> float:
    """One query, 1,000 keys, spread 1, 400 samples: mean squared error over e^{s²} tr(Σ + uᵀu)/n."""
    g = np.random.default_rng(2)
    cloud, heads, x = Gaussian([0.3, -0.4], np.eye(2)), Heads(*[np.eye(2)[None]] * 4, scale=1.0), np.array([[0.6, 0.8]])
    A, b = affine(heads, cloud)
    errors = [attend_particles(x, heads, keys=cloud.sample(1000, g)).output - (x @ A + b) for _ in range(400)]
    return float((np.concatenate(errors) ** 2).sum(1).mean() / (math.e * 3 / 1000))


@claim("G3.2.shift")
def shift_found_at_spread_six_among_ten_thousand() -> float:
    return float(stored("shift 10000", "shift")[-1])


def power(spread: float) -> float:
    """With which power of n the error of a whole cloud's averages falls."""
    counts = load("gaussian_check")["settings"]["cloud"]["counts"]
    errors = [typical(stored(f"cloud {spread} {n}", "error")) for n in counts]
    return float(np.polyfit(np.log(counts), np.log(errors), 1)[0])


@claim("G3.2.rate_small")
def power_at_a_small_spread() -> float:
    return power(0.5)


@claim("G3.2.rate_large")
def power_at_a_large_spread() -> float:
    return power(3.0)
