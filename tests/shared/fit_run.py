"""A run of the fit in PyTorch, so that the page's, course_lib/widgets/fit/run.js, can be held to it, number for
number."""

import math

import torch
from torch import Tensor

from course_lib.graphs.fit import HELD_OUT, RATE, STREAM, points
from course_lib.graphs.random import Generator
from course_lib.neurons import Network


class FitRun:
    """Seed's points and start, trained by `torch.optim.Adam` on all training points at each step, in float32 as in the
    page."""

    def __init__(self, width: int, count: int, seed: int) -> None:
        self.points = {"training": points(seed, count)}
        for i, (kind, number) in enumerate(HELD_OUT.items(), 1):
            self.points[kind] = points(seed + i * STREAM, number)
        self.network, start = Network((1, width, 1), "tanh", dtype=torch.float32), Generator(seed + 3 * STREAM)
        with torch.no_grad():
            for name, parameter in self.network.named_parameters():
                reach = 1 if name.endswith("0") else math.sqrt(1 / width)
                drawn = reach * (2 * start.uniform(parameter.numel()) - 1)
                parameter.copy_(torch.tensor(drawn, dtype=torch.float32).view_as(parameter))
        self.optimiser = torch.optim.Adam(self.network.parameters(), lr=RATE)

    def error(self, kind: str) -> Tensor:
        """The mean squared error on one kind of points: training, validation, test."""
        x, y = self.points[kind]
        return (self.network(x) - y).square().mean()

    def step(self) -> float:
        """One step of Adam; the training error before it."""
        loss = self.error("training")
        self.optimiser.zero_grad()
        loss.backward()
        self.optimiser.step()
        return loss.item()
