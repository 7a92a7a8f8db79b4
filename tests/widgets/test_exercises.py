"""Exercises: the card's rules for what is typed, a function run on its cases, and the author's slips."""

import dataclasses
import json
import math
import random
import struct
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from course_lib.answers import close
from course_lib.exercises import Case, Choice, Function, Option, Value
from tests.shared.graph_node import node

VECTORS = json.loads((Path(__file__).parents[1] / "js" / "exercise_vectors.json").read_text(encoding="utf-8"))
HINTS = ["look", "look again", "nearly"]


def in_page(function, calls):
    """What the page's rules answer, run by Node."""
    return node("exercise_check.mjs", [[function, *arguments] for arguments in calls])


def softmax(scores):
    e = [math.exp(s) for s in scores]
    return [x / sum(e) for x in e]


def choice(**more):
    options = [
        Option("by 8", "√256/√4 = 8", correct=True),
        Option("by 64", "that is the variance"),
        Option("not", "terms add up"),
    ]
    return Choice(
        **{"id": "scale", "question": "How much?", "options": options, "hints": HINTS, "solution": "8", **more}
    )


def value(**more):
    given = {
        "id": "bits",
        "question": "Entropy?",
        "answer": 1.5,
        "tolerance": 0.01,
        "unit": "bits",
        "mistakes": [(1.04, "nats: divide by ln 2")],
    }
    return Value(**{**given, "hints": HINTS, "solution": "1.5", **more})


def function(**more):
    given = {"id": "softmax", "question": "Write it.", "starter": "def weights(scores):\n    ...", "reference": softmax}
    cases = [Case([[0, 0]]), Case([[0.0, math.log(3)]]), Case([list(range(50))], by_hand=False)]
    mistakes = [(lambda s: [math.exp(x) for x in s], "divide by the sum")]
    return Function(**{**given, "cases": cases, "mistakes": mistakes, "hints": HINTS, "solution": "…", **more})


def judged(exercise, *answers, tried=0):
    """The card's verdicts: of a choice's letter, of a typed number or formula, of a function's cases worked out by
    hand."""
    spec = json.loads(json.dumps(exercise.spec(), allow_nan=False))
    return in_page("check", [[spec, answer, tried] for answer in answers])


# ------------------------------------------------------------------------------------------------ numbers


def fits(got, expected):
    return got.get("value") == expected if not isinstance(expected, str) else expected in got.get("problem", "").lower()


def test_numbers_are_read_as_written_or_refused_in_words():
    got = in_page("readNumber", [[text] for text, _ in VECTORS["numbers"]])
    wrong = [
        (text, one) for (text, expected), one in zip(VECTORS["numbers"], got, strict=True) if not fits(one, expected)
    ]
    assert wrong == []


def test_what_is_long_is_refused_and_takes_no_time():
    long = [*(part * 10**5 for part in ("(", "1", "1,000", "1 000 ", "-", "√", "1" + " " * 9)), "2^" * 99 + "2"]
    spent = time.process_time()
    assert (
        all("problem" in one for one in in_page("readNumber", [[text] for text in long]))
        and time.process_time() - spent < 60
    )


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e3), st.sampled_from([-1, 1]))
def test_tolerance_holds_its_edge_and_no_more(answer, tolerance, sign):
    assert close(answer + sign * tolerance, answer, tolerance)
    slack = 1e-8 * tolerance + 1e-11 * (abs(answer) + tolerance)
    assert not close(answer + sign * (tolerance + slack), answer, tolerance)


def test_page_and_python_agree_on_what_is_close():
    cases = [case[:3] for case in VECTORS["close"]]
    assert in_page("close", cases) == [close(*case) for case in cases] == [case[3] for case in VECTORS["close"]]
    assert not any(close(x, 1.0, 1e300) for x in (math.inf, -math.inf, math.nan))


def test_marks_are_read_and_a_single_letters_index_is_lowered_outside_code():
    assert in_page("marks", [[text] for text, _ in VECTORS["marks"]]) == [parts for _, parts in VECTORS["marks"]]
    assert in_page("drawn", [[text] for text, _ in VECTORS["rich"]]) == [shown for _, shown in VECTORS["rich"]]


def test_an_equals_sign_stays_with_its_fields():
    cases = in_page("form", [[function().spec()]])[0][1:]
    assert [case[1:] for case in cases] == [
        [["course-code", call], ["course-given", ["span", "="], ["course-grid", *[["course-field"]] * 2]]]
        for call in ("weights([0, 0])", "weights([0, 1.09861])")
    ]


