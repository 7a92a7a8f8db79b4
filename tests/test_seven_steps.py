"""Chapter 2: the seven steps opened are the model's own, and what the pages say of its alignments holds."""

import pytest
import torch
from claims import alignments as page

from course_lib.results import load
from course_lib.shipped import rnnsearch
from course_lib.text.corpora import english_french
from tools.ledger import load_errata


def test_seven_steps_are_the_models_own_step():  # L2.2
    assert page.difference_of_the_seven_steps_from_the_models_own() < 1e-9
    step = page.opened()
    assert rnnsearch().target.tokens[step["logits"].argmax()] == "maison"
    assert page.SOURCE[step["weights"].argmax()] == "house"


def test_the_sentence_was_not_trained_on():
    clause = " ".join(page.SOURCE[:-1])
    assert not any(clause in " ".join(pair.source) for pair in english_french().train)


def test_contexts_lie_among_the_states():  # L2.2
    assert page.entries_of_the_contexts_beyond_the_range_of_the_states() == 0


def test_a_score_pulls_the_context_towards_its_state():  # L2.2
    assert page.difference_of_the_pull_from_automatic_differentiation() < 1e-12


def test_attention_does_not_see_the_order_of_the_states():  # L2.2
    assert page.change_of_the_context_when_the_states_are_shuffled() < 1e-12


def test_the_sum_of_the_softmax_has_an_index_of_its_own():  # L-E7
    assert page.row_sums_with_an_index_of_its_own() < 1e-12
    assert page.row_sums_if_the_reused_index_runs_over_the_queries() > 0.5


def test_what_is_joined_to_the_context_is_the_decoders_state():  # L-E8
    decoder = rnnsearch().model.decoder
    assert page.width_of_context_and_decoder_state_side_by_side() == len(decoder.W_r) - rnnsearch().info["config"]["d"]
    y, C = page.opened()["y"], page.opened()["C"]
    wrong = torch.cat([page.opened()["H"][-1], C, y])  # the encoder's last state in its place
    hidden = torch.tanh(wrong @ page.model().decoder.W_r + page.model().decoder.b_r)
    logits = hidden @ page.model().decoder.U + page.model().decoder.b_U
    assert (logits - page.opened()["model's logits"]).abs().max() > 1


def test_the_score_is_additive_and_its_query_the_previous_state():  # L-E9
    assert page.difference_of_the_weights_from_the_additive_score_of_the_previous_state() < 1e-12
    assert page.difference_if_the_query_were_the_next_state() > 0.5


def test_most_pairs_are_in_order_and_most_sentences_cross():  # L2.6
    assert page.share_of_pairs_of_words_in_order() > 0.9
    assert page.share_of_sentences_without_a_crossing() < 0.5
    assert page.crossings_of_the_pages_sentence() == 1  # maison and blanche


def test_links_agree_with_a_dictionary():  # L2.6
    assert page.share_of_links_that_are_the_dictionarys() > 0.9


def test_tens_and_ones_are_looked_at_in_german_order():  # L2.6
    assert page.share_of_crossing_pairs_looked_at_in_the_grammars_order() > 0.95
    assert min(row["exact"] for row in load("number_alignments")["rows"]) > 0.95


def test_hard_attention_translates_nearly_as_well_and_equal_weights_do_not():  # L2.6
    soft, hard, even = (
        page.share_exact_with_soft_attention(), page.share_exact_made_hard_when_translating(), page.share_exact_with_equal_weights()
    )  # fmt: skip
    assert soft > 0.9 and hard > soft - 0.1 and even < 0.2


def test_hard_attention_gives_its_score_no_gradient_and_lots_do():  # L-E11
    assert page.gradient_of_the_score_with_hard_attention() == 0
    assert page.difference_of_the_draws_expected_gradient_from_the_exact_one() < 1e-12


def test_words_100_apart_are_101_steps_apart_or_one():  # L2.7
    assert page.fewest_steps_between_words_100_apart_in_a_recurrent_layer() == 101
    assert page.fewest_steps_between_words_100_apart_in_attention() == 1


def test_gradients_fade_along_a_recurrent_layer_and_not_through_attention():  # L2.7
    assert page.left_in_an_untrained_plain_cell() < 1e-6
    assert page.left_in_an_untrained_plain_cell() < page.left_in_the_trained_encoder() < 0.1
    assert page.left_in_one_layer_of_attention() > 0.1


def test_self_attention_is_the_same_steps_on_one_sequence():  # L2.8
    assert page.difference_of_the_steps_with_one_sequence_from_attend() < 1e-12
    assert page.operations_at_four_times_the_tokens() == pytest.approx(16)


def test_self_attention_does_not_see_who_sees_whom():  # L2.8
    assert page.distance_of_king_in_two_orders_by_self_attention() < 1e-12
    assert page.distance_of_king_in_two_orders_by_the_encoder() > 1


def test_self_attention_is_older_than_the_transformer():  # L-E10
    assert page.months_from_the_first_of_three_to_vaswani() >= 12
    assert page.arxiv_month("lin2017") < page.arxiv_month("vaswani2017")
    assert "Cheng 2016" in str(load_errata()["L-E10"])
