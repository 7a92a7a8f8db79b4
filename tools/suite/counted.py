"""A command, and the core-seconds that it and all its descendants took.

    python -m tools.suite.counted REPORT COMMAND …      the seconds go into the file REPORT; the exit status is the
                                            command's

A process tells its parent what it took when the parent waits for it. A browser's and a kernel's helpers outlive their
parents, and nobody waits for them but the process that adopts them: on Linux this one does, elsewhere they are not
counted.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # <linux/prctl.h>
PATIENCE = 10.0  # seconds in which what a command left running may end by itself


def adopt_descendants() -> None:
    """Make this process the parent of every descendant whose own parent ends."""
    if sys.platform == "linux" and ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), "prctl(PR_SET_CHILD_SUBREAPER) failed")


def end_children() -> None:
    """SIGKILL to this process's children."""
    for listed in Path("/proc/self/task").glob("*/children"):
        for child in map(int, listed.read_text().split()):
            with suppress(ProcessLookupError):
                os.kill(child, signal.SIGKILL)


def reap_the_rest() -> None:
    """Wait for what is still running; what does not end by itself is ended, with what that leaves in turn."""
    patient_until = time.monotonic() + PATIENCE
    with suppress(ChildProcessError):  # none is left
        while True:
            if os.waitpid(-1, os.WNOHANG) == (0, 0):
                if time.monotonic() > patient_until:
                    end_children()
                time.sleep(0.02)


def counted(command: list[str]) -> tuple[int, float]:
    """Exit status, as a shell tells it, and core-seconds, user's and system's, of the command with its descendants.

    Every child of this process is waited for, and in the end ended: it has no others.
    """
    adopt_descendants()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the command, too: its end is waited for
    child = subprocess.Popen(command, preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
    while True:
        gone, status = os.wait()
        if gone == child.pid:
            break
    reap_the_rest()
    took = os.times()
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code, took.children_user + took.children_system


if __name__ == "__main__":
    status, seconds = counted(sys.argv[2:])
    Path(sys.argv[1]).write_text(f"{seconds:.1f}")
    sys.exit(status)
