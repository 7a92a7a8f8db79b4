"""Chapter 1's page on recurrence and backpropagation through time: its numbers, computed as the page computes them."""

import math
from functools import cache

import torch
from torch import Tensor, nn

from course_lib.backprop import Gradients, states, through_time
from course_lib.recurrent import CELLS, GRUCell, LSTMCell, RecurrentEncoder, RNNCell, unroll

from . import claim, rounding

F64 = {"dtype": torch.float64}
THEIRS = {"rnn": nn.RNNCell, "gru": nn.GRUCell, "lstm": nn.LSTMCell}


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def numbers(module: nn.Module) -> int:
    return sum(parameter.numel() for parameter in module.parameters())


def filled(cell: nn.Module, **values: list) -> nn.Module:
    """The cell with these parameters set by hand."""
    with torch.no_grad():
        for name, value in values.items():
            getattr(cell, name).copy_(torch.tensor(value, **F64))
    return cell


# --- one layer for all places, and a recurrent one ---------------------------------------------------------------------


@claim("L1.3.fixed")
def numbers_of_one_layer_for_fifty_words() -> int:
    return numbers(nn.Linear(50 * 8, 16))


@claim("L1.3.recurrent")
def numbers_of_a_recurrent_one() -> int:
    return numbers(RNNCell(8, 16))


def echo(*x: float) -> float:
    """The plain cell with W_x = 1, W_s = 1/2 and no bias after reading these numbers."""
    cell = filled(RNNCell(1, 1, **F64), W_x=[[1.0]], W_s=[[0.5]], b=[0.0])
    with torch.no_grad():
        return unroll(cell, torch.tensor(x, **F64)[None, :, None]).last.item()


@claim("L1.3.echo")
def what_is_left_of_a_one_after_two_zeros() -> float:
    return echo(1, 0, 0)


# --- gates -------------------------------------------------------------------------------------------------------------


def gated() -> GRUCell:
    """The page's GRU of width 1: reset 2x - 1, update 1 - 3x, proposal x + q s."""
    cell = GRUCell(1, 1, **F64)
    return filled(cell, W_x=[[2.0, -3.0, 1.0]], W_s=[[0.0, 0.0, 1.0]], b=[-1.0, 1.0, 0.0], b_n=[0.0])


@claim("L1.3.gru")
@torch.no_grad()
def state_of_the_gru_after_a_one() -> float:
    return gated()(torch.ones(1, 1, **F64), torch.full((1, 1), 0.5, **F64)).item()


@torch.no_grad()
def count(bits: Tensor) -> float:
    """The memory of the page's counting LSTM after reading bits [n]."""
    cell = filled(LSTMCell(1, 1, **F64), W_x=[[20.0, 0, 0, 0]], W_s=[[0.0] * 4], b=[-10.0, 10, 10, 10])
    return unroll(cell, bits[None, :, None]).last.c.item()


@claim("L1.3.count")
def memory_after_reading_twenty_ones() -> float:
    return count(torch.ones(20, **F64))


# --- held against PyTorch ----------------------------------------------------------------------------------------------


@cache
def differences(name: str, d: int = 6, r: int = 10, b: int = 5, n: int = 50) -> tuple[float, float]:
    """Largest difference of our cell from PyTorch's on the same weights: of states, of gradients of W_s."""
    generator = seeded()
    ours, theirs = CELLS[name](d, r, generator=generator, **F64), THEIRS[name](d, r, **F64)
    with torch.no_grad():
        theirs.weight_ih.copy_(ours.W_x.T)
        theirs.weight_hh.copy_(ours.W_s.T)
        theirs.bias_ih.copy_(ours.b)
        theirs.bias_hh.zero_()
        if name == "gru":
            theirs.bias_hh[-r:] = ours.b_n
    x, u = torch.randn(b, n, d, generator=generator, **F64), torch.randn(b, n, r, generator=generator, **F64)
    state, shown = None, []
    for x_t in x.unbind(1):
        state = theirs(x_t, state)
        shown.append(state[0] if name == "lstm" else state)
    a, b = unroll(ours, x).states, torch.stack(shown, 1)
    by_ours, by_theirs = torch.autograd.grad((a * u).sum(), ours.W_s)[0], torch.autograd.grad((b * u).sum(), theirs.weight_hh)[0]
    return (a - b).abs().max().item(), (by_ours - by_theirs.T).abs().max().item()


