"""The errata that a short computation decides: what the printed form gives, what the right one gives."""

import math
from functools import cache

import numpy as np
import pytest
import torch

from course_lib.attention import MultiHeadAttention
from course_lib.memoryless import count
from course_lib.pretrained.files import NotInstalled
from course_lib.pretrained.minilm import MiniLM
from course_lib.pretrained.smollm import SmolLM
from course_lib.published import P, rows
from course_lib.training import warm_up
from course_lib.transformer import FeedForward
from tests.shared import attention as att
from tests.shared import five_words as chapter3
from tests.shared import gaussian, peri, ponti, sandron
from tests.shared import stabilisers as stab
from tests.shared.five_words import F64, seeded
from tests.shared.optional import missing
from tests.shared.record import rounding

HALF_DIGIT = 0.5e-4  # of a number printed to four decimals


def test_parameter_counts_of_the_72_rows(record):  # R-E1
    assert record("R-E1.rows", sum(count(sandron.sizes(row)) == row.learnables for row in rows())) == 72
    assert count(sandron.EXAMPLE) == 316  # the count the document prints for its example


def test_printed_errors_and_losses(record):  # R-E2
    assert record("R-E2.error", sandron.rows_whose_error_agrees()) == 72
    assert record("R-E2.loss", sandron.rows_whose_loss_agrees()) == 72


def test_rows_sum_to_exactly_100(record):  # R-E3: so the printed q are not rounded one by one
    assert record("R-E3.rows", sum(round(10_000 * row.q.sum()) != 10_000 for row in rows() if row.v > 2)) == 0
    assert record("R-E3.expected", sandron.rows_expected_not_to_sum_to_100(), rtol=0.02) > 5


def test_no_row_has_d_four():  # R-E5
    assert sum(row.d == 4 for row in rows()) == 0


@cache
def scores_through_maps(d: int = 256, m: int = 16, n: int = 12) -> torch.Tensor:
    """Scores between different tokens of 400 random sequences, through maps with entries of variance 1/d."""
    generator = seeded()
    x = torch.randn(400, n, d, generator=generator, **F64)
    W_Q, W_K = (torch.randn(d, m, generator=generator, **F64) / math.sqrt(d) for _ in range(2))
    return ((x @ W_Q) @ (x @ W_K).mT)[:, ~torch.eye(n, dtype=torch.bool)]


def test_scale_is_the_width_of_a_head(record):  # R-E7, L-E4: a sum of m products of variance 1 has variance m
    for m in (4, 16, 64, 256):
        assert att.scores_std(m, 1) == pytest.approx(math.sqrt(m), rel=0.02)
        assert att.scores_std(m, math.sqrt(m)) == pytest.approx(1, rel=0.02)
    # through maps of variance 1/d; the maps are drawn once, so their own spread is in it: about 1/√(d m)
    assert scores_through_maps().std().item() / math.sqrt(16) == pytest.approx(1, rel=0.06)
    assert scores_through_maps().std().item() / math.sqrt(256) == pytest.approx(math.sqrt(16 / 256), rel=0.06)
    assert record("L-E4.by_head", att.scores_std(64, math.sqrt(512 / 8))) == pytest.approx(1, rel=0.02)
    assert record("L-E4.by_d", att.scores_std(64, math.sqrt(512))) == pytest.approx(math.sqrt(1 / 8), rel=0.02)


def test_tables_can_tell_d_from_m(record):  # R-E7
    assert record("R-E7.rows", sum(row.d != row.m for row in rows() if row.v == 2)) == 18
    x = sandron.example()
    assert x["d"] == x["m"]  # so the worked example cannot


def test_only_one_reading_of_the_attention_formula_replays(record):  # R-E8
    # the printed A carries its own rounding and that of Q, K and V
    assert record("R-E8.right", sandron.replay("QK", 1, False, 2.0)) < 1.2 * HALF_DIGIT
    assert record("R-E8.next", sandron.replay_of_the_best_other_form()) > 2 * HALF_DIGIT
    assert sandron.replay("KQ", 0, True, 2.0) == pytest.approx(sandron.replay("QK", 1, False, 2.0))