def test_every_float_and_fraction_is_read_to_its_last_bit():
    chance = random.Random(0)
    floats = [5e-324, 1.7976931348623157e308, *(struct.unpack("d", chance.randbytes(8))[0] for _ in range(3000))]
    whole = [(chance.randint(-(10**6), 10**6), chance.randint(1, 10**6)) for _ in range(1000)]
    wanted = {repr(x): x for x in floats if math.isfinite(x)} | {f"{a}/{b}": a / b for a, b in whole}
    assert [float(one["value"]) for one in in_page("readNumber", [[text] for text in wanted])] == list(wanted.values())


# ------------------------------------------------------------------------------------------------ verdicts


def test_choice_answers_with_the_options_own_reason():
    right, wrong, *unread = judged(choice(), "by 8", "by 64", "d", "", "ab", ["a"], None)
    assert (right["correct"], right["message"]) == (True, "√256/√4 = 8")
    assert (wrong["correct"], wrong["message"]) == (False, "that is the variance")
    assert [(one["counts"], one["message"]) for one in unread] == [(False, "Choose one of the options a to c.")] * 5
    assert judged(choice(), "a", "b") == [right, wrong]  # a record from before: letters of the author's order


def test_value_takes_what_is_within_the_tolerance():
    assert all(
        one["correct"] and one["message"] == "Right: 1.5 bits."
        for one in judged(value(), "1.5", "3/2", "1,5", "1.51", "1.49")
    )
    assert judged(value(unit="", answer=-0.25, mistakes=[]), "-1/4")[0]["message"] == "Right: −0.25."


VALUE_SAYS = {
    "1.04": "nats: divide by ln 2",
    "-1.5": "The size is right, the sign is not.",
    "1.52": "Close: within 2 % of it, but an answer counts within ±0.01 bits.",
    "1.42": "Close: within 6 % of it, but an answer counts within ±0.01 bits.",
    "1.61": "Not yet. A hint may help.",
    "7": "Not yet. A hint may help.",
}


def test_value_says_what_is_wrong():
    got = judged(value(), *VALUE_SAYS)
    assert [one["message"] for one in got] == list(VALUE_SAYS.values())
    assert not any(one["correct"] for one in got) and all(one["counts"] for one in got)


def test_a_number_is_judged_as_it_is_read():
    said = [
        judged(value(answer=answer, unit=unit, mistakes=[]), typed)[0] for answer, unit, typed, _ in VECTORS["readings"]
    ]
    assert [one["message"] for one in said] == [message for *_, message in VECTORS["readings"]]
    assert all(
        one["correct"] == one["message"].startswith("Right:")
        and one["counts"] != one["message"].endswith(("so.", "1.234."))
        for one in said
    )


def test_an_answer_that_cannot_be_read_is_no_attempt():
    got = judged(value(), "x", "", "nan", "inf", "1,000,00", "1/0")
    assert [(one["counts"], one["correct"]) for one in got] == [(False, False)] * 6


def test_cases_can_be_worked_out_by_hand():
    right, one_off, mistake, blank = judged(
        function(),
        [["1/2", "0,5"], ["0.25", "0.75"]],
        [["1/2", "0.5"], ["0.25", "0.5"]],
        [["1", "1"], ["", ""]],
        [["1/2", ""], ["", ""]],
    )
    assert (right["correct"], right["message"]) == (True, "Right on all 2 cases.")
    assert one_off["message"] == "`weights([0, 1.09861])`: not yet. Look at number 2."
    assert one_off["detail"] == "call:     weights([0, 1.09861])\ngiven:    [0.25, 0.5]"  # leaves something to find
    assert mistake["message"] == "`weights([0, 0])`: divide by the sum"
    assert not blank["counts"] and blank["message"].startswith("`weights([0, 0])`: There is no answer yet")
    again = judged(function(), [["1/2", "0.5"], ["0.25", "0.5"]], tried=1)[0]
    assert again["detail"] == one_off["detail"] + "\nexpected: [0.25, 0.75]"
    assert judged(function(cases=[Case([[0, 0]])]), [["0.5", "0.5"]])[0]["message"] == "Right on the one case."


