"""The trainer: source R's transformer learns a source of the reader's choice in the page, against the exact optimum."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import traitlets

from .. import settings
from ..base import Checked, CourseWidget, bundle, graph, packed

WHOLE = {"n": (1, 128), "d": (2, 128), "m": (1, 128), "r": (1, 512), "batch": (1, 64), "updates": (1, 20_000), "seed": (0, 9999)}
NUMBERS = {"rate": (1e-5, 1.0), "beta_2": (0.5, 0.9999)}
OPTIONS = {"scale": ("m", "d"), "decay": ("none", "linear", "cosine")}
MOST_WORDS, MOST_SEQUENCES = 8, 20_000
STICKIEST, KEEPS, SPEEDS = 0.99, (0.5, 0.9999), (1.0, 1000.0)


class SourceTrainer(CourseWidget):
    """Source R's model in training: loss, prediction q, error, attention weights, and the lengths of X and Y as they evolve.

    The source. p: v probabilities, 2 … 8, none negative, whose sum is 1; by default 1/2, 1/4, 1/8, 1/8. stickiness: None for tokens
    that are independent; a number s makes a Markov chain with the same share p of every token: with probability s the last token
    comes again, otherwise a token is drawn from p, so P = s·1 + (1 - s)·(rows p). A negative s avoids the last token; the lowest
    is -p_min/(1 - p_min), the highest 0.99. Every chain of two states is one of these: s = 1 - Pr(1 | 0) - Pr(0 | 1).

    The model. n tokens, 1 … 128; width d, 2 … 128; m, 1 … 128; feed-forward width r, 1 … 512; scale "m" divides scores by √m, "d" by √d.

    The training. `updates`, 1 … 20000, of `batch` sequences, 1 … 64, from a set of `sequences` that the run owns, up to 20000 and at
    least a batch; None draws new ones for ever. Adam with β₁ = 0.9, beta_2 (0.5 … 0.9999) and rate (1e-5 … 1), which falls to 0 at the end by
    `decay`: "none", "linear" or "cosine". average: None; "tail", the mean of the parameters over the last half of the run; or the
    share, 0.5 … 0.9999, that a running mean keeps at each update. The average is looked at, never trained from. seed, 0 … 9999,
    settles start, data and order. All defaults are source R's. speed: updates per second, 1 … 1000, or None for as many as possible.

    The reader can change all of these; a change of anything but average (on or off), rate and speed begins a new run. Read back, written when
    training rests: step, the updates made; q [v], the mean prediction over fixed inputs, of the average if there is one; error,
    max|p - q| in percentage points (of a chain: the largest over all last tokens); losses, [[update, nats]…], at most 240 means.
    `train(updates)` trains from Python. ValueError names the argument.  [Sandron 2024, §2 and Table 2]
    """

    bundle_name = "source_trainer"

    p = Checked().tag(sync=True)
    stickiness = Checked().tag(sync=True)
    n = Checked().tag(sync=True)
    d = Checked().tag(sync=True)
    m = Checked().tag(sync=True)
    r = Checked().tag(sync=True)
    scale = Checked().tag(sync=True)
    updates = Checked().tag(sync=True)
    batch = Checked().tag(sync=True)
    sequences = Checked().tag(sync=True)
    rate = Checked().tag(sync=True)
    beta_2 = Checked().tag(sync=True)
    decay = Checked().tag(sync=True)
    average = Checked().tag(sync=True)
    seed = Checked().tag(sync=True)
    speed = Checked().tag(sync=True)
    step = traitlets.Int(0).tag(sync=True)
    q = traitlets.List().tag(sync=True)
    error = traitlets.Float(None, allow_none=True).tag(sync=True)
    losses = traitlets.List().tag(sync=True)

    def __init__(
        self,
        p: Sequence[float] | np.ndarray = (1 / 2, 1 / 4, 1 / 8, 1 / 8),
        *,
        stickiness: float | None = None,
        n: int = 16,
        d: int = 8,
        m: int = 4,
        r: int = 16,
        scale: str = "m",
        updates: int = 1500,
        batch: int = 16,
        sequences: int | None = 8000,
        rate: float = 1e-3,
        beta_2: float = 0.95,
        decay: str = "none",
        average: str | float | None = None,
        seed: int = 1,
        speed: float | None = None,
        address: str = "source",
    ) -> None:
        super().__init__(
            blobs=blobs(), p=p, stickiness=stickiness, n=n, d=d, m=m, r=r, scale=scale, updates=updates, batch=batch,
            sequences=sequences, rate=rate, beta_2=beta_2, decay=decay, average=average, seed=seed, speed=speed, address=address,
        )  # fmt: skip

    def train(self, updates: int) -> None:
        """Ask the page to make this many updates and then rest; `step`, `q` and the rest follow when it has.

        ValueError unless `updates` is a whole number from 1 to 20000. Needs the widget on the screen and a live kernel.
        """
        self.send({"type": "train", "steps": settings.whole("updates", updates, *WHOLE["updates"])})

    @traitlets.validate("p")
    def _check_p(self, proposal: dict) -> list[float]:
        return _shares(proposal["value"])

    @traitlets.observe("p")
    def _keep_stickiness(self, _change: object) -> None:
        if self.stickiness is not None:
            self.stickiness = max(self.stickiness, _least_sticky(self.p))

    @traitlets.validate("stickiness")
    def _check_stickiness(self, proposal: dict) -> float | None:
        if proposal["value"] is None:
            return None
        value, low = settings.number("stickiness", proposal["value"], -1.0, STICKIEST), _least_sticky(_shares(self.p))
        if value < low - 1e-9:
            raise ValueError(f"stickiness must be at least {low:.3g}, below which a probability is negative for this p, got {value:g}")
        return max(value, low)

    _check_whole = settings.checked(settings.whole, WHOLE)

    @traitlets.validate("sequences")
    def _check_sequences(self, proposal: dict) -> int | None:
        return None if proposal["value"] is None else settings.whole("sequences", proposal["value"], WHOLE["batch"][1], MOST_SEQUENCES)

    _check_number = settings.checked(settings.number, NUMBERS)
    _check_option = settings.checked(settings.option, OPTIONS)

    @traitlets.validate("average")
    def _check_average(self, proposal: dict) -> str | float | None:
        value = proposal["value"]
        if value is None or (isinstance(value, str) and value == "tail"):
            return value
        if isinstance(value, str):
            raise ValueError(f"average must be None, 'tail' or a number from {KEEPS[0]:g} to {KEEPS[1]:g}, got {value!r}")
        return settings.number("average", value, *KEEPS)

    @traitlets.validate("speed")
    def _check_speed(self, proposal: dict) -> float | None:
        return None if proposal["value"] is None else settings.number("speed", proposal["value"], *SPEEDS)


@cache
def blobs() -> dict[str, bytes]:
    """The front end's data: the training step, the reading of all rows, Adam with an average, and the worker's code."""
    graphs = {name: graph(name) for name in ("memoryless", "memoryless_read", "adam_averaged")}
    return graphs | {"worker": packed(bundle("source_trainer", "worker.js"))}


def _shares(value: object) -> list[float]:
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


def _least_sticky(p: Sequence[float]) -> float:
    return -min(p) / (1 - min(p))
