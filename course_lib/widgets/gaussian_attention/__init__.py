"""GaussianAttention: a Gaussian cloud of the plane through layers of attention, closed form and softmax particles side by side."""

import math
from collections.abc import Sequence

import numpy as np
import traitlets

from .. import settings
from ..base import Checked, CourseWidget

NUMBERS = {"angle": (-180, 180), "scale": (0, 3), "step": (0.01, 1)}
WHOLE = {"layers": (0, 8), "n": (10, 500), "seed": (0, 9999)}
PAIRS = {"mean": (-4, 4), "spread": (0.05, 3)}
HEADS = ((((1, 0), (0, 1)), ((0.4, 0.3), (-0.3, 0.2))),)


class GaussianAttention(CourseWidget):
    """N(μ, Σ) in the plane, and n particles drawn from it, after 0 … 8 layers x ↦ x + ε Σ_h attention, all with the same heads.

    The closed form is `course_lib.gaussian.push`, the particles move by the true softmax over themselves,
    `attend_particles`; random numbers are those of `course_lib.graphs.random.Generator(seed)`, two normals a particle.

    mean: μ, two numbers from -4 to 4. spread: the standard deviations along the two axes of the cloud, 0.05 … 3; angle: of the first
    axis, in degrees, -180 … 180. heads: one to three pairs (W_Q W_Kᵀ, W_V W_O), an array [h, 2, 2, 2] of numbers from -2 to 2.
    scale: s of the scores s · x W_Q W_Kᵀ yᵀ, 0 … 3. step: ε, 0.01 … 1. layers: 0 … 8. n: 10 … 500. seed: 0 … 9999. matched: True to
    move and shear the sample to exactly this mean and covariance, so that the error of sampling is not added to that of attention.

    The reader can change everything; all can be set from Python too. ValueError names the argument.

    Read back, written by the front end when it has drawn (empty until then): result, with layer (the one shown), mean, covariance,
    particle_mean, particle_covariance, effective (1/Σ w², the mean over heads and queries, None at the start), and end and
    particles_end, the layer at which float64 overflows, None where it does not.
    """

    bundle_name = "gaussian_attention"

    mean = Checked().tag(sync=True)
    spread = Checked().tag(sync=True)
    angle = Checked().tag(sync=True)
    heads = Checked().tag(sync=True)
    scale = Checked().tag(sync=True)
    step = Checked().tag(sync=True)
    layers = Checked().tag(sync=True)
    n = Checked().tag(sync=True)
    seed = Checked().tag(sync=True)
    matched = Checked().tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        mean: Sequence[float] = (1.0, 0.5),
        spread: Sequence[float] = (1.2, 0.6),
        angle: float = 30.0,
        *,
        heads: np.ndarray | Sequence = HEADS,
        scale: float = 0.71,
        step: float = 0.3,
        layers: int = 1,
        n: int = 300,
        seed: int = 0,
        matched: bool = False,
        address: str = "gaussian",
    ) -> None:
        super().__init__(
            mean=mean, spread=spread, angle=angle, heads=heads, scale=scale, step=step, layers=layers, n=n, seed=seed, matched=matched,
            address=address,
        )  # fmt: skip

    @property
    def covariance(self) -> np.ndarray:
        """Σ [2, 2] of the start: Rᵀ diag(spread²) R, the rows of R along the axes."""
        turn = math.radians(self.angle)
        R = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
        return R.T @ np.diag(np.square(self.spread)) @ R

    _check_number = settings.checked(settings.number, NUMBERS)
    _check_whole = settings.checked(settings.whole, WHOLE)

    @traitlets.validate(*PAIRS)
    def _check_pair(self, proposal: dict) -> list[float]:
        name, value = proposal["trait"].name, proposal["value"]
        low, high = PAIRS[name]
        pair = isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 1 and len(value) == 2
        if not pair or not all(settings.is_number(part) and low <= part <= high for part in value):
            raise ValueError(f"{name} must be two numbers from {low} to {high}, got {value!r}")
        return [float(part) for part in value]

    _check_heads = settings.checked(settings.heads, ["heads"])
    _check_matched = settings.checked(settings.flag, ["matched"])
