"""One visible loop that trains many models of source R at once, and what it can be told."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from tqdm import trange

from course_lib import checks
from course_lib.checkpoint import read_checkpoint, write_checkpoint
from course_lib.memoryless.batches import Batches
from course_lib.memoryless.ensemble import Ensemble
from course_lib.memoryless.sizes import Sizes
from course_lib.sources import Markov, Memoryless

DECAYS: dict[str, Callable[[float], float]] = {  # the part of a run that is over → the part of the rate that is left
    "none": lambda over: 1.0,
    "linear": lambda over: 1 - over,
    "cosine": lambda over: (1 + math.cos(math.pi * over)) / 2,
}


@dataclass(frozen=True)
class Training:
    """How models are trained; what is given here is what source R's Table 2 says, with the shortest reading of its
    budget.

    `updates` of `batch` sequences each, out of the `sequences` that each model owns (None: new ones for ever). The rate
    falls to 0 at the end by `decay`. `average`: None; "tail", the mean of the parameters over the last half of the run;
    or a number below 1, the share that a running average keeps at each update, its start from zero undone as in Adam.
    """

    updates: int = 1500
    batch: int = 16
    sequences: int | None = 8000
    rate: float = 1e-3
    betas: tuple[float, float] = (0.9, 0.95)
    eps: float = 1e-8
    decay: str = "none"
    average: str | float | None = None
    scale: str = "m"

    def __post_init__(self) -> None:
        checks.positive_int("updates", self.updates)
        checks.number("rate", self.rate, positive=True)
        checks.one_of("decay", self.decay, tuple(DECAYS))
        keeps = isinstance(self.average, float) and 0 < self.average < 1
        if not (self.average is None or self.average == "tail" or keeps):
            checks.fail("average", 'None, "tail" or a number between 0 and 1', repr(self.average))

    def rate_at(self, update: int) -> float:
        return self.rate * DECAYS[self.decay](update / self.updates)


class Trained(NamedTuple):
    """The models after their last update, each update's loss [S, updates] in nats, and the averaged models if asked
    for."""

    ensemble: Ensemble
    losses: np.ndarray
    averaged: Ensemble | None


@torch.no_grad()
def train(
    sizes: Sizes,
    source: Memoryless | Markov,
    seeds: Sequence[int],
    training: Training = Training(),
    *,
    dtype: torch.dtype = torch.float32,
    progress: bool = False,
    watch: Callable[[int, Ensemble], None] | None = None,
    checkpoint: str | Path | None = None,
    every: int = 500,
) -> Trained:
    """Train one model a seed, all at once; `watch(update, ensemble)` is called after update 1, 2, ….

    Each seed settles its model's start, data and order, whatever the other seeds are. With `checkpoint` the run is
    written there every `every` updates; where the file exists the run goes on from it, and ends as if it had never been
    interrupted. Raises ValueError where the source's vocabulary is not the model's and for a checkpoint of another run,
    and FloatingPointError where a loss is no longer finite.
    """
    sizes = Sizes(*sizes).check()
    if source.v != sizes.v:
        checks.fail("source", f"of v = {sizes.v} words, as sizes say", f"one of {source.v}")
    ensemble = Ensemble(sizes, seeds, scale=training.scale, betas=training.betas, eps=training.eps, dtype=dtype)
    batches = Batches(source, seeds, sizes.n, training.batch, training.sequences)
    mean = None if training.average is None else torch.zeros_like(ensemble.flat)
    losses = torch.empty(training.updates, len(ensemble.seeds), dtype=dtype)
    checks.positive_int("every", every)
    path = None if checkpoint is None else Path(checkpoint)
    run = "" if path is None else _description(sizes, source, seeds, training, dtype)
    begin = 0
    if path is not None and (stored := read_checkpoint(path, run)) is not None:
        begin = int(stored["update"])
        ensemble.load_state_dict(stored)
        losses[:begin] = stored["losses"]
        if mean is not None:
            mean.copy_(stored["mean"])
    for update in trange(begin, training.updates, initial=begin, total=training.updates, disable=not progress):
        losses[update] = ensemble.step(*batches.at(update), training.rate_at(update))
        if mean is not None:
            mean.lerp_(ensemble.flat, _weight(update, training))
        if watch is not None:
            watch(update + 1, ensemble)
        if path is not None and (update + 1) % every == 0:
            kept = {} if mean is None else {"mean": mean}
            reached = {"update": torch.tensor(update + 1), "losses": losses[: update + 1]}
            write_checkpoint(path, ensemble.state_dict() | reached | kept, run)
    if not losses[-1].isfinite().all():
        lost = [seed for seed, good in zip(seeds, losses[-1].isfinite().tolist(), strict=True) if not good]
        raise FloatingPointError(f"the loss is no longer finite for seeds {lost}: lower the rate")
    return Trained(ensemble, losses.T.double().numpy(), None if mean is None else ensemble.at(mean))


def _description(
    sizes: Sizes, source: Memoryless | Markov, seeds: Sequence[int], training: Training, dtype: torch.dtype
) -> str:
    """All that settles a run, in words."""
    law = source.next(np.arange(source.v)).tolist()  # the rows of a chain; all alike where there is no memory
    return f"{sizes}, source {law}, seeds {list(seeds)}, {training}, {dtype}"


def _weight(update: int, training: Training) -> float:
    """The share of the newest parameters in the average."""
    if training.average == "tail":
        seen = update - training.updates // 2 + 1  # iterates of the last half so far
        return 1 / seen if seen > 0 else 0.0
    return (1 - training.average) / (1 - training.average ** (update + 1))
