"""Imports point one way: a module is a concept, and theory knows no model."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "course_lib"

# What each part may import from course_lib; everything may import `checks` and `parameters`. Parts not built yet are listed too: a new
# module without a line here fails the test.
MAY_IMPORT = {
    "checks": set(),
    "parameters": set(),
    "whole": set(),
    "checkpoint": {"whole"},
    "attention": set(),
    "scores": set(),
    "efficient": {"attention"},
    "costs": set(),
    "recurrent": {"attention", "scores"},
    "transformer": {"attention"},
    "decoding": set(),
    "text": set(),
    "training": {"checkpoint"},
    "neurons": set(),
    "optimisers": set(),
    "descent": {"optimisers"},
    "backprop": set(),
    "gradients": {"recurrent"},
    "alignments": {"scores"},
    "probes": {"recurrent", "text"},
    "bleu": set(),
    "translation": {"decoding", "text"},
    "shipped": {"transformer", "recurrent", "text", "whole"},
    "pretrained": {"attention"},
    "results": {"long_work", "whole"},
    "long_work": set(),
    "tasks": set(),
    "ablation": {"attention", "bleu", "published", "results", "text", "training", "transformer", "translation"},
    "universal": {"attention", "heads"},
    "sources": set(),
    "published": set(),
    "memoryless": {"attention", "checkpoint", "published", "sources"},
    "heads": set(),
    "incontext": {"heads"},
    "approximation": set(),
    "gaussian": {"heads"},
    "spectra": set(),
    "palette": set(),
    "axes": set(),
    "plots": {"axes", "palette"},
    "answers": set(),
    "exercises": {"answers"},
    "graphs": {"attention", "transformer", "memoryless", "recurrent", "tasks", "shipped"},
    "widgets": {"descent", "exercises", "optimisers", "published", "sources", "tasks"},
}
NUMPY_ONLY = ("descent", "optimisers", "published", "sources", "heads", "incontext", "approximation", "gaussian", "spectra", "costs", "axes", "palette", "plots", "answers", "exercises", "checks", "long_work", "results", "widgets")


def part(path: Path) -> str:
    first = path.relative_to(PACKAGE).parts[0]
    return first.removesuffix(".py")


def imports(path: Path) -> set[str]:
    """First names of the course_lib parts that a file imports, relative imports resolved."""
    package = path.relative_to(ROOT).parent.parts
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {tuple(alias.name.split(".")) for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = (*above, *(node.module or "").split("."))
            found |= {(*module, alias.name) for alias in node.names}
    return {name[1] for name in (tuple(filter(None, each)) for each in found) if name[0] == "course_lib" and len(name) > 1}


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    name = part(path)
    assert name in MAY_IMPORT, f"course_lib/{name} has no line in MAY_IMPORT"
    known = {each for each in imports(path) if each in MAY_IMPORT}
    assert known <= MAY_IMPORT[name] | {name, "checks", "parameters"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_is_one_idea(path):
    assert len(path.read_text().splitlines()) <= 300


def test_modules_without_torch_load_none():
    names = [name for name in NUMPY_ONLY if (PACKAGE / name).exists() or (PACKAGE / f"{name}.py").exists()]
    code = f"import importlib, sys\nfor n in {names}: importlib.import_module('course_lib.' + n)\nprint('torch' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def siblings(path: Path, names: set[str]) -> set[str]:
    """Modules of the same folder that a file imports, also inside its functions."""
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    found = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    for node in nodes:
        if isinstance(node, ast.ImportFrom):
            found |= {node.module} if node.module else {alias.name for alias in node.names}
    return (found & names) - {path.stem}


@pytest.mark.parametrize("folder", ["tools", "book/_ext/course_book"])
def test_no_two_modules_need_each_other(folder):
    """Commands and extension: an import inside a function hides a circle and does not open it."""
    files = {path.stem: path for path in (ROOT / folder).glob("*.py") if path.stem != "__init__"}
    order = TopologicalSorter({name: siblings(path, set(files)) for name, path in files.items()}).static_order()
    assert set(order) == set(files)  # CycleError names a circle
