"""Backpropagation by hand against autograd, differences and paper; the page on recurrence against PyTorch's cells."""

import math
from functools import partial
from statistics import mean

import pytest
import torch
from torch import Tensor

from course_lib.backprop import Gradients, states, through_time
from course_lib.recurrent import LSTMCell, RNNCell, unroll
from tests.shared.record import largest
from tests.shared.refusals import named
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


GIVEN = {"x": normal(3, 1), "s": normal(4, 4), "g": normal(3, 4), "W_s": normal(4, 4)}
PARAMETERS = dict(zip(("x", "y", "W_x", "W_s", "b", "s_0"), problem(3), strict=True))
X, _ = (PARAMETERS.pop(name) for name in "xy")
test_wrong_shapes_are_refused = named(
    (lambda: through_time(**GIVEN | {"g": normal(2, 4)}), "g must be of size 3"),
    (lambda: through_time(**GIVEN | {"s": normal(3, 4)}), "s must be of size 4 .one state more"),
    (lambda: through_time(**GIVEN | {"W_s": normal(3, 4)}), "W_s must"),
    # a bias or a state of size 1 would broadcast in silence
    *((partial(states, X, **PARAMETERS | {name: value[:1]}), f"{name} must") for name, value in PARAMETERS.items()),
)


# ---- The page, L1.10


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


def test_three_witnesses_agree():
    apart = []
    for n, d, r in ((1, 1, 1), (3, 3, 4), (5, 3, 4), (12, 1, 6)):
        x, y, *parameters = problem(n, d, r)
        tracked = [w.requires_grad_() for w in parameters]
        theirs = torch.autograd.grad(loss_of(x, y, *tracked), tracked)
        apart += [largest(ours - each) for ours, each in zip(by_hand(x, y, *parameters), theirs, strict=False)]
        assert torch.autograd.gradcheck(lambda *given, x=x, y=y: loss_of(x, y, *given), tracked)  # finite differences
    assert max(apart) == 0


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


def test_truncation_drops_what_lies_further_back():
    assert missing(1.0, 0, 30) == 0
    short, long = ([missing(factor, seed, 4) for seed in range(5)] for factor in (0.5, 1.2))
    assert max(short) < 0.15 < 0.4 < min(long)
    assert mean(short) < 0.1
    assert mean(long) > 0.5


# ---- The page, L1.3


@torch.no_grad()
def count(bits: Tensor) -> float:
    """The memory of the page's counting LSTM after reading bits [n]."""
    cell = LSTMCell(1, 1, **F64)
    for name, value in (("W_x", [[20.0, 0, 0, 0]]), ("W_s", [[0.0] * 4]), ("b", [-10.0, 10, 10, 10])):
        getattr(cell, name).copy_(torch.tensor(value, **F64))
    return unroll(cell, bits[None, :, None]).last.c.item()


def test_an_lstm_counts():
    assert count(torch.ones(20, **F64)) == pytest.approx(20, abs=0.05)
    bits = torch.randint(2, (30,), generator=seeded()).double()
    assert count(bits) == pytest.approx(bits.sum().item(), abs=0.05)
