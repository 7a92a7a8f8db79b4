"""Time, memory, FLOPs, waiting steps and longest path of six layers that mix tokens, against the number n of tokens.

    python studies/layer_costs.py            (about four minutes of one core)

One sequence, width D, one head, float32, one thread. The layers: the plain recurrent cell, a convolution over K tokens,
full attention, attention in a window of radius RADIUS, strided attention with stride ≈ √n, linear attention; attention
without its projections. "forward" runs without gradients, "training" is forward and backward.

Time is CPU time, so that other work on the machine counts little. In each of ROUNDS rounds every layer and every n has
its turn, in a new order; a turn repeats a short call until it has taken BURST seconds. The table keeps the least and
the median of the rounds. An exponent is the slope of log time against log n through the least times, for n ≥ FROM.
"error" is its standard error from the residuals of that line; "low" and "high" hold 95 % of the slopes when the rounds
are drawn anew, with replacement.

By default the C library hands large blocks back to the system when they are freed, and the system clears every page of
the next one: at n = 4096 that is half of the time of full attention. `keep_memory` starts the process anew with the
library told to keep what it has, so that the times are the layers' own; "default" holds the times and fits without it,
measured by a second process.

What "peak", "kept", "flops", "steps" and a path are: see the functions of these names.
"""

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from course_lib import costs
from course_lib.attention import attend
from course_lib.checks import trusted
from course_lib.efficient import convolve, linear_attention, strided_attention, window_attention
from course_lib.long_work import tell
from course_lib.recurrent import RNNCell, unroll
from course_lib.results.study import Study
from course_lib.results.tables import short

D, K, RADIUS = 64, 3, 64
LENGTHS = (64, 128, 256, 512, 1024, 2048, 4096)
FROM, ROUNDS, BURST, DRAWS = 512, 7, 0.01, 500
LATE = [n for n in LENGTHS if n >= FROM]
PATHS = {"n": 65, "window": (4, 8, 16), "convolution": (3, 5, 9, 17), "strided": (8,)}


def stride_of(n: int) -> int:
    """The power of two next above √n, or √n itself."""
    return 2 ** ((n - 1).bit_length() + 1 >> 1) if n > 1 else 1


class Job:
    """One layer on n tokens: `inputs` (tokens or q, k, v), `parameters`, and the call."""

    def __init__(self, kind: str, n: int) -> None:
        generator = torch.Generator().manual_seed(n)
        self.inputs = [
            torch.randn(1, n, D, generator=generator).requires_grad_()
            for _ in range(1 if kind in ("rnn", "convolution") else 3)
        ]
        if kind == "rnn":
            cell = RNNCell(D, D, generator=generator)
            self.parameters, self.layer = list(cell.parameters()), lambda x: unroll(cell, x).states
        elif kind == "convolution":
            self.parameters = [(torch.randn(K, D, D, generator=generator) / (K * D) ** 0.5).requires_grad_()]
            self.layer = lambda x: convolve(x, *self.parameters)
        else:
            self.parameters, self.layer = (
                [],
                {
                    "full": lambda q, k, v: attend(q, k, v).output,
                    "window": lambda q, k, v: window_attention(q, k, v, RADIUS).output,
                    "strided": lambda q, k, v: strided_attention(q, k, v, stride_of(n)).output,
                    "linear": lambda q, k, v: linear_attention(q, k, v).output,
                    "blockwise": lambda q, k, v: F.scaled_dot_product_attention(*(x[None] for x in (q, k, v)))[
                        0
                    ],  # the kernel wants [b, h, n, m]
                }[kind],
            )

    def output(self) -> Tensor:
        with trusted():
            return self.layer(*self.inputs)

    def forward(self) -> None:
        with torch.no_grad():
            self.output()

    def training(self) -> None:
        for each in (*self.inputs, *self.parameters):
            each.grad = None
        self.output().sum().backward()


KINDS = ("rnn", "convolution", "full", "window", "strided", "linear")
PASSES = ("forward", "training")


def formula(kind: str, n: int) -> costs.Cost:
    """The same layer in `course_lib.costs`."""
    extra = {"convolution": [K], "window": [RADIUS], "strided": [stride_of(n)]}.get(kind, [])
    return getattr(costs, kind)(n, D, *extra)


def flops(call: Callable[[], Any]) -> int:
    """As FlopCounterMode counts them."""
    with FlopCounterMode(display=False) as counter:
        call()
    return counter.get_total_flops()


def kept(job: Job) -> int:
    """Bytes of the storages that autograd saves, parameters left out."""
    found: dict[int, Tensor] = {}

    def save(tensor: Tensor) -> Tensor:
        found[tensor.untyped_storage().data_ptr()] = tensor  # held, so that no address is used twice
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(save, lambda tensor: tensor):
        job.output()
    own = {each.untyped_storage().data_ptr() for each in job.parameters}
    return sum(tensor.untyped_storage().nbytes() for address, tensor in found.items() if address not in own)


