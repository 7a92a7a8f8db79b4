"""Exercises: the card's rules for what is typed, a function run on its cases, and the author's slips."""

import dataclasses
import json
import math
import random
import re
import struct
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
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
    options = [Option("by 8", "√256/√4 = 8", correct=True), Option("by 64", "that is the variance"), Option("not", "terms add up")]
    return Choice(**{"id": "scale", "question": "How much?", "options": options, "hints": HINTS, "solution": "8", **more})


def value(**more):
    given = {"id": "bits", "question": "Entropy?", "answer": 1.5, "tolerance": 0.01, "unit": "bits", "mistakes": [(1.04, "nats: divide by ln 2")]}
    return Value(**{**given, "hints": HINTS, "solution": "1.5", **more})


def function(**more):
    given = {"id": "softmax", "question": "Write it.", "starter": "def weights(scores):\n    ...", "reference": softmax}
    cases = [Case([[0, 0]]), Case([[0.0, math.log(3)]]), Case([list(range(50))], by_hand=False)]
    mistakes = [(lambda s: [math.exp(x) for x in s], "divide by the sum")]
    return Function(**{**given, "cases": cases, "mistakes": mistakes, "hints": HINTS, "solution": "…", **more})


def judged(exercise, *answers, tried=0):
    """The card's verdicts: of a choice's letter, of a typed number or formula, of a function's cases worked out by hand."""
    spec = json.loads(json.dumps(exercise.spec(), allow_nan=False))
    return in_page("check", [[spec, answer, tried] for answer in answers])


# ------------------------------------------------------------------------------------------------ numbers


def fits(got, expected):
    return got.get("value") == expected if not isinstance(expected, str) else expected in got.get("problem", "").lower()


def test_numbers_are_read_as_written_or_refused_in_words():
    got = in_page("readNumber", [[text] for text, _ in VECTORS["numbers"]])
    wrong = [(text, one) for (text, expected), one in zip(VECTORS["numbers"], got, strict=True) if not fits(one, expected)]
    assert wrong == []


def test_what_is_long_is_refused_and_takes_no_time():
    long = [*(part * 10**5 for part in ("(", "1", "1,000", "1 000 ", "-", "√", "1" + " " * 9)), "2^" * 99 + "2"]
    spent = time.process_time()
    assert all("problem" in one for one in in_page("readNumber", [[text] for text in long])) and time.process_time() - spent < 60


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


def by_python(text):
    """What Python's own arithmetic makes of a text, with its thousands joined and decimal commas; None where it is refused, ... where e is the constant."""
    text = re.sub(r"(?<![\d.,])[1-9]\d{0,2}(?: \d{3})+(?!\d)", lambda found: found[0].replace(" ", ""), text.replace("−", "-").strip())
    if re.search(r"(?<![\d.,])[1-9]\d{0,2},\d{3}(?![\d.])", text):
        return None  # thousands, or a decimal comma
    text = re.sub(r"(?<![\d.,])[1-9]\d{0,2}(?:,\d{3})+(?:\.\d*)?(?![\d.,])", lambda found: found[0].replace(",", ""), text)
    text = re.sub(r"(?<![\d.,])[1-9]\d{0,2}(?:\.\d{3})+,(?=\d)", lambda found: found[0].replace(".", ""), text)
    text = re.sub(r",(?=\d)", ".", text)
    numeral = r"(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?"
    if "e" in re.sub(numeral, "", text):
        return ...
    if "//" in text or "," in text or math.inf in map(float, re.findall(numeral, text)):
        return None
    try:
        value = eval(re.sub(numeral, r"float('\g<0>')", text))
    except (ArithmeticError, AttributeError, SyntaxError):
        return None
    return value if math.isfinite(value) else None


def random_texts():
    """Whatever a reader may type; every size of float, to its last bit; fractions, to theirs."""
    chance = random.Random(0)
    floats = [0.0, 5e-324, 1.7976931348623157e308, *(struct.unpack("d", chance.randbytes(8))[0] for _ in range(3000))]
    return {
        "typed": ["".join(chance.choices("0123456789.,/-+e −", weights=[3] * 10 + [4, 4, 3, 1, 1, 2, 1, 1], k=chance.randint(1, 9))) for _ in range(4000)],
        "floats": [repr(x) for x in floats if math.isfinite(x)],
        "fractions": [f"{chance.randint(-(10**6), 10**6)}/{chance.randint(1, 10**6)}" for _ in range(1000)],
    }


@pytest.mark.parametrize(("kind", "texts"), random_texts().items(), ids=random_texts())
def test_random_texts_are_read_as_pythons_float_reads_them(kind, texts):
    got = in_page("readNumber", [[text] for text in texts])
    assert sum("value" in one for one in got) > (500 if kind == "typed" else 0.99 * len(texts))  # or the texts test nothing
    values = [float(one["value"]) if "value" in one else None for one in got]  # JavaScript writes 2e16 with all its digits: an int to Python
    assert [pair for pair in zip(texts, values, strict=True) if by_python(pair[0]) not in (pair[1], ...)] == []


