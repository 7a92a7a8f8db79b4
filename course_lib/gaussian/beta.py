"""Teacher and student with one unknown number: the loss as a polynomial in β, and three ways down it.  [Ponti 2025,
§3.3.1]

The student's map is the teacher's with ε replaced by βε. One layer of it is, for a covariance Σ,

    first order   Σ + βF          F = ε(ΣB + BᵀΣ)
    congruence    Σ + βF + β²G    G = ε²BᵀΣB,    B = Σ_h s W_Q W_Kᵀ Σ W_V W_O,

and the loss is the mean of ‖student − target‖²/d² over the examples: of degree 2 or 4 in β. Its coefficients are
computed once, and then a step of descent is a handful of operations on numbers. B has rank h m, so no product of two
[d, d] matrices is needed for them: with U = εs Σ W_Q and Y = (W_V W_O)ᵀ Σ W_K, both [d, h m], F = U Yᵀ + Y Uᵀ and every
coefficient is a trace of small Gram matrices.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float
from numpy.polynomial import polynomial

from course_lib import checks
from course_lib.gaussian.maps import ASYMMETRY, congruence, first_order, random_covariance
from course_lib.heads import Heads, blocks

RULES = {"first_order": first_order, "congruence": congruence}
BLOCK = 2**17  # entries of the inputs worked on at a time: 1 MiB, so that a block stays in the cache


@dataclass(frozen=True, eq=False)
class Examples:
    """What a student learns from: inputs [J, d, d] and targets [J, d, d], symmetric and finite; ValueError
    otherwise."""

    inputs: Float[np.ndarray, "J d d"]
    targets: Float[np.ndarray, "J d d"]

    def __post_init__(self) -> None:
        for name in ("inputs", "targets"):
            array = np.asarray(getattr(self, name), dtype=np.float64)
            if array.ndim != 3 or array.shape[1] != array.shape[2] or 0 in array.shape:
                checks.fail(name, "an array [J, d, d]", f"shape {list(array.shape)}")
            checks.finite(name, array)
            difference = max(abs(each - each.T).max() for each in array)
            if difference > ASYMMETRY * abs(array).max():
                checks.fail(name, "symmetric", f"a difference of {difference:.3g} to its transpose")
            object.__setattr__(self, name, array)
        if self.inputs.shape != self.targets.shape:
            checks.fail(
                "targets", f"of shape {list(self.inputs.shape)}, as inputs", f"shape {list(self.targets.shape)}"
            )

    def __len__(self) -> int:
        return len(self.inputs)

    def __getitem__(self, index: slice | np.ndarray) -> "Examples":
        """Some of the examples, by a slice or by an array of numbers."""
        return Examples(self.inputs[index], self.targets[index])


def teach(
    heads: Heads,
    count: int,
    *,
    step: float,
    generator: np.random.Generator,
    beta: float = 1.0,
    layers: int = 1,
    rule: str = "first_order",
) -> Examples:
    """`count` random covariances and what a teacher with β = `beta` makes of them in `layers` layers with step ε =
    `step`.

    Raises ValueError where a target overflows.
    """
    checks.one_of("rule", rule, list(RULES))
    checks.positive_ints(count=count, layers=layers)
    inputs = np.stack([random_covariance(heads.d, generator) for _ in range(count)])
    scaled, targets = replace(heads, scale=heads.scale * beta), inputs
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(layers):
            targets = RULES[rule](targets, scaled, step=step)
    return Examples(inputs, (targets + np.swapaxes(targets, -1, -2)) / 2)


def losses_in_beta(
    examples: Examples, heads: Heads, *, step: float, rule: str = "first_order"
) -> Float[np.ndarray, "J k"]:
    """The loss of every example as a polynomial in β: coefficients of 1, β, β² (and β³, β⁴ for the congruence).

    The mean over the first axis is the loss of all of them. `step` is ε > 0.
    """
    checks.one_of("rule", rule, list(RULES))
    checks.number("step", step, positive=True)
    checks.size("inputs", examples.inputs, 1, heads.d, "the width d of the heads")
    h, d, m = heads.W_Q.shape
    inwards = np.concatenate([step * heads.scale * heads.W_Q, heads.W_K], 2).transpose(1, 0, 2).reshape(d, 2 * h * m)
    queries = (step * heads.scale * heads.W_Q).transpose(1, 0, 2).reshape(d, h * m)
    writing = np.swapaxes(heads.writing, -1, -2)
    found = np.zeros((len(examples), 3 if rule == "first_order" else 5))
    for rows in blocks(len(examples), d**2, BLOCK):
        S = examples.inputs[rows]
        D = S - examples.targets[rows]  # the residual at β = 0
        product = (S.reshape(-1, d) @ inwards).reshape(len(S), d, h, 2 * m)
        U, keys = product[..., :m].reshape(len(S), d, h * m), product[..., m:]
        Y = np.concatenate([writing[head] @ keys[:, :, head] for head in range(h)], 2)
        Ut, Yt = np.swapaxes(U, -1, -2), np.swapaxes(Y, -1, -2)
        across, of_Y = Ut @ Y, Yt @ Y
        found[rows, 0] = _inner(D, D)
        found[rows, 1] = 4 * _inner(D @ U, Y)
        found[rows, 2] = 2 * _inner(Ut @ U, of_Y) + 2 * _inner(across, np.swapaxes(across, -1, -2))
        if rule == "congruence":
            P = queries.T @ U  # G = Y P Yᵀ
            P_of_Y = P @ of_Y
            found[rows, 2] += 2 * _inner(D @ Y @ P, Y)
            found[rows, 3] = 4 * np.einsum("jab,jba->j", across, P_of_Y)
            found[rows, 4] = np.einsum("jab,jba->j", P_of_Y, P_of_Y)
    return found / d**2


def largest_rate(loss: Float[np.ndarray, " k"], beta: float = 1.0) -> float:
    """2 divided by the second derivative at β: descent with a smaller rate comes nearer to a minimum there, with a
    larger one it leaves.

    `loss`: coefficients of 1, β, β², …. Raises ValueError where the second derivative is not > 0.
    """
    curvature = float(polynomial.polyval(beta, polynomial.polyder(loss, 2)))
    if not curvature > 0:
        checks.fail("loss", f"curved upwards at β = {beta:g}", f"a second derivative of {curvature:.3g}")
    return 2 / curvature


def descend(slope: Callable[[float], float], *, rate: float, steps: int, start: float = 0.0) -> Float[np.ndarray, " s"]:
    """β ← β − rate · slope(β): the start and the β after each of `steps` steps. ValueError where β overflows."""
    return _followed(lambda beta: rate * slope(beta), rate, steps, start)


def descend_stochastic(
    losses: Float[np.ndarray, "J k"], *, rate: float, steps: int, generator: np.random.Generator
) -> Float[np.ndarray, " s"]:
    """As `descend` from 0, with the slope of one example's loss, drawn afresh (with replacement) for every step."""
    checks.positive_int("steps", steps)
    slopes = [slope_of(loss) for loss in losses]
    drawn = iter(generator.integers(len(losses), size=steps).tolist())
    return _followed(lambda beta: rate * slopes[next(drawn)](beta), rate, steps, 0.0)


