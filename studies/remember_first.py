"""Who can remember the first of T tokens, and is a cell that learns it taught or thrown?

    python studies/remember_first.py            (about 12 minutes of one core)

A sequence begins with one of four letters, T - 1 letters of another four follow, and the cell's last state must name
the first one: chance is 0.25. A run has learned when, at a check (every EVERY steps, STEPS in all), it names 99 % of
500 sequences that it is not trained on.

rows: a row for each cell, optimiser, T and threshold of clipping (None: no clipping): how many of the seeds learned at
each of seven learning rates, half a decade apart; a rate leaves the training when all its seeds have learned, the
others go on to the end. "right" is the mean share named at the last check, "arrives" ‖∂s_T/∂s_1‖ before training, the
mean over the seeds.
watched: a few settings at one rate, looked at every LOOK steps: ‖∂s_T/∂s_1‖ and the share named, for each seed. `lies`:
for so many steps the answers are drawn by lot, so that there is nothing to learn; `then`: the rate afterwards.
"""

import math
import sys
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from course_lib.gradients import jacobians, norms, scale_recurrent
from course_lib.recurrent.cells import CELLS, Cell
from course_lib.results.study import Again, Part, Study

LETTERS, R, BATCH, STEPS, EVERY, SEEDS, ASKED, LEARNED, CLIP = 4, 24, 32, 400, 25, 5, 500, 0.99, 1.0
LENGTHS, LOOK, WATCHED = (16, 32), 5, 200
OPTIMISERS: dict[str, tuple[type[torch.optim.Optimizer], tuple[float, ...]]] = {
    "SGD": (torch.optim.SGD, (0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0)),
    "Adagrad": (torch.optim.Adagrad, (0.003, 0.01, 0.03, 0.1, 0.3, 1.0, 3.0)),
    "Adadelta": (torch.optim.Adadelta, (0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0)),
    "Adam": (torch.optim.Adam, (0.0003, 0.001, 0.003, 0.01, 0.03, 0.1, 0.3)),
}
KINDS = ("rnn", "rnn, orthogonal", "gru", "lstm", "lstm, bias 2")


class Remember(nn.Module):
    """One-hot letters [b, n, 8] → logits [b, 4] of the first letter, from the last state."""

    def __init__(self, kind: str, seed: int) -> None:
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.cell: Cell = CELLS[kind.split(",")[0]](2 * LETTERS, R, generator=generator)
        if kind.endswith("orthogonal"):
            scale_recurrent(self.cell, 1.0, generator)
        if kind.endswith("bias 2"):
            with torch.no_grad():
                self.cell.b[R : 2 * R] = 2.0  # the forget gate starts at σ(2) = 0.88
        self.U = nn.Parameter((2 * torch.rand(R, LETTERS, generator=generator) - 1) / R**0.5)

    def forward(self, x: Tensor) -> Tensor:
        state = self.cell.start(len(x))
        for read in self.cell.read(x).unbind(1):
            state = self.cell.step(read, state)
        return self.cell.visible(state) @ self.U