@claim("L1.3.states")
def difference_of_three_cells_states_from_pytorchs() -> float:
    return rounding(max(differences(name)[0] for name in CELLS), 1e-10)


@claim("L1.3.gradients")
def difference_of_three_cells_gradients_from_pytorchs() -> float:
    return rounding(max(differences(name)[1] for name in CELLS), 1e-10)


# --- along a sentence --------------------------------------------------------------------------------------------------


@torch.no_grad()
def change_by_padding(told: bool) -> Tensor:
    """Of each sentence's last state, by nines behind it, [3]; `told`: the lengths are given."""
    generator, lengths = seeded(), torch.tensor([5, 3, 2])
    cell, x = GRUCell(4, 6, generator=generator, **F64), torch.randn(3, 5, 4, generator=generator, **F64)
    for row, length in zip(x, lengths, strict=True):
        row[length:] = 9.0
    alone = torch.cat([unroll(cell, x[k : k + 1, :length]).last for k, length in enumerate(lengths)])
    return (unroll(cell, x, lengths if told else None).last - alone).abs().amax(1)


@claim("L1.3.padding")
def change_of_a_state_by_padding() -> float:
    return rounding(change_by_padding(True).max().item())


def influence(bidirectional: bool, n: int = 6) -> Tensor:
    """Norm of ∂H_j/∂x_i, [n, n]."""
    x = torch.randn(1, n, 4, generator=seeded(), **F64)
    encoder = RecurrentEncoder(4, 8, cell="gru", bidirectional=bidirectional, generator=seeded(1), **F64)
    J = torch.autograd.functional.jacobian(lambda x: encoder(x).H[0], x)  # [n, r, 1, n, d]
    return J.pow(2).sum((1, 2, 4)).sqrt()


@claim("L1.3.one_way")
def pairs_without_influence_in_one_direction() -> int:
    return int((influence(False) == 0).sum())


@claim("L1.3.both_ways")
def pairs_without_influence_in_two_directions() -> int:
    return int((influence(True) == 0).sum())


# --- forward and backward ----------------------------------------------------------------------------------------------


def two_layers(W_1: Tensor, W_2: Tensor) -> Tensor:
    """The loss of the network on paper."""
    return 0.5 * ((torch.tensor([[1.0, 2.0]], **F64) @ W_1).clamp(min=0) @ W_2 - 1).pow(2).sum()


def weights_on_paper() -> tuple[Tensor, Tensor]:
    return torch.tensor([[0.5, -0.5], [0.5, 0.0]], **F64), torch.tensor([[2.0], [1.0]], **F64)


def gradients_on_paper() -> tuple[Tensor, Tensor]:
    """∂L/∂W_1 and ∂L/∂W_2, as the page writes them out."""
    x, (W_1, W_2) = torch.tensor([[1.0, 2.0]], **F64), weights_on_paper()
    a = x @ W_1
    u = a.clamp(min=0)
    at_y = u @ W_2 - 1
    return x.T @ (at_y @ W_2.T * (a > 0)), u.T @ at_y


@claim("L1.10.two_layers")
def loss_of_the_two_layers_after_one_step() -> float:
    """From 2, with the rate 0.01."""
    return two_layers(*(W - 0.01 * by for W, by in zip(weights_on_paper(), gradients_on_paper(), strict=True))).item()


@cache
def three_steps() -> tuple[Gradients, float]:
    """The page's gradients on paper (read 1, 0, 0; loss ½ (s_3 - 1)² at the end), and ∂L/∂s_3."""
    one, zero = torch.eye(1, **F64), torch.zeros(1, **F64)
    x = torch.tensor([[1.0], [0.0], [0.0]], **F64)
    s = states(x, one, 0.5 * one, zero, zero)
    g = torch.zeros(3, 1, **F64)
    g[-1] = s[-1] - 1
    return through_time(x, s, g, 0.5 * one), g[-1].item()


@claim("L1.10.through_time")
def derivative_by_the_state_weight_on_paper() -> float:
    return three_steps()[0].W_s.item()


