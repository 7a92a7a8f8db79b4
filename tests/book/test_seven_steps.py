"""Chapter 2: the seven steps opened are the model's own, and what the pages say of its alignments holds."""

import copy
import re
from functools import cache
from pathlib import Path

import pytest
import torch
from course_book.ledger import load_errata
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from course_lib.alignments import HARD, UNSURE, Dictionary, at_temperature, crossings, flow, in_order, links
from course_lib.attention import attend, softmax
from course_lib.recurrent import RNNCell, RNNsearch, unroll
from course_lib.results import load
from course_lib.scores import Additive, Dot
from course_lib.shipped import rnnsearch
from course_lib.text.corpora import Pair, english_french
from course_lib.translation import translate
from tests.shared.record import rounding

SOURCE = tuple(["the", "old", "king", "sees", "a", "white", "house", "."])
TARGET = tuple(["le", "vieux", "roi", "voit", "une", "maison", "blanche", "."])
BEFORE = TARGET.index("maison")  # the page opens the step that writes this word
JOINTS = {"and", "but", "because", "while", "when"}
BIBLIOGRAPHY = Path(__file__).resolve().parents[2] / "book" / "references.bib"
N = 40
SWAPPED = "the king sees the wolf .", "the wolf sees the king ."


@cache
def model() -> RNNsearch:
    return copy.deepcopy(rnnsearch().model).double().requires_grad_(False)


def largest(difference: Tensor) -> float:
    return rounding(difference.abs().max().item())


@cache
def opened() -> dict[str, Tensor]:
    """The step before "maison", from the parameters, beside what `model.step` says of it."""
    trained, french = model(), rnnsearch().target
    state = trained.start(torch.tensor([rnnsearch().source.encode(SOURCE)]))
    for token in french.encode(TARGET[: BEFORE - 1], start=True):
        _, state = trained.step(torch.tensor([token]), state)
    last = torch.tensor(french.encode(TARGET[BEFORE - 1 : BEFORE]))
    expected, after = trained.step(last, state)
    decoder, y, H = trained.decoder, trained.E_target[last][0], state.H[0]
    scores = torch.tanh(state.s @ decoder.score.W_q + H @ decoder.score.W_k) @ decoder.score.w
    weights = scores.exp() / scores.exp().sum()
    C = weights @ H
    s_t = decoder.cell(torch.cat([y, C])[None], state.s)
    hidden = torch.tanh(torch.cat([s_t[0], C, y]) @ decoder.W_r + decoder.b_r)
    logits = hidden @ decoder.U + decoder.b_U
    return {
        "H": H, "query": state.s, "next": after.s, "scores": scores, "weights": weights, "C": C, "y": y, "logits": logits,
        "model's logits": expected[0], "model's weights": after.weights[0], "model's C": after.C[0],
    }  # fmt: skip


def difference_of_the_seven_steps_from_the_models_own() -> float:
    step = opened()
    return max(largest(step[name] - step[f"model's {name}"]) for name in ("logits", "weights", "C"))


def test_seven_steps_are_the_models_own_step(record):  # L2.2
    assert record("L2.2.steps", difference_of_the_seven_steps_from_the_models_own()) < 1e-9
    step = opened()
    assert rnnsearch().target.tokens[step["logits"].argmax()] == "maison"
    assert SOURCE[step["weights"].argmax()] == "house"


def test_the_sentence_was_not_trained_on():
    clause = " ".join(SOURCE[:-1])
    assert not any(clause in " ".join(pair.source) for pair in english_french().train)


def entries_of_the_contexts_beyond_the_range_of_the_states() -> int:
    trained = model()
    words = torch.tensor([rnnsearch().source.encode(SOURCE)])
    H = trained.encode(words).H[0]
    A = trained(words, torch.tensor([rnnsearch().target.encode(TARGET, start=True)])).weights[0]
    C = A @ H
    return int(((H.max(0).values < C) | (H.min(0).values > C)).sum())


