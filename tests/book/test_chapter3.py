"""Chapter 3's numbers in the ledger, against theory or against sums written out."""

import math
from functools import cache

import numpy as np
import pytest
import torch

from course_lib.attention import attend, softmax
from tests.shared import five_words as page
from tests.shared.five_words import F64, HAMMER, X, seeded

WORDS = page.X.numpy()
SCORES = WORDS @ WORDS[2]  # of "hammer"

WIDTHS = [4, 16, 64, 256, 1024]
OF_HAMMER = (X @ X.T)[HAMMER]


def weights_by_hand(scores) -> np.ndarray:
    exponentials = np.array([math.exp(score) for score in scores])
    return exponentials / exponentials.sum()


def test_the_order_of_the_words_is_not_seen():  # P4
    assert page.change_after_permuting_the_words() == 0
    by_hand = [weights_by_hand(WORDS @ word) @ WORDS for word in WORDS]
    assert page.bag(page.X).numpy() == pytest.approx(np.array(by_hand))


def test_symmetric_scores_cannot_go_round(record):  # P4: every normaliser cancels
    assert page.largest(page.symmetric_scores() - page.symmetric_scores().T) == 0
    assert record("P4.cycle", page.round_trip(softmax(page.symmetric_scores()))) == pytest.approx(1)


def test_symmetric_scores_can_look_back_along_a_line():  # only the way round is closed, from the first word to the last
    spiral = [300 * 0.4**i * np.array([math.cos(i * math.pi / 3), math.sin(i * math.pi / 3)]) for i in range(5)]
    weights = np.array([weights_by_hand(row - row.max()) for row in np.array(spiral) @ np.array(spiral).T])
    assert weights.argmax(1).tolist() == [0, 0, 1, 2, 3] and weights.max(1).min() > 0.99


def test_turned_queries_go_round(record):  # P4: the scores round a triangle add up to twice its area, over √2
    (x1, y1), (x2, y2), (x3, y3) = WORDS[[2, 3, 1]]  # hammer, tool, carpenter
    twice_area = (x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1)
    turned = record("P4.turned", page.round_trip_of_turned_queries())
    assert turned == pytest.approx(math.exp(2 * twice_area / math.sqrt(2)))
    assert page.round_trip_of_turned_queries() > 100


def test_what_narrow_maps_cost_and_reach():  # P4
    assert sum(W.numel() for W in page.query_and_key_maps()) == 2 * 512 * 64
    assert page.numbers_of_a_full_matrix() == 512**2
    assert page.rank_of_the_product() == 64


def test_self_attention_is_attention_of_x_with_itself():  # L2.8
    assert page.largest(attend(page.X, page.X, page.X, scale=1.0).output - page.bag(page.X)) == 0
    assert not torch.allclose(attend(page.X, page.X, page.X).output, page.bag(page.X))  # with 1/√m it is another


@cache
def page_on_scale() -> dict[str, dict[int, float]]:
    """The page's measurements by width, in its order and from its one generator, so that they are its digits too."""
    generator, found = seeded(), {}

    def draw(*shape):
        return torch.randn(*shape, generator=generator, **F64)

    def rows(m, scale, count):
        return (draw(count, 1, m) * draw(count, 12, m)).sum(-1) * scale

    def largest_weight(m, scale):
        return softmax(rows(m, scale, 2_000)).max(-1).values.mean().item()

    def derivative_norm(m, scale):
        return derivative(rows(m, scale, 60))[0].mean().item()

    found["spread"] = {m: (draw(2, 10_000, m).prod(0)).sum(-1).std().item() for m in WIDTHS[:-1]}
    for name, measure in (("weight", largest_weight), ("norm", derivative_norm)):
        found[f"{name} without"] = {m: measure(m, 1.0) for m in WIDTHS}
        found[f"{name} divided"] = {m: measure(m, m**-0.5) for m in WIDTHS}
    return found


