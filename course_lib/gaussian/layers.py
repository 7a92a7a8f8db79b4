"""Teacher and student through T layers, one unknown number β: the loss interpolated once.  [Ponti 2025, §3.3.2]

T first-order layers make a polynomial of degree 2ᵀ − 1 of β, whose coefficients nobody wants. But as a function of β
the loss is smooth, and a dozen values of it at Chebyshev's points fix it to rounding; its derivative is that of the
interpolant.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float
from numpy.polynomial import Chebyshev, chebyshev

from course_lib import checks
from course_lib.gaussian.beta import Examples
from course_lib.heads import Heads, blocks

BLOCK = 2**16  # entries of the covariances worked on at a time
MOST = 256  # the highest degree tried


def losses_through_layers(
    examples: Examples, heads: Heads, betas: Float[np.ndarray, " n"], *, step: float, layers: int
) -> Float[np.ndarray, " n"]:
    """The mean of ‖Σ_T − target‖²/d² over the examples for each β, with Σ ← Σ + βε(ΣB + BᵀΣ) `layers` times. ValueError
    on overflow."""
    checks.number("step", step, positive=True)
    checks.positive_int("layers", layers)
    checks.size("inputs", examples.inputs, 1, heads.d, "the width d of the heads")
    h, d, m = heads.W_Q.shape
    inwards = np.concatenate([step * heads.scale * heads.W_Q, heads.W_K], 2).transpose(1, 0, 2).reshape(d, 2 * h * m)
    writing = np.swapaxes(heads.writing, -1, -2)
    totals = []
    with np.errstate(over="ignore", invalid="ignore"):
        for beta in np.asarray(betas, dtype=np.float64).tolist():
            total = 0.0
            for rows in blocks(len(examples), d**2, BLOCK):
                S = examples.inputs[rows]
                for _ in range(layers):
                    product = (S.reshape(-1, d) @ inwards).reshape(len(S), d, h, 2 * m)
                    keys = beta * product[..., m:]
                    half = sum(
                        product[:, :, head, :m] @ np.swapaxes(writing[head] @ keys[:, :, head], -1, -2)
                        for head in range(h)
                    )
                    S = S + half + np.swapaxes(half, -1, -2)
                total += float(np.square(S - examples.targets[rows]).sum())
            if not total < np.inf:
                checks.fail(
                    "betas",
                    "small enough for float64",
                    f"{beta:g}, with which the covariances overflow in {layers} layers",
                )
            totals.append(total / (len(examples) * d**2))
    return np.array(totals)


def interpolated_loss(
    examples: Examples,
    heads: Heads,
    *,
    step: float,
    layers: int,
    interval: tuple[float, float] = (-0.1, 1.1),
    tolerance: float = 1e-12,
) -> Chebyshev:
    """The loss as a Chebyshev series in β on `interval`. The degree doubles, keeping the points it has, until the last
    two coefficients are below `tolerance` times the largest; ValueError where degree 256 is not enough, or the
    covariances overflow."""
    low, high = interval
    if not low < high:
        checks.fail("interval", "(low, high) with low < high", interval)
    degree, values = 4, {}
    while degree < MOST:
        degree *= 2
        grid = {
            k * (MOST // degree): np.cos(np.pi * k / degree) for k in range(degree + 1)
        }  # named by its place among the finest
        new = [place for place in grid if place not in values]
        betas = [low + (high - low) * (grid[place] + 1) / 2 for place in new]
        values |= dict(zip(new, losses_through_layers(examples, heads, betas, step=step, layers=layers), strict=True))
        found = chebyshev.chebfit(list(grid.values()), [values[place] for place in grid], degree)
        if abs(found[-2:]).max() <= tolerance * abs(found).max():
            return Chebyshev(found, domain=[low, high])
    raise ValueError(f"interval must be short enough for a series of degree {MOST}, got {interval}")


def slope_within(series: Chebyshev) -> Callable[[float], float]:
    """The derivative of a series as a function of a Python float, by Clenshaw's rule. ValueError outside its
    interval."""
    low, high = series.domain.tolist()
    coefficients = (chebyshev.chebder(series.coef) * 2 / (high - low)).tolist()
    first, rest = coefficients[0], coefficients[:0:-1]

    def slope(beta: float) -> float:
        if not low <= beta <= high:
            checks.fail(
                "beta",
                f"in the interval [{low:g}, {high:g}] of the series",
                f"{beta:g}: widen it, or take a smaller rate",
            )
        x = (2 * beta - low - high) / (high - low)
        now = before = 0.0
        for coefficient in rest:
            now, before = 2 * x * now - before + coefficient, now
        return x * now - before + first

    return slope