def test_rows_are_normalised_one_by_one(record):  # R-E10: each normalised row obeys one linear relation, so the rank is 3
    assert record("R-E10.Z", sandron.smallest_singular_value("Z"), rtol=0.01) < 4 * HALF_DIGIT
    assert record("R-E10.Y", sandron.smallest_singular_value("Y")) > 100 * HALF_DIGIT


def test_key_bias_and_spare_embedding_are_never_trained(record):  # R-E14: m + d of the 316
    assert record("R-E14.zero", sandron.learnables_with_zero_gradient()) == 4 + 4
    gradients = sandron.gradients()
    assert gradients["w_k"].abs().max() < 1e-12 < gradients["w_q"].abs().max()
    assert gradients["E"][4].abs().max() == 0 < gradients["E"][:4].abs().min()


def test_last_entry_of_the_error(record):  # R-E18
    e4 = record("R-E18.e4", abs(float(sandron.example()["p"][3] - sandron.example()["q"][3])))
    assert e4 == pytest.approx(0.0025)


def test_worked_example_replays_step_by_step(record):  # R-E19
    # two roundings add up where two printed matrices are added; a matrix product carries more of them
    assert record("R-E19.steps", max(sandron.step_errors().values())) < 2.1 * HALF_DIGIT
    assert record("R-E19.transposed", sandron.difference_with_w_o_transposed()) > 0.1
    assert record("R-E19.learnables", count(sandron.EXAMPLE)) == 316
    assert record("R-E19.loss", sandron.cross_entropy(P[4], P[4])) == pytest.approx(1.213, abs=5e-4)


def test_attention_output_is_not_ten_times_larger(record):  # R-E20
    norm = record("R-E20.norm", np.linalg.norm(sandron.example()["A_O"]) / np.linalg.norm(sandron.example()["X"]))
    mean = record("R-E20.mean", abs(sandron.example()["A_O"]).mean() / abs(sandron.example()["X"]).mean())
    assert 3 < norm < mean < 5
    assert record("R-E20.column", sandron.largest_ratio_of_a_column()) < 10


def test_rows_of_z_follow_their_own_word(record):  # R-E21
    read = sandron.rows_read_out()
    assert abs(read[7] - sandron.example()["q"]).max() < HALF_DIGIT
    four = record("R-E21.four", sandron.spread_of_the_rows_of_word_4())
    one = record("R-E21.one", sandron.spread_of_the_rows_of_word_1())
    assert four < 0.2 < 2 < one


def test_symmetric_scores_give_unequal_weights(record):  # P-E1
    u = chapter3.X.numpy() @ chapter3.U.numpy()
    exponentials = [[math.exp(a @ b) for b in u] for a in u]
    forth = record("P-E1.forth", chapter3.weight_of_hammer_to_tool())
    back = record("P-E1.back", chapter3.weight_of_tool_to_hammer())
    assert forth == pytest.approx(exponentials[2][3] / sum(exponentials[2]))
    assert back == pytest.approx(exponentials[3][2] / sum(exponentials[3]))
    assert back > 2 * forth
    assert chapter3.difference_of_weight_times_normaliser() == 0


def test_projecting_twice_shuts_the_heads_in(record):  # P-E2: every head then sees the same m directions
    assert record("P-E2.twice", att.stacked_query_rank(twice=True)) == 8
    assert record("P-E2.once", att.stacked_query_rank(twice=False)) == 64


def test_heads_are_counted_by_a_letter_of_their_own():  # P-E3: i = 1 … h; h for both leaves a single, last head
    layer = MultiHeadAttention(16, 4, 3, generator=stab.seeded(), **stab.F64)
    x = stab.random(5, 16)
    with torch.no_grad():
        assert (stab.heads_by_the_formula(x, layer) - layer(x).output).abs().max() < 1e-12
        Q, K, V = (x @ W[-1] for W in (layer.W_Q, layer.W_K, layer.W_V))
        last = (Q @ K.T / 2).softmax(-1) @ V
        with pytest.raises(RuntimeError):
            last @ layer.W_O.flatten(0, 1)  # one head of width 4 does not fill the 12 rows of W^O


