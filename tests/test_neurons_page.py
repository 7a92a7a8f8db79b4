"""The page on neurons: its theorems by other ways, its stored fits made again by another loop, and what it says of them."""

import itertools
import math

import numpy as np
import pytest
import torch
from claims import neurons as page

from course_lib.neurons import ACTIVATIONS
from course_lib.results import load
from studies import width_and_depth as study

TABLE = load("width_and_depth")
F64 = {"dtype": torch.float64}


# ---- Without a bend
def test_a_chain_of_affine_maps_is_one():  # L1.1
    assert page.difference_of_a_chain_and_its_one_map() == 0
    assert page.numbers_in_the_chain() == sum(p.numel() for p in page.tower().parameters()) == 5301


# ---- Slopes
def test_the_steepest_slopes():  # L1.2
    assert page.steepest_slope_of_the_sigmoid() == pytest.approx(1 / 4)
    assert page.steepest_slope_of_tanh() == pytest.approx(1)
    normal = math.exp(-1) / math.sqrt(2 * math.pi)  # the normal density at √2
    assert page.steepest_slope_of_gelu() == pytest.approx(0.5 * math.erfc(-1) + math.sqrt(2) * normal, abs=1e-6)
    assert page.power_of_ten_left_by_ten_sigmoids() == pytest.approx(math.log10(4.0**-10))


def test_slopes_are_those_of_autograd():  # L1.2
    assert page.largest_difference_from_autograd() == 0


def test_slopes_fall_at_least_as_fast_as_the_theorem_says():
    z = torch.linspace(-30, 30, 601, **F64)
    assert (ACTIVATIONS["sigmoid"].slope(z) <= torch.exp(-z.abs()) + 1e-15).all()
    assert (ACTIVATIONS["tanh"].slope(z) <= 4 * torch.exp(-2 * z.abs()) + 1e-15).all()
    torch.testing.assert_close(torch.tanh(z), 2 * torch.sigmoid(2 * z) - 1)


# ---- Kinks and folds
def test_a_point_less_one_neurons_hit_all_points():  # L1.1
    network, (x, y) = page.through(), page.draw(20, 1000)
    assert len(network.b[0]) == 19 and page.error_on_points_hit_exactly() == 0
    order = np.argsort(x[:, 0].numpy())
    between = torch.linspace(x.min().item(), x.max().item(), 777, **F64)
    expected = np.interp(between.numpy(), x[order, 0].numpy(), y[order, 0].numpy())
    np.testing.assert_allclose(network(between[:, None]).detach().numpy()[:, 0], expected, atol=1e-9)
    assert page.error_on_fresh_points_of_that_network() > (torch.sin(5 * page.draw(500, 2000)[0]) - page.draw(500, 2000)[1]).square().mean()


@pytest.mark.parametrize("depth", [1, 2, 3, 6, 10])
def test_folds_double_the_pieces(depth):  # L1.1
    network, points = page.folds(depth), 2 ** (depth + 4) + 1
    x = torch.linspace(-1, 1, points, **F64)[:, None]
    expected = x[:, 0]
    for _ in range(depth):
        expected = 1 - 2 * expected.abs()
    y = network(x).detach()[:, 0]
    torch.testing.assert_close(y, expected, rtol=0, atol=1e-9)
    assert ((y.diff().diff().abs() > 1e-6).sum() == 2**depth - 1).item()  # every kink lies on the grid
    if depth == 3:
        torch.testing.assert_close(expected[:, None], study.folded(x))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_one_layer_needs_a_neuron_more_than_there_are_kinks(depth):  # each neuron may be flat to the left or to the right of its kink
    x, kinks = np.linspace(-1, 1, 2 ** (depth + 3) + 1), np.linspace(-1, 1, 2**depth + 1)[1:-1]
    wanted = page.folds(depth)(torch.from_numpy(x)[:, None]).detach().numpy()[:, 0]

    def missed(sides, *more):
        neurons = [np.maximum(side * (x - kink), 0) for side, kink in zip(sides, kinks, strict=True)]
        features = np.stack([np.ones_like(x), *neurons, *more], 1)
        return np.abs(features @ np.linalg.lstsq(features, wanted, rcond=None)[0] - wanted).max()

    best = [missed(sides) for sides in itertools.product((1, -1), repeat=len(kinks))]
    assert len(best) == 2 ** (2**depth - 1) and min(best) > 0.05
    assert missed(np.ones(len(kinks)), np.maximum(x + 1, 0)) < 1e-9


