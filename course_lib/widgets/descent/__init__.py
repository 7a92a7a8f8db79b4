"""Descent on a loss surface, live: an optimiser's path from a start that the reader sets, on a surface that the reader turns."""


import numpy as np
import traitlets

from ...descent import REACH, SURFACES
from ...optimisers import OPTIMISERS
from .. import settings
from ..base import Checked, CourseWidget

RULES = ("gd", *OPTIMISERS)
VIEWS = ("surface", "map")
STEPS = 500
BATCHES = tuple(2**k for k in range(7))
WORDS = {"surface": tuple(SURFACES), "optimiser": RULES, "view": VIEWS, "batch": BATCHES}
WHOLE = {"seed": (0, 9999), "step": (0, STEPS)}
NUMBERS = {"rate": (0.001, 10), "decay": (0, 0.2), "azimuth": (-180, 180), "elevation": (5, 90)}


class Descent(CourseWidget):
    """One run of an optimiser on a surface of `course_lib.descent`, computed in the page: the path that `descend` gives.

    surface: "bowl", "valley", "two minima" or "saddle". optimiser: "gd", which is SGD on all 64 samples, or a rule of
    `course_lib.optimisers`. rate: 0.001 … 10; decay: 0 … 0.2, the rate of step t = 0, 1, … is rate / (1 + decay · t). batch:
    1, 2, 4, … 64 samples a step; seed: 0 … 9999, that of the generator which draws them. Neither matters to "gd".
    start: (x, y) from -2 to 2, rounded to tenths, by default the surface's own. step: 0 … 500, how many steps are taken.

    view: "surface" or "map"; azimuth and elevation, in degrees, as in `Surface`. The reader can change everything; all can be
    set from Python too. ValueError names the argument.
    """

    bundle_name = "descent"

    surface = Checked().tag(sync=True)
    optimiser = Checked().tag(sync=True)
    rate = Checked().tag(sync=True)
    decay = Checked().tag(sync=True)
    batch = Checked().tag(sync=True)
    seed = Checked().tag(sync=True)
    start = Checked().tag(sync=True)
    step = Checked().tag(sync=True)
    view = Checked().tag(sync=True)
    azimuth = Checked().tag(sync=True)
    elevation = Checked().tag(sync=True)

    def __init__(
        self,
        surface: str = "two minima",
        optimiser: str = "gd",
        *,
        rate: float = 0.1,
        decay: float = 0.0,
        batch: int = 1,
        seed: int = 0,
        start: tuple[float, float] | None = None,
        step: int = 0,
        view: str = "surface",
        azimuth: float = -35.0,
        elevation: float = 40.0,
        address: str = "descent",
    ) -> None:
        if start is None:
            start = SURFACES[surface if isinstance(surface, str) and surface in SURFACES else "bowl"].start  # a wrong name is told below
        super().__init__(
            surface=surface, optimiser=optimiser, rate=rate, decay=decay, batch=batch, seed=seed, start=start, step=step, view=view,
            azimuth=azimuth, elevation=elevation, address=address,
        )  # fmt: skip

    @traitlets.validate(*WORDS)
    def _check_word(self, proposal: dict) -> str | int:
        name, value = proposal["trait"].name, proposal["value"]
        if isinstance(value, bool) or not isinstance(value, str | int | np.integer) or value not in WORDS[name]:
            raise ValueError(f"{name} must be one of {', '.join(map(str, WORDS[name]))}, got {value!r}")
        return int(value) if name == "batch" else value

    _check_whole = settings.checked(settings.whole, WHOLE)
    _check_number = settings.checked(settings.number, NUMBERS)

    @traitlets.validate("start")
    def _check_start(self, proposal: dict) -> list[float]:
        value = proposal["value"]
        pair = isinstance(value, list | tuple | np.ndarray) and len(value) == 2
        if not pair or not all(settings.is_number(part) and abs(part) <= REACH for part in value):
            raise ValueError(f"start must be two numbers from {-REACH:g} to {REACH:g}, got {value!r}")
        return [round(10 * float(part)) / 10 for part in value]
