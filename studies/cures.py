"""How far source R's models end from the truth, and what brings them nearer: one training changed at a time, at five
sizes.

    python studies/cures.py            (about twelve minutes of one core)

A row for each shape and training. All are equal in data: each model owns 8,000 sequences and goes through them three
times. A seed gives a model the same start and the same sequences in every row of its shape, so that rows can be
compared seed by seed. The three smaller shapes are also trained on to 8,000 updates.
"""

import sys
from typing import Any

import numpy as np
import torch

from course_lib.memoryless import Batches, Ensemble, Sizes, Training, count, predictions, read, train
from course_lib.published import P
from course_lib.results.study import Part, Study
from course_lib.results.tables import short
from course_lib.sources import Memoryless

SOURCE = Memoryless(P[4])
SHAPES = ((16, 8, 4, 16), (32, 16, 8, 32), (64, 32, 16, 64), (64, 64, 32, 256), (128, 128, 64, 512))  # n, d, m, r
SEEDS, FEW = tuple(range(16)), tuple(range(8))  # the few are for the largest
NARROW, WIDE = 8, 128  # the widths at which the two rules for the rate leave it at what is published
EVERY, INPUTS, KEEP = 25, 64, 0.99
COURSE = (1, 25, 50, 100, 200, 400, 800, 1500)
LONG, FURTHER = SHAPES[:3], (1500, 3000, 8000)  # trained on, through the same sequences, and seen at these updates


def cures(d: int) -> dict[str, Training]:
    """What is changed, by name; the widths' rules keep rate · (1 + d) as it is for one of the published widths."""
    every = {
        "as published": Training(average="tail"),
        "linear": Training(decay="linear"),
        "cosine": Training(decay="cosine"),
        "batch 64": Training(updates=375, batch=64),
        "beta_2 0.999": Training(betas=(0.9, 0.999)),
        "rate for the width": Training(rate=1e-3 * (1 + NARROW) / (1 + d)),
    }
    if d <= 32:
        every["rate of the widest"] = Training(rate=1e-3 * (1 + WIDE) / (1 + d))
    return every


def seeds_of(shape: tuple[int, ...]) -> tuple[int, ...]:
    return FEW if shape[1] == WIDE else SEEDS


class Watch:
    """What is seen of a run on its way: a running average, the course of sizes and ranges, the predictions of the last
    half."""

    def __init__(self, times: tuple[int, ...]) -> None:
        self.times, self.mean = times, None
        self.course: dict[str, list[Any]] = {name: [] for name in ("mean ratio", "norm ratio", "spread", "error")}
        self.late: list[np.ndarray] = []

    def __call__(self, update: int, ensemble: Ensemble) -> None:
        if self.mean is None:
            self.mean = torch.zeros_like(ensemble.flat)
        self.mean.lerp_(ensemble.flat, (1 - KEEP) / (1 - KEEP**update))
        if update % EVERY == 0 and 750 < update <= 1500:
            self.late.append(predictions(ensemble, SOURCE, inputs=INPUTS, seed=update)[0].mean(1))
        if update in self.times:
            reading = read(ensemble, SOURCE)
            mean, norm = zip(*(ratios(ensemble, i) for i in range(len(ensemble.seeds))), strict=True)
            for name, values in zip(self.course, (mean, norm, reading.spread, reading.error), strict=True):
                self.course[name].append(short(values))


def ratios(ensemble: Ensemble, i: int, inputs: int = 16) -> tuple[float, float]:
    """Model i's Y over its X (the source's A_O over X): mean absolute values, and Frobenius norms."""
    words = SOURCE.sample(inputs, ensemble.sizes.n, np.random.default_rng(0))
    with torch.no_grad():
        stages = ensemble.model(i).stages(torch.from_numpy(words))
    return (stages.Y.abs().mean() / stages.X.abs().mean()).item(), (stages.Y.norm() / stages.X.norm()).item()


def shares(shape: tuple[int, ...], seeds: tuple[int, ...]) -> dict[str, Any]:
    """What counting would have found in each model's own sequences: the share of each word, among labels and among
    all."""
    words = Batches(SOURCE, seeds, shape[0], 16, 8000).words.numpy()  # [S, 8000, n + 1]
    return {
        name: short([np.bincount(each.ravel(), minlength=SOURCE.v) / each.size for each in part])
        for name, part in (("labels", words[..., -1]), ("tokens", words))
    }


