"""Notebooks from their edited sources: x.myst.md → x.ipynb, executed, outputs stored, the same bytes every time.

    python -m tools.notebooks.make                make what changed        (make notebooks)
    python -m tools.notebooks.make --force        make all
    … PATH.myst.md …                         only these

A notebook stores the key of what it was made from: its source, and the modules of course_lib which its cells import,
with all that those import in turn. A lab's source holds the solutions: cells tagged `solution` go to labs/solutions/
only, cells tagged `blank` (what the learner starts from) only to labs/.
"""

import argparse
import ast
import base64
import hashlib
import json
import math
import re
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path

import jupytext
import nbformat
import numpy as np

from course_lib import widgets
from tools.notebooks import first_cell
from tools.notebooks.execution import executed
from tools.repository import Repository

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "book" / "data" / "widgets"
# The data that a module reads, as patterns below course_lib.
DATA_OF = {
    "course_lib.published": ("published/tables.csv", "published/worked_example.json"),
    "course_lib.shipped": ("models/*.safetensors",),
    "course_lib.text.corpora": ("text/data/*.gz",),
    "course_lib.widgets.attention_by_hand": ("widgets/graphs/attend_by_hand.json",),
    "course_lib.widgets.attention_explorer": ("widgets/graphs/train_*.json", "widgets/graphs/adam.json"),
    "course_lib.widgets.context_answers": ("widgets/graphs/in_context_*.json",),
    "course_lib.widgets.gradient_flow": ("widgets/graphs/gradient_*.json",),
    "course_lib.widgets.source_trainer": ("widgets/graphs/memoryless*.json", "widgets/graphs/adam_averaged.json"),
    "course_lib.widgets.shipped_data": ("models/*.safetensors", "widgets/graphs/read_*.json"),
}
# A list that grows with every page and reaches no output.
LISTS = {"course_lib/__init__.py": {"SYMBOLS"}}
# Nor does the version: a key reads it as it was when keys began, and a release makes no notebook again.
VERSION, AS_BEGUN = re.compile(r'^__version__ = "[^"]+"$', re.M), '__version__ = "0.1.0"'
STATE = "application/vnd.jupyter.widget-state+json"
VIEW = "application/vnd.jupyter.widget-view+json"
FIGURE = "application/vnd.plotly.v1+json"
# How far apart two numbers of a figure may be drawn and still be the same to the eye: figures keep 4 significant
# digits.
FIGURE_SHARE, FIGURE_AMOUNT = 2e-3, 1e-4
JOBS = 2  # notebooks executed at once


def sources() -> list[Path]:
    folders = ("book", "chapters", "labs")
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.myst.md"))


def targets(source: Path) -> dict[Path, str]:
    """Each notebook made from a source, with the tag of the cells it leaves out."""
    name = source.name.removesuffix(".myst.md") + ".ipynb"
    if source.parent == ROOT / "labs":
        return {source.parent / name: "solution", source.parent / "solutions" / name: "blank"}
    return {source.parent / name: ""}


# ------------------------------------------------------------------------------------------------- what it depends on
PARSING = threading.Lock()  # two threads that parse at once may end with a SystemError: seen on Python 3.11


def parsed(code: str) -> ast.Module:
    with PARSING:
        return ast.parse(code)


