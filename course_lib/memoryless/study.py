"""The published study run again: 72 configurations, several models each, under each reading of the printed budget.

Table 2 of the source says "Iterazioni 8000, Epoche 3" and a batch of 16. `READINGS` holds the three things this can
mean, as the number of updates in all.  [Sandron 2024, Tables 2–5]
"""

import math
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch

from course_lib import __version__, checks, published
from course_lib.memoryless.predictions import read
from course_lib.memoryless.sizes import Sizes, count
from course_lib.memoryless.training import Training, train
from course_lib.sources import Memoryless

READINGS: dict[
    int, int
] = {  # updates in all → sequences of a model, so that three epochs of batches of 16 make these updates
    1500: 8000,  # 8000 sequences: 500 batches, three times
    8000: 42_672,  # 8000 updates in all: 2667 batches, three times, the last one left out
    24000: 128_000,  # 8000 updates an epoch, three times
}
DTYPES = {"float32": torch.float32, "float64": torch.float64}
INPUTS = 256  # fresh sequences from which a trained model's prediction is read
LAST = 0.1  # the loss printed beside the example is the mean of the last tenth


@dataclass(frozen=True)
class Settings:
    """What all rows of a study share; two studies with the same settings write the same rows.

    budget: updates in all, a key of `READINGS`, or fewer for a trial. seeds: models a configuration. Raises ValueError
    by name.
    """

    budget: int = 1500
    seeds: int = 16
    beta2: float = 0.95
    scale: str = "m"
    dtype: str = "float64"
    version: str = __version__

    def __post_init__(self) -> None:
        checks.positive_int("budget", self.budget)
        checks.positive_int("seeds", self.seeds)
        checks.number("beta2", self.beta2, positive=True)
        checks.one_of("dtype", self.dtype, tuple(DTYPES))
        checks.one_of("scale", self.scale, ("m", "d"))
        if self.beta2 >= 1:
            checks.fail("beta2", "below 1", self.beta2)
        if self.budget not in READINGS and self.budget > max(READINGS):
            checks.fail("budget", f"one of {', '.join(map(str, READINGS))}, or fewer updates for a trial", self.budget)

    def training(self) -> Training:
        # a trial of another length has the data of the shortest reading that is long enough
        sequences = next(READINGS[updates] for updates in READINGS if self.budget <= updates)
        return Training(updates=self.budget, sequences=sequences, betas=(0.9, self.beta2), scale=self.scale)

    def as_json(self) -> dict[str, Any]:
        """Every number that settles a row, also those that cannot be chosen here."""
        training = asdict(self.training())
        kept = {key: training[key] for key in ("updates", "sequences", "batch", "rate", "eps", "decay")}
        return {**asdict(self), **kept, "betas": list(training["betas"]), "inputs": INPUTS}


class Row(NamedTuple):
    """One configuration. For each of S seeds: err max|p − q| and range, the largest range of a q_i over inputs, in
    percentage points; loss H(p, q) of the mean prediction q, and last, the mean training loss of the last tenth, in
    nats; q [S, v] in per cent."""

    v: int
    n: int
    d: int
    m: int
    r: int
    err: list[float]
    loss: list[float]
    range: list[float]
    last: list[float]
    q: list[list[float]]

    @property
    def sizes(self) -> Sizes:
        return Sizes(*self[:5])


def configurations() -> list[Sizes]:
    """The 72 published ones, in the printed order."""
    return [Sizes(row.v, row.n, row.d, row.m, row.r) for row in published.rows()]


def chosen(only: dict[str, int] | None = None, smallest: int | None = None) -> list[Sizes]:
    """The configurations with the sizes in `only`; of these, for each v, the `smallest` with the fewest learnables."""
    for name, value in (only or {}).items():
        checks.one_of("only", name, Sizes._fields)
        checks.positive_int(name, value)
    found = [
        sizes
        for sizes in configurations()
        if all(getattr(sizes, name) == value for name, value in (only or {}).items())
    ]
    if not found:
        checks.fail("only", "sizes of a published configuration", only)
    if smallest is not None:
        checks.positive_int("smallest", smallest)
        ranked = {v: sorted((s for s in found if s.v == v), key=count)[:smallest] for v in {s.v for s in found}}
        found = [sizes for sizes in found if sizes in ranked[sizes.v]]
    return found


def seeds_of(sizes: Sizes, number: int) -> list[int]:
    """The seeds of a configuration's models: no two configurations share one, so their rows are independent."""
    return [int(np.random.SeedSequence([i, *sizes]).generate_state(1)[0]) for i in range(number)]


def checkpoint_of(sizes: Sizes, folder: Path) -> Path:
    """Where a row in progress is kept."""
    return folder / f"{'-'.join(map(str, sizes))}.safetensors"


def run(sizes: Sizes, settings: Settings, folder: Path | None = None) -> Row:
    """Train and read the models of one configuration. ValueError for a size below 1.

    With `folder` the training is kept there now and then, and goes on from there; who keeps the row deletes the file.
    """
    sizes = Sizes(*sizes).check()
    source, seeds = Memoryless(published.P[sizes.v]), seeds_of(sizes, settings.seeds)
    trained = train(
        sizes,
        source,
        seeds,
        settings.training(),
        dtype=DTYPES[settings.dtype],
        checkpoint=None if folder is None else checkpoint_of(sizes, folder),
    )
    reading = read(trained.ensemble, source, inputs=INPUTS)
    tail = math.ceil(LAST * settings.budget)
    return Row(
        *sizes,
        err=_short(reading.error, 4),
        loss=_short(reading.loss, 6),
        range=_short(reading.spread, 4),
        last=_short(trained.losses[:, -tail:].mean(1), 6),
        q=[_short(100 * q, 4) for q in reading.q],
    )


def _short(values: np.ndarray, digits: int) -> list[float]:
    return [round(float(value), digits) for value in values]