def test_positions_count_from_zero(record):  # P-E4
    zero = record("P-E4.zero", rounding(abs(att.peri_positions(50, 16, 0) - att.vaswani_positions(50, 16)).max()))
    assert zero == 0
    assert record("P-E4.one", abs(att.peri_positions(50, 16, 1) - att.vaswani_positions(50, 16)).max()) > 1


def test_mask_stops_the_future(record):  # P-E5
    assert record("P-E5.free", chapter3.move_of_the_first_four("none")) > 0.1
    assert record("P-E5.masked", chapter3.move_of_the_first_four("before")) == 0


def test_weights_are_no_projection(record):  # P-E6
    assert record("P-E6.projection", att.distance_from_a_projection()) > 0.1


def test_embeddings_are_narrower_than_tens_of_thousands(record):  # P-E6
    try:
        widths = record("P-E6.minilm", MiniLM.load().vectors.shape[1]), record("P-E6.smollm", SmolLM.load().E.shape[1])
    except NotInstalled as reason:
        missing(reason)
    assert widths == (384, 576)  # as their makers say
    assert max(widths) < 10_000


def test_layer_norm_needs_its_epsilon_and_its_beta():  # P-E6
    assert int(peri.printed(torch.full((8,), 0.5, **peri.F64)).isnan().sum()) == 8
    assert peri.nan_entries_of_a_constant_token_with_epsilon() == 0
    assert peri.mean_of_a_normalised_token_with_beta() == pytest.approx(3)
    assert peri.printed(stab.random(5, 8)).mean(-1).numpy() == pytest.approx(np.zeros(5))


def test_tal_sentence_and_formula_17(record):  # P-E7
    assert record("P-E7.tokens", att.words_of_the_sentence()) == 9
    assert record("P-E7.formula", att.formula_17_against_pytorch()) == 0


def test_mask_keeps_the_diagonal(record):  # L-E1
    assert record("L-E1.printed", att.nan_rows(strict=True)) == 1
    assert record("L-E1.right", att.nan_rows(strict=False)) == 0


def test_layer_norm_takes_the_mean(record):  # L-E2
    assert record("L-E2.printed", att.normalised(total=True).mean()) < -0.9
    assert record("L-E2.right", rounding(att.normalised(total=False).mean())) == 0
    assert att.normalised(total=False).std() == pytest.approx(1)


def test_queries_come_first(record):  # L-E3
    x = att.tokens()
    with pytest.raises(ValueError):
        (x @ att.WEIGHTS[1]) @ (x @ att.WEIGHTS[0])  # as printed the product does not conform
    assert record("L-E3.right", att.error_with_queries_first()) == 0
    assert record("L-E3.swapped", att.error_with_keys_first()) > 0.1


def test_cross_attention_has_the_decoders_length(record):  # L-E5
    x, memory = att.tokens(3), att.tokens(7, seed=1)
    assert record("L-E5.rows", chapter3.rows_of_a_cross_attention()) == 3
    assert att.matrix_form(x, memory, att.WEIGHTS) == pytest.approx(att.token_by_token(x, memory, att.WEIGHTS))


def test_column_and_row_conventions_differ(record):  # L-E6
    assert record("L-E6.rows", att.difference_of_the_two_conventions()) > 0.1
    assert record("L-E6.right", att.difference_after_the_transpose()) == 0


def test_training_times_multiply_out(record):  # L-E17
    assert record("L-E17.big", 300_000 * 1.0 / 86_400) == pytest.approx(3.5, abs=0.05)
    assert record("L-E17.base", 100_000 * 0.4 / 3_600) == pytest.approx(11.5, abs=0.5)


def test_path_of_restricted_attention(record):  # S-E1: n/r, not a constant
    assert record("S-E1.path", att.longest_path(512, 32)) == math.ceil(511 / 16)
    assert record("S-E1.double", att.longest_path(1024, 32)) == 2 * att.longest_path(512, 32)
    assert att.longest_path(512, 64) == math.ceil(att.longest_path(512, 32) / 2)


