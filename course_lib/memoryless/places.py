"""Where one published number falls among our own, and what many such places say together.

If the published model is one more draw from the law of our S models, the number of ours below it is equally likely to
be 0, 1, …, S, whatever that law is. So places of many rows can be tested for uniformity without a model of the errors.
"""

import numpy as np
from jaxtyping import Float

from course_lib import checks


def place(published: Float[np.ndarray, " rows"], ours: Float[np.ndarray, "rows S"]) -> Float[np.ndarray, " rows"]:
    """For each row, how many of our S numbers are below the published one, 0 … S; one that equals it counts one
    half."""
    published, ours = checks.floats("published", published), checks.floats("ours", ours)
    if ours.ndim != 2 or 0 in ours.shape:
        checks.fail("ours", "an array [rows, S] with one number or more", f"shape {list(ours.shape)}")
    checks.size("published", published, -1, len(ours), "the rows of ours")
    checks.finite("published", published)
    checks.finite("ours", ours)
    return (ours < published[:, None]).sum(1) + (ours == published[:, None]).sum(1) / 2


def distance(places: Float[np.ndarray, "*k rows"], S: int) -> Float[np.ndarray, "*k"]:
    """The Kolmogorov–Smirnov distance of places 0 … S from equal chances: the largest gap of the two cumulative
    shares."""
    checks.positive_int("S", S)
    checks.within("places", np.asarray(places), 0, S)
    whole = np.floor(places)[..., None, :]  # [..., 1, rows]
    shares = (whole <= np.arange(S + 1)[:, None]).mean(-1)  # [..., S + 1]
    return abs(shares - np.arange(1, S + 2) / (S + 1)).max(-1)


def p_value(places: Float[np.ndarray, " rows"], S: int, generator: np.random.Generator, draws: int = 4000) -> float:
    """How often `draws` times as many rows of equally likely places are at least this far from uniform."""
    checks.positive_int("draws", draws)
    drawn = distance(generator.integers(0, S + 1, (draws, len(places))), S)
    return float((1 + (drawn >= distance(places, S) - 1e-12).sum()) / (1 + draws))
