"""The errata that a short computation decides: what the printed form gives, what the right one gives."""

import math

import numpy as np
import pytest
import torch
from claims import attention as att
from claims import chapter3, gaussian, peri, ponti, sandron, scale
from claims import stabilisers as stab

from course_lib.pretrained.files import NotInstalled
from course_lib.training import warm_up
from course_lib.transformer import FeedForward
from tests.optional import missing

HALF_DIGIT = 0.5e-4  # of a number printed to four decimals


def test_parameter_counts_of_the_72_rows():  # R-E1
    assert sandron.rows_whose_count_agrees() == 72
    assert sandron.learnables_of_the_example() == 316  # the count the document prints for its example


def test_printed_errors_and_losses():  # R-E2
    assert sandron.rows_whose_error_agrees() == 72
    assert sandron.rows_whose_loss_agrees() == 72


def test_rows_sum_to_exactly_100():  # R-E3: so the printed q are not rounded one by one
    assert sandron.rows_that_do_not_sum_to_100() == 0
    assert sandron.rows_expected_not_to_sum_to_100() > 5


def test_no_row_has_d_four():  # R-E5
    assert sandron.rows_with_d_four() == 0


def test_scale_is_the_width_of_a_head():  # R-E7, L-E4: a sum of m products of variance 1 has variance m
    for m in (4, 16, 64, 256):
        assert att.scores_std(m, 1) == pytest.approx(math.sqrt(m), rel=0.02)
        assert att.scores_std(m, math.sqrt(m)) == pytest.approx(1, rel=0.02)
    # through maps of variance 1/d; the maps are drawn once, so their own spread is in it: about 1/√(d m)
    assert scale.scores_over_root_m() == pytest.approx(1, rel=0.06)
    assert scale.scores_over_root_d() == pytest.approx(math.sqrt(16 / 256), rel=0.06)
    assert att.scores_of_a_head_by_full_width() == pytest.approx(math.sqrt(1 / 8), rel=0.02)


def test_tables_can_tell_d_from_m():  # R-E7
    assert sandron.configurations_that_tell_d_from_m() == 18
    x = sandron.example()
    assert x["d"] == x["m"]  # so the worked example cannot


def test_only_one_reading_of_the_attention_formula_replays():  # R-E8
    # the printed A carries its own rounding and that of Q, K and V
    assert sandron.replay_of_the_right_form() < 1.2 * HALF_DIGIT
    assert sandron.replay_of_the_best_other_form() > 2 * HALF_DIGIT
    assert sandron.replay("KQ", 0, True, 2.0) == pytest.approx(sandron.replay_of_the_right_form())


def test_rows_are_normalised_one_by_one():  # R-E10: each normalised row obeys one linear relation, so the rank is 3
    assert sandron.smallest_singular_value_of_z() < 4 * HALF_DIGIT
    assert sandron.smallest_singular_value_of_y() > 100 * HALF_DIGIT


def test_key_bias_and_spare_embedding_are_never_trained():  # R-E14: m + d of the 316
    assert sandron.learnables_with_zero_gradient() == 4 + 4
    gradients = sandron.gradients()
    assert gradients["w_k"].abs().max() < 1e-12 < gradients["w_q"].abs().max()
    assert gradients["E"][4].abs().max() == 0 < gradients["E"][:4].abs().min()


def test_last_entry_of_the_error():  # R-E18
    assert sandron.last_error_of_the_example() == pytest.approx(0.0025)


def test_worked_example_replays_step_by_step():  # R-E19
    # two roundings add up where two printed matrices are added; a matrix product carries more of them
    assert all(error < 2.1 * HALF_DIGIT for error in sandron.step_errors().values())
    assert sandron.difference_with_w_o_transposed() > 0.1
    assert sandron.learnables_of_the_example() == 316
    assert sandron.ideal_loss_of_the_example() == pytest.approx(1.213, abs=5e-4)


def test_attention_output_is_not_ten_times_larger():  # R-E20
    assert 3 < sandron.ratio_of_norms() < sandron.ratio_of_mean_sizes() < 5
    assert sandron.largest_ratio_of_a_column() < 10


def test_rows_of_z_follow_their_own_word():  # R-E21
    read = sandron.rows_read_out()
    assert abs(read[7] - sandron.example()["q"]).max() < HALF_DIGIT
    assert sandron.spread_of_the_rows_of_word_4() < 0.2 < 2 < sandron.spread_of_the_rows_of_word_1()


def test_symmetric_scores_give_unequal_weights():  # P-E1
    u = chapter3.X.numpy() @ chapter3.U.numpy()
    exponentials = [[math.exp(a @ b) for b in u] for a in u]
    for there, back, weight in ((2, 3, chapter3.weight_of_hammer_to_tool), (3, 2, chapter3.weight_of_tool_to_hammer)):
        assert weight() == pytest.approx(exponentials[there][back] / sum(exponentials[there]))
    assert chapter3.weight_of_tool_to_hammer() > 2 * chapter3.weight_of_hammer_to_tool()
    assert chapter3.difference_of_weight_times_normaliser() == 0


