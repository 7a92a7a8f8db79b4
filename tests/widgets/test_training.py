"""What the widgets that train share: the session by its messages, the worker's code, and how Python asks for steps."""

import json

import pytest

from course_lib import widgets
from course_lib.widgets import attention_explorer, quadratic_wall, source_trainer, translator_trainer
from tests.shared.graph_node import node


def test_the_session_answers_as_the_page_needs_it():
    """Messages in, frames out: see training_session.mjs."""
    got = node("training_session.mjs", None)
    assert (got["early"]["step"], got["early"]["stopped"]) == (
        30,
        "end",
    )  # no number of steps was kept from before the run
    assert (got["rested"]["step"], got["rested"]["rate"], got["rested"]["rests"]) == (10, 0.5, [1, 10, 10])
    assert (got["end"]["step"], got["end"]["stopped"], got["end"]["on"], got["after"]) == (100, "end", False, 100)
    assert got["unseen"] == 1 and got["told"] == 40  # a page that does not draw is not flooded, and then is told
    good, *refused, again = got["refused"]
    assert good == [1, 1, 1] and again == [5, 5, 5]
    assert refused == [
        ["no begin"],
        ["no frame"],
        [4, "no step"],
    ]  # it shows nothing, neither of its own nor of the run before


@pytest.mark.parametrize(
    ("make", "name"),
    [("AttentionExplorer", "steps"), *((f"{each}Trainer", "updates") for each in ("Chain", "Source", "Translator"))],
)
def test_python_asks_the_page_to_train(monkeypatch, make, name):
    widget, sent = getattr(widgets, make)(), []
    monkeypatch.setattr(widget, "send", sent.append)
    widget.train(100)
    assert sent == [{"type": "train", "steps": 100}]
    for wrong in (0, 20_001, 1.5):
        with pytest.raises(ValueError, match=rf"^{name} must be a whole number from .*, got {wrong}"):
            widget.train(wrong)


@pytest.mark.parametrize("room", [attention_explorer, source_trainer, quadratic_wall, translator_trainer])
def test_a_worker_is_a_classic_script(room):
    assert json.loads(room.blobs()["worker"]).startswith(
        "(()=>{"
    )  # one function, no import or export: it works from file://, too
