"""Networks trained by gradient descent beside the ones that the proof builds: same shape, and one small hidden layer.

    python studies/four_layers.py            (about two minutes of one core)

For each target of TARGETS the builder makes a network with error below EPS. A network with its widths, and one with a
single hidden layer of SMALL units, start from random weights (Glorot's, times 4 for logistic units) and follow Adam on
the mean squared error over a grid of points, full batches, the rate falling to 0 along a cosine. No setting was changed
after a result was seen. A row has the largest error on a finer grid and the first losses, for each seed.
"""

import math
import sys
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from course_lib.approximation import PROOF, balanced, build, grid_on
from course_lib.results.study import Again, Part, Study

EPS, SEEDS, STEPS, RATE, GAIN = 0.1, range(3), 4000, 1e-2, 4.0
FIRST = 5  # losses kept of a training, which a test finds again
TARGETS: dict[str, dict[str, Any]] = {
    "sine": {
        "f": np.sin,
        "box": (0, 2 * math.pi),
        "rule": PROOF,
        "train": 257,
        "test": 4097,
        "small": 8,
        "modulus": 1.0,
    },
    "root": {
        "f": lambda x: np.sqrt(np.abs(x)),
        "box": (-1, 1),
        "rule": PROOF,
        "train": 257,
        "test": 4097,
        "small": 8,
        "modulus": math.sqrt,
    },
    "bump": {
        "f": lambda x, y: np.exp(-3 * (x**2 + y**2)),
        "box": ((-1, 1), (-1, 1)),
        "rule": balanced(0.5),
        "train": 21,
        "test": 129,
        "small": 16,
        "modulus": math.sqrt(6) * math.exp(-0.5),
    },
}


def network(widths: list[int], seed: int) -> nn.Sequential:
    """Linear layers of these widths with logistic units between them."""
    generator = torch.Generator().manual_seed(seed)
    layers: list[nn.Module] = []
    for number, (a, b) in enumerate(pairwise(widths)):
        linear = nn.Linear(a, b)
        nn.init.xavier_normal_(linear.weight, gain=GAIN if number < len(widths) - 2 else 1.0, generator=generator)
        nn.init.zeros_(linear.bias)
        layers += [linear, nn.Sigmoid()]
    return nn.Sequential(*layers[:-1])


def on_grid(target: dict[str, Any], points: int) -> tuple[Tensor, Tensor]:
    """The grid's points, moved to [-1, 1] on each axis [q, d], and the target there [q, 1]."""
    grid = grid_on(target["box"], points)
    x = grid.points
    middle, half = grid.box.mean(axis=1), (grid.box[:, 1] - grid.box[:, 0]) / 2
    inputs = torch.tensor((x - middle) / half, dtype=torch.float32)
    return inputs, torch.tensor(target["f"](*x.T), dtype=torch.float32)[:, None]


def trained(
    target: dict[str, Any], widths: list[int], seed: int, until: int = STEPS
) -> tuple[nn.Sequential, list[float]]:
    """The network after training, and the loss of each step. `until` stops earlier, on the same path."""
    model = network(widths, seed)
    x, y = on_grid(target, target["train"])
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    falling, losses = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, STEPS), []
    for _ in range(until):
        optimiser.zero_grad()
        loss = (model(x) - y).square().mean()
        loss.backward()
        optimiser.step()
        falling.step()
        losses.append(loss.item())
    return model, losses


def largest_error(model: nn.Sequential, target: dict[str, Any]) -> float:
    """On the test grid."""
    x, y = on_grid(target, target["test"])
    with torch.no_grad():
        return float((model(x) - y).abs().max())


def shapes(name: str) -> dict[str, list[int]]:
    """The two shapes: the built network's widths, and one small hidden layer."""
    target = TARGETS[name]
    built = build(target["f"], target["box"], EPS, rule=target["rule"])
    widths = list(built.network.sizes)
    return {"same shape": widths, "small": [widths[0], target["small"], 1]}


def built_row(name: str) -> dict[str, Any]:
    """What the builder makes of the target: widths, weights that are not 0, the error, the bound on the whole box, the
    largest weight."""
    target = TARGETS[name]
    built = build(target["f"], target["box"], EPS, rule=target["rule"])
    net = built.network
    numbers = {
        "errors": [round(built.errors[-1], 4)],
        "bound": round(built.bound(target["modulus"]), 4),
        "largest": round(net.largest, 1),
    }
    return {"widths": list(net.sizes), "weights": net.weights, **numbers, "corrections": len(built.corrections)}


def row(name: str, shape: str) -> dict[str, Any]:
    if shape == "built":
        return built_row(name)
    widths = shapes(name)[shape]
    runs = [trained(TARGETS[name], widths, seed) for seed in SEEDS]
    return {
        "widths": widths, "weights": sum((a + 1) * b for a, b in pairwise(widths)),
        "errors": [round(largest_error(model, TARGETS[name]), 4) for model, _ in runs],
        "first": [[round(loss, 6) for loss in losses[:FIRST]] for _, losses in runs],
    }  # fmt: skip


SETTINGS = {"eps": EPS, "steps": STEPS, "rate": RATE, "gain": GAIN, "seeds": len(SEEDS)} | {
    name: {"train": each["train"], "test": each["test"]} for name, each in TARGETS.items()
}
WANTED = {f"{name}, {shape}": (name, shape) for name in TARGETS for shape in ("built", "same shape", "small")}
STUDY = Study(
    "four_layers",
    {"settings": SETTINGS},
    {"rows": Part(row, WANTED)},
    minutes=2,
    again=[
        Again("rows", ["sine, built"], row, rel=1e-12),
        Again("rows", ["sine, small", "bump, same shape"], lambda name, shape: shapes(name)[shape], "widths"),
        Again(
            "rows",
            ["sine, small", "bump, same shape"],
            lambda name, shape: [trained(TARGETS[name], shapes(name)[shape], seed, until=FIRST)[1] for seed in SEEDS],
            "first",
            rel=1e-3,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
