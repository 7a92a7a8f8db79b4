"""The published study by the ensemble trainer against one model at a time, in turns, float32 on one thread.

    python -m benchmarks.ensemble [bursts]     ms an update of 16 models, and the ratio, for each of the 24 published
                                            shapes

The other side is what one would write first: torch's own layers, autograd, `torch.optim.Adam`, 16 sequences a batch,
every row through every layer as published. The whole study is 72 configurations x 16 seeds x 1,500 updates; each shape
is timed with 4 words and stands for its three vocabularies. The first steps of both must give the same losses, so these
are the same models. Times are CPU time, so that whatever else this machine does counts little.
"""

import statistics
import sys
import time
from collections.abc import Callable

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_lib import published
from course_lib.memoryless import Batches, Ensemble, Sizes
from course_lib.sources import Memoryless

SEEDS, BATCH, UPDATES, WORDS = range(16), 16, 1500, 4
BAR = 25.0

Step = Callable[[], float]  # one step of a training; its loss


def linear(weight: Tensor, bias: Tensor) -> nn.Linear:
    """PyTorch's layer with our numbers: a matrix that acts from the right."""
    layer = nn.Linear(*weight.shape)
    with torch.no_grad():
        layer.weight.copy_(weight.T)
        layer.bias.copy_(bias)
    return layer


class Plain(nn.Module):
    """Source R's model from torch's own layers, with the parameters of model i of an ensemble."""

    def __init__(self, ensemble: Ensemble, i: int) -> None:
        super().__init__()
        p = {name: tensor[i] for name, tensor in ensemble.parameters.items()}
        self.E = nn.Embedding.from_pretrained(p["E"].clone(), freeze=False)
        self.P = nn.Parameter(p["P"].clone())
        for name in "QKVO123":
            self.add_module(f"W_{name}", linear(p[f"W_{name}"], p[f"w_{name.lower()}"]))
        self.norm_1, self.norm_2 = nn.LayerNorm(ensemble.sizes.d), nn.LayerNorm(ensemble.sizes.d)

    def forward(self, tokens: Tensor) -> Tensor:
        X = self.E(tokens) + self.P
        Y = self.W_O(F.scaled_dot_product_attention(self.W_Q(X), self.W_K(X), self.W_V(X)))
        N = self.norm_1(X + Y)
        Z = self.norm_2(N + self.W_2(torch.relu(self.W_1(N))))
        return self.W_3(Z[:, -1])


def race(alone: Step, together: Step, bursts: int, steps: int) -> tuple[float, float, float]:
    """Milliseconds of a step of 16 models, one by one and together, medians over bursts of `steps` steps; and the
    median over pairs of their ratio. The first one changes every turn."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(bursts):
        for which in (0, 1) if turn % 2 else (1, 0):
            begun = time.process_time()
            for _ in range(steps):
                (alone, together)[which]()
            times[which].append((time.process_time() - begun) / steps * 1000 * (len(SEEDS), 1)[which])
    return *map(statistics.median, times), statistics.median(a / b for a, b in zip(*times, strict=True))


def measure(sizes: Sizes, bursts: int) -> tuple[float, float, float]:
    """Median ms of CPU time of one update of all 16 models: one by one (16 times one model's), together, and the ratio
    of paired bursts."""
    ensemble = Ensemble(sizes, SEEDS)
    batches = Batches(Memoryless(published.P[sizes.v]), SEEDS, sizes.n, BATCH, 8000)
    model = Plain(ensemble, 0)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
    updates = {"together": 0, "alone": 0}

    def together() -> float:
        with torch.no_grad():
            loss = ensemble.step(*batches.at(updates["together"]), 1e-3)[0].item()
        updates["together"] += 1
        return loss

    def alone() -> float:
        tokens, targets = batches.at(updates["alone"])
        loss = F.cross_entropy(model(tokens[0]), targets[0])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        updates["alone"] += 1
        return loss.item()

    for _ in range(3):  # which also warms them up
        if abs((mine := alone()) - (other := together())) > 1e-4:
            raise SystemExit(f"these are not the same model: losses {mine} and {other}")
    return race(alone, together, bursts, 4 if sizes.d >= 64 else 12)


def main(bursts: int = 9) -> int:
    torch.set_num_threads(1)
    print("  n   d   m   r  together ms  one by one ms  ratio")
    total = [0.0, 0.0]
    for n, d, m, r in published.SHAPES:
        theirs, ours, ratio = measure(Sizes(WORDS, n, d, m, r), bursts)
        total[0] += ours
        total[1] += theirs
        print(f"{n:>3} {d:>3} {m:>3} {r:>3} {ours:>12.2f} {theirs:>14.1f} {ratio:>6.1f}", flush=True)
    minutes = [3 * UPDATES * ms / 60_000 for ms in total]
    print(f"whole study, 72 x 16 x 1,500: {minutes[0]:.1f} minutes together, {minutes[1] / 60:.1f} hours one by one")
    ratio = total[1] / total[0]
    print(f"ratio {ratio:.1f} (bar {BAR:.0f})")
    return int(ratio < BAR)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