def test_contexts_lie_among_the_states(record):  # L2.2
    assert record("L2.2.hull", entries_of_the_contexts_beyond_the_range_of_the_states()) == 0


def difference_of_the_pull_from_automatic_differentiation() -> float:
    step = opened()
    scores = step["scores"].clone().requires_grad_()
    context = scores.softmax(-1) @ step["H"]
    jacobian = torch.stack([torch.autograd.grad(each, scores, retain_graph=True)[0] for each in context], 1)  # [s, r]
    return largest(jacobian - step["weights"][:, None] * (step["H"] - step["C"]))


def test_a_score_pulls_the_context_towards_its_state():  # L2.2
    assert difference_of_the_pull_from_automatic_differentiation() < 1e-12


def change_of_the_context_when_the_states_are_shuffled() -> float:
    score, step = model().decoder.score, opened()
    H = step["H"].flip(0)
    return largest(softmax(score(step["query"], H)[0]) @ H - step["C"])


def test_attention_does_not_see_the_order_of_the_states():  # L2.2
    assert change_of_the_context_when_the_states_are_shuffled() < 1e-12


def row_sums_with_an_index_of_its_own() -> float:
    scores = torch.randn(4, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).exp()
    return largest((scores / scores.sum(1, keepdim=True)).sum(1) - 1)


def row_sums_if_the_reused_index_runs_over_the_queries() -> float:
    """If the letter of the numerator's free index is summed over, each column sums to 1 and the rows do not."""
    scores = torch.randn(4, 7, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).exp()
    return largest((scores / scores.sum(0, keepdim=True)).sum(1) - 1)


def test_the_sum_of_the_softmax_has_an_index_of_its_own(record):  # L-E7
    assert record("L-E7.rows", row_sums_with_an_index_of_its_own()) < 1e-12
    assert record("L-E7.free", row_sums_if_the_reused_index_runs_over_the_queries()) > 0.5


def test_what_is_joined_to_the_context_is_the_decoders_state(record):  # L-E8
    decoder = rnnsearch().model.decoder
    width = record("L-E8.width", opened()["C"].numel() + opened()["next"].shape[1])
    assert width == len(decoder.W_r) - rnnsearch().info["config"]["d"]
    y, C = opened()["y"], opened()["C"]
    wrong = torch.cat([opened()["H"][-1], C, y])  # the encoder's last state in its place
    hidden = torch.tanh(wrong @ model().decoder.W_r + model().decoder.b_r)
    logits = hidden @ model().decoder.U + model().decoder.b_U
    assert (logits - opened()["model's logits"]).abs().max() > 1


def difference_of_the_weights_from_the_additive_score_of_the_previous_state() -> float:
    score, step = model().decoder.score, opened()
    assert isinstance(score, Additive)
    return largest(softmax(score(step["query"], step["H"])[0]) - step["model's weights"])


def difference_if_the_query_were_the_next_state() -> float:
    score, step = model().decoder.score, opened()
    return largest(softmax(score(step["next"], step["H"])[0]) - step["model's weights"])


def test_the_score_is_additive_and_its_query_the_previous_state(record):  # L-E9
    previous = record("L-E9.previous", difference_of_the_weights_from_the_additive_score_of_the_previous_state())
    assert previous < 1e-12
    assert record("L-E9.current", difference_if_the_query_were_the_next_state(), rtol=0.05) > 0.5


def weights_of(pair: Pair) -> Tensor:
    english, french = rnnsearch().source, rnnsearch().target
    words = torch.tensor([english.encode(pair.source)]), torch.tensor([french.encode(pair.target, start=True)])
    return model()(*words).weights[0]


@cache
def held_out(count: int = 60) -> list[Pair]:
    """The first sentences of one clause in the test part: a sample of the page's."""
    return [pair for pair in english_french().test if not JOINTS & set(pair.source)][:count]


@cache
def all_links() -> list[list[int]]:
    return [links(weights_of(pair)[:-1]).tolist() for pair in held_out()]


