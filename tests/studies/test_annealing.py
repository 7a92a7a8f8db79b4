"""The walk's law: its sums against slopes by finite differences, and what the stored study says."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.memoryless import Batches, Ensemble, Sizes, SourceModel
from course_lib.memoryless.study import configurations
from course_lib.published import P
from course_lib.results import load
from course_lib.sources import Memoryless
from studies import annealing

SMALLEST, TABLE = annealing.SHAPES[0], load("annealing")
FACTORS = {(tuple(row["shape"]), row["changed"]): row for row in TABLE["factors"]}
COURSES = {(tuple(row["shape"]), row["norm"]): row for row in TABLE["course"]}
SHORT = [row for row in TABLE["rows"] if row["updates"] == 1500]
LATE = np.array(annealing.TIMES) >= 100


def over(row) -> float:
    """The found excess over the law's."""
    return np.mean(row["excess"]) / np.mean(row["law"])


@torch.no_grad()
def test_a_norm_that_stands_elsewhere_is_pytorchs():
    sizes = Sizes(3, 4, 6, 2, 5)
    each = annealing.Elsewhere(sizes, [0, 1], norm="pre")
    p, tokens = {name: value[1] for name, value in each.parameters.items()}, torch.tensor([[0, 2, 1, 1]])
    X = p["E"][tokens[0]] + p["P"]
    N = F.layer_norm(X, (6,), p["gamma_1"], p["beta_1"])
    Q, K, V = (N @ p[f"W_{x}"] + p[f"w_{x.lower()}"] for x in "QKV")
    Y = X[-1] + (Q[-1] @ K.T / 2**0.5).softmax(-1) @ V @ p["W_O"] + p["w_o"]
    Y = Y + torch.relu(F.layer_norm(Y, (6,), p["gamma_2"], p["beta_2"]) @ p["W_1"] + p["w_1"]) @ p["W_2"] + p["w_2"]
    torch.testing.assert_close(each.logits(tokens)[1, 0], F.layer_norm(Y, (6,)) @ p["W_3"] + p["w_3"])


@pytest.mark.parametrize("optimiser", ["Adam", "SGD"])
def test_the_law_is_the_sum_over_slopes(optimiser):
    """Against one model's slopes by autograd; with all but the output bias held still the gain would be 1."""
    ensemble, words = Ensemble(SMALLEST, [3]), torch.tensor(np.random.default_rng(0).integers(0, 4, (8, 16)))
    ensemble.step(*Batches(Memoryless(P[4]), [3], 16, 16, None).at(0), 1e-3)
    model = ensemble.model(0)
    mean = model.last(words).mean(0)
    rows = [
        torch.autograd.grad(mean[i], list(model.parameters()), retain_graph=True, allow_unused=True) for i in range(4)
    ]
    J = np.array([np.concatenate([np.zeros(0) if g is None else g.numpy().ravel() for g in row]) for row in rows])
    s = np.sqrt(np.einsum("ik,ij,jk->k", J, np.diag(P[4]) - np.outer(P[4], P[4]), J).clip(0))
    expected = 0.01 / (4 * 25**0.5) * s.sum() if optimiser == "Adam" else 0.01 / (4 * 25) * (s**2).sum()
    found = annealing.law(ensemble, words, 0.01, 25, optimiser)
    assert found["law"] == pytest.approx([expected], rel=1e-3)
    assert found["gain"] == pytest.approx([s.sum() / np.sqrt(P[4] * (1 - P[4])).sum()], rel=1e-3)


def test_the_spread_before_a_norm_is_what_it_divides_by():
    ensemble, words = Ensemble(SMALLEST, [0]), torch.zeros(1, 16, dtype=torch.long)
    with torch.no_grad():
        stages = ensemble.model(0).stages(words)
        first, second = annealing.before_norms(ensemble, words)
    row = (stages.X + stages.Y)[0, -1]
    torch.testing.assert_close(
        (row - row.mean()) / (first[0] ** 2 + 1e-5) ** 0.5, stages.N[0, -1], rtol=1e-3, atol=1e-3
    )
    assert isinstance(ensemble.model(0), SourceModel) and second[0] > 0


def test_the_law_predicts_the_published_shapes():  # B11
    assert len(SHORT) >= 60 and {tuple(row["shape"]) for row in SHORT} <= set(map(tuple, configurations()))
    ratios = np.array([over(row) for row in SHORT])
    assert 0.85 < np.exp(np.log(ratios).mean()) < 1.15
    assert ratios.min() > 0.6
    assert ratios.max() < 1.6


def test_the_longer_the_training_the_nearer_the_law():
    """8,000 updates for all shapes, 24,000 for the nineteen that the study's first lines name."""
    rows = {updates: [row for row in TABLE["rows"] if row["updates"] == updates] for updates in annealing.BUDGETS}
    assert [len(each) for each in rows.values()] == [72, 72, 19]
    widths = [np.ptp(np.log([over(row) for row in each])) for each in rows.values()]
    assert widths[0] > widths[1] > widths[2]
    assert all(0.9 < over(row) < 1.1 for row in rows[24000])
    gains = [
        np.mean([row["gain"] for row in each if row["shape"][0] == 4 and row["shape"][2] >= 64])
        for each in rows.values()
    ]
    assert gains[0] > 3 * gains[1] > 6 * gains[2]


def test_one_factor_at_a_time_the_law_holds_but_for_a_long_memory():
    for (shape, name), row in FACTORS.items():
        if name == "beta_2 0.999":
            assert over(row) < 0.8 < np.mean(row["excess"]) / np.median(row["own"]) < 1.4
        elif (shape, name) == (annealing.SHAPES[2], "rate 0.01"):  # not explained; the page says so
            assert 0.55 < over(row) < 0.7
        else:
            assert 0.7 < over(row) < 1.5, (shape, name)


def test_a_constant_rate_anneals_itself():
    times = np.array(annealing.TIMES)
    for (_, norm), row in COURSES.items():
        gain = np.mean(row["course"]["gain"], 1)
        slope = np.polyfit(np.log(times[LATE]), np.log(gain[LATE]), 1)[0]
        assert slope > -0.3 if norm == "none" else -0.8 < slope < -0.35
    first = np.mean(COURSES[SMALLEST, "post"]["course"]["first norm"], 1)
    product = (first * np.mean(COURSES[SMALLEST, "post"]["course"]["gain"], 1))[times <= 400]
    assert product.max() / product.min() < 1.15


def test_norms_make_the_gain_large_at_first_and_no_smaller_in_the_end():
    """The smallest shape, as published, with the norm before each part, and with none."""
    post, pre, none = (np.mean(COURSES[SMALLEST, norm]["course"]["gain"], 1) for norm in ("post", "pre", "none"))
    late = annealing.TIMES.index(1500)
    for normed in (post, pre):
        assert normed[0] > 10 * none[0] and 0.8 < normed[-1] / none[-1] < 1.25
        assert normed[-1] / normed[late] == pytest.approx(none[-1] / none[late], rel=0.15)
    assert none.max() == pytest.approx(2 * none[-1], rel=0.1) and none[-1] == pytest.approx(0.76 * none[0], rel=0.05)
