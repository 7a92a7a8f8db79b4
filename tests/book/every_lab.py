"""What every lab is asked: right programs of every usual kind pass, each likely mistake is named, both notebooks agree.

A lab's test says its `name`; in which cells `left_out` occurs, which take long or draw; how many `lines` its cells
print, and how many of its blanks the course fills (`fallbacks`). Its `answers` have a step's name and the bodies of at
least two right functions, none of them the lab's own solution, and of wrong ones with words of what must be said:
(body, words), or (what is right in the first body, what stands instead, words).
"""

import re

import numpy as np
import pytest
import torch

from course_lib.exercises import checked
from tests.shared.lab_notebook import ROOT, printed, written

# A body that returns no answer at all → what is said.
TYPES = {
    "pass": "returned nothing on case 1",
    "print(1.0)": "What it prints is not returned",
    "return '1.0'": "not made of numbers: a str is no number",
    "return (x for x in [1.0])": "a generator is no number",
    "return abs": "a builtin_function_or_method is no number",
    "return [[1.0], [1.0, 2.0], []]": "the rows of a list differ in length",
    "return [[[[[1.0]]]]]": "the result has shape [1, 1, 1, 1, 1], expected",
}
KINDS = {np.ndarray: "array", torch.Tensor: "tensor", dict: "dictionary", list: "list"}
KINDS |= dict.fromkeys((float, int, np.float64), "number")


class Exercises:
    """A lab's steps that ask for a function, by name, and how a learner's function is looked at."""

    def __init__(self, names: dict):
        self.names = {**names, "np": np, "torch": torch}
        self.named = {each.name: each for each in names.values() if type(each).__name__ == "Function"}
        self.views = {"step": names.get("both_steps"), "loaded": names.get("its_logits")}

    def view(self, name: str):
        return self.views.get(name) or (lambda given: given)

    def learned(self, name: str, body: str):
        return written(self.named[name], body, self.names)

    def check(self, name: str, function):
        return self.named[name].check(self.view(name)(function))


class EveryLab:
    name: str
    left_out: str
    answers: dict[str, tuple[list[str], list[tuple[str, ...]]]]
    lines: int
    fallbacks: int

    @pytest.fixture
    def steps(self, lab):
        found = Exercises(lab)
        assert set(found.named) == set(self.answers)
        return found

    def test_every_solution_and_every_usual_right_program_passes(self, steps):
        for name, (right, _) in self.answers.items():
            assert len(right) >= 2 and steps.named[name].solution not in right, name
            for body in (steps.named[name].solution, *right):
                verdict = steps.check(name, steps.learned(name, body))
                assert verdict.correct, f"{name}\n{body}\n{verdict}"

    @pytest.mark.filterwarnings("ignore")  # a mistake may divide by 0
    def test_every_likely_mistake_is_named(self, steps, capsys):
        for name, (right, wrong) in self.answers.items():
            assert len(wrong) >= 5, name
            for *body, words in wrong:
                assert len(body) == 1 or body[0] in right[0], (name, body)
                function = steps.learned(name, body[0] if len(body) == 1 else right[0].replace(*body))
                verdict = steps.check(name, function)
                told = f"{name}: {words}\n{body}\n{verdict}"
                assert not verdict.correct and verdict.counts and words in verdict.message, told
                assert verdict.detail.startswith("call:")
            course = object()  # and it does not reach the later steps
            assert checked(steps.named[name], course, via=steps.view(name))(function) is course
            assert f"the course's {name}" in capsys.readouterr().out

    @pytest.mark.parametrize("body", TYPES)
    def test_a_wrong_type_is_shown_as_such(self, steps, body):
        for name in self.answers:
            verdict = steps.check(name, steps.learned(name, body))
            ragged = "[]" in body and name == "heights"  # there it is what `lstsq` returns
            assert not verdict.correct and (TYPES[body] in verdict.message or ragged), f"{name}\n{verdict}"

    def test_what_is_handed_over_is_what_the_docstring_says(self, steps):
        """In the blank that the learner gets: the kind of each argument stands there."""
        source = (ROOT / "labs" / f"{self.name}.myst.md").read_text(encoding="utf-8")
        for name, exercise in steps.named.items():
            doc = re.search(rf'def {name}\([^\n]*\):\n    """(.*?)"""', source, re.S)[1].partition("→")[0].lower()
            for case in exercise.cases:
                for given in exercise._given(case):
                    word = next((word for kind, word in KINDS.items() if isinstance(given, kind)), "")
                    assert word in doc.replace("numbers v", "number v"), (name, word, doc)

    def test_blank_and_solution_compute_the_same(self):
        blank, solution = printed(f"labs/{self.name}"), printed(f"labs/solutions/{self.name}")
        lines = [line for line in solution.splitlines() if line.strip()]
        assert len(lines) == self.lines
        assert [line for line in blank.splitlines() if line.strip() and "Until" not in line] == lines
        assert blank.count("Until it passes") == self.fallbacks and "Until it passes" not in solution
