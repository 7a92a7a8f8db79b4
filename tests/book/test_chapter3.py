"""Chapter 3's numbers, against theory or against sums written out."""

import math

import numpy as np
import pytest
import torch

from course_lib.attention import MultiHeadAttention, attend, causal_mask, combine_masks, padding_mask, softmax
from tests.shared import five_words
from tests.shared.five_words import CARPENTER, HAMMER, TOOL, X
from tests.shared.record import largest
from tests.shared.seeded import F64, normal, rng, seeded

WORDS = X.numpy()
OF_HAMMER = X @ X[HAMMER]
SCORES = OF_HAMMER.numpy()


def round_trip(weights: torch.Tensor) -> float:
    """Product of the weights along hammer → tool → carpenter → hammer, over the product backwards."""
    steps = [(HAMMER, TOOL), (TOOL, CARPENTER), (CARPENTER, HAMMER)]
    return math.prod((weights[a, b] / weights[b, a]).item() for a, b in steps)


def test_symmetric_scores_cannot_go_round():  # P4: every normaliser cancels
    scores = five_words.symmetric_scores()
    assert largest(scores - scores.T) == 0
    assert round_trip(softmax(scores)) == pytest.approx(1)


def test_turned_queries_go_round():  # P4: the scores round a triangle add up to twice its area, over √2
    quarter_turn = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], **F64)
    (x1, y1), (x2, y2), (x3, y3) = WORDS[[HAMMER, TOOL, CARPENTER]]
    twice_area = (x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1)
    turned = round_trip(attend(X @ quarter_turn, X, X).weights)
    assert turned == pytest.approx(math.exp(2 * twice_area / math.sqrt(2)))
    assert turned > 100


def test_undivided_scores_decide_before_training():  # S2; that they grow like √m: tests/book/test_errata.py
    def largest_weight(m, scale):
        scores = (normal(2_000, 1, m) * normal(2_000, 12, m, seed=1)).sum(-1)
        return softmax(scores * scale).max(-1).values.mean().item()

    maxima = rng().standard_normal((20_000, 12))
    twelve_normal_scores = (np.exp(maxima).max(1) / np.exp(maxima).sum(1)).mean()
    assert largest_weight(1024, 1024**-0.5) == pytest.approx(twelve_normal_scores, rel=0.03)
    wide = np.exp(32 * (maxima - maxima.max(1, keepdims=True)))
    without = [largest_weight(m, 1.0) for m in (4, 16, 64, 256, 1024)]
    assert without[-1] == pytest.approx((1 / wide.sum(1)).mean(), abs=0.01)
    assert without == sorted(without)


def test_softmax_is_the_best_weighting():  # G1.2: of average score plus temperature times entropy
    def objective(p):
        return (p * OF_HAMMER).sum(-1) + 0.7 * torch.special.entr(p).sum(-1)

    gibbs = objective(softmax(OF_HAMMER, temperature=0.7))
    assert gibbs == pytest.approx(0.7 * math.log(sum(math.exp(score / 0.7) for score in SCORES)))
    draws = torch.empty(100_000, 5, **F64).exponential_(generator=seeded())
    assert gibbs - 0.1 < objective(draws / draws.sum(-1, keepdim=True)).max() < gibbs


def test_heads_cost_no_numbers():  # P4.1
    one, eight, sixteen = (
        sum(W.numel() for W in MultiHeadAttention(512, 512 // h, h).parameters()) for h in (1, 8, 16)
    )
    assert eight == 4 * 512**2
    assert sixteen / one == 1


def unexplained_by_fixed_weights(before: float, after: float, count: int = 20_000) -> float:
    """Share of the variance of two random letters' vectors that an affine map of their weighted sum leaves
    unexplained."""
    a, b = torch.eye(5, **F64)[torch.randint(5, (2, count), generator=seeded())]
    inputs = torch.cat([before * a + after * b, torch.ones(count, 1, **F64)], -1)
    target = torch.cat([a, b], -1)
    # the five entries of a letter sum to 1, so the inputs are dependent: take the solution of least norm
    fit = inputs @ (torch.linalg.pinv(inputs.T @ inputs) @ (inputs.T @ target))
    return (((target - fit) ** 2).mean() / ((target - target.mean(0)) ** 2).mean()).item()


def test_one_average_returns_half():  # P4.1: μ²/(λ² + μ²) of a and λ²/(λ² + μ²) of b
    assert unexplained_by_fixed_weights(0.6, 0.34) == pytest.approx(0.5, abs=0.01)
    for weights in ((0.5, 0.5), (1.0, -2.0), (1.0, 0.0)):
        assert unexplained_by_fixed_weights(*weights) == pytest.approx(0.5, abs=0.01)


def test_a_mask_after_the_softmax_leaks():  # G1.4, P-E5
    assert five_words.move_of_the_first_four("none") > 0.1
    assert five_words.move_of_the_first_four("before") == 0
    assert five_words.move_of_the_first_four("after") > 0.1


def test_padding_of_another_sequence_is_not_seen():  # L3.5
    mask = combine_masks(causal_mask(5), padding_mask(torch.tensor([5, 3]), 5))
    batch = torch.stack([X, X])
    junk = batch.clone()
    junk[1, 3:] = 100.0
    one, other = (attend(x, x, x, mask).output[1, :3] for x in (batch, junk))
    assert largest(one - other) == 0
