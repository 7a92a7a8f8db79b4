"""What a lab says of the answer in its cell, and what its later steps work with until that answer passes."""

from collections.abc import Callable
from typing import Any

try:
    from IPython.display import display
except ImportError:  # ipywidgets brings it; without it, outside of notebooks, a verdict is a text
    display = print

from ..answers import Verdict
from .function import Function

YOUR_TURN = "Your turn"  # what the first words of a message are where nothing has been tried yet


def checked(exercise: Function, instead: Any, via: Callable = lambda function: function) -> Callable:
    """A decorator: the function below it if the exercise's check passes it, else `instead`, the course's own.

    The verdict is displayed either way. `via` turns the function into what the exercise asks for, where that is a view
    of it.
    """

    def choose(function: Callable) -> Any:
        verdict = exercise.check(via(function))
        return function if _shown(verdict, exercise.name) else instead

    return choose


def examination(problem_with: Callable[[Any], str | None], good: str, name: str) -> Callable[[Any], Callable]:
    """`examined(instead)`, a decorator as `checked`, for what has no single right form.

    `problem_with(it)` is the first thing that is wrong with what stands below it, or None; `good` is said where nothing
    is. `name` is what the course's own is called.
    """
    return lambda instead: lambda given: given if judged(problem_with(given), good, name) else instead


def judged(problem: str | None, good: str, name: str) -> bool:
    """Whether there is no problem. It is displayed, or `good`; one that begins with "Your turn" is no attempt.

    Where there is one, a line says that the course's `name` is used meanwhile.
    """
    attempt = problem is None or not problem.startswith(YOUR_TURN)
    return _shown(Verdict(problem is None, problem or good, counts=attempt), name)


def _shown(verdict: Verdict, name: str) -> bool:
    display(verdict)
    if not verdict.correct:
        print(f"Until it passes: the course's {name}")
    return verdict.correct
