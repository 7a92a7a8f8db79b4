"""Every setting of a settings.json: what Python takes and refuses, by argument and by assignment; what a link gives
back or leaves alone."""

import json
import math
from inspect import signature
from pathlib import Path

import numpy as np
import pytest

from course_lib import widgets
from course_lib.widgets.journey import END
from course_lib.widgets.settings import check
from tests.shared.graph_node import call, codec, js, read
from tests.shared.made import made
from tests.shared.malformed import MALFORMED

ROOMS = Path(widgets.__file__).parent
CLASSES = {
    each.__module__.rpartition(".")[2]: each
    for each in (getattr(widgets, name) for name in dir(widgets) if name[0].isupper())
    if getattr(each, "_settings", None)
}
SETTINGS = [(room, name) for room, each in CLASSES.items() for name in each._settings]
LINKED = [(room, name) for room, name in SETTINGS if (ROOMS / room / "address.js").is_file()]


def declared(room: str, name: str) -> dict:
    return CLASSES[room]._settings[name]


def wrong(each: dict) -> list:
    """Values that no setting of this kind takes."""
    low, high = each["takes"] if each["kind"] in ("whole", "number", "numbers", "text") else (None, None)
    own = {
        "whole": lambda: [low - 1, high + 1, low + 0.5, float(low), str(low), True],
        "number": lambda: [low - 0.01, high + 0.01, math.nan, math.inf, str(low), True],
        "option": lambda: ["other", 1.5, []],
        "order": lambda: ["other", "-other", 1],
        "flag": lambda: [1, "yes", []],
        "names": lambda: [["other"], "other", 1],
        "numbers": lambda: [
            low,
            [low] * (max(each["counts"]) + 1),
            [high + 1] * each["counts"][0],
            [math.nan] * each["counts"][0],
            [str(low)] * each["counts"][0],
        ],
        "heads": lambda: [
            [],
            "identity",
            np.zeros((2, 2, 2)),
            np.zeros((4, 2, 2, 2)),
            np.full((1, 2, 2, 2), 3.0),
            np.full((1, 2, 2, 2), math.nan),
        ],
        "text": lambda: ["x" * (high + 1), 3, []],
        "own": list,
    }[each["kind"]]()
    return own if "none" in each or each["kind"] == "own" else [*own, None]


NAN = math.nan
OWN = {  # what a check of the widget's own refuses
    "attention_explorer": {"compare": [3, [0], [0, 8]], "off": [3, [[0]], [[2, 0]]]},
    "context_answers": {"points": [[], [[0.0]], [[1.1, 0.0]], [[0.0, 3.1]], [[0.0, NAN]], np.zeros((25, 2)), 3, [[0.0],
    [1.0, 2.0]], "0,0"]},
    "decoding": {"text": [" "], "examples": ["one", [""], [3]]},
    "journey": {
        "sentence": ["", "the zebra sleeps", "the " * 16], "written": ["le", ["zèbre"], [END, "le"], ["le"] * 29, [3]],
        "layer": [2], "head": [8], "examples": ["the cat .", ["the zebra ."]],
    },
    "measure_playground": {"tokens": [[], [[0, 0]], [[0, 0, 0]], [[0, 5, 1]], [[0, NAN, 1]], "five", np.ones((201, 3)),
    [[0, 0, -1]], None]},
    "quadratic_wall": {"k": [4, 1], "kinds": [[], "full", ["full", "full"], ["flash"]]},
    "source_trainer": {
        "p": [[1], [0.5, 0.6], [-0.1, 1.1], [NAN, 1], "abc", [[0.5, 0.5]], [1 / 9] * 9],
        "stickiness": [-0.9], "average": ["mean", 1, True],  # stickiness: too low for this p
    },
    "study_table": {"view": ["three", 1], "sort": ["other", "--value"], "show": [{"kind": "z"}, {"other": 1}, "x"]},
}  # fmt: skip


def depends(room: str, name: str) -> bool:
    """Does None as an argument stand for a default that depends on other settings?"""
    given = signature(CLASSES[room].__init__).parameters.get(name)
    return given is not None and given.default is None


def wrong_texts(each: dict) -> list[str]:
    """What a link may hold and no setting of this kind is."""
    if each["kind"] in ("whole", "number"):
        low, high = (edge + each.get("from", 0) for edge in each["takes"])
        return ["", " ", "x", str(low - 1), str(high + 1), *(["1.5", "1e3"] if each["kind"] == "whole" else [])]
    if each["kind"] == "numbers":
        return [
            "",
            "1,x",
            ",".join([str(each["takes"][1] + 1)] * each["counts"][0]),
            ",".join(["1"] * (max(each["counts"]) + 1)),
        ]
    if each["kind"] == "text":
        return ["x" * (each["takes"][1] + 1)]
    return {"heads": ["1,2,3", ",".join(["3"] * 8)], "flag": ["", "2", "yes"], "names": ["other"], "own": []}.get(
        each["kind"], ["", "other"]
    )


