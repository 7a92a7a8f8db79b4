"""A number in German words in the page: the words beside those of course_lib, the model beside PyTorch, and what is
said about it."""

import copy
import json
import random

import pytest
import torch

from course_lib import shipped
from course_lib.decoding import beam, greedy
from course_lib.text.corpora import in_words
from course_lib.text.vocabulary import END, START
from course_lib.widgets.shipped_data import blobs
from tests.shared.graph_node import call, exports, js

PAGE = exports("number_writer", "numerals", "words", "write")
CASES = [
    {"number": 146, "reads": "own", "width": 3},
    {"number": 7, "reads": "right", "width": 2},
    {"number": 812_017, "reads": "own", "width": 5},
]


def wrong_one() -> int:
    """A number that the model gets wrong."""
    draw = random.Random(1)
    while True:
        number = draw.randint(100_000, 999_999)
        if greedy_of(number) != right(number):
            return number


def right(number: int) -> list[int]:
    return [*shipped.numbers().target.encode(in_words(number).target), END]


def source_of(number: int) -> torch.Tensor:
    return torch.tensor([shipped.numbers().source.encode(in_words(number).source)])


def greedy_of(number: int) -> list[int]:
    model = shipped.numbers().model
    return [*greedy(model.step, model.start(source_of(number)), start=START, end=END, longest=30).tokens[0], END]


@pytest.fixture(scope="module")
def answers():
    names = "numbers", "read_recurrent_token", "read_rnnencdec_start", "read_rnnencdec_step"
    model, *graphs = (json.loads(blobs("numbers")[name]) for name in names)
    missed = wrong_one()
    cases = [*CASES, {"number": missed, "reads": "own", "width": 5}, {"number": missed, "reads": "right", "width": 1}]
    net = js("runtime/recurrent.js").makeRecurrent(model, graphs)
    word = js().Reflect.get.bind(None, net.target)

    def asked(case):
        pair = PAGE.both(net, case["number"])
        return {
            "steps": PAGE.written(net, pair, case["reads"]),
            "right": pair.right,
            "beam": PAGE.searched(net, pair, case["width"]),
        }

    found = call(*map(asked, cases))
    for case, each in zip(cases, found, strict=True):
        state = {"steps": each["steps"], "right": each["right"], "reads": case["reads"], "word": word, "sentences": []}
        each["told"] = call(*(PAGE.words(state | {"at": k + 1}) for k in range(len(each["steps"]))))
    return cases, found


def test_the_pages_words_are_those_of_course_lib():
    draw = random.Random(0)
    numbers = [*range(1, 1100), *range(1000, 1_000_000, 1000), *(draw.randint(1, 999_999) for _ in range(500))]
    assert call(*([PAGE.english(n), PAGE.german(n)] for n in numbers)) == [
        [list(side) for side in in_words(number)] for number in numbers
    ]


@torch.no_grad()
def test_the_page_writes_what_pytorch_writes(answers):
    model = shipped.numbers().model
    for case, got in zip(*answers, strict=True):
        number = case["number"]
        assert got["right"] == right(number)
        state, read = model.start(source_of(number)), START
        for k, each in enumerate(got["steps"]):
            logits, state = model.step(torch.tensor([read]), state)
            assert each["probabilities"] == pytest.approx(logits[0].softmax(-1).tolist(), abs=2e-5) and each[
                "said"
            ] == int(logits.argmax())
            read = each["said"] if case["reads"] == "own" else got["right"][k]
        if case["reads"] == "own":
            assert [each["said"] for each in got["steps"]] == greedy_of(number)
        if case["width"] > 1:
            found = beam(
                model.step,
                model.start(source_of(number)),
                start=START,
                end=END,
                longest=30,
                width=case["width"],
                length_power=0.0,
            )
            assert [token for token in got["beam"][0]["tokens"] if token != END] == found.tokens[0]
            assert got["beam"][0]["logProb"] == pytest.approx(found.log_prob[0].item(), abs=1e-4)


def test_the_words_say_how_it_came_out(answers):
    good, forced, _, missed, told = (each["told"] for each in answers[1])
    assert good[0].startswith("Step 1: it reads ⟨start⟩ and says ein with probability") and good[-1].endswith(
        "written without a mistake."
    )
    assert forced[-1].endswith(" of 2 words rightly.")
    assert "; right would be " in " ".join(missed) and "It is wrong: the number is" in missed[-1]
    assert "Told the right word each time" in told[-1]


def test_the_shipped_model_is_as_good_as_its_file_says():
    """The file's score of numbers held out, and its first losses once more."""
    from tools.models.train_numbers import exact, trained

    _, words, held_out, losses = trained(6)
    info, model = shipped.numbers().info, copy.deepcopy(shipped.numbers().model).double()
    assert exact(model, words, held_out) == pytest.approx(info["scores"]["held-out numbers exactly right"], abs=0.005)
    assert info["losses"][0] == [6, pytest.approx(sum(losses) / 6, abs=0.001)]


@torch.no_grad()
def test_where_it_goes_wrong_is_as_the_page_says():
    """Of one digit all, of two none, of six about one in four; there the right word mostly comes second, and one
    mistake stays alone."""
    model = shipped.numbers().model

    def forced(number: int) -> list[int]:
        """The rank of the right word at each place, 0 the first."""
        state, read, ranks = model.start(source_of(number)), START, []
        for token in right(number):
            logits, state = model.step(torch.tensor([read]), state)
            ranks.append(int((logits[0] > logits[0, token]).sum()))
            read = token
        return ranks

    assert all(any(forced(n)) for n in range(1, 10)) and not any(any(forced(n)) for n in range(10, 100))
    draw = random.Random(0)
    wrong = [ranks for ranks in (forced(draw.randint(100_000, 999_999)) for _ in range(300)) if any(ranks)]
    assert len(wrong) == pytest.approx(72, abs=2)
    assert sum(next(rank for rank in ranks if rank) == 1 for ranks in wrong) > 0.7 * len(wrong)
    assert sum(sum(map(bool, ranks)) > 1 for ranks in wrong) < 0.1 * len(wrong)
