"""Squashing functions, and lemma 2.3: one squashed affine function tells two numbers apart.  [Ponti 2025, §2.2.1;
Monico 2024]

A squashing function is continuous, never decreases, and goes from 0 at −∞ to 1 at +∞. Nothing else about it is used.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from course_lib import checks

Squashing = Callable[[np.ndarray], np.ndarray]

CHECKED = np.concatenate(
    [-np.logspace(12, -3, 400), np.zeros(1), np.logspace(-3, 12, 400)]
)  # where `check_squashing` looks
TAIL = 1e-6  # how near to 0 and 1 it must come at the ends of that grid


def logistic(x: np.ndarray) -> np.ndarray:
    """1/(1 + e⁻ˣ), written with tanh so that no exponential overflows."""
    return 0.5 * (1.0 + np.tanh(0.5 * checks.floats("x", x)))


def arctan(x: np.ndarray) -> np.ndarray:
    """1/2 + arctan(x)/π: the same shape with tails that die like 1/|x|, so its steps are much steeper."""
    return 0.5 + np.arctan(x) / np.pi


def clip(x: np.ndarray) -> np.ndarray:
    """x cut off at 0 and 1: squashing, though it is constant outside [0, 1]."""
    return np.clip(x, 0.0, 1.0)


def check_squashing(sigma: Squashing) -> None:
    """Raise ValueError unless `sigma` looks like a squashing function at the 801 points of `CHECKED`, |x| ≤ 10¹².

    It must give a finite number for each, never decrease, stay in [0, 1] and come within 10⁻⁶ of 0 and of 1. That is
    evidence, not a proof: a jump between two points is not seen.
    """
    if not callable(sigma):
        checks.fail("sigma", "a function of an array", repr(sigma))
    values = np.asarray(sigma(CHECKED), dtype=np.float64)
    if values.shape != CHECKED.shape:
        checks.fail("sigma", f"a function that keeps the shape {list(CHECKED.shape)}", f"shape {list(values.shape)}")
    checks.finite("sigma", values)
    checks.within("sigma", values, 0, 1)
    falls = np.flatnonzero(np.diff(values) < 0)
    if falls.size:
        checks.fail("sigma", "a function that never decreases", f"a fall just after x = {CHECKED[falls[0]]:.3g}")
    if values[0] > TAIL or values[-1] < 1 - TAIL:
        checks.fail("sigma", "0 at −∞ and 1 at +∞", f"{values[0]:.3g} at −10¹² and {values[-1]:.3g} at 10¹²")


def preimage(sigma: Squashing, level: float) -> float:
    """A y with σ(y) = `level`, 0 < level < 1, to the last digit: the intermediate value theorem, by halving."""
    checks.number("level", level)
    if not 0 < level < 1:
        checks.fail("level", "between 0 and 1", repr(level))
    low, high = -1.0, 1.0
    while sigma(np.array([low]))[0] > level:
        low *= 2
    while sigma(np.array([high]))[0] < level:
        high *= 2
    for _ in range(200):
        middle = 0.5 * (low + high)
        if not low < middle < high:
            break
        low, high = (middle, high) if sigma(np.array([middle]))[0] < level else (low, middle)
    return 0.5 * (low + high)


class SquashedStep(NamedTuple):
    """σ(s + t x): low at one number, high at the other."""

    s: float
    t: float


def step(x0: float, x1: float, low: float, high: float, *, sigma: Squashing = logistic) -> SquashedStep:
    """Lemma 2.3: (s, t) with σ(s + t x0) = `low` and σ(s + t x1) = `high`, for 0 < low < high < 1 and x0 ≠ x1.

    Two equations in two unknowns. The proof takes low = ε/2 and high = 1 − ε/2. Where x0 < x1, t > 0, so σ(s + t x) ≤
    low for every x ≤ x0 and ≥ high for every x ≥ x1. Raises ValueError for levels out of order and for x0 = x1.
    """
    for name, value in (("x0", x0), ("x1", x1), ("low", low), ("high", high)):
        checks.number(name, value)
    if not 0 < low < high < 1:
        checks.fail("low, high", "0 < low < high < 1", f"{low!r}, {high!r}")
    if x0 == x1:
        checks.fail("x0, x1", "two different numbers", f"{x0!r} twice")
    y0, y1 = preimage(sigma, low), preimage(sigma, high)
    t = (y1 - y0) / (x1 - x0)
    return SquashedStep(y0 - t * x0, t)
