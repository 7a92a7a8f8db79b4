"""The explorer's questions (chapter 3, *The explorer*) in six seeds each: what every run answers on the 64 fixed test
questions.

    python studies/explorer_seeds.py            about 2 minutes of one CPU core

Each run is the widget's own with these dials (course_lib/graphs/explorer.py); no rate was searched, and no seed was
left out.
"""

import math
import sys
from dataclasses import asdict

import numpy as np
import torch

from course_lib.graphs import Generator
from course_lib.graphs.explorer import TEST_SEED, Run, Settings, test_batch
from course_lib.results.study import Again, Part, Study
from course_lib.tasks import FOLLOW, SIGNS, Batch

SEEDS = range(1, 7)
TEXT_STEPS = 600
FIRST = 5  # losses kept of a run, which a test finds again
RUNS = {  # name: steps, dials
    "one head, d = m = 8": (400, {"d": 8, "m": 8, "h": 1}),
    "default": (150, {}),
    "no positions": (400, {"positions": "none"}),
    "no mask": (150, {"causal": False}),
    "recall, 1 layer": (600, {"task": "recall"}),
    "recall, 2 layers": (600, {"task": "recall", "layers": 2}),
    "numbers": (300, {"task": "numbers"}),
    "numbers, no positions": (300, {"task": "numbers", "positions": "none"}),
    "copy, rotary": (400, {"task": "copy", "positions": "rotary"}),
    "copy, alibi": (400, {"task": "copy", "positions": "alibi"}),
    "reverse, rotary": (800, {"positions": "rotary"}),
    "reverse, rotary, 2 layers": (800, {"positions": "rotary", "layers": 2}),
    "numbers, four keys": (300, {"task": "numbers", "h": 4, "m": 8}),
    "numbers, one key": (300, {"task": "numbers", "h": 4, "m": 8, "share": 4}),
}


@torch.no_grad()
def alone(run: Run) -> float:
    """The share of right answers when the model must go on from its own words."""
    batch = test_batch(run.task)
    asked = np.flatnonzero(batch.targets[0] >= 0)
    tokens, right = batch.tokens.copy(), []
    if run.task.fed:
        tokens[:, asked[1:]] = -1  # not yet written
    for place in asked:
        said = run.read(tokens)[0][:, place].argmax(-1).numpy()
        right.append((said == batch.targets[:, place]).mean())
        if run.task.fed and place < asked[-1]:
            tokens[:, place + 1] = said
    return float(np.mean(right))


@torch.no_grad()
def each(run: Run) -> list[float]:
    """The share right at each asked place, the right answers before it in sight."""
    batch = test_batch(run.task)
    right = run.read(batch.tokens)[0].argmax(-1).numpy() == batch.targets  # [b, n]
    return right[:, batch.targets[0] >= 0].mean(0).round(4).tolist()


@torch.no_grad()
def without(run: Run, head: int) -> float:
    """The share right while one head of the first layer adds nothing."""
    W_O = run.model.encoder.blocks[0].attention.W_O
    kept = W_O[head].clone()
    W_O[head] = 0
    share = run.accuracy()
    W_O[head] = kept
    return share


def begun(run: Run) -> list[float]:
    return [round(run.step(), 4) for _ in range(FIRST)]


def trained(name: str, seed: int) -> dict:
    """A row: the first losses; the share right with the right answers in sight, on its own, at each place, and without
    each head."""
    steps, dials = RUNS[name]
    run = Run(Settings(**dials, seed=seed))
    first = begun(run)
    for _ in range(steps - FIRST):
        run.step()
    off = [round(without(run, head), 4) for head in range(run.settings.h)]
    return {
        "run": name,
        "seed": seed,
        "first": first,
        "right": round(run.accuracy(), 4),
        "alone": round(alone(run), 4),
        "each": each(run),
        "off": off,
    }


@torch.no_grad()
def losses(run: Run) -> tuple[float, float]:
    """Nats per sign on 2,048 new questions: the model's, and the source's own, which nobody beats in the long run."""
    batch = run.task.batch(Generator(TEST_SEED + 1), 2048)
    exact = [
        math.log(len(line) / line.count(SIGNS[sign]))
        for line, sign in zip(lines(batch), batch.targets.ravel(), strict=True)
    ]
    return round(run.loss(batch).item(), 4), round(float(np.mean(exact)), 4)


def lines(batch: Batch) -> list[str]:
    """For every asked sign the line of the two before it."""
    before = np.concatenate([np.zeros_like(batch.tokens[:, :1]), batch.tokens[:, :-1]], 1)
    return [FOLLOW[pair] for pair in (len(SIGNS) * before + batch.tokens).ravel()]


def text(layers: int, seed: int) -> dict:
    """A row: the losses of the task text after 600 steps."""
    run = Run(Settings(task="text", layers=layers, seed=seed))
    first = begun(run)
    for _ in range(TEXT_STEPS - FIRST):
        run.step()
    loss, source = losses(run)
    return {
        "layers": layers,
        "seed": seed,
        "steps": TEXT_STEPS,
        "first": first,
        "loss": loss,
        "source": source,
        "right": round(run.accuracy(), 4),
    }


STUDY = Study(
    "explorer_seeds",
    {
        "runs": {name: {"steps": steps, **dials} for name, (steps, dials) in RUNS.items()},
        "settings": asdict(Settings()),
    },
    {
        "rows": Part(trained, [(name, seed) for name in RUNS for seed in SEEDS], key=("run", "seed")),
        "text": Part(text, [(layers, seed) for layers in (1, 2) for seed in SEEDS], key=("layers", "seed")),
    },
    minutes=4,
    again=[
        Again(
            "rows",
            [(name, seed) for name in RUNS for seed in SEEDS][::7],
            lambda name, seed: begun(Run(Settings(**RUNS[name][1], seed=seed))),
            "first",
            abs=1e-3,
        ),
        Again(
            "text",
            [(1, 1), (1, 6), (2, 5)],
            lambda layers, seed: begun(Run(Settings(task="text", layers=layers, seed=seed))),
            "first",
            abs=1e-3,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
