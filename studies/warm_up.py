"""Why a learning rate begins small: the translator of `stabilisers` begun in four ways, post-norm and pre-norm.

    python studies/warm_up.py            (about twenty minutes of one core)

Two reasons are given for a warm-up. (1) Adam's averages of a gradient and of its square mean nothing in the first
steps. (2) A fresh post-norm model does not bear large steps. STARTS holds what tells them apart:

- "warm-up": the published schedule, 600 batches.
- "none": its falling part from the beginning, that is from its highest rate; 600 batches.
- "head start": 150 other batches at rate 0, which move no parameter and fill both averages; then "none", batch for
  batch.
- "reset": "warm-up", but at its end, where the rate is highest, both averages are forgotten.

The lower rate: "warm-up" and "none" once more at half of all rates. Fixed before the first run: these settings, and
COMPARED, in nats a held-out token, by Welch's test with Holm's correction over all of them; the same by Student's test
on the pairs of equal seed, which share start, batches and dropout. (Known by then: "warm-up" and "none" at the full
rate, which `stabilisers` has. Ten seeds were planned at the full rate; they became five when the machine turned out to
be slow, before any row had been looked at.)

`averages` was added when the head start had been seen to end worse than "none": the length of the gradient, and the
length that Adam's average of its square stands for, in the batches AT after the first one that moves anything.

`halves` was added when a reader had asked how a head start can harm by steps that are too short, if what harms is large
steps: post-norm, with a head start whose average of gradients is emptied before the first step that moves anything
("squares kept"); each average is corrected for its own beginning. To be compared with "none" and "head start", seed by
seed. `moved`: the lengths of the steps AT, over all parameters. (A trial with seed 0 had been seen: the average of
gradients at zero and not corrected for it, 1.35 nats. The other half, gradients kept and squares emptied, was planned
and given up after its first seed: a parameter whose first gradient is next to 0 is then moved by an old gradient over
that, and the first step has length 210,000.)
"""

import sys
from collections.abc import Callable
from functools import cache
from typing import Any

import torch

from course_lib.results.study import Again, Part, Study
from course_lib.training import train, translation_loss, warm_up
from course_lib.transformer import Translator
from studies import stabilisers
from studies.stabilisers import FACTOR, FIRST, PUBLISHED, SEEDS, SIZES, STEPS, WARM, adam, made, scored

NORMS, STARTS = ("post", "pre"), ("warm-up", "none", "head start", "reset")
KEPT = {"squares kept": (0,)}  # which averages are emptied after the head start
HALF, POINTS, AT = FACTOR / 2, 12, (1, 2, 5, 10, 20, 50, 100)
COMPARED = [  # (start, factor) minus (start, factor), for each norm; and the first of them, post minus pre
    (("none", FACTOR), ("warm-up", FACTOR)),
    (("head start", FACTOR), ("none", FACTOR)),
    (("head start", FACTOR), ("warm-up", FACTOR)),
    (("reset", FACTOR), ("warm-up", FACTOR)),
    (("none", HALF), ("warm-up", HALF)),
    (("none", HALF), ("warm-up", FACTOR)),
]
ASKED = {"squares kept": STEPS, "none": max(AT), "head start": max(AT)}  # steps, for `halves`
data = cache(stabilisers.data)


class Apart(torch.optim.Optimizer):
    """Adam whose two averages, of gradients and of squares, are each corrected for their own beginning; `empty(i)`
    begins one anew."""

    def __init__(self, parameters: Any, betas: tuple[float, float] = (0.9, 0.98), eps: float = 1e-9) -> None:
        super().__init__(parameters, {"lr": 0.0})
        self.betas, self.eps, self.counts = betas, eps, [0, 0]

    def empty(self, i: int) -> None:
        self.counts[i] = 0
        for state in self.state.values():
            state["averages"][i].zero_()

    @torch.no_grad()
    def step(self, closure: None = None) -> None:
        self.counts = [count + 1 for count in self.counts]
        for group in self.param_groups:
            for p in group["params"]:
                averages = self.state[p].setdefault("averages", [torch.zeros_like(p), torch.zeros_like(p)])
                for average, new, beta in zip(averages, (p.grad, p.grad.square()), self.betas, strict=True):
                    average.lerp_(new, 1 - beta)
                mean, square = (
                    average / (1 - beta**count)
                    for average, beta, count in zip(averages, self.betas, self.counts, strict=True)
                )
                p.sub_(group["lr"] * mean / (square.sqrt() + self.eps))


