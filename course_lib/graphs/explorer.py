"""A run of the explorer in PyTorch: the same start, batches and steps as in the page, so that the two can be held
together.

One `Generator` with the run's seed draws the parameters, in the graph's order, and then every batch. Twin:
widgets/attention_explorer/session.js.
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from course_lib.graphs.random import Generator
from course_lib.graphs.training import TokenModel, masked_cross_entropy
from course_lib.tasks import TASKS, Batch, Task, one_hot
from course_lib.transformer import alibi, rotary, sinusoidal

BATCH, TEST_BATCH, TEST_SEED = 32, 64, 2_000_000_000


@dataclass(frozen=True)
class Settings:
    """The explorer's dials; r, the feed-forward width, is 2d. positions: "none", "sinusoidal", "learned", "rotary" or
    "alibi".

    `share` heads have one key and value: there are ⌈h/share⌉ key heads.
    """

    task: str = "reverse"
    d: int = 32
    m: int = 16
    h: int = 2
    share: int = 1
    layers: int = 1
    positions: str = "learned"
    norm: str = "pre"
    residual: bool = True
    causal: bool = True
    scaled: bool = True
    rate: float = 0.003
    seed: int = 1


class Run:
    """model, positions [n, d] and the random stream of one run; `step` trains, `read` looks.

    Sinusoids are multiplied by √(2/d): each position's vector then has length 1, as learned ones have on average.
    """

    def __init__(self, settings: Settings):
        self.settings, self.task = settings, TASKS[settings.task]
        self.random = Generator(settings.seed)
        n, d, vocab = self.task.n, settings.d, len(self.task.vocabulary)
        shape = (settings.layers, vocab, d, settings.m, settings.h, 2 * d)
        relative = settings.share > 1 or settings.positions in ("rotary", "alibi")
        key_heads = -(-settings.h // settings.share) if relative else None
        self.model = TokenModel(*shape, norm=settings.norm, residual=settings.residual, key_heads=key_heads)
        with torch.no_grad():
            for name, parameter in self.model.named_parameters():
                if (deviation := _deviation(name, settings)) is not None:
                    draws = self.random.normal(parameter.numel()).astype(np.float32)
                    parameter.copy_(torch.from_numpy(draws * np.float32(deviation)).view(parameter.shape))
        draws = self.random.normal(n * d).astype(np.float32).reshape(n, d)  # drawn even where none are used
        table = {
            "none": lambda: torch.zeros(n, d),
            "sinusoidal": lambda: sinusoidal(n, d, dtype=torch.float32) * math.sqrt(2 / d),
            "rotary": lambda: torch.zeros(n, d),
            "alibi": lambda: torch.zeros(n, d),
            "learned": lambda: torch.from_numpy(draws * np.float32(d**-0.5)),
        }
        self.positions = table[settings.positions]().requires_grad_(settings.positions == "learned")
        trained = [*self.model.parameters(), *([self.positions] if self.positions.requires_grad else [])]
        self.optimizer = torch.optim.Adam(trained, lr=settings.rate)
        self.mask = torch.ones(n, n, dtype=torch.bool)
        self.mask = self.mask.tril() if settings.causal else self.mask
        self.scale = settings.m**-0.5 if settings.scaled else 1.0
        turn = rotary(n, settings.m, dtype=torch.float32) if settings.positions == "rotary" else None
        bias = alibi(n, settings.h, dtype=torch.float32) if settings.positions == "alibi" else None
        self.how = {"turn": turn, "bias": bias}

    def read(self, tokens: np.ndarray) -> tuple[Tensor, list[Tensor]]:
        """Logits [b, n, vocab] and each layer's weights [b, h, n, n] for tokens [b, n]."""
        encoded = torch.from_numpy(one_hot(tokens, len(self.task.vocabulary)))
        return self.model(encoded, self.positions, self.mask, self.scale, **self.how)

    def loss(self, batch: Batch) -> Tensor:
        logits, _ = self.read(batch.tokens)
        return masked_cross_entropy(logits, torch.from_numpy(one_hot(batch.targets, logits.shape[-1])))

    def step(self) -> float:
        """One step of Adam on a new batch; the loss before it, in nats per asked token."""
        loss = self.loss(self.task.batch(self.random, BATCH))
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        return loss.item()

    @torch.no_grad()
    def accuracy(self) -> float:
        """The share of right answers on the fixed test batch, each with the right answers before it in sight."""
        batch = test_batch(self.task)
        logits, _ = self.read(batch.tokens)
        asked = batch.targets >= 0
        return float((logits.argmax(-1).numpy() == batch.targets)[asked].mean())

    def parameters(self) -> dict[str, np.ndarray]:
        """Copies of all that training may change, in the graph's order, the positions last."""
        named = {name: p.detach().numpy().copy() for name, p in self.model.named_parameters()}
        return named | {"positions": self.positions.detach().numpy().copy()}


def test_batch(task: Task) -> Batch:
    return task.batch(Generator(TEST_SEED), TEST_BATCH)


def _deviation(name: str, settings: Settings) -> float | None:
    """The standard deviation of a parameter's first values, as `TokenModel` has it; None where they are constants."""
    last = name.rsplit(".", 1)[-1]
    if last in ("gain", "bias", "b_1", "b_2"):
        return None
    return {"W_O": settings.h * settings.m, "W_2": 2 * settings.d}.get(last, settings.d) ** -0.5
