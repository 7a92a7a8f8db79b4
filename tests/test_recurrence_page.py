"""Backpropagation by hand against autograd, closed forms and paper; the page on recurrence against sums written out."""

import itertools
import math

import pytest
import torch
from claims import recurrence as page

from course_lib.backprop import states, through_time
from course_lib.recurrent import GRUCell, LSTMCell, RNNCell, unroll

F64 = {"dtype": torch.float64}


def sigma(a: float) -> float:
    return 1 / (1 + math.exp(-a))


# ---- Backpropagation through time (course_lib.backprop)
@pytest.mark.parametrize(("n", "d", "r"), [(1, 1, 1), (3, 3, 4), (5, 3, 4), (12, 1, 6)])
def test_gradients_are_autograds(n, d, r):
    x, y, *parameters = page.problem(n, d, r, seed=1)
    ours = page.by_hand(x, y, *parameters)
    tracked = [w.requires_grad_() for w in parameters]
    for mine, theirs in zip(ours[:4], torch.autograd.grad(page.loss_of(x, y, *tracked), tracked), strict=True):
        torch.testing.assert_close(mine, theirs, rtol=0, atol=1e-12)


def test_delta_is_the_derivative_by_what_each_tanh_is_given():
    x, y, *parameters = page.problem(5, seed=2)
    nudge = torch.zeros(5, 4, **F64, requires_grad=True)  # added under each tanh
    W_x, W_s, b, s_0 = parameters
    s, loss = s_0, 0.0
    for x_t, y_t, u in zip(x, y, nudge, strict=True):
        s = torch.tanh(x_t @ W_x + s @ W_s + b + u)
        loss = loss + 0.5 * ((s - y_t) ** 2).sum()
    torch.testing.assert_close(page.by_hand(x, y, *parameters).delta, torch.autograd.grad(loss, nudge)[0])


def test_losses_add_up():
    """The gradient of a sum of losses is the sum over the losses, each sent back from its own step."""
    x, y, W_x, W_s, b, s_0 = page.problem(6, seed=3)
    s = states(x, W_x, W_s, b, s_0)
    parts = []
    for t in range(6):
        g = torch.zeros(t + 1, 4, **F64)
        g[t] = s[t + 1] - y[t]
        parts.append(through_time(x[: t + 1], s[: t + 2], g, W_s).W_s)
    torch.testing.assert_close(sum(parts), page.by_hand(x, y, W_x, W_s, b, s_0).W_s)


def test_through_time_takes_no_part_in_autograd():
    x, _, W_x, W_s, b, s_0 = page.problem(3)
    W_s.requires_grad_()
    s = states(x, W_x, W_s, b, s_0)
    assert s.requires_grad and not through_time(x, s, torch.ones(3, 4, **F64), W_s).W_s.requires_grad


def test_states_are_the_plain_cells():
    cell, x = RNNCell(3, 4, generator=page.seeded(), **F64), torch.randn(7, 3, generator=page.seeded(), **F64)
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


def test_states_refuse_wrong_shapes():
    x, _, W_x, W_s, b, s_0 = page.problem(3)
    with pytest.raises(ValueError, match="W_x must be of size 3"):
        states(x, W_x[:2], W_s, b, s_0)
    with pytest.raises(ValueError, match="W_s must be of size 4"):
        states(x, W_x, W_s[:, :3], b, s_0)
    with pytest.raises(ValueError, match="b must"):
        states(x, W_x, W_s, b[:1], s_0)  # would broadcast in silence
    with pytest.raises(ValueError, match="s_0 must"):
        states(x, W_x, W_s, b, s_0[:1])


# ---- The page, L1.10
def test_two_layers_on_paper():
    by_W_1, by_W_2 = page.gradients_on_paper()
    assert by_W_1.tolist() == [[4, 0], [8, 0]] and by_W_2.tolist() == [[3], [0]]
    tracked = [W.requires_grad_() for W in page.weights_on_paper()]
    loss = page.two_layers(*tracked)
    assert loss.item() == 2
    for ours, theirs in zip((by_W_1, by_W_2), torch.autograd.grad(loss, tracked), strict=True):
        torch.testing.assert_close(ours, theirs)
    assert page.loss_of_the_two_layers_after_one_step() == pytest.approx(0.5 * ((0.46 + 2 * 0.42) * 1.97 - 1) ** 2)


def test_three_steps_on_paper():
    """s_3 = tanh(w tanh(w tanh 1)), differentiated with pencil."""
    w, s_1 = 0.5, math.tanh(1)
    s_2 = math.tanh(w * s_1)
    s_3 = math.tanh(w * s_2)
    slope = (1 - s_3**2) * (s_2 + w * (1 - s_2**2) * s_1)
    assert page.derivative_by_the_state_weight_on_paper() == pytest.approx((s_3 - 1) * slope)
    assert page.share_of_the_gradient_that_goes_two_steps_back() == pytest.approx(w**2 * (1 - s_3**2) * (1 - s_2**2))
    delta = [round(value, 3) for value in page.three_steps()[0].delta[:, 0].tolist()]
    assert delta == [-0.072, -0.344, -0.794]  # the page's table


def test_three_witnesses_agree():
    assert page.difference_of_the_hand_made_gradients_from_autograd() == 0
    assert page.difference_from_finite_differences() == 0


