"""The page on heads: the head of "it" on fresh sentences, removals in two models, other weights with the same output."""


import pytest
import torch
from claims import heads as page

from course_lib.pretrained.files import NotInstalled
from course_lib.results import load
from course_lib.shipped import translator
from course_lib.training import cross_entropy
from tests.optional import missing


def real(model):
    try:
        return model.load()
    except NotInstalled as reason:
        missing(reason)


@pytest.fixture(scope="module")
def reader():
    return real(page.MiniLM)


@pytest.fixture(scope="module")
def writer():
    return real(page.SmolLM)


def test_a_head_chosen_on_one_sentence_fails_on_twelve(reader):  # S5
    seen = reader.read("The animal didn't cross the street because it was too tired.")
    it, animal = seen.tokens.index("it"), seen.tokens.index("animal")
    assert seen.weights[3, 1, it, animal].item() == page.largest_weight_from_it_to_animal() > 0.6
    count = 0
    for text, true, other in page.SENTENCES:
        words, row = reader.tokens(text), reader.read(text).weights[3, 1]
        count += row[words.index("it"), words.index(true)] > row[words.index("it"), words.index(other)]
    assert page.sentences_of_twelve_that_the_chosen_head_gets_right() == count == 6
    # the twelve are no fair test of liking the first noun: that alone gets most of them
    assert page.sentences_of_twelve_whose_right_noun_comes_first() > 8
    assert page.sentences_of_twelve_that_the_best_of_72_heads_gets_right() > 8


def test_copying_is_lost_with_its_heads():  # S5
    whole, copiers = page.nats_of_the_second_copy(), page.nats_of_the_second_copy_without_six_copy_heads()
    first = next(row["first"] for row in load("head_probe")["rows"] if row["without"] == "copy heads")
    assert whole < 3 and copiers > 3 * whole
    assert first == pytest.approx(load("head_probe")["rows"][0]["first"], abs=0.5)  # the model is not broken
    assert page.nats_of_the_second_copy_without_the_previous_token_head() > 2 * whole
    strongest = load("head_probe")["scores"]["previous token"]["highest"]
    dear = [row["heads"] for row in load("head_probe")["rows"] if row["without"].startswith("others") and row["second"] > whole + 1]
    assert len(dear) == page.groups_of_other_heads_that_cost_a_nat() == 1 and strongest in dear[0]
    assert page.heads_that_rest_on_the_first_token() > load("head_probe")["settings"]["heads"] / 2


def test_one_head_of_the_translator_is_missed_and_eight_are_needed():  # S5
    (part, head), damage = max(page.damage().items(), key=lambda one: one[1])
    assert part.startswith("decoder") and part.endswith(".attention")
    assert damage == page.damage_of_the_head_that_is_missed() > 3 * page.damage_of_the_next_head()
    assert page.damage_of_all_eight_cross_heads() > 20 * max(v for (name, _), v in page.damage().items() if "cross" in name)
    assert page.damage_of_all_eight_encoder_heads() < 0.1
    # without a bias a head is silenced by its values as well as by its output map
    model, batch = page.copy.deepcopy(translator().model), page.held_out()
    with torch.no_grad():
        model.get_submodule(part).W_V[head] = 0
        logits = model(batch.source, batch.target, batch.source_lengths).logits
    assert cross_entropy(logits, batch.answers).item() - page.cost() == pytest.approx(damage, abs=1e-4)
    assert len(page.damage()) == 24 and 0 <= page.cost() < 0.1


@pytest.mark.parametrize(("n", "m"), [(5, 1), (40, 3), (60, 16), (4, 3), (9, 8)])
def test_few_tokens_give_the_same_output(n, m):  # P10: Carathéodory
    a, v = torch.randn(n, generator=page.seeded(n), **page.F64).softmax(0), torch.randn(n, m, generator=page.seeded(m), **page.F64)
    other = page.fewest(a, v)
    assert (other >= 0).all() and other.sum().item() == pytest.approx(1)
    torch.testing.assert_close(other @ v, a @ v)
    assert (other > 0).sum() <= m + 1
    if n <= m + 1:
        torch.testing.assert_close(other, a)


def test_a_real_row_has_another_with_its_output(reader):  # P10
    a, other, values = page.widest_row()
    n, m = values.shape
    assert page.tokens_looked_at() == n == len(reader.tokens(page.TEXT))
    assert page.tokens_that_are_enough() <= m + 1 == 33
    torch.testing.assert_close(other @ values, a @ values)
    assert page.difference_of_the_two_outputs() == 0
    assert page.weight_that_is_elsewhere() > 0.2


def test_resting_weight_adds_less_than_it_looks(writer):  # P10
    assert page.weight_of_the_first_token() > 0.5
    assert page.length_that_the_first_token_adds() < page.weight_of_the_first_token() - 0.1


def test_a_place_keeps_its_word(reader):  # P10
    hidden = reader.read(page.TEXT).hidden.double()
    first, last = (hidden[k] - hidden[k].mean(0) for k in (0, 6))
    own = 0
    for i, vector in enumerate(last):
        likeness = [torch.cosine_similarity(vector, other, dim=0).item() for other in first]
        own += likeness[i] == max(likeness)
    assert page.places_most_like_their_own_word_after_six_layers() == pytest.approx(own / len(last))
    assert 0.7 < own / len(last) < 1  # less than all: the words have moved


def test_four_changes_since_2017(writer):  # P10
    assert page.change_of_a_score_when_both_places_move_by_a_thousand() == 0
    assert abs(page.rotated_score(6, 2) - page.rotated_score(5, 2)) > 0.1
    assert page.rms_norm_minus_layer_norm_without_a_mean() == 0
    assert page.feed_forward_width_over_d() == pytest.approx(8 / 3)
    _, _, state = writer.forward(torch.tensor([[5, 6, 7]]), writer.start())
    stored = sum(part.k.numel() + part.v.numel() for part in state)
    assert stored == 3 * page.numbers_kept_for_a_token() == page.numbers_kept_without_sharing()
