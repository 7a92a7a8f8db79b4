"""Are source R's places used, and does it matter by which root the scores are divided? Only trained models can tell.

    python studies/places_and_scale.py            (about a minute of one core)

Training as published, 1,500 updates, the words from p = (1/2, 1/4, 1/8, 1/8).

- places: sizes of the worked example, 16 seeds, with P as published and with P set back to zero after each update. Kept
  a model: how far each row of P is from the mean of the others, the error, the spread of q over inputs, and how much q
  moves where the order of all words but the last changes.
- scale: sizes with d = 4m, 8 seeds, scores divided by √m and by √d. Kept a model: the error, and the largest weight of
  the last row over 64 inputs, times n (1: all weights equal).
"""

import sys

import numpy as np
import torch

from course_lib.memoryless import Ensemble, Sizes, Training, predictions, read, train
from course_lib.published import P
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.sources import Memoryless

WORDS, INPUTS = 4, 256
EXAMPLE, WIDE = Sizes(4, 8, 4, 4, 16), Sizes(4, 64, 64, 16, 256)
SOURCE = Memoryless(P[WORDS])


def away(table: np.ndarray) -> np.ndarray:
    """The distance of each row [n, d] from the mean of all other rows."""
    n = len(table)
    return np.linalg.norm((table - table.mean(0)) * n / (n - 1), axis=1)


def without_places(_update: int, ensemble: Ensemble) -> None:
    ensemble.parameters["P"].zero_()


def moved_by_order(ensemble: Ensemble) -> np.ndarray:
    """Largest change of q, in percentage points, where all words but the last are put in another order; one number a
    model."""
    q, words = predictions(ensemble, SOURCE, inputs=INPUTS)
    other = words.copy()
    other[:, :-1] = np.random.default_rng(0).permuted(words[:, :-1], axis=1)
    with torch.no_grad():
        again = ensemble.logits(torch.from_numpy(other)).double().softmax(-1).numpy()
    return 100 * np.abs(again - q).max((1, 2))


def places(seeds: list[int], kept: bool) -> dict:
    """`kept`: with P learned as published; else P is set back to zero after each update."""
    ensemble = train(EXAMPLE, SOURCE, seeds, watch=None if kept else without_places).ensemble
    reading = read(ensemble, SOURCE, inputs=INPUTS)
    rows = {"away": [short(away(table)) for table in ensemble.parameters["P"].double().numpy()]} if kept else {}
    return {
        "error": short(reading.error),
        "spread": short(reading.spread),
        "order": short(moved_by_order(ensemble)),
    } | rows


def scale(seeds: list[int], name: str) -> dict:
    ensemble = train(WIDE, SOURCE, seeds, Training(scale=name)).ensemble
    words = torch.from_numpy(SOURCE.sample(64, WIDE.n, np.random.default_rng(0)))
    with torch.no_grad():
        weights = [ensemble.model(i).stages(words).A[:, -1].max().item() for i in range(len(seeds))]
    return {"error": short(read(ensemble, SOURCE, inputs=INPUTS).error), "weight": short(WIDE.n * np.array(weights))}


GROUPS = {"places": 16, "no places": 16, "scale m": 8, "scale d": 8}  # name → seeds


def run(name: str) -> dict:
    seeds = list(range(GROUPS[name]))
    return scale(seeds, name[-1]) if name.startswith("scale") else places(seeds, kept=name == "places")


SETTINGS = {
    "sizes": {"places": EXAMPLE._asdict(), "scale": WIDE._asdict()}, "seeds": GROUPS, "p": P[WORDS].tolist(),
    "updates": Training().updates, "inputs": INPUTS,
}  # fmt: skip
STUDY = Study(
    "places_and_scale",
    {"settings": SETTINGS},
    {"runs": Part(run, {name: (name,) for name in GROUPS})},
    minutes=1,
    again=[
        Again("runs", ["places"], lambda name: places([0], kept=True), ("error", "spread"), abs=0.02),
        Again("runs", ["places"], lambda name: places([0], kept=True), ("away",), abs=0.002),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
