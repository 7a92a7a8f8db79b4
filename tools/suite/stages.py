"""The tests, stage after stage; at the end, how long each stage took and the twenty slowest tests.

    python -m tools.suite.stages check      before each commit: lint, stale notebooks, tests that need neither the built book nor a browser
    python -m tools.suite.stages            everything: lint, the book built once, all tests, all notebooks, Chromium, Firefox, WebKitGTK, JupyterLab

Every stage runs, whatever became of the one before it; the exit status is 1 where any failed. As many workers as cores; twice
as many where tests wait for a browser. The book is built by one process, beside the notebooks.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys.executable
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
NBVAL = ["--nbval", "--nbval-current-env", "--nbval-sanitize-with", "tests/nbval.cfg", "book", "chapters", "labs"]
# One thread a process, so that outputs do not depend on the machine; with one hash seed sets keep their order.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
SLOWEST = 20
BROWSER = "tests/browser"  # the one room of tests that need one
UNIT = "not browser and not engine and not jupyter and not lite"


class Stage(NamedTuple):
    """`command` runs in the checkout; a stage with `report` is pytest's and writes there what each test took. One that is `beside`
    the next runs while that one does, and what it says is shown after it."""

    name: str
    command: list[str]
    report: Path | None = None
    beside: bool = False


def pytest(name: str, folder: Path, workers: int, arguments: list[str], distribution: str = "loadfile") -> Stage:
    report = folder / f"{name}.xml"
    spread = ["-n", str(workers), "--dist", distribution]
    return Stage(name, [PYTHON, "-m", "pytest", *spread, f"--junitxml={report}", "-o", "junit_duration_report=total", *arguments], report)


def stages(kind: str, folder: Path) -> list[Stage]:
    lint = Stage("lint", ["make", "--no-print-directory", "lint"])
    if kind == "check":
        return [lint, pytest("unit", folder, CORES, ["-m", f"{UNIT} and not book", "tests"])]
    html = folder / "_build" / "html"
    return [
        lint,
        Stage("build", [PYTHON, "-m", "tools.book.build", str(folder)], beside=True),
        pytest("notebooks", folder, CORES, NBVAL),
        pytest("unit", folder, CORES, ["-m", UNIT, f"--book={html}", "tests"]),
        pytest("browser", folder, 2 * CORES, ["-m", "browser and not engine and not jupyter and not lite", f"--book={html}", BROWSER], "worksteal"),
        pytest("engines", folder, CORES + 1, ["-m", "(engine or jupyter) and not every_engine", f"--book={html}", BROWSER], "loadgroup"),
    ]


def slowest(reports: list[Path]) -> list[tuple[float, str]]:
    """Seconds and name of the slowest tests of these reports. A test's time is that of its set-up, its call and its end."""
    cases = [case for path in reports if path.exists() for case in ElementTree.parse(path).iter("testcase")]
    found = [(float(case.get("time", 0)), f"{case.get('classname', '')}::{case.get('name', '')}") for case in cases]
    return sorted(found, reverse=True)[:SLOWEST]


def run(todo: list[Stage]) -> int:
    took, failed = {}, []
    begun = time.monotonic()

    def work(stage: Stage, said=None) -> None:
        since = time.monotonic()
        if subprocess.run(stage.command, cwd=ROOT, env=os.environ | ENVIRONMENT, stdout=said, stderr=said and subprocess.STDOUT).returncode:
            failed.append(stage.name)
        took[stage.name] = time.monotonic() - since

    with tempfile.TemporaryFile("w+") as said:
        beside = None
        for stage in todo:
            print(f"\n{stage.name}: {' '.join(stage.command)}", flush=True)
            if stage.beside:
                beside = threading.Thread(target=work, args=(stage, said))
                beside.start()
                continue
            work(stage)
            if beside:
                beside.join()
                said.seek(0)
                print(said.read(), flush=True)
                beside = None
    print("\nslowest tests")
    for seconds, name in slowest([stage.report for stage in todo if stage.report]):
        print(f"{seconds:7.1f} s  {name}")
    print("\nstages")
    for name, seconds in took.items():
        print(f"{seconds:7.1f} s  {name}{'  FAILED' if name in failed else ''}")
    print(f"{time.monotonic() - begun:7.1f} s  whole, {CORES} cores")
    return int(bool(failed))


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["check"]):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(run(stages("".join(sys.argv[1:]), Path(scratch))))
