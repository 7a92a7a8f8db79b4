"""The tests, stage after stage; at the end, how long each stage took and the twenty slowest tests.

    python -m tools.suite.stages check      before each commit: lint, stale notebooks, tests that need neither the built book nor a browser
    python -m tools.suite.stages            everything: lint, the book built once, all tests, all notebooks, Chromium, Firefox, WebKitGTK, JupyterLab

Every stage runs, whatever became of the one before it; the exit status is 1 where any failed. The stages form two rows, which run
beside each other: where the tests of one wait, for a browser, a kernel or their last worker, the cores work for the other. What a
stage says is shown when it has ended.
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
UNIT = "not book and not browser and not engine and not jupyter and not lite"


class Stage(NamedTuple):
    """`command` runs in the checkout; a stage with `report` is pytest's and writes there what each test took. It begins when the one
    before it in its row has ended."""

    name: str
    command: list[str]
    report: Path | None = None


def pytest(name: str, folder: Path, workers: int, arguments: list[str], distribution: str = "loadfile") -> Stage:
    report = folder / f"{name}.xml"
    spread = ["-n", str(workers), "--dist", distribution]
    return Stage(name, [PYTHON, "-m", "pytest", *spread, f"--junitxml={report}", "-o", "junit_duration_report=total", *arguments], report)


def stages(kind: str, folder: Path) -> list[list[Stage]]:
    """The rows of stages of `make check` ("check") or of `make test` ("")."""
    lint = Stage("lint", ["make", "--no-print-directory", "lint"])
    unit = pytest("unit", folder, CORES, ["-m", UNIT, "tests"])
    if kind == "check":
        return [[lint, unit]]
    html = folder / "_build" / "html"
    book = f"--book={html}"
    return [
        [
            lint,
            Stage("build", [PYTHON, "-m", "tools.book.build", str(folder)]),
            pytest("browser", folder, CORES + 1, ["-m", "(book or browser) and not engine and not jupyter and not lite", book, "tests/book", BROWSER], "worksteal"),
            pytest("engines", folder, CORES + 1, ["-m", "(engine or jupyter) and not every_engine", book, BROWSER], "loadgroup"),
        ],
        [pytest("notebooks", folder, CORES, NBVAL), unit],
    ]


def slowest(reports: list[Path]) -> list[tuple[float, str]]:
    """Seconds and name of the slowest tests of these reports. A test's time is that of its set-up, its call and its end."""
    cases = [case for path in reports if path.exists() for case in ElementTree.parse(path).iter("testcase")]
    found = [(float(case.get("time", 0)), f"{case.get('classname', '')}::{case.get('name', '')}") for case in cases]
    return sorted(found, reverse=True)[:SLOWEST]


def run(rows: list[list[Stage]]) -> int:
    took, failed = {}, []
    begun, telling = time.monotonic(), threading.Lock()
    given_up = threading.Event()

    def work(row: list[Stage]) -> None:
        for stage in row:
            if given_up.is_set():
                return
            print(f"{stage.name} begins", flush=True)
            since = time.monotonic()
            with tempfile.TemporaryFile("w+") as said:
                status = subprocess.run(stage.command, cwd=ROOT, env=os.environ | ENVIRONMENT, stdout=said, stderr=subprocess.STDOUT).returncode
                took[stage.name] = time.monotonic() - since
                said.seek(0)
                with telling:
                    print(f"\n{stage.name}: {' '.join(stage.command)}\n{said.read()}", flush=True)
            if status:
                failed.append(stage.name)

    threads = [threading.Thread(target=work, args=(row,)) for row in rows]
    for thread in threads:
        thread.start()
    try:
        for thread in threads:
            thread.join()
    except KeyboardInterrupt:  # which every command has heard, too
        given_up.set()
        raise
    print("\nslowest tests")
    for seconds, name in slowest([stage.report for row in rows for stage in row if stage.report]):
        print(f"{seconds:7.1f} s  {name}")
    print("\nstages, those of a row one after the other")
    for row in rows:
        for stage in row:
            print(f"{took[stage.name]:7.1f} s  {stage.name}{'  FAILED' if stage.name in failed else ''}")
    print(f"{time.monotonic() - begun:7.1f} s  whole, {CORES} cores")
    return int(bool(failed))


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["check"]):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(run(stages("".join(sys.argv[1:]), Path(scratch))))
