"""A worked example recomputed from its own printed numbers, and how far from them rounding alone may put each result.

A number printed to four decimals is known to ±0.00005. Here it is a `Ball`, and every operation gives a ball that holds
the result for whatever the unprinted digits are. So "agrees" can fail: two balls that do not meet cannot come from the
same digits. Names are the source's, as in `course_lib.published.example()`: its A is our O = A V, its A_O our Y, its Y
our X + Y.
"""

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib import checks

ROUNDS = 50  # of Gauss and Newton's steps; the printed Z needs ten


class Ball(NamedTuple):
    """Numbers, and how far each may be from the true one; two arrays of one shape."""

    value: np.ndarray
    radius: np.ndarray

    @property
    def T(self) -> "Ball":
        return Ball(self.value.T, self.radius.T)

    def __add__(self, other: "Ball") -> "Ball":
        return Ball(self.value + other.value, self.radius + other.radius)

    def __matmul__(self, other: "Ball") -> "Ball":
        a, b = np.abs(self.value), np.abs(other.value)
        return Ball(self.value @ other.value, a @ other.radius + self.radius @ b + self.radius @ other.radius)

    def over(self, number: float) -> "Ball":
        return Ball(self.value / number, self.radius / abs(number))


def printed(numbers: np.ndarray | float, decimals: int = 4) -> Ball:
    """What a number says that was rounded to `decimals` decimals."""
    value = checks.floats("numbers", numbers)
    checks.finite("numbers", value)
    return Ball(value, np.full_like(value, 0.5 * 10.0**-decimals))


def ball_softmax(scores: Ball, axis: int = -1) -> Ball:
    """A weight is e^s/Σe^s: scores off by ε or less move its top by a factor e^±ε and its bottom too, so itself by
    e^±2ε."""
    weights = np.exp(scores.value - scores.value.max(axis, keepdims=True))
    weights /= weights.sum(axis, keepdims=True)
    return Ball(weights, weights * np.expm1(2 * scores.radius.max(axis, keepdims=True)))


class Step(NamedTuple):
    """One result: recomputed from what is printed before it, and as it is printed itself."""

    made: Ball
    printed: Ball

    @property
    def deviation(self) -> float:
        return float(np.abs(self.made.value - self.printed.value).max())

    @property
    def bound(self) -> float:
        """The most that rounding allows, in the entry where it allows most."""
        return float((self.made.radius + self.printed.radius).max())

    @property
    def share(self) -> float:
        """The largest deviation as a share of what rounding allows in that entry."""
        return float((np.abs(self.made.value - self.printed.value) / (self.made.radius + self.printed.radius)).max())

    @property
    def agrees(self) -> bool:
        return self.share <= 1 + 1e-9  # the balls' own edges carry float noise


def steps(example: Mapping[str, np.ndarray]) -> dict[str, Step]:
    """Every printed result of the worked example by the source's name, from the printed numbers it is made of."""
    known = {
        name: printed(example[name])
        for name in (
            "E",
            "P",
            "X",
            "Q",
            "K",
            "V",
            "A",
            "W_O",
            "w_o",
            "A_O",
            "Y",
            "Z",
            "z_8",
            "W_3",
            "w_3",
            "logit",
            "q",
        )
    }
    p, rows = np.asarray(example["p"]), np.asarray(example["x"]) - 1  # p is exact: quarters and eighths
    gaps = Ball(np.abs(p - known["q"].value), known["q"].radius)
    looked_up = Ball(known["E"].value[rows], known["E"].radius[rows])
    return {
        "X": Step(looked_up + known["P"], known["X"]),
        "A": Step(ball_attention(known["Q"], known["K"], known["V"]), known["A"]),
        "A_O": Step(known["A"] @ known["W_O"] + known["w_o"], known["A_O"]),
        "Y": Step(known["X"] + known["A_O"], known["Y"]),
        "z_8": Step(Ball(known["Z"].value[-1], known["Z"].radius[-1]), known["z_8"]),
        "logit": Step(known["z_8"] @ known["W_3"] + known["w_3"], known["logit"]),
        "q": Step(ball_softmax(known["logit"]), known["q"]),
        "e": Step(gaps, printed(example["e_printed"])),
        "H(p)": Step(Ball(np.array(-(p * np.log(p)).sum()), np.array(0.0)), printed(example["ML_theory"], 3)),
    }


def ball_attention(
    Q: Ball,
    K: Ball,
    V: Ball,
    *,
    keys_first: bool = False,
    columns: bool = False,
    transposed: bool = False,
    scaled: bool = True,
) -> Ball:
    """softmax(Q Kᵀ/√m) V, and the other ways to read it: K Qᵀ; softmax on columns; the weights transposed; no √m."""
    scores = K @ Q.T if keys_first else Q @ K.T
    weights = ball_softmax(scores.over(math.sqrt(Q.value.shape[-1]) if scaled else 1.0), 0 if columns else 1)
    return (weights.T if transposed else weights) @ V


def readings(example: Mapping[str, np.ndarray]) -> dict[tuple[bool, bool, bool, bool], Step]:
    """All sixteen by (keys_first, columns, transposed, scaled), each against the printed A."""
    Q, K, V, A = (printed(example[name]) for name in "QKVA")
    choices = [(k, c, t, s) for k in (False, True) for c in (False, True) for t in (False, True) for s in (True, False)]
    return {
        (k, c, t, s): Step(ball_attention(Q, K, V, keys_first=k, columns=c, transposed=t, scaled=s), A)
        for k, c, t, s in choices
    }


