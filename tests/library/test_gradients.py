"""Jacobians along a sequence, clipping, the page's theorems and its stored study, against autograd and closed forms."""

import math

import pytest
import torch
from torch import nn

from course_lib.gradients import clip_norm, clip_values, jacobians, norms, scale_recurrent, total_norm
from course_lib.recurrent.cells import ACTIVATIONS, CELLS, LSTMState, RNNCell
from course_lib.results import load
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


BAD = [
    ("x", lambda: jacobians(made("rnn", "tanh", 2, 3), torch.zeros(4, 2, **F64))),
    ("x", lambda: jacobians(made("rnn", "tanh", 2, 3), torch.zeros(1, 0, 2, **F64))),
    ("x", lambda: jacobians(made("rnn", "tanh", 2, 3), torch.zeros(1, 4, 5, **F64))),
    ("part", lambda: jacobians(made("gru", None, 2, 3), torch.zeros(1, 4, 2, **F64), part="c")),
    ("part", lambda: jacobians(made("gru", None, 2, 3), torch.zeros(1, 4, 2, **F64), part="h")),
    ("scale", lambda: scale_recurrent(made("gru", None, 2, 3), 0.0, seeded())),
    ("gradients", lambda: clip_norm([], 1.0)),
    ("threshold", lambda: clip_norm([torch.ones(2)], -1.0)),
    ("threshold", lambda: clip_values([torch.ones(2)], math.nan)),
    ("J", lambda: norms(torch.zeros(3))),
]


@pytest.mark.parametrize(("name", "call"), BAD)
def test_a_wrong_argument_is_named(name, call):
    with pytest.raises(ValueError, match=f"^{name} must be "):
        call()


# ---- The theorems
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_the_bound_holds(activation):
    slope = 0.25 if activation == "sigmoid" else 1.0
    for seed in range(5):
        cell = made("rnn", activation, 4, 8, seed)
        with torch.no_grad():
            cell.W_s.mul_(3.0)
        measured = norms(jacobians(cell, normal(3, 12, 4, seed=seed)))
        bound = (slope * torch.linalg.matrix_norm(cell.W_s, 2)) ** torch.arange(12, -1, -1)
        assert (measured <= bound * (1 + 1e-9)).all()


def linear_cell() -> RNNCell:
    generator = seeded()
    cell = RNNCell(D, R, activation="identity", generator=generator, **F64)
    with torch.no_grad():
        cell.W_s.normal_(0, 0.8 / R**0.5, generator=generator)
    return cell


def test_the_linear_cells_rate_is_the_spectral_radius():
    cell = linear_cell()
    rate = norms(jacobians(cell, torch.zeros(1, 100, D, **F64)))[0, 0].item() ** (1 / 100)
    radius = torch.linalg.eigvals(cell.W_s.detach()).abs().max().item()
    assert rate == pytest.approx(radius, rel=0.02) and torch.linalg.matrix_norm(cell.W_s.detach(), 2) > 1.4 * radius


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


def test_the_sigmoid_vanishes_even_where_the_identity_explodes():
    assert left_after_thirty("sigmoid", 1.5) < 1e-12 and left_after_thirty("identity", 1.5) == pytest.approx(1.5**30)


def test_tanh_brakes_the_explosion():
    assert 1 < left_after_thirty("tanh", 1.5) < 100 < 1.5**30


def test_relu_still_vanishes_at_scale_one():
    assert left_after_thirty("relu", 1.0) < left_after_thirty("tanh", 1.0) < 0.01


def rate_of_an_lstm(bias: float, steps: int = 50) -> float:
    def make(generator):
        cell = CELLS["lstm"](D, R, generator=generator, **F64)
        with torch.no_grad():
            cell.b[R : 2 * R] += bias
        return cell

    return left(make, steps) ** (1 / steps)


def test_fresh_gates_forget_and_opened_gates_keep(record):
    assert record("L1.8.fresh", rate_of_an_lstm(0.0)) < 0.7
    assert record("L1.8.opened", rate_of_an_lstm(2.0)) > 0.9


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


def test_depth_vanishes_with_xavier_and_not_with_he(record):
    assert through_layers(1.0) < 1e-3 and 0.2 < record("L1.8.he", through_layers(2**0.5)) < 5


def adadelta_over_sgd(gradient: float = 1e-6) -> float:
    """First move of Adadelta with rate 1 for a tiny gradient, over that of gradient descent with rate 1."""
    x = torch.zeros(1, **F64).requires_grad_()
    x.grad = torch.full_like(x, gradient)
    torch.optim.Adadelta([x], lr=1.0).step()
    return -x.item() / gradient


def test_adadelta_is_gradient_descent_for_tiny_gradients():
    assert adadelta_over_sgd() == pytest.approx(1, abs=1e-3)


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


def test_large_rates_kill_units():
    assert dead_units(0.001) < 0.02 and dead_units(0.1) > 0.3


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


def test_clipping_keeps_a_training_alive():
    assert last_loss(None) == math.inf and last_loss(1.0) < 15


# ---- The stored study
def test_the_study_is_complete_and_says_what_the_page_says():
    table = load("remember_first")
    settings = table["settings"]
    rows = {(row["cell"], row["optimiser"], row["T"]): row for row in table["rows"]}
    assert len(rows) == len(table["rows"]) == len(settings["cells"]) * len(settings["rates"]) * len(settings["lengths"])
    learned = {key: row["learned"] for key, row in rows.items()}
    assert learned["lstm", "SGD", 16] == 0 and learned["lstm, bias 2", "SGD", 16] == 3
    assert learned["rnn", "SGD", 16] == 0 and learned["rnn, orthogonal", "SGD", 16] == learned["rnn", "Adam", 16] == learned["rnn", "Adagrad", 16] == 3
    assert all(learned["gru", "Adadelta", T] == 0 and learned["gru", "SGD", T] == 3 for T in (16, 32))
    assert rows["gru", "Adam", 32]["arrives"][0] < 1e-5 and rows["gru", "Adam", 32]["arrives"][1] > 1
