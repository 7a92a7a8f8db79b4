"""The worked example of source R trained under each reading of its budget and each of its two β₂: what moves how far.

    python studies/budget_readings.py            (about six minutes of one core)

A row for each of the six trainings, with one number a seed for everything that is also printed: how far the learnables
have moved that start at (almost) zero, error, and mean of the last losses. A seed gives a model the same start in all
six, and with each β₂ the same sequences in the same order.
"""

import sys
from itertools import product
from typing import Any

import numpy as np

from course_lib.memoryless import Ensemble, Sizes, Training, predictions, read, train
from course_lib.published import P
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.sources import Memoryless, divergence

SIZES, SOURCE = Sizes(v=4, n=8, d=4, m=4, r=16), Memoryless(P[4])
SEEDS, INPUTS, EVERY = tuple(range(32)), 64, 25
UPDATES, BETAS, EPOCHS, BATCH = (1500, 8000, 24000), (0.95, 0.999), 3, 16


def training(updates: int, beta: float) -> Training:
    """Three epochs in any reading, so each has its own number of sequences."""
    return Training(updates=updates, batch=BATCH, sequences=-(-updates // EPOCHS) * BATCH, betas=(0.9, beta))


def moved(parameters: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
    """Root mean squares [...] of what starts at zero or near it, of parameters by name, [..., *shape]."""
    parts = {
        "w_o": parameters["w_o"],
        "w_3": parameters["w_3"],
        "P, last row": parameters["P"][..., -1, :],
        "P, other rows": parameters["P"][..., :-1, :],
    }
    return {
        name: np.sqrt((part.reshape(*part.shape[: parameters["w_o"].ndim - 1], -1) ** 2).mean(-1))
        for name, part in parts.items()
    }


def run(updates: int, beta: float, seeds: tuple[int, ...] = SEEDS) -> dict[str, Any]:
    late = []

    def watch(update: int, ensemble: Ensemble) -> None:
        if update % EVERY == 0 and update > updates // 2:
            q = predictions(ensemble, SOURCE, inputs=INPUTS, seed=update)[0]
            late.append(divergence(SOURCE.p, q, tolerance=1e-5).mean(-1))

    trained = train(SIZES, SOURCE, seeds, training(updates, beta), watch=watch)
    reading = read(trained.ensemble, SOURCE)
    values = moved({name: value.double().numpy() for name, value in trained.ensemble.parameters.items()}) | {
        "error": reading.error,
        "spread": reading.spread,
        "excess": np.mean(late, 0),
        "last losses": trained.losses[:, -(updates // 10) :].mean(-1),
    }
    return {"updates": updates, "beta": beta} | {name: short(value) for name, value in values.items()}


SETTINGS = {
    "sizes": SIZES._asdict(),
    "p": SOURCE.p.tolist(),
    "seeds": len(SEEDS),
    "epochs": EPOCHS,
    "batch": BATCH,
    "every": EVERY,
}
STUDY = Study(
    "budget_readings",
    {"settings": SETTINGS},
    {"rows": Part(run, list(product(UPDATES, BETAS)), key=("updates", "beta"))},
    minutes=6,
    again=[  # one seed alone, within rounding that training has blown up
        Again("rows", [(1500, 0.999)], lambda *key: run(*key, SEEDS[:1]), ("w_o", "last losses"), rel=0.02),
        Again("rows", [(1500, 0.999)], lambda *key: run(*key, SEEDS[:1]), ("error", "spread"), abs=0.05),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
