"""Two controls to the central experiment: the model with a fixed vector, trained four times as long, and four times as wide.

    python studies/bottleneck_controls.py            about 90 minutes of one CPU core; --jobs 2 takes two

Everything else is as in studies/central_experiment.py (RNNencdec, sources of at most 30 words), whose functions make the rows. Of the
longer run the rate's plan is stretched with it: 50 steps up, then level, and from the middle on down to a twentieth. For the wide
model two rates are tried first, on 200 updates of one seed. To go on with more seeds, raise SEEDS: the rows that are there are kept.
"""

import sys

from course_lib.results.study import Part, Study
from course_lib.shipped import rnnencdec
from studies import central_experiment as central

COMMAND = "python studies/bottleneck_controls.py"
MODEL, LONGEST = "RNNencdec", max(central.Settings().longest)
CONTROLS = {"longer": central.Settings(steps=8000), "wider": central.Settings(r=512)}
RATES, TRIED = (3e-3, 1e-3), 200
SEEDS = range(3)
FIRST = 5  # losses kept of a run, which a test finds again


def short(losses: list[float]) -> list[float]:
    return [round(loss, 4) for loss in losses]


def read(model: object, given: central.Data, settings: central.Settings) -> dict:
    """The scores on the test's sentences and, of 21 to 30 words, on as many that were trained on."""
    pairs = [pair for pair in central.training_pairs(given, LONGEST) if len(pair.source) > 20]
    scores = central.score(model, given, given.corpus.test[: settings.test], settings.edges)
    known = central.score(model, given, pairs[: scores["21 to 30"]["sentences"]], (20, 30))["21 to 30"]
    return {"scores": scores, "trained": known}


def trained(control: str, seed: int) -> dict:
    """A row: one model of a control."""
    settings, given = CONTROLS[control], central.data()
    model, losses = central.run(MODEL, LONGEST, seed, settings, given, central.checkpoint(MODEL, LONGEST, seed, settings))
    return {
        "control": control, "seed": seed, "parameters": sum(p.numel() for p in model.parameters()),
        "first": short(losses[:FIRST]), "last": round(sum(losses[-100:]) / 100, 4), **read(model, given, settings),
    }  # fmt: skip


def shipped(control: str) -> dict:
    """The central experiment's own model of seed 0, as it comes with the course, for what it says to sentences trained on."""
    return {"control": control, **read(rnnencdec().model, central.data(), central.Settings())}


def tried(rate: float) -> dict:
    """The wide model under a rate, after a few updates: the mean loss of each tenth of them."""
    _, losses = central.run(MODEL, LONGEST, 0, CONTROLS["wider"]._replace(rate=rate, steps=TRIED), central.data())
    tenth = TRIED // 10
    return {"rate": rate, "losses": short([sum(losses[i : i + tenth]) / tenth for i in range(0, TRIED, tenth)])}


STUDY = Study(
    "bottleneck_controls",
    {"controls": {name: settings._asdict() for name, settings in CONTROLS.items()}},
    {
        "base": Part(shipped, [("as there",)], key=("control",)),
        "rates": Part(tried, [(rate,) for rate in RATES], key=("rate",)),
        "rows": Part(trained, [(control, seed) for seed in SEEDS for control in CONTROLS], key=("control", "seed")),
    },
    minutes=90,
    progress="the one in progress as of its last checkpoint",
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
