"""Attention in a window against full attention, in turns: n = 4,096 tokens, one head of width 64, float32, one thread.

    python -m benchmarks.window [rounds]     times and ratios for two windows, then memory against n

"Window 64" can mean 65 tokens, 32 on either side, or a radius of 64, which is 129 tokens. Both are timed; the bar is for the
wider, which costs more. Forward is without gradients, training is forward and backward. A ratio is the median over rounds of
full over window in CPU time, and each round takes them in another order. (That both
give what full attention gives with a band as its mask: tests/library/test_efficient.py.) PyTorch's fused kernel is timed beside them: it too computes all n² scores, but stores none.
Memory is the profiler's record of torch's allocations: the peak of a training step at n and at 2n.
"""

import statistics
import sys
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.attention import attend
from course_lib.checks import trusted
from course_lib.efficient import window_attention
from studies.layer_costs import keep_memory, peak, timed

N, M, RADII, BAR, LINEAR = 4096, 64, (32, 64), 8.0, 2.2

Layer = Callable[[Tensor, Tensor, Tensor], Tensor]


def inputs(n: int) -> list[Tensor]:
    generator = torch.Generator().manual_seed(0)
    return [torch.randn(1, n, M, generator=generator).requires_grad_() for _ in range(3)]


def full(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return attend(q, k, v).output


def fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q[None], k[None], v[None])[0]


def window(radius: int) -> Layer:
    return lambda q, k, v: window_attention(q, k, v, radius).output


def forward(layer: Layer, given: list[Tensor]) -> None:
    with trusted(), torch.no_grad():
        layer(*given)


def training(layer: Layer, given: list[Tensor]) -> None:
    for each in given:
        each.grad = None
    with trusted():
        layer(*given).sum().backward()


def race(run: Callable[[Layer, list[Tensor]], None], rounds: int) -> dict[str, list[float]]:
    """CPU seconds of each layer in each round."""
    layers = {"full": full, "fused": fused} | {f"radius {radius}": window(radius) for radius in RADII}
    given = inputs(N)
    took: dict[str, list[float]] = {name: [] for name in layers}
    for turn in range(rounds + 1):
        for name in list(layers)[:: 1 if turn % 2 else -1]:
            seconds = timed(lambda name=name: run(layers[name], given))
            if turn:  # round 0 warms up
                took[name].append(seconds)
    return took


def main(rounds: int = 7) -> int:
    keep_memory()  # or full attention spends half of its time on fresh pages, and the ratios are larger still
    torch.set_num_threads(1)
    missed = 0
    for run in (forward, training):
        took = race(run, rounds)
        for name in took:
            ratio = statistics.median(a / b for a, b in zip(took["full"], took[name], strict=True))
            line = f"{run.__name__:8} {name:10} least {1000 * min(took[name]):7.1f} ms   full/this {ratio:6.1f}"
            if name == f"radius {max(RADII)}":
                missed += ratio < BAR
                line += f"   bar {BAR:.0f}: {'met' if ratio >= BAR else 'MISSED'}"
            print(line, flush=True)
    for name, layer in (("full", full), (f"radius {max(RADII)}", window(max(RADII)))):
        bytes_at = []
        for n in (N // 2, N):
            given = inputs(n)
            training(layer, given)
            bytes_at.append(peak(lambda layer=layer, given=given: training(layer, given)))
        growth = bytes_at[1] / bytes_at[0]
        line = f"memory   {name:10} peak {bytes_at[1] / 2**20:7.1f} MiB   from n = {N // 2} to {N} times {growth:.2f}"
        if name != "full":
            missed += growth > LINEAR
            line += f"   bar {LINEAR} (linear: 2): {'met' if growth <= LINEAR else 'MISSED'}"
        print(line, flush=True)
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
