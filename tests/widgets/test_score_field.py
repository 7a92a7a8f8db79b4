"""The six scores over a plane: every number beside PyTorch's score with the same parameters, and the words."""

import itertools

import pytest
import torch

from course_lib.scores import SCORES, WITH_WIDTH, make
from course_lib.widgets.score_field import SHAPES, drawn
from tests.shared.graph_node import call, js, stored

SETS = [drawn(seed) for seed in range(10)]
STATES = [
    {"score": score, "x": x, "y": y, "seed": seed}
    for score, (x, y), seed in itertools.product(SCORES, ((1.5, 0.75), (-3, 0.4), (0, 0)), (0, 7))
]


@pytest.fixture(scope="module")
def answers():
    field = js("score_field/field.js")
    run = field.machine(stored("six_scores"), SETS)
    keys, line, *found = call(field.KEYS, field.LINE, *(js().Object.assign({}, run(state)) for state in STATES))
    words = call(
        *(js("score_field/words.js").words({**state, **seen}) for state, seen in zip(STATES, found, strict=True))
    )
    return {"keys": keys, "line": line, "found": found, "words": words}


def pytorchs(state, keys):
    name = state["score"]
    score = make(name, 2, 2, m={"additive": 4, "reduced_rank": 1}[name] if name in WITH_WIDTH else None).double()
    for key, parameter in score.named_parameters():
        parameter.data = torch.tensor(SETS[state["seed"]][key]).double()
    with torch.no_grad():
        return score(torch.tensor([[state["x"], state["y"]]]).double(), torch.tensor(keys).double())[0]


def test_every_number_is_pytorchs(answers):
    grid = [[x, y] for y in answers["line"] for x in answers["line"]]
    for state, found in zip(STATES, answers["found"], strict=True):
        own = pytorchs(state, answers["keys"])
        assert found["scores"] == pytest.approx(own.tolist(), abs=2e-5)
        assert found["weights"] == pytest.approx(own.softmax(-1).tolist(), abs=2e-5)
        assert [z for row in found["heights"] for z in row] == pytest.approx(pytorchs(state, grid).tolist(), abs=2e-5)
        longer = pytorchs(state | {"x": 2 * state["x"], "y": 2 * state["y"]}, answers["keys"])
        assert found["twice"] == pytest.approx(longer.softmax(-1).tolist(), abs=2e-5)


def test_the_words_tell_which_can_point(answers):
    said = {
        (state["score"], state["x"], state["seed"]): text for state, text in zip(STATES, answers["words"], strict=True)
    }
    assert "still" in said["cosine", 1.5, 0] and "rays" in said["cosine", 1.5, 0]
    assert (
        "still" not in said["dot", 1.5, 0] and "(0.89, 0.45), the query’s own direction, by 1.68" in said["dot", 1.5, 0]
    )
    assert "2 o’clock" in said["dot", 1.5, 0] and "the key in the middle" in said["additive", 1.5, 0]
    assert "(0.80, 0.60), always along V" in said["reduced_rank", 1.5, 0]
    assert said["dot", 0, 0] == "For this query all keys have the same score. Each of the thirteen has the weight 0.08."


def test_parameters_have_their_shapes():
    for each in SETS:
        assert {name: tuple(torch.tensor(value).shape) for name, value in each.items()} == SHAPES