def sequences(count: int, T: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """One-hot letters [count, T, 8] and the first letter of each [count]."""
    letters = torch.randint(LETTERS, (count, T), generator=generator)
    first = letters[:, 0].clone()
    letters[:, 1:] += LETTERS
    return nn.functional.one_hot(letters, 2 * LETTERS).float(), first


def arrives(model: Remember, x: Tensor) -> float:
    """‖∂s_T/∂s_1‖, the mean over a few sequences; infinite where it is no number any more."""
    J = jacobians(model.cell, x[:8])[:, 1]
    return norms(J).mean().item() if J.isfinite().all() else math.inf


class Runs:
    """SEEDS runs at each rate, side by side, each with its own parameters; run i of every rate sees the same
    sequences."""

    def __init__(self, kind: str, optimiser: str, T: int, rates: tuple[float, ...], clip: float | None) -> None:
        self.models, self.T, self.clip = [Remember(kind, seed) for seed in range(SEEDS)], T, clip
        start = stack_module_state(self.models)[0]
        self.groups = {
            rate: {name: value.detach().clone().requires_grad_() for name, value in start.items()} for rate in rates
        }
        self.optimisers = {
            rate: OPTIMISERS[optimiser][0](group.values(), lr=rate) for rate, group in self.groups.items()
        }
        self.generators = [torch.Generator().manual_seed(1000 * T + seed) for seed in range(SEEDS)]
        self.asked, self.answers = sequences(ASKED, T, torch.Generator().manual_seed(7))

    def answer(self, parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        return functional_call(self.models[0], parameters, (x,))

    def stacked(self) -> dict[str, Tensor]:
        groups = list(self.groups.values())
        return {name: torch.cat([group[name] for group in groups]) for name in groups[0]}  # [rates · seeds, …]

    def step(self, lie: bool = False) -> None:
        """One update of all runs; `lie`: with answers drawn by lot."""
        drawn = [sequences(BATCH, self.T, generator) for generator in self.generators]
        if lie:
            drawn = [
                (x, torch.randint(LETTERS, first.shape, generator=g))
                for (x, first), g in zip(drawn, self.generators, strict=True)
            ]
        x, first = (
            torch.stack(each).repeat(len(self.groups), *[1] * each[0].dim()) for each in zip(*drawn, strict=True)
        )
        logits = vmap(self.answer)(self.stacked(), x)  # [rates · seeds, b, 4]
        for each in self.optimisers.values():
            each.zero_grad()
        (nn.functional.cross_entropy(logits.flatten(0, 1), first.flatten(), reduction="sum") / BATCH).backward()
        for rate, group in self.groups.items():
            if self.clip is not None:
                shorten(list(group.values()), self.clip)
            self.optimisers[rate].step()

    @torch.no_grad()
    def right(self) -> dict[float, Tensor]:
        """rate → the share that each run names [seeds]."""
        named = vmap(self.answer, in_dims=(0, None))(self.stacked(), self.asked).argmax(-1)
        return dict(zip(self.groups, (named == self.answers).float().mean(1).split(SEEDS), strict=True))

    def arrives(self, rate: float) -> list[float]:
        """‖∂s_T/∂s_1‖ of each run."""
        for seed, model in enumerate(self.models):
            model.load_state_dict({name: value[seed].detach() for name, value in self.groups[rate].items()})
        return [arrives(model, self.asked) for model in self.models]

    def drop(self, rate: float) -> None:
        del self.groups[rate], self.optimisers[rate]


def shorten(parameters: list[Tensor], clip: float) -> None:
    """Each run's gradient, all its parameters together, to the norm `clip` at most; runs lie along the first axis."""
    length = torch.stack([p.grad.flatten(1).pow(2).sum(1) for p in parameters]).sum(0).sqrt()  # [seeds]
    factor = (clip / length).clamp(max=1.0)
    for p in parameters:
        p.grad.mul_(factor.view(-1, *[1] * (p.dim() - 1)))


def run(kind: str, optimiser: str, T: int, clip: float | None, steps: int = STEPS) -> dict[str, Any]:
    """One row: all rates of the setting, until each has learned with all seeds or the steps are over."""
    rates = OPTIMISERS[optimiser][1]
    runs = Runs(kind, optimiser, T, rates, clip)
    before = sum(runs.arrives(rates[0])) / SEEDS
    learned = {rate: torch.zeros(SEEDS, dtype=torch.bool) for rate in rates}
    right = {rate: torch.zeros(SEEDS) for rate in rates}
    for step in range(1, steps + 1):
        if not runs.groups:
            break
        runs.step()
        if step % EVERY == 0:
            for rate, share in runs.right().items():
                right[rate] = share
                learned[rate] |= share >= LEARNED
                if learned[rate].all():
                    runs.drop(rate)
    return {
        "cell": kind, "optimiser": optimiser, "T": T, "clip": clip,
        "learned": [int(learned[rate].sum()) for rate in rates],
        "right": [round(right[rate].mean().item(), 3) for rate in rates], "arrives": float(f"{before:.3g}"),
    }  # fmt: skip


def watch(
    kind: str, optimiser: str, T: int, clip: float | None, rate: float, lies: int, then: float, steps: int = WATCHED
) -> dict[str, Any]:
    """One setting at one rate, looked at every LOOK steps; the first `lies` answers are drawn by lot, and afterwards
    the rate is `then`."""
    runs = Runs(kind, optimiser, T, (rate,), clip)
    seen: list[tuple[list[float], list[float]]] = []
    for step in range(steps + 1):
        if step % LOOK == 0:
            arriving = [float(f"{value:.2g}") if math.isfinite(value) else None for value in runs.arrives(rate)]
            seen.append((arriving, [round(share, 2) for share in runs.right()[rate].tolist()]))
        if step == lies:
            runs.optimisers[rate].param_groups[0]["lr"] = then
        runs.step(lie=step < lies)
    norm, right = (list(map(list, zip(*each, strict=True))) for each in zip(*seen, strict=True))  # [seeds][looks]
    return {
        "cell": kind, "optimiser": optimiser, "T": T, "clip": clip, "rate": rate, "lies": lies, "then": then,
        "norm": norm, "right": right,
    }  # fmt: skip


SETTINGS = {
    "letters": LETTERS, "r": R, "batch": BATCH, "steps": STEPS, "every": EVERY, "seeds": SEEDS, "asked": ASKED,
    "learned_from": LEARNED, "look": LOOK,
    "watched_for": WATCHED, "lengths": list(LENGTHS), "cells": list(KINDS), "rates": {name: list(rates) for name, (_,
    rates) in OPTIMISERS.items()},
}  # fmt: skip
WANTED = [
    *((kind, name, 32, CLIP) for kind in KINDS for name in OPTIMISERS),
    *(("rnn", name, 16, CLIP) for name in OPTIMISERS),
    *(("gru", name, 32, None) for name in ("SGD", "Adam")),
]
OPENING, LOT = 20, WATCHED  # steps by lot before the truth; all answers by lot
AT: tuple[tuple[str, str, int, float], ...] = (
    ("gru", "SGD", 32, 10.0), ("gru", "Adam", 32, 0.1), ("lstm", "Adagrad", 32, 1.0), ("lstm, bias 2", "SGD", 32, 0.3),
    ("rnn", "Adam", 16, 0.01),
)  # fmt: skip


def slower(rate: float) -> float:
    """A decade lower."""
    return round(rate / 10, 6)


LOOKED_AT = [
    *((kind, name, T, CLIP, rate, lies, rate) for kind, name, T, rate in AT for lies in (0, LOT)),
    *((kind, name, T, CLIP, slower(rate), 0, slower(rate)) for kind, name, T, rate in AT),
    *((kind, name, T, CLIP, rate, OPENING, slower(rate)) for kind, name, T, rate in AT[:3]),
    *((kind, name, T, None, rate, 0, rate) for kind, name, T, rate in AT[:3]),
]
AGAIN = [
    *(("gru", "SGD", 32, CLIP, 10.0, lies, 10.0) for lies in (0, LOT)),
    ("gru", "SGD", 32, None, 10.0, 0, 10.0),
    ("rnn", "Adam", 16, CLIP, 0.01, 0, 0.01),
]
STUDY = Study(
    "remember_first", {"settings": SETTINGS},
    {"watched": Part(watch, LOOKED_AT, key=("cell", "optimiser", "T", "clip", "rate", "lies", "then")),
    "rows": Part(run, WANTED, key=("cell", "optimiser", "T", "clip"))},
    minutes=12,
    again=[
        Again("watched", AGAIN, lambda *setting: watch(*setting, steps=0), ("norm", "right"), rel=0.05),
        # five large steps magnify another processor's rounding
        Again("watched", AGAIN, lambda *setting: watch(*setting, steps=LOOK), ("norm",), rel=0.5),
        Again("rows", [("rnn", "Adam", 16, CLIP)], lambda *setting: run(*setting, steps=0), ("arrives",), rel=0.02),
    ],
)  # fmt: skip


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
