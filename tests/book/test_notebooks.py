"""Notebooks are what their sources say: current, within budget, the same when made again."""

import base64
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import numpy as np
import pytest
from nbclient.exceptions import DeadKernelError

from course_lib import __version__
from tools.notebooks import execution
from tools.notebooks import make as notebooks
from tools.repository import ROOT

SOURCES = notebooks.sources()
JOBS = {target: (source, tag) for source in SOURCES for target, tag in notebooks.targets(source).items()}
named = pytest.mark.parametrize("path", JOBS, ids=lambda path: str(path.relative_to(ROOT)))


@named
def test_notebook_is_current(path):
    source, tag = JOBS[path]
    assert path.exists(), "run `make notebooks`"
    assert notebooks.stored_key(path) == notebooks.key_of(source, notebooks.read(source, tag)), "run `make notebooks`"


@named
def test_notebook_keeps_its_budget(path):
    assert path.stat().st_size <= 500_000
    cells = json.loads(path.read_text())["cells"]
    figures = [
        len(json.dumps(data["application/vnd.plotly.v1+json"]))
        for cell in cells
        for data in (output.get("data", {}) for output in cell.get("outputs", []))
        if "application/vnd.plotly.v1+json" in data
    ]
    assert max(figures, default=0) <= 100_000


@named
def test_notebook_prints_no_error_time_or_path(path):
    for cell in json.loads(path.read_text())["cells"]:
        for output in cell.get("outputs", []):
            assert output["output_type"] != "error"
            assert output.get("name") != "stderr", "a warning names files of one machine"
            text = "".join(output.get("text", []))
            assert not re.search(r"\d (?:ms|µs|seconds)\b|/home/|/tmp/|0x[0-9a-f]{6}", text)
            assert not re.search(r"\d\.\d{4,}(?!\d*e)", text), "print at most 3 decimals"


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_page_has_its_frame(source):
    if source.parent.name == "book":
        return  # the title page
    text = source.read_text()
    assert re.search(r"\*\*(You will learn|Goal)\*\*", text) and "**You need**" in text and "**It takes**" in text
    assert "## Sources" in text
    assert source.parent.name == "labs" or ("## What you learned" in text and "## Exercises" in text)


def test_exercise_ids_are_unique():
    """A reader's progress is kept under the exercise's id."""
    found = [name for source in SOURCES for name in re.findall(r'^\s*id="([\w-]+)"', source.read_text(), re.M)]
    assert found and len(found) == len(set(found))


def test_every_notebook_is_in_the_table_of_contents_or_is_a_solution():
    toc = (ROOT / "_toc.yml").read_text()
    for path in JOBS:
        page = path.relative_to(ROOT).with_suffix("").as_posix()
        assert page in toc or "solutions" in page


@pytest.mark.parametrize("module", ["exercises", "text.vocabulary", "gaussian.maps", "widgets.surface"])
def test_whatever_python_loads_makes_the_notebook_stale(module):
    """Packages above, and what they import by relative names too: asked of Python itself."""
    code = f"import course_lib.{module}"
    told = (
        "import sys; print(*[module.__file__ for name, module in sys.modules.items() if "
        "name.startswith('course_lib')], sep='\\n')"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", f"{code}; {told}"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\n")
    files = {Path(line) for line in loaded if line}
    assert len(files) > 3 and files <= set(notebooks.dependencies(code))


def test_a_page_depends_on_the_widgets_it_names_and_not_on_all():
    symbols, rooms = ROOT / "course_lib/__init__.py", ROOT / "course_lib/widgets"
    code = "from course_lib.widgets import Surface"
    reached = notebooks.dependencies(code)
    assert {rooms / "surface/__init__.py", rooms / "dist/surface.js", rooms / "dist/surface.css"} <= set(reached)
    assert not [path for path in reached if "attention_by_hand" in str(path)]
    explorer = {path.name for path in notebooks.dependencies("from course_lib.widgets import AttentionExplorer")}
    assert {"train_1_none.json", "adam.json", "default.json", "attention_explorer.worker.js"} <= explorer
    assert b"vocabulary size" not in notebooks.text_of(symbols, code)
    text = notebooks.text_of(symbols, "from course_lib import SYMBOLS")
    assert b"vocabulary size" in text and f'"{__version__}"'.encode() not in text  # a release makes no notebook stale
    but_for_version = [line for line in symbols.read_bytes().splitlines() if not line.startswith(b"__version__")]
    assert [line for line in text.splitlines() if not line.startswith(b"__version__")] == but_for_version


FRESH = """
import os, sys
print(os.environ["COURSE_DATA_DIR"] == os.environ["DATA_WANTED"], "left_behind" in globals(), "course_lib" in \
sys.modules)
import course_lib
left_behind = 1
"""


@pytest.mark.slow
def test_a_kernel_that_starts_at_once_is_as_fresh_as_any(tmp_path):
    """It is forked from a process that has imported others' packages, and none of the course's; nothing of one notebook
    reaches the next."""
    for name in ("one", "two"):
        made = execution.executed(
            nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(FRESH)]),
            tmp_path / name,
            environment={"DATA_WANTED": str(tmp_path / name)},
        )
        assert made.cells[0].outputs[0].text == "True False False\n"


