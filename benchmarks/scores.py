"""What each score of attention costs: times the time with the plain dot product, one thread, in turns.

    python benchmarks/scores.py [ROUNDS]             for each size and score: the score alone, and a whole training step
    python benchmarks/scores.py [ROUNDS] --store     the same, written to course_lib/results/score_times.json

Alone: prepare the keys of a batch of sources once, then compare every query of the target with them, forward and backward. A
training step is RNNsearch's forward, cross-entropy, backward and Adam on the same random batch. All six take turns in short
bursts, each time in another order, so that whatever else this machine does meets all of them. A ratio is the median, over
rounds, of a score's CPU time over the dot product's in the same round.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from course_lib.checks import trusted  # noqa: E402
from course_lib.recurrent import RNNsearch  # noqa: E402
from course_lib.results import store  # noqa: E402
from course_lib.scores import SCORES, WITH_WIDTH, make  # noqa: E402
from course_lib.training import cross_entropy  # noqa: E402

NAME = "score_times"
SIZES = {"small": {"d": 24, "r": 48, "m": 16}, "large": {"d": 64, "r": 256, "m": 64}}
VOCAB, BATCH, SOURCE, TARGET = 40, 32, 16, 20
ROUNDS, STEPS, WARM_UP = 15, 2, 2


def width_of(name: str, m: int) -> int | None:
    return m if name in WITH_WIDTH else None


def alone(name: str, r: int, m: int) -> Callable[[], None]:
    """Prepare the keys of a batch, compare each query in turn, as a decoder does, and go backward."""
    generator = torch.Generator().manual_seed(0)
    score = make(name, r, r, m=width_of(name, m), generator=generator)
    queries = torch.randn(TARGET, BATCH, 1, r, generator=generator).requires_grad_()
    keys = torch.randn(BATCH, SOURCE, r, generator=generator).requires_grad_()

    def once() -> None:
        with trusted():
            prepared = score.keys(keys)
            torch.stack([score.compare(q, prepared) for q in queries]).sum().backward()

    return once


def step(name: str, d: int, r: int, m: int) -> Callable[[], None]:
    """A training step of RNNsearch with this score."""
    generator = torch.Generator().manual_seed(0)
    model = RNNsearch(VOCAB, VOCAB, d, r, score=name, score_width=width_of(name, m), generator=generator)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3)
    source, target = (torch.randint(4, VOCAB, (BATCH, n), generator=generator) for n in (SOURCE, TARGET + 1))
    lengths = torch.full((BATCH,), SOURCE)

    def once() -> None:
        with trusted():
            loss = cross_entropy(model(source, target[:, :-1], lengths).logits, target[:, 1:])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()

    return once


def ratios(jobs: dict[str, Callable[[], None]], rounds: int) -> dict[str, float]:
    """Each job's time over that of "dot", in the same round."""
    for job in jobs.values():
        for _ in range(WARM_UP):
            job()
    order, shuffled = list(jobs), random.Random(0)
    found: dict[str, list[float]] = {name: [] for name in jobs}
    for _ in range(rounds):
        shuffled.shuffle(order)
        took = {}
        for name in order:
            begun = time.process_time()
            for _ in range(STEPS):
                jobs[name]()
            took[name] = time.process_time() - begun
        for name, seconds in took.items():
            found[name].append(seconds / took["dot"])
    return {name: statistics.median(each) for name, each in found.items()}


def rows(rounds: int) -> list[dict[str, Any]]:
    found = []
    for size, widths in SIZES.items():
        lone = ratios({name: alone(name, widths["r"], widths["m"]) for name in SCORES}, rounds)
        whole = ratios({name: step(name, **widths) for name in SCORES}, rounds)
        for name in SCORES:
            found.append({"size": size, "score": name, "alone": round(lone[name], 2), "step": round(whole[name], 2)})
            print("{size:5} {score:15} {alone:6.2f} {step:6.2f}".format(**found[-1]), flush=True)
    return found


def main(*arguments: str) -> int:
    torch.set_num_threads(1)
    rounds = next((int(each) for each in arguments if each.isdigit()), ROUNDS)
    print("size  score            alone   step   (times the dot product's time)")
    found = rows(rounds)
    if "--store" in arguments:
        settings = {"sizes": SIZES, "vocab": VOCAB, "batch": BATCH, "source": SOURCE, "target": TARGET, "rounds": rounds, "steps": STEPS, "threads": 1}
        store(NAME, {"command": "python benchmarks/scores.py --store", "settings": settings, "rows": found})
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
