"""Densities as measures: the nodes and weights of a product rule stand for the integral, on the line and in the
plane."""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float

from course_lib import checks
from course_lib.heads import read_only
from course_lib.incontext.measures import Measure

MOST = 2  # a product rule of 40 nodes an axis has 1,600 in the plane and 64,000 in space


def on_box(
    density: Callable[[np.ndarray], np.ndarray] | None,
    low: Float[np.ndarray, " d"],
    high: Float[np.ndarray, " d"],
    *,
    nodes: int = 40,
) -> Measure:
    """The probability measure with a density on the box from `low` to `high`, d ≤ 2, by a Gauss–Legendre rule in each
    axis.

    density: from points [n, d] to values [n] ≥ 0, in any unit (they are divided by their integral); None for the
    uniform one. Exact for polynomials up to degree 2·nodes − 1, so the density should be smooth. Raises ValueError for
    a box without extent, d > 2, and values that are negative, not finite or all 0.
    """
    low, high = (read_only(name, value, 1, "[d]") for name, value in (("low", low), ("high", high)))
    checks.size("high", high, 0, len(low), "the length d of low")
    if not (low < high).all():
        checks.fail("high", f"above low, {low.tolist()}, in every entry", high.tolist())
    atoms, mass = _product(*np.polynomial.legendre.leggauss(_count(nodes)), _width(len(low)))
    atoms = low + (high - low) * (atoms + 1) / 2
    if density is not None:
        values = np.asarray(density(atoms), dtype=np.float64)
        if values.shape != mass.shape:
            checks.fail(
                "density",
                f"a function from [{len(atoms)}, {len(low)}] to [{len(atoms)}]",
                f"values of shape {list(values.shape)}",
            )
        checks.within("the values of density", values, 0, np.finfo(np.float64).max)
        mass = mass * values
    if not mass.sum() > 0:
        checks.fail("density", "above 0 at some node", "0 at all of them")
    return Measure(atoms, mass / mass.sum())


def gaussian(mean: Float[np.ndarray, " d"], covariance: Float[np.ndarray, "d d"], *, nodes: int = 40) -> Measure:
    """The normal distribution in dimension d ≤ 2 by a Gauss–Hermite rule in each axis, exact for polynomials to degree
    2·nodes − 1.

    Raises ValueError for a covariance that is not symmetric and positive definite, and for d > 2.
    """
    mean, covariance = read_only("mean", mean, 1, "[d]"), read_only("covariance", covariance, 2, "[d, d]")
    d = _width(len(mean))
    if covariance.shape != (d, d):
        checks.fail("covariance", f"of shape {[d, d]}, as mean says", f"shape {list(covariance.shape)}")
    try:
        root = np.linalg.cholesky(covariance)
    except np.linalg.LinAlgError:
        root = None
    if root is None or not np.allclose(covariance, covariance.T, rtol=1e-12):
        checks.fail("covariance", "symmetric and positive definite", covariance.tolist())
    atoms, mass = _product(*np.polynomial.hermite_e.hermegauss(_count(nodes)), d)
    return Measure(mean + atoms @ root.T, mass / mass.sum())


def blurred(measure: Measure, spread: float, *, nodes: int = 8) -> Measure:
    """Every atom spread out to a normal distribution of standard deviation `spread` > 0 in each axis (d ≤ 2): n ·
    nodes^d atoms."""
    checks.number("spread", spread, positive=True)
    atoms, mass = _product(*np.polynomial.hermite_e.hermegauss(_count(nodes)), _width(measure.d))
    spots = measure.atoms[:, None] + spread * atoms  # [n, nodes^d, d]
    return Measure(spots.reshape(-1, measure.d), np.outer(measure.weights, mass / mass.sum()).ravel())


def _product(nodes: np.ndarray, mass: np.ndarray, d: int) -> tuple[np.ndarray, np.ndarray]:
    """The rule of one axis taken in d axes: points [k^d, d] and their masses [k^d]."""
    points = np.stack(np.meshgrid(*[nodes] * d, indexing="ij"), -1).reshape(-1, d)
    masses = np.prod(np.stack(np.meshgrid(*[mass] * d, indexing="ij"), -1).reshape(-1, d), -1)
    return points, masses


def _count(nodes: int) -> int:
    checks.positive_int("nodes", nodes)
    return nodes


def _width(d: int) -> int:
    if d > MOST:
        checks.fail("d", f"1 or {MOST}, for a product rule in each axis", d)
    return d
