"""The page on the feed-forward layer: what an affine map and attention cannot do, what two heads can, and what a real
model needs for a fact."""

import math

import pytest
import torch

from course_lib.attention import MultiHeadAttention, attend
from course_lib.results import load
from course_lib.transformer import FeedForward
from tests.shared.seeded import F64, seeded

CASES = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], **F64)
EXACTLY_ONE = torch.tensor([0.0, 1.0, 1.0, 0.0], **F64)


def best_affine() -> torch.Tensor:
    affine = torch.cat([CASES, torch.ones(4, 1, **F64)], 1)
    return affine @ torch.linalg.lstsq(affine, EXACTLY_ONE[:, None]).solution


def test_no_affine_map_tells_exactly_one():
    torch.testing.assert_close(best_affine()[:, 0], torch.full((4,), 0.5, **F64))
    g = best_affine()[:, 0]
    assert (g - EXACTLY_ONE).abs().max() == pytest.approx(0.5)
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


def test_feed_forward_never_looks_sideways():
    attention, feed_forward = sideways()
    assert attention > 0.1
    assert feed_forward == 0


def test_two_heads_of_width_one_tell_exactly_one():
    """The page's example by arithmetic alone: over two tokens, one with score 0 and value 0, a softmax is a sigmoid."""
    total = CASES.sum(1)
    answer = torch.sigmoid(40 * (total - 0.5)) - torch.sigmoid(40 * (total - 1.5))
    X = torch.zeros(4, 2, 4, **F64)
    X[:, 0, :2], X[:, 0, 2] = CASES, 1.0
    layer = MultiHeadAttention(4, 1, 2, **F64)
    with torch.no_grad():
        for W in layer.parameters():
            W.zero_()
        layer.W_Q[:, :, 0] = 40 * torch.tensor([[1, 1, -0.5, 0], [1, 1, -1.5, 0]], **F64)
        layer.W_K[:, 2], layer.W_V[:, 2] = 1.0, 1.0
        layer.W_O[:, 0, 3] = torch.tensor([1.0, -1.0], **F64)
        torch.testing.assert_close((X + layer(X).output)[:, 0, 3], answer)
    assert (answer - EXACTLY_ONE).abs().max() < 1e-8


def kept() -> list[dict]:
    """The further sentences whose answer the model holds likeliest."""
    return [fact for fact in load("fact_probe")["further"] if fact["first"] == fact["answer"]]


def left(facts: list[dict], fill: str, place: str, part: str, first: int) -> float:
    """Share of the right word's probability left with five layers from `first` on replaced, geometric mean."""
    window = load("fact_probe")["starts"].index(first)
    return math.exp(sum(fact[fill][place][part][window] - fact["whole"] for fact in facts) / len(facts))


def test_what_the_page_says_of_facts_and_of_grammar():
    table = load("fact_probe")
    both = table["facts"], kept()
    controls = [[fact["control"] for fact in facts] for facts in both]
    assert len(kept()) == 16
    assert left(kept(), "mean", "name", "feed-forward", 0) < 0.1
    assert left(controls[1], "mean", "name", "feed-forward", 0) > 0.9
    for facts, grammar in zip(both, controls, strict=True):
        at = lambda rows, *where: left(rows, *where)
        assert at(grammar, "mean", "name", "feed-forward", 0) > 2 * at(facts, "mean", "name", "feed-forward", 0)
        assert at(grammar, "zero", "name", "feed-forward", 5) > at(facts, "zero", "name", "feed-forward", 5) + 0.2
        assert abs(at(grammar, "mean", "name", "feed-forward", 5) - at(facts, "mean", "name", "feed-forward", 5)) < 0.1
        assert at(facts, "mean", "end", "attention", 20) < 0.15 and at(grammar, "mean", "end", "attention", 20) > 0.7
        assert (
            at(facts, "mean", "end", "feed-forward", 20) < 0.3 and at(grammar, "mean", "end", "feed-forward", 20) > 0.7
        )
        assert (
            at(facts, "mean", "end", "feed-forward", 25) < 0.05 and at(grammar, "mean", "end", "feed-forward", 25) > 1
        )
