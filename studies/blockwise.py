"""Full attention with its weights stored, and block by block: the bytes and the time of the course's `attend` and of
PyTorch's own.

    python studies/blockwise.py            (about a minute of one core)

One sequence, width D, one head, float32, one thread, as in `layer_costs`, whose measures these are: both layers and all
n take turns in the same ROUNDS rounds. "blockwise" is `torch.nn.functional.scaled_dot_product_attention`, without a
mask and without dropout.
"""

import sys
from typing import Any

import torch

from course_lib.results.study import Study
from studies.layer_costs import LENGTHS, PASSES, ROUNDS, D, Job, clocked, keep_memory, kept, peak, prepared

KINDS = ("full", "blockwise")


def counts(job: Job) -> dict[str, Any]:
    return {"kept": kept(job), "peak": {name: peak(getattr(job, name)) for name in PASSES}}


def table() -> dict[str, Any]:
    jobs = prepared(KINDS)
    counted = {key: counts(job) for key, job in jobs.items()}
    times, fits = clocked(jobs)
    return {"rows": [{"kind": kind, "n": n} | counted[kind, n] | times[kind, n] for kind, n in jobs], "fits": fits}


SETTINGS = {"d": D, "h": 1, "lengths": LENGTHS, "rounds": ROUNDS, "threads": 1, "clock": "CPU time"}
STUDY = Study("blockwise", {"settings": SETTINGS}, whole=table, minutes=1)


if __name__ == "__main__":
    keep_memory()
    torch.set_num_threads(1)
    sys.exit(STUDY.main(__doc__))