@cache  # a hundred notebooks import the same modules
def imported(code: str, package: str = "") -> frozenset[str]:
    """Names of course_lib modules (dotted) that this code imports, at any depth of its text.

    `package` is where the code lies, for its relative imports. Imports for type checkers count: a package that loads
    its modules lazily lists them there.
    """
    found = set()
    for node in ast.walk(parsed(code)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = ".".join(package.split(".")[: len(package.split(".")) - node.level + 1]) if node.level else ""
            module = ".".join(filter(None, (above, node.module)))
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return frozenset(name for name in found if name.split(".")[0] == "course_lib")


def module_file(name: str) -> Path | None:
    path = ROOT / name.replace(".", "/")
    for candidate in (path / "__init__.py", path.with_suffix(".py")):
        if candidate.exists():
            return candidate
    return None


def dependencies(code: str) -> list[Path]:
    """Files of course_lib that the code reaches: modules and their data, a widget's bundle and style, stored tables."""
    reached, waiting = set(), list(imported(code))
    reached |= {ROOT / "course_lib" / "results" / f"{table}.json" for table in re.findall(r'\bload\("(\w+)"\)', code)}
    while waiting:
        name = waiting.pop()
        package, _, last = name.rpartition(".")
        if package == "course_lib.widgets" and last in dir(widgets):
            name = f"{package}.{widgets.home(last)}"
        path = module_file(name)
        if path is None or path in reached:
            continue
        reached.add(path)
        text = path.read_text()
        package = name if path.name == "__init__.py" else name.rpartition(".")[0]
        waiting += imported(text, package) | {name.rpartition(".")[0]} - {""}
        if path.parent.parent.name == "widgets":
            reached |= {
                *(ROOT / "course_lib/widgets/dist").glob(f"{path.parent.name}[._]*"),
                *path.parent.glob("*.json"),
            }
        reached |= {file for pattern in DATA_OF.get(name, ()) for file in (ROOT / "course_lib").glob(pattern)}
    return sorted(path for path in reached if path.exists())


def text_of(path: Path, code: str) -> bytes:
    """A file's bytes; without a list of LISTS that the code does not name, and of no version."""
    known = LISTS.get(path.relative_to(ROOT).as_posix())
    if known is None:
        return path.read_bytes()
    lists, text = known - set(re.findall(r"\w+", code)), VERSION.sub(AS_BEGUN, path.read_text())
    if not lists:
        return text.encode()

    def listed(node: ast.stmt) -> bool:
        names = getattr(node, "targets", [getattr(node, "target", None)])
        return any(isinstance(name, ast.Name) and name.id in lists for name in names)

    left_out = {line for node in parsed(text).body if listed(node) for line in range(node.lineno - 1, node.end_lineno)}
    return "\n".join(line for number, line in enumerate(text.split("\n")) if number not in left_out).encode()


def key_of(source: Path, notebook) -> str:
    # without the first cell: the address may change without a notebook being executed again
    code = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "code" and cell.id != first_cell.ID)
    digest = hashlib.sha256(source.read_bytes())
    for path in dependencies(code):
        digest.update(path.relative_to(ROOT).as_posix().encode() + text_of(path, code))
    return digest.hexdigest()[:16]


# ------------------------------------------------------------------------------------------------------------- making
def read(source: Path, left_out: str):
    """The notebook without outputs; cell ids follow from the cells' text."""
    notebook = jupytext.read(source, fmt="md:myst")
    tagged = lambda cell: left_out in cell.metadata.get("tags", [])
    notebook.cells = [cell for cell in notebook.cells if not (left_out and tagged(cell))]
    for cell in notebook.cells:
        if "remove-input" in cell.metadata.get(
            "tags", []
        ):  # an exercise's text holds its solution: folded in Lab and Colab
            cell.metadata |= {"jupyter": {"source_hidden": True}, "cellView": "form"}
    seen: dict[str, int] = {}
    for cell in notebook.cells:
        digest = hashlib.sha256(cell.source.encode()).hexdigest()[:8]
        seen[digest] = seen.get(digest, 0) + 1
        cell.id = digest if seen[digest] == 1 else f"{digest}-{seen[digest]}"
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
            "course": {"source": source.name, "key": key_of(source, notebook)},
        }
    )
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    return first_cell.with_first_cell(notebook, Repository.from_pyproject())


def normalise(notebook) -> str:
    """The notebook's text without what differs by run: timings, addresses, widget ids (numbered in order of view)."""
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)
        if cell.cell_type == "code":
            cell.outputs = joined(cell.outputs)
        for output in cell.get("outputs", []):
            plain = output.get("data", {}).get("text/plain")
            if plain:
                output["data"]["text/plain"] = re.sub(r"0x[0-9a-f]{6,}", "0x0", plain)
    widgets = notebook.metadata.get("widgets", {}).get(STATE)
    order = widget_order(notebook, widgets["state"]) if widgets else []
    text = nbformat.writes(notebook)
    for number, identifier in enumerate(order):
        text = text.replace(identifier, f"{number:032x}")
    if widgets:
        notebook = nbformat.reads(text, as_version=4)
        state = notebook.metadata["widgets"][STATE]
        state["state"] = dict(sorted(state["state"].items()))
        for model in state["state"].values():
            if (
                model["model_name"] == "LayoutModel"
            ):  # a kilobyte of nulls a widget, which are what a layout is without them
                model["state"] = {name: value for name, value in model["state"].items() if value is not None}
        text = nbformat.writes(notebook)
    return first_cell.compact(text) + "\n"


def joined(outputs: list) -> list:
    """One output for what a stream printed in a row: how the kernel cuts it up depends on the clock."""
    result: list = []
    for output in outputs:
        if (
            result
            and output.output_type == "stream"
            and (result[-1].output_type, result[-1].get("name")) == ("stream", output.name)
        ):
            result[-1].text += output.text
        else:
            result.append(output)
    return result


