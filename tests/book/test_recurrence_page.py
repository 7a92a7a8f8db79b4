"""Backpropagation by hand against autograd, closed forms and paper; the page on recurrence against sums written out."""

import itertools
import math
from statistics import mean

import pytest
import torch
from torch import Tensor, nn

from course_lib.backprop import Gradients, states, through_time
from course_lib.recurrent import CELLS, GRUCell, LSTMCell, RecurrentEncoder, RNNCell, unroll
from tests.shared.record import largest
from tests.shared.seeded import F64, normal, seeded

# ---- Backpropagation through time (course_lib.backprop)


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


def test_delta_is_the_derivative_by_what_each_tanh_is_given():
    x, y, *parameters = problem(5, seed=2)
    nudge = torch.zeros(5, 4, **F64, requires_grad=True)  # added under each tanh
    W_x, W_s, b, s_0 = parameters
    s, loss = s_0, 0.0
    for x_t, y_t, u in zip(x, y, nudge, strict=True):
        s = torch.tanh(x_t @ W_x + s @ W_s + b + u)
        loss = loss + 0.5 * ((s - y_t) ** 2).sum()
    torch.testing.assert_close(by_hand(x, y, *parameters).delta, torch.autograd.grad(loss, nudge)[0])


def test_through_time_takes_no_part_in_autograd():
    x, _, W_x, W_s, b, s_0 = problem(3)
    W_s.requires_grad_()
    s = states(x, W_x, W_s, b, s_0)
    assert s.requires_grad and not through_time(x, s, torch.ones(3, 4, **F64), W_s).W_s.requires_grad


def test_states_are_the_plain_cells():
    cell, x = RNNCell(3, 4, generator=seeded(), **F64), normal(7, 3)
    ours = states(x, cell.W_x, cell.W_s, cell.b, torch.zeros(4, **F64))
    torch.testing.assert_close(ours[1:], unroll(cell, x[None]).states[0])
    assert (ours[0] == 0).all()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"g": torch.zeros(2, 4, **F64)}, "g must be of size 3"),
        ({"g": torch.zeros(3, 5, **F64)}, "g must be of size 4"),
        ({"s": torch.zeros(3, 4, **F64)}, "s must be of size 4 .one state more"),
        ({"W_s": torch.zeros(4, 5, **F64)}, "W_s must be of size 4"),
        ({"W_s": torch.zeros(5, 4, **F64)}, "W_s must be of size 4"),
        ({"x": torch.zeros(3, **F64)}, "x must be an array"),
        ({"x": torch.zeros(3, 1, dtype=torch.long)}, "x must be an array"),
    ],
)
def test_wrong_shapes_are_refused(change, message):
    good = {"x": torch.zeros(3, 1, **F64), "s": torch.zeros(4, 4, **F64), "g": torch.zeros(3, 4, **F64), "W_s": torch.zeros(4, 4, **F64)}
    with pytest.raises(ValueError, match=message):
        through_time(**(good | change))


@pytest.mark.parametrize(
    ("name", "cut", "message"),
    [
        ("W_x", slice(2), "W_x must be of size 3"),
        ("W_s", (slice(None), slice(3)), "W_s must be of size 4"),
        ("b", slice(1), "b must"),  # would broadcast in silence
        ("s_0", slice(1), "s_0 must"),
    ],
)
def test_states_refuse_wrong_shapes(name, cut, message):
    x, _, *parameters = problem(3)
    given = dict(zip(("W_x", "W_s", "b", "s_0"), parameters, strict=True))
    with pytest.raises(ValueError, match=message):
        states(x, **given | {name: given[name][cut]})


# ---- The page, L1.10


def test_two_layers_on_paper():
    """The page's gradients of ½ (relu(x W_1) W_2 - 1)², and one step with the rate 0.01."""
    x, W_1, W_2 = (torch.tensor(rows, **F64) for rows in ([[1.0, 2]], [[0.5, -0.5], [0.5, 0]], [[2.0], [1]]))

    def loss(W_1, W_2):
        return 0.5 * ((x @ W_1).relu() @ W_2 - 1).pow(2).sum()

    by_W_1, by_W_2 = torch.autograd.grad(loss(W_1.requires_grad_(), W_2.requires_grad_()), (W_1, W_2))
    assert loss(W_1, W_2) == 2 and by_W_1.tolist() == [[4, 0], [8, 0]] and by_W_2.tolist() == [[3], [0]]
    after = loss(W_1 - 0.01 * by_W_1, W_2 - 0.01 * by_W_2).item()
    assert after == pytest.approx(0.5 * ((0.46 + 2 * 0.42) * 1.97 - 1) ** 2)


