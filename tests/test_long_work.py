"""Long work says what it costs, keeps what is finished, and ends as if it had never been interrupted."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from course_lib import long_work

ROOT = Path(__file__).resolve().parents[1]
HANG = 600  # seconds after which a process is given up


class Clock:
    """Time that passes only when told."""

    def __init__(self):
        self.now = 0.0

    def __call__(self):
        return self.now


def test_the_cost_is_said_before_and_measured_after_the_first(capsys):
    clock, said = Clock(), []
    for seconds in long_work.runs([30, 60, 30], done=1, minutes=4, clock=clock):
        said.append(capsys.readouterr().err)
        clock.now += seconds
    said.append(capsys.readouterr().err)
    assert said[0].startswith("4 runs, 1 there, 3 to go: about 3 minutes of one core. Interrupt when you like")  # 3 of 4 runs, 3 of 4 minutes
    assert said[1] == "about 60 seconds: 2 runs of 30 seconds each (measured on the first)\n"
    assert said[2] == "3 of 4, about 45 seconds left\n"  # two runs took 90 s
    assert said[3] == "3 runs in 2 minutes\n"


def test_nothing_left_is_said_and_nothing_run(capsys):
    assert list(long_work.runs([], done=5)) == []
    assert capsys.readouterr().err == "nothing to do: 5 runs there\n"


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 second"), (89, "89 seconds"), (91, "2 minutes"), (3600, "60 minutes"), (9000, "2.5 hours")]
)
def test_durations_are_as_precise_as_an_estimate(seconds, words):
    assert long_work.spoken(seconds) == words


def test_a_command_that_is_interrupted_says_so_and_its_status_too(capsys):
    def stopped():
        raise KeyboardInterrupt

    assert long_work.interruptible(stopped, "three rows are kept") == 130
    assert capsys.readouterr().err == "interrupted: three rows are kept\n"
    assert long_work.interruptible(lambda: None) == 0 and long_work.interruptible(lambda: 2) == 2


# A real tool, at sizes that take a moment, writing to a folder of its own; asked to, it stops in the middle of its second part.
SMALL = """
import signal, sys, time
from pathlib import Path
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test runner may ignore it, and its children with it
from course_lib import long_work, results
import number_alignments as tool
results.HERE = tool.HERE = Path(sys.argv[1])
tool.TRAINED, tool.HELD_OUT, tool.EARLY = 200, 20, 2
stop, trained = sys.argv[2] == "stop", tool.trained
def few_steps(known, seed):
    if stop and seed == 1:
        print("in the second", flush=True)
        time.sleep(HANG)
    return trained(known, seed, 4)
tool.trained = few_steps
sys.exit(long_work.interruptible(tool.main))
"""


def small(folder: Path, *words: str) -> subprocess.Popen:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "tools")])}
    command = [sys.executable, "-c", SMALL.replace("HANG", str(HANG)), str(folder), *words]
    return subprocess.Popen(command, env=environment, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


@pytest.mark.skipif(sys.platform == "win32", reason="signals are sent as POSIX does")
def test_a_tool_interrupted_in_the_middle_ends_with_the_table_of_one_that_was_not(tmp_path):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    whole.mkdir()
    cut.mkdir()
    uninterrupted = small(whole, "go")
    stopped = small(cut, "stop")
    assert stopped.stdout.readline() == "in the second\n"
    stopped.send_signal(signal.SIGINT)
    _, said = stopped.communicate(timeout=HANG)
    assert stopped.returncode == 130 and "interrupted: " in said and "3 runs" in said, said
    path = cut / "number_alignments.json"
    first = json.loads(path.read_text(encoding="utf-8"))["rows"]
    assert [row["seed"] for row in first] == [0]
    _, said = small(cut, "go").communicate(timeout=HANG)
    assert "3 runs, 1 there, 2 to go" in said
    assert uninterrupted.wait(HANG) == 0, uninterrupted.stderr.read()
    assert path.read_bytes() == (whole / "number_alignments.json").read_bytes()
    assert [row["seed"] for row in json.loads(path.read_text(encoding="utf-8"))["rows"]] == [0, 1, 2]