class Recovered(NamedTuple):
    """An affine map x ↦ x W + w found from its printed inputs and outputs.

    The radii hold for whatever the unprinted digits are; `noise` [d + 1, m] is the standard deviation that independent
    roundings give each entry of W and (last row) w. `residual` is what the outputs keep that no affine map explains.
    """

    W: Ball
    w: Ball
    noise: np.ndarray
    residual: Step


def recover(X: Float[np.ndarray, "n d"], Y: Float[np.ndarray, "n m"]) -> Recovered:
    """Least squares of Y on X and a column of ones; ValueError where the rows of X leave the map open.

    With D = [X 1] the estimate is D⁺Y. It misses the truth by D⁺(δY − δX W), and |δX|, |δY| are at most half a printed
    digit.
    """
    inputs = np.column_stack([X, np.ones(len(X))])
    d = X.shape[1]
    if (rank := np.linalg.matrix_rank(inputs)) <= d:
        checks.fail("X", f"rows that settle {d + 1} numbers a column", f"rank {rank}")
    inverse, half = np.linalg.pinv(inputs), printed(0.0).radius
    found = inverse @ Y
    size, reach = np.abs(found[:d]).sum(0), np.abs(inverse).sum(1)  # [m], [d + 1]
    # The bound speaks of the true W, which is at most as large as the one found plus the bound: solve for the bound.
    total = half * reach[:d].sum()
    if total >= 1:
        checks.fail("X", "printed finely enough to settle the map", f"an error of {total:.2g} times the map")
    off = half * (1 + size) / (1 - total)  # [m]: one entry of δY − δX W at most
    radius = np.outer(reach, off)
    noise = np.outer(np.sqrt((inverse**2).sum(1)), half / math.sqrt(3) * np.sqrt(1 + (found[:d] ** 2).sum(0)))
    left = np.eye(len(X)) - inputs @ inverse
    residual = Step(Ball(inputs @ found, np.outer(np.abs(left).sum(1), off)), Ball(Y, np.zeros_like(Y)))
    return Recovered(Ball(found[:d], radius[:d]), Ball(found[d], radius[d]), noise, residual)


def flatness(rows: Float[np.ndarray, "n d"]) -> tuple[float, float]:
    """The smallest singular value of the rows minus their mean, and the most it can be through rounding if exactly 0 is
    true.

    Rows normalised one by one lie in a hyperplane, Σ_j (z_j − β_j)/γ_j = 0: for them it is 0. Rounding moves a singular
    value by no more than the Frobenius norm of what it moves the matrix by.
    """
    value = np.linalg.svd(rows - rows.mean(0), compute_uv=False)[-1]
    return float(value), float(printed(0.0).radius) * math.sqrt(rows.size)


def layer_norm(Z: Float[np.ndarray, "n d"]) -> tuple[np.ndarray, np.ndarray]:
    """γ, β [d] of the layer norm whose outputs Z are, by Gauss and Newton from γ = 1, β = 0.

    u = (z − β)/γ has Σu = 0 and Σu² = d in every row: 2n equations for 2d unknowns. (ε is left out; −γ does as well; so
    does γ = ∞, always.) ValueError where the rows lie in no plane, as far as four decimals say, or no finite γ is
    found.
    """
    d, (off, allowed) = Z.shape[1], flatness(Z)
    if off > allowed:
        checks.fail("Z", "rows of one layer norm", f"rows that miss a plane by {off:.2g}")
    theta = np.r_[np.ones(d), np.zeros(d)]  # 1/γ and β/γ: u = z a − c
    for _ in range(ROUNDS):
        u = Z * theta[:d] - theta[d:]
        slopes = np.vstack([np.hstack([Z, -np.ones_like(Z)]), np.hstack([2 * u * Z, -2 * u])])
        move = np.linalg.lstsq(slopes, np.r_[u.sum(1), (u**2).sum(1) - d], rcond=None)[0]
        theta = theta - move
        if np.abs(move).max() < 1e-9 and np.abs(theta[:d]).min() > 1e-6:
            return 1 / theta[:d], theta[d:] / theta[:d]
    return checks.fail(
        "Z",
        "rows of one layer norm, unlike enough to settle it",
        f"steps of {np.abs(move).max():.2g} still, or gains without bound",
    )


def traits(example: Mapping[str, np.ndarray]) -> dict[str, float]:
    """What training leaves on a model, from matrices by the names of `published.example()`: a printed one or one of
    ours.

    Sizes are root mean squares. `weights` is the largest |n A_ij − 1|: 0 is a plain mean over the sequence. `error` is
    in percentage points. E and P start normal with standard deviation 0.01, both biases at 0.
    """
    Q, K, X, A_O, Z = (example[name] for name in ("Q", "K", "X", "A_O", "Z"))
    n, m = Q.shape
    weights = ball_softmax(Ball(Q @ K.T / math.sqrt(m), np.zeros((n, n)))).value

    def size(a: np.ndarray) -> float:
        return float(np.sqrt(np.square(a).mean()))

    return {
        "E": size(example["E"][:-1]),
        "spare row of E": size(example["E"][-1]),
        "P, last row": size(example["P"][-1]),
        "P, other rows": size(example["P"][:-1]),
        "w_o": size(example["w_o"]),
        "w_3": size(example["w_3"]),
        "weights": float(np.abs(n * weights - 1).max()),
        "|Y|/|X|": float(np.linalg.norm(A_O) / np.linalg.norm(X)),
        "rows of Z": float(np.linalg.norm(Z - Z.mean(0)) / np.linalg.norm(Z)),
        "error": float(100 * np.abs(example["p"] - example["q"]).max()),
    }
