"""Chapter 3's numbers in the ledger, against theory or against sums written out."""

import math

import numpy as np
import pytest
import torch
from claims import chapter3 as page
from claims import scale

WORDS = page.X.numpy()
SCORES = WORDS @ WORDS[2]  # of "hammer"


def weights_by_hand(scores) -> np.ndarray:
    exponentials = np.array([math.exp(score) for score in scores])
    return exponentials / exponentials.sum()


def test_the_order_of_the_words_is_not_seen():  # P4
    assert page.change_after_permuting_the_words() == 0
    by_hand = [weights_by_hand(WORDS @ word) @ WORDS for word in WORDS]
    assert page.bag(page.X).numpy() == pytest.approx(np.array(by_hand))


def test_symmetric_scores_cannot_go_round():  # P4: every normaliser cancels
    assert page.asymmetry_of_the_scores() == 0
    assert page.round_trip_of_symmetric_scores() == pytest.approx(1)


def test_symmetric_scores_can_look_back_along_a_line():  # only the way round is closed, from the first word to the last
    spiral = [300 * 0.4**i * np.array([math.cos(i * math.pi / 3), math.sin(i * math.pi / 3)]) for i in range(5)]
    weights = np.array([weights_by_hand(row - row.max()) for row in np.array(spiral) @ np.array(spiral).T])
    assert weights.argmax(1).tolist() == [0, 0, 1, 2, 3] and weights.max(1).min() > 0.99


def test_turned_queries_go_round():  # P4: the scores round a triangle add up to twice its area, over √2
    (x1, y1), (x2, y2), (x3, y3) = WORDS[[2, 3, 1]]  # hammer, tool, carpenter
    twice_area = (x2 - x1) * (y3 - y1) - (x3 - x1) * (y2 - y1)
    assert page.round_trip_of_turned_queries() == pytest.approx(math.exp(2 * twice_area / math.sqrt(2)))
    assert page.round_trip_of_turned_queries() > 100


def test_what_narrow_maps_cost_and_reach():  # P4
    assert page.numbers_of_the_narrow_maps() == 2 * 512 * 64
    assert page.numbers_of_a_full_matrix() == 512**2
    assert page.rank_of_the_product() == 64


def test_self_attention_is_attention_of_x_with_itself():  # L2.8
    assert page.difference_of_attend_from_the_first_formula() == 0
    assert not torch.allclose(page.attend(page.X, page.X, page.X).output, page.bag(page.X))  # with 1/√m it is another


def test_spread_of_a_score_grows_with_root_m():  # S2: the estimate's own standard error is below 1 %
    assert scale.spread_at_width_256() == pytest.approx(math.sqrt(256), rel=0.03)
    assert scale.exponent_of_the_spread() == pytest.approx(0.5, abs=0.01)


def test_undivided_scores_decide_before_training():  # S2
    maxima = np.random.default_rng(0).standard_normal((20_000, 12))
    twelve_normal_scores = (np.exp(maxima).max(1) / np.exp(maxima).sum(1)).mean()
    assert scale.largest_weight_with_the_division() == pytest.approx(twelve_normal_scores, rel=0.03)
    wide = np.exp(32 * (maxima - maxima.max(1, keepdims=True)))
    assert scale.largest_weight_without_the_division() == pytest.approx((1 / wide.sum(1)).mean(), abs=0.01)
    assert list(scale.page_on_scale()["weight without"].values()) == sorted(scale.page_on_scale()["weight without"].values())


def test_undivided_scores_have_no_gradient_left():  # S2
    assert scale.derivative_without_the_division() < 0.25 * scale.derivative_with_the_division()
    divided = list(scale.page_on_scale()["norm divided"].values())
    assert max(divided) < 1.2 * min(divided)


def test_norm_of_the_derivative_keeps_its_bound():  # S2
    assert 0.5 < scale.largest_norm_over_its_bound() <= 1 + 1e-12
    scores = torch.randn(6, 12, generator=page.seeded(), dtype=torch.float64)
    J = torch.stack([torch.func.jacrev(lambda row: torch.softmax(row, -1))(row) for row in scores])
    norm, bound = scale.derivative(scores)
    torch.testing.assert_close(norm, torch.linalg.svdvals(J)[:, 0])
    torch.testing.assert_close(bound, 2 * (1 - torch.softmax(scores, -1).max(-1).values))


def test_both_ends_of_the_temperature():  # G1.2: the theorem's bounds, and the values by hand
    ordered = sorted(SCORES, reverse=True)
    assert 0 < scale.what_the_winner_lacks() <= 4 * math.exp(-(ordered[0] - ordered[1]) / 0.2)
    assert 0.2 < scale.largest_weight_when_hot() <= math.exp((ordered[0] - ordered[-1]) / 10) / 5
    assert scale.what_the_winner_lacks() == pytest.approx(1 - weights_by_hand(SCORES / 0.2).max())
    assert scale.largest_weight_when_hot() == pytest.approx(weights_by_hand(SCORES / 10).max())


def test_slope_of_the_entropy():  # G1.2: a difference quotient, and the variance of the scores over τ³
    def entropy(temperature):
        p = weights_by_hand(SCORES / temperature)
        return -(p * np.log(p)).sum()

    assert scale.slope_of_the_entropy() == pytest.approx((entropy(0.701) - entropy(0.699)) / 0.002, rel=1e-4)
    p = weights_by_hand(SCORES / 0.7)
    assert scale.slope_of_the_entropy() == pytest.approx((p @ SCORES**2 - (p @ SCORES) ** 2) / 0.7**3)


def test_softmax_is_the_best_weighting():  # G1.2
    assert scale.best_objective() == pytest.approx(0.7 * math.log(sum(math.exp(score / 0.7) for score in SCORES)))
    assert scale.best_objective() - 0.1 < scale.best_of_random_weightings() < scale.best_objective()


def test_heads_cost_no_numbers():  # P4.1
    assert page.numbers_of_a_layer() == 4 * 512**2
    assert page.numbers_of_sixteen_heads_over_one() == 1


@pytest.mark.parametrize(("before", "after"), [(0.6, 0.34), (0.5, 0.5), (1.0, -2.0), (1.0, 0.0)])
def test_one_average_returns_half(before, after):  # P4.1: μ²/(λ² + μ²) of a and λ²/(λ² + μ²) of b
    assert page.unexplained_by_fixed_weights(before, after) == pytest.approx(0.5, abs=0.01)


def test_nothing_leaks_through_two_layers():  # G1.4
    assert page.largest_influence_of_the_future() == 0
    assert page.largest_influence_of_the_past() > 0.1


def test_a_mask_after_the_softmax_leaks():  # G1.4
    assert page.move_when_masked_before() == 0
    assert page.move_when_masked_after() > 0.1


def test_cross_attention_has_a_row_for_each_query():  # L3.5
    assert page.rows_of_a_cross_attention() == 3
    assert page.move_when_the_padding_changes() == 0


def test_library_differences_are_rounding():  # S7; for every mask, with gradients: tests/test_attention.py
    assert page.difference_from_scaled_dot_product_attention() == page.difference_from_multihead_attention() == 0
    assert page.concatenation_minus_sum() == 0
