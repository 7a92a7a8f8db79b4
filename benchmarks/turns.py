"""Two ways to do the same work, in turns and in CPU time, so that whatever else this machine does meets both and counts little."""

import statistics
import time
from collections.abc import Callable, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

Step = Callable[[], float]  # one step of a training; its loss


def loop(model: nn.Module, logits: Callable[[], Tensor], answers: Tensor) -> Step:
    """The ordinary step on one batch: forward, cross-entropy, backward and Adam."""
    optimizer = torch.optim.Adam(model.parameters())

    def step() -> float:
        loss = F.cross_entropy(logits().flatten(0, 1), answers.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def same(ours: Step, theirs: Step, steps: int) -> None:
    """Make some steps of both, which also warms them up. SystemExit where their losses part: then these are not the same model."""
    for _ in range(steps):
        mine, other = ours(), theirs()
        if abs(mine - other) > 1e-4:
            raise SystemExit(f"these are not the same model: losses {mine} and {other}")


def race(ours: Step, theirs: Step, bursts: int, steps: int, *, weights: Sequence[float] = (1, 1)) -> tuple[float, float, float]:
    """Milliseconds of a step of each, medians over bursts of `steps` steps, times `weights`; and the median over pairs of ours/theirs.

    The first one changes every turn.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(bursts):
        for which in (0, 1) if turn % 2 else (1, 0):
            begun = time.process_time()
            for _ in range(steps):
                (ours, theirs)[which]()
            times[which].append((time.process_time() - begun) / steps * 1000 * weights[which])
    return *map(statistics.median, times), statistics.median(a / b for a, b in zip(*times, strict=True))


def linear(weight: Tensor, bias: Tensor | None = None) -> nn.Linear:
    """PyTorch's layer with our numbers: a matrix that acts from the right."""
    layer = nn.Linear(*weight.shape, bias=bias is not None)
    with torch.no_grad():
        layer.weight.copy_(weight.T)
        if bias is not None:
            layer.bias.copy_(bias)
    return layer


def report(names: str, sizes: Sequence[tuple[int, ...]], measure: Callable[..., tuple[float, float, float]], bursts: int, bar: float) -> int:
    """Print a line for each size, as `measure(*size, bursts)` finds it. The command's exit status: 1 where a ratio is above the bar."""
    torch.set_num_threads(1)
    print("".join(f"{name:>7}" for name in names.split()) + f"{'ours ms':>10}{'PyTorch ms':>12}{'ratio':>7}")
    worst = 0.0
    for size in sizes:
        ours, theirs, ratio = measure(*size, bursts)
        worst = max(worst, ratio)
        print("".join(f"{each:>7}" for each in size) + f"{ours:>10.2f}{theirs:>12.2f}{ratio:>7.2f}", flush=True)
    print(f"worst ratio {worst:.2f} (bar {bar})")
    return int(worst > bar)
