"""The labs as assignments for Otter-Grader, with hidden tests: `python -m tools.book.assignments [OUT] [--seed 1] [--labs 03]` (make assignments)

Each notebook is written in the format of `otter assign` from the lab's own source: a cell tagged `solution` becomes a question whose
prompt is the cell tagged `blank` before it. Public tests are the cases that the exercise gives to work out by hand; hidden ones are new
cases (assignment_cases). Where a function is looked at through the lab's own code, that code may hold earlier solutions: then all are
hidden. Where a function takes other functions or objects, which no test can hold as numbers, its hidden test draws the
exercise's own cases with another seed. Of the cells that hold the exercises only what later cells use is kept: neither reference nor
solution is in what learners get. What they run is their own functions throughout, where the lab would go on with the course's.
"""

import argparse
import ast
import re
import textwrap
from pathlib import Path

import nbformat
import torch
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_raw_cell

from course_lib.answers import numbers
from course_lib.exercises import Function
from tools.book.assignment_cases import code_of, fresh
from tools.book.assignment_lab import Lab, Statement, bare, checks, statements
from tools.book.crossrefs import Links, places
from tools.book.plain_markdown import Plain
from tools.repository import ROOT, Repository

OUT = ROOT / "_build" / "assignments"
FOLD = re.compile(r"^(:::+|```+)\{dropdown\}.*?^\1\s*?$", re.M | re.S)
CONFIG = """# ASSIGNMENT CONFIG
init_cell: true
check_all_cell: true
solutions_pdf: false
generate: true
export_cell:
  pdf: false
"""
SOLVED = re.compile(r"; run it and it checks itself| [^.]*`labs/solutions`[^.]*\.")  # what is so in the lab only
NOTE = """*This is the lab “{title}” as an assignment. Write your functions in place of the dots. `grader.check("q1")` behind a question runs its public tests; others follow when it is graded, with other numbers and other shapes. Later questions use your own earlier functions.*"""


# -------------------------------------------------------------------------------------------------------------- tests
def test_cell(code: str, hidden: bool, points: int) -> nbformat.NotebookNode:
    head = f'""" # BEGIN TEST CONFIG\nhidden: {str(hidden).lower()}\npoints: {points}\n""" # END TEST CONFIG\n'
    return new_code_cell(head + code)


def asserted(name: str, via: str, given: list, right: tuple, tolerance: float, before: str = "") -> str:
    """A case as an assertion that prints nothing where it holds."""
    function = f"{via}({name})" if via else name
    lines = ["import numpy as np", "import torch", "from course_lib.answers import numbers, same"]
    return "\n".join(
        [
            *lines,
            *([before] if before else []),
            f"given = {code_of(given)}",
            f"right = {(list(right[0]), right[1])}",
            f"assert same(numbers({function}(*given)), right, {tolerance})",
        ]
    )


def tests(lab: Lab, each: Statement, seed: int) -> tuple[list[nbformat.NotebookNode], dict]:
    """The test cells of one function with `@checked`, and what was made: {id, fresh, shapes, told, of}."""
    (call,) = checks(each.node)
    exercise_name = call.args[0].id
    via = next(
        (ast.unparse(word.value) for word in call.keywords if word.arg == "via"), ast.unparse(call.args[2]) if len(call.args) > 2 else ""
    )
    helpers = lab.closure({name.id for name in ast.walk(ast.parse(via)) if isinstance(name, ast.Name)}) if via else ""
    space = lab.run({exercise_name, each.node.name, *({via} if via else ())})
    exercise: Function = space[exercise_name]
    solution = eval(via, space)(space[each.node.name]) if via else space[each.node.name]
    by_hand = [case for case in exercise.cases if case.by_hand]
    public: list[str] = []
    report = {"id": exercise.id, "fresh": 0, "told": 0, "of": len(exercise.mistakes)}
    try:
        public += [
            asserted(each.node.name, via, exercise._given(case), numbers(case.expected), exercise.tolerance, helpers) for case in by_hand
        ]
        cases = fresh(exercise, solution, seed)
        hidden = [asserted(each.node.name, via, list(case.args), case.expected, exercise.tolerance, helpers) for case in cases]
        report["fresh"] = len(cases)
    except (TypeError, ValueError):  # arguments that only code can make, or that drawing at random does not find
        public, hidden = (
            public or [],
            [redrawn(lab, each.node.name, exercise_name, via, shift) for shift in passing(lab, each.node.name, exercise_name, via, seed)],
        )
    return [*(test_cell(code, bool(via), 1) for code in public), *(test_cell(code, True, 1) for code in hidden)], report


def passing(lab: Lab, name: str, exercise: str, via: str, seed: int) -> list[int]:
    """Two shifts of the lab's seeds with which its exercise can be made and its solution passes. ValueError where ten give fewer."""
    found = []
    for shift in range(10 * seed, 10 * seed + 10):
        try:
            space = lab.run({exercise, name, *({via} if via else ())}, shift)
        except ValueError:  # with these numbers a mistake is not told from another
            continue
        if space[exercise].check(eval(via, space)(space[name]) if via else space[name]).correct:
            found.append(shift)
        if len(found) == 2:
            return found
    raise ValueError(f"the exercise {exercise} of {lab.name} cannot be drawn anew: its solution fails with other seeds")


def redrawn(lab: Lab, name: str, exercise: str, via: str, shift: int) -> str:
    """A test that makes the exercise with other draws, in a function of its own, and lets it check the learner's function."""
    said = f"verdict = {exercise}.check({f'{via}({name}_)' if via else f'{name}_'})\nassert verdict.correct, verdict"
    code = lab.closure({exercise, *({via} if via else ())}, shift)
    return f"def examined({name}_):\n{textwrap.indent(code, '    ')}\n{textwrap.indent(said, '    ')}\nexamined({name})"


