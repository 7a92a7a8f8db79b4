"""Chapter 1's page on neurons: its numbers, computed as the page computes them or read from its table."""

import math
from functools import cache
from statistics import median
from typing import Any

import torch
from torch import Tensor

from course_lib.neurons import ACTIVATIONS, Network, collapse, count
from course_lib.results import load

from . import claim, rounding

F64 = {"dtype": torch.float64}


def seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@cache
def table() -> dict[str, Any]:
    return load("width_and_depth")


# --- without a bend ---------------------------------------------------------------------------------------------------


@cache
def tower() -> Network:
    return Network((2, 50, 50, 50, 1), "identity", generator=seeded(0), **F64)


@claim("L1.1.collapse")
def difference_of_a_chain_and_its_one_map() -> float:
    x = torch.randn(100, 2, generator=seeded(1), **F64)
    W, b = collapse(tower())
    return rounding((x @ W + b - tower()(x)).abs().max().item())


@claim("L1.1.chain_numbers")
def numbers_in_the_chain() -> int:
    return count(tower().widths)


# --- activations ------------------------------------------------------------------------------------------------------


@cache
def steepest(name: str) -> float:
    """Found on a fine grid, which holds 0 and comes within 0.0005 of every other place up to 8."""
    return ACTIVATIONS[name].slope(torch.linspace(-8, 8, 16_001, **F64)).max().item()


@claim("L1.2.sigmoid")
def steepest_slope_of_the_sigmoid() -> float:
    return steepest("sigmoid")


@claim("L1.2.tanh")
def steepest_slope_of_tanh() -> float:
    return steepest("tanh")


@claim("L1.2.gelu")
def steepest_slope_of_gelu() -> float:
    return steepest("gelu")


@claim("L1.2.autograd")
def largest_difference_from_autograd() -> float:
    worst = 0.0
    for f, slope, _ in (each for name, each in ACTIVATIONS.items() if name not in ("identity", "step")):
        z = torch.linspace(-8, 8, 1600, **F64).requires_grad_()
        (gradient,) = torch.autograd.grad(f(z).sum(), z)
        worst = max(worst, (slope(z.detach()) - gradient).abs().max().item())
    return rounding(worst)


@claim("L1.2.ten_sigmoids")
def power_of_ten_left_by_ten_sigmoids() -> float:
    return 10 * math.log10(steepest("sigmoid"))


# --- width: the stored study ------------------------------------------------------------------------------------------


def middle(kind: str, width: int, step: int = 5000) -> float:
    """The median over the ten seeds of an error of the study on width."""
    name = f"width {width}"
    return median(table()["fits"][name][kind][table()["settings"]["fits"][name]["look"].index(step)])


@claim("L1.1.underfit")
def held_out_error_of_one_neuron() -> float:
    return middle("held_out", 1)


@claim("L1.1.best")
def held_out_error_of_two_neurons() -> float:
    return middle("held_out", 2)


@claim("L1.1.overfit")
def held_out_error_of_eight_neurons() -> float:
    return middle("held_out", 8)


@claim("L1.1.overfit_shown")
def shown_error_of_eight_neurons() -> float:
    return middle("shown", 8)


@claim("L1.1.widest")
def held_out_error_of_256_neurons() -> float:
    return middle("held_out", 256)


@claim("L1.1.early")
def worst_held_out_error_after_1000_steps_from_four_neurons_on() -> float:
    return max(middle("held_out", width, 1000) for width in (4, 8, 16, 32, 64, 256))


# --- points hit exactly -----------------------------------------------------------------------------------------------


def draw(points: int, seed: int) -> tuple[Tensor, Tensor]:
    generator = seeded(seed)
    x = 2 * torch.rand(points, 1, generator=generator, **F64) - 1
    return x, torch.sin(5 * x) + 0.3 * torch.randn(points, 1, generator=generator, **F64)


@cache
def through() -> Network:
    """The network of the theorem on kinks, through the page's 20 points."""
    x, y = draw(20, 1000)
    order = x[:, 0].argsort()
    x, y = x[order, 0], y[order, 0]
    network = Network((1, len(x) - 1, 1), "relu", **F64)
    with torch.no_grad():
        network.W[0].fill_(1.0)
        network.b[0].copy_(-x[:-1])
        network.W[1][:, 0] = (y.diff() / x.diff()).diff(prepend=torch.zeros(1, **F64))
        network.b[1].copy_(y[:1])
    return network


def error(points: tuple[Tensor, Tensor]) -> float:
    x, y = points
    with torch.no_grad():
        return rounding((through()(x) - y).square().mean().item())


@claim("L1.1.through")
def error_on_points_hit_exactly() -> float:
    return error(draw(20, 1000))


@claim("L1.1.through_fresh")
def error_on_fresh_points_of_that_network() -> float:
    return error(draw(500, 2000))


# --- depth ------------------------------------------------------------------------------------------------------------


def folds(depth: int) -> Network:
    """The line folded `depth` times by as many layers of two ReLU neurons, written down as on the page."""
    network = Network((1, *[2] * depth, 1), "relu", **F64)
    with torch.no_grad():
        for W, b in zip(network.W, network.b, strict=True):
            W[:] = torch.tensor([-2.0, 2.0], **F64)[: W.shape[1]]
            b[:] = torch.tensor([1.0, -1.0], **F64)[: len(b)]
        network.W[0][:] = torch.tensor([1.0, -1.0], **F64)
        network.b[0].zero_()
    return network


@claim("L1.1.folds")
def numbers_of_ten_folds() -> int:
    return count(folds(10).widths)


@claim("L1.1.kinks")
def numbers_of_one_layer_with_as_many_kinks() -> int:
    return count((1, 2**10 - 1, 1))


def runs(kind: str, target: str, depth: int) -> list[float]:
    """The ten errors of the study on depth at the better of its two rates, by the median on held-out points."""
    both = [table()["fits"][f"depth {depth} | {target} | {rate}"] for rate in (0.003, 0.01)]
    return min(both, key=lambda fit: median(fit["held_out"][-1]))[kind][-1]


@claim("L1.1.depth_wave_1")
def held_out_error_on_the_wave_of_one_layer() -> float:
    return median(runs("held_out", "wave", 1))


@claim("L1.1.depth_wave_4")
def held_out_error_on_the_wave_of_four_layers() -> float:
    return median(runs("held_out", "wave", 4))


@claim("L1.1.depth_fitted_1")
def runs_of_ten_that_fitted_the_folded_line_with_one_layer() -> int:
    return sum(error < 0.05 for error in runs("shown", "folded", 1))


@claim("L1.1.depth_fitted_deeper")
def most_runs_of_ten_that_fitted_the_folded_line_with_more_layers() -> int:
    return max(sum(error < 0.05 for error in runs("shown", "folded", depth)) for depth in (2, 3, 4))