# ------------------------------------------------------------------------------------------------ verdicts


def test_choice_answers_with_the_options_own_reason():
    right, wrong, *unread = judged(choice(), "by 8", "by 64", "d", "", "ab", ["a"], None)
    assert (right["correct"], right["message"]) == (True, "√256/√4 = 8")
    assert (wrong["correct"], wrong["message"]) == (False, "that is the variance")
    assert [(one["counts"], one["message"]) for one in unread] == [(False, "Choose one of the options a to c.")] * 5
    assert judged(choice(), "a", "b") == [right, wrong]  # a record from before: letters of the author's order


def test_value_takes_what_is_within_the_tolerance():
    assert all(one["correct"] and one["message"] == "Right: 1.5 bits." for one in judged(value(), "1.5", "3/2", "1,5", "1.51", "1.49"))
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
    said = [judged(value(answer=answer, unit=unit, mistakes=[]), typed)[0] for answer, unit, typed, _ in VECTORS["readings"]]
    assert [one["message"] for one in said] == [message for *_, message in VECTORS["readings"]]
    assert all(one["correct"] == one["message"].startswith("Right:") and one["counts"] != one["message"].endswith(("so.", "1.234.")) for one in said)


def test_an_answer_that_cannot_be_read_is_no_attempt():
    got = judged(value(), "x", "", "nan", "inf", "1,000,00", "1/0")
    assert [(one["counts"], one["correct"]) for one in got] == [(False, False)] * 6


def test_function_is_run_on_every_case():
    assert function().check(softmax).correct
    assert function().check(lambda s: np.exp(s) / np.exp(s).sum()).correct
    assert function(prepare=torch.tensor, reference=None, cases=[Case([[1.0, 2.0]], 3.0)], mistakes=[]).check(torch.sum).correct
    long_only = function().check(lambda s: softmax(s) if len(s) < 3 else [0.0] * len(s))
    assert not long_only.correct and "case 3 of 3" in long_only.message


def test_first_failing_case_is_shown_with_arguments_expected_and_got():
    verdict = function().check(lambda s: [0.5, 0.5])
    assert verdict.detail.splitlines() == ["call:     weights([0, 1.09861])", "expected: [0.25, 0.75]", "got:      [0.5, 0.5]"]
    assert function().check(lambda s: [math.exp(x) for x in s]).message == "divide by the sum"
    near = function().check(lambda s: [x + 1e-4 * 0.011 for x in softmax(s)])
    assert not near.correct and near.detail.splitlines()[1][10:] != near.detail.splitlines()[2][10:]


def test_a_function_that_breaks_is_told_in_words():
    def broken(scores):
        total = 0
        return scores[0] / total

    def clears(scores):
        scores.clear()
        return [1.0]

    said = function().check(broken)
    assert "`ZeroDivisionError` in its line 3 on case 1 of 3" in said.message and "division by zero" in said.detail
    assert "`TypeError`" in function().check(lambda: 1).message
    assert "does it end with `return`? What it prints is not returned" in function().check(lambda s: None).message
    not_numbers = {"a str is no number": "0.5", "a generator is no number": (x for x in [0.5, 0.5]), "differ in length": [[1], [1, 2]], "too large": 10**400}
    for words, result in not_numbers.items():
        said = function().check(lambda s, result=result: result).message
        assert "case 1 of 3" in said and "not made of numbers" in said and words in said
    assert "shape [1], expected shape [2]" in function().check(clears).message
    assert "shape [] (one number), expected shape [2]" in function().check(lambda s: 0.5).message
    for bad in (math.nan, math.inf):
        assert "not finite" in function().check(lambda s, bad=bad: [bad, bad]).message
    exercise = function()
    exercise.check(clears)
    assert exercise.check(softmax).correct  # the cases are not the learner's to change
    assert "stopped with `SystemExit` in its line 1" in exercise.check(lambda s: sys.exit(0)).message
    assert "case 1 of 3" in exercise.check(lambda s: torch.ones(2).to_sparse()).message


def test_a_mistake_is_known_by_its_error_or_by_what_is_not_finite():
    mistakes = [(lambda s: s.T, "lists have no transpose"), (lambda s: [math.nan] * len(s), "0 · ln 0"), (lambda s: [math.inf, *s[1:]], "too large")]
    exercise = function(mistakes=mistakes)
    assert [exercise.check(wrong).message for wrong, _ in mistakes] == [hint for _, hint in mistakes]
    assert "`AttributeError`" in exercise.check(lambda s: s.shape).message  # another error
    assert exercise.spec()["mistakes"] == []  # nobody can type that


def test_of_a_mistake_only_what_can_be_typed_goes_to_the_page():
    mistakes = [(lambda s: [x + 1 for x in s] if s[1] else 7, "one more"), (lambda s: [*softmax(s), 0.0], "one too many")]
    assert function(mistakes=mistakes).spec()["mistakes"] == [{"hint": "one more", "values": [[], [1.0, pytest.approx(math.log(3) + 1, rel=1e-11)]]}]