def test_fields_by_hand_take_truth_and_say_how_near_or_how_else():
    exercise = function(cases=[Case([[0]], 1)], reference=None, mistakes=[])
    right, other, near, false = judged(exercise, *([[typed]] for typed in ("True", "1 %", "1.0625", "False")))
    assert right["correct"] and not other["counts"] and other["message"].endswith("As 1 it is right: write it so.")
    assert (
        near["message"] == "`weights([0])`: Close: within 7 % of it, but an answer counts within ±0.01."
        and false["counts"]
        and not false["correct"]
    )


# ------------------------------------------------------------------------------------------------ the author's input


SLIPS = {
    choice: [
        ({"options": [Option("a", "b"), Option("c", "d")]}, "exactly one correct"),
        ({"options": [Option("a", "b", True), Option("c", "d", True)]}, "exactly one correct"),
        ({"options": [Option("a", "b", True)]}, "2 to 8"),
        ({"options": [Option("a", "b", True), Option("a", "d")]}, "differ"),
        ({"hints": ["one", "two"]}, "hints must be 3"),
        ({"hints": "abc"}, "hints must be 3"),
        ({"hints": ["one", "", "three"]}, "hint 2"),
        ({"id": "Two Words"}, "id must be"),
        ({"question": " "}, "question"),
        ({"solution": ""}, "solution"),
    ],
    value: [
        *(({"answer": wrong}, "answer must be a finite") for wrong in (math.inf, "1.5", True, torch.zeros(2))),
        ({"tolerance": -1}, "tolerance must be ≥ 0"),
        ({"tolerance": math.nan}, "tolerance must be a finite"),
        ({"mistakes": [(1.505, "x")]}, "mistake 1.505"),
        ({"mistakes": [(3, "x"), (3.001, "y")]}, "mistake 3.001"),
        ({"mistakes": [(3, "")]}, "hint of mistake"),
    ],
    function: [
        ({"starter": "weights = 1"}, "starter must begin"),
        ({"cases": []}, "worked out by hand"),
        ({"cases": [Case([[1.0] * 50])]}, "1 to 12 numbers"),
        ({"cases": [Case([[0.0]], [1.0])]}, "not both"),
        ({"reference": None}, "not both and not neither"),
        ({"reference": lambda s: math.nan}, "expected must be finite"),
        ({"mistakes": [(softmax, "none")]}, "must differ"),
        ({"mistakes": [(lambda s: softmax(s) if len(s) < 3 else s, "long")]},
        "must differ from the expected values in some case by hand"),
        ({"mistakes": [(lambda s: [x + 0.005 for x in softmax(s)], "near")]}, "by hand"),
        ({"mistakes": [(lambda s: s, "one"), (lambda s: [x * 1.0 for x in s], "two")]},
        "must differ from the earlier ones"),
    ],
}  # fmt: skip


@pytest.mark.parametrize(("make", "more", "named"), [(make, *slip) for make, slips in SLIPS.items() for slip in slips])
def test_the_authors_slips_are_named(make, more, named):
    with pytest.raises(ValueError, match=named):
        make(**more)


def test_exercises_are_frozen_and_their_spec_is_json():
    for exercise in (choice(), value(), function()):
        assert json.loads(json.dumps(exercise.spec(), allow_nan=False))["hints"] == HINTS
        with pytest.raises(dataclasses.FrozenInstanceError):
            exercise.question = "another"
    assert len(function().spec()["cases"]) == 2  # the long case stays with Python


def test_core_needs_no_other_package():
    code = "import sys, course_lib.exercises; print([m for m in ('torch', 'numpy', 'anywidget') if m in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


def test_card_holds_the_exercise_and_says_what_runs_the_learners_function(monkeypatch):
    from course_lib.widgets import ask, base, check

    monkeypatch.setattr(base, "bundle", lambda name, kind: "")  # the card is tested without its front end
    card, sent = ask(function(id="asked-here")), []
    assert card.spec == function(id="asked-here").spec() and ask(value()).spec == value().spec()
    monkeypatch.setattr(card, "send", lambda message, *_: sent.append(message))
    card._kernel(card, {"type": "kernel"}, [])
    card._kernel(card, {"type": "other"}, [])
    assert sent == [{"type": "kernel", "call": 'check("asked-here", weights)'}]
    assert check("asked-here", softmax).correct and not check("asked-here", sum).correct
    with pytest.raises(ValueError, match=r"asked-here.*got 'elsewhere'"):
        check("elsewhere", softmax)
    with pytest.raises(ValueError, match=r"one of course_lib.exercises, as Choice or Value, got str"):
        ask("why?")