# ----------------------------------------------------------------------------------------------------------- notebook
def marked(solution: list[Statement], blank: list[Statement]) -> str:
    """A solution's code with Otter's marks: what is between them goes, and the blank's own lines come instead."""
    parts = []
    for each, gap in zip(solution, blank, strict=True):
        code, empty = bare(each), bare(gap)
        if not isinstance(each.node, ast.FunctionDef | ast.ClassDef):
            parts.append(f'# BEGIN SOLUTION NO PROMPT\n{code}\n# END SOLUTION\n""" # BEGIN PROMPT\n{empty}\n""" # END PROMPT')
            continue
        same = 0
        whole, gap_lines = code.split("\n"), empty.split("\n")
        while same < min(len(whole), len(gap_lines)) and whole[same] == gap_lines[same]:
            same += 1
        indent = " " * (len(whole[same]) - len(whole[same].lstrip()))
        rest, prompt = "\n".join(whole[same:]), "\n".join(gap_lines[same:])
        parts.append(
            "\n".join(
                [
                    *whole[:same],
                    f"{indent}# BEGIN SOLUTION NO PROMPT",
                    rest,
                    f"{indent}# END SOLUTION",
                    f'{indent}""" # BEGIN PROMPT',
                    prompt,
                    f'{indent}""" # END PROMPT',
                ]
            )
        )
    return "\n\n".join(parts)


def prose(text: str, plain: Plain, before_card: bool) -> str:
    """A cell's text for the assignment: without folds, which tell what was found, and without what introduces a card that is gone."""
    text = SOLVED.sub("", FOLD.sub("", text))
    paragraphs = re.split(r"\n\s*\n", text.strip())
    if before_card and paragraphs and paragraphs[-1].rstrip().endswith(":"):
        paragraphs.pop()
    return plain("\n\n".join(each for each in paragraphs if "@checked" not in each)).strip()


def assignment(name: str, seed: int) -> tuple[nbformat.NotebookNode, list[dict]]:
    """The notebook for `otter assign`, and what its tests hold."""
    dtype, threads = torch.get_default_dtype(), torch.get_num_threads()
    try:
        return made(Lab(name), seed)
    finally:  # labs set what suits them
        torch.set_default_dtype(dtype)
        torch.set_num_threads(threads)


def made(lab: Lab, seed: int) -> tuple[nbformat.NotebookNode, list[dict]]:
    name = lab.name
    links = Links(places(), Repository.from_environment(), f"labs/{name}")
    plain, kept = Plain(links, base="labs"), lab.kept()
    by_code = {id(each): each for each in lab.pool}
    cells, reports, blank, number, waiting = (
        [new_raw_cell(CONFIG), new_markdown_cell(NOTE.format(title=links.places.titles[f"labs/{name}"]))],
        [],
        "",
        0,
        iter(lab.pool),
    )
    for cell, after in zip(lab.cells, [*lab.cells[1:], None], strict=True):
        if cell.cell_type == "markdown":
            card = after is not None and after.cell_type == "code" and re.match(r"(ask|predict)\(", after.source)
            if text := prose(cell.source, plain, bool(card)):
                cells.append(new_markdown_cell(text))
        elif "blank" in lab.tags(cell):
            blank += "\n\n" + cell.source
        elif cell is lab.setup:
            cells.append(new_code_cell(cell.source))
        else:
            own = [next(waiting) for _ in ast.parse(cell.source).body]
            if "solution" in lab.tags(cell):
                gaps = statements(blank.strip(), [])
                mine, rest = gaps[: len(own)], gaps[len(own) :]
                blank = "\n\n".join(each.code for each in rest)
                number += 1
                found = [tests(lab, each, seed) for each in own if checks(each.node)]
                reports += [report for _, report in found]
                cells += question(number, marked(own, mine), [each for cells_, _ in found for each in cells_])
            elif "remove-input" in lab.tags(cell):
                code = "\n".join(each.code for each in own if id(each) in kept and id(each) in by_code)
                cells += [new_code_cell(code)] if code else []
            else:
                cells.append(new_code_cell(cell.source))
    for index, each in enumerate(cells):
        each.id = f"cell-{index}"
    notebook = new_notebook(cells=cells, metadata={"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}})
    return notebook, reports


def question(number: int, code: str, checked: list) -> list:
    manual = "" if checked else "\nmanual: true"
    points = sum("points: 1" in each.source for each in checked) or 2
    head = [
        new_raw_cell(f"# BEGIN QUESTION\nname: q{number}{manual}" + (f"\npoints: {points}" if manual else "")),
        new_raw_cell("# BEGIN SOLUTION"),
        new_code_cell(code),
        new_raw_cell("# END SOLUTION"),
    ]
    return [
        *head,
        *([new_raw_cell("# BEGIN TESTS"), *checked, new_raw_cell("# END TESTS")] if checked else []),
        new_raw_cell("# END QUESTION"),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path, nargs="?", default=OUT)
    parser.add_argument("--seed", type=int, default=1, help="another one draws other hidden tests")
    parser.add_argument("--labs", default="", help="only labs whose names begin so")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    for path in sorted((ROOT / "labs").glob(f"{options.labs}*.myst.md")):
        name = path.name.removesuffix(".myst.md")
        notebook, reports = assignment(name, options.seed)
        nbformat.write(notebook, options.out / f"{name}.ipynb")
        new = sum(each["fresh"] for each in reports)
        print(
            f"{name}.ipynb: {len(reports)} functions, {new} new cases, {sum(not each['fresh'] for each in reports)} functions with another seed only",
            flush=True,
        )


if __name__ == "__main__":
    main()
