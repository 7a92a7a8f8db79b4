"""The page on the feed-forward layer: what an affine map and attention cannot do, where a real model looks facts up."""

import math

import pytest
import torch

from course_lib.attention import attend
from course_lib.results import load
from course_lib.transformer import FeedForward
from tests.shared.seeded import F64, seeded

CASES = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], **F64)
EXACTLY_ONE = torch.tensor([0.0, 1.0, 1.0, 0.0], **F64)
FIRST_WINDOW = 5


def best_affine() -> torch.Tensor:
    affine = torch.cat([CASES, torch.ones(4, 1, **F64)], 1)
    return affine @ torch.linalg.lstsq(affine, EXACTLY_ONE[:, None]).solution


def test_no_affine_map_tells_exactly_one(record):
    torch.testing.assert_close(best_affine()[:, 0], torch.full((4,), 0.5, **F64))
    g = best_affine()[:, 0]
    assert record("P5.linear", (g - EXACTLY_ONE).abs().max()) == pytest.approx(0.5)
    assert g[0] + g[3] == pytest.approx(g[1] + g[2])


def influence(f, x: torch.Tensor) -> torch.Tensor:
    """Norm of ∂ output_i / ∂ token_j: [n, n]."""
    return torch.autograd.functional.jacobian(f, x).pow(2).sum((1, 3)).sqrt()


def sideways() -> tuple[float, float]:
    """Largest influence of another token on an output: through attention, through a feed-forward layer."""
    generator = seeded()
    layer = FeedForward(8, 32, generator=generator, **F64)
    x = torch.randn(6, 8, generator=generator, **F64)
    off = ~torch.eye(6, dtype=torch.bool)
    return tuple(influence(f, x)[off].max().item() for f in (lambda x: attend(x, x, x).output, layer))


def test_feed_forward_never_looks_sideways(record):
    attention, feed_forward = sideways()
    assert record("G1.6.attention", attention) > 0.1
    assert record("G1.6.feed_forward", feed_forward) == 0


def left(place: str, part: str) -> float:
    """Share of the answer's probability left with layers 5–9 silent, geometric mean over the facts."""
    probe = load("fact_probe")
    window = probe["starts"].index(FIRST_WINDOW)
    return math.exp(sum(math.log(fact[place][part][window] / fact["whole"]) for fact in probe["facts"]) / len(probe["facts"]))


def test_facts_are_fetched_at_the_name(record):
    assert record("P9.name", left("name", "feed-forward")) < 0.6
    assert record("P9.control", left("after", "feed-forward")) > 0.8
    assert left("name", "attention") > 0.8
