"""The tests, stage after stage; at the end the twenty slowest tests, what each stage took, and every test that failed.

    python -m tools.suite.stages check      before each commit: lint, stale notebooks, the quick tests of those that
                                            need neither the built book nor a browser
    python -m tools.suite.stages            everything: lint, the book built once, all tests, all notebooks, Chromium,
                                            Firefox, WebKitGTK, JupyterLab
    python -m tools.suite.stages processors   all notebooks and unit tests as other processors would run them, and with
                                            the last bits of inputs moved

Every stage runs, whatever became of the one before it; the exit status is 1 where any failed. The stages form two rows,
which run beside each other: where the tests of one wait, for a browser, a kernel or their last worker, the cores work
for the other. What a stage says is shown when it has ended.

A stage takes seconds by the clock, which load moves, and core-seconds, by which two machines are compared: its own,
browsers and kernels included (`tools.suite.counted`), and in the last line what the whole machine worked meanwhile,
whoever asked for it.
"""

import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

ROOT = Path(__file__).resolve().parents[2]
PYTHON = sys.executable
CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
NBVAL = [
    "-p",
    "tools.notebooks.nbval_hooks",
    "--nbval",
    "--nbval-current-env",
    "--nbval-sanitize-with",
    "tests/nbval.cfg",
]
NOTEBOOKS = ["book", "chapters", "labs"]
# One thread a process, so that outputs do not depend on the machine; with one hash seed sets keep their order.
ENVIRONMENT = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0"}
# This machine in the place of others: what the libraries beneath may use of its instruction set. Without effect on
# other than x86-64.
OLDEST = {
    "ATEN_CPU_CAPABILITY": "default", "MKL_ENABLE_INSTRUCTIONS": "SSE4_2", "ONEDNN_MAX_CPU_ISA": "SSE41",
    "OPENBLAS_CORETYPE": "Nehalem",
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR",
}  # fmt: skip
AVX2 = {
    "ATEN_CPU_CAPABILITY": "avx2", "MKL_ENABLE_INSTRUCTIONS": "AVX2", "ONEDNN_MAX_CPU_ISA": "AVX2",
    "OPENBLAS_CORETYPE": "Haswell",
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR",
}  # fmt: skip
PROCESSORS = {"oldest": OLDEST, "avx2": AVX2, "own": {}}
# The notebooks in which rounding came furthest before pages promised tolerances: a sample for each run.
SAMPLE = [
    "chapters/00_primer/tensors.ipynb", "chapters/01_encoder_decoder/recurrence.ipynb",
    "chapters/01_encoder_decoder/forward_and_backward.ipynb",
    "chapters/07_after_2017/residual_stream.ipynb", "chapters/04_memoryless/annealing.ipynb",
    "chapters/05_universality/universality.ipynb", "chapters/05_universality/training.ipynb", "labs/memoryless.ipynb",
]  # fmt: skip
SLOWEST = 20
BROWSER = "tests/browser"  # the one room of tests that need one
UNIT = "not book and not browser and not engine and not jupyter and not lite"


class Stage(NamedTuple):
    """`command` runs in the checkout, with `environment` added; a stage with `report` is pytest's and writes there what
    each test took. It begins when the one before it in its row has ended."""

    name: str
    command: list[str]
    report: Path | None = None
    environment: Mapping[str, str] = {}


def pytest(
    name: str,
    folder: Path,
    workers: int,
    arguments: list[str],
    distribution: str = "loadfile",
    environment: Mapping[str, str] = {},
) -> Stage:
    report = folder / f"{name}.xml"
    spread = ["-n", str(workers), "--dist", distribution]
    command = [PYTHON, "-m", "pytest", *spread, f"--junitxml={report}", "-o", "junit_duration_report=total", *arguments]
    return Stage(name, command, report, environment)


def processors(folder: Path) -> list[Stage]:
    """All notebooks and unit tests on every played processor, and the notebooks once more with the last bits of their
    inputs moved."""
    row = []
    for name, environment in PROCESSORS.items():
        row.append(pytest(f"notebooks-{name}", folder, CORES, [*NBVAL, *NOTEBOOKS], environment=environment))
        row.append(pytest(f"unit-{name}", folder, CORES, ["-m", UNIT, "tests"], environment=environment))
    moved = {"COURSE_MOVE_LAST_BITS": "1"}
    return [*row, pytest("notebooks-moved", folder, CORES, [*NBVAL, *NOTEBOOKS], environment=moved)]