def right(each: dict) -> list:
    """The default, and the ends of what is taken."""
    if each["kind"] == "numbers":
        return [each["default"], *([edge] * each["counts"][0] for edge in each["takes"])]
    ends = {"whole": each.get("takes"), "number": each.get("takes"), "option": each.get("takes"), "flag": [True, False]}
    return [each["default"], *(ends.get(each["kind"]) or [])]


def test_widgets_declare_their_settings():
    assert set(CLASSES) == {path.parent.name for path in ROOMS.glob("*/settings.json")} and len(SETTINGS) >= 20


@pytest.mark.parametrize(("room", "name"), SETTINGS)
def test_a_wrong_value_is_named_and_changes_nothing(room, name):
    widget = made(CLASSES[room].__name__)
    before = getattr(widget, name)
    for value in [*wrong(declared(room, name)), *OWN.get(room, {}).get(name, [])]:
        with pytest.raises(ValueError, match=f"^{name} must "):
            setattr(widget, name, value)
        if value is not None or not depends(room, name):
            with pytest.raises(ValueError, match=f"^{name} must "):
                made(CLASSES[room].__name__, **{name: value})
        assert getattr(widget, name) == before


PLAIN = {
    "whole": np.int64,
    "number": np.float64,
    "flag": np.bool_,
    "numbers": np.array,
    "heads": np.array,
    "names": tuple,
}


@pytest.mark.parametrize("room", CLASSES)
def test_numpys_numbers_arrays_and_tuples_become_plain(room):
    widget = made(CLASSES[room].__name__)
    for name, each in CLASSES[room]._settings.items():
        value = getattr(widget, name)
        if each["kind"] in PLAIN and value is not None:
            setattr(widget, name, PLAIN[each["kind"]](value))
            kept = getattr(widget, name)
            assert type(kept) is type(value) and json.dumps(kept) == json.dumps(value)


@pytest.mark.parametrize("room", CLASSES)
def test_the_state_is_small_and_plain(room):
    state = {
        name: value for name, value in made(CLASSES[room].__name__).get_state().items() if name not in ("_esm", "_css")
    }
    assert len(json.dumps(state, default=str)) < 3000


def test_links_bring_settings_back_and_what_is_none_is_left_alone():
    names = {room: set(given) for room, given in zip(*linked_names(), strict=True)}
    pairs = [
        (room, name, value)
        for room, name in LINKED
        if name in names[room]
        for value in right(declared(room, name))
        if value is not None
    ]
    assert read(*((room, name, codec(room, name).write(value)) for room, name, value in pairs)) == [
        value for *_, value in pairs
    ]
    bad = [
        (room, name, text) for room, name in LINKED if name in names[room] for text in wrong_texts(declared(room, name))
    ]
    assert [each for each, value in zip(bad, read(*bad), strict=True) if value is not None] == []


def test_a_state_from_elsewhere_is_taken_for_what_python_would_take():  # a notebook may come from anybody
    names = {room: set(given) for room, given in zip(*linked_names(), strict=True)}
    pairs = []
    for room, name in LINKED:
        each = declared(room, name)
        if name in names[room] and each["kind"] != "own" and not hasattr(CLASSES[room], f"check_{name}"):
            far = (
                [each["takes"][0] - 1.5, each["takes"][1] + 1.5] if each["kind"] == "number" else wrong(each)
            )  # a link rounds what is near
            pairs += [(room, name, value) for value in [*MALFORMED, *far, *right(each)] if plain(value)]

    def taken(room: str, name: str, value: object) -> bool:
        try:
            check(name, declared(room, name), value)
            return True
        except ValueError:
            return False

    found = call(*(js("shell/settings.js").sound(codec(room, name), value) for room, name, value in pairs))
    assert [each for each, sound in zip(pairs, found, strict=True) if sound != taken(*each)] == []


def test_what_makes_no_sense_gives_way_to_the_declared_default():
    pairs = [
        (room, name)
        for room, given in zip(*linked_names(), strict=True)
        for name in given
        if name in CLASSES[room]._settings
    ]
    assert call(*(codec(*each).start for each in pairs)) == [declared(*each)["default"] for each in pairs]


def plain(value: object) -> bool:
    """Can a notebook's state hold it, and come back as the same type? JSON has one kind of number."""
    try:
        return json.loads(json.dumps(value, allow_nan=False)) == value and not (
            isinstance(value, float) and value.is_integer()
        )
    except (TypeError, ValueError):
        return False


def linked_names() -> tuple[list[str], list[list[str]]]:
    rooms = sorted({room for room, _ in LINKED})
    return rooms, call(*(js().Object.keys(js().Object.assign({}, js(f"{room}/address.js").CODECS)) for room in rooms))
