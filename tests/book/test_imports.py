"""Imports point one way: a module is a concept, and theory knows no model."""

import ast
import subprocess
import sys
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

from tools.repository import ROOT

PACKAGE = ROOT / "course_lib"

# What each part may import from course_lib; everything may import `checks` and `parameters`. Parts not built yet are
# listed too: a new module without a line here fails the test.
MAY_IMPORT = {
    "pictures": {"palette"},
    "agreement": set(),
    "tables": set(),
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
    "descent": {"optimisers", "tasks"},
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
    "graphs": {
        "attention",
        "transformer",
        "memoryless",
        "neurons",
        "recurrent",
        "scores",
        "tasks",
        "shipped",
        "universal",
    },
    "widgets": {"descent", "exercises", "optimisers", "published", "sources", "tasks"},
}
NUMPY_ONLY = (
    "descent",
    "optimisers",
    "published",
    "sources",
    "heads",
    "incontext",
    "approximation",
    "gaussian",
    "spectra",
    "costs",
    "axes",
    "palette",
    "plots",
    "answers",
    "exercises",
    "checks",
    "long_work",
    "results",
    "widgets",
)


def imported(path: Path, base: Path = ROOT) -> set[str]:
    """Dotted names that a file below `base` imports, also inside its functions: of `from a import b` both a and a.b."""
    package, found = path.relative_to(base).parent.parts, set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else ()
            module = ".".join(filter(None, (*above, node.module)))
            found |= {module} | {f"{module}.{alias.name}" for alias in node.names}
    return found


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    name = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    assert name in MAY_IMPORT, f"course_lib/{name} has no line in MAY_IMPORT"
    parts = {each.split(".")[1] for each in imported(path) if each.startswith("course_lib.")}
    assert parts & set(MAY_IMPORT) <= MAY_IMPORT[name] | {name, "checks", "parameters"}


LONGER = {"plots.py": 413, "spectra.py": 318}  # laid out with a part a line; these numbers only fall


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_is_one_idea(path):
    assert len(path.read_text().splitlines()) <= LONGER.get(path.name, 300)


def test_modules_without_torch_load_none():
    names = [name for name in NUMPY_ONLY if (PACKAGE / name).exists() or (PACKAGE / f"{name}.py").exists()]
    code = (
        f"import importlib, sys\nfor n in {names}: importlib.import_module('course_lib.' + n)\nprint('torch' "
        f"in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


@pytest.mark.parametrize(
    ("base", "folder", "some"),
    [(ROOT, "tools", "tools.book.launch"), (ROOT / "book/_ext", "course_book", "course_book.ledger_page")],
)
def test_no_two_modules_need_each_other(base, folder, some):
    """Commands and extension: an import inside a function hides a circle and does not open it."""
    files = {
        ".".join(path.relative_to(base).with_suffix("").parts): path
        for path in (base / folder).rglob("*.py")
        if path.stem != "__init__"
    }
    needs = {name: (imported(path, base) & set(files)) - {name} for name, path in files.items()}
    assert needs[some] and set(TopologicalSorter(needs).static_order()) == set(files)  # CycleError names a circle