def test_projecting_twice_shuts_the_heads_in():  # P-E2: every head then sees the same m directions
    assert att.rank_when_projected_twice() == 8
    assert att.rank_when_projected_once() == 64


def test_heads_are_counted_by_a_letter_of_their_own():  # P-E3: i = 1 … h; h for both leaves a single, last head
    layer = stab.MultiHeadAttention(16, 4, 3, generator=stab.seeded(), **stab.F64)
    x = stab.random(5, 16)
    with torch.no_grad():
        assert (stab.heads_by_the_formula(x, layer) - layer(x).output).abs().max() < 1e-12
        Q, K, V = (x @ W[-1] for W in (layer.W_Q, layer.W_K, layer.W_V))
        last = (Q @ K.T / 2).softmax(-1) @ V
        with pytest.raises(RuntimeError):
            last @ layer.W_O.flatten(0, 1)  # one head of width 4 does not fill the 12 rows of W^O


def test_positions_count_from_zero():  # P-E4
    assert att.positions_counted_from_zero() == 0
    assert att.positions_counted_from_one() > 1


def test_mask_stops_the_future():  # P-E5
    assert chapter3.move_without_a_mask() > 0.1
    assert chapter3.move_when_masked_before() == 0


def test_weights_are_no_projection():  # P-E6
    assert att.distance_from_a_projection() > 0.1


def test_embeddings_are_narrower_than_tens_of_thousands():  # P-E6
    try:
        widths = peri.width_of_minilms_embedding(), peri.width_of_smollms_embedding()
    except NotInstalled as reason:
        missing(reason)
    assert widths == (384, 576)  # as their makers say
    assert max(widths) < 10_000


def test_layer_norm_needs_its_epsilon_and_its_beta():  # P-E6
    assert peri.nan_entries_of_a_constant_token_without_epsilon() == 8
    assert peri.nan_entries_of_a_constant_token_with_epsilon() == 0
    assert peri.mean_of_a_normalised_token_with_beta() == pytest.approx(3)
    assert peri.printed(stab.random(5, 8)).mean(-1).numpy() == pytest.approx(np.zeros(5))


def test_tal_sentence_and_formula_17():  # P-E7
    assert att.words_of_the_sentence() == 9
    assert att.formula_17_against_pytorch() == 0


def test_mask_keeps_the_diagonal():  # L-E1
    assert att.nan_rows_of_the_printed_mask() == 1
    assert att.nan_rows_of_the_right_mask() == 0


def test_layer_norm_takes_the_mean():  # L-E2
    assert att.mean_with_the_printed_formula() < -0.9
    assert att.mean_with_the_right_formula() == 0
    assert att.normalised(total=False).std() == pytest.approx(1)


def test_queries_come_first():  # L-E3
    x = att.tokens()
    with pytest.raises(ValueError):
        (x @ att.WEIGHTS[1]) @ (x @ att.WEIGHTS[0])  # as printed the product does not conform
    assert att.error_with_queries_first() == 0
    assert att.error_with_keys_first() > 0.1


def test_cross_attention_has_the_decoders_length():  # L-E5
    x, memory = att.tokens(3), att.tokens(7, seed=1)
    assert chapter3.rows_of_a_cross_attention() == 3
    assert att.matrix_form(x, memory, att.WEIGHTS) == pytest.approx(att.token_by_token(x, memory, att.WEIGHTS))


def test_column_and_row_conventions_differ():  # L-E6
    assert att.difference_of_the_two_conventions() > 0.1
    assert att.difference_after_the_transpose() == 0


def test_training_times_multiply_out():  # L-E17
    assert att.days_of_the_big_model() == pytest.approx(3.5, abs=0.05)
    assert att.hours_of_the_base_model() == pytest.approx(11.5, abs=0.5)


def test_path_of_restricted_attention():  # S-E1: n/r, not a constant
    assert att.longest_path_of_512() == math.ceil(511 / 16)
    assert att.longest_path_of_1024() == 2 * att.longest_path_of_512()
    assert att.longest_path(512, 64) == math.ceil(att.longest_path_of_512() / 2)


def test_operations_of_restricted_attention():  # S-E1: O(n r d), and the edges look at (r/2)(r/2 + 1) fewer
    assert att.multiplications_of_full_attention() == 512**2 * 64
    assert att.multiplications_of_restricted_attention() == (512 * 33 - 16 * 17) * 64
    assert att.growth_of_full_attention() == 4
    assert att.growth_of_restricted_attention() == pytest.approx(2, rel=1 / 16)
    assert att.multiplications(512, 64) == pytest.approx(2 * att.multiplications(512, 32), rel=0.05)


