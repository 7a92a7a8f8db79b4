"""A run of the translator trainer in PyTorch: the page's start, letters, steps and measures, so that the two can be
held together.

The task: read letters drawn at random, write them in reverse order (or in theirs); each letter to be written is, with
probability `noise`, exchanged for one drawn from all letters. Nobody can know which, so no translator's expected loss
is below the entropy of that noise. One `Generator` with the run's seed draws the parameters, in the order of ORDER, and
then every batch. Twin: widgets/translator_trainer/run.js.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib import checks
from course_lib.graphs.random import Generator
from course_lib.recurrent import RNNencdec, RNNsearch

LETTERS, D = 8, 8
START = LETTERS  # the sign that the decoder reads first; it is never asked for
TEST, TEST_SEED = 128, 2_000_000_000
ORDER = (
    "E_source", "encoder.", "decoder.W_0", "decoder.b_0", "decoder.score.W_k", "E_target", "decoder.cell.",
    "decoder.W_r", "decoder.b_r",
    "decoder.U", "decoder.b_U", "decoder.score.W_q", "decoder.score.w",
)  # fmt: skip


@dataclass(frozen=True)
class TranslatorSettings:
    """The trainer's settings, with its defaults; their meaning is told at widgets.TranslatorTrainer."""

    length: int = 4
    r: int = 16
    cell: str = "gru"
    attention: bool = False
    order: str = "reversed"
    noise: float = 0.1
    batch: int = 32
    rate: float = 0.01
    seed: int = 1


class Letters(NamedTuple):
    """source: the letters read; right: in the order in which they are to be written; target: with noise. All [b, n]."""

    source: Tensor
    right: Tensor
    target: Tensor


def floor(noise: float) -> float:
    """The entropy of the noise, in nats a letter: the right one has probability 1 - noise + noise/8, each other one
    noise/8."""
    p = np.full(LETTERS, noise / LETTERS)
    p[0] += 1 - noise
    return float(-(p[p > 0] * np.log(p[p > 0])).sum())


def letters(settings: TranslatorSettings, random: Generator, rows: int) -> Letters:
    """So many rows of the task."""
    shape = rows, settings.length
    source, exchanged, others = (draw.reshape(shape) for draw in _draws(random, rows * settings.length))
    right = source[:, ::-1] if settings.order == "reversed" else source
    return Letters(
        *(torch.tensor(each.copy()) for each in (source, right, np.where(exchanged < settings.noise, others, right)))
    )


def _draws(random: Generator, count: int) -> tuple[np.ndarray, ...]:
    return random.below(LETTERS, count), random.uniform(count), random.below(LETTERS, count)


class TranslatorRun:
    """The model of one run; `step` trains it, `measure` looks. The page computes in float32."""

    def __init__(self, settings: TranslatorSettings, dtype: torch.dtype = torch.float32) -> None:
        self.settings, self.random = settings, Generator(settings.seed)
        kind = RNNsearch if settings.attention else RNNencdec
        self.model = kind(LETTERS, LETTERS + 1, D, settings.r, cell=settings.cell, bidirectional=False, dtype=dtype)
        with torch.no_grad():
            for place in ORDER:
                for name, parameter in self.model.named_parameters():
                    if name.startswith(place):
                        parameter.copy_(torch.from_numpy(self._start(name, parameter)).view(parameter.shape))
        self.optimizer = torch.optim.Adam(self.model.parameters(), lr=settings.rate)
        self.test = letters(settings, Generator(TEST_SEED), TEST)

    def _start(self, name: str, parameter: Tensor) -> np.ndarray:
        """As the modules begin (`course_lib.parameters`): a cell's are uniform, matrices normal, biases zero."""
        last, count = name.rsplit(".", 1)[-1], parameter.numel()
        if last in ("b_0", "b_r", "b_U"):
            return np.zeros(count, dtype=np.float32)
        if last in ("W_x", "W_s", "b", "b_n"):
            drawn = (2 * self.random.uniform(count) - 1) / math.sqrt(self.settings.r)
        else:
            drawn = self.random.normal(count) / math.sqrt(1 if last.startswith("E_") else parameter.shape[0])
        return drawn.astype(np.float32)

    def read(self, rows: Letters) -> tuple[Tensor, Tensor | None]:
        """Logits [b, n, 9], and with attention the weights [b, n, n]: each letter with those to be written before it in
        sight."""
        start = torch.full_like(rows.target[:, :1], START)
        with checks.trusted():
            return self.model(rows.source, torch.cat([start, rows.target[:, :-1]], 1))

    def step(self) -> float:
        """One update of Adam on new rows; the loss before it, in nats a letter."""
        rows = letters(self.settings, self.random, self.settings.batch)
        loss = F.cross_entropy(self.read(rows)[0].flatten(0, 1), rows.target.flatten())
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def measure(self) -> tuple[float, Tensor, Tensor | None]:
        """On the fixed test rows: the loss expected over the noise of the letter asked for, never below `floor`; the
        share of rows in which the right letter is the likeliest, at each place [n]; the weights of the first row [n,
        n].
        """
        logits, weights = self.read(self.test)
        wrong = -logits.double().log_softmax(-1)
        right = wrong.gather(-1, self.test.right[..., None]).mean()
        noise = self.settings.noise
        loss = (1 - noise) * right + noise * wrong[..., :LETTERS].mean()
        shares = (logits.argmax(-1) == self.test.right).double().mean(0)
        return loss.item(), shares, None if weights is None else weights[0]
