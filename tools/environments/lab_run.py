"""Notebooks, each run from its first cell to its last in a kernel of its own: what its checks said.

    python -m tools.environments.lab_run [NOTEBOOK …]        with this Python; default every lab, blank and solved
    python -m tools.environments.lab_run --python PATH       with another environment's
    python -m tools.environments.lab_run --offline           without a network (Linux)

A notebook passes if no cell raises and its exercises say what they say in the stored notebook: ✓, ✗ or ? at the same
places. So a solved lab passes only if every solution is found right, whatever the last decimals are. The kernel gets
one thread, an empty home and an empty working folder. Used by tools/environments/noxfile.py.
"""

import argparse
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from tools.notebooks.execution import KERNEL, client
from tools.repository import ROOT

TIMEOUT = 240  # seconds a cell
# A network of its own, in which there is nothing. The kernel is spoken to through files.
NO_NETWORK = ("unshare", "--map-root-user", "--net")


def verdicts(notebook) -> list[str]:
    """What the notebook's checks say, in order: ✓, ✗ or ? at the head of a verdict."""
    shown = [
        "".join(output.get("data", {}).get("text/markdown", ""))
        for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
    ]  # fmt: skip
    return [found[1] for text in shown if (found := re.match(r"\*\*([✓✗?])\*\*", text))]


def run(path: Path, python: str = sys.executable, *, timeout: int = TIMEOUT) -> tuple[str, nbformat.NotebookNode]:
    """Why the notebook fails, "" where it passes; and the executed one."""
    notebook, why = nbformat.read(path, as_version=4), ""
    expected = verdicts(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    with tempfile.TemporaryDirectory() as folder:
        home, work = Path(folder, "home"), Path(folder, "work")
        home.mkdir()
        work.mkdir()
        spec = Path(folder, "jupyter", "kernels", "lab")
        spec.mkdir(parents=True)
        argv = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        (spec / "kernel.json").write_text(
            json.dumps({"argv": argv, "display_name": "lab", "language": "python"}), encoding="utf-8"
        )
        os.environ["JUPYTER_PATH"] = str(spec.parents[1])
        ours = (
            () if python == sys.executable else ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
        )  # another environment has its own course
        environment = {name: value for name, value in os.environ.items() if name not in ours}
        environment |= KERNEL | {"PYTHONNOUSERSITE": "1", "HOME": str(home)}
        try:
            client(notebook, work, timeout=timeout, kernel_name="lab").execute(env=environment)
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as failed:
            why = f"{type(failed).__name__}: {failed}".strip()
    found = verdicts(notebook)
    if not why and found != expected:
        place = next(
            (i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), min(len(found), len(expected))
        )
        why = (
            f"the checks say {' '.join(found) or 'nothing'}, stored are {' '.join(expected) or 'none'}: they "
            f"part at check {place + 1}"
        )
    return why, notebook


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebooks", type=Path, nargs="*", default=sorted((ROOT / "labs").rglob("*.ipynb")))
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--offline", action="store_true")
    options = parser.parse_args()
    if options.offline:
        again = [
            sys.executable,
            "-m",
            "tools.environments.lab_run",
            *(each for each in sys.argv[1:] if each != "--offline"),
        ]
        os.execvp(NO_NETWORK[0], [*NO_NETWORK, *again])
    failed = False
    for path in options.notebooks:
        begun = time.monotonic()
        why, _ = run(path, options.python)
        failed |= bool(why)
        print(f"{'FAILED' if why else 'ok'}  {path}, {time.monotonic() - begun:.1f} s  {why}".rstrip(), flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
