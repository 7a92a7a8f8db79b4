"""Every exercise of the book, as the notebooks store it for the page: the right answer passes, every typical wrong answer gets its own hint.

The cards' rules run in Node, once for all. What needs Python, a function's solution on all its cases, is held where the notebooks are
executed: tests/shared/kernel_start.py.
"""

import json
from functools import cache
from pathlib import Path

from tests.widgets.test_exercises import in_page

ROOT = Path(__file__).resolve().parents[2]
STATE = "application/vnd.jupyter.widget-state+json"


@cache
def specs() -> dict[str, dict]:
    """id → what the card is given, from every stored notebook; a lab's blank and its solution share the ids."""
    found = {}
    for path in sorted(path for folder in ("book", "chapters", "labs") for path in (ROOT / folder).rglob("*.ipynb")):
        models = json.loads(path.read_text())["metadata"].get("widgets", {}).get(STATE, {}).get("state", {})
        for model in models.values():
            spec = model["state"].get("spec")
            if isinstance(spec, dict) and "hints" in spec:
                found[spec["id"]] = spec
    return found


def typed(values):
    return [[repr(x) for x in case] for case in values]


def tries(spec):
    """Pairs (what is typed, what is said): None stands for the right answer."""
    if spec["kind"] == "choice":
        return [(option["text"], None if option["correct"] else option["reason"]) for option in spec["options"]]
    if spec["kind"] == "value":
        return [(repr(spec["answer"]), None), *((repr(value), hint) for value, hint in spec["mistakes"])]
    if spec["kind"] == "formula":
        return [(spec["answer"], None), *((one["text"], one["hint"]) for one in spec["mistakes"])]
    right = [case["expected"] for case in spec["cases"]]
    wrong = [([one or other for one, other in zip(mistake["values"], right, strict=True)], mistake["hint"]) for mistake in spec["mistakes"]]
    return [(typed(right), None), *((typed(values), hint) for values, hint in wrong)]


@cache
def verdicts():
    asked = [(spec, *each) for spec in specs().values() for each in tries(spec)]
    return list(zip(asked, in_page("check", [[spec, given] for spec, given, _ in asked]), strict=True))


def test_there_are_exercises_of_every_kind():
    kinds = [spec["kind"] for spec in specs().values()]
    assert len(kinds) > 250 and all(kinds.count(kind) >= 12 for kind in ("choice", "value", "function", "formula"))


def test_the_right_answer_passes():
    wrong = [(spec["id"], given, got["message"]) for (spec, given, said), got in verdicts() if said is None and not got["correct"]]
    assert wrong == []


def test_a_typical_wrong_answer_gets_its_own_hint():
    wrong = [(spec["id"], given, got["message"]) for (spec, given, said), got in verdicts() if said is not None and (got["correct"] or said not in got["message"])]
    assert wrong == []


def fnv1a(text):
    bits = 0x811C9DC5
    for byte in text.encode():
        bits = (bits ^ byte) * 0x01000193 % 2**32
    return bits


def test_a_right_option_cannot_be_told_by_its_letter():
    """The cards' order is that of a hash, and no letter is right in more than two cards of five."""
    assert fnv1a("foobar") == 0xBF9CF968  # as its authors publish it
    choices = [spec for spec in specs().values() if spec["kind"] == "choice"]
    shown = in_page("shown", [[spec] for spec in choices])
    assert shown == [sorted(spec["options"], key=lambda option: fnv1a(f"{spec['id']}\n{option['text']}")) for spec in choices]
    letters = ["abcdefgh"[[option["correct"] for option in options].index(True)] for options in shown]
    assert len(letters) > 100 and all(letters.count(letter) <= 0.4 * len(letters) for letter in "abcdefgh")


def test_what_is_worked_out_by_hand_is_told_from_nothing():
    """A tolerance as large as the numbers asked for would take any answer."""
    largest = {spec["id"]: max(abs(x) for case in spec["cases"] for x in case["expected"]) for spec in specs().values() if spec["kind"] == "function"}
    loose = [(id, specs()[id]["tolerance"], size) for id, size in largest.items() if specs()[id]["tolerance"] > 0.1 * size]
    assert loose == []


