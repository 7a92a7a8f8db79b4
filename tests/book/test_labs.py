"""What every lab is: a goal, what it needs, a time a session has, and a last question without a single answer."""

import re
import subprocess
import sys

import pytest

from tools.repository import ROOT

LABS = sorted((ROOT / "labs").glob("*.myst.md"))


def faults(text: str) -> list[str]:
    """What a lab's source lacks."""
    found = []
    frame = re.search(r"```\{admonition\} What this lab is\n(.*?)```", text, re.S)
    words = frame[1] if frame else ""
    if not re.search(r"\*\*Goal\*\*: \w", words):
        found.append("no goal")
    if not re.search(r"\*\*You need\*\*.*\]\(\S+\)", words):
        found.append("needs nothing that one can go to")
    time = re.search(r"\*\*It takes\*\* (?:about )?(\d+)(?: to (\d+))? minutes", words)
    if time is None or not 45 <= int(time[1]) <= int(time[2] or time[1]) <= 90:
        found.append("its time is not within 45 and 90 minutes")
    parts = [part for part in re.split(r"^## ", text, flags=re.M)[1:] if not part.startswith("Sources")]
    if not parts or "question without a single answer" not in parts[-1].split("\n")[0]:
        found.append("its last part is no question without a single answer")
    elif "?" not in parts[-1].split("\n", 1)[1]:
        found.append("its last part asks nothing")
    return found


@pytest.mark.parametrize("path", LABS, ids=lambda path: path.name.split(".")[0])
def test_a_lab_says_what_it_is_and_ends_open(path):
    assert faults(path.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("right", "wrong", "fault"),
    [
        ("**Goal**: ", "**Aim**: ", "goal"),
        ("60 to 90 minutes", "60 to 120 minutes", "time"),
        ("60 to 90 minutes", "an hour", "time"),
        ("A question without a single answer", "One more", "question"),
    ],
)
def test_the_check_sees_what_is_missing(right, wrong, fault):
    text = (ROOT / "labs" / "sequence_to_sequence.myst.md").read_text(encoding="utf-8")
    assert right in text and any(fault in each for each in faults(text.replace(right, wrong)))


# ---- the labs that use NumPy only: they run where there is no torch, in the browser
# The code cells that hold imports run in a fresh interpreter in which torch cannot be found.
PROGRAM = """
import ast, sys
import jupytext

class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] == "torch":
            raise ModuleNotFoundError("torch is not here", name="torch")

sys.meta_path.insert(0, NoTorch())
notebook = jupytext.read(sys.argv[1], fmt="md:myst")
names = 0
for cell in notebook.cells:
    if cell.cell_type == "code":
        for statement in ast.walk(ast.parse(cell.source)):
            if isinstance(statement, ast.Import | ast.ImportFrom):
                exec(compile(ast.Module([statement], []), "cell", "exec"), space := {})
                names += len(space) - 1
                for value in list(space.values()):  # what is loaded on first use
                    getattr(value, "__doc__", None)
assert names > 5, names
assert "torch" not in sys.modules
print("light")
"""


@pytest.mark.slow
@pytest.mark.parametrize("lab", ("universality", "gaussian_attention", "autograd"))
def test_a_numpy_lab_imports_no_torch(lab):
    path = ROOT / "labs" / f"{lab}.myst.md"
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0 and done.stdout.strip() == "light", done.stderr


@pytest.mark.slow
def test_the_check_sees_torch(tmp_path):
    lab = tmp_path / "heavy.myst.md"
    lab.write_text(
        (ROOT / "labs" / "universality.myst.md")
        .read_text(encoding="utf-8")
        .replace("import numpy as np\n", "import numpy as np\nimport torch\n"),
        encoding="utf-8",
    )
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(lab)], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode != 0 and "torch is not here" in done.stderr
