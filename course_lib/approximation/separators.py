"""Lemma 2.5: a unit of the third layer that is near 0 on one closed set and near 1 on another.  [Ponti 2025, §2.2.1]

For a point a of A, lemma 2.4 gives a polygon around a that leaves all of B outside. The proof takes one for every a and
keeps finitely many, since A is compact; here they are found one by one, each around an uncovered box of A that lies far
from B, until none is left. h adds the polygons up and H squashes h.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from course_lib import checks
from course_lib.approximation.guards import STRICT, Guard, check_eps, guard
from course_lib.approximation.squash import SquashedStep, Squashing, logistic, step

SAMPLE = 512  # boxes of B that are asked how far away they are, when the next polygon's place is chosen


class TooMany(Exception):
    """The covers need more units than were allowed."""


@dataclass(frozen=True, eq=False)
class Separator:
    """H = σ(s₃ + t₃ h), h = Σ_a σ(s₂ + t₂ g_a), g_a = 1 − g̃_a; `guards` holds the g̃_a. No guards: h = 0, H < ε
    everywhere."""

    guards: tuple[Guard, ...]
    second: SquashedStep
    third: SquashedStep
    dimension: int
    sigma: Squashing

    @property
    def sizes(self) -> tuple[int, int, int]:
        """Units in the first, second and third layer."""
        return sum(len(each.b) for each in self.guards), len(self.guards), 1

    @property
    def matrices(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """(W, b) of the three layers: [d, n₁], [n₁, n₂], [n₂, 1]."""
        n1, n2, _ = self.sizes
        W1 = np.concatenate([each.W for each in self.guards] or [np.zeros((self.dimension, 0))], axis=1)
        b1 = np.concatenate([each.b for each in self.guards] or [np.zeros(0)])
        W2 = np.zeros((n1, n2))
        start = 0
        for column, each in enumerate(self.guards):
            W2[start : start + len(each.b), column] = -self.second.t
            start += len(each.b)
        return [
            (W1, b1),
            (W2, np.full(n2, self.second.s + self.second.t)),
            (np.full((n2, 1), self.third.t), np.array([self.third.s])),
        ]

    def h(self, x: Float[np.ndarray, "q d"]) -> Float[np.ndarray, " q"]:
        """Lemma 2.5 (i): < ε on B, > 1 − ε on A."""
        total = np.zeros(len(x))
        for each in self.guards:
            total += self.sigma(self.second.s + self.second.t * (1 - each(x)))
        return total

    def __call__(self, x: Float[np.ndarray, "q d"]) -> Float[np.ndarray, " q"]:
        """Lemma 2.5 (ii): H(x) [q], in [0, 1]."""
        return self.sigma(self.third.s + self.third.t * self.h(x))


def separate(
    A: Float[np.ndarray, "a d"],
    B: Float[np.ndarray, "k d"],
    eps: float = 1 / 6,
    *,
    half: Float[np.ndarray, " d"] | float = 0.0,
    room: tuple[float, float] | None = None,
    as_proof: bool = False,
    max_units: int | None = None,
    sigma: Squashing = logistic,
) -> Separator:
    """Lemma 2.5, built: H > 1 − ε on every box of A and < ε on every box of B; the boxes are given by centres and
    half-sides `half`.

    Either set may be empty: no box in A gives h = 0, none in B a polygon without sides. `room`: see `guard`; None is
    (0, 1) in dimension 1, where a half-line needs no help to cover, and (0.2, 0.6) in dimension 2. `as_proof`: the
    proof's own choice instead, in which σ rises over (ε, 1 − ε) of the way from a to b. Raises ValueError where the
    sets touch, and `TooMany` where more than `max_units` units would be needed.
    """
    A, B = (checked_points(name, each) for name, each in (("A", A), ("B", B)))
    if A.shape[1] != B.shape[1]:
        checks.fail("B", f"points in dimension {A.shape[1]}, as A", f"shape {list(B.shape)}")
    check_eps(eps)
    half = np.broadcast_to(np.asarray(half, dtype=np.float64), A.shape[1:])
    if room is None:
        room = (0.0, 1.0) if A.shape[1] == 1 else (0.2, 0.6)
    if as_proof:
        room = (eps, 1 - 2 * eps)
    depth = _depth(A, B)
    left = np.arange(len(A))
    guards: list[Guard] = []
    units = 1
    while left.size:
        place = A[left[np.argmax(np.round(depth[left], 9))]]  # of equally deep ones the first, whatever their last bits
        found = guard(place, B, eps, half=half, keep=None if as_proof else A, room=room, sigma=sigma)
        units += 1 + len(found.b)
        if max_units is not None and units > max_units:
            raise TooMany(units)
        guards.append(found)
        left = left[~found.core(A[left], half)]
    low, high = STRICT * eps, 1 - STRICT * eps
    second = step(eps, 1 - eps, low / max(len(guards), 1), high, sigma=sigma)
    return Separator(tuple(guards), second, step(eps, 1 - eps, low, high, sigma=sigma), A.shape[1], sigma)


def _depth(A: np.ndarray, B: np.ndarray) -> np.ndarray:
    """How far each point of A lies from a sample of B, squared: it only decides which polygon comes first."""
    if not len(B):
        return np.zeros(len(A))
    sample = B[:: max(1, len(B) // SAMPLE)]
    depth = np.full(len(A), np.inf)
    for b in sample:
        np.minimum(depth, ((A - b) ** 2).sum(axis=1), out=depth)
    return depth


def checked_points(name: str, value: object) -> np.ndarray:
    points = checks.floats(name, value)
    if points.ndim != 2 or points.shape[1] not in (1, 2):
        checks.fail(name, "points [number, d] with d = 1 or 2", f"shape {list(points.shape)}")
    checks.finite(name, points)
    return points
