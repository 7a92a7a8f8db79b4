"""A run of the source trainer in PyTorch: the page's start, data, steps and average, so that the two can be held
together.

One `Generator` with the run's seed draws the learnables, in the order of `shapes`, and then the data. Twin:
widgets/source_trainer/run.js.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from course_lib.graphs.random import Generator
from course_lib.memoryless import Sizes, SourceModel, Training, shapes

PROBES, PROBES_EACH, PROBE_SEED = 64, 8, 2_000_000_000


@dataclass(frozen=True)
class SourceSettings:
    """The trainer's settings, with its defaults; their meaning is told at widgets.SourceTrainer."""

    p: tuple[float, ...] = (0.5, 0.25, 0.125, 0.125)
    stickiness: float | None = None
    n: int = 16
    d: int = 8
    m: int = 4
    r: int = 16
    scale: str = "m"
    updates: int = 1500
    batch: int = 16
    sequences: int | None = 8000
    rate: float = 1e-3
    beta_2: float = 0.95
    decay: str = "none"
    average: str | float | None = None
    seed: int = 1


def transitions(settings: SourceSettings) -> np.ndarray:
    """P [v, v] = s·1 + (1 - s)·(rows p): the chain whose shares are p; with s = 0 every row is p."""
    s, p = settings.stickiness or 0.0, np.array(settings.p)
    return np.maximum(s * np.eye(len(p)) + (1 - s) * p, 0)


def sample_source(
    settings: SourceSettings, random: Generator, rows: int, length: int, first: np.ndarray | None = None
) -> np.ndarray:
    """Sequences [rows, length] of the source: int64, one uniform number a token, row by row. `first` [rows] starts
    them."""
    p, P = np.array(settings.p), transitions(settings)
    uniform = random.uniform(rows * length).reshape(rows, length)
    tokens = np.empty((rows, length), dtype=np.int64)
    for t in range(length):
        if t == 0 and first is not None:
            tokens[:, 0] = first
            continue
        ends = np.cumsum(P, -1)[tokens[:, t - 1]] if t else np.broadcast_to(np.cumsum(p), (rows, len(p)))
        tokens[:, t] = (uniform[:, t, None] >= ends[:, :-1]).sum(-1)
    return tokens


def probes(settings: SourceSettings) -> np.ndarray:
    """The inputs [64 + 8v, n] that every frame is measured on: 64 of the source, then 8 that end in token 0, 8 in token
    1, ….

    The latter are drawn backwards: such a chain is the same in both directions of time.
    """
    random, v = Generator(PROBE_SEED), len(settings.p)
    mixed = sample_source(settings, random, PROBES, settings.n)
    ending = sample_source(settings, random, PROBES_EACH * v, settings.n, np.repeat(np.arange(v), PROBES_EACH))
    return np.concatenate([mixed, ending[:, ::-1]])


class SourceRun:
    """model, its average and the data of one run; `step` trains, `measure` looks. The page computes in float32."""

    def __init__(self, settings: SourceSettings, dtype: torch.dtype = torch.float32):
        self.settings, self.random = settings, Generator(settings.seed)
        self.sizes = Sizes(len(settings.p), settings.n, settings.d, settings.m, settings.r)
        self.training = Training(
            updates=settings.updates,
            rate=settings.rate,
            decay=settings.decay,
            betas=(0.9, settings.beta_2),
            average=settings.average,
        )
        self.dtype, self.model = dtype, SourceModel(self.sizes, scale=settings.scale, dtype=dtype)
        with torch.no_grad():
            for name, shape in shapes(self.sizes).items():
                getattr(self.model, name).copy_(torch.from_numpy(self._start(name, shape)))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=settings.rate, betas=self.training.betas)
        self.average = [torch.zeros_like(p) for p in self.model.parameters()]
        self.update = 0
        if settings.sequences is not None:
            self.words = sample_source(settings, self.random, settings.sequences, settings.n + 1)

    def _start(self, name: str, shape: tuple[int, ...]) -> np.ndarray:
        count = int(np.prod(shape))
        if name in ("E", "P"):
            draws = 0.01 * self.random.normal(count)
        elif len(shape) == 2:
            draws = (6 / sum(shape)) ** 0.5 * (2 * self.random.uniform(count) - 1)
        else:
            draws = np.full(count, float(name.startswith("gamma")))
        return draws.astype(np.float32).reshape(shape)

    def batch(self) -> tuple[np.ndarray, np.ndarray]:
        """tokens [b, n] and targets [b] of this update: of the run's own set in a new order each epoch, or new ones."""
        b, sequences = self.settings.batch, self.settings.sequences
        if sequences is None:
            words = sample_source(self.settings, self.random, b, self.settings.n + 1)
        else:
            place = self.update % (sequences // b)
            if place == 0:
                self.order = np.argsort(self.random.uniform(sequences), kind="stable")
            words = self.words[self.order[place * b : (place + 1) * b]]
        return words[:, :-1], words[:, -1]

    def step(self) -> float:
        """One update of Adam; the loss before it, in nats."""
        tokens, targets = map(torch.from_numpy, self.batch())
        loss = torch.nn.functional.cross_entropy(self.model.last(tokens), targets)
        self.optimizer.param_groups[0]["lr"] = self.training.rate_at(self.update)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        with torch.no_grad():
            for mean, parameter in zip(self.average, self.model.parameters(), strict=True):
                mean.lerp_(parameter, self._weight())
        self.update += 1
        return loss.item()

    def _weight(self) -> float:
        """The share of the newest parameters in the average; without one asked for, 0.99 is kept, so that it can be
        switched on."""
        keep = self.settings.average
        if keep == "tail":
            seen = self.update - self.settings.updates // 2 + 1
            return 1 / max(1, seen)  # before the last half: the parameters themselves
        keep = 0.99 if keep is None else keep
        return (1 - keep) / (1 - keep ** (self.update + 1))

    @torch.no_grad()
    def exact_loss(self, averaged: bool = False) -> float:
        """The loss to expect at the probes, nats: each last token with its share, the next drawn from its row of P."""
        p, P = torch.tensor(self.settings.p, dtype=torch.float64), torch.from_numpy(transitions(self.settings))
        q = self.measure(averaged)[PROBES:].double().unflatten(0, (len(p), PROBES_EACH))
        return -(p[:, None, None] * P[:, None] * q.log()).sum().item() / PROBES_EACH

    @torch.no_grad()
    def measure(self, averaged: bool = False) -> Tensor:
        """q [64 + 8v, v] at `probes`, of the parameters or of their average."""
        model = self.model
        if averaged and self.update > 0:
            model = SourceModel(self.sizes, scale=self.settings.scale, dtype=self.dtype)
            for parameter, mean in zip(model.parameters(), self.average, strict=True):
                parameter.copy_(mean)
        return model.last(torch.from_numpy(probes(self.settings))).softmax(-1)
