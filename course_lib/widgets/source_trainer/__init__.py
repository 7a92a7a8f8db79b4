"""The trainer: source R's transformer learns a source of the reader's choice in the page, against the exact optimum."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import traitlets

from .. import settings
from ..base import CourseWidget, bundle, graph, packed

MOST_WORDS = 8


class SourceTrainer(CourseWidget):
    """Source R's model in training: loss, prediction q, error, attention weights, and the lengths of X and Y as they
    evolve.

    A number s as stickiness makes a Markov chain with the same share p of every token: with probability s the last
    token comes again, otherwise a token is drawn from p, so P = s·1 + (1 - s)·(rows p). A negative s avoids the last
    token; the lowest is -p_min/(1 - p_min). Every chain of two states is one of these: s = 1 - Pr(1 | 0) - Pr(0 | 1).

    The average is looked at, never trained from. All defaults are source R's. The reader can change all settings; a
    change of anything but average (on or off), rate and speed begins a new run. Read back, written when
    training rests: step, the updates made; q [v], the mean prediction over fixed inputs, of the average if there is
    one; error, max|p - q| in percentage points (of a chain: the largest over all last tokens); losses, [[update,
    nats]…], at most 240 means. `train(updates)` trains from Python.  [Sandron 2024, §2 and Table 2]
    """

    address = traitlets.Unicode("source").tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    q = traitlets.List().tag(sync=True)
    error = traitlets.Float(None, allow_none=True).tag(sync=True)
    losses = traitlets.List().tag(sync=True)

    def __init__(self, p: Sequence[float] | np.ndarray = (1 / 2, 1 / 4, 1 / 8, 1 / 8), **settings: object) -> None:
        super().__init__(p, blobs=blobs(), **settings)

    def train(self, updates: int) -> None:
        """Ask the page to make this many updates and then rest; `step`, `q` and the rest follow when it has.

        ValueError unless `updates` is a whole number from 1 to 20000. Needs the widget on the screen and a live kernel.
        """
        self.send({"type": "train", "steps": settings.check("updates", self._settings["updates"], updates)})

    def check_p(self, value: object) -> list[float]:
        takes = f"p must be 2 to {MOST_WORDS} probabilities, none negative, whose sum is 1"
        try:
            p = np.asarray(value, dtype=np.float64)
        except (TypeError, ValueError):
            raise ValueError(f"{takes}, got {value!r}") from None
        if p.ndim != 1 or not 2 <= len(p) <= MOST_WORDS:
            raise ValueError(f"{takes}, got shape {list(p.shape)}")
        if not (np.isfinite(p).all() and (p >= 0).all() and abs(p.sum() - 1) <= 1e-6):
            raise ValueError(f"{takes}, got {p.tolist()} with the sum {p.sum():g}")
        return (p / p.sum()).tolist()

    @traitlets.observe("p")
    def _keep_stickiness(self, _change: object) -> None:
        if self.stickiness is not None:
            self.stickiness = max(self.stickiness, _least_sticky(self.p))

    def check_stickiness(self, value: object) -> float | None:
        value = settings.check("stickiness", self._settings["stickiness"], value)
        low = _least_sticky(self.check_p(self.p))
        if value is not None and value < low - 1e-9:
            raise ValueError(
                f"stickiness must be at least {low:.3g}, below which a probability is negative for this p, got "
                f"{value:g}"
            )
        return value if value is None else max(value, low)

    def check_average(self, value: object) -> str | float | None:
        if value is None or (isinstance(value, str) and value == "tail"):
            return value
        low, high = self._settings["average"]["takes"]
        if not settings.is_number(value) or not low <= value <= high:
            raise ValueError(f"average must be None, 'tail' or a number from {low:g} to {high:g}, got {value!r}")
        return float(value)


def _least_sticky(p: Sequence[float]) -> float:
    return -min(p) / (1 - min(p))


@cache
def blobs() -> dict[str, bytes]:
    """The front end's data: the training step, the reading of all rows, Adam with an average, and the worker's code."""
    graphs = {name: graph(name) for name in ("memoryless", "memoryless_read", "adam_averaged")}
    return graphs | {"worker": packed(bundle("source_trainer", "worker.js"))}