def test_three_steps_on_paper():
    """Read 1, 0, 0; loss ½ (s_3 - 1)² at the end. s_3 = tanh(w tanh(w tanh 1)), differentiated with pencil."""
    one, zero, x = torch.eye(1, **F64), torch.zeros(1, **F64), torch.tensor([[1.0], [0.0], [0.0]], **F64)
    s, g = states(x, one, 0.5 * one, zero, zero), torch.zeros(3, 1, **F64)
    g[-1] = s[-1] - 1
    gradients = through_time(x, s, g, 0.5 * one)
    w, s_1 = 0.5, math.tanh(1)
    s_2 = math.tanh(w * s_1)
    s_3 = math.tanh(w * s_2)
    slope = (1 - s_3**2) * (s_2 + w * (1 - s_2**2) * s_1)
    assert gradients.W_s.item() == pytest.approx((s_3 - 1) * slope)
    two_steps_back = gradients.delta[1].item() * w / g[-1].item()
    assert two_steps_back == pytest.approx(w**2 * (1 - s_3**2) * (1 - s_2**2))
    assert [round(value, 3) for value in gradients.delta[:, 0].tolist()] == [-0.072, -0.344, -0.794]  # the page's table


def test_three_witnesses_agree(record):
    apart = []
    for n, d, r in ((1, 1, 1), (3, 3, 4), (5, 3, 4), (12, 1, 6)):
        x, y, *parameters = problem(n, d, r)
        tracked = [w.requires_grad_() for w in parameters]
        theirs = torch.autograd.grad(loss_of(x, y, *tracked), tracked)
        apart += [largest(ours - each) for ours, each in zip(by_hand(x, y, *parameters), theirs, strict=False)]
        assert torch.autograd.gradcheck(lambda *given, x=x, y=y: loss_of(x, y, *given), tracked)  # finite differences
    assert record("L1.10.autograd", max(apart)) == 0


def loss_after_one_step(rate: float) -> float:
    x, y, *parameters = problem(5)
    stepped = [w - rate * by for w, by in zip(parameters[:3], by_hand(x, y, *parameters), strict=False)]
    return loss_of(x, y, *stepped, parameters[3]).item()


def test_one_small_step_lowers_the_loss():
    """At first order by rate · |gradient|²; a step that is too large raises it."""
    x, y, *parameters = problem(5)
    squares = sum((by**2).sum().item() for by in by_hand(x, y, *parameters)[:3])
    fall = loss_after_one_step(0.0) - loss_after_one_step(1e-6)
    assert fall == pytest.approx(1e-6 * squares, rel=1e-2)
    assert loss_after_one_step(0.05) / loss_after_one_step(0.0) < 0.95
    assert loss_after_one_step(1.0) > loss_after_one_step(0.0)


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


def test_truncation_drops_what_lies_further_back(record):
    assert missing(1.0, 0, 30) == 0
    short, long = ([missing(factor, seed, 4) for seed in range(5)] for factor in (0.5, 1.2))
    assert max(short) < 0.15 < 0.4 < min(long)
    assert mean(short) < 0.1
    assert record("L1.10.long_memory", mean(long), rtol=0.02) > 0.5


# ---- The page, L1.3


def filled(cell: nn.Module, **values: list) -> nn.Module:
    """The cell with these parameters set by hand."""
    with torch.no_grad():
        for name, value in values.items():
            getattr(cell, name).copy_(torch.tensor(value, **F64))
    return cell


@torch.no_grad()
def test_three_steps_of_the_plain_cell():
    cell = filled(RNNCell(1, 1, **F64), W_x=[[1.0]], W_s=[[0.5]], b=[0.0])

    def echo(*x):
        return unroll(cell, torch.tensor(x, **F64)[None, :, None]).last.item()

    assert echo(1, 0, 0) == pytest.approx(math.tanh(0.5 * math.tanh(0.5 * math.tanh(1))))
    assert echo(0, 0, 1) == pytest.approx(math.tanh(1))
    finals = sorted(echo(*bits) for bits in itertools.product((0, 1), repeat=6))
    assert 1e-6 < min(b - a for a, b in itertools.pairwise(finals)) < 2e-5


def gated() -> GRUCell:
    """The page's GRU of width 1: reset 2x - 1, update 1 - 3x, proposal x + q s."""
    cell = GRUCell(1, 1, **F64)
    return filled(cell, W_x=[[2.0, -3.0, 1.0]], W_s=[[0.0, 0.0, 1.0]], b=[-1.0, 1.0, 0.0], b_n=[0.0])