def test_ten_folds_cost_less_than_one_wide_layer():  # L1.1
    assert page.numbers_of_ten_folds() == sum(p.numel() for p in page.folds(10).parameters())
    assert page.numbers_of_one_layer_with_as_many_kinks() == 3 * 1023 + 1


# ---- The stored study
def test_the_pages_points_are_the_studys():
    fit = study.FITS["width 8"]
    for ours, theirs in zip((*page.draw(20, 1000), *page.draw(500, 2000)), (*study.shown(fit, 0), *study.held_out(fit, 0)), strict=True):
        torch.testing.assert_close(ours, theirs)


# ---- What the page says of the study
def test_one_neuron_underfits_and_eight_overfit():  # L1.1
    noise = 0.3**2
    assert page.middle("shown", 1) > 3 * noise and page.held_out_error_of_one_neuron() > 5 * noise
    assert page.held_out_error_of_two_neurons() < 1.6 * noise
    two = TABLE["fits"]["width 2"]
    assert max(two["shown"][-1]) == pytest.approx(page.middle("shown", 1), abs=0.01) and max(two["held_out"][-1]) == pytest.approx(1.86, abs=0.005)
    assert page.shown_error_of_eight_neurons() < noise / 3
    assert page.held_out_error_of_eight_neurons() > 2 * page.held_out_error_of_two_neurons()


def test_beyond_eight_neurons_no_further_harm():  # L1.1
    later = [page.middle("held_out", width) for width in (8, 16, 32, 64, 256)]
    assert page.held_out_error_of_256_neurons() == later[-1] and min(later) > 0.26 and max(later) < 0.35


def test_stopped_early_every_width_from_four_on_is_near_the_noise():  # L1.1
    assert page.worst_held_out_error_after_1000_steps_from_four_neurons_on() < 0.14


def test_the_written_network_beats_the_trained_one_of_eight_on_fresh_points():
    assert page.error_on_fresh_points_of_that_network() < 0.15 < page.held_out_error_of_eight_neurons()


def test_depth_at_equal_numbers_did_not_help_on_these_curves():  # L1.1
    wave = [np.median(page.runs("held_out", "wave", depth)) for depth in (1, 2, 3, 4)]
    assert wave[0] == page.held_out_error_on_the_wave_of_one_layer() and wave[3] == page.held_out_error_on_the_wave_of_four_layers()
    for depth in (2, 3, 4):  # run by run: the same points
        more = np.subtract(page.runs("held_out", "wave", depth), page.runs("held_out", "wave", 1))
        assert 3 <= (more < 0).sum() <= 7 and abs(more.mean()) < 2 * more.std(ddof=1) / math.sqrt(10)
    assert page.runs_of_ten_that_fitted_the_folded_line_with_one_layer() == 10
    assert page.most_runs_of_ten_that_fitted_the_folded_line_with_more_layers() <= 5


def test_where_a_deep_network_failed_it_failed_on_shown_points():
    for depth in (2, 3, 4):
        shown, fresh = (np.array(page.runs(kind, "folded", depth)) for kind in ("shown", "held_out"))
        assert (shown[shown >= 0.05] > 9 * 0.1**2).all()
        assert abs(np.median(fresh[shown < 0.05]) - np.median(page.runs("held_out", "folded", 1))) < 0.004
