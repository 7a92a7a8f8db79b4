"""Every lab, solved and with its blanks, as a user will meet it: with the newest packages, with the oldest, with Colab's, and without a network.

    python -m tools.environments.test_all                              all labs in all environments    (make test-all)
    python -m tools.environments.test_all oldest --labs 05 06          some
    python -m tools.environments.test_all --torch ==2.13.0             with this torch in all of them
    python -m tools.environments.test_all --force                      also what has passed before

    newest    everything as new as pyproject.toml allows, on the Python that runs this command
    oldest    everything that pyproject.toml names as old as it allows, on Python 3.11
    colab     what Colab has installed (colab.txt), on its Python 3.13; torch is ours, 2.13.0, since Colab's own comes from no index
    offline   newest, and no network after installation: a network of its own with loopback only where the system gives one, else
              a guard that refuses connections; the table says which

A lab passes if it runs through and its checks say what they say in the stored notebook (tools/environments/lab_run.py). What has passed is not run
again while the lab, the parts of course_lib that it imports and the environment stay the same. Results, executed notebooks and the table
(report.md) are kept in _build/test_all/. Needs uv (requirements-uv.txt) and, while environments are made, the package index.
"""

import argparse
import hashlib
import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import nbformat

from course_lib import long_work, whole
from tools.environments import environments, lab_run
from tools.environments.environments import Ready, Wanted
from tools.notebooks import make as notebooks

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "_build" / "test_all"
NAMES = ("newest", "oldest", "colab", "offline")
COLAB = Path(__file__).with_name("colab.txt")
OLDEST_PYTHON, COLAB_PYTHON, COLAB_TORCH = "3.11", "3.13", "torch==2.13.0"
MINUTES = 20  # all labs in all environments, on one quiet core, once the environments are there


class Run(NamedTuple):
    """A notebook in an environment."""

    notebook: Path
    name: str  # of the environment, one of NAMES
    ready: Ready
    network: tuple[str, ...] | None = None  # None: as it is; else the words that take it away, () for the guard

    @property
    def how(self) -> str:
        return "" if self.network is None else "network namespace" if self.network else "guard"

    @property
    def lab(self) -> str:
        return ("solutions/" if self.notebook.parent.name == "solutions" else "") + self.notebook.stem

    @property
    def stored(self) -> Path:
        return FOLDER / self.name / (self.lab.replace("/", "_") + ".json")


def wanted(names: list[str], torch: str = "", python: str = "") -> dict[str, Wanted]:
    """The environments to be made for these names: offline runs in newest's."""
    extra = (f"torch{torch}",) if torch else ()
    newest = Wanted("newest", "highest", sys.executable, extra)
    kinds = {
        "newest": newest,
        "offline": newest,
        "oldest": Wanted("oldest", "lowest-direct", python or OLDEST_PYTHON, extra),
        "colab": Wanted("colab", "highest", python or COLAB_PYTHON, extra or (COLAB_TORCH,), COLAB),
    }
    return {name: kinds[name] for name in names}


def labs(chosen: list[str]) -> list[Path]:
    """Blank and solved, lab by lab; `chosen` are beginnings of names, none for all."""
    names = sorted(path.name for path in (ROOT / "labs").glob("*.ipynb"))
    names = [name for name in names if not chosen or name.startswith(tuple(chosen))]
    if not names:
        sys.exit(f"--labs must begin like one of {', '.join(sorted(p.stem for p in (ROOT / 'labs').glob('*.ipynb')))}, got {' '.join(chosen)}")
    return [ROOT / "labs" / part / name for name in names for part in ("", "solutions")]


def key(run: Run) -> str:
    """Changes with the lab, the files of course_lib that it reaches, the environment's packages and Python, and the way offline."""
    cells = nbformat.read(run.notebook, as_version=4)
    code = "\n".join(cell.source for cell in cells.cells if cell.cell_type == "code")
    digest = hashlib.sha256("\n".join([code, *lab_run.verdicts(cells), run.name, run.how, run.ready.lock, version(run.ready.python)]).encode())
    for path in notebooks.dependencies(code):
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def version(python: Path) -> str:
    """As pyvenv.cfg of its environment says it."""
    config = python.parents[1] / "pyvenv.cfg"
    return next((line for line in config.read_text(encoding="utf-8").split("\n") if line.startswith("version")), "") if config.exists() else sys.version


def before(run: Run) -> dict[str, Any] | None:
    """What an earlier call has found, if the lab passed and nothing has changed."""
    if not run.stored.exists():
        return None
    found = json.loads(run.stored.read_text(encoding="utf-8"))
    return found if found["ok"] and found["key"] == key(run) else None


