"""Runs that are shared out: by joblib's processes, on a Dask cluster, and what Ctrl-C leaves of a command that runs."""

import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from course_lib import results
from course_lib.results.study import Part, Study
from course_lib.results.workers import INSTALL, Once, run_all
from tests.shared.optional import missing

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]
WANTED = [(number,) for number in range(4)]


def row(number):
    return {"number": number}


STUDY = Study("toy", parts={"rows": Part(row, WANTED, key=("number",))})


def needs(name):
    if find_spec(name) is None:
        missing(f"pip install {name}")


def test_processes_give_the_same_rows_and_joblib_or_its_absence_is_a_sentence(folder, monkeypatch, capsys):
    with monkeypatch.context() as absent:
        absent.setitem(sys.modules, "joblib", None)
        assert STUDY.main(argv=["--jobs", "2"]) == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == f"error: jobs = 2 needs joblib, which is not installed: {INSTALL}"
    for wrong, words in (
        (["--jobs", "0"], "jobs must be"),
        (["--scheduler", "tcp://x:1"], "scheduler must come with backend dask"),
    ):
        assert STUDY.main(argv=wrong) == 2 and words in capsys.readouterr().err
    needs("joblib")
    assert STUDY.main(argv=["--jobs", "2"]) == 0
    assert results.load("toy")["rows"] == [
        row(*each) for each in WANTED
    ]  # finished in any order, stored in the wanted one
    with pytest.raises(ValueError, match="backend must be"):
        list(run_all(row, WANTED, backend="threads"))


def test_a_scheduler_that_is_not_there_is_a_sentence(folder, capsys):
    needs("distributed")
    import dask

    with dask.config.set({"distributed.comm.timeouts.connect": "300ms"}):
        assert STUDY.main(argv=["--backend", "dask", "--scheduler", "tcp://127.0.0.1:9"]) == 2
    assert "error: Timed out" in capsys.readouterr().err.splitlines()[-1]


# A study as a command, of the rows (0,), (1,), (2,); the last one takes a minute, unless it is told to be quick.
COMMAND = """
import sys, time
from pathlib import Path
from course_lib import results
from course_lib.results.study import Part, Study
folder, quick = Path(sys.argv[1]), sys.argv[2] == "quick"
results.HERE = folder / "course_lib" / "results"

def run(number):
    if number == 2 and not quick:
        (folder / "in the last").touch()
        time.sleep(60)
    return {"number": number}

if __name__ == "__main__":
    study = Study("toy", parts={"rows": Part(run, [(0,), (1,), (2,)], key=("number",))}, progress="and half of the \
rest")
    sys.exit(study.main(argv=sys.argv[3:]))
"""


def started(folder, *words):
    """The command in a group of its own, as a terminal starts it."""
    (folder / "toy.py").write_text(COMMAND)
    restored = lambda: signal.signal(signal.SIGINT, signal.default_int_handler)  # a runner may ignore it
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, str(folder / "toy.py"), str(folder), *words], env=environment, cwd=folder, text=True,
        stderr=subprocess.PIPE, preexec_fn=restored, start_new_session=True,
    )  # fmt: skip


def stopped(process, folder, rows):
    """What the command says after Ctrl-C, which a terminal sends to the whole group, once so many rows are kept."""
    working, there = folder / "_build" / "studies" / "toy.jsonl", folder / "in the last"
    until = time.monotonic() + 120
    while not (there.exists() and working.read_bytes().count(b"\n") == 1 + rows) and time.monotonic() < until:
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    return process.communicate(timeout=60)[1]


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX does")
@pytest.mark.parametrize("shared", [[], ["--backend", "dask", "--jobs", "2"]], ids=["here", "dask"])
def test_a_command_that_ctrl_c_ends_says_what_is_true_and_goes_on(folder, tmp_path, shared):
    if shared:
        needs("distributed")
    process = started(tmp_path, "slow", *shared)
    said = stopped(process, tmp_path, 2)
    assert process.returncode == 130, said
    (sentence,) = (line for line in said.splitlines() if line.startswith("interrupted: "))
    assert "finished runs are kept" in sentence and ("half of the rest" in sentence) == (not shared), (
        said
    )  # Dask's workers keep no halves
    assert "Traceback" not in said and {path.name for path in tmp_path.rglob("*.*")} == {"toy.jsonl", "toy.py"}
    again = started(tmp_path, "quick")
    said = again.communicate(timeout=60)[1]
    assert again.returncode == 0 and "3 runs, 2 there, 1 to go" in said
    assert results.load("toy")["rows"] == [{"number": number} for number in range(3)]


def test_once_is_once_in_a_process_and_travels_without_its_value():
    calls = []
    once = Once(lambda: calls.append(1) or "data")
    assert once() == once() == "data" and calls == [1]
    make, arguments = once.__reduce__()
    assert make(*arguments)() == "data" and calls == [1, 1]