def test_a_gru_step_by_hand():
    q, z = (1 / (1 + math.exp(-a)) for a in (1, -2))
    found = gated()(torch.ones(1, 1, **F64), torch.full((1, 1), 0.5, **F64))
    assert found.item() == pytest.approx((1 - z) * math.tanh(1 + q * 0.5) + z * 0.5)


def test_the_box_of_the_gru_and_of_the_lstm():
    generator = seeded()
    for scale in (1.0, 30.0):
        gru, lstm = (make(2, 5, generator=generator, **F64) for make in (GRUCell, LSTMCell))
        with torch.no_grad():
            for parameter in [*gru.parameters(), *lstm.parameters()]:
                parameter.mul_(scale)
            x = scale * torch.randn(8, 60, 2, generator=generator, **F64)
            assert unroll(gru, x).states.abs().max() <= 1
            s, c = unroll(lstm, x).last
        assert s.abs().max() <= 1 and c.abs().max() <= 60


@torch.no_grad()
def count(bits: Tensor) -> float:
    """The memory of the page's counting LSTM after reading bits [n]."""
    cell = filled(LSTMCell(1, 1, **F64), W_x=[[20.0, 0, 0, 0]], W_s=[[0.0] * 4], b=[-10.0, 10, 10, 10])
    return unroll(cell, bits[None, :, None]).last.c.item()


def test_an_lstm_counts(record):
    assert record("L1.3.count", count(torch.ones(20, **F64))) == pytest.approx(20, abs=0.05)
    bits = torch.randint(2, (30,), generator=seeded()).double()
    assert count(bits) == pytest.approx(bits.sum().item(), abs=0.05)


def test_cells_are_pytorchs(record):  # over fifty steps; with gradients: tests/library/test_recurrent.py
    apart = []
    for name, make in (("rnn", nn.RNN), ("gru", nn.GRU), ("lstm", nn.LSTM)):
        generator = seeded()
        ours, theirs = CELLS[name](6, 10, generator=generator, **F64), make(6, 10, batch_first=True, **F64)
        biases = ours.b, torch.zeros_like(ours.b)
        if name == "gru":
            biases[1][-10:] = ours.b_n.detach()
        for parameter, value in zip(theirs.parameters(), (ours.W_x.T, ours.W_s.T, *biases), strict=True):
            parameter.data = value.detach()
        x = torch.randn(5, 50, 6, generator=generator, **F64)
        apart.append(largest(unroll(ours, x).states - theirs(x)[0], 1e-10))
    assert record("L1.3.states", max(apart)) == 0


@torch.no_grad()
def test_untold_padding_changes_the_last_state():  # told, it does not: tests/library/test_recurrent.py
    lengths = torch.tensor([5, 3, 2])
    cell, x = GRUCell(4, 6, generator=seeded(), **F64), normal(3, 5, 4, seed=1)
    for row, length in zip(x, lengths, strict=True):
        row[length:] = 9.0
    assert (unroll(cell, x).last - unroll(cell, x, lengths).last).abs().amax(1)[1:].min() > 0.1


def influence(bidirectional: bool, n: int = 6) -> Tensor:
    """Norm of ∂H_j/∂x_i, [n, n]."""
    x = normal(1, n, 4)
    encoder = RecurrentEncoder(4, 8, cell="gru", bidirectional=bidirectional, generator=seeded(1), **F64)
    J = torch.autograd.functional.jacobian(lambda x: encoder(x).H[0], x)  # [n, r, 1, n, d]
    return J.pow(2).sum((1, 2, 4)).sqrt()


def test_one_direction_cannot_see_what_comes():
    assert torch.equal(influence(False) == 0, torch.ones(6, 6).triu(1).bool())
    assert (influence(True) != 0).all()


def test_the_resets_two_places_give_two_cells():
    """The page's warning: with one number in the state and no b_n they agree, with more they do not."""
    x, s = torch.ones(1, 1, **F64), torch.full((1, 1), 0.5, **F64)
    with torch.no_grad():
        torch.testing.assert_close(gated()(x, s), reset_before(gated(), x, s))
        wide = GRUCell(3, 4, generator=seeded(), **F64)
        wide.b_n.zero_()
        x, s = normal(2, 3), normal(2, 4, seed=1)
        assert (wide(x, s) - reset_before(wide, x, s)).abs().max() > 0.01


def reset_before(cell, x, s):
    """A GRU that resets the state before the product."""
    r = s.shape[1]
    a = x @ cell.W_x + cell.b
    q, z = torch.sigmoid(a[:, : 2 * r] + s @ cell.W_s[:, : 2 * r]).chunk(2, -1)
    return (1 - z) * torch.tanh(a[:, 2 * r :] + (q * s) @ cell.W_s[:, 2 * r :]) + z * s
