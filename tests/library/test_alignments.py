"""Links, crossings, entropy, hard attention, the dictionary and the flow of derivatives, each against a truth of its
own."""

import itertools
import math
import random

import pytest
import torch

from course_lib.alignments import UNSURE, Dictionary, at_temperature, crossings, entropy, flow, in_order, links
from course_lib.recurrent import RNNencdec, RNNsearch
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded


def test_links_are_the_largest_weights():
    weights = torch.tensor([[[0.2, 0.7, 0.1], [0.4, 0.4, 0.2]]])
    assert links(weights).tolist() == [[1, 0]]


def test_crossings_count_the_swaps_that_sorting_needs():
    for places in itertools.permutations(range(5)):
        row, swaps = list(places), 0
        for last in range(len(row), 1, -1):  # bubble sort: a swap of neighbours undoes one crossing
            for i in range(last - 1):
                if row[i] > row[i + 1]:
                    row[i], row[i + 1], swaps = row[i + 1], row[i], swaps + 1
        assert crossings(places) == swaps
        assert in_order(places) == pytest.approx(1 - swaps / 10)
    assert crossings([2, 2, 2]) == 0 and crossings(torch.tensor([2, 0, 1])) == 2
    assert in_order([7]) == 1 and in_order([3, 2, 1]) == 0


def test_entropy_is_that_of_a_distribution():
    weights = torch.rand(4, 6, generator=seeded(), **F64)
    weights /= weights.sum(-1, keepdim=True)
    torch.testing.assert_close(entropy(weights), torch.distributions.Categorical(probs=weights).entropy())
    assert entropy(torch.tensor([0.0, 1.0, 0.0])) == 0
    assert entropy(torch.full((8,), 1 / 8)).item() == pytest.approx(math.log(8))


@pytest.fixture(scope="module")
def model():
    return RNNsearch(9, 11, 6, 8, generator=seeded(), **F64).eval()


def test_hard_attention_takes_exactly_the_best_state(model):
    source, target = torch.randint(4, 9, (3, 5), generator=seeded(1)), torch.randint(4, 11, (3, 4), generator=seeded(2))
    weights = at_temperature(model)(source, target).weights
    torch.testing.assert_close(weights, torch.nn.functional.one_hot(links(weights), 5).double())
    # the first look comes before anything hard has happened: it takes what the soft model likes best
    assert links(weights)[:, 0].tolist() == links(model(source, target).weights)[:, 0].tolist()


def test_hard_attention_never_takes_padding(model):
    source = torch.tensor([[4, 5, 0, 0], [4, 5, 6, 7]])
    weights = at_temperature(model)(source, source, torch.tensor([2, 4])).weights
    assert weights[0, :, 2:].abs().max() == 0 and weights.sum(-1).allclose(torch.ones(2, 4, **F64))


def test_temperature_one_changes_nothing_and_a_huge_one_makes_the_weights_equal(model):
    source, target = torch.tensor([[4, 5, 6]]), torch.tensor([[1, 7, 8]])
    torch.testing.assert_close(at_temperature(model, 1.0)(source, target).logits, model(source, target).logits)
    even = at_temperature(model, 1e9)(source, target).weights
    torch.testing.assert_close(even, torch.full_like(even, 1 / 3))
    assert type(model.decoder.score).__name__ == "Additive"  # the model itself is left alone


def test_the_dictionary_gives_each_pair_its_chance_by_hand():
    # one round from equal chances: each target word is shared evenly among its sentence's words
    one = Dictionary([("ab", "xy"), ("a", "x")], rounds=1)
    a, b, x, y = one.source["a"], one.source["b"], one.target["x"], one.target["y"]
    assert one.chances[a, x].item() == pytest.approx(1.5 / 2) and one.chances[a, y].item() == pytest.approx(0.5 / 2)
    assert one.chances[b, x].item() == one.chances[b, y].item() == pytest.approx(0.5)
    torch.testing.assert_close(one.chances.sum(1), torch.ones(2))
    # x is 0.75/0.5 times as likely from a as from b
    assert one.links("ba", "x", sure=1.4) == [1] and one.links("ba", "x", sure=1.6) == [UNSURE]


def test_the_dictionary_finds_a_hidden_translation():
    draw = random.Random(0)
    pairs = []
    for _ in range(200):
        words = draw.sample("abcdefgh", 4)
        pairs.append((words, draw.sample([word.upper() for word in words], 4)))
    found = Dictionary(pairs)
    assert found.links("bdfh", "HFDB") == [3, 2, 1, 0]
    assert found.links("bb", "B") == [UNSURE]  # which of the two?
    assert found.links("bd", ["new"]) == [UNSURE] and found.links("", "BD") == [UNSURE] * 2
    assert found.links(["new", "b"], "B") == [1]


def test_flow_is_the_length_of_the_matrix_of_derivatives():
    x = torch.randn(4, 3, generator=seeded(), **F64, requires_grad=True)
    M = normal(2, 3, seed=1)
    y = M @ (x[0] + 2 * x[1].sin())
    wanted = [M.norm(), (2 * M * x[1].cos()).norm(), torch.tensor(0.0).double(), torch.tensor(0.0).double()]
    torch.testing.assert_close(flow(y, x), torch.stack(wanted).detach())


test_errors_name_the_argument = named(
    (lambda: in_order([]), "places"),
    (lambda: entropy(torch.tensor([0.5, 0.2])), "a row's sum"),
    (lambda: entropy(torch.tensor([1.5, -0.5])), "weights"),
    (lambda: at_temperature(RNNencdec(6, 6, 4, 4)), "model"),
    (lambda: Dictionary([]), "pairs"),
    *(
        (lambda pair=pair: Dictionary([("a", "x"), pair]), "pairs must be of two sentences of one word or more")
        for pair in ([[], []], ("a", ""), ((), "x"))
    ),
    (lambda: flow(torch.ones(2), torch.ones(2, 2)), "y must be computed from an x"),
)