def test_learning_rate_peaks_after_the_warm_up():  # S-E4
    assert att.step_of_the_peak() == 4000
    assert att.peak_learning_rate() == pytest.approx(1 / math.sqrt(512 * 4000))
    for step in (1, 399, 4000, 4001, 90_000):  # the library's is the published formula
        assert warm_up(step, 512, 4000) == pytest.approx(att.learning_rate(np.array(float(step))).item())


def test_fully_masked_row_of_the_pseudocode():  # S-E5: one row of width four
    assert att.nan_entries_of_the_pseudocode() == 4


def test_attention_in_columns():  # G-E1
    assert ponti.printed_attention() > 0.1
    assert ponti.right_attention_by_rows() == ponti.right_attention_by_columns() == 0


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


def test_integral_needs_its_y():  # G-E5
    assert ponti.integral_without_y() == pytest.approx(1)
    assert ponti.integral_with_y() == 0


def test_affine_map_of_lemma_2_4():  # G-E8
    assert ponti.affine_map_at_its_two_points() == 0


def test_measures_do_not_see_the_order_of_points():  # G-E15
    assert ponti.distance_after_swapping_two_points() > 1
    assert ponti.integrals_after_swapping_two_points() == 0


def test_density_of_the_proof_has_variance_four():  # G-E16: σ = 2
    assert ponti.variance_under_the_density_of_the_proof() == pytest.approx(4)


def test_sum_of_dependent_gaussians():  # G-E17: half of its mass is on one point
    assert ponti.probability_that_the_sum_is_zero() == pytest.approx(0.5, abs=0.01)


def test_heads_on_a_gaussian_are_affine_together():  # G-E17: so the sum stays Gaussian, though its terms are dependent
    assert gaussian.bend_of_two_heads() == gaussian.bend_of_two_layers_of_two_heads() == 0
    assert gaussian.bend_on_a_measure_that_is_not_gaussian() > 0.05
    slopes = np.eye(2) + sum(a @ gaussian.SIGMA2 @ c for a, c in zip(gaussian.AS, gaussian.CS, strict=True))
    x, (y, mass) = np.eye(2), gaussian.plane_rule()
    moved = gaussian.heads_map(x, y, mass, 2) - gaussian.heads_map(0 * x, y, mass, 2)
    assert moved == pytest.approx(slopes.T)


def test_height_of_the_semicircle():  # G-E20
    assert ponti.height_at_3000() == pytest.approx(5.81e-3, rel=1e-3)
    # prefactor times radius, with the two numbers the document prints
    assert ponti.height_at_3000() == pytest.approx(5.3e-5 * 109.5, rel=5e-3)
    assert ponti.measured_over_predicted_height() == pytest.approx(1, abs=0.05)


def test_edge_of_marchenko_pastur():  # G-E22: four times the size doubles W Wᵀ/√n and leaves W Wᵀ/n
    assert ponti.growth_of_the_edge_with_root_n() == pytest.approx(2, rel=0.1)
    assert ponti.growth_of_the_edge_with_n() == pytest.approx(1, rel=0.1)
    assert ponti.edge(400, 1) == pytest.approx(4 / 3, rel=0.1)


def test_exponent_of_the_numerator():  # G-E23
    assert ponti.numerator_with_the_right_factor() == pytest.approx(1, abs=1e-9)
    assert abs(ponti.numerator_with_the_printed_factor() - 1) > 0.05


def test_remainder_is_of_second_order():  # G-E24
    assert ponti.order_of_the_remainder() == pytest.approx(2)


def test_one_dimensional_gaussian_map():  # G-E25
    mean, variance = ponti.one_dimensional_moments()
    assert mean == pytest.approx((2 + ponti.S2) * ponti.MU)
    assert variance == pytest.approx((1 + ponti.S2) ** 2 * ponti.S2)


def test_gaussian_map_in_the_plane():  # G-E25
    assert gaussian.error_of_the_mean_in_the_plane() == gaussian.error_of_the_covariance_in_the_plane() == 0
    assert gaussian.error_of_the_transposed_covariance() > 0.01
    y, mass = gaussian.plane_rule()
    assert (mass @ y, mass.sum()) == (pytest.approx(gaussian.M2), pytest.approx(1))
    assert (y - gaussian.M2).T * mass @ (y - gaussian.M2) == pytest.approx(gaussian.SIGMA2)


def test_congruence_keeps_a_covariance_positive():  # G-E32
    assert ponti.smallest_eigenvalue_without_the_square() < -1
    for step in (0.01, 0.1, 1.0, 10.0):
        assert ponti.smallest_eigenvalue(congruence=True, step=step) > -1e-9


def test_loss_is_quadratic_and_gradient_affine():  # G-E35
    assert ponti.third_derivative_of_the_loss() == ponti.change_of_the_gradient() == 0


def test_gradient_of_training_matrix():  # G-E37
    assert ponti.relative_error_of_the_printed_gradient() > 0.1
    assert ponti.relative_error_of_the_corrected_gradient() == 0
