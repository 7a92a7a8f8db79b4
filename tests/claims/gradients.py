"""The page on vanishing and exploding gradients: its numbers, computed as the page computes them."""

import math

import torch
from torch import nn

from course_lib.gradients import clip_norm, jacobians, norms, scale_recurrent
from course_lib.recurrent.cells import CELLS, RNNCell
from course_lib.results import load

from . import claim

D, R, STEPS = 16, 32, 30
F64 = {"dtype": torch.float64}


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def left(make, steps: int = STEPS, seeds: int = 3) -> float:
    """Geometric mean of ‖∂s_T/∂s_0‖ over a few draws, T = steps."""
    logs = []
    for seed in range(seeds):
        generator = seeded(seed)
        cell = make(generator)
        x = torch.randn(1, steps, D, generator=generator, **F64)
        logs.append(norms(jacobians(cell, x))[0, 0].log().item())
    return math.exp(sum(logs) / len(logs))


def left_after_thirty(activation: str, scale: float) -> float:
    return left(lambda generator: scale_recurrent(RNNCell(D, R, activation=activation, generator=generator, **F64), scale, generator))


@claim("L1.8.tanh")
def tanh_at_one() -> float:
    return left_after_thirty("tanh", 1.0)


@claim("L1.8.brake")
def tanh_at_one_and_a_half() -> float:
    return left_after_thirty("tanh", 1.5)


@claim("L1.8.relu")
def relu_at_one() -> float:
    return left_after_thirty("relu", 1.0)


@claim("L1.8.sigmoid")
def exponent_of_the_sigmoid() -> float:
    return math.log10(left_after_thirty("sigmoid", 1.0))


def linear_cell() -> RNNCell:
    generator = seeded(0)
    cell = RNNCell(D, R, activation="identity", generator=generator, **F64)
    with torch.no_grad():
        cell.W_s.normal_(0, 0.8 / R**0.5, generator=generator)
    return cell


@claim("L1.8.norm")
def norm_of_the_linear_cell() -> float:
    return torch.linalg.matrix_norm(linear_cell().W_s.detach(), 2).item()


@claim("L1.8.radius")
def radius_of_the_linear_cell() -> float:
    return torch.linalg.eigvals(linear_cell().W_s.detach()).abs().max().item()


@claim("L1.8.rate")
def rate_of_the_linear_cell(steps: int = 100) -> float:
    return norms(jacobians(linear_cell(), torch.zeros(1, steps, D, **F64)))[0, 0].item() ** (1 / steps)


def rate_of_an_lstm(bias: float, steps: int = 50) -> float:
    def make(generator):
        cell = CELLS["lstm"](D, R, generator=generator, **F64)
        with torch.no_grad():
            cell.b[R : 2 * R] += bias
        return cell

    return left(make, steps) ** (1 / steps)


@claim("L1.8.fresh")
def rate_of_a_fresh_lstm() -> float:
    return rate_of_an_lstm(0.0)


@claim("L1.8.opened")
def rate_of_an_opened_lstm() -> float:
    return rate_of_an_lstm(2.0)


def through_layers(sigma: float, layers: int = 30, width: int = 64) -> float:
    """Length that a gradient of length 1 has left after `layers` ReLU layers with weights of variance sigma²/width, mean over draws."""
    logs = []
    for seed in range(3):
        generator = seeded(seed)
        x = values = torch.randn(32, width, generator=generator, **F64).requires_grad_()
        for _ in range(layers):
            values = torch.relu(values @ (sigma * torch.randn(width, width, generator=generator, **F64) / width**0.5))
        g = torch.randn(values.shape, generator=generator, **F64)
        logs.append(torch.autograd.grad(values, x, g / g.norm())[0].norm().log().item())
    return math.exp(sum(logs) / len(logs))


@claim("L1.8.xavier")
def deep_relu_with_xavier() -> float:
    return through_layers(1.0)


@claim("L1.8.he")
def deep_relu_with_he() -> float:
    return through_layers(2**0.5)


OPTIMISERS = {
    "SGD": lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    "Adagrad": lambda parameters: torch.optim.Adagrad(parameters, lr=0.1, eps=0.0),
    "Adam": lambda parameters: torch.optim.Adam(parameters, lr=0.1, eps=0.0),
}