def widget_order(notebook, state: dict) -> list[str]:
    """Widget ids by first appearance, each followed by the widgets it refers to; what is not shown is dropped."""
    order: list[str] = []

    def visit(identifier: str) -> None:
        if identifier in order or identifier not in state:
            return
        order.append(identifier)
        for child in re.findall(r"IPY_MODEL_([0-9a-f]{32})", json.dumps(state[identifier]["state"], sort_keys=True)):
            visit(child)

    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            view = output.get("data", {}).get(VIEW)
            if view:
                visit(view["model_id"])
    for identifier in set(state) - set(order):
        del state[identifier]
    return order


def refuse_warnings(notebook) -> None:
    """ValueError where a cell wrote to stderr: a warning is a fault, and it names files of this machine."""
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            if output.get("name") == "stderr":
                raise ValueError(f"a cell wrote to stderr:\n{cell.source}\n{output.text}")


def make(source: Path, left_out: str, data: Path = DATA) -> str:
    """The executed notebook's text. ValueError where a cell wrote to stderr."""
    notebook = executed(read(source, left_out), data)
    refuse_warnings(notebook)
    return normalise(notebook)


# ------------------------------------------------------------------------------------------------------------ commands
def stored_key(path: Path) -> str | None:
    return json.loads(path.read_text())["metadata"].get("course", {}).get("key") if path.exists() else None


def out_of_date(jobs: dict[Path, tuple[Path, str]]) -> list[Path]:
    return [target for target, (source, tag) in jobs.items() if stored_key(target) != key_of(source, read(source, tag))]


class Drawn(float):
    """A number of a figure. It equals another that the eye cannot tell from it: no rounding stands between two that are
    as near as can be."""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, int | float) or isinstance(other, bool):
            return NotImplemented
        if math.isnan(self) or math.isnan(other):
            return math.isnan(self) and math.isnan(other)
        return self is other or math.isclose(self, other, rel_tol=FIGURE_SHARE, abs_tol=FIGURE_AMOUNT)

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = None


def by_value(value, within_figure: bool = True):
    """JSON whose figures are compared by value: plotly's binary arrays decoded, numbers `Drawn`, random ids dropped.

    Outside a figure (`within_figure` is False until one begins) everything stays as it is.
    """
    if isinstance(value, dict):
        if within_figure and {"bdata", "dtype"} <= value.keys():
            array = np.frombuffer(base64.b64decode(value["bdata"]), dtype=np.dtype(value["dtype"]))
            return by_value(array.tolist())
        return {
            key: by_value(each, within_figure or key == FIGURE)
            for key, each in value.items()
            if not (within_figure and key == "uid")
        }
    if isinstance(value, list | tuple):
        return [by_value(each, within_figure) for each in value]
    return Drawn(value) if within_figure and isinstance(value, int | float) and not isinstance(value, bool) else value


def parts_compared(text: str) -> dict:
    """What must come back the same: text outputs and widget state. Figures count by value: nbval compares those in
    outputs."""
    notebook = nbformat.reads(text, as_version=4)
    outputs = [
        [output.get("text") or output.get("data", {}).get("text/plain") for output in cell.get("outputs", [])]
        for cell in notebook.cells
    ]
    return {"outputs": outputs, "widgets": by_value(notebook.metadata.get("widgets"), within_figure=False)}


def differences(path: Path, text: str, data: Path) -> list[Path]:
    """The stored notebook, where its text outputs or widget state are others in `text`, and those stored data that
    `data` has otherwise."""
    changed = [] if parts_compared(text) == parts_compared(path.read_text()) else [path]
    made = {DATA / blob.name: blob.read_bytes() for blob in data.glob("*")}
    return changed + [blob for blob, content in made.items() if not blob.exists() or blob.read_bytes() != content]


def drop_unused_data() -> None:
    """Data that no stored notebook names any more."""
    used = "".join(path.read_text() for source in sources() for path in targets(source) if path.exists())
    for blob in DATA.glob("*"):
        if blob.stem not in used:
            blob.unlink()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--force", action="store_true")
    parser.add_argument("paths", nargs="*", type=Path)
    options = parser.parse_args()
    chosen = [path.resolve() for path in options.paths] or sources()
    jobs = {target: (source, tag) for source in chosen for target, tag in targets(source).items()}
    stale = list(jobs) if options.force else out_of_date(jobs)
    DATA.mkdir(parents=True, exist_ok=True)

    def build(target: Path) -> bool:
        try:
            text = make(*jobs[target])
        except Exception as failed:  # the others are made all the same
            print(f"{target.relative_to(ROOT)} failed\n{failed}", flush=True)
            return False
        target.parent.mkdir(exist_ok=True)
        target.write_text(text)
        print(f"{target.relative_to(ROOT)}: {len(text):,} bytes", flush=True)
        return True

    with ThreadPoolExecutor(JOBS) as pool:
        made = list(pool.map(build, stale))
    drop_unused_data()
    return int(not all(made))


if __name__ == "__main__":
    sys.exit(main())
