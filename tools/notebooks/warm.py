"""Kernels that start at once: forked from a process that has imported what every page imports from elsewhere.

    python -m tools.notebooks.warm      serve: read a kernel's connection file, folder and environment, a line of JSON
                                        each; answer its number

A kernel started anew spends most of its processor time on imports, the same for every page. Only packages of others are
imported here: the course's own code, and a page's names, come fresh to each kernel. Where processes cannot be forked
(Windows), every kernel starts anew.
"""

import importlib
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from functools import cache
from pathlib import Path

from jupyter_client.manager import AsyncKernelManager
from jupyter_client.provisioning import LocalProvisioner

ROOT = Path(__file__).resolve().parents[2]
ASKING = threading.Lock()  # notebooks are executed by several threads; an answer belongs to the question before it
# Not plotly.io: by whether IPython runs already, it settles how a page shows its figures.
IMPORTED = [
    "numpy",
    "torch",
    "torch._dynamo",
    "plotly.graph_objects",
    "plotly.graph_objs._figure",
    "plotly.subplots",
    "nbformat.json_compat",
    "jsonschema",
    "ipywidgets",
    "anywidget",
    "ipykernel.kernelapp",
    "ipykernel.zmqshell",
]
AT_START = (
    "OMP_NUM_THREADS",
    "MKL_NUM_THREADS",
    "PYTHONHASHSEED",
)  # read once, when an interpreter or a library of its starts


# ---------------------------------------------------------------------------------------------------- the process
# forked
def reap(*_) -> None:
    """Wait for the kernels that have ended: nobody asks how, but what they took is counted."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG) != (0, 0):
            pass


def serve() -> None:
    for name in IMPORTED:
        importlib.import_module(name)
    signal.signal(signal.SIGCHLD, reap)
    for line in sys.stdin:
        asked = json.loads(line)
        kernel = os.fork()
        if not kernel:
            become_kernel(**asked)
        print(kernel, flush=True)


def become_kernel(arguments: list[str], folder: str, environment: dict[str, str]) -> None:
    """What `python -m ipykernel_launcher` does, in this process; it ends with it."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDWR), 0)  # this process is asked and answers there
    os.dup2(2, 1)
    del sys.path[0]
    sys.modules["ipykernel.kernelapp"].launch_new_instance([*arguments, f"--IPKernelApp.parent_handle={os.getppid()}"])
    os._exit(0)


# -------------------------------------------------------------------------------------------------- who asks for
# kernels
class Kernel:
    """A kernel's process, as far as jupyter_client asks a `Popen` for it."""

    stdin = stdout = stderr = None

    def __init__(self, pid: int):
        self.pid = pid

    def poll(self) -> int | None:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0
        return None

    wait = poll

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def terminate(self) -> None:
        self.send_signal(signal.SIGTERM)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)


@cache
def server(*at_start: str) -> subprocess.Popen:
    """The process to fork, started with these values of AT_START. It ends with this one."""
    command, environment = (
        [sys.executable, "-m", "tools.notebooks.warm"],
        os.environ | dict(zip(AT_START, at_start, strict=True)),
    )
    return subprocess.Popen(
        command, cwd=ROOT, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


class Forked(LocalProvisioner):
    async def launch_kernel(self, cmd: list[str], *, env: dict[str, str], cwd: str, **_) -> dict:
        asked = {"arguments": cmd[cmd.index("ipykernel_launcher") + 1 :], "folder": cwd, "environment": env}
        with ASKING:
            forks = server(*(env[name] for name in AT_START))
            print(json.dumps(asked), file=forks.stdin, flush=True)
            answer = forks.stdout.readline()
        if not answer:
            server.cache_clear()
            raise RuntimeError("the process from which kernels are forked has ended: its message stands above")
        self.process = Kernel(int(answer))
        self.pid, self.cwd = self.process.pid, cwd
        return self.connection_info


class WarmKernelManager(AsyncKernelManager):
    """Starts its kernels so, where processes can be forked. Their environment has values of AT_START."""

    async def _async_pre_start_kernel(self, **options):
        if hasattr(os, "fork"):
            self.provisioner = Forked(kernel_id=self.kernel_id, kernel_spec=self.kernel_spec, parent=self)
        return await super()._async_pre_start_kernel(**options)


if __name__ == "__main__":
    serve()
