"""Chapter 2: the seven steps opened are the model's own, and what the pages say of its alignments holds."""

import copy
import re
from functools import cache

import torch
from course_book.ledger import load_errata
from torch import Tensor

from course_lib.alignments import HARD, at_temperature, crossings, flow, in_order, links
from course_lib.attention import attend, softmax
from course_lib.recurrent import RNNCell, RNNsearch, unroll
from course_lib.scores import Additive
from course_lib.shipped import rnnsearch
from course_lib.text.corpora import Pair, english_french
from course_lib.text.vocabulary import END, START
from course_lib.translation import translate
from tests.shared.record import largest
from tests.shared.seeded import F64, normal, seeded
from tools.repository import ROOT

SOURCE = ("the", "old", "king", "sees", "a", "white", "house", ".")
TARGET = ("le", "vieux", "roi", "voit", "une", "maison", "blanche", ".")
BEFORE = TARGET.index("maison")  # the page opens the step that writes this word
JOINTS = {"and", "but", "because", "while", "when"}
BIBLIOGRAPHY = ROOT / "book" / "references.bib"
N = 40
SWAPPED = "the king sees the wolf .", "the wolf sees the king ."


@cache
def model() -> RNNsearch:
    return copy.deepcopy(rnnsearch().model).double().requires_grad_(False)


@cache
def opened() -> dict[str, Tensor]:
    """What the model's own step before "maison" starts from and gives."""
    trained, french = model(), rnnsearch().target
    state = trained.start(torch.tensor([rnnsearch().source.encode(SOURCE)]))
    for token in french.encode(TARGET[: BEFORE - 1], start=True):
        _, state = trained.step(torch.tensor([token]), state)
    last = torch.tensor(french.encode(TARGET[BEFORE - 1 : BEFORE]))
    logits, after = trained.step(last, state)
    found = {"query": state.s, "next": after.s, "y": trained.E_target[last], "logits": logits, "H": state.H}
    return {name: value[0] for name, value in (found | {"weights": after.weights, "C": after.C}).items()}


def looked_at(sentence: str) -> list[tuple[str, str, float]]:
    """(word written, word looked at most, its weight), word by word."""
    source = sentence.split()
    state, token, told = model().start(torch.tensor([rnnsearch().source.encode(source)])), START, []
    while token != END:
        logits, state = model().step(torch.tensor([token]), state)
        token, weights = logits.argmax().item(), state.weights[0]
        told.append((rnnsearch().target.tokens[token], source[weights.argmax()], weights.max().item()))
    return told


def test_what_we_found_where_a_word_stands_before_the_colour():
    """The folded answer to the page's last Try."""
    assert [each[:2] for each in looked_at("the old king sees a big white house .")[4:8]] == [
        ("une", "a"),
        ("grande", "big"),
        ("maison", "house"),
        ("blanche", "white"),
    ]
    told = looked_at("the old king sees a red white house .")[5:8]
    assert [each[:2] for each in told] == [("maison", "house"), ("blanche", "white"), ("rouge", "red")]
    assert [round(weight, 2) for *_, weight in told] == [0.96, 0.87, 0.68]


def test_the_step_writes_maison_and_looks_at_house():  # L2.2; its equations: test_recurrent.py
    step = opened()
    assert rnnsearch().target.tokens[step["logits"].argmax()] == "maison"
    assert SOURCE[step["weights"].argmax()] == "house"


def test_the_sentence_was_not_trained_on():
    clause = " ".join(SOURCE[:-1])
    assert not any(clause in " ".join(pair.source) for pair in english_french().train)


def test_contexts_lie_among_the_states():  # L2.2: entries of contexts beyond the range of the states
    H, C = opened()["H"], weights_of(Pair(SOURCE, TARGET)) @ opened()["H"]
    assert int(((H.max(0).values < C) | (H.min(0).values > C)).sum()) == 0


def test_the_sum_of_the_softmax_has_an_index_of_its_own():  # L-E7
    exponentials = normal(4, 7).exp()
    own, free = (largest((exponentials / exponentials.sum(over, keepdim=True)).sum(1) - 1) for over in (1, 0))
    assert own < 1e-12
    assert free > 0.5  # summed over the numerator's free index, each column sums to 1 and the rows do not


def test_what_is_joined_to_the_context_is_the_decoders_state():  # L-E8
    decoder, step = model().decoder, opened()
    width = step["C"].numel() + step["next"].numel()
    assert width == len(decoder.W_r) - rnnsearch().info["config"]["d"]
    wrong = torch.cat([step["H"][-1], step["C"], step["y"]])  # the encoder's last state in its place
    logits = torch.tanh(wrong @ decoder.W_r + decoder.b_r) @ decoder.U + decoder.b_U
    assert largest(logits - step["logits"]) > 1


