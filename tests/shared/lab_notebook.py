"""A lab's solved notebook, run cell by cell in a test: its functions and exercises without what takes long or draws."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import torch

from course_lib.exercises import checked
from tools.notebooks import first_cell
from tools.notebooks import make as notebooks

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def solved(name: str, left_out: str) -> Iterator[dict]:
    """The names that labs/NAME.myst.md defines with its solutions; cells in which the pattern `left_out` occurs do not run."""
    names: dict = {}
    threads, dtype = torch.get_num_threads(), torch.get_default_dtype()
    try:
        for cell in notebooks.read(ROOT / "labs" / f"{name}.myst.md", "blank").cells:
            if cell.cell_type == "code" and cell.id != first_cell.ID and not re.search(left_out, cell.source):
                exec(cell.source, names)
        yield names
    finally:
        torch.set_num_threads(threads)
        torch.set_default_dtype(dtype)


@contextmanager
def displayed() -> Iterator[list]:
    """The verdicts that a lab displays meanwhile."""
    seen: list = []
    with mock.patch("course_lib.exercises.lab.display", seen.append):
        yield seen


def written(exercise, code: str, names: dict):
    """The function that a learner makes by writing `code` under the starter's first line, among the lab's names."""
    space = dict(names)
    exec(exercise.starter.splitlines()[0] + "\n" + "\n".join("    " + line for line in code.splitlines()), space)
    return space[exercise.name]


def functions(names: dict) -> dict:
    """The lab's exercises that ask for a function, by name."""
    return {each.name: each for each in names.values() if type(each).__name__ == "Function"}


def names_the_mistake(lab: dict, exercise, edit: tuple[str, str, str], written, printed) -> None:
    """Assert that a solution with one mistake gets the hint for it, and that later steps run on the course's function.

    `edit` is (right, wrong, words of the hint); `written(exercise, code, lab)` makes the learner's function of its body;
    `printed()` gives what has been printed.
    """
    right, wrong, message = edit
    code = exercise.solution.replace(right, wrong)
    assert code != exercise.solution
    verdict = exercise.check(written(exercise, code, lab))
    assert not verdict.correct and message in verdict.message
    course = object()
    assert checked(exercise, course)(written(exercise, code, lab)) is course
    assert f"the course's {exercise.name}" in printed()
