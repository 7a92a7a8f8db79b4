"""Descent on four small loss surfaces: two parameters, 64 samples, so that a page can draw everything there is.

The loss of sample i is height(x, y) + a_i x + b_i y: every sample sees the same surface, tilted in its own way. The 64
tilts (a_i, b_i) are the points of an even 8 × 8 grid with mean 0 and variance 1, so the loss over all samples is the
height itself, and a batch of B samples has its gradient plus noise of variance (64 − B) / (63 B). Twin in the page:
course_lib/widgets/descent/, the same numbers from the same seed.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float, Int

from course_lib import checks
from course_lib.optimisers import OPTIMISERS, decayed
from course_lib.tasks import Uniform

SAMPLES = 64
REACH = 2.0  # both parameters are drawn from -2 to 2; a run that leaves this square ends there
ODD = 2 * (np.arange(SAMPLES)[:, None] // np.array([1, 8]) % 8) - 7  # the grid in whole numbers: sums of it are exact
TILTS: Float[np.ndarray, "64 2"] = ODD / 21**0.5


class LossSurface(NamedTuple):
    """height(x, y) and its two derivatives slope(x, y), on numbers, arrays or tensors; start: where a run begins by
    default."""

    height: Callable[[Any, Any], Any]
    slope: Callable[[Any, Any], tuple[Any, Any]]
    start: tuple[float, float]


def _along(x: Any, y: Any) -> tuple[Any, Any]:
    """Coordinates along the valley and across it."""
    return 0.8 * x + 0.6 * y, 0.8 * y - 0.6 * x


def _valley_height(x: Any, y: Any) -> Any:
    u, w = _along(x, y)
    return 0.5 * u * u + 8 * w * w


def _valley_slope(x: Any, y: Any) -> tuple[Any, Any]:
    u, w = _along(x, y)
    return 0.8 * u - 9.6 * w, 0.6 * u + 12.8 * w


SURFACES: dict[str, LossSurface] = {
    # eigenvalues 2 and 1
    "bowl": LossSurface(lambda x, y: x * x + 0.5 * y * y, lambda x, y: (2 * x, y), (-1.6, 1.5)),
    # eigenvalues 16 across and 1 along
    "valley": LossSurface(_valley_height, _valley_slope, (-1.8, -0.4)),
    # minima at x = -1.1 (loss 0) and x = 1.1 (loss 0.5324), the ridge between them at x = 0.3 (0.686)
    "two minima": LossSurface(
        lambda x, y: x * x * (0.25 * x * x - 0.1 * x - 0.605) + 0.363 * x + 0.632225 + 0.3 * y * y,
        lambda x, y: (x * x * x - 0.3 * x * x - 1.21 * x + 0.363, 0.6 * y),
        (1.8, 1.4),
    ),
    # a saddle at the middle (loss 0.5) between minima at y = -1 and y = 1 (loss 0)
    "saddle": LossSurface(
        lambda x, y: 0.5 * x * x + 0.5 * (y * y - 1) * (y * y - 1), lambda x, y: (x, 2 * y * (y * y - 1)), (1.8, 0.0)
    ),
}
RIDGE = 0.3  # "two minima": the deeper one has x < RIDGE


class DescentPath(NamedTuple):
    """positions [runs, steps + 1, 2] and heights [runs, steps + 1], the start included, nan from where a run left the
    square; left [runs]: the step that led out of it, -1 where none did."""

    positions: Float[np.ndarray, "runs moments 2"]
    heights: Float[np.ndarray, "runs moments"]
    left: Int[np.ndarray, " runs"]


def shuffled(generator: Uniform, steps: int) -> Int[np.ndarray, "steps 64"]:
    """For each step the samples in random order: its batch of B is the first B of them."""
    return generator.uniform(steps * SAMPLES).reshape(steps, SAMPLES).argsort(axis=1, kind="stable").astype(np.uint8)


def descend(
    surface: str, optimiser: str = "sgd", *, rate: float, steps: int, start: Sequence[float] | None = None,
    decay: float = 0.0,
    batch: int = SAMPLES, generators: Sequence[Uniform],
) -> DescentPath:  # fmt: skip
    """Follow one run for each generator: at each step a fresh batch without repeats, its gradient, and one step of the
    rule.

    surface: a name in SURFACES; optimiser: one in `course_lib.optimisers.OPTIMISERS`; rate, decay: as in `decayed`;
    batch: 1 … 64, where 64 is gradient descent without noise. ValueError names the argument.
    """
    checks.one_of("surface", surface, tuple(SURFACES))
    checks.one_of("optimiser", optimiser, tuple(OPTIMISERS))
    checks.positive_ints(steps=steps, batch=batch)
    if batch > SAMPLES:
        checks.fail("batch", f"an int from 1 to {SAMPLES}", batch)
    if not len(generators):
        checks.fail("generators", "one generator a run, at least one", "none")
    height, slope, usual = SURFACES[surface]
    start = np.asarray(usual if start is None else start, dtype=np.float64)
    if start.shape != (2,) or not (abs(start) <= REACH).all():
        checks.fail("start", f"two numbers from {-REACH:g} to {REACH:g}", start.tolist())
    noise = np.zeros((len(generators), steps, 2))
    if batch < SAMPLES:
        noise += np.stack([ODD[shuffled(generator, steps)[:, :batch]].sum(1) for generator in generators]) / (
            21**0.5 * batch
        )
    rule, theta = OPTIMISERS[optimiser], np.tile(start, (len(generators), 1))
    state, positions, left = rule.start(theta), [theta], np.full(len(generators), -1)
    with np.errstate(over="ignore", invalid="ignore"):  # a run that diverges is told by `left`
        for t in range(steps):
            gradient = np.stack(slope(theta[:, 0], theta[:, 1]), axis=1) + noise[:, t]
            theta, state = rule.step(theta, gradient, state, decayed(rate, decay, t))
            inside = (abs(theta) <= REACH).all(1)  # false for nan too
            left[(left < 0) & ~inside] = t + 1
            theta = np.where((left >= 0)[:, None], np.nan, theta)
            positions.append(theta)
    path = np.stack(positions, axis=1)
    return DescentPath(path, height(path[..., 0], path[..., 1]), left)