@pytest.mark.slow
def test_a_kernel_that_starts_at_once_and_dies_is_missed(tmp_path):
    ended = nbformat.v4.new_notebook(
        cells=[nbformat.v4.new_code_cell(code) for code in ("import os; os._exit(3)", "print('never')")]
    )
    with pytest.raises(DeadKernelError):
        execution.executed(ended, tmp_path)


CATCHES = """
import ipywidgets
box = ipywidgets.Output()
with box:
    print("caught")
with box:
    print("and more")
box
"""


def test_what_an_output_widget_catches_is_kept_and_not_sent_where_the_end_of_the_cell_is_awaited(tmp_path, monkeypatch):
    """A message sent there may hide the cell's end from asyncio: the notebook then waits until its timeout."""
    from nbclient.output_widget import OutputWidget

    sent = []
    monkeypatch.setattr(OutputWidget, "send", lambda *message, **more: sent.append(message))
    notebook = execution.executed(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(CATCHES)]), tmp_path)
    states = notebook.metadata.widgets[notebooks.STATE]["state"].values()
    caught = next(state["state"]["outputs"] for state in states if state["model_name"] == "OutputModel")
    assert [output["text"] for output in caught] == ["caught\nand more\n"] and sent == []


def test_figures_count_by_value_and_all_else_to_the_letter():
    packed = {"bdata": base64.b64encode(np.array([1.23456, -1e-15])).decode(), "dtype": "f8"}
    figure = {notebooks.FIGURE: {"x": [1.2349, 2], "y": packed, "uid": "random"}, "text/plain": "1.23456"}
    found = notebooks.by_value(figure, within_figure=False)
    assert found == {notebooks.FIGURE: {"x": [1.2351, 2], "y": [1.2339, 0]}, "text/plain": "1.23456"}
    for x, y in (
        ([1.24, 2], [1.23456, 0]),
        ([1.2349, 2], [1.23456, 2e-4]),
        ([1.2349, 2.01], [1.23456, 0]),
        ([1.2349, "2"], [1.23456, 0]),
    ):
        assert found != {notebooks.FIGURE: {"x": x, "y": y}, "text/plain": "1.23456"}
    assert notebooks.by_value([float("nan"), float("inf")]) == [float("nan"), float("inf")]
    assert notebooks.by_value([float("nan"), float("inf")]) != [0.0, float("inf")]
    assert notebooks.by_value({"value": 1.23456, "uid": 1}, within_figure=False) != {"value": 1.23457, "uid": 1}


def test_numbers_stand_on_one_line_and_nothing_else_changes():
    value = {"x": [1, -2.5e-7], "text": ["[\n 1\n]"], "none": [], "pair": [[1], [2]]}
    text = notebooks.first_cell.compact(json.dumps(value, indent=1))
    assert json.loads(text) == value and "[1,-2.5e-07]" in text and len(text.splitlines()) == 11


def test_another_text_widget_or_datum_is_a_difference(tmp_path):
    path = ROOT / "book/index.ipynb"
    assert notebooks.differences(path, path.read_text(), tmp_path) == []
    stored = json.loads(path.read_text())
    state = next(iter(stored["metadata"]["widgets"].values()))["state"]
    next(iter(state.values()))["state"]["another"] = 1
    assert notebooks.differences(path, json.dumps(stored), tmp_path) == [path]
    stored = json.loads(path.read_text())
    next(cell for cell in stored["cells"] if cell.get("outputs"))["outputs"] += [
        {"output_type": "stream", "name": "stdout", "text": "x"}
    ]
    assert notebooks.differences(path, json.dumps(stored), tmp_path) == [path]
    blob = next(notebooks.DATA.glob("*.json"))
    (tmp_path / blob.name).write_bytes(blob.read_bytes())
    assert notebooks.differences(path, path.read_text(), tmp_path) == []
    (tmp_path / blob.name).write_bytes(blob.read_bytes() + b" ")
    assert notebooks.differences(path, path.read_text(), tmp_path) == [blob]


def test_lab_blanks_hold_no_solution():
    blanks = [path for path in JOBS if path.parent.name == "labs"]
    assert blanks
    for path in blanks:
        tags = [cell["metadata"].get("tags", []) for cell in json.loads(path.read_text())["cells"]]
        assert any("blank" in each for each in tags) and not any("solution" in each for each in tags)
        solved = json.loads((path.parent / "solutions" / path.name).read_text())["cells"]
        assert any("solution" in cell["metadata"].get("tags", []) for cell in solved)
        verdicts = [
            output["data"]["text/markdown"]
            for cell in solved
            for output in cell.get("outputs", [])
            if "text/markdown" in output.get("data", {})
        ]
        assert verdicts and all("✓" in "".join(each) for each in verdicts)


def test_a_page_that_warns_is_not_made():
    cell = nbformat.v4.new_code_cell(
        "warn()", outputs=[nbformat.v4.new_output("stream", name="stderr", text="UserWarning: no")]
    )
    with pytest.raises(ValueError, match=r"wrote to stderr:\nwarn\(\)\nUserWarning: no"):
        notebooks.refuse_warnings(nbformat.v4.new_notebook(cells=[cell]))
