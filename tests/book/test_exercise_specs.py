"""Every exercise of the book, as the notebooks store it for the page: the right answer passes, every typical wrong
answer gets its own hint.

The cards' rules run in Node, once for all. What needs Python, a function's solution on all its cases, is held where the
notebooks are executed: tests/shared/kernel_start.py.
"""

import json
import re
from functools import cache

import pytest

from tests.widgets.test_exercises import in_page
from tools.repository import ROOT

STATE = "application/vnd.jupyter.widget-state+json"


def specs() -> dict[str, dict]:
    """id → what the card is given, from every stored notebook; a lab's blank and its solution share the ids."""
    return {id: spec for id, (_, spec) in stored().items()}


@cache
def stored() -> dict[str, tuple[str, dict]]:
    """id → the name of the folder of its page, a chapter or the labs, and what the card is given."""
    found = {}
    for path in sorted(path for folder in ("book", "chapters", "labs") for path in (ROOT / folder).rglob("*.ipynb")):
        models = json.loads(path.read_text())["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
        for model in models.values():
            spec = model["state"].get("spec")
            if isinstance(spec, dict) and "hints" in spec:
                found.setdefault(spec["id"], (path.parent.name, spec))
    return found


def typed(values):
    return [[repr(x) for x in case] for case in values]


def tries(spec):
    """Pairs (what is typed, what is said): None stands for the right answer."""
    if spec["kind"] in ("choice", "false_line"):
        return [(option["text"], None if option["correct"] else option["reason"]) for option in spec["options"]]
    if spec["kind"] == "value":
        return [(repr(spec["answer"]), None), *((repr(value), hint) for value, hint in spec["mistakes"])]
    if spec["kind"] == "formula":
        return [(spec["answer"], None), *((one["text"], one["hint"]) for one in spec["mistakes"])]
    if spec["kind"] == "arrange":
        right = [step["text"] for step in spec["steps"]]
        early = [(i, used) for i, step in enumerate(spec["steps"]) for used in step["uses"]]
        return [
            (right, None),
            *(([*right[:used], right[i], *right[used:i], *right[i + 1 :]], "cannot stand before") for i, used in early),
        ]
    if spec["kind"] == "control":
        right = [option["text"] for option in spec["options"] if option["correct"]]
        return [
            (right, None),
            *(
                (sorted({*right} ^ {option["text"]}) or [spec["options"][-1]["text"]], "marked rightly")
                for option in spec["options"]
            ),
        ]
    if spec["kind"] == "sketch":
        return [(spec["curve"], None), *((one["heights"], one["hint"]) for one in spec["mistakes"])]
    right = [case["expected"] for case in spec["cases"]]
    wrong = [
        ([one or other for one, other in zip(mistake["values"], right, strict=True)], mistake["hint"])
        for mistake in spec["mistakes"]
    ]
    return [(typed(right), None), *((typed(values), hint) for values, hint in wrong)]


@cache
def verdicts():
    asked = [(spec, *each) for spec in specs().values() for each in tries(spec)]
    return list(zip(asked, in_page("check", [[spec, given] for spec, given, _ in asked]), strict=True))


def test_there_are_exercises_of_every_kind():
    kinds = [spec["kind"] for spec in specs().values()]
    assert len(kinds) > 250 and all(kinds.count(kind) >= 12 for kind in ("choice", "value", "function", "formula"))


def test_the_right_answer_passes():
    wrong = [
        (spec["id"], given, got["message"])
        for (spec, given, said), got in verdicts()
        if said is None and not got["correct"]
    ]
    assert wrong == []


def test_a_typical_wrong_answer_gets_its_own_hint():
    wrong = [
        (spec["id"], given, got["message"])
        for (spec, given, said), got in verdicts()
        if said is not None and (got["correct"] or said not in got["message"])
    ]
    assert wrong == []


def fnv1a(text):
    bits = 0x811C9DC5
    for byte in text.encode():
        bits = (bits ^ byte) * 0x01000193 % 2**32
    return bits


ABSOLUTE = re.compile(r"\b(?:always|never|only)\b", re.I)


def best(options, points) -> float:
    """The chance to be right of who takes one of the options with the most points."""
    most = [option for option, point in zip(options, points, strict=True) if point == max(points)]
    return sum(option["correct"] for option in most) / len(most)


# How options may be chosen without reading the question, as they are shown.
GUESSES = {
    **{
        f"always {letter}": lambda options, place=place: best(options, [i == place for i in range(len(options))])
        for place, letter in enumerate("abcd")
    },
    "the longest": lambda options: best(options, [len(option["text"]) for option in options]),
    "none with always, never, only": lambda options: best(
        options, [not ABSOLUTE.search(option["text"]) for option in options]
    ),
}


@cache
def choices() -> dict[str, list[list[dict]]]:
    """Part of the book → the options of its choices, as they are shown."""
    asked = {}
    for folder, spec in stored().values():
        if spec["kind"] == "choice":
            asked.setdefault(folder, []).append(spec)
    return {part: in_page("shown", [[spec] for spec in found]) for part, found in asked.items()}


def test_options_stand_in_the_order_of_a_hash():
    assert fnv1a("foobar") == 0xBF9CF968  # as its authors publish it
    spec = next(spec for spec in specs().values() if spec["kind"] == "choice")
    assert in_page("shown", [[spec]]) == [
        sorted(spec["options"], key=lambda option: fnv1a(f"{spec['id']}\n{option['text']}"))
    ]


@pytest.mark.parametrize("guess", GUESSES)
def test_a_right_option_cannot_be_guessed_by_its_looks(guess):
    """Right in at most two cards of five over the book, and three of five in a part with eight cards or more."""
    chances = {part: [GUESSES[guess](options) for options in cards] for part, cards in choices().items()}
    whole = [chance for part in chances.values() for chance in part]
    assert len(whole) > 100 and sum(whole) <= 0.4 * len(whole)
    assert {
        part: round(sum(part_) / len(part_), 2)
        for part, part_ in chances.items()
        if len(part_) >= 8 and sum(part_) > 0.6 * len(part_)
    } == {}


def test_what_is_worked_out_by_hand_is_told_from_nothing():
    """A tolerance as large as the numbers asked for would take any answer."""
    largest = {
        spec["id"]: max(abs(x) for case in spec["cases"] for x in case["expected"])
        for spec in specs().values()
        if spec["kind"] == "function"
    }
    given = specs()
    loose = [(id, given[id]["tolerance"], size) for id, size in largest.items() if given[id]["tolerance"] > 0.1 * size]
    assert loose == []