def test_operations_of_restricted_attention(record):  # S-E1: O(n r d), and the edges look at (r/2)(r/2 + 1) fewer
    assert att.multiplications(512, 2 * 512) == 512**2 * 64
    assert att.multiplications(512, 32) == (512 * 33 - 16 * 17) * 64
    assert att.multiplications(1024, 2 * 1024) / att.multiplications(512, 2 * 512) == 4
    restricted_growth = record("S-E1.restricted_growth", att.multiplications(1024, 32) / att.multiplications(512, 32))
    assert restricted_growth == pytest.approx(2, rel=1 / 16)
    assert att.multiplications(512, 64) == pytest.approx(2 * att.multiplications(512, 32), rel=0.05)


def test_learning_rate_peaks_after_the_warm_up(record):  # S-E4
    assert int(att.learning_rate(np.arange(1, 100_001.0)).argmax()) + 1 == 4000
    peak = record("S-E4.peak", att.learning_rate(np.arange(1, 100_001.0)).max())
    assert peak == pytest.approx(1 / math.sqrt(512 * 4000))
    for step in (1, 399, 4000, 4001, 90_000):  # the library's is the published formula
        assert warm_up(step, 512, 4000) == pytest.approx(att.learning_rate(np.array(float(step))).item())


def test_fully_masked_row_of_the_pseudocode(record):  # S-E5: one row of width four
    assert record("S-E5.nan", att.nan_entries_of_the_pseudocode()) == 4


def test_attention_in_columns(record):  # G-E1
    assert record("G-E1.printed", ponti.attention_columns("printed")) > 0.1
    by_rows = record("G-E1.rows", ponti.attention_columns("rows"))
    by_columns = record("G-E1.columns", ponti.attention_columns("columns"))
    assert by_rows == by_columns == 0


def test_second_matrix_stands_on_the_right():  # G-E2
    d, r = 3, 5
    layer, x = FeedForward(d, r), torch.ones(2, d)
    assert (layer.W_1.shape, layer.W_2.shape) == ((d, r), (r, d))
    assert (x + layer(x)).shape == x.shape
    hidden = x @ layer.W_1
    with pytest.raises(RuntimeError):
        layer.W_2 @ hidden  # on the left, as printed
    with pytest.raises(RuntimeError):
        x + hidden @ torch.ones(r, 4)  # d_v ≠ d_in: nothing to add the residual to


def test_integral_needs_its_y(record):  # G-E5
    assert record("G-E5.printed", ponti.integral_without_y()) == pytest.approx(1)
    closed = ponti.M + ponti.SIGMA @ ponti.K.T @ ponti.Q @ ponti.X / math.sqrt(ponti.DK)
    assert record("G-E5.right", rounding(abs(ponti.attended_mean() - closed).max(), 1e-10)) == 0


def test_affine_map_of_lemma_2_4(record):  # G-E8
    assert record("G-E8.values", ponti.affine_map_at_its_two_points()) == 0


def test_measures_do_not_see_the_order_of_points(record):  # G-E15
    assert record("G-E15.points", np.linalg.norm(ponti.POINTS[[1, 0, 2, 3]] - ponti.POINTS)) > 1
    assert record("G-E15.integrals", ponti.integrals_after_swapping_two_points()) == 0


def test_density_of_the_proof_has_variance_four(record):  # G-E16: σ = 2
    assert record("G-E16.variance", ponti.variance_under_the_density_of_the_proof()) == pytest.approx(4)


def test_sum_of_dependent_gaussians(record):  # G-E17: half of its mass is on one point
    zero = record("G-E17.zero", ponti.probability_that_the_sum_is_zero(), rtol=0.02)
    assert zero == pytest.approx(0.5, abs=0.01)


