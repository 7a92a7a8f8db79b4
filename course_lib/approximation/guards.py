"""Lemma 2.4: a sum of squashed half-spaces that is small at a point and near 1 or more on a closed set.  [Ponti 2025,
§2.2.1]

The closed set B is a finite union of equal boxes, given by their centres: that is what a grid knows of it. The proof
takes for every point b of B the half-space U_b around b and says that finitely many of them cover B, since B is
compact. Here the finite cover is found: take the uncovered box nearest to the point, its half-space, strike out every
box inside it, and go on. Each round strikes out at least one of finitely many boxes.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from course_lib import checks
from course_lib.approximation.squash import Squashing, logistic, preimage

STRICT = 0.99  # levels are aimed at 0.99 ε, so that "< ε" survives rounding


@dataclass(frozen=True, eq=False)
class Guard:
    """g̃(x) = Σ_j σ(x·w_j + b_j), one column of W a half-space.

    `around` [d] is the point x₀; `at` [N, d] the points b_j of the finite cover; `near`, `far` [N] the levels of
    f_j(x) = ⟨x − x₀, b_j − x₀⟩/|b_j − x₀|² (0 at x₀, 1 at b_j): σ is ≤ ε/N where f_j ≤ near_j, ≥ 1 − ε where f_j ≥
    far_j. The core of the guard is the polygon where f_j ≤ near_j for all j; there g̃ < ε.
    """

    around: Float[np.ndarray, " d"]
    at: Float[np.ndarray, "N d"]
    near: Float[np.ndarray, " N"]
    far: Float[np.ndarray, " N"]
    W: Float[np.ndarray, "d N"]
    b: Float[np.ndarray, " N"]
    sigma: Squashing

    @property
    def slopes(self) -> Float[np.ndarray, "d N"]:
        """The gradients of the f_j, as columns."""
        return _slopes(self.around, self.at)

    def __call__(self, x: Float[np.ndarray, "q d"]) -> Float[np.ndarray, " q"]:
        return self.sigma(x @ self.W + self.b).sum(axis=1)

    def core(self, x: Float[np.ndarray, "q d"], half: Float[np.ndarray, " d"] | float = 0.0) -> np.ndarray:
        """True where the box of half-sides `half` around x lies in the core [q]."""
        U = self.slopes
        reach = (np.abs(U) * np.broadcast_to(half, self.around.shape)[:, None]).sum(axis=0)
        return ((x - self.around) @ U + reach <= self.near + 1e-12).all(axis=1)


def _slopes(around: np.ndarray, at: np.ndarray) -> np.ndarray:
    away = at - around
    return (away / (away**2).sum(axis=1, keepdims=True)).T


def guard(
    point: Float[np.ndarray, " d"],
    closed: Float[np.ndarray, "k d"],
    eps: float,
    *,
    half: Float[np.ndarray, " d"] | float = 0.0,
    keep: Float[np.ndarray, "a d"] | None = None,
    room: tuple[float, float] = (0.2, 0.6),
    sigma: Squashing = logistic,
) -> Guard:
    """Lemma 2.4, built: g̃ > 1 − ε on every box of `closed`, < ε on a polygon around `point`.

    `half`: half-sides of the boxes. `keep`: centres of boxes that should, as far as the polygon can, lie inside it (the
    set A of lemma 2.5; None: the point alone). `room` = (β, ρ), β + ρ ≤ 1: of the free distance between b_j and the
    nearest box of `keep`, the half-space reaches over a share β, and σ rises on the next share ρ. The proof has ε for β
    and 1 − 2ε for ρ, with the distance to the point: gentler, but the polygon is then so small that lemma 2.5 needs
    many more of them. Raises ValueError where a box of `closed` meets the box of the point.
    """
    around, boxes = checks.floats("point", point), checks.floats("closed", closed)
    half = np.broadcast_to(np.asarray(half, dtype=np.float64), around.shape)
    others = around[None] if keep is None else keep
    check_eps(eps)
    beta, rho = room
    if not (beta >= 0 and rho > 0 and beta + rho <= 1 + 1e-12):
        checks.fail("room", "(β ≥ 0, ρ > 0) with β + ρ ≤ 1", repr(room))
    radius = float(np.sqrt((half**2).sum()))
    distance = np.sqrt(((boxes - around) ** 2).sum(axis=1))
    left = np.argsort(np.round(distance, 9), kind="stable")  # on a grid many are equally far, but for their last bits
    at, near, far = [], [], []
    while left.size:
        b = boxes[left[0]]
        away = b - around
        size = float(distance[left[0]])
        free = float(np.sqrt(((others - b) ** 2).sum(axis=1)).min()) - 2 * radius
        if size == 0 or min(free, size - 2 * radius) <= 0:
            checks.fail(
                "closed",
                "boxes that meet neither the point's box nor a box to keep",
                f"one at {np.round(b, 6).tolist()} that does",
            )
        slope = away / size**2
        reach = float((np.abs(slope) * half).sum())
        top = 1 - reach - beta * free / size
        at.append(b)
        far.append(top)
        near.append(top - rho * free / size)
        left = left[(boxes[left] - around) @ slope - reach < top - 1e-12]
    N = len(at)
    at, near, far = np.array(at).reshape(N, around.size), np.array(near), np.array(far)
    W, b = np.zeros((around.size, N)), np.zeros(N)
    if N:
        y0, y1 = preimage(sigma, STRICT * eps / N), preimage(sigma, 1 - STRICT * eps)
        t = (y1 - y0) / (far - near)
        W = _slopes(around, at) * t
        b = y0 - t * near - around @ W
    return Guard(around, at, near, far, W, b, sigma)


def check_eps(eps: float) -> None:
    checks.number("eps", eps, positive=True)
    if eps >= 1 / 3:
        checks.fail("eps", "below 1/3, as the proof assumes", repr(eps))