def stages(kind: str, folder: Path) -> list[list[Stage]]:
    """The rows of stages of `make check` ("check"), `make processors` ("processors") or `make test` ("")."""
    if kind == "processors":
        return [processors(folder)]
    lint = Stage("lint", ["make", "--no-print-directory", "lint"])
    size = Stage("size", ["make", "--no-print-directory", "size"])
    if kind == "check":
        return [[lint, size, pytest("unit", folder, CORES, ["-m", f"{UNIT} and not slow", "tests"])]]
    unit = pytest("unit", folder, CORES, ["-m", UNIT, "tests"])
    html = folder / "_build" / "html"
    book = f"--book={html}"
    return [
        [
            lint,
            size,
            Stage("build", [PYTHON, "-m", "tools.book.build", str(folder)]),
            pytest(
                "browser",
                folder,
                CORES + 1,
                [
                    "-m",
                    "(book or browser) and not engine and not jupyter and not lite and not weekly",
                    book,
                    "tests/book",
                    BROWSER,
                ],
                "worksteal",
            ),
            pytest(
                "engines", folder, CORES + 1, ["-m", "(engine or jupyter) and not weekly", book, BROWSER], "loadfile"
            ),
        ],
        [
            # A solved lab differs from its blank in functions alone, which tests hold to the lab's own checks: weekly,
            # by `processors`.
            pytest("notebooks", folder, CORES, [*NBVAL, "--ignore=labs/solutions", *NOTEBOOKS]),
            pytest("processors", folder, CORES, [*NBVAL, *SAMPLE], environment=OLDEST),
            unit,
        ],
    ]


def cases(report: Path | None) -> list[ElementTree.Element]:
    """The tests in a report of pytest's."""
    return list(ElementTree.parse(report).iter("testcase")) if report and report.exists() else []


def name_of(case: ElementTree.Element) -> str:
    return f"{case.get('classname', '')}::{case.get('name', '')}"


def slowest(reports: list[Path]) -> list[tuple[float, str]]:
    """Seconds and name of the slowest tests of these reports. A test's time is that of its set-up, its call and its
    end."""
    return sorted(
        ((float(case.get("time", 0)), name_of(case)) for path in reports for case in cases(path)), reverse=True
    )[:SLOWEST]


def failures(stage: Stage) -> list[str]:
    """The tests of a failed stage that failed; where its report names none, the stage itself."""
    named = [
        name_of(case)
        for case in cases(stage.report)
        if case.find("failure") is not None or case.find("error") is not None
    ]
    return [f"{stage.name}: {name}" for name in named] or [stage.name]


def machine() -> float | None:
    """Core-seconds that the whole machine has worked since it started; None where the system does not tell."""
    if not Path("/proc/stat").exists():
        return None
    user, nice, system, _, _, interrupts, soft = map(int, Path("/proc/stat").read_text().split()[1:8])
    return (user + nice + system + interrupts + soft) / os.sysconf("SC_CLK_TCK")


class Took(NamedTuple):
    seconds: float
    core_seconds: float


def run(rows: list[list[Stage]]) -> int:
    took: dict[str, Took] = {}
    failed: list[Stage] = []
    begun, worked, telling = time.monotonic(), machine(), threading.Lock()
    given_up = threading.Event()

    def work(row: list[Stage], folder: Path) -> None:
        for stage in row:
            if given_up.is_set():
                return
            print(f"{stage.name} begins", flush=True)
            since, core_seconds = time.monotonic(), folder / stage.name
            command = [PYTHON, "-m", "tools.suite.counted", str(core_seconds), *stage.command]
            with tempfile.TemporaryFile("w+") as said:
                status = subprocess.run(
                    command,
                    cwd=ROOT,
                    env=os.environ | ENVIRONMENT | stage.environment,
                    stdout=said,
                    stderr=subprocess.STDOUT,
                ).returncode
                took[stage.name] = Took(time.monotonic() - since, float(core_seconds.read_text()))
                said.seek(0)
                with telling:
                    print(f"\n{stage.name}: {' '.join(stage.command)}\n{said.read()}", flush=True)
            if status:
                failed.append(stage)

    with tempfile.TemporaryDirectory() as folder:
        threads = [threading.Thread(target=work, args=(row, Path(folder))) for row in rows]
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
    print("\nstages, those of a row one after the other: seconds, core-seconds")
    for row in rows:
        for stage in row:
            print(
                f"{took[stage.name].seconds:8.1f} {took[stage.name].core_seconds:8.1f}  "
                f"{stage.name}{'  FAILED' if stage in failed else ''}"
            )
    whole = sum(each.core_seconds for each in took.values())
    print(f"{time.monotonic() - begun:8.1f} {whole:8.1f}  whole, {CORES} cores")
    if worked is not None:
        print(f"{machine() - worked:17.1f}  core-seconds of the whole machine meanwhile")
    if failed:
        print("\nfailed\n" + "\n".join(name for stage in failed for name in failures(stage)))
    return int(bool(failed))


if __name__ == "__main__":
    if sys.argv[1:] not in ([], ["check"], ["processors"]):
        sys.exit(__doc__)
    with tempfile.TemporaryDirectory() as scratch:
        sys.exit(run(stages("".join(sys.argv[1:]), Path(scratch))))