def test_most_pairs_are_in_order_and_most_sentences_cross(record):  # L2.6
    assert record("L2.6.order", sum(map(in_order, all_links())) / len(all_links()), rtol=0.02) > 0.9
    assert sum(crossings(places) == 0 for places in all_links()) / len(all_links()) < 0.5
    assert crossings(links(weights_of(Pair(SOURCE, TARGET))[:-1]).tolist()) == 1  # maison and blanche


@cache
def dictionary() -> Dictionary:
    return Dictionary([pair for pair in english_french().train if len(pair.source) <= 9], rounds=4)


def share_of_links_that_are_the_dictionarys() -> float:
    both = [
        place == true
        for pair, places in zip(held_out(), all_links(), strict=True)
        for place, true in zip(places, dictionary().links(pair.source, pair.target), strict=True)
        if true != UNSURE
    ]
    return sum(both) / len(both)


def test_links_agree_with_a_dictionary():  # L2.6
    assert share_of_links_that_are_the_dictionarys() > 0.9


def test_tens_and_ones_are_looked_at_in_german_order():  # L2.6
    assert min(row["both"] for row in load("number_alignments")["rows"]) > 0.95
    assert min(row["exact"] for row in load("number_alignments")["rows"]) > 0.95


def exact(temperature: float) -> float:
    words = rnnsearch()
    sharper = at_temperature(words.model, temperature)
    answers = translate(sharper, words.source, words.target, [pair.source for pair in held_out()])
    return sum(answer.words == pair.target for answer, pair in zip(answers, held_out(), strict=True)) / len(answers)


def test_hard_attention_translates_nearly_as_well_and_equal_weights_do_not(record):  # L2.6
    soft, hard, even = (
        exact(1.0), record("L2.6.hard", exact(HARD), rtol=0.05), record("L2.6.even", exact(1e6), rtol=1.0)
    )  # fmt: skip
    assert soft > 0.9 and hard > soft - 0.1 and even < 0.2


def losses_of_choices() -> tuple[Tensor, Tensor]:
    """Weights that are neither equal nor sharp, and a loss for each choice."""
    generator = torch.Generator().manual_seed(0)
    return torch.randn(6, dtype=torch.float64, generator=generator), torch.rand(6, dtype=torch.float64, generator=generator)


def difference_of_the_draws_expected_gradient_from_the_exact_one() -> float:
    """Summed over all draws, with a baseline; the exact one by automatic differentiation."""
    scores, f = losses_of_choices()
    scores.requires_grad_()
    A = scores.softmax(-1)
    wanted = torch.autograd.grad(A @ f, scores)[0]
    drawn = (f - 0.7)[:, None] * (torch.eye(6, dtype=torch.float64) - A)  # row j: the estimate if j is drawn
    return largest(A.detach() @ drawn.detach() - wanted)


def gradient_of_the_score_with_hard_attention() -> float:
    changed = at_temperature(model()).requires_grad_()
    english, french = rnnsearch().source, rnnsearch().target
    logits = changed(torch.tensor([english.encode(SOURCE)]), torch.tensor([french.encode(TARGET, start=True)])).logits[0]
    loss = -logits.log_softmax(-1)[range(len(logits)), french.encode(TARGET, end=True)].mean()
    return torch.autograd.grad(loss, changed.decoder.score.score.w)[0].norm().item()


def test_hard_attention_gives_its_score_no_gradient_and_lots_do(record):  # L-E11
    assert record("L-E11.hard", gradient_of_the_score_with_hard_attention()) == 0
    assert record("L-E11.lot", difference_of_the_draws_expected_gradient_from_the_exact_one()) < 1e-12


def fewest_steps(arrows, start, goal) -> int:
    reached, steps = {start}, 0
    while goal not in reached:
        reached, steps = {after for node in reached for after in arrows(node)}, steps + 1
    return steps


