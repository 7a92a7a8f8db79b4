"""The page on neurons: folds by other ways, and the numbers of its stored fits."""

import itertools
import math
from statistics import median

import numpy as np
import pytest
import torch

from course_lib.neurons import Network
from course_lib.results import load
from studies import width_and_depth as study
from tests.shared.seeded import F64

TABLE = load("width_and_depth")


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
def test_one_layer_needs_a_neuron_more_than_there_are_kinks(
    depth,
):  # each neuron may be flat to the left or to the right of its kink
    x, kinks = np.linspace(-1, 1, 2 ** (depth + 3) + 1), np.linspace(-1, 1, 2**depth + 1)[1:-1]
    wanted = folds(depth)(torch.from_numpy(x)[:, None]).detach().numpy()[:, 0]

    def missed(sides, *more):
        neurons = [np.maximum(side * (x - kink), 0) for side, kink in zip(sides, kinks, strict=True)]
        features = np.stack([np.ones_like(x), *neurons, *more], 1)
        return np.abs(features @ np.linalg.lstsq(features, wanted, rcond=None)[0] - wanted).max()

    best = [missed(sides) for sides in itertools.product((1, -1), repeat=len(kinks))]
    assert len(best) == 2 ** (2**depth - 1) and min(best) > 0.05
    assert missed(np.ones(len(kinks)), np.maximum(x + 1, 0)) < 1e-9


# ---- What the page says of the study


def middle(kind: str, width: int, step: int = 5000) -> float:
    """The median over the ten seeds of an error of the study on width."""
    name = f"width {width}"
    return median(TABLE["fits"][name][kind][TABLE["settings"]["fits"][name]["look"].index(step)])


def test_one_neuron_underfits_and_eight_overfit():  # L1.1
    noise = 0.3**2
    assert middle("training", 1) > 3 * noise and middle("test", 1) > 5 * noise
    assert middle("test", 2) < 1.6 * noise
    two = TABLE["fits"]["width 2"]
    assert max(two["training"][-1]) == pytest.approx(middle("training", 1), abs=0.01) and max(
        two["test"][-1]
    ) == pytest.approx(1.86, abs=0.005)
    assert middle("training", 8) < noise / 3
    assert middle("test", 8) > 2 * middle("test", 2)


def test_beyond_eight_neurons_no_further_harm(record):  # L1.1
    later = [middle("test", width) for width in (8, 16, 32, 64, 256)]
    assert record("L1.1.widest", middle("test", 256)) == later[-1] and min(later) > 0.26
    assert max(later) < 0.35


def runs(kind: str, target: str, depth: int) -> list[float]:
    """The ten errors of the study on depth at the better of its two rates, by the median test error."""
    both = [TABLE["fits"][f"depth {depth} | {target} | {rate}"] for rate in (0.003, 0.01)]
    return min(both, key=lambda fit: median(fit["test"][-1]))[kind][-1]


def test_depth_at_equal_numbers_did_not_help_on_these_curves(record):  # L1.1
    one = median(runs("test", "wave", 1))
    assert record("L1.1.depth_wave_4", median(runs("test", "wave", 4))) == pytest.approx(one, rel=0.05)
    for depth in (2, 3, 4):  # run by run: the same points
        more = np.subtract(runs("test", "wave", depth), runs("test", "wave", 1))
        assert 3 <= (more < 0).sum() <= 7 and abs(more.mean()) < 2 * more.std(ddof=1) / math.sqrt(10)
    fitted = [sum(error < 0.05 for error in runs("training", "folded", depth)) for depth in (1, 2, 3, 4)]
    assert fitted[0] == 10 and max(fitted[1:]) <= 5


def errors(kind: str, name: str) -> np.ndarray:
    return np.array(TABLE["fits"][name][kind])


def test_three_cures():
    """Early stopping, weight decay and more points, chosen by validation errors alone, for 8 neurons."""
    early = errors("test", "width 8")[errors("validation", "width 8").argmin(0), range(10)]
    decays = ["width 8", *(f"width 8 | decay {decay}" for decay in study.DECAYS)]
    chosen = np.array([errors("validation", name)[-1] for name in decays]).argmin(0)
    decayed = np.array([errors("test", name)[-1] for name in decays])[chosen, range(10)]
    more = errors("test", "width 8 | points 80")[-1]
    none = errors("test", "width 8")[-1]
    assert max(np.median(cured) for cured in (early, decayed, more)) < 0.4 * np.median(none)
    assert decays[np.bincount(chosen).argmax()] == "width 8 | decay 0.001" and np.bincount(chosen).max() >= 6
    assert np.median(errors("test", "width 8 | decay 0.01")[-1]) == pytest.approx(np.median(none), rel=0.1)
    assert (
        1.2 < np.median(early) / 0.09 < 1.5 and np.median(errors("training", "width 8 | decay 0.01")[-1]) > 0.09
    )  # it underfits
