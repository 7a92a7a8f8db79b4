"""Predictions: what they refuse, and how the card compares what was committed with what the evidence holds."""

import base64

import numpy as np
import pytest

from course_lib.exercises import Choose, Curve, Idea, Number, Order
from course_lib.widgets import predict
from tests.widgets.test_exercises import in_page

PRINTED = "word  weight\nhouse  0.993\nwhite  −0.006\nlargest: house with 0.99\nabout 10,000 words"
IDEAS = (Idea("house", "it is", "house"), Idea("white", "it is not", "white"))


def choose(**more):
    return Choose(**{"id": "look", "question": "Where?", "ideas": IDEAS, "read": r"largest: (\S+)", **more})


def number(**more):
    return Number(
        **{
            "id": "weight",
            "question": "How much?",
            "read": r"house +([\d.]+)",
            "within": 0.01,
            "mistakes": [(0.5, "not halved")],
            **more,
        }
    )


def order(**more):
    return Order(
        **{
            "id": "order",
            "question": "In which order?",
            "things": [("white", r"white +(\S+)"), ("house", r"house +(\S+)")],
            "reason": "so",
            **more,
        }
    )


def curve(**more):
    given = {
        "x": [1, 2, 4],
        "low": 0,
        "high": 8,
        "within": 0.5,
        "x_title": "s",
        "y_title": "shift",
        "read": "measured",
        "reason": "It bends.",
    }
    return Curve(**{"id": "bend", "question": "Draw it.", **given, **more})


def compared(prediction, *answers, text=PRINTED, lines=()):
    evidence = {"text": text, "lines": list(lines)}
    return in_page("predicted", [[prediction.spec(), answer, evidence] for answer in answers])


@pytest.mark.parametrize(
    "make, more, said",
    [(choose, {"id": "No id"}, "id must be"), (choose, {"question": " "}, "question must be"), (choose,
    {"read": "no group"}, "one group"), (choose, {"read": "("}, "pattern"),
     (choose, {"ideas": IDEAS[:1]}, "2 to 8"), (choose, {"ideas": (IDEAS[0], IDEAS[0])}, "differ"), (number,
     {"within": -1}, "within"), (number, {"mistakes": [(1, "")]}, "mistake"),
     (order, {"things": [("a", "(1)")]}, "2 to 8"), (order, {"reason": ""}, "reason"), (curve, {"x": [1]}, "rising"),
     (curve, {"x": [2, 1]}, "rising"),
     (curve, {"low": 9}, "below high"), (curve, {"read": ""}, "read must be")],
)  # fmt: skip
def test_what_is_wrong_is_refused_by_name(make, more, said):
    with pytest.raises(ValueError, match=said):
        make(**more)
    with pytest.raises(ValueError, match="low, high"):
        Idea("a", "b", (2, 1))


def test_only_predictions_have_the_card():
    with pytest.raises(ValueError, match="Choose, Number, Order or Curve"):
        predict("house")
    assert predict(choose()).spec["kind"] == "choose" and len(predict(curve())._esm) > len(predict(choose())._esm)


def test_an_idea_holds_where_its_text_or_its_range_is_read():
    right, wrong = compared(choose(), "house", "white")
    assert right == {"truth": "house", "right": True, "message": "it is"}
    assert wrong["right"] is False and wrong["message"] == "\n*white*: it is not\n*house*: it is"
    ranges = choose(
        ideas=(Idea("much", "m", (0.5, 1)), Idea("little", "l", (0, 0.4999))), read=r"white +(\S+)|house +([\d.]+)"[:13]
    )
    assert compared(ranges, "much")[0]["right"] is None  # −0.006 is in neither
    assert (
        compared(
            choose(ideas=(Idea("much", "m", (0.5, 1)), Idea("little", "l", (-1, 0.4999))), read=r"house +([\d.]+)"),
            "much",
            "little",
        )[1]["truth"]
        == "much"
    )


def test_a_number_is_right_within_its_distance_and_a_likely_wrong_one_has_its_reason():
    near, far, half, percent = compared(number(), "0.99", "0.97", "1/2", "99.3 %")
    assert (
        near["right"]
        and percent["right"]
        and "I read `99.3 %` as 0.993." in percent["message"]
        and not far["right"]
        and far["message"] == ""
    )
    assert compared(number(read=r"about (\S+) words", within=1), "10000 %")[0]["right"]  # of a truth in per cent
    assert half["right"] is False and half["message"] == "not halved"
    (thousands,) = compared(number(read=r"about (\S+) words", within=1), "10 000")
    assert thousands["right"] and thousands["truth"] == "10000"


def test_things_are_ordered_by_their_numbers_the_largest_first():
    right, wrong = compared(order(), ["house", "white"], ["white", "house"])
    assert right["right"] and right["truth"] == "house > white" and not wrong["right"]


@pytest.mark.parametrize("kept", ["list", "f8", "f4"])
def test_a_curve_is_compared_with_the_figures_line(kept):
    x, y = np.array([0.0, 1, 3, 5]), np.array([0.0, 2, 4, 4])
    packed = {
        name: values.tolist()
        if kept == "list"
        else {"dtype": kept, "bdata": base64.b64encode(values.astype(kept).tobytes()).decode()}
        for name, values in (("x", x), ("y", y))
    }
    lines = [{"name": "other"}, {"name": "measured", **packed}]
    right, wrong = compared(curve(), [2, 3, 4], [0, 1, 8], lines=lines)
    assert right["truth"] == [2, 3, 4] and right["right"] and "0 on average" in right["message"]
    assert not wrong["right"] and "You are off by 2.7 on average, most at 4." in wrong["message"]
    (beyond,) = compared(curve(x=[1, 9]), [1, 1], lines=lines)
    assert beyond["right"] is None  # the line ends before


def test_where_there_is_no_evidence_nothing_is_judged():
    for each, answer in ((choose(), "house"), (number(), "1"), (order(), ["house", "white"]), (curve(), [1, 1, 1])):
        (told,) = compared(each, answer, text="")
        assert (told["truth"], told["right"], told["message"]) == (None, None, "")
