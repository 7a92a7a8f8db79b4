"""nbval holds every notebook to its stored outputs. Each is executed once, as `make notebooks` executes it, and
compared three times:

text strictly, plotly figures by what the eye can tell, and at the end, in one test more, what nbval does not see: the
state and the data of the widgets.

Pages that read a real model are skipped whole where the model is not installed; in CI they fail. A plugin for pytest:

    python -m pytest -p tools.notebooks.nbval_hooks --nbval --nbval-sanitize-with tests/nbval.cfg labs/transformer.ipynb
"""

import os
import re
import tempfile
from copy import deepcopy
from functools import cache
from pathlib import Path

import nbformat
import pytest

from course_lib.pretrained.files import INSTALL, PACKAGES, installed
from tools.notebooks import make as notebooks
from tools.notebooks.execution import executed

ROOT = Path(__file__).resolve().parents[2]

try:
    import nbval.plugin as nbval
except ImportError:  # the unit tests run without it
    nbval = None

HOLD_EXERCISES = {
    "PYTHONSTARTUP": str(ROOT / "tests" / "shared" / "kernel_start.py")
}  # in these kernels every exercise is held to its word
# To the last byte where no floating-point sum decides.
SAME_BYTES = {ROOT / "book" / "index.ipynb"}


def but_for_python(notebook: str) -> str:
    """A notebook names the Python that executed it."""
    return re.sub(r'^   "version": "3\.[\d.]+"$', "", notebook, flags=re.M)


class Widgets(pytest.Item):
    """What a notebook stores beside its cells' outputs: the state of its widgets, and their data."""

    def runtest(self):
        differing = notebooks.differences(self.path, self.parent.text, Path(self.parent.data.name))
        if self.path in SAME_BYTES and but_for_python(self.parent.text) != but_for_python(
            self.path.read_text(encoding="utf-8")
        ):
            differing.append(self.path)
        assert not differing, f"not the same when executed again: {[str(each.relative_to(ROOT)) for each in differing]}"

    def reportinfo(self):
        return self.path, 0, f"{self.path.relative_to(ROOT)}::widgets"


def collect(file):
    """A test a cell, by nbval, and one for the widgets."""
    yield from collect_cells(file)
    yield Widgets.from_parent(file, name="widgets")


def setup(file):
    """Execute the notebook whole, before its first test. `text` is what `make notebooks` would store."""
    file.setup_sanitize_files()
    file.data = tempfile.TemporaryDirectory()
    blank = deepcopy(file.nb)
    blank.metadata.pop("widgets", None)
    for cell in blank.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    made = executed(blank, Path(file.data.name), environment=HOLD_EXERCISES, allow_errors=True)
    file.text = notebooks.normalise(made)
    file.code_cells = [cell for cell in nbformat.reads(file.text, as_version=4).cells if cell.cell_type == "code"]


def compare(cell):
    """One cell: what it has put out now, by nbval's own comparison, against what is stored."""
    outputs = nbval.coalesce_streams(cell.parent.code_cells[cell.cell_num].outputs)
    for output in outputs:
        if output.output_type == "error" and not cell.options["check_exception"]:
            cell.raise_cell_error("Cell execution caused an exception", "\n" + "\n".join(output.traceback))
    if cell.options["check"] and not cell.compare_outputs(outputs, nbval.coalesce_streams(cell.cell.outputs)):
        cell.raise_cell_error("Cell outputs differ", "\n".join(cell.comparison_traceback))


if nbval is not None:
    collect_cells, sanitize_text = nbval.IPyNbFile.collect, nbval.IPyNbCell.sanitize
    nbval.IPyNbFile.collect, nbval.IPyNbFile.setup = collect, setup
    nbval.IPyNbFile.teardown = lambda file: file.data.cleanup()
    nbval.IPyNbCell.setup, nbval.IPyNbCell.runtest = lambda cell: None, compare
    nbval.IPyNbCell.sanitize = lambda cell, output: (
        notebooks.by_value(output) if isinstance(output, dict) else sanitize_text(cell, output)
    )


def pytest_collection_modifyitems(items):
    """A page reads a real model if it imports `course_lib.pretrained`."""
    if os.environ.get("CI") or installed(*PACKAGES):
        return
    reads_a_model = cache(lambda path: "course_lib.pretrained" in path.read_text(encoding="utf-8"))
    for item in items:
        if item.path.suffix == ".ipynb" and reads_a_model(item.path):
            item.add_marker(pytest.mark.skip(reason=f"the real models are not installed: {INSTALL}"))
