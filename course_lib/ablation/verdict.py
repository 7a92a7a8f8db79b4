"""Is a difference between two variants more than the difference between two seeds? Welch's test, and Holm's correction.

The test assumes that the scores of a variant's seeds are independent and about normal, each variant with a variance of
its own.
Without such an assumption five seeds cannot settle twenty comparisons: see `smallest_p`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from course_lib import checks

LEVEL = 0.05
NODES, WEIGHTS = np.polynomial.legendre.leggauss(80)


class Compared(NamedTuple):
    """Mean of a variant minus mean of the base, its standard error, the degrees of freedom, and the p-value of two
    sides."""

    difference: float
    error: float
    df: float
    p: float


def tail(t: np.ndarray | float, df: np.ndarray | float) -> np.ndarray:
    """Pr(|T| ≥ |t|) for Student's T with df ≥ 1 degrees of freedom; t and df broadcast.

    With t = √df·tan θ the density is proportional to cos^(df-1) θ: two integrals over an interval, by Gauss–Legendre.
    """
    t, df = np.broadcast_arrays(np.abs(checks.floats("t", t)), checks.floats("df", df))
    if (df < 1).any():
        checks.fail("df", "1 or more", df.min())
    angle = np.arctan2(t, np.sqrt(df))  # [...]

    def integral(low: np.ndarray) -> np.ndarray:
        half = (np.pi / 2 - low) / 2
        theta = low[..., None] + half[..., None] * (NODES + 1)  # [..., 80]
        return half * (np.cos(theta) ** (df[..., None] - 1) @ WEIGHTS)

    return integral(angle) / integral(np.zeros_like(angle))


def welch(scores: Sequence[float], base: Sequence[float]) -> Compared:
    """Compare two samples of 2 or more scores each.  [Welch 1947]

    Two samples without any spread differ for certain (p = 0) or not at all (p = 1).
    """
    a, b = (checks.floats(*each) for each in (("scores", scores), ("base", base)))
    for name, each in (("scores", a), ("base", b)):
        if each.ndim != 1 or len(each) < 2:
            checks.fail(name, "a list of 2 or more numbers", f"shape {list(each.shape)}")
        checks.finite(name, each)
    difference = a.mean() - b.mean()
    parts = np.array([a.var(ddof=1) / len(a), b.var(ddof=1) / len(b)])
    error = np.sqrt(parts.sum())
    if error == 0:
        return Compared(float(difference), 0.0, float(len(a) + len(b) - 2), float(difference == 0))
    df = parts.sum() ** 2 / (parts**2 / [len(a) - 1, len(b) - 1]).sum()
    return Compared(float(difference), float(error), float(df), float(tail(difference / error, df)))


def _probability(name: str, p: float) -> None:
    checks.number(name, p)
    if not 0 <= p <= 1:
        checks.fail(name, "from 0 to 1", p)


def holm(p: Mapping[str, float]) -> dict[str, float]:
    """Corrected p-values: rejecting those ≤ level has, over all, a chance of at most `level` of any false rejection.
    [Holm 1979]

    ValueError where a p is no number from 0 to 1.
    """
    for name, value in p.items():
        _probability(f"p[{name!r}]", value)
    order, corrected, worst = sorted(p, key=p.__getitem__), {}, 0.0
    for rank, name in enumerate(order):
        worst = max(worst, min(1.0, (len(order) - rank) * p[name]))
        corrected[name] = worst
    return {name: corrected[name] for name in p}


def smallest_p(seeds: int) -> float:
    """The smallest p-value of two sides that an exact sign-flip test of `seeds` pairs can give: 2 of its 2^seeds
    patterns."""
    checks.positive_int("seeds", seeds)
    return 2.0 ** (1 - seeds)


def judge(difference: float, p: float, published: float | None, *, level: float = LEVEL) -> str:
    """Ours beside the published difference, both from the base; p corrected. What is not significant is "within noise".

    ValueError where p is no number from 0 to 1, as of two groups without any spread.
    """
    _probability("p", p)
    if p > level:
        return "within noise"
    if published is None:
        return "not published"
    if published == 0:
        return "published as equal"
    return "same direction" if (difference > 0) == (published > 0) else "opposite"
