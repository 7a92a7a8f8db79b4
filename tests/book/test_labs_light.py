"""The labs that use NumPy only: they must not import torch, so that they also run where there is none (in the browser)."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LABS = ("universality", "gaussian_attention", "autograd")

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


@pytest.mark.parametrize("lab", LABS)
def test_a_numpy_lab_imports_no_torch(lab):
    path = ROOT / "labs" / f"{lab}.myst.md"
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode == 0 and done.stdout.strip() == "light", done.stderr


def test_the_check_sees_torch(tmp_path):
    lab = tmp_path / "heavy.myst.md"
    lab.write_text((ROOT / "labs" / "universality.myst.md").read_text(encoding="utf-8").replace("import numpy as np\n", "import numpy as np\nimport torch\n"), encoding="utf-8")
    done = subprocess.run([sys.executable, "-c", PROGRAM, str(lab)], cwd=ROOT, capture_output=True, text=True, timeout=600)
    assert done.returncode != 0 and "torch is not here" in done.stderr
