"""What each score of attention costs: times the time with the plain dot product, one thread, in turns.

    python studies/score_times.py            (about a minute of one core)

Alone: prepare the keys of a batch of sources once, then compare every query of the target with them, forward and
backward. A training step is RNNsearch's forward, cross-entropy, backward and Adam on the same random batch. All six
take turns in short bursts, each time in another order, so that whatever else this machine does meets all of them. A
ratio is the median, over rounds, of a score's CPU time over the dot product's in the same round.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

import torch

from course_lib.checks import trusted
from course_lib.recurrent import RNNsearch
from course_lib.results.study import Part, Study
from course_lib.scores import SCORES, WITH_WIDTH, make
from course_lib.training import cross_entropy

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


def ratios(jobs: dict[str, Callable[[], None]], rounds: int = ROUNDS) -> dict[str, float]:
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


def rows(size: str) -> list[dict[str, Any]]:
    """The rows of all scores at one size."""
    widths = SIZES[size]
    lone = ratios({name: alone(name, widths["r"], widths["m"]) for name in SCORES})
    whole = ratios({name: step(name, **widths) for name in SCORES})
    return [
        {"size": size, "score": name, "alone": round(lone[name], 2), "step": round(whole[name], 2)} for name in SCORES
    ]


SETTINGS = {
    "sizes": SIZES, "vocab": VOCAB, "batch": BATCH, "source": SOURCE, "target": TARGET, "rounds": ROUNDS,
    "steps": STEPS, "threads": 1,
}  # fmt: skip
STUDY = Study(
    "score_times", {"settings": SETTINGS}, {"rows": Part(rows, [(size,) for size in SIZES], key=("size",))}, minutes=1
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
