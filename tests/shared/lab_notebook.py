"""A lab's solved notebook, run cell by cell in a test: its functions and exercises without what takes long or draws."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import torch

from tools.notebooks import first_cell
from tools.notebooks import make as notebooks

ROOT = Path(__file__).resolve().parents[2]


@contextmanager
def solved(name: str, left_out: str) -> Iterator[dict]:
    """The names that labs/NAME.myst.md defines with its solutions; cells in which the pattern `left_out` occurs do not
    run."""
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


def printed(name: str) -> str:
    """What the cells of the notebook NAME.ipynb have printed."""
    cells = json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return "".join("".join(output.get("text", [])) for cell in cells for output in cell.get("outputs", []))


def tables(name: str) -> str:
    """What the cells of the notebook NAME.ipynb show, as text."""
    cells = json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    shown = [output.get("data", {}).get("text/plain", []) for cell in cells for output in cell.get("outputs", [])]
    return "\n".join("".join(text) for text in shown)
