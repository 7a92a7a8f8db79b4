"""The page on the stabilisers: its theorems by other ways, and its stored study, with the beginning of runs made again."""

import itertools
import math

import numpy as np
import pytest
import torch

from course_lib.training import cross_entropy, warm_up
from course_lib.transformer import sinusoidal
from studies import stabilisers
from tests.shared import stabilisers as page
from tests.shared.record import rounding


def test_a_place_is_longer_than_an_unscaled_word():  # S3, S-E2
    for d in (32, 128, 512):
        assert sinusoidal(100, d, **page.F64).norm(dim=1).numpy() == pytest.approx(np.full(100, math.sqrt(d / 2)))
        assert page.place_over_word(d, root_d=False) == pytest.approx(math.sqrt(d / 2), rel=0.02)
    assert page.place_over_word(512, root_d=False) == pytest.approx(16, rel=0.01)
    assert 1 / page.place_over_word(512, root_d=True) == pytest.approx(math.sqrt(2), rel=0.01)


def test_dropout_is_fair_and_adds_noise():  # S3: all masks of four entries, each with its probability
    x, w, y, p = np.array([3.0, -1.0, 0.5, 2.0]), np.array([1.0, 2.0, -1.0, 0.3]), 0.7, 0.3
    masks = np.array(list(itertools.product([0, 1], repeat=4)))
    chances = np.prod(np.where(masks, 1 - p, p), axis=1)
    outputs = (masks * x / (1 - p)) @ w
    mean, noise = chances @ outputs, p / (1 - p) * np.sum((w * x) ** 2)
    assert mean == pytest.approx(w @ x)
    assert chances @ (outputs - mean) ** 2 == pytest.approx(noise)
    assert chances @ (y - outputs) ** 2 == pytest.approx((y - w @ x) ** 2 + noise)
    assert page.mean_under_dropout_over_the_output_without() == pytest.approx(1, abs=0.02)
    assert page.variance_under_dropout_over_the_theorems() == pytest.approx(1, abs=0.03)


def test_smoothing_has_its_lowest_point_at_a_finite_gap():  # S3
    assert rounding(page.smoothed_pull(page.gap())) == 0
    assert page.smoothed_pull(page.gap() - 1) > 1e-2 < page.smoothed_pull(page.gap() + 1)
    leads = np.linspace(0, 20, 2001)
    z = torch.zeros(len(leads), 600, **page.F64)
    z[:, 7] = torch.tensor(leads)
    right = torch.full((1,), 7)
    losses = [cross_entropy(row[None], right, smoothing=0.1).item() for row in z]
    assert leads[np.argmin(losses)] == pytest.approx(page.gap(), abs=0.006)
    assert page.plain_loss_at_the_finite_gap() == pytest.approx(-math.log(0.9 + 0.1 / 600))


def test_adams_first_step_does_not_know_the_size():  # S3
    for g in (1.0, -0.1, 1e-3, 1e-6, -1e-12):
        assert page.first_move(g) == pytest.approx(g / (abs(g) + 1e-9))
    assert page.first_move(1e-6) > 0.99 * page.first_move(1.0)


def test_every_run_has_a_score_or_has_failed():  # S3
    assert all(("nats" in row and "right" in row) != ("failed" in row) for row in page.study()["rows"])


@pytest.mark.parametrize(("variant", "seed"), [("pre-norm", 0), ("as published", 1), ("no √d", 2), ("no warm-up", 0)])
def test_trainings_begin_as_stored(variant, seed):
    stored = next(row for row in page.runs(variant) if row["seed"] == seed)
    assert stabilisers.trained(variant, seed, stabilisers.FIRST)[1] == pytest.approx(stored["first"], abs=2e-3)


def test_what_each_device_is_worth_here(record):  # S3: in every seed, not on average
    published = page.nats("as published")
    for missed in ("no residual", "no norm", "no √d"):
        assert min(page.nats(missed)) > max(published), missed
    assert min(page.nats("no residual")) > max(page.nats("no √d")) > max(page.nats("no norm"))
    assert record("S3.no_residual", page.mean(page.nats("no residual"))) > 3 * page.mean(published)
    # so short a training cannot overfit: what hinders learning is not missed
    assert max(page.nats("no dropout")) < min(published)
    assert max(page.nats("pre-norm")) < min(published)
    # seed by seed, since a seed gives both runs the same start and the same batches
    assert all(cold > warm for cold, warm in zip(page.nats("no warm-up"), published, strict=True))
    gained = [smoothed - plain for smoothed, plain in zip(published, page.nats("no smoothing"), strict=True)]
    assert all(0 < each < 2 * page.plain_loss_at_the_finite_gap() for each in gained)  # about the price on the ticket
    assert record("S3.published", page.mean(published)) == pytest.approx(sum(published) / len(stabilisers.SEEDS))
    assert record("S3.no_dropout", page.mean(page.nats("no dropout"))) < page.mean(published)


# ---- the list of source S
def test_dropout_on_weights_is_pytorchs_and_not_ours(record):  # S-E3
    assert record("S-E3.ours", int((page.first_maps(0.5, ours=True) == 0).sum())) == 0
    pytorchs = record("S-E3.pytorchs", (page.first_maps(0.5, ours=False) == 0).double().mean().item(), rtol=0.5)
    assert pytorchs == pytest.approx(0.5, abs=0.2)
    assert (page.first_maps(0.0, ours=False) > 0).all()


def test_the_displayed_formulas_are_the_librarys(record):  # S-E6, P-E3
    assert record("S-E6.attention", page.scaled_attention_minus_pytorchs()) == 0
    assert record("S-E6.heads", page.concatenated_heads_minus_the_librarys()) == 0
    assert record("S-E6.positions", page.sinusoids_minus_the_librarys()) == 0


def test_the_schedule_begins_far_below_one_over_root_t(record):  # S-E4
    assert record("S-E4.alone", 512**-0.5 / warm_up(1, 512, 4000)) == pytest.approx(4000**1.5)