def difference_of_scaled_runs(name: str, factor: float = 1e-4, steps: int = 20) -> float:
    """Largest difference of the parameters after `steps` steps on a loss and on `factor` times that loss."""
    ends = []
    for scale in (1.0, factor):
        x = torch.linspace(-1, 2, 6, **F64).requires_grad_()
        optimiser = OPTIMISERS[name]([x])
        for _ in range(steps):
            optimiser.zero_grad()
            (scale * ((x - 0.3) ** 4 + x.cumsum(0).square() / 9).sum()).backward()
            optimiser.step()
        ends.append(x.detach())
    return (ends[0] - ends[1]).abs().max().item()


@claim("L1.8.blind")
def difference_for_adam() -> float:
    value = difference_of_scaled_runs("Adam")
    return 0.0 if value < 1e-9 else value


@claim("L1.8.adadelta")
def adadelta_over_sgd(gradient: float = 1e-6) -> float:
    """First move of Adadelta with rate 1 for a tiny gradient, over that of gradient descent with rate 1."""
    x = torch.zeros(1, **F64).requires_grad_()
    x.grad = torch.full_like(x, gradient)
    torch.optim.Adadelta([x], lr=1.0).step()
    return -x.item() / gradient


def learned(optimiser: str) -> int:
    return sum(row["learned"] for row in load("remember_first")["rows"] if row["optimiser"] == optimiser and row["T"] in (16, 32))


@claim("L1.8.sgd")
def runs_learned_with_sgd() -> int:
    return learned("SGD")


@claim("L1.8.adagrad")
def runs_learned_with_adagrad() -> int:
    return learned("Adagrad")


@claim("L1.8.delta")
def runs_learned_with_adadelta() -> int:
    return learned("Adadelta")


@claim("L1.8.adam")
def runs_learned_with_adam() -> int:
    return learned("Adam")


def last_loss(clip: float | None, seed: int = 1, rate: float = 0.03, steps: int = 40, T: int = 20) -> float:
    """Mean of the last 20 losses of a plain ReLU cell that learns to add 20 numbers; inf where a loss is not finite."""
    generator = seeded(seed)
    cell = scale_recurrent(RNNCell(1, 16, activation="relu", generator=generator, **F64), 1.0, generator)
    U = nn.Parameter(torch.randn(16, 1, generator=generator, **F64) / 4)
    parameters, losses = [*cell.parameters(), U], []
    for _ in range(steps):
        x = torch.randn(32, T, 1, generator=generator, **F64)
        state = cell.start(32)
        for read in cell.read(x).unbind(1):
            state = cell.step(read, state)
        loss = ((state @ U - x.sum(1)) ** 2).mean()
        losses.append(loss.item())
        if not math.isfinite(losses[-1]):
            return math.inf
        gradients = torch.autograd.grad(loss, parameters)
        if clip is not None:
            gradients, _ = clip_norm(gradients, clip)
        with torch.no_grad():
            for parameter, gradient in zip(parameters, gradients, strict=True):
                parameter -= rate * gradient
    return sum(losses[-20:]) / 20


def loss_without_clipping() -> float:
    return last_loss(None)


@claim("L1.8.clipped", rtol=0.05)
def loss_with_clipping() -> float:
    return last_loss(1.0)


def dead_units(rate: float, seed: int = 0, steps: int = 120, units: int = 64) -> float:
    """Share of ReLUs that are 0 on all 128 points after `steps` steps of Adam, in a network of two layers."""
    generator = seeded(seed)
    x = torch.randn(128, 8, generator=generator, **F64)
    y = torch.sin(x.sum(1, keepdim=True))
    W = [((2 / a) ** 0.5 * torch.randn(a, b, generator=generator, **F64)).requires_grad_() for a, b in ((8, units), (units, units), (units, 1))]
    b = [torch.zeros(k, **F64).requires_grad_() for k in (units, units, 1)]
    optimiser = torch.optim.Adam([*W, *b], lr=rate)
    for _ in range(steps):
        one = torch.relu(x @ W[0] + b[0])
        two = torch.relu(one @ W[1] + b[1])
        loss = ((two @ W[2] + b[2] - y) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return torch.cat([(layer == 0).all(0) for layer in (one, two)]).double().mean().item()


@claim("L1.8.dying", rtol=0.1)
def dead_units_at_a_large_rate() -> float:
    return dead_units(0.1)
