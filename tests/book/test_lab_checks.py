"""What a lab's cells do with an answer: used if it passes, replaced if not, and always told."""

import pytest

from course_lib.exercises import Case, Function, checked, examination, judged
from tools.repository import ROOT

DOUBLE = Function(
    id="double",
    question="Double x.",
    starter="def double(x):\n    return ...",
    cases=[Case((1,), 2), Case((-3,), -6)],
    hints=["a", "b", "c"],
    solution="return 2 * x",
    mistakes=[(lambda x: x * x, "That is the square.")],
)


def test_a_function_that_passes_is_given_back(shown, capsys):
    twice = lambda x: x + x
    assert checked(DOUBLE, None)(twice) is twice
    assert shown[-1].correct and capsys.readouterr().out == ""


@pytest.mark.parametrize(
    ("answer", "words", "counts"), [(lambda x: x * x, "That is the square.", True), (lambda x: ..., "Your turn", False)]
)
def test_one_that_does_not_is_replaced_and_told_why(shown, capsys, answer, words, counts):
    course = object()
    assert checked(DOUBLE, course)(answer) is course
    assert words in shown[-1].message and not shown[-1].correct and shown[-1].counts == counts
    assert capsys.readouterr().out == "Until it passes: the course's double\n"


def test_the_exercise_sees_the_view_and_the_lab_keeps_the_function(shown):
    half = lambda x: x / 2
    assert checked(DOUBLE, None, via=lambda function: lambda x: 4 * function(x))(half) is half


def test_an_answer_without_a_single_right_form_is_examined(shown, capsys):
    examined = examination(lambda name: None if name.islower() else f"{name} is not lower case.", "A name.", "my_name")
    assert examined("course")("mine") == "mine" and shown[-1].message == "A name." and capsys.readouterr().out == ""
    assert examined("course")("MINE") == "course" and str(shown[-1]) == "✗ MINE is not lower case."
    assert capsys.readouterr().out == "Until it passes: the course's my_name\n"


def test_exit_in_an_answer_ends_no_cell():
    for path in (ROOT / "labs").glob("*.myst.md"):
        assert "except Exception as" not in path.read_text(encoding="utf-8"), (
            f"{path.name} lets a SystemExit of the learner's out"
        )


def test_three_dots_are_no_attempt(shown):
    assert not judged("Your turn: write it.", "Good.", "it")
    assert not shown[-1].counts and str(shown[-1]).startswith("?")
