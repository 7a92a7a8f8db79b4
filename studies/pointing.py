"""Who finds one of 64 names? Softmax and linear attention, by the width of queries and keys, the rate, the seed and the updates.

    python studies/pointing.py            (under a minute of one core)

A sequence holds PEOPLE tokens, each with a name of its own and one of LETTERS letters. One name is called, and the layer must give its
letter. Learned are a query and a key of width m for each name; the value is the letter. Adam, BATCH new sequences at each update.
"right" is the share of HELD_OUT new sequences that are answered right after LOOKS updates; chance is 1/LETTERS. The order of the
tokens changes neither layer's answer, so they stand in the order of their names. The seeds of a row are trained side by side.
"""

import sys
from typing import Any

import torch
from torch import Tensor

from course_lib.attention import attend
from course_lib.checks import trusted
from course_lib.efficient import linear_attention
from course_lib.results.study import Part, Study

PEOPLE, LETTERS, BATCH, HELD_OUT = 64, 4, 64, 1000
LOOKS, RATES, SEEDS = (400, 1000, 2500), (0.03, 0.1), range(5)
WIDTHS = {"linear": (64, 16), "softmax": (8,)}
LAYERS = {"softmax": attend, "linear": linear_attention}
FIRST = 3  # mean losses kept, for the test


def sequences(count: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """The letter of each name [b, n], and the name that is called [b, 1]."""
    return torch.randint(LETTERS, (count, PEOPLE), generator=generator), torch.randint(PEOPLE, (count, 1), generator=generator)


def run(layer: str, m: int, rate: float, steps: int = LOOKS[-1]) -> dict[str, Any]:
    draws = [torch.Generator().manual_seed(seed) for seed in SEEDS]
    W_Q, W_K = (torch.stack([torch.randn(PEOPLE, m, generator=draw) for draw in draws]).requires_grad_() for _ in range(2))
    optimiser = torch.optim.Adam([W_Q, W_K], lr=rate)
    rows = torch.arange(len(SEEDS))[:, None]

    def shares(letters: Tensor, called: Tensor) -> Tensor:
        """[seeds, b, LETTERS] of the letters in what the layer brings home: its weights come out where the values are the unit vectors."""
        with trusted():
            weights = LAYERS[layer](W_Q[rows, called[..., 0]], W_K, torch.eye(PEOPLE).expand(len(SEEDS), -1, -1)).output  # [seeds, b, n]
        return torch.zeros(*letters.shape[:2], LETTERS).scatter_add(2, letters, weights)

    def batch(count: int, each: list[torch.Generator]) -> list[Tensor]:
        return [torch.stack(part) for part in zip(*(sequences(count, draw) for draw in each), strict=True)]

    held_out = batch(HELD_OUT, [torch.Generator().manual_seed(1000)] * len(SEEDS))
    right, losses = [], []
    for step in range(1, steps + 1):
        letters, called = batch(BATCH, draws)
        wanted = letters.gather(2, called)
        loss = -(shares(letters, called).gather(2, wanted) + 1e-6).log().mean((1, 2))  # [seeds]
        optimiser.zero_grad()
        loss.sum().backward()
        optimiser.step()
        if step <= FIRST:
            losses.append(round(loss.mean().item(), 6))
        if step in LOOKS:
            with torch.no_grad():
                found = shares(*held_out).argmax(-1) == held_out[0].gather(2, held_out[1])[..., 0]
            right.append([round(share, 3) for share in found.double().mean(1).tolist()])
    return {"layer": layer, "m": m, "rate": rate, "right": right, "first_losses": losses}


SETTINGS = {"people": PEOPLE, "letters": LETTERS, "batch": BATCH, "held_out": HELD_OUT, "looks": LOOKS, "rates": RATES, "seeds": list(SEEDS)}
WANTED = [(layer, m, rate) for layer, widths in WIDTHS.items() for m in widths for rate in RATES]
STUDY = Study("pointing", {"settings": SETTINGS}, {"rows": Part(run, WANTED, key=("layer", "m", "rate"))}, minutes=1)


if __name__ == "__main__":
    torch.set_num_threads(1)
    sys.exit(STUDY.main(__doc__))
