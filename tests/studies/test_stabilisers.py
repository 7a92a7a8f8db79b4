"""The page on the stabilisers: source S's list by other ways, and its stored study."""

import math
from statistics import fmean

import numpy as np
import pytest
import torch
from torch import nn

from course_lib.ablation import holm, welch
from course_lib.results import load
from course_lib.training import warm_up
from course_lib.transformer import Block, sinusoidal
from course_lib.transformer.embedding import Embedding
from studies import stabilisers
from tests.shared.seeded import F64, normal, seeded

ROWS = load("stabilisers")["rows"]


@torch.no_grad()
def place_over_word(d: int, root_d: bool) -> float:
    """Mean length of the library's places over that of its embedded words, as they are added up."""
    words = Embedding(1000, d, root_d=root_d, positions="none", generator=seeded(), **F64)(torch.arange(1000)[:, None])[
        :, 0
    ]
    return (sinusoidal(100, d, **F64).norm(dim=1).mean() / words.norm(dim=1).mean()).item()


def test_a_place_is_longer_than_an_unscaled_word():  # S3, S-E2
    for d in (32, 128, 512):
        assert sinusoidal(100, d, **F64).norm(dim=1).numpy() == pytest.approx(np.full(100, math.sqrt(d / 2)))
        assert place_over_word(d, root_d=False) == pytest.approx(math.sqrt(d / 2), rel=0.02)
    assert place_over_word(512, root_d=False) == pytest.approx(16, rel=0.01)
    assert 1 / place_over_word(512, root_d=True) == pytest.approx(math.sqrt(2), rel=0.01)


def nats(variant: str) -> list[float]:
    """Nats a word of the runs that ended; a failed one has none."""
    return [row["nats"] for row in ROWS if row["variant"] == variant and "nats" in row]


def apart(variant: str, base: str = "as published") -> list[float]:
    """What a variant pays more than another, seed by seed: start, batches and dropout are those of the seed."""
    return [a - b for a, b in zip(nats(variant), nats(base), strict=True)]


def test_what_each_device_is_worth_here():  # S3: in every seed, not on average
    published = nats("as published")
    assert len(published) == len(stabilisers.SEEDS)
    assert fmean(nats("no residual")) > 3 * fmean(published)
    # so short a training cannot overfit: what hinders learning is not missed
    assert max(apart("no dropout")) < 0
    assert fmean(nats("no dropout")) < fmean(published)


def test_what_the_page_says_of_the_differences():
    beside = {
        name: "pre-norm" if name == "pre-norm, no warm-up" else "as published"
        for name in stabilisers.VARIANTS
        if name != "as published"
    }
    corrected = holm({name: welch(nats(name), nats(base)).p for name, base in beside.items()})
    assert {name for name, p in corrected.items() if p <= 0.05} == {
        "no residual",
        "no √d",
        "no norm",
        "pre-norm, no warm-up",
    }
    assert min(apart("no warm-up")) > 0 and min(apart("pre-norm, no warm-up", "pre-norm")) > 0 > max(apart("pre-norm"))
    # about what the smoothed target costs where every word is known: log of its entry for the right one
    assert -fmean(apart("no smoothing")) == pytest.approx(-math.log(0.9 + 0.1 / 600), abs=0.02)
    assert all(0.05 < -each < 0.15 for each in apart("no smoothing"))


# ---- the list of source S


@torch.no_grad()
def test_dropout_on_weights_is_pytorchs_and_not_ours():  # S-E3: the first block's weights in training mode, [h, n, n]
    def first_map(dropout):
        torch.manual_seed(0)
        layer = nn.MultiheadAttention(32, 4, dropout=dropout, batch_first=True, **F64).train()
        return layer(x, x, x, average_attn_weights=False)[1][0]

    x = normal(1, 6, 32)
    ours = Block(32, 8, 4, 64, dropout=0.5, **F64).train()(x).weights[0]
    assert int((ours == 0).sum()) == 0
    pytorchs = (first_map(0.5) == 0).double().mean()
    assert pytorchs == pytest.approx(0.5, abs=0.2)
    assert (first_map(0.0) > 0).all()


def test_the_schedule_begins_far_below_one_over_root_t():  # S-E4
    assert 512**-0.5 / warm_up(1, 512, 4000) == pytest.approx(4000**1.5)
