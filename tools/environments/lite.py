"""JupyterLite with the labs, for the published book: `python -m tools.environments.lite [BOOK]` writes BOOK/lite
(default _build/html).

    --pyodide PLACE   take Pyodide from the unpacked release or its archive, pyodide-0.27.7.tar.bz2 (default: from npm
                      and PyPI)

Everything that the reader's browser will ask for is put there: JupyterLite, Pyodide, course_lib as a wheel, and the
packages it imports, in the versions of requirements.txt. torch is not among them: there labs/tiny stands in for it. No
request leaves the site.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import nbformat

from tools.book import launch
from tools.environments import lite_parts as parts
from tools.repository import Repository

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / "_build" / "lite-parts"
# The labs that run there; tests/browser/test_lite.py runs them, blank and solved. Their pages offer it.
LABS = (
    "sequence_to_sequence", "attention_scores", "attention_by_hand", "attention_maps", "transformer", "memoryless",
    "universality", "gaussian_attention", "autograd",
)  # fmt: skip
STANDS_IN = (
    "\n\n"
    "*PyTorch does not run in a browser. Here `torch` is the course's own small stand-in for it, written in NumPy and "
    "held to PyTorch by tests, values and gradients; it draws the same random numbers and has only what the labs use. "
    "A last decimal may differ, and cells that train take longer, up to some minutes.*"
)
# JupyterLab's side of what the labs show: the kernel, sliders, the exercises' cards, figures.
EXTENSIONS = (
    "@jupyterlite/pyodide-kernel-extension",
    "@jupyter-widgets/jupyterlab-manager",
    "anywidget",
    "jupyterlab-plotly",
)
PIPLITE = "@jupyterlite/pyodide-kernel-extension:kernel"


def notebook(name: str, folder: str = "labs"):
    """The lab with its blanks, in Markdown that JupyterLab shows, without outputs: here they come when the learner runs
    the cells."""
    made = launch.rendered(ROOT / folder / f"{name}.ipynb", Repository.from_environment(), launch.places())
    for cell in made.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    if any(cell.cell_type == "code" and re.search(r"^import torch$", cell.source, re.M) for cell in made.cells):
        made.cells[0].source += STANDS_IN
    return made


def settings(packages: list[str]) -> dict:
    """jupyter-lite.json: one kernel, which asks nobody but this site. Pyodide and its packages are loaded together, not
    in turn.

    plotly guesses how to show a figure, and guesses wrong here: it would put its whole JavaScript into the notebook.
    """
    options = {"packages": packages, "env": {"PLOTLY_RENDERER": "plotly_mimetype"}}
    kernel = {"disablePyPIFallback": True, "loadPyodideOptions": options}
    data = {
        "appName": "Attention, by hand",
        "faviconUrl": "./notebooks/favicon.ico",
        "litePluginSettings": {PIPLITE: kernel},
    }
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": data}


def prepare(project: Path, cache: Path, pyodide: Path | None) -> None:
    """Lay out what `jupyter lite build` reads: notebooks, settings, Pyodide, wheels, and which extensions to take."""
    (project / "contents" / "solutions").mkdir(parents=True)
    for name in LABS:
        nbformat.write(notebook(name), project / "contents" / f"{name}.ipynb")
        nbformat.write(notebook(name, "labs/solutions"), project / "contents" / "solutions" / f"{name}.ipynb")
    packages = parts.pyodide(project / "static" / "pyodide", cache, pyodide)
    parts.wheels(project / "pypi", cache)
    parts.course_wheel(project / "pypi")
    (project / "jupyter-lite.json").write_text(json.dumps(settings(packages)))
    overrides = {
        "@jupyterlab/apputils-extension:themes": {"adaptive-theme": True},  # light or dark as the reader's system is
        "@jupyterlab/apputils-extension:notification": {"fetchNews": "false"},
        "@jupyterlab/notebook-extension:tracker": {
            "windowingMode": "none"
        },  # all cells are on the page: search and print find them
    }
    (project / "overrides.json").write_text(json.dumps(overrides))
    installed = Path(sys.prefix) / "share" / "jupyter" / "labextensions"
    build = {
        "apps": ["notebooks"],
        "contents": ["contents"],
        "ignore_sys_prefix": ["federated_extensions"],  # else all that is installed here, jupytext's too
        "federated_extensions": [str(installed / each) for each in EXTENSIONS],
        "no_sourcemaps": True,
        "no_unused_shared_packages": True,
        "no_libarchive": True,
    }
    (project / "jupyter_lite_config.json").write_text(json.dumps({"LiteBuildConfig": build}))


def build(book: Path, pyodide: Path | None = None, cache: Path = CACHE) -> Path:
    """Write book/lite and return it. RuntimeError where a part cannot be had, CalledProcessError where JupyterLite does
    not build."""
    lite = book / "lite"
    with tempfile.TemporaryDirectory() as folder:
        project = Path(folder) / "project"
        prepare(project, cache, pyodide)
        command = [
            sys.executable,
            "-m",
            "jupyterlite_core",
            "build",
            "--lite-dir",
            str(project),
            "--output-dir",
            str(project / "_output"),
        ]
        done = subprocess.run(command, cwd=project, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"jupyter lite build failed:\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
        shutil.rmtree(lite, ignore_errors=True)
        shutil.copytree(project / "_output", lite)
    shutil.copy(Path(__file__).with_name("lite_open.html"), lite / "open.html")
    return lite


def weight(folder: Path) -> float:
    """Megabytes of all files."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("book", type=Path, nargs="?", default=ROOT / "_build" / "html")
    parser.add_argument("--pyodide", type=Path, metavar="PLACE", help="an unpacked Pyodide release, or its archive")
    options = parser.parse_args()
    if not options.book.is_dir():
        raise SystemExit(f"{options.book} is no folder: build the book first, with make html")
    try:
        lite = build(options.book.resolve(), options.pyodide)
    except RuntimeError as error:
        raise SystemExit(str(error)) from None
    print(f"{lite}: {weight(lite):.0f} MB")


if __name__ == "__main__":
    main()