def test_the_score_is_additive_and_its_query_the_previous_state():  # L-E9
    score, step = model().decoder.score, opened()
    assert isinstance(score, Additive)
    found = (softmax(score(step[query][None], step["H"])[0]) for query in ("query", "next"))
    previous, current = (largest(weights - step["weights"]) for weights in found)
    assert previous < 1e-12
    assert current > 0.5


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


def test_most_pairs_are_in_order_and_most_sentences_cross():  # L2.6
    assert sum(map(in_order, all_links())) / len(all_links()) > 0.9
    assert sum(crossings(places) == 0 for places in all_links()) / len(all_links()) < 0.5
    assert crossings(links(weights_of(Pair(SOURCE, TARGET))[:-1]).tolist()) == 1  # maison and blanche


def exact(temperature: float) -> float:
    words = rnnsearch()
    sharper = at_temperature(words.model, temperature)
    answers = translate(sharper, words.source, words.target, [pair.source for pair in held_out()])
    return sum(answer.words == pair.target for answer, pair in zip(answers, held_out(), strict=True)) / len(answers)


def test_hard_attention_translates_nearly_as_well_and_equal_weights_do_not():  # L2.6
    soft = exact(1.0)
    hard, even = exact(HARD), exact(1e6)
    assert soft > 0.9 and hard > soft - 0.1 and even < 0.2


def test_hard_attention_gives_its_score_no_gradient_and_lots_do():  # L-E11
    changed, french = at_temperature(model()).requires_grad_(), rnnsearch().target
    words = torch.tensor([rnnsearch().source.encode(SOURCE)]), torch.tensor([french.encode(TARGET, start=True)])
    logits = changed(*words).logits[0]
    loss = -logits.log_softmax(-1)[range(len(logits)), french.encode(TARGET, end=True)].mean()
    assert torch.autograd.grad(loss, changed.decoder.score.score.w)[0].norm() == 0
    # six weights that are neither equal nor sharp, a loss for each choice: the draws' gradient, expected with a
    # baseline
    generator = seeded()
    scores, f = torch.randn(6, **F64, generator=generator).requires_grad_(), torch.rand(6, **F64, generator=generator)
    A = scores.softmax(-1)
    (exactly,) = torch.autograd.grad(A @ f, scores)
    drawn = (f - 0.7)[:, None] * (torch.eye(6, **F64) - A.detach())  # row j: the estimate if j is drawn
    assert largest(A.detach() @ drawn - exactly) < 1e-12


def left_after_30_words(read) -> float:
    """The derivative 30 to 34 words back over that 1 to 3 words back, for the first long sentence's first words."""
    words = next(pair.source for pair in english_french().test if len(pair.source) >= N)[:N]
    x = model().E_source[torch.tensor(rnnsearch().source.encode(words))].clone().requires_grad_()
    back = flow(read(x), x).flip(0)
    return (back[30:35].mean() / back[1:4].mean()).item()


def test_gradients_fade_along_a_recurrent_layer_and_not_through_attention():  # L2.7
    plain, read = RNNCell(model().E_source.shape[1], 32, generator=seeded(), **F64), model().encoder.forwards
    untrained, trained = (
        left_after_30_words(lambda x, cell=cell: unroll(cell, x[None]).states[0, -1]) for cell in (plain, read)
    )
    assert untrained < 1e-6
    assert untrained < trained < 0.1
    assert left_after_30_words(lambda x: attend(x, x, x).output[-1]) > 0.1


def test_self_attention_does_not_see_who_sees_whom():  # L2.8: how far "king" is apart in two orders
    def apart(read):
        one, other = (words.split() for words in SWAPPED)
        there, here = (read(model().E_source[torch.tensor(rnnsearch().source.encode(words))]) for words in (one, other))
        return there[one.index("king")] - here[other.index("king")]

    assert largest(apart(lambda x: attend(x, x, x).output)) < 1e-12
    assert apart(lambda x: model().encoder(x[None]).H[0]).norm() > 1


def arxiv_month(key: str) -> int:
    """Months since the year 2000, from the first four digits of the entry's arXiv number."""
    entry = re.search(rf"{{{key},.*?arXiv:(\d\d)(\d\d)\.", BIBLIOGRAPHY.read_text(encoding="utf-8"))
    if entry is None:
        raise ValueError(f"references.bib has no arXiv number for {key}")
    return 12 * int(entry[1]) + int(entry[2])


def test_self_attention_is_older_than_the_transformer():  # L-E10
    first = min(map(arxiv_month, ("cheng2016", "parikh2016", "lin2017")))
    assert arxiv_month("vaswani2017") - first >= 12
    assert arxiv_month("lin2017") < arxiv_month("vaswani2017")
    assert "Cheng 2016" in str(load_errata()["L-E10"])
