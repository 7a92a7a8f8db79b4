"""The page on neurons: its theorems by other ways, its stored fits made again by another loop, and what it says of them."""

import itertools
import math
from functools import cache
from statistics import median

import numpy as np
import pytest
import torch
from torch import Tensor

from course_lib.neurons import ACTIVATIONS, Network
from course_lib.results import load
from studies import width_and_depth as study
from tests.shared.record import rounding
from tests.shared.seeded import F64, seeded

TABLE = load("width_and_depth")


# ---- Slopes


@cache
def steepest(name: str) -> float:
    """Found on a fine grid, which holds 0 and comes within 0.0005 of every other place up to 8."""
    return ACTIVATIONS[name].slope(torch.linspace(-8, 8, 16_001, **F64)).max().item()


def test_the_steepest_slopes(record):  # L1.2
    assert steepest("sigmoid") == pytest.approx(1 / 4)
    assert steepest("tanh") == pytest.approx(1)
    normal = math.exp(-1) / math.sqrt(2 * math.pi)  # the normal density at √2
    gelu = record("L1.2.gelu", steepest("gelu"))
    assert gelu == pytest.approx(0.5 * math.erfc(-1) + math.sqrt(2) * normal, abs=1e-6)
    ten_sigmoids = record("L1.2.ten_sigmoids", 10 * math.log10(steepest("sigmoid")))
    assert ten_sigmoids == pytest.approx(math.log10(4.0**-10))


def test_slopes_fall_at_least_as_fast_as_the_theorem_says():
    z = torch.linspace(-30, 30, 601, **F64)
    assert (ACTIVATIONS["sigmoid"].slope(z) <= torch.exp(-z.abs()) + 1e-15).all()
    assert (ACTIVATIONS["tanh"].slope(z) <= 4 * torch.exp(-2 * z.abs()) + 1e-15).all()
    torch.testing.assert_close(torch.tanh(z), 2 * torch.sigmoid(2 * z) - 1)


# ---- Kinks and folds


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


def test_a_point_less_one_neurons_hit_all_points():  # L1.1
    network, (x, y) = through(), draw(20, 1000)
    assert len(network.b[0]) == 19 and error(draw(20, 1000)) == 0
    order = np.argsort(x[:, 0].numpy())
    between = torch.linspace(x.min().item(), x.max().item(), 777, **F64)
    expected = np.interp(between.numpy(), x[order, 0].numpy(), y[order, 0].numpy())
    np.testing.assert_allclose(network(between[:, None]).detach().numpy()[:, 0], expected, atol=1e-9)
    assert error(draw(500, 2000)) > (torch.sin(5 * draw(500, 2000)[0]) - draw(500, 2000)[1]).square().mean()


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


@pytest.mark.parametrize("depth", [1, 2, 3, 6, 10])
def test_folds_double_the_pieces(depth):  # L1.1
    network, points = folds(depth), 2 ** (depth + 4) + 1
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
    wanted = folds(depth)(torch.from_numpy(x)[:, None]).detach().numpy()[:, 0]

    def missed(sides, *more):
        neurons = [np.maximum(side * (x - kink), 0) for side, kink in zip(sides, kinks, strict=True)]
        features = np.stack([np.ones_like(x), *neurons, *more], 1)
        return np.abs(features @ np.linalg.lstsq(features, wanted, rcond=None)[0] - wanted).max()

    best = [missed(sides) for sides in itertools.product((1, -1), repeat=len(kinks))]
    assert len(best) == 2 ** (2**depth - 1) and min(best) > 0.05
    assert missed(np.ones(len(kinks)), np.maximum(x + 1, 0)) < 1e-9


# ---- The stored study
def test_the_pages_points_are_the_studys():
    fit = study.FITS["width 8"]
    for ours, theirs in zip((*draw(20, 1000), *draw(500, 2000)), (*study.shown(fit, 0), *study.held_out(fit, 0)), strict=True):
        torch.testing.assert_close(ours, theirs)


# ---- What the page says of the study


def middle(kind: str, width: int, step: int = 5000) -> float:
    """The median over the ten seeds of an error of the study on width."""
    name = f"width {width}"
    return median(TABLE["fits"][name][kind][TABLE["settings"]["fits"][name]["look"].index(step)])


def test_one_neuron_underfits_and_eight_overfit(record):  # L1.1
    noise = 0.3**2
    assert middle("shown", 1) > 3 * noise and middle("held_out", 1) > 5 * noise
    assert record("L1.1.best", middle("held_out", 2)) < 1.6 * noise
    two = TABLE["fits"]["width 2"]
    assert max(two["shown"][-1]) == pytest.approx(middle("shown", 1), abs=0.01) and max(two["held_out"][-1]) == pytest.approx(1.86, abs=0.005)
    assert middle("shown", 8) < noise / 3
    assert record("L1.1.overfit", middle("held_out", 8)) > 2 * middle("held_out", 2)


def test_beyond_eight_neurons_no_further_harm(record):  # L1.1
    later = [middle("held_out", width) for width in (8, 16, 32, 64, 256)]
    assert record("L1.1.widest", middle("held_out", 256)) == later[-1] and min(later) > 0.26
    assert max(later) < 0.35


def test_stopping_early_or_writing_a_network_down_beats_eight_trained_neurons():  # L1.1
    assert max(middle("held_out", width, 1000) for width in (4, 8, 16, 32, 64, 256)) < 0.14  # near the noise
    assert error(draw(500, 2000)) < 0.15 < middle("held_out", 8)


def runs(kind: str, target: str, depth: int) -> list[float]:
    """The ten errors of the study on depth at the better of its two rates, by the median on held-out points."""
    both = [TABLE["fits"][f"depth {depth} | {target} | {rate}"] for rate in (0.003, 0.01)]
    return min(both, key=lambda fit: median(fit["held_out"][-1]))[kind][-1]


def test_depth_at_equal_numbers_did_not_help_on_these_curves(record):  # L1.1
    one = median(runs("held_out", "wave", 1))
    assert record("L1.1.depth_wave_4", median(runs("held_out", "wave", 4))) == pytest.approx(one, rel=0.05)
    for depth in (2, 3, 4):  # run by run: the same points
        more = np.subtract(runs("held_out", "wave", depth), runs("held_out", "wave", 1))
        assert 3 <= (more < 0).sum() <= 7 and abs(more.mean()) < 2 * more.std(ddof=1) / math.sqrt(10)
    fitted = [sum(error < 0.05 for error in runs("shown", "folded", depth)) for depth in (1, 2, 3, 4)]
    assert fitted[0] == 10 and max(fitted[1:]) <= 5


def test_where_a_deep_network_failed_it_failed_on_shown_points():
    for depth in (2, 3, 4):
        shown, fresh = (np.array(runs(kind, "folded", depth)) for kind in ("shown", "held_out"))
        assert (shown[shown >= 0.05] > 9 * 0.1**2).all()
        assert abs(np.median(fresh[shown < 0.05]) - np.median(runs("held_out", "folded", 1))) < 0.004