@claim("L1.10.reaches")
def share_of_the_gradient_that_goes_two_steps_back() -> float:
    gradients, at_the_end = three_steps()
    return gradients.delta[1].item() * 0.5 / at_the_end


def loss_of(x: Tensor, y: Tensor, W_x: Tensor, W_s: Tensor, b: Tensor, s_0: Tensor) -> Tensor:
    return 0.5 * ((states(x, W_x, W_s, b, s_0)[1:] - y) ** 2).sum()


def problem(n: int, d: int = 3, r: int = 4, seed: int = 0) -> tuple[Tensor, ...]:
    """x, y, W_x, W_s, b, s_0: all random, the last four half as large."""
    generator = seeded(seed)
    x, y = torch.randn(n, d, generator=generator, **F64), torch.randn(n, r, generator=generator, **F64)
    return x, y, *(0.5 * torch.randn(*shape, generator=generator, **F64) for shape in ((d, r), (r, r), (r,), (r,)))


def by_hand(x: Tensor, y: Tensor, W_x: Tensor, W_s: Tensor, b: Tensor, s_0: Tensor) -> Gradients:
    s = states(x, W_x, W_s, b, s_0)
    return through_time(x, s, s[1:] - y, W_s)


def from_autograd(n: int) -> float:
    x, y, *parameters = problem(n)
    tracked = [w.requires_grad_() for w in parameters]
    theirs = torch.autograd.grad(loss_of(x, y, *tracked), tracked)
    return max((ours - each).abs().max().item() for ours, each in zip(by_hand(x, y, *parameters), theirs, strict=False))


@claim("L1.10.autograd")
def difference_of_the_hand_made_gradients_from_autograd() -> float:
    return rounding(max(from_autograd(3), from_autograd(5)), 1e-12)


@claim("L1.10.finite")
def difference_from_finite_differences() -> float:
    x, y, W_x, W_s, b, s_0 = problem(5)
    numeric, step = torch.zeros_like(W_s), 1e-5
    for place in range(W_s.numel()):
        change = torch.zeros_like(W_s)
        change.view(-1)[place] = step
        f = [loss_of(x, y, W_x, W_s + sign * change, b, s_0) for sign in (1, -1)]
        numeric.view(-1)[place] = (f[0] - f[1]) / (2 * step)
    return rounding((by_hand(x, y, W_x, W_s, b, s_0).W_s - numeric).abs().max().item(), 1e-7)


def loss_after_one_step(rate: float) -> float:
    x, y, *parameters = problem(5)
    stepped = [w - rate * by for w, by in zip(parameters[:3], by_hand(x, y, *parameters), strict=False)]
    return loss_of(x, y, *stepped, parameters[3]).item()


@claim("L1.10.step")
def loss_after_one_step_over_the_loss_before() -> float:
    return loss_after_one_step(0.05) / loss_after_one_step(0.0)


# --- truncated ---------------------------------------------------------------------------------------------------------


def missing(factor: float, seed: int, window: int, n: int = 30, d: int = 4, r: int = 16) -> float:
    """Size of what truncation drops from ∂L/∂W_s, as a share of the whole."""
    generator = seeded(seed)
    x, y = torch.randn(n, d, generator=generator, **F64), torch.randn(r, generator=generator, **F64).tanh()
    W_x = 0.15 * torch.randn(d, r, generator=generator, **F64)
    W_s = factor * torch.linalg.qr(torch.randn(r, r, generator=generator, **F64)).Q
    s = states(x, W_x, W_s, torch.zeros(r, **F64), torch.zeros(r, **F64))
    g = torch.zeros(n, r, **F64)
    g[-1] = s[-1] - y
    whole = through_time(x, s, g, W_s).W_s
    kept = through_time(x[-window:], s[-window - 1 :], g[-window:], W_s).W_s
    return ((kept - whole).norm() / whole.norm()).item()


def mean_missing(factor: float, window: int) -> float:
    return math.fsum(missing(factor, seed, window) for seed in range(5)) / 5


@claim("L1.10.short_memory", rtol=0.02)
def share_that_four_steps_miss_with_the_factor_one_half() -> float:
    return mean_missing(0.5, 4)


@claim("L1.10.long_memory", rtol=0.02)
def share_that_four_steps_miss_with_the_factor_1_2() -> float:
    return mean_missing(1.2, 4)
