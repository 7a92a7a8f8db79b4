"""Jacobians along a sequence, clipping, the page's theorems and its stored study, against autograd and closed forms."""

import math

import pytest
import torch
from torch import nn

from course_lib.gradients import clip_norm, clip_values, jacobians, norms, scale_recurrent, total_norm
from course_lib.recurrent.cells import ACTIVATIONS, CELLS, LSTMState, RNNCell
from course_lib.results import load
from tests.claims import gradients as claims

KINDS = [*(("rnn", name) for name in ACTIVATIONS), ("gru", None), ("lstm", None)]


def seeded(seed):
    return torch.Generator().manual_seed(seed)


def made(name, activation, d, r, seed=0):
    options = {"generator": seeded(seed), "dtype": torch.float64}
    return RNNCell(d, r, activation=activation, **options) if activation else CELLS[name](d, r, **options)


@pytest.mark.parametrize(("name", "activation"), KINDS)
@pytest.mark.parametrize(("n", "d", "r"), [(1, 1, 1), (6, 3, 4), (9, 5, 2)])
def test_jacobians_are_autograds(name, activation, n, d, r):
    cell = made(name, activation, d, r)
    x = torch.randn(2, n, d, generator=seeded(1), dtype=torch.float64)
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
    J = torch.randn(3, 5, 5, generator=seeded(0), dtype=torch.float64)
    torch.testing.assert_close(norms(J), torch.linalg.svdvals(J)[..., 0])


def test_scale_recurrent_makes_every_gate_a_scaled_rotation():
    cell = scale_recurrent(made("lstm", None, 3, 6), 0.7, seeded(2))
    for block in cell.W_s.detach().split(6, 1):
        torch.testing.assert_close(block @ block.T, 0.49 * torch.eye(6, dtype=torch.float64))
    blocks = cell.W_s.detach().split(6, 1)
    assert not torch.allclose(blocks[0], blocks[1])


@pytest.mark.parametrize("threshold", [0.5, 100.0])
def test_clip_norm_is_pytorchs(threshold):
    gradients = [torch.randn(shape, generator=seeded(i), dtype=torch.float64) for i, shape in enumerate([(3, 4), (5,)])]
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
    ("x", lambda: jacobians(made("rnn", "tanh", 2, 3), torch.zeros(4, 2, dtype=torch.float64))),
    ("x", lambda: jacobians(made("rnn", "tanh", 2, 3), torch.zeros(1, 0, 2, dtype=torch.float64))),
    ("x", lambda: jacobians(made("rnn", "tanh", 2, 3), torch.zeros(1, 4, 5, dtype=torch.float64))),
    ("part", lambda: jacobians(made("gru", None, 2, 3), torch.zeros(1, 4, 2, dtype=torch.float64), part="c")),
    ("part", lambda: jacobians(made("gru", None, 2, 3), torch.zeros(1, 4, 2, dtype=torch.float64), part="h")),
    ("scale", lambda: scale_recurrent(made("gru", None, 2, 3), 0.0, seeded(0))),
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
        measured = norms(jacobians(cell, torch.randn(3, 12, 4, generator=seeded(seed), dtype=torch.float64)))
        bound = (slope * torch.linalg.matrix_norm(cell.W_s, 2)) ** torch.arange(12, -1, -1)
        assert (measured <= bound * (1 + 1e-9)).all()


def test_the_linear_cells_rate_is_the_spectral_radius():
    rate, radius, norm = claims.rate_of_the_linear_cell(), claims.radius_of_the_linear_cell(), claims.norm_of_the_linear_cell()
    assert rate == pytest.approx(radius, rel=0.02) and norm > 1.4 * radius


def test_the_sigmoid_vanishes_even_where_the_identity_explodes():
    assert claims.left_after_thirty("sigmoid", 1.5) < 1e-12 and claims.left_after_thirty("identity", 1.5) == pytest.approx(1.5**30)


def test_tanh_brakes_the_explosion():
    assert 1 < claims.tanh_at_one_and_a_half() < 100 < 1.5**30


def test_relu_still_vanishes_at_scale_one():
    assert claims.relu_at_one() < claims.tanh_at_one() < 0.01


def test_fresh_gates_forget_and_opened_gates_keep():
    assert claims.rate_of_a_fresh_lstm() < 0.7 and claims.rate_of_an_opened_lstm() > 0.9


def test_depth_vanishes_with_xavier_and_not_with_he():
    assert claims.deep_relu_with_xavier() < 1e-3 and 0.2 < claims.deep_relu_with_he() < 5


@pytest.mark.parametrize("name", ["Adagrad", "Adam"])
def test_adaptive_optimisers_are_blind_to_the_scale(name):
    assert claims.difference_of_scaled_runs(name) < 1e-9 < claims.difference_of_scaled_runs("SGD")


def test_adadelta_is_gradient_descent_for_tiny_gradients():
    assert claims.adadelta_over_sgd() == pytest.approx(1, abs=1e-3)


def test_large_rates_kill_units():
    assert claims.dead_units(0.001) < 0.02 and claims.dead_units_at_a_large_rate() > 0.3


def test_clipping_keeps_a_training_alive():
    unclipped, clipped = claims.loss_without_clipping(), claims.loss_with_clipping()
    assert not math.isfinite(unclipped) and clipped < 15


# ---- The stored study
TABLE = load("remember_first")


def test_the_study_is_complete_and_says_what_the_page_says():
    settings = TABLE["settings"]
    rows = {(row["cell"], row["optimiser"], row["T"]): row for row in TABLE["rows"]}
    assert len(rows) == len(TABLE["rows"]) == len(settings["cells"]) * len(settings["rates"]) * len(settings["lengths"])
    learned = {key: row["learned"] for key, row in rows.items()}
    assert learned["lstm", "SGD", 16] == 0 and learned["lstm, bias 2", "SGD", 16] == 3
    assert learned["rnn", "SGD", 16] == 0 and learned["rnn, orthogonal", "SGD", 16] == learned["rnn", "Adam", 16] == learned["rnn", "Adagrad", 16] == 3
    assert all(learned["gru", "Adadelta", T] == 0 and learned["gru", "SGD", T] == 3 for T in (16, 32))
    assert rows["gru", "Adam", 32]["arrives"][0] < 1e-5 and rows["gru", "Adam", 32]["arrives"][1] > 1
