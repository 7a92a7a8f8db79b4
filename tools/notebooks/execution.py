"""A notebook executed: each time in an empty folder, with one thread and one hash seed, so that its outputs depend on
neither place nor load."""

import os
import sys
import tempfile
from copy import deepcopy
from pathlib import Path

from nbclient import NotebookClient
from nbclient.output_widget import OutputWidget
from traitlets.config import Config

from tools.notebooks.warm import WarmKernelManager

HANG = 600  # seconds after which a kernel that does not start, or a cell, is given up; a whole page has 60
KERNEL = {"OMP_NUM_THREADS": "1", "MKL_NUM_THREADS": "1", "PYTHONHASHSEED": "0", "PYDEVD_DISABLE_FILE_VALIDATION": "1"}


class CaughtOutput(OutputWidget):
    """The front end's side of an Output widget, which keeps what it catches to itself.

    nbclient's own sends it back to the kernel, past asyncio, on the socket on which it waits for the cell to end: an
    end that arrives while it sends wakes nobody, and the wait lasts for ever (nbclient's issue 312). Under load every
    second lab met that.
    """

    def sync_state(self) -> None:
        pass


def client(notebook, folder: Path, **options) -> NotebookClient:
    """What will execute the notebook in `folder`; the options are nbclient's.

    The kernel is spoken to through files beside `folder`: of ports, several kernels that start at once may choose the
    same.
    """
    config = Config(
        {"ConnectionFileMixin": {"transport": "ipc", "ip": f"{folder}.kernel"}} if sys.platform != "win32" else {}
    )
    options = {"resources": {"metadata": {"path": str(folder)}}, "startup_timeout": HANG, "config": config} | options
    made = NotebookClient(notebook, **options)
    made.widget_registry["@jupyter-widgets/output"]["OutputModel"] = CaughtOutput
    return made


def executed(notebook, data: Path, *, environment: dict[str, str] | None = None, **options):
    """A copy of the notebook, executed; the data of its widgets go to `data`. The options are nbclient's.

    `environment` adds to the kernel's. Raises nbclient's CellExecutionError, unless `allow_errors` is set, and
    CellTimeoutError.
    """
    copy = deepcopy(notebook)
    with tempfile.TemporaryDirectory() as folder:
        runs = client(
            copy,
            Path(folder),
            timeout=HANG,
            kernel_name="python3",
            kernel_manager_class=WarmKernelManager,
            store_widget_state=True,
            **options,
        )
        runs.execute(env=os.environ | KERNEL | {"COURSE_DATA_DIR": str(data)} | (environment or {}))
    return copy