def peak(call: Callable[[], Any]) -> int:
    """The most bytes of the call's own allocations at once, by the profiler's record of torch's CPU allocator: a block
    counts from its allocation to its release, both during the call. Inputs and parameters were there before.

    The release of an older block is the caller's, or a garbage collection's, and is passed over: when it comes is
    chance.
    """
    with profile(activities=[ProfilerActivity.CPU], profile_memory=True) as recorded:
        call()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        recorded.export_chrome_trace(str(path))
        events = [event for event in json.loads(path.read_text())["traceEvents"] if event.get("name") == "[memory]"]
    held: dict[int, int] = {}  # bytes of the call's blocks, by address
    now = most = 0
    for event in sorted(events, key=lambda event: float(event["ts"])):
        size, address = int(event["args"]["Bytes"]), event["args"]["Addr"]
        if size > 0:
            held[address] = size
            now += size
            most = max(most, now)
        else:
            now -= held.pop(address, 0)
    return most


def steps(output: Tensor) -> int:
    """The longest chain of matrix products that autograd recorded on the way to `output`."""
    depth: dict[Any, int] = {}
    todo = [output.grad_fn]
    while todo:
        node = todo[-1]
        before = [each for each, _ in node.next_functions if each is not None]
        if missing := [each for each in before if each not in depth]:
            todo += missing
            continue
        todo.pop()
        product = node.name().startswith(("Mm", "Bmm", "Addmm", "Convolution"))
        depth[node] = max((depth[each] for each in before), default=0) + product
    return depth[output.grad_fn]


def path(layer: Callable[[Tensor], Tensor], n: int, d: int = 4) -> int:
    """Layers until the last of n tokens has a gradient with respect to each of them."""
    x = torch.randn(1, n, d, generator=torch.Generator().manual_seed(0), dtype=torch.float64).requires_grad_()
    y, layers = x, 0
    while True:
        y, layers = layer(y), layers + 1
        (gradient,) = torch.autograd.grad(y[0, -1].sum(), x, retain_graph=True)
        if gradient[0].any(-1).all():
            return layers


def dilated_path(n: int, k: int) -> int:
    """Layers of causal convolutions over k tokens with dilation 1, k, k², … from the first of n tokens to the last: the
    least ℓ ≥ 1 with k^ℓ ≥ n.

    Layer i leads from a token to those 0, k^i, …, (k-1)k^i later, so ℓ layers to all that are 0 … k^ℓ - 1 later: a
    distance in base k.
    """
    layers = 1
    while k**layers < n:
        layers += 1
    return layers


def paths() -> list[dict[str, Any]]:
    n, rows = PATHS["n"], []

    def row(kind: str, size: int | None, layer: Callable[[Tensor], Tensor], expected: int) -> None:
        rows.append({"kind": kind, "size": size, "layers": path(layer, n), "formula": expected})

    cell = RNNCell(4, 4, dtype=torch.float64)
    row("rnn", None, lambda x: unroll(cell, x).states, 1)
    row("full", None, lambda x: attend(x, x, x).output, 1)
    row("linear", None, lambda x: linear_attention(x, x, x).output, 1)
    for kind, mix, cost in (("window", window_attention, costs.window), ("strided", strided_attention, costs.strided)):
        for size in PATHS[kind]:
            row(kind, size, lambda x, mix=mix, size=size: mix(x, x, x, size).output, cost(n, 4, size).path)
    for k in PATHS["convolution"]:
        W = torch.randn(k, 4, 4, generator=torch.Generator().manual_seed(k), dtype=torch.float64) / (4 * k) ** 0.5
        row("convolution", k, lambda x, W=W: convolve(x, W), costs.convolution(n, 4, k).path)
    W, dilations = (
        torch.randn(3, 4, 4, generator=torch.Generator().manual_seed(0), dtype=torch.float64),
        iter(3**i for i in range(9)),
    )

    def causal(x: Tensor) -> Tensor:
        """Token i reads i, i - dilation, i - 2 · dilation: the centred convolution, read one dilation later."""
        dilation = next(dilations)
        return convolve(F.pad(x, (0, 0, dilation, 0)), W, dilation=dilation)[:, :n]

    row("dilated convolution", 3, causal, dilated_path(n, 3))
    return rows


def timed(call: Callable[[], Any]) -> float:
    """CPU seconds of one call, from as many as BURST seconds hold."""
    begun, calls = time.process_time(), 0
    while calls == 0 or time.process_time() - begun < BURST:
        call()
        calls += 1
    return (time.process_time() - begun) / calls


