"""The fit to play with: one hidden layer of tanh neurons on noisy points of a wave, as a page graph.

The points are those of the page, course_lib/widgets/fit/run.js, number for number; a whole run beside it is
tests/shared/fit_run.py.
"""

from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call, grad_and_value

from course_lib.graphs.random import Generator
from course_lib.graphs.trace import trace
from course_lib.neurons import Network

NOISE, RATE = 0.3, 0.01
# seeds of a run lie below this: training points, validation points, test points and start each have a stream
STREAM = 10_000
HELD_OUT = {"validation": 20, "test": 500}
SHAPES = {"W.0": (1, "r"), "W.1": ("r", 1), "b.0": ("r",), "b.1": (1,)}  # in the order of `Network`


def fit_step() -> dict:
    """The mean squared error of `Network((1, r, 1), "tanh")` on points x, y [n, 1], its outputs [n, 1] and all
    gradients."""
    model = Network((1, 23, 1), "tanh")

    def step(x, y, **learnables):
        def loss(learnables):
            output = functional_call(model, learnables, (x,))
            return (output - y).square().mean(), output

        gradients, (value, output) = grad_and_value(loss, has_aux=True)(learnables)
        return {"loss": value, "output": output, **{f"gradient.{name}": g for name, g in gradients.items()}}

    return trace("fit", step, {"x": ("n", 1), "y": ("n", 1), **SHAPES})


def wave(x: Any) -> Any:
    """What the points are drawn from, without its noise."""
    return np.sin(5 * x)


def points(stream: int, count: int) -> tuple[Tensor, Tensor]:
    """x [count, 1] uniform between -1 and 1, y [count, 1] the wave there with normal noise; more points begin with the
    same ones."""
    generator = Generator(stream)
    drawn = np.array([(2 * generator.uniform(1)[0] - 1, generator.normal(1)[0]) for _ in range(count)])
    x, y = drawn[:, 0], wave(drawn[:, 0]) + NOISE * drawn[:, 1]
    return torch.tensor(x[:, None], dtype=torch.float32), torch.tensor(y[:, None], dtype=torch.float32)
