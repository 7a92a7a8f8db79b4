"""Jacobians along a sequence and clipping against autograd and PyTorch; gates and depth of the page."""

import math

import pytest
import torch
from torch import nn

from course_lib.gradients import clip_norm, clip_values, jacobians, norms, scale_recurrent, total_norm
from course_lib.recurrent.cells import ACTIVATIONS, CELLS, LSTMState, RNNCell
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded

KINDS = [*(("rnn", name) for name in ACTIVATIONS), ("gru", None), ("lstm", None)]

D, R, STEPS = 16, 32, 30


def made(name, activation, d, r, seed=0):
    options = {"generator": seeded(seed), "dtype": torch.float64}
    return RNNCell(d, r, activation=activation, **options) if activation else CELLS[name](d, r, **options)


@pytest.mark.parametrize(("name", "activation"), KINDS)
@pytest.mark.parametrize(("n", "d", "r"), [(1, 1, 1), (6, 3, 4), (9, 5, 2)])
def test_jacobians_are_autograds(name, activation, n, d, r):
    cell = made(name, activation, d, r)
    x = normal(2, n, d, seed=1)
    for part in ("s", "c") if name == "lstm" else ("s",):
        got = jacobians(cell, x, part=part)
        assert got.shape == (2, n + 1, r, r)
        for sequence in range(2):
            state = cell.start(1)
            for t in range(n + 1):
                here = getattr(state, part) if name == "lstm" else state

                def onwards(value, t=t, state=state, sequence=sequence, part=part):
                    now = state._replace(**{part: value[None]}) if isinstance(state, LSTMState) else value[None]
                    for step in range(t, n):
                        now = cell(x[sequence, step][None], now)
                    return (getattr(now, part) if isinstance(now, LSTMState) else now)[0]

                want = torch.autograd.functional.jacobian(onwards, here[0].detach())
                torch.testing.assert_close(got[sequence, t], want, rtol=1e-10, atol=1e-12)
                if t < n:
                    state = cell(x[sequence, t][None], state)


def test_norms_are_the_largest_stretch():
    J = normal(3, 5, 5)
    torch.testing.assert_close(norms(J), torch.linalg.svdvals(J)[..., 0])


def test_scale_recurrent_makes_every_gate_a_scaled_rotation():
    cell = scale_recurrent(made("lstm", None, 3, 6), 0.7, seeded(2))
    for block in cell.W_s.detach().split(6, 1):
        torch.testing.assert_close(block @ block.T, 0.49 * torch.eye(6, **F64))
    blocks = cell.W_s.detach().split(6, 1)
    assert not torch.allclose(blocks[0], blocks[1])


@pytest.mark.parametrize("threshold", [0.5, 100.0])
def test_clip_norm_is_pytorchs(threshold):
    gradients = [normal(shape, seed=i) for i, shape in enumerate([(3, 4), (5,)])]
    parameters = [nn.Parameter(torch.zeros_like(gradient)) for gradient in gradients]
    for parameter, gradient in zip(parameters, gradients, strict=True):
        parameter.grad = gradient.clone()
    length = nn.utils.clip_grad_norm_(parameters, threshold)
    got, before = clip_norm(gradients, threshold)
    torch.testing.assert_close(before, length)
    torch.testing.assert_close(total_norm(got).item(), min(threshold, length.item()))
    for mine, parameter in zip(got, parameters, strict=True):
        torch.testing.assert_close(mine, parameter.grad, rtol=1e-5, atol=0)  # PyTorch adds 1e-6 to the length


def test_clip_norm_leaves_a_zero_gradient_and_clip_values_cuts_entries():
    [zero], length = clip_norm([torch.zeros(3)], 1.0)
    assert zero.tolist() == [0, 0, 0] and length == 0
    assert clip_values([torch.tensor([-3.0, 0.2, 5.0])], 0.5)[0].tolist() == pytest.approx([-0.5, 0.2, 0.5])


test_a_wrong_argument_is_named = named(
    (lambda: jacobians(made("rnn", "tanh", 2, 3), torch.zeros(4, 2, **F64)), "x must be "),
    (lambda: jacobians(made("gru", None, 2, 3), torch.zeros(1, 4, 2, **F64), part="c"), "part must be "),
    (lambda: clip_norm([], 1.0), "gradients must be "),
    (lambda: norms(torch.zeros(3)), "J must be "),
    begin="^",
)


# ---- The theorems
def left(make, steps: int = STEPS, seeds: int = 3) -> float:
    """Geometric mean of ‖∂s_T/∂s_0‖ over a few draws, T = steps."""
    logs = []
    for seed in range(seeds):
        generator = seeded(seed)
        cell = make(generator)
        x = torch.randn(1, steps, D, generator=generator, **F64)
        logs.append(norms(jacobians(cell, x))[0, 0].log().item())
    return math.exp(sum(logs) / len(logs))


def rate_of_an_lstm(bias: float, steps: int = 50) -> float:
    def make(generator):
        cell = CELLS["lstm"](D, R, generator=generator, **F64)
        with torch.no_grad():
            cell.b[R : 2 * R] += bias
        return cell

    return left(make, steps) ** (1 / steps)


def test_fresh_gates_forget_and_opened_gates_keep():
    assert rate_of_an_lstm(0.0) < 0.7
    assert rate_of_an_lstm(2.0) > 0.9


def through_layers(sigma: float, layers: int = 30, width: int = 64) -> float:
    """Length that a gradient of length 1 has left after `layers` ReLU layers with weights of variance sigma²/width,
    mean over draws."""
    logs = []
    for seed in range(3):
        generator = seeded(seed)
        x = values = torch.randn(32, width, generator=generator, **F64).requires_grad_()
        for _ in range(layers):
            values = torch.relu(values @ (sigma * torch.randn(width, width, generator=generator, **F64) / width**0.5))
        g = torch.randn(values.shape, generator=generator, **F64)
        logs.append(torch.autograd.grad(values, x, g / g.norm())[0].norm().log().item())
    return math.exp(sum(logs) / len(logs))


def test_depth_vanishes_with_xavier_and_not_with_he():
    assert through_layers(1.0) < 1e-3 and 0.2 < through_layers(2**0.5) < 5