def trained(
    norm: str, start: str, factor: float, seed: int, steps: int = STEPS, watch: Callable | None = None
) -> tuple[Translator, list[float]]:
    """A model after its first steps that move it, from one seed, and their losses. `watch(optimiser, …)` is called
    after each step."""
    source, target, pairs, _ = data()
    model = made(PUBLISHED | {"norm": norm}, len(source), len(target), seed)
    optimiser, offset = Apart(model.parameters()) if start in KEPT else adam(model), seed * 10_000
    if watch is not None:
        optimiser.register_step_post_hook(watch)

    def go(first: int, last: int, rate: Any) -> list[float]:
        """The steps from first to last, with their own batches."""
        if last < first:
            return []
        at = first - 1  # train counts from 1
        return train(
            model,
            lambda step: pairs.batch_at(step + at + offset),
            loss_of,
            optimiser,
            last - at,
            rate=lambda step: rate(step + at),
        )

    def loss_of(model: torch.nn.Module, batch: Any) -> torch.Tensor:
        return translation_loss(model, batch, smoothing=PUBLISHED["smoothing"])

    def rising(step: int) -> float:
        return factor * warm_up(step, SIZES["d"], WARM)

    torch.manual_seed(seed)
    if start == "head start" or start in KEPT:
        go(STEPS + 1, STEPS + WARM, lambda step: 0.0)
        torch.manual_seed(seed)  # the dropout that the others meet
        for i in KEPT.get(start, ()):
            optimiser.empty(i)
    if start in ("none", "head start") or start in KEPT:
        return model, go(1, steps, lambda step: rising(step + WARM))
    losses = go(1, min(steps, WARM), rising)
    if start == "reset":
        optimiser.state.clear()
    return model, losses + go(WARM + 1, steps, rising)


def run(norm: str, start: str, factor: float, seed: int) -> dict[str, Any]:
    """One row: scores, the first losses, and the mean losses of POINTS stretches of the training."""
    key = {"norm": norm, "start": start, "factor": factor, "seed": seed}
    try:
        model, losses = trained(norm, start, factor, seed)
    except FloatingPointError as failure:
        return {**key, "failed": str(failure)}
    each = STEPS // POINTS
    curve = [round(sum(losses[i : i + each]) / each, 3) for i in range(0, STEPS, each)]
    return {**key, **scored(model), "first": [round(loss, 4) for loss in losses[:FIRST]], "curve": curve}


def averages(norm: str, start: str, seed: int) -> dict[str, Any]:
    """One row of `averages`: lengths over all parameters."""
    gradient, remembered, steps = [], [], 0

    def watch(optimiser: torch.optim.Adam, *_: Any) -> None:
        nonlocal steps
        if optimiser.param_groups[0]["lr"] == 0:
            return
        steps += 1
        if steps in AT:
            states = [(p, optimiser.state[p]) for p in optimiser.param_groups[0]["params"]]
            squares = [
                (p.grad.square().sum().item(), s["exp_avg_sq"].sum().item() / (1 - 0.98 ** s["step"].item()))
                for p, s in states
            ]
            for lengths, each in zip((gradient, remembered), zip(*squares, strict=True), strict=True):
                lengths.append(round(sum(each) ** 0.5, 3))

    trained(norm, start, FACTOR, seed, max(AT), watch)
    return {"norm": norm, "start": start, "seed": seed, "gradient": gradient, "remembered": remembered}


def moved(start: str, seed: int, steps: int = max(AT)) -> dict[str, Any]:
    """One row of `halves`: the lengths of the steps AT and, where `steps` are those of a whole training, its scores;
    post-norm."""
    source, target, *_ = data()
    places = [
        p.detach().clone() for p in made(PUBLISHED | {"norm": "post"}, len(source), len(target), seed).parameters()
    ]
    lengths, count = [], 0

    def watch(optimiser: torch.optim.Optimizer, *_: Any) -> None:
        nonlocal count
        now = [p.detach().clone() for p in optimiser.param_groups[0]["params"]]
        count += optimiser.param_groups[0]["lr"] > 0
        if count in AT:
            lengths.append(
                round(sum((a - b).square().sum().item() for a, b in zip(now, places, strict=True)) ** 0.5, 3)
            )
        places[:] = now

    model, losses = trained("post", start, FACTOR, seed, steps, watch)
    whole = {**scored(model), "first": [round(loss, 4) for loss in losses[:FIRST]]} if steps == STEPS else {}
    return {"start": start, "seed": seed, **whole, "moved": lengths}


def wanted() -> list[tuple]:
    full = [(norm, start, FACTOR) for norm in NORMS for start in STARTS]
    half = [(norm, start, HALF) for norm in NORMS for start in STARTS[:2]]
    return [(*each, seed) for seed in SEEDS for each in full + half]


STUDY = Study(
    "warm_up",
    {
        "settings": {**stabilisers.STUDY.head["settings"], "published": PUBLISHED, "half": HALF, "points": POINTS},
        "compared": COMPARED,
    },
    {
        "rows": Part(run, wanted(), key=("norm", "start", "factor", "seed")),
        "averages": Part(
            averages,
            [(norm, start, seed) for norm in NORMS for start in STARTS[1:3] for seed in SEEDS],
            key=("norm", "start", "seed"),
        ),
        "halves": Part(
            moved,
            {(start, seed): (start, seed, steps) for start, steps in ASKED.items() for seed in SEEDS},
            key=("start", "seed"),
        ),
    },
    minutes=20,
    again=[
        Again(
            "rows",
            [("post", "head start", FACTOR, 1), ("pre", "none", HALF, 2)],
            lambda *key: trained(*key, FIRST)[1],
            "first",
            abs=2e-3,
        ),
        Again(
            "halves",
            [("squares kept", 0)],
            lambda start, seed, _: trained("post", start, FACTOR, seed, 3)[1],
            "first",
            abs=2e-3,
        ),
        Again("halves", [("none", 0)], lambda start, seed, _: moved(start, seed, 2), abs=2e-3),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