def perform(run: Run) -> dict[str, Any]:
    """Run it in a process of its own, keep what came of it, whole or not at all, and the executed notebook beside it."""
    command = lab_run.offline(run.notebook, str(run.ready.python), run.network) if run.network is not None else [*lab_run.ITSELF, str(run.notebook.resolve()), "--python", str(run.ready.python)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    try:
        found = json.loads(done.stdout.strip().split("\n")[-1])
    except ValueError:
        found = {"ok": False, "why": f"the runner failed\n{done.stderr.strip()}", "start": None, "cells": [], "total": None, "notebook": ""}
    run.stored.parent.mkdir(parents=True, exist_ok=True)
    run.stored.with_suffix(".ipynb").write_text(found.pop("notebook"), encoding="utf-8")
    run.stored.with_suffix(".log").write_text(found["why"] + "\n", encoding="utf-8")
    found |= {"lab": run.lab, "environment": run.name, "network": run.how, "key": key(run)}
    whole.write(run.stored, json.dumps(found, ensure_ascii=False))
    return found


def line(found: dict[str, Any]) -> str:
    """A row of the table."""
    cells = found["cells"]
    slowest = f"{max(cells):.1f} (cell {cells.index(max(cells)) + 1})" if cells else "–"
    numbers = [f"{found[name]:.1f}" if found[name] is not None else "–" for name in ("start", "total")]
    return f"| {found['lab']} | {found['environment']} | {'ok' if found['ok'] else '**failed**'} | {numbers[0]} | {slowest} | {numbers[1]} |"


def report(found: list[dict[str, Any]], ready: dict[str, Ready]) -> str:
    """The table, what was used, and why anything failed."""
    text = ["| lab | environment | | first cell has run, s | slowest cell, s | all, s |", "|---|---|---|--:|--:|--:|", *map(line, found), ""]
    direct = {requirement.split(">")[0] for requirement in environments.ranges()}
    for name, each in ready.items():
        packages = [pin for pin in each.lock.split() if pin.split("==")[0] in direct]
        how = next((f" No network: {row['network']}." for row in found if row["environment"] == name and row["network"]), "")
        text.append(f"{name}: Python {version(each.python).split('=')[-1].strip()}, {', '.join(packages)}.{how}")
    for each in found:
        if not each["ok"]:
            text += ["", f"### {each['lab']}, {each['environment']}", "```", each["why"], "```"]
    return "\n".join(text) + "\n"


def matrix(runs: list[Run], force: bool, do: Callable[[Run], dict[str, Any]] = perform) -> list[dict[str, Any]]:
    """Every run's result, in order: kept ones, and those that have to be done now."""
    kept = {run: None if force else before(run) for run in runs}
    todo = [run for run in runs if kept[run] is None]
    minutes = MINUTES * len(runs) / max(1, len(labs([])) * len(NAMES))
    for run in long_work.runs(todo, done=len(runs) - len(todo), minutes=minutes, unit="lab"):
        kept[run] = do(run)
        long_work.tell(line(kept[run]))
    return [kept[run] for run in runs]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("environments", nargs="*", metavar="ENVIRONMENT", help=f"of {', '.join(NAMES)}; default all")
    parser.add_argument("--labs", nargs="+", default=[], metavar="NAME", help="beginnings of names; default all")
    parser.add_argument("--torch", default="", metavar="SPEC", help="narrows the range for all environments, as in ==2.13.0")
    parser.add_argument("--python", default="", help="a version or a path, for oldest and colab; default 3.11 and 3.13")
    parser.add_argument("--force", action="store_true", help="run also what has passed before")
    options = parser.parse_args()
    names = options.environments or list(NAMES)
    if unknown := set(names) - set(NAMES):
        parser.error(f"ENVIRONMENT must be one of {', '.join(NAMES)}, got {', '.join(sorted(unknown))}")
    ready, made = {}, {}
    for name, each in wanted(names, options.torch, options.python).items():
        if each.name not in made:
            begun = time.monotonic()
            long_work.tell(f"{each.name}: resolving and installing (minutes the first time, seconds afterwards)")
            made[each.name] = environments.make(each, FOLDER / "environments")
            long_work.tell(f"{each.name}: ready after {long_work.spoken(time.monotonic() - begun)}")
        ready[name] = made[each.name]
    cut = lab_run.namespace() if "offline" in names else None
    runs = [Run(path, name, ready[name], cut if name == "offline" else None) for path in labs(options.labs) for name in names]
    found = matrix(runs, options.force)
    text = report(found, ready)
    (FOLDER / "report.md").write_text(text, encoding="utf-8")
    print(text)
    return 0 if all(each["ok"] for each in found) else 1


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main, "every lab that has passed is kept; the same command goes on from there"))