def test_right_numbers_of_a_type_that_later_steps_cannot_use_are_refused():
    halves = function(prepare=torch.tensor, returns=torch.Tensor, reference=lambda s: s / 2, cases=[Case([[1.0, 2.0]])], mistakes=[])
    assert halves.check(lambda s: s / 2).correct
    for other, kind in ((lambda s: (s / 2).tolist(), "list"), (lambda s: (s / 2).numpy(), "ndarray")):
        assert halves.check(other).message == f"The numbers are right. But later steps need a `Tensor`, and your function returned a `{kind}`."
    assert not halves.check(lambda s: s.tolist()).message.startswith("The numbers are right")


# how the argument [1, 2] is handed over, and where the two numbers then are
NESTS = [
    (list, lambda s: s), (np.array, lambda s: s), (torch.tensor, lambda s: s), (lambda s: [np.array(s)], lambda s: s[0]),
    (lambda s: (torch.tensor(s), 1), lambda s: s[0]), (lambda s: {"h": [np.array(s)]}, lambda s: s["h"][0]), (lambda s: [[[s]], "x"], lambda s: s[0][0][0]),
]  # fmt: skip


@pytest.mark.parametrize(("prepare", "two"), NESTS)
def test_an_argument_that_is_changed_for_its_caller_too_is_told(prepare, two):
    def halved(s):
        two(s)[0] /= 2
        return two(s)[0]

    def emptied(s):
        half = two(s)[0] / 2
        s.clear()
        return half

    halves = function(prepare=prepare, reference=lambda s: two(s)[0] / 2, cases=[Case([[1.0, 2.0]])], mistakes=[])
    verdict = halves.check(halved)
    assert not verdict.correct and "changes its argument 1" in verdict.message and "0.5, 2" in verdict.detail
    assert halves.check(lambda s: two(s)[0] / 2).correct
    if hasattr(prepare([1.0, 2.0]), "clear"):
        assert "changes its argument 1" in halves.check(emptied).message


def test_numbers_come_back_in_any_form():
    exercise = function(prepare=np.array, reference=lambda s: s / 4, cases=[Case([[1.0, 2.0]])], mistakes=[])
    for form in (list, tuple, torch.tensor, np.float32, lambda a: [*map(np.float64, a)], lambda a: [*map(torch.tensor, a)], lambda a: torch.tensor(a, requires_grad=True)):
        assert exercise.check(lambda s, form=form: form(s / 4)).correct


def test_cases_can_be_worked_out_by_hand():
    right, one_off, mistake, blank = judged(
        function(), [["1/2", "0,5"], ["0.25", "0.75"]], [["1/2", "0.5"], ["0.25", "0.5"]], [["1", "1"], ["", ""]], [["1/2", ""], ["", ""]]
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
    assert near["message"] == "`weights([0])`: Close: within 7 % of it, but an answer counts within ±0.01." and false["counts"] and not false["correct"]


def test_only_a_function_that_is_written_is_run():
    for given_ in ("0.5", [[0.5, 0.5]], None, 3, lambda scores: ...):
        verdict = function().check(given_)
        assert not verdict.correct and not verdict.counts and "`weights`" in verdict.message


def test_mistakes_that_share_a_case_are_told_apart_by_the_others():
    cases = [Case([1], 3), Case([2], 4)]
    mistakes = [(lambda x: 1 + 0 * x, "always 1"), (lambda x: x, "nothing added"), (lambda x: [x, x], "one number")]
    exercise = function(starter="def add(x):\n    ...", cases=cases, reference=None, mistakes=mistakes)
    assert [exercise.check(wrong).message for wrong in (lambda x: 1, lambda x: x, lambda x: [x, x])] == ["always 1", "nothing added", "one number"]
    assert exercise.check(lambda x: 1 / (2 - x)).message == "always 1"  # the other case stops: the first that fits
    tries = {("1", "1"): "always 1", ("1", "2"): "nothing added", ("1", "?"): "always 1", ("1", "9"): "always 1"}
    for page, hint in zip(judged(exercise, *([[one], [two]] for one, two in tries)), tries.values(), strict=True):
        assert page["message"] == f"`add(1)`: {hint}" and page["detail"] == "call:     add(1)\ngiven:    1"


def test_a_verdict_can_be_read_without_colour():
    verdict = function().check(lambda s: [0.5, 0.5])
    assert str(verdict).startswith("✗ Not yet") and "```text\ncall:" in verdict._repr_markdown_()
    assert str(function().check(softmax)) == "✓ Right on all 3 cases." and str(function().check(lambda s: ...)).startswith("?")


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
        ({"mistakes": [(lambda s: softmax(s) if len(s) < 3 else s, "long")]}, "must differ from the expected values in some case by hand"),
        ({"mistakes": [(lambda s: [x + 0.005 for x in softmax(s)], "near")]}, "by hand"),
        ({"mistakes": [(lambda s: s, "one"), (lambda s: [x * 1.0 for x in s], "two")]}, "must differ from the earlier ones"),
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
