"""Independent runs, one after the other here or many at once: by joblib's processes, or on a Dask cluster of several
machines."""

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from typing import Any

from course_lib import checks

BACKENDS = ("joblib", "dask")
INSTALL = "pip install -r requirements/cluster.txt -c requirements.txt"


def run_all(
    run: Callable[..., Any],
    todo: Iterable[tuple],
    *,
    jobs: int = 1,
    backend: str = "joblib",
    scheduler: str | None = None,
) -> Iterator[tuple[tuple, Any]]:
    """(arguments, result) of each run(*arguments): in order where jobs is 1, else as they end, from `jobs` processes.

    backend "dask" sends each run to a worker of the Dask cluster at `scheduler` (None: one of `jobs` processes on this
    machine). joblib, and for it dask and distributed, are needed only then; ValueError says how they are installed.
    Each run has one thread.
    """
    checks.positive_int("jobs", jobs)
    checks.one_of("backend", backend, BACKENDS)
    if scheduler is not None and backend != "dask":
        raise ValueError(f"scheduler must come with backend dask, got {scheduler!r} with backend {backend}")
    if jobs == 1 and backend == "joblib":
        yield from (alone(run, each) for each in todo)
        return
    try:
        import joblib

        cluster = _cluster(jobs, scheduler) if backend == "dask" else nullcontext()
    except ImportError as problem:
        raise ValueError(
            f"{f'jobs = {jobs}' if backend == 'joblib' else 'backend dask'} needs {problem.name}, which is not "
            f"installed: {INSTALL}"
        ) from None
    chosen = {"backend": "dask", "n_jobs": -1} if backend == "dask" else {"backend": "loky", "n_jobs": jobs}
    with cluster, joblib.parallel_config(**chosen):
        yield from joblib.Parallel(return_as="generator_unordered")(joblib.delayed(alone)(run, each) for each in todo)


def alone(run: Callable[..., Any], arguments: tuple) -> tuple[tuple, Any]:
    """A run with one thread, since its neighbours want the other cores. Its own ValueError is a fault of the code, and
    says of which run."""
    if "torch" in sys.modules:
        sys.modules["torch"].set_num_threads(1)
    try:
        return arguments, run(*arguments)
    except ValueError as problem:
        raise RuntimeError(f"the run {arguments} has failed: {problem}") from problem


def _cluster(jobs: int, scheduler: str | None) -> Any:
    """A Dask client as a context; while it is open, joblib's Dask backend finds it."""
    from dask.distributed import Client

    if scheduler:
        return Client(scheduler)
    # A terminal sends Ctrl-C to the workers too, which would each print where they were: they start deaf to it, and end
    # with their cluster
    heard = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        return Client(n_workers=jobs, threads_per_worker=1, dashboard_address=None)
    finally:
        signal.signal(signal.SIGINT, heard)


class Once:
    """A function without arguments that is called once in each process: `functools.cache` that can be sent to a
    worker."""

    def __init__(self, function: Callable[[], Any]) -> None:
        self.function = function

    def __call__(self) -> Any:
        if "value" not in self.__dict__:
            self.value = self.function()
        return self.value

    def __reduce__(self) -> tuple:
        return Once, (self.function,)