def test_heads_on_a_gaussian_are_affine_together(record):  # G-E17: so the sum stays Gaussian, though its terms are dependent
    assert record("G-E17.affine", gaussian.bend(1)) == gaussian.bend(2) == 0
    assert gaussian.bend(1, two_points=True) > 0.05
    slopes = np.eye(2) + sum(a @ gaussian.SIGMA2 @ c for a, c in zip(gaussian.AS, gaussian.CS, strict=True))
    x, (y, mass) = np.eye(2), gaussian.plane_rule()
    moved = gaussian.heads_map(x, y, mass, 2) - gaussian.heads_map(0 * x, y, mass, 2)
    assert moved == pytest.approx(slopes.T)


def test_height_of_the_semicircle(record):  # G-E20
    assert record("G-E20.height", ponti.semicircle_height(3000)) == pytest.approx(5.81e-3, rel=1e-3)
    # prefactor times radius, with the two numbers the document prints
    assert ponti.semicircle_height(3000) == pytest.approx(5.3e-5 * 109.5, rel=5e-3)
    measured = record("G-E20.measured", ponti.measured_over_predicted_height(), rtol=0.02)
    assert measured == pytest.approx(1, abs=0.05)


def test_edge_of_marchenko_pastur(record):  # G-E22: four times the size doubles W Wᵀ/√n and leaves W Wᵀ/n
    printed = record("G-E22.printed", ponti.edge(400, 0.5) / ponti.edge(100, 0.5), rtol=0.01)
    assert printed == pytest.approx(2, rel=0.1)
    growth = record("G-E22.right", ponti.edge(400, 1) / ponti.edge(100, 1), rtol=0.01)
    assert growth == pytest.approx(1, rel=0.1)
    assert ponti.edge(400, 1) == pytest.approx(4 / 3, rel=0.1)


def test_exponent_of_the_numerator(record):  # G-E23
    assert record("G-E23.right", ponti.numerator_ratio(1 / (2 * ponti.DK))) == pytest.approx(1, abs=1e-9)
    assert abs(record("G-E23.printed", ponti.numerator_ratio(1 / math.sqrt(ponti.DK))) - 1) > 0.05


def test_remainder_is_of_second_order(record):  # G-E24
    assert record("G-E24.order", ponti.order_of_the_remainder()) == pytest.approx(2)


def test_one_dimensional_gaussian_map(record):  # G-E25
    mean, variance = ponti.one_dimensional_moments()
    assert record("G-E25.mean", mean) == pytest.approx((2 + ponti.S2) * ponti.MU)
    assert record("G-E25.variance", variance) == pytest.approx((1 + ponti.S2) ** 2 * ponti.S2)


def test_gaussian_map_in_the_plane(record):  # G-E25
    (mean, covariance), closed = gaussian.plane_moments(), gaussian.closed_form()
    assert mean == pytest.approx(closed[0], abs=1e-9)
    assert record("G-E25.plane_covariance", rounding(abs(covariance - closed[1]).max(), 1e-9)) == 0
    assert abs(covariance - gaussian.closed_form(transposed=True)[1]).max() > 0.01
    y, mass = gaussian.plane_rule()
    assert (mass @ y, mass.sum()) == (pytest.approx(gaussian.M2), pytest.approx(1))
    assert (y - gaussian.M2).T * mass @ (y - gaussian.M2) == pytest.approx(gaussian.SIGMA2)


def test_congruence_keeps_a_covariance_positive(record):  # G-E32
    assert record("G-E32.dropped", ponti.smallest_eigenvalue(congruence=False)) < -1
    for step in (0.01, 0.1, 1.0, 10.0):
        assert ponti.smallest_eigenvalue(congruence=True, step=step) > -1e-9
    assert record("G-E32.full", ponti.smallest_eigenvalue(congruence=True), rtol=0.01) > 0


def test_loss_is_quadratic_and_gradient_affine(record):  # G-E35
    third = record("G-E35.third", ponti.third_derivative_of_the_loss())
    second = record("G-E35.second", ponti.change_of_the_gradient())
    assert third == second == 0


def test_gradient_of_training_matrix(record):  # G-E37
    assert record("G-E37.printed", ponti.gradient_error("printed")) > 0.1
    assert record("G-E37.right", ponti.gradient_error("right")) == 0