def test_one_small_step_lowers_the_loss():
    """At first order by rate · |gradient|²; a step that is too large raises it."""
    x, y, *parameters = page.problem(5)
    squares = sum((by**2).sum().item() for by in page.by_hand(x, y, *parameters)[:3])
    fall = page.loss_after_one_step(0.0) - page.loss_after_one_step(1e-6)
    assert fall == pytest.approx(1e-6 * squares, rel=1e-2)
    assert page.loss_after_one_step_over_the_loss_before() < 0.95
    assert page.loss_after_one_step(1.0) > page.loss_after_one_step(0.0)


def test_truncation_drops_what_lies_further_back():
    assert page.missing(1.0, 0, 30) == 0
    for seed in range(5):
        assert page.missing(0.5, seed, 4) < 0.15 < 0.4 < page.missing(1.2, seed, 4)
    assert page.share_that_four_steps_miss_with_the_factor_one_half() < 0.1
    assert page.share_that_four_steps_miss_with_the_factor_1_2() > 0.5


def test_a_truncated_gradient_knows_nothing_beyond_its_window():
    """Words further back than the window, and only they, have no part in the derivative by W_x."""
    x, _, W_x, W_s, b, s_0 = page.problem(8, d=8)
    x = torch.eye(8, **F64)  # word t is the unit vector t, so row t of ∂L/∂W_x belongs to step t
    s = states(x, W_x, W_s, b, s_0)
    g = torch.zeros(8, 4, **F64)
    g[-1] = 1.0
    by_W_x = through_time(x[-3:], s[-4:], g[-3:], W_s).W_x
    assert (by_W_x[:5] == 0).all() and (by_W_x[5:] != 0).any(1).all()


# ---- The page, L1.3
def test_numbers_of_a_layer_and_of_a_recurrent_network():
    assert page.numbers_of_one_layer_for_fifty_words() == 50 * 8 * 16 + 16
    assert page.numbers_of_a_recurrent_one() == 8 * 16 + 16 * 16 + 16


def test_three_steps_of_the_plain_cell():
    assert page.what_is_left_of_a_one_after_two_zeros() == pytest.approx(math.tanh(0.5 * math.tanh(0.5 * math.tanh(1))))
    assert page.echo(0, 0, 1) == pytest.approx(math.tanh(1))
    finals = sorted(page.echo(*bits) for bits in itertools.product((0, 1), repeat=6))
    assert 1e-6 < min(b - a for a, b in itertools.pairwise(finals)) < 2e-5


def test_a_gru_step_by_hand():
    q, z = sigma(1), sigma(-2)
    assert page.state_of_the_gru_after_a_one() == pytest.approx((1 - z) * math.tanh(1 + q * 0.5) + z * 0.5)


def test_the_box_of_the_gru_and_of_the_lstm():
    generator = page.seeded()
    for scale in (1.0, 30.0):
        gru, lstm = (make(2, 5, generator=generator, **F64) for make in (GRUCell, LSTMCell))
        with torch.no_grad():
            for parameter in [*gru.parameters(), *lstm.parameters()]:
                parameter.mul_(scale)
            x = scale * torch.randn(8, 60, 2, generator=generator, **F64)
            assert unroll(gru, x).states.abs().max() <= 1
            s, c = unroll(lstm, x).last
        assert s.abs().max() <= 1 and c.abs().max() <= 60


def test_an_lstm_counts():
    assert page.memory_after_reading_twenty_ones() == pytest.approx(20, abs=0.05)
    bits = torch.randint(2, (30,), generator=page.seeded()).double()
    assert page.count(bits) == pytest.approx(bits.sum().item(), abs=0.05)


def test_cells_are_pytorchs():
    assert page.difference_of_three_cells_states_from_pytorchs() == 0
    assert page.difference_of_three_cells_gradients_from_pytorchs() == 0


def test_padding_changes_nothing_when_told():
    assert page.change_of_a_state_by_padding() == 0
    assert page.change_by_padding(told=False)[1:].min() > 0.1


def test_one_direction_cannot_see_what_comes():
    assert torch.equal(page.influence(False) == 0, torch.ones(6, 6).triu(1).bool())
    assert page.pairs_without_influence_in_one_direction() == 15
    assert page.pairs_without_influence_in_two_directions() == 0


def test_the_resets_two_places_give_two_cells():
    """The page's warning: with one number in the state and no b_n they agree, with more they do not."""
    x, s = torch.ones(1, 1, **F64), torch.full((1, 1), 0.5, **F64)
    with torch.no_grad():
        torch.testing.assert_close(page.gated()(x, s), reset_before(page.gated(), x, s))
        wide = GRUCell(3, 4, generator=page.seeded(), **F64)
        wide.b_n.zero_()
        x, s = torch.randn(2, 3, generator=page.seeded(), **F64), torch.randn(2, 4, generator=page.seeded(1), **F64)
        assert (wide(x, s) - reset_before(wide, x, s)).abs().max() > 0.01


def reset_before(cell, x, s):
    """A GRU that resets the state before the product."""
    r = s.shape[1]
    a = x @ cell.W_x + cell.b
    q, z = torch.sigmoid(a[:, : 2 * r] + s @ cell.W_s[:, : 2 * r]).chunk(2, -1)
    return (1 - z) * torch.tanh(a[:, 2 * r :] + (q * s) @ cell.W_s[:, 2 * r :]) + z * s