def test_words_100_apart_are_101_steps_apart_or_one():  # L2.7
    assert fewest_steps(lambda node: [("s", node[1] + (node[0] == "s"))], ("x", 50), ("s", 150)) == 101
    assert fewest_steps(lambda node: [("y", t) for t in range(200)], ("x", 50), ("y", 150)) == 1


def left_after_30_words(read) -> float:
    """The derivative 30 to 34 words back over that 1 to 3 words back, for the first long sentence's first words."""
    words = next(pair.source for pair in english_french().test if len(pair.source) >= N)[:N]
    x = model().E_source[torch.tensor(rnnsearch().source.encode(words))].clone().requires_grad_()
    back = flow(read(x), x).flip(0)
    return (back[30:35].mean() / back[1:4].mean()).item()


def left_in_an_untrained_plain_cell() -> float:
    cell = RNNCell(model().E_source.shape[1], 32, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    return left_after_30_words(lambda x: unroll(cell, x[None]).states[0, -1])


def test_gradients_fade_along_a_recurrent_layer_and_not_through_attention(record):  # L2.7
    assert record("L2.7.untrained", left_in_an_untrained_plain_cell(), rtol=0.5) < 1e-6
    trained = record("L2.7.trained", left_after_30_words(lambda x: unroll(model().encoder.forwards, x[None]).states[0, -1]), rtol=0.5)
    assert left_in_an_untrained_plain_cell() < trained < 0.1
    assert record("L2.7.attended", left_after_30_words(lambda x: attend(x, x, x).output[-1]), rtol=0.5) > 0.1


def difference_of_the_steps_with_one_sequence_from_attend() -> float:
    H = opened()["H"]
    return largest(softmax(Dot()(H, H)) @ H - attend(H, H, H, scale=1.0).output)


def operations_at_four_times_the_tokens() -> float:
    def count(n: int) -> int:
        x = torch.zeros(n, 16)
        with FlopCounterMode(display=False) as counter:
            attend(x, x, x)
        return counter.get_total_flops()

    return count(64) / count(16)


def test_self_attention_is_the_same_steps_on_one_sequence():  # L2.8
    assert difference_of_the_steps_with_one_sequence_from_attend() < 1e-12
    assert operations_at_four_times_the_tokens() == pytest.approx(16)


def king(words: str, read) -> Tensor:
    tokens = words.split()
    return read(model().E_source[torch.tensor(rnnsearch().source.encode(tokens))])[tokens.index("king")]


def distance_of_king_in_two_orders_by_self_attention() -> float:
    one, other = (king(words, lambda x: attend(x, x, x).output) for words in SWAPPED)
    return largest(one - other)


def distance_of_king_in_two_orders_by_the_encoder() -> float:
    one, other = (king(words, lambda x: model().encoder(x[None]).H[0]) for words in SWAPPED)
    return (one - other).norm().item()


def test_self_attention_does_not_see_who_sees_whom(record):  # L2.8
    assert record("L2.8.order", distance_of_king_in_two_orders_by_self_attention()) < 1e-12
    assert record("L2.8.encoder", distance_of_king_in_two_orders_by_the_encoder(), rtol=0.5) > 1


def arxiv_month(key: str) -> int:
    """Months since the year 2000, from the first four digits of the entry's arXiv number."""
    entry = re.search(rf"{{{key},.*?arXiv:(\d\d)(\d\d)\.", BIBLIOGRAPHY.read_text(encoding="utf-8"))
    if entry is None:
        raise ValueError(f"references.bib has no arXiv number for {key}")
    return 12 * int(entry[1]) + int(entry[2])


def months_from_the_first_of_three_to_vaswani() -> int:
    return arxiv_month("vaswani2017") - min(map(arxiv_month, ("cheng2016", "parikh2016", "lin2017")))


def test_self_attention_is_older_than_the_transformer(record):  # L-E10
    assert record("L-E10.months", months_from_the_first_of_three_to_vaswani()) >= 12
    assert arxiv_month("lin2017") < arxiv_month("vaswani2017")
    assert "Cheng 2016" in str(load_errata()["L-E10"])