def rows_of(shape: tuple[int, ...], name: str, seeds: tuple[int, ...]) -> list[dict[str, Any]]:
    """Train, and give one row for the last update and, where averages are taken on the way, one for each of them."""
    watch = Watch(COURSE) if name == "as published" else None
    training = cures(shape[1])[name]
    trained = train(Sizes(SOURCE.v, *shape), SOURCE, seeds, training, watch=watch)
    rows = [row(shape, name, trained.ensemble) | {"rate": short(training.rate), "updates": training.updates}]
    if watch is not None:
        late = np.stack(watch.late, 1)  # [S, times, v]
        rows[0] |= {
            "course": watch.course,
            "late mean q": short(late.mean(1)),
            "late error": short(100 * abs(late - SOURCE.p).max(-1).mean(1)),
        }
        rows += [row(shape, "tail mean", trained.averaged), row(shape, "running mean", trained.ensemble.at(watch.mean))]
    return rows


def epochs_rows(shape: tuple[int, ...]) -> list[dict[str, Any]]:
    """The parameters averaged over whole epochs: the last one, and the last two. With the first, what labels the last
    half of the training has seen: those of one epoch and a half, so half of them twice."""
    seeds, training = seeds_of(shape), Training()
    epoch, half = training.sequences // training.batch, training.updates // 2
    means, seen = {1: 0.0, 2: 0.0}, np.zeros((len(seeds), SOURCE.v))
    batches = Batches(SOURCE, seeds, shape[0], training.batch, training.sequences)

    def watch(update: int, ensemble: Ensemble) -> None:
        for epochs in means:
            if update > training.updates - epochs * epoch:
                means[epochs] = means[epochs] + ensemble.flat.double() / (epochs * epoch)
        if update > half:
            labels = batches.at(update - 1)[1].numpy()  # [S, b]
            seen[:] += (labels[..., None] == np.arange(SOURCE.v)).sum(1)

    trained = train(Sizes(SOURCE.v, *shape), SOURCE, seeds, training, watch=watch)
    rows = [
        row(shape, name, trained.ensemble.at(means[epochs]))
        for epochs, name in ((1, "last epoch"), (2, "last two epochs"))
    ]
    rows[0]["labels of the last half"] = short(seen / seen.sum(1, keepdims=True))
    return rows


def long_row(shape: tuple[int, ...]) -> dict[str, Any]:
    """As published, but for 8,000 updates: sixteen times through the same sequences, so not equal in work to the
    others."""
    watch, training = Watch(FURTHER), Training(updates=FURTHER[-1])
    trained = train(Sizes(SOURCE.v, *shape), SOURCE, FEW, training, watch=watch)
    return row(shape, "8,000 updates", trained.ensemble) | {
        "updates": training.updates,
        "times": list(FURTHER),
        "course": watch.course,
    }


def row(shape: tuple[int, ...], name: str, ensemble: Ensemble) -> dict[str, Any]:
    """q: each model's mean prediction over 256 inputs; spread: its range over them, percentage points."""
    reading = read(ensemble, SOURCE)
    return {"shape": list(shape), "training": name, "q": short(reading.q), "spread": short(reading.spread)}


def settings() -> dict[str, Any]:
    return {
        "p": SOURCE.p.tolist(), "seeds": {str(list(shape)): list(seeds_of(shape)) for shape in SHAPES},
        "learnables": {str(list(shape)): count(Sizes(SOURCE.v, *shape)) for shape in SHAPES},
        "course": list(COURSE), "every": EVERY, "keep": KEEP,
    }  # fmt: skip


def rows_wanted(shape: tuple[int, ...], name: str) -> list[dict[str, Any]]:
    if name == "last epoch":
        return epochs_rows(shape)
    return [long_row(shape)] if name == "8,000 updates" else rows_of(shape, name, seeds_of(shape))


WANTED = [(shape, name) for shape in SHAPES for name in cures(shape[1])] + [(shape, "8,000 updates") for shape in LONG]
WANTED += [(shape, "last epoch") for shape in SHAPES]
STUDY = Study(
    "cures",
    {"settings": settings()},
    {
        "counting": Part(
            lambda shape: shares(shape, seeds_of(shape)), {str(list(shape)): (shape,) for shape in SHAPES}
        ),
        "rows": Part(rows_wanted, WANTED, key=("shape", "training")),
    },
    minutes=12,
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
