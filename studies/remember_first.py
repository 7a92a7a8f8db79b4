"""Who can remember the first of T tokens? Each cell with each optimiser, at growing T.

    python studies/remember_first.py            (about five minutes of one core)

A row for each cell, optimiser and T. A sequence begins with one of
four letters, T - 1 letters of another four follow, and the cell's last state must name the first one: chance is 0.25. A run has
learned when it names 99 % of 500 new sequences. Each setting is run at three learning rates, a decade apart, with three seeds at each, until
all seeds of one rate have learned, or for STEPS steps; the row is that of the best rate. The gradient is clipped at norm 1. "arrives" is
‖∂s_T/∂s_1‖ before and after training, the mean over the seeds.
"""

import sys
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call, stack_module_state, vmap

from course_lib.gradients import jacobians, norms, scale_recurrent
from course_lib.recurrent.cells import CELLS, Cell
from course_lib.results.study import Part, Study

LETTERS, R, BATCH, STEPS, EVERY, SEEDS, ASKED, LEARNED, CLIP = 4, 24, 32, 400, 50, 3, 500, 0.99, 1.0
LENGTHS = (4, 8, 16, 32)
OPTIMISERS: dict[str, tuple[type[torch.optim.Optimizer], tuple[float, ...]]] = {
    "SGD": (torch.optim.SGD, (0.1, 1.0, 10.0)),
    "Adagrad": (torch.optim.Adagrad, (0.01, 0.1, 1.0)),
    "Adadelta": (torch.optim.Adadelta, (0.1, 1.0, 10.0)),
    "Adam": (torch.optim.Adam, (0.001, 0.01, 0.1)),
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
    """‖∂s_T/∂s_1‖, the mean over a few sequences."""
    return norms(jacobians(model.cell, x[:8])[:, 1]).mean().item()


def run(kind: str, optimiser: str, T: int, steps: int = STEPS) -> dict[str, Any]:
    """One row. All nine runs of the setting train side by side, each with its own parameters and data."""
    make, rates = OPTIMISERS[optimiser]
    models = [Remember(kind, seed) for seed in range(SEEDS)]
    groups = [{name: value.detach().clone().requires_grad_() for name, value in stack_module_state(models)[0].items()} for _ in rates]
    optimisers = [make(group.values(), lr=rate) for group, rate in zip(groups, rates, strict=True)]
    generators = [torch.Generator().manual_seed(1000 * T + seed) for seed in range(SEEDS)]
    asked, answers = sequences(ASKED, T, torch.Generator().manual_seed(7))
    before = sum(arrives(model, asked) for model in models) / SEEDS

    def answer(parameters: dict[str, Tensor], x: Tensor) -> Tensor:
        return functional_call(models[0], parameters, (x,))

    def stacked() -> dict[str, Tensor]:
        return {name: torch.cat([group[name] for group in groups]) for name in groups[0]}  # [rates · seeds, …]

    right, step = torch.zeros(len(rates), SEEDS), 0
    while step < steps and not (right >= LEARNED).all(1).any():
        step += 1
        x, first = (torch.stack(each).repeat(len(rates), *[1] * each[0].dim()) for each in zip(*(sequences(BATCH, T, g) for g in generators), strict=True))
        logits = vmap(answer)(stacked(), x)  # [rates · seeds, b, 4]
        for each in optimisers:
            each.zero_grad()
        (nn.functional.cross_entropy(logits.flatten(0, 1), first.flatten(), reduction="sum") / BATCH).backward()
        for group, each in zip(groups, optimisers, strict=True):
            clip(list(group.values()))
            each.step()
        if step % EVERY == 0:
            with torch.no_grad():
                named = vmap(answer, in_dims=(0, None))(stacked(), asked).argmax(-1)
            right = (named == answers).float().mean(1).view(len(rates), SEEDS)
    best = max(range(len(rates)), key=lambda i: ((right[i] >= LEARNED).sum().item(), right[i].mean().item()))
    after = 0.0
    for seed, model in enumerate(models):
        model.load_state_dict({name: value[seed].detach() for name, value in groups[best].items()})
        after += arrives(model, asked) / SEEDS
    return {
        "cell": kind, "optimiser": optimiser, "T": T, "rate": rates[best], "steps": step, "learned": int((right[best] >= LEARNED).sum()),
        "right": [round(share, 3) for share in right[best].tolist()], "arrives": [float(f"{value:.3g}") for value in (before, after)],
    }  # fmt: skip


def clip(parameters: list[Tensor]) -> None:
    """Each run's gradient, all its parameters together, to norm CLIP at most; runs lie along the first axis."""
    length = torch.stack([p.grad.flatten(1).pow(2).sum(1) for p in parameters]).sum(0).sqrt()  # [seeds]
    factor = (CLIP / length).clamp(max=1.0)
    for p in parameters:
        p.grad.mul_(factor.view(-1, *[1] * (p.dim() - 1)))


SETTINGS = {
    "letters": LETTERS, "r": R, "batch": BATCH, "steps": STEPS, "seeds": SEEDS, "asked": ASKED, "learned_from": LEARNED, "clip": CLIP,
    "lengths": list(LENGTHS), "cells": list(KINDS), "rates": {name: list(rates) for name, (_, rates) in OPTIMISERS.items()},
}  # fmt: skip
WANTED = [(kind, optimiser, T) for T in LENGTHS for kind in KINDS for optimiser in OPTIMISERS]
STUDY = Study("remember_first", {"settings": SETTINGS}, {"rows": Part(run, WANTED, key=("cell", "optimiser", "T"))}, minutes=5)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
