"""The small task of the widget TranslatorTrainer, in PyTorch: how near one vector and attention come to the floor, in
five seeds.

    python studies/letters_reversed.py            about 3 minutes of one CPU core

Each run is the widget's own with these settings (course_lib/graphs/translator_run.py), from start to last update; no
rate was searched.
"""

import sys
from dataclasses import asdict

from course_lib.graphs.translator_run import TranslatorRun, TranslatorSettings
from course_lib.results.study import Again, Part, Study

UPDATES, EACH = 1000, 100  # updates of a run, and from one measure to the next
SEEDS = range(1, 6)
FIRST = 5  # losses kept of a run, which a test finds again
MODELS = {
    "one vector, 4 letters": {"length": 4},
    "one vector": {"length": 8},
    "attention": {"length": 8, "attention": True},
    "one vector, r = 32": {"length": 8, "r": 32},
}


def settings(model: str, seed: int) -> TranslatorSettings:
    return TranslatorSettings(**MODELS[model], seed=seed)


def begun(run: TranslatorRun) -> list[float]:
    return [round(run.step(), 4) for _ in range(FIRST)]


def trained(model: str, seed: int) -> dict:
    """A row: the first losses, the exact loss on the test rows every so many updates, and at the end the share right at
    each place."""
    run, exact = TranslatorRun(settings(model, seed)), []
    first = begun(run)
    for step in range(FIRST + 1, UPDATES + 1):
        run.step()
        if step % EACH == 0:
            loss, shares, _ = run.measure()
            exact.append(round(loss, 4))
    return {
        "model": model,
        "seed": seed,
        "first": first,
        "exact": exact,
        "right": [round(share, 4) for share in shares.tolist()],
    }


STUDY = Study(
    "letters_reversed",
    {"updates": UPDATES, "each": EACH, "models": MODELS, "settings": asdict(TranslatorSettings())},
    {"rows": Part(trained, [(model, seed) for model in MODELS for seed in SEEDS], key=("model", "seed"))},
    minutes=3,
    again=[
        Again(
            "rows",
            [(model, seed) for model in MODELS for seed in SEEDS[:2]],
            lambda *key: begun(TranslatorRun(settings(*key))),
            "first",
            abs=1e-3,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
