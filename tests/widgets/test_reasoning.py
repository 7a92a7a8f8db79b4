"""Exercises that ask for an argument: what the card's rules take for right, and the author's slips."""

from itertools import permutations

import pytest

from course_lib.exercises import Arrange, Control, Factor, FalseLine, Line, Sketch, Step
from tests.widgets.test_exercises import HINTS, in_page, judged

COMMON = {"hints": HINTS, "solution": "…"}
STEPS = [
    Step("encode", "It uses nothing."),
    Step("keys", "A key is made of a state."),
    Step("query", "It uses nothing.", after=()),
    Step("score", "It is of both.", after=(2, 3)),
]
LINES = [Line("a > 0", "given"), Line("2a > a", "add a"), Line("a > a²", "not from 1 on", false=True)]
FACTORS = [
    Factor("data", True, "else two things differ"),
    Factor("updates", True, "longer is better"),
    Factor("loss", False, "that is measured"),
]


def arrange(**more):
    return Arrange(**{"id": "order", "question": "In order?", "steps": STEPS, **COMMON, **more})


def false_line(**more):
    return FalseLine(**{"id": "line", "question": "Which is false?", "lines": LINES, **COMMON, **more})


def control(**more):
    return Control(**{"id": "control", "question": "What is held fixed?", "factors": FACTORS, **COMMON, **more})


def sketch(**more):
    given = {
        "x": [0, 0.5, 1],
        "low": 0,
        "high": 1,
        "within": 0.1,
        "x_title": "weight",
        "y_title": "slope",
        "curve": lambda a: 4 * a * (1 - a),
    }
    return Sketch(
        **{
            "id": "curve",
            "question": "Draw it.",
            **given,
            "mistakes": [(lambda a: a, "only the weight")],
            **COMMON,
            **more,
        }
    )


def test_every_order_that_respects_what_is_used_is_right():
    exercise = arrange()
    orders = list(permutations(step.text for step in STEPS))
    right = {
        order for order, verdict in zip(orders, judged(exercise, *map(list, orders)), strict=True) if verdict["correct"]
    }
    assert right == {
        ("encode", "keys", "query", "score"),
        ("encode", "query", "keys", "score"),
        ("query", "encode", "keys", "score"),
    }
    [wrong] = judged(exercise, ["encode", "score", "keys", "query"])
    assert "“score” cannot stand before “keys”. It is of both." in wrong["message"]


def test_steps_are_never_shown_in_a_right_order_and_always_in_the_same():
    exercises = [arrange(id=f"order-{number}") for number in range(40)]
    first = in_page("shuffled", [[exercise.spec()] for exercise in exercises])
    assert (
        first == in_page("shuffled", [[exercise.spec()] for exercise in exercises]) and len(set(map(tuple, first))) > 5
    )
    assert not any(judged(exercise, texts)[0]["correct"] for exercise, texts in zip(exercises, first, strict=True))


def test_the_false_line_is_found_and_each_other_is_defended():
    verdicts = judged(false_line(), *(line.text for line in LINES))
    assert [(verdict["correct"], verdict["message"]) for verdict in verdicts] == [
        (line.false, line.reason) for line in LINES
    ]
    assert not judged(false_line(), "")[0]["counts"]


def test_a_control_is_right_with_all_its_factors_and_names_one_that_is_not():
    right, less, more, none = judged(control(), ["updates", "data"], ["data"], ["data", "updates", "loss"], [])
    assert right["correct"] and not none["counts"]
    assert (less["correct"], less["message"]) == (False, "2 of 3 are marked rightly. *updates*: longer is better")
    assert (more["correct"], more["message"]) == (False, "2 of 3 are marked rightly. *loss*: that is measured")


def test_a_curve_is_judged_by_its_mean_distance():
    right, edge, beyond, mistake, wrong, none = judged(
        sketch(), [0, 1, 0], [0.1, 0.9, 0.1], [0.1, 0.9, 0.11], [0, 0.5, 1], [0.9, 1, 0.2], None
    )
    assert right["correct"] and edge["correct"] and not beyond["correct"] and not none["counts"]
    assert mistake["message"] == "only the weight" and wrong["message"] == "Not yet: at 0 it lies too high."


@pytest.mark.parametrize(
    ("make", "more", "named"),
    [
        (arrange, {"steps": STEPS[:2]}, "steps must be 3 to 8"),
        (arrange, {"steps": [*STEPS, STEPS[0]]}, "differ"),
        (arrange, {"steps": [Step("a", "w", after=(2,)), *STEPS[1:]]}, "after of step 1"),
        (arrange, {"steps": [*STEPS[:3], Step("z", " ")]}, "why of step 4"),
        (false_line, {"lines": [*LINES[:2], Line("b", "r")]}, "exactly one false"),
        (false_line, {"lines": [*LINES, Line("c", "")]}, "reason of line 'c'"),
        (control, {"factors": [Factor(name, True, "r") for name in "abc"]}, "one that is fixed and one that is not"),
        (sketch, {"x": [0, 0, 1]}, "rising places"),
        (sketch, {"low": 1}, "low must be below high"),
        (sketch, {"curve": [0, 1]}, "3 heights"),
        (sketch, {"curve": lambda a: 2 * a}, "from 0 to 1"),
        (sketch, {"curve": [0.5, 0.55, 0.5]}, "level line"),
        (sketch, {"mistakes": [([0, 0.9, 0], "h")]}, "each mistake"),
        (sketch, {"within": -1}, "within"),
    ],
)
def test_an_authors_slip_is_refused_by_name(make, more, named):
    with pytest.raises(ValueError, match=named):
        make(**more)