def derivative(scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Spectral norm of ∂softmax/∂scores for each row, and the theorem's bound 2(1 - p_max).

    Every 1 - p is summed from the other weights: the subtraction would leave only rounding where one weight is nearly 1.
    """
    p = softmax(scores)
    same = torch.eye(p.shape[-1], dtype=torch.bool)
    others = p[..., None, :].masked_fill(same, 0).sum(-1)  # 1 - p, [rows, s]
    J = torch.where(same, (p * others)[..., None], -p[..., :, None] * p[..., None, :])
    return torch.linalg.matrix_norm(J, ord=2), 2 * others.min(-1).values


def exponent_of_the_spread() -> float:
    """Slope of the least-squares line through log spread against log m."""
    spread = page_on_scale()["spread"]
    x, y = (torch.tensor(list(values), **F64).log() for values in (spread.keys(), spread.values()))
    return ((x - x.mean()) @ y / ((x - x.mean()) ** 2).sum()).item()


def test_spread_of_a_score_grows_with_root_m(record):  # S2: the estimate's own standard error is below 1 %
    assert page_on_scale()["spread"][256] == pytest.approx(math.sqrt(256), rel=0.03)
    assert record("S2.exponent", exponent_of_the_spread(), rtol=0.02) == pytest.approx(0.5, abs=0.01)


def test_undivided_scores_decide_before_training(record):  # S2
    maxima = np.random.default_rng(0).standard_normal((20_000, 12))
    twelve_normal_scores = (np.exp(maxima).max(1) / np.exp(maxima).sum(1)).mean()
    weight_divided = record("S2.weight_divided", page_on_scale()["weight divided"][1024], rtol=0.01)
    assert weight_divided == pytest.approx(twelve_normal_scores, rel=0.03)
    wide = np.exp(32 * (maxima - maxima.max(1, keepdims=True)))
    weight_without = record("S2.weight_without", page_on_scale()["weight without"][1024], rtol=0.01)
    assert weight_without == pytest.approx((1 / wide.sum(1)).mean(), abs=0.01)
    assert list(page_on_scale()["weight without"].values()) == sorted(page_on_scale()["weight without"].values())


def test_undivided_scores_have_no_gradient_left():  # S2
    assert page_on_scale()["norm without"][1024] < 0.25 * page_on_scale()["norm divided"][1024]
    divided = list(page_on_scale()["norm divided"].values())
    assert max(divided) < 1.2 * min(divided)


def largest_norm_over_its_bound(rows: int = 500) -> float:
    generator, ratios = seeded(), []
    for m in WIDTHS:
        q, k = (torch.randn(rows, s, m, generator=generator, **F64) for s in (1, 12))
        norm, bound = derivative((q * k).sum(-1))
        ratios.append((norm / bound).max().item())
    return max(ratios)


def test_norm_of_the_derivative_keeps_its_bound():  # S2
    assert 0.5 < largest_norm_over_its_bound() <= 1 + 1e-12
    scores = torch.randn(6, 12, generator=page.seeded(), dtype=torch.float64)
    J = torch.stack([torch.func.jacrev(lambda row: torch.softmax(row, -1))(row) for row in scores])
    norm, bound = derivative(scores)
    torch.testing.assert_close(norm, torch.linalg.svdvals(J)[:, 0])
    torch.testing.assert_close(bound, 2 * (1 - torch.softmax(scores, -1).max(-1).values))


def what_the_winner_lacks() -> float:
    return 1 - softmax(OF_HAMMER, temperature=0.2).max().item()


def test_both_ends_of_the_temperature():  # G1.2: the theorem's bounds, and the values by hand
    ordered = sorted(SCORES, reverse=True)
    assert 0 < what_the_winner_lacks() <= 4 * math.exp(-(ordered[0] - ordered[1]) / 0.2)
    assert 0.2 < softmax(OF_HAMMER, temperature=10.0).max().item() <= math.exp((ordered[0] - ordered[-1]) / 10) / 5
    assert what_the_winner_lacks() == pytest.approx(1 - weights_by_hand(SCORES / 0.2).max())
    assert softmax(OF_HAMMER, temperature=10.0).max().item() == pytest.approx(weights_by_hand(SCORES / 10).max())


def slope_of_the_entropy() -> float:
    temperature = torch.tensor(0.7, **F64, requires_grad=True)
    p = torch.softmax(OF_HAMMER / temperature, -1)
    (slope,) = torch.autograd.grad(-(p * p.log()).sum(), temperature)
    return slope.item()


def test_slope_of_the_entropy():  # G1.2: a difference quotient, and the variance of the scores over τ³
    def entropy(temperature):
        p = weights_by_hand(SCORES / temperature)
        return -(p * np.log(p)).sum()

    assert slope_of_the_entropy() == pytest.approx((entropy(0.701) - entropy(0.699)) / 0.002, rel=1e-4)
    p = weights_by_hand(SCORES / 0.7)
    assert slope_of_the_entropy() == pytest.approx((p @ SCORES**2 - (p @ SCORES) ** 2) / 0.7**3)


def objective(p: torch.Tensor, temperature: float = 0.7) -> torch.Tensor:
    """Average score plus temperature times entropy."""
    return (p * OF_HAMMER).sum(-1) - temperature * torch.special.xlogy(p, p).sum(-1)


def best_objective() -> float:
    return objective(softmax(OF_HAMMER, temperature=0.7)).item()


def best_of_random_weightings() -> float:
    draws = torch.empty(100_000, 5, **F64).exponential_(generator=seeded())
    return objective(draws / draws.sum(-1, keepdim=True)).max().item()


def test_softmax_is_the_best_weighting(record):  # G1.2
    gibbs = record("G1.2.gibbs", best_objective())
    assert gibbs == pytest.approx(0.7 * math.log(sum(math.exp(score / 0.7) for score in SCORES)))
    assert best_objective() - 0.1 < record("G1.2.rival", best_of_random_weightings()) < best_objective()


def test_heads_cost_no_numbers(record):  # P4.1
    assert page.numbers_of_a_layer() == 4 * 512**2
    assert record("P4.1.ratio", page.numbers_of_a_layer(h=16) / page.numbers_of_a_layer(h=1)) == 1


@pytest.mark.parametrize(("before", "after"), [(0.6, 0.34), (0.5, 0.5), (1.0, -2.0), (1.0, 0.0)])
def test_one_average_returns_half(record, before, after):  # P4.1: μ²/(λ² + μ²) of a and λ²/(λ² + μ²) of b
    assert page.unexplained_by_fixed_weights(before, after) == pytest.approx(0.5, abs=0.01)
    assert record("P4.1.floor", page.unexplained_by_fixed_weights(), rtol=0.01) == pytest.approx(0.5, abs=0.01)


def test_nothing_leaks_through_two_layers(record):  # G1.4
    assert record("G1.4.future", page.influence().triu(1).max().item()) == 0
    assert page.influence().tril(-1).max().item() > 0.1


def test_a_mask_after_the_softmax_leaks(record):  # G1.4
    assert page.move_of_the_first_four("before") == 0
    assert record("G1.4.after", page.move_of_the_first_four("after")) > 0.1


def test_cross_attention_has_a_row_for_each_query(record):  # L3.5
    assert record("L3.5.cross", page.rows_of_a_cross_attention()) == 3
    assert page.move_when_the_padding_changes() == 0


def test_library_differences_are_rounding(record):  # S7; for every mask, with gradients: tests/library/test_attention.py
    attention = record("S7.attend", page.difference_from_scaled_dot_product_attention())
    heads = record("S7.heads", page.difference_from_multihead_attention())
    assert attention == heads == 0
    assert record("G1.3.difference", page.concatenation_minus_sum()) == 0
