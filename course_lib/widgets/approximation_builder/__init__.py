"""ApproximationBuilder: Monico's proof as a loop the reader steps through: U⁺ and U⁻, the covers, the network's size, its error."""

from collections.abc import Sequence

import numpy as np
import traitlets

from .. import settings
from ..base import Checked, CourseWidget

TARGETS = ("sine", "step", "cusp", "drawn", "bump")
SIGMAS = ("logistic", "arctan", "clip")
RULES = ("proof", "balanced")
HEIGHT, KNOTS = (-1.5, 1.5), 9
EPS, CORRECTIONS = (0.02, 0.5), (0, 24)
POLYGON = (0.2, 0.9, 0.1, -0.4, 0.6, 0.3, -0.8, 0.1, 0.5)
UNITS = 6000
POINTS = {1: 2**14 + 1, 2: 257**2}


class ApproximationBuilder(CourseWidget):
    """A network of four layers for a continuous function, correction by correction, computed in the page.

    The builder is that of `course_lib.approximation.steps`, with max_units 6,000 and max_points 16,385 (257² in the plane).

    target: "sine" (sin x on [0, 2π]), "step" (½ + ½ tanh 6x on [-1, 1]), "cusp" (√|x|), "drawn" (the polygon through `heights`)
    or "bump" (exp(-3(x² + y²)) on the square). heights: nine numbers from -1.5 to 1.5, at x = -1, -¾, …, 1. eps: ε, 0.02 … 0.5.
    sigma: "logistic", "arctan" or "clip". rule: "proof" (`PROOF`) or "balanced" (`balanced(1/2)`). corrections: how many of them
    are shown, 0 … 24; the page shows as many as it has where a budget runs out or nothing is left to correct.

    The reader can change everything; all can be set from Python too. ValueError names the argument.

    Read back, written by the front end when it has drawn (empty until then): result, with corrections, sizes (units in the hidden
    layers), errors (before the first and after every correction shown), points (of the grid) and ended: None, or the budget that
    ran out, "units" or "points".
    """

    bundle_name = "approximation_builder"

    target = Checked().tag(sync=True)
    heights = Checked().tag(sync=True)
    eps = Checked().tag(sync=True)
    sigma = Checked().tag(sync=True)
    rule = Checked().tag(sync=True)
    corrections = Checked().tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(
        self,
        target: str = "sine",
        *,
        heights: Sequence[float] = POLYGON,
        eps: float = 0.1,
        sigma: str = "logistic",
        rule: str = "proof",
        corrections: int = 1,
        address: str = "builder",
    ) -> None:
        super().__init__(target=target, heights=heights, eps=eps, sigma=sigma, rule=rule, corrections=corrections, address=address)

    _check_name = settings.checked(settings.option, {"target": TARGETS, "sigma": SIGMAS, "rule": RULES})

    @traitlets.validate("heights")
    def _check_heights(self, proposal: dict) -> list[float]:
        value, (low, high) = proposal["value"], HEIGHT
        row = isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 1 and len(value) == KNOTS
        if not row or not all(settings.is_number(each) and low <= each <= high for each in value):
            raise ValueError(f"heights must be {KNOTS} numbers from {low} to {high}, got {value!r}")
        return [float(each) for each in value]

    _check_eps = settings.checked(settings.number, {"eps": EPS})
    _check_corrections = settings.checked(settings.whole, {"corrections": CORRECTIONS})
