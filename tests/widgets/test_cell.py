"""The cell that is fed letters: every number beside PyTorch's cell with the same weights, the counter, the hand on the
gates, the words."""

import itertools
import json

import pytest
import torch

from course_lib.recurrent import CELLS
from course_lib.recurrent.cells import LSTMState
from course_lib.widgets import Cell
from course_lib.widgets.cell import LETTERS, WEIGHTS
from tests.shared.graph_node import call, js, stored

START = {name: each["default"] for name, each in Cell._settings.items()}
GATES = {"rnn": {}, "gru": {"reset": 0, "update": 1}, "lstm": {"input": 0, "forget": 1, "output": 3}}
HAND = {"forget": 0.9, "input": 0.5, "output": 1.0, "reset": 0.0, "update": 0.75}
STATES = [
    START | {"kind": kind, "task": task, "text": "aab-bba-a", "weight": 0.5, **hand}
    for kind, task, hand in itertools.product(CELLS, WEIGHTS, ({"by_hand": False}, {"by_hand": True} | HAND))
]
LONG = [START | {"kind": kind, "text": "a" * 20 + "bbb"} for kind in CELLS] + [
    START | {"kind": kind, "task": "keep", "text": "a" + "-" * 20} for kind in CELLS
]


@pytest.fixture(scope="module")
def answers():
    """The page's steps along the letters of each state, and its words at the last."""
    run = js("cell/run.js").machine(
        {kind: stored(f"cell_{kind}") for kind in CELLS}, {"letters": LETTERS, "weights": WEIGHTS}
    )
    words, states = js("cell/words.js").words, [*STATES, *LONG, START | {"text": ""}]
    steps = call(*map(run, states))
    seen = ({**state, "steps": each, "at": len(each), "reads": 0} for state, each in zip(states, steps, strict=True))
    return {"steps": steps, "words": call(*map(words, seen))}


@torch.no_grad()
def pytorchs(state: dict) -> list[dict]:
    """What the cell computes at each letter, in float64."""
    kind = state["kind"]
    cell = CELLS[kind](2, 1).double()
    weights = json.loads(json.dumps(WEIGHTS[state["task"]][kind]))
    if kind == "rnn":
        weights["W_s"] = [[state["weight"]]]
    for name, value in weights.items():
        getattr(cell, name).copy_(torch.tensor(value))
    for name, at in GATES[kind].items() if state["by_hand"] else ():
        cell.W_x[:, at] = cell.W_s[:, at] = 0
        p = torch.tensor(state[name]).double().clamp(1e-13, 1 - 1e-13)
        cell.b[at] = torch.logit(p)
    now, found = cell.start(1), []
    for letter in state["text"]:
        opened = cell.opened(cell.read(torch.tensor([LETTERS[letter]]).double()), now)
        found.append({name: value.item() for name, value in opened.items()})
        now = LSTMState(opened["s"], opened["c"]) if kind == "lstm" else opened["s"]
    return found


def test_every_number_is_pytorchs(answers):
    for state, steps in zip([*STATES, *LONG], answers["steps"], strict=False):
        for ours, theirs in zip(steps, pytorchs(state), strict=True):
            assert {name: ours[name] for name in theirs} == pytest.approx(theirs, abs=2e-5)


def test_the_memory_counts_and_the_box_holds(answers):
    plain, lstm, gru = (answers["steps"][len(STATES) + k] for k in range(3))
    assert [round(step["c"], 1) for step in lstm] == [*range(1, 21), 19, 18, 17]
    assert max(abs(step["s"]) for step in plain + gru + lstm) <= 1


def test_gates_keep_what_the_plain_cell_lets_fade(answers):
    plain, lstm, gru = (answers["steps"][len(STATES) + 3 + k] for k in range(3))
    assert abs(lstm[-1]["c"] - lstm[0]["c"]) < 0.01 > abs(gru[-1]["s"] - gru[0]["s"])
    assert plain[-1]["s"] < 0.4 * plain[0]["s"]


def test_the_words_say_the_equation(answers):
    said = dict(zip((state["kind"] + state["task"] for state in [*STATES, *LONG]), answers["words"], strict=False))
    assert answers["words"][-1].startswith("Nothing has been read")
    assert said["lstmcount"].endswith("the difference is 17. The memory says 17.00.")
    assert "The update gate keeps 1.00 of the old state and takes 0.00 of the proposal" in said["grukeep"] and said[
        "grukeep"
    ].endswith("The last letter but - was a.")
    assert (
        "s = tanh(" in said["rnncount"]
        and said["rnncount"].count("The state says 0.") + said["rnncount"].count("The state says −0.") == 1
    )


def test_only_its_letters_are_read():
    read = js("cell/address.js").readable
    assert call(*map(read, ("aB–x-", "c" * 9, "ab" * 20))) == ["ab--", "", "ab" * 12]
    with pytest.raises(ValueError, match=r"^text must have no letters but a, b, -, got 'c'"):
        Cell(text="abc")
