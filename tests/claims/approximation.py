"""Chapter 5's page on the four-layer theorem: its numbers and the errata of source G, §2.2.1, computed or read from the page's table."""

import math
from functools import cache

import numpy as np

from course_lib.approximation import (
    Built,
    Correction,
    build,
    guard,
    logistic,
    separate,
    step,
    steps,
)
from course_lib.results import load

from . import claim

EPS = 1 / 6  # what the theorem's proof asks of lemma 2.5


def positive(x: np.ndarray) -> np.ndarray:
    """A target above 0, for which U⁺ of the first residual is empty when the network starts from 0."""
    return 1 + 0.5 * np.sin(x)


@cache
def sine() -> Built:
    return build(np.sin, (0, 2 * math.pi), 0.1)


@cache
def first_from_zero() -> Correction:
    return next(steps(positive, (0, 3), start=0.0))


@claim("G2.5.units")
def hidden_units_of_the_sine() -> int:
    return sine().network.units


@claim("G2.5.corrections")
def corrections_of_the_sine() -> int:
    return len(sine().corrections)


@claim("G2.5.error")
def error_of_the_sine() -> float:
    return sine().errors[-1]


@claim("G2.5.bound")
def bound_of_the_sine_everywhere() -> float:
    return sine().bound(1.0)


@claim("G2.5.as_proof")
def units_after_four_corrections_as_the_proof_chooses() -> int:
    return next(each for each in steps(np.sin, (0, 2 * math.pi), as_proof=True) if each.number == 4).network.units


@claim("G2.5.trained", rtol=0.05)
def largest_error_of_eight_trained_units() -> float:
    """The worst of the seeds, for one hidden layer of eight units on the sine."""
    return max(load("four_layers")["rows"]["sine, small"]["errors"])


@claim("G2.5.plane", rtol=0.01)
def error_of_the_bump() -> float:
    return load("four_layers")["rows"]["bump, built"]["errors"][0]


@claim("G-E7.leaves")
def two_squashed_functions_added() -> float:
    """σ(3) + σ(3): a combination of elements of 𝒩^σ that is above 1, so not squashed."""
    return float(2 * logistic(np.array([3.0]))[0])


def proof_step(N: int) -> tuple[float, float]:
    """(s, t) of the proof of lemma 2.4: ε/(2N) at ε and 1 − ε/2 at 1 − ε."""
    return step(EPS, 1 - EPS, EPS / (2 * N), 1 - EPS / 2)


@claim("G-E9.printed")
def unit_where_the_affine_map_is_just_above_half_epsilon() -> float:
    """σ(s + t f) at f = 0.51 ε with N = 2: the printed reason would make it 1 − ε or more."""
    s, t = proof_step(2)
    return float(logistic(np.array([s + t * 0.51 * EPS]))[0])


@claim("G-E9.right")
def unit_where_the_affine_map_is_above_one_minus_epsilon() -> float:
    s, t = proof_step(2)
    return float(logistic(np.array([s + t * (1 - EPS)]))[0])


@claim("G-E10.printed")
def unit_without_its_factor_where_g_is_one() -> float:
    """σ(s + g) for g = 1 and N = 1: with t it is above 1 − ε."""
    s, _ = proof_step(1)
    return float(logistic(np.array([s + 1.0]))[0])


@claim("G-E11.constant")
def unit_of_an_empty_set() -> float:
    """H where A is empty: σ of a constant, below 1/6 and not 0."""
    return float(separate(np.zeros((0, 1)), np.array([[0.5]]), EPS)(np.array([[0.2]]))[0])


@claim("G-E11.factor")
def factor_of_a_correction_with_an_empty_set() -> float:
    found = first_from_zero()
    assert not found.positive.any()
    return found.factor


@claim("G-E12.worst")
def worst_factor_on_the_sine() -> float:
    return max(each.factor for each in sine().corrections)


@claim("G-E12.no_constant")
def factor_without_the_constant() -> float:
    """The first correction of the sine as f̂ − αH, without + α/2."""
    first = sine().corrections[0]
    residual = first.residual - first.gain * first.separator(first.grid.points)
    return float(np.abs(residual).max() / first.before)


def guarded() -> tuple[float, float]:
    """Lemma 2.4 as built on a ring of 60 points around 0: the largest value in the middle, the smallest on the ring."""
    angle = np.linspace(0, 2 * math.pi, 60, endpoint=False)
    ring = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    found = guard(np.zeros(2), ring, EPS)
    return float(found(np.zeros((1, 2)))[0]), float(found(ring).min())
