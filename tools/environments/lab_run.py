"""One notebook, run from its first cell to its last in a kernel of its own: what its checks said, and how long each cell took.

    python -m tools.environments.lab_run NOTEBOOK                       with this Python; one line of JSON
    python -m tools.environments.lab_run NOTEBOOK --python PATH         with another environment's
    python -m tools.environments.lab_run NOTEBOOK --offline             without a network: says which way

A notebook passes if no cell raises and its exercises say what they say in the stored notebook: ✓, ✗ or ? at the same places. So a
solved lab passes only if every solution is found right, whatever the last decimals are. The kernel gets one thread, an empty home and
an empty working folder. Used by tools/environments/test_all.py.
"""

import argparse
import json
import os
import re
import socket
import struct
import subprocess
import sys
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import Any

import nbformat
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from tools.notebooks.execution import KERNEL, client
from tools.repository import ROOT

GUARD = Path(__file__).resolve().parent / "offline"
ITSELF = (sys.executable, "-m", "tools.environments.lab_run")  # runs in the checkout
TIMEOUT = 240  # seconds a cell
# Ways to a network that has loopback only, the one that needs no rights first.
NAMESPACES = (("unshare", "--user", "--map-root-user", "--net"), ("unshare", "--net"))


# ------------------------------------------------------------------------------------------------------------- the run
def verdicts(notebook) -> list[str]:
    """What the notebook's checks say, in order: ✓, ✗ or ? at the head of a verdict."""
    shown = [
        "".join(output.get("data", {}).get("text/markdown", ""))
        for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs
    ]  # fmt: skip
    return [found[1] for text in shown if (found := re.match(r"\*\*([✓✗?])\*\*", text))]


def run(path: Path, python: str = sys.executable, *, guarded: bool = False, timeout: int = TIMEOUT) -> dict[str, Any]:
    """Run the notebook; `guarded` puts the guard against connections into its kernel.

    Gives "ok", "why" (empty where ok), "start": seconds from the kernel's start to the end of the first code cell, "cells": seconds of
    each code cell, "total", and "notebook": the executed one as text.
    """
    for last in (False, True):  # a kernel that died, or did not end, on a loaded machine: once more
        try:
            return once(path, python, guarded, timeout)
        except (CellTimeoutError, DeadKernelError) as failed:
            if last:
                return {"ok": False, "why": f"{type(failed).__name__}: {failed}", "start": None, "cells": [], "total": None, "notebook": ""}
    raise AssertionError("the second try returns")


def once(path: Path, python: str, guarded: bool, timeout: int) -> dict[str, Any]:
    notebook = nbformat.read(path, as_version=4)
    expected = verdicts(notebook)
    for cell in notebook.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    begun, ended = {}, {}

    def note(times: dict[int, float]):
        return lambda cell, cell_index, **_: times.__setitem__(cell_index, time.monotonic())

    with tempfile.TemporaryDirectory() as folder:
        home, work = Path(folder, "home"), Path(folder, "work")
        home.mkdir()
        work.mkdir()
        spec = Path(folder, "jupyter", "kernels", "lab")
        spec.mkdir(parents=True)
        argv = [python, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        (spec / "kernel.json").write_text(json.dumps({"argv": argv, "display_name": "lab", "language": "python"}), encoding="utf-8")
        os.environ["JUPYTER_PATH"] = str(spec.parents[1])
        ours = () if python == sys.executable else ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")  # another environment has its own course
        environment = {name: value for name, value in os.environ.items() if name not in ours}
        environment |= KERNEL | {"PYTHONNOUSERSITE": "1", "HOME": str(home)} | ({"PYTHONPATH": str(GUARD)} if guarded else {})
        runs = client(notebook, work, timeout=timeout, kernel_name="lab", on_cell_execute=note(begun), on_cell_executed=note(ended))
        before, why = time.monotonic(), ""
        try:
            runs.execute(env=environment)
        except CellExecutionError as failed:
            why = str(failed).strip()
    cells = [round(ended[i] - begun[i], 2) for i, cell in enumerate(notebook.cells) if cell.cell_type == "code" and i in ended]
    found = verdicts(notebook)
    if not why and found != expected:
        place = next((i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), min(len(found), len(expected)))
        why = f"the checks say {' '.join(found) or 'nothing'}, stored are {' '.join(expected) or 'none'}: they part at check {place + 1}"
    start = round(min(ended.values()) - before, 2) if ended else None
    total = round(time.monotonic() - before, 2)
    return {"ok": not why, "why": why, "start": start, "cells": cells, "total": total, "notebook": nbformat.writes(notebook)}


# ------------------------------------------------------------------------------------------------------- no network
def raise_loopback() -> None:
    """In a new network nothing is up, not even loopback, through which the kernel is spoken to. Linux; OSError without the right."""
    import fcntl

    get_flags, set_flags, up = 0x8913, 0x8914, 1
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        flags = struct.unpack("16sh14x", fcntl.ioctl(any_socket, get_flags, struct.pack("16sh14x", b"lo", 0)))[1]
        fcntl.ioctl(any_socket, set_flags, struct.pack("16sh14x", b"lo", flags | up))


def alone() -> bool:
    """Whether this process has loopback and nothing else: 192.0.2.1, an address kept for documents, has no route."""
    with socket.socket() as server, socket.socket() as client, socket.socket() as out:
        server.bind(("127.0.0.1", 0))
        server.listen()
        client.connect(server.getsockname())
        out.settimeout(2)
        try:
            out.connect(("192.0.2.1", 80))
        except TimeoutError:
            return False
        except OSError:
            return True
    return False


@cache
def namespace() -> tuple[str, ...]:
    """The words before a command that take its network away; empty where this system gives no process a network of its own."""
    for words in NAMESPACES:
        try:
            if subprocess.run([*words, *ITSELF, "--alone"], cwd=ROOT, capture_output=True, timeout=60).returncode == 0:
                return words
        except (OSError, subprocess.TimeoutExpired):
            continue
    return ()


def offline(path: Path, python: str, before: tuple[str, ...]) -> list[str]:
    """The command that runs a notebook without a network, in the checkout, given what `namespace` found."""
    how = "namespace" if before else "guard"
    return [*before, *ITSELF, str(path.resolve()), "--python", python, "--network", how]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("notebook", type=Path, nargs="?")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--offline", action="store_true")
    parser.add_argument("--network", choices=("all", "namespace", "guard"), default="all", help=argparse.SUPPRESS)
    parser.add_argument("--alone", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.offline:
        return subprocess.run(offline(options.notebook, options.python, namespace()), cwd=ROOT).returncode
    if options.alone or options.network == "namespace":
        raise_loopback()
        if not alone():
            sys.exit("this process still has a network")
        if options.alone:
            return 0
    result = run(options.notebook, options.python, guarded=options.network == "guard") | {"network": options.network}
    print(json.dumps(result, ensure_ascii=False))
    return 0 if result["ok"] else 1


if __name__ == "__main__":
    sys.exit(main())