def newton(loss: Float[np.ndarray, " k"], *, steps: int) -> Float[np.ndarray, " s"]:
    """β ← β − L′(β)/L″(β), from 0: the start and the β after each step. Goes to any point with L′ = 0, a maximum too.
    ValueError at L″ = 0."""
    slope, curvature = slope_of(loss), slope_of(polynomial.polyder(loss))

    def move(beta: float) -> float:
        bend = curvature(beta)
        if bend == 0:
            checks.fail("loss", "curved where Newton steps", f"a second derivative of 0 at β = {beta:g}")
        return slope(beta) / bend

    return _followed(move, 1.0, steps, 0.0)


def slope_of(loss: Float[np.ndarray, " k"]) -> Callable[[float], float]:
    """The derivative of a polynomial (coefficients of 1, β, β², …) as a function of a Python float, by Horner's
    rule."""
    downwards = polynomial.polyder(loss)[::-1].tolist()

    def slope(beta: float) -> float:
        value = 0.0
        for coefficient in downwards:
            value = value * beta + coefficient
        return value

    return slope


def _followed(move: Callable[[float], float], rate: float, steps: int, start: float) -> Float[np.ndarray, " s"]:
    """β ← β − move(β), `steps` times."""
    checks.number("rate", rate, positive=True)
    checks.positive_int("steps", steps)
    checks.number("start", start)
    path = [float(start)]
    for step in range(1, steps + 1):
        path.append(path[-1] - move(path[-1]))
        if not abs(path[-1]) < 1e150:  # its fourth power must be a float too; false for nan
            checks.fail("rate", "small enough for the descent to stay finite", f"β = {path[-1]:.3g} after {step} steps")
    return np.array(path)


def _inner(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.einsum("jab,jab->j", a, b)
