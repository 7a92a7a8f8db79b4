"""A learner's function, run on its cases: what is told of one that is wrong, breaks or changes its arguments."""

import math
import sys

import numpy as np
import pytest
import torch

from course_lib.exercises import Case
from tests.widgets.test_exercises import function, judged, softmax


def test_function_is_run_on_every_case():
    assert function().check(softmax).correct
    assert function().check(lambda s: np.exp(s) / np.exp(s).sum()).correct
    assert (
        function(prepare=torch.tensor, reference=None, cases=[Case([[1.0, 2.0]], 3.0)], mistakes=[])
        .check(torch.sum)
        .correct
    )
    long_only = function().check(lambda s: softmax(s) if len(s) < 3 else [0.0] * len(s))
    assert not long_only.correct and "case 3 of 3" in long_only.message


def test_first_failing_case_is_shown_with_arguments_expected_and_got():
    verdict = function().check(lambda s: [0.5, 0.5])
    assert verdict.detail.splitlines() == [
        "call:     weights([0, 1.09861])",
        "expected: [0.25, 0.75]",
        "got:      [0.5, 0.5]",
    ]
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
    not_numbers = {
        "a str is no number": "0.5",
        "a generator is no number": (x for x in [0.5, 0.5]),
        "differ in length": [[1], [1, 2]],
        "too large": 10**400,
    }
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
    mistakes = [
        (lambda s: s.T, "lists have no transpose"),
        (lambda s: [math.nan] * len(s), "0 · ln 0"),
        (lambda s: [math.inf, *s[1:]], "too large"),
    ]
    exercise = function(mistakes=mistakes)
    assert [exercise.check(wrong).message for wrong, _ in mistakes] == [hint for _, hint in mistakes]
    assert "`AttributeError`" in exercise.check(lambda s: s.shape).message  # another error
    assert exercise.spec()["mistakes"] == []  # nobody can type that


def test_of_a_mistake_only_what_can_be_typed_goes_to_the_page():
    mistakes = [
        (lambda s: [x + 1 for x in s] if s[1] else 7, "one more"),
        (lambda s: [*softmax(s), 0.0], "one too many"),
    ]
    assert function(mistakes=mistakes).spec()["mistakes"] == [
        {"hint": "one more", "values": [[], [1.0, pytest.approx(math.log(3) + 1, rel=1e-11)]]}
    ]


def test_right_numbers_of_a_type_that_later_steps_cannot_use_are_refused():
    halves = function(
        prepare=torch.tensor, returns=torch.Tensor, reference=lambda s: s / 2, cases=[Case([[1.0, 2.0]])], mistakes=[]
    )
    assert halves.check(lambda s: s / 2).correct
    for other, kind in ((lambda s: (s / 2).tolist(), "list"), (lambda s: (s / 2).numpy(), "ndarray")):
        assert (
            halves.check(other).message
            == f"The numbers are right. But later steps need a `Tensor`, and your function returned a `{kind}`."
        )
    assert not halves.check(lambda s: s.tolist()).message.startswith("The numbers are right")


# how the argument [1, 2] is handed over, and where the two numbers then are
NESTS = [
    (list, lambda s: s), (np.array, lambda s: s), (torch.tensor, lambda s: s), (lambda s: [np.array(s)],
    lambda s: s[0]),
    (lambda s: (torch.tensor(s), 1), lambda s: s[0]), (lambda s: {"h": [np.array(s)]}, lambda s: s["h"][0]),
    (lambda s: [[[s]], "x"], lambda s: s[0][0][0]),
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
    for form in (
        list,
        tuple,
        torch.tensor,
        np.float32,
        lambda a: [*map(np.float64, a)],
        lambda a: [*map(torch.tensor, a)],
        lambda a: torch.tensor(a, requires_grad=True),
    ):
        assert exercise.check(lambda s, form=form: form(s / 4)).correct


def test_only_a_function_that_is_written_is_run():
    for given_ in ("0.5", [[0.5, 0.5]], None, 3, lambda scores: ...):
        verdict = function().check(given_)
        assert not verdict.correct and not verdict.counts and "`weights`" in verdict.message


def test_mistakes_that_share_a_case_are_told_apart_by_the_others():
    cases = [Case([1], 3), Case([2], 4)]
    mistakes = [(lambda x: 1 + 0 * x, "always 1"), (lambda x: x, "nothing added"), (lambda x: [x, x], "one number")]
    exercise = function(starter="def add(x):\n    ...", cases=cases, reference=None, mistakes=mistakes)
    assert [exercise.check(wrong).message for wrong in (lambda x: 1, lambda x: x, lambda x: [x, x])] == [
        "always 1",
        "nothing added",
        "one number",
    ]
    assert exercise.check(lambda x: 1 / (2 - x)).message == "always 1"  # the other case stops: the first that fits
    tries = {("1", "1"): "always 1", ("1", "2"): "nothing added", ("1", "?"): "always 1", ("1", "9"): "always 1"}
    for page, hint in zip(judged(exercise, *([[one], [two]] for one, two in tries)), tries.values(), strict=True):
        assert page["message"] == f"`add(1)`: {hint}" and page["detail"] == "call:     add(1)\ngiven:    1"


def test_a_verdict_can_be_read_without_colour():
    verdict = function().check(lambda s: [0.5, 0.5])
    assert str(verdict).startswith("✗ Not yet") and "```text\ncall:" in verdict._repr_markdown_()
    assert str(function().check(softmax)) == "✓ Right on all 3 cases." and str(
        function().check(lambda s: ...)
    ).startswith("?")