def slope(n: Any, values: Any) -> tuple[float, float]:
    """Of log values against log n, with its standard error."""
    x, y = np.log(np.asarray(n, float)), np.log(np.asarray(values, float))
    x = x - x.mean()
    b = (x @ y) / (x @ x)
    residuals = y - y.mean() - b * x
    return float(b), float(np.sqrt(residuals @ residuals / (len(x) - 2) / (x @ x)))


def exponent(seconds: np.ndarray) -> dict[str, float]:
    """seconds [rounds, lengths], of the lengths LATE."""
    b, error = slope(LATE, seconds.min(0))
    generator = np.random.default_rng(0)
    again = [slope(LATE, seconds[generator.integers(len(seconds), size=len(seconds))].min(0))[0] for _ in range(DRAWS)]
    low, high = np.quantile(again, [0.025, 0.975])
    return {
        name: round(float(value), 3)
        for name, value in (("exponent", b), ("error", error), ("low", low), ("high", high))
    }


HABITS = {
    "MALLOC_MMAP_THRESHOLD_": str(10**9),
    "MALLOC_TRIM_THRESHOLD_": str(4 * 10**9),
    "MALLOC_TOP_PAD_": str(5 * 10**8),
}


def keep_memory() -> None:
    """Start this program anew with the C library told never to give memory back, unless it is so already."""
    if any(os.environ.get(name) != value for name, value in HABITS.items()):
        os.execve(sys.executable, [sys.executable, *sys.argv], os.environ | HABITS)


def prepared(kinds: tuple[str, ...] = KINDS) -> dict[tuple[str, int], Job]:
    """Every layer with every n. The first call also sets things up."""
    jobs = {(kind, n): Job(kind, n) for n in LENGTHS for kind in kinds}
    for job in jobs.values():
        job.training()
    return jobs


def counts(job: Job) -> dict[str, Any]:
    return {
        "flops": {name: flops(getattr(job, name)) for name in PASSES}, "kept": kept(job),
        "peak": {name: peak(getattr(job, name)) for name in PASSES}, "steps": steps(job.output()),
    }  # fmt: skip


def clocked(jobs: dict[tuple[str, int], Job]) -> tuple[dict[tuple[str, int], dict[str, Any]], list[dict[str, Any]]]:
    """Least and median times of each layer and n, and the fitted exponents. All rounds belong together."""
    turns, shuffled = [(key, name) for key in jobs for name in PASSES], random.Random(0)
    found: dict[Any, list[float]] = {turn: [] for turn in turns}
    for number in range(ROUNDS):
        shuffled.shuffle(turns)
        for key, name in turns:
            found[key, name].append(timed(getattr(jobs[key], name)))
        tell(f"round {number + 1} of {ROUNDS}")

    def milliseconds(key: tuple[str, int], of: Callable[[list[float]], float]) -> dict[str, float]:
        return {name: short(1000 * of(found[key, name])) for name in PASSES}

    times = {
        key: {"least_ms": milliseconds(key, min), "median_ms": milliseconds(key, statistics.median)} for key in jobs
    }
    kinds = dict.fromkeys(kind for kind, _ in jobs)
    seconds = {(kind, name): np.array([found[(kind, n), name] for n in LATE]).T for kind in kinds for name in PASSES}
    return times, [{"kind": kind, "pass": name} | exponent(each) for (kind, name), each in seconds.items()]


def table() -> dict[str, Any]:
    jobs = prepared()
    counted = {key: counts(job) for key, job in jobs.items()}
    times, fits = clocked(jobs)
    rows = [{"kind": kind, "n": n} | counted[kind, n] | times[kind, n] for kind, n in jobs]
    plain = {
        name: value for name, value in os.environ.items() if name not in HABITS
    }  # there the C library does as it always does
    default = subprocess.run(
        [sys.executable, __file__, "--default"], env=plain, stdout=subprocess.PIPE, check=True, text=True
    )
    return {"rows": rows, "fits": fits, "paths": paths(), "default": json.loads(default.stdout)}


SETTINGS = {
    "d": D, "h": 1, "k": K, "radius": RADIUS, "strides": [stride_of(n) for n in LENGTHS], "lengths": LENGTHS,
    "from": FROM,
    "rounds": ROUNDS, "burst": BURST, "threads": 1, "clock": "CPU time", "path_n": PATHS["n"],
}  # fmt: skip
STUDY = Study("layer_costs", {"settings": SETTINGS}, whole=table, minutes=4)


if __name__ == "__main__":
    if sys.argv[1:] == ["--default"]:
        torch.set_num_threads(1)
        times, fits = clocked(prepared())
        print(
            json.dumps(
                {
                    "rounds": ROUNDS,
                    "rows": [{"kind": kind, "n": n} | each for (kind, n), each in times.items()],
                    "fits": fits,
                }
            )
        )
    else:
        keep_memory()
        sys.exit(STUDY.main(__doc__))
