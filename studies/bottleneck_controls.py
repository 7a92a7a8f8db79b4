"""Three controls to the central experiment, of the model with a fixed vector: four times as long, four times as wide,
more sentences; and two more seeds of its own two models, so that five stand beside five.

    python studies/bottleneck_controls.py            about 110 minutes of one CPU core; --jobs 2 takes two

Everything else is as in studies/central_experiment.py (RNNencdec, sources of at most 30 words), whose functions make
the rows. In a longer run the rate's plan is stretched with it: 50 steps up, then level, and from the middle on down to
a twentieth. "more" is the longer run with eleven times as many joined sentences, of the same clauses. For the wide
model two rates are tried first, on 200 updates of one seed. To go on with more seeds, raise SEEDS: the rows that are
there are kept. The first look was at two seeds of longer and more and one of wider; the others came later, and nothing
else was changed.
"""

import sys
from functools import cache
from typing import NamedTuple

from course_lib.results.study import Again, Part, Study
from course_lib.shipped import rnnencdec, rnnsearch
from course_lib.text.corpora import _sentences
from studies import central_experiment as central

MODEL, LONGEST = "RNNencdec", max(central.Settings().longest)
SHIPPED = {"RNNencdec": rnnencdec, "RNNsearch": rnnsearch}
RATES, TRIED = (3e-3, 1e-3), 200
SEEDS = 5  # from 0 on
AGAIN = (3, 4)  # of the central experiment's two models, which has three
FIRST = 5  # losses kept of a run, which a test finds again


class Control(NamedTuple):
    """joined: how many times as many sentences are joined of the training clauses."""

    settings: central.Settings
    joined: int = 1


CONTROLS = {
    "longer": Control(central.Settings(steps=8000)),
    "wider": Control(central.Settings(r=512)),
    "more": Control(central.Settings(steps=8000), joined=11),
}


@cache
def data(joined: int) -> central.Data:
    """The central experiment's, and so many times its training sentences, of the same clauses."""
    given = central.data()
    clauses = [tuple(" ".join(side[:-1]) for side in pair) for pair in given.alone]  # without their full stops
    more = [pair for seed in range(1, joined) for pair in _sentences(clauses, len(given.corpus.train), 100 + seed)]
    return given._replace(corpus=given.corpus._replace(train=(*given.corpus.train, *more)))


def short(losses: list[float]) -> list[float]:
    return [round(loss, 4) for loss in losses]


def read(model: object, settings: central.Settings) -> dict:
    """The scores on the test's sentences and, of 21 to 30 words, on as many that every model was trained on."""
    given = central.data()
    pairs = [pair for pair in central.training_pairs(given, LONGEST) if len(pair.source) > 20]
    scores = central.score(model, given, given.corpus.test[: settings.test], settings.edges)
    known = central.score(model, given, pairs[: scores["21 to 30"]["sentences"]], (20, 30))["21 to 30"]
    return {"scores": scores, "trained": known}


def trained(control: str, seed: int) -> dict:
    """A row: one model of a control."""
    settings, joined = CONTROLS[control]
    given, path = data(joined), central.checkpoint(f"{MODEL}_{control}", LONGEST, seed, settings)
    model, losses = central.run(MODEL, LONGEST, seed, settings, given, path)
    return {
        "control": control, "seed": seed, "parameters": sum(p.numel() for p in model.parameters()),
        "pairs": len(central.training_pairs(given, LONGEST)),
        "first": short(losses[:FIRST]), "last": round(sum(losses[-100:]) / 100, 4), **read(model, settings),
    }  # fmt: skip


def shipped(model: str) -> dict:
    """The central experiment's own model of seed 0, as it comes with the course, for what it says to sentences trained
    on."""
    return {"model": model, **read(SHIPPED[model]().model, central.Settings())}


def tried(rate: float) -> dict:
    """The wide model under a rate, after a few updates: the mean loss of each tenth of them."""
    _, losses = central.run(
        MODEL, LONGEST, 0, CONTROLS["wider"].settings._replace(rate=rate, steps=TRIED), central.data()
    )
    tenth = TRIED // 10
    return {"rate": rate, "losses": short([sum(losses[i : i + tenth]) / tenth for i in range(0, TRIED, tenth)])}


STUDY = Study(
    "bottleneck_controls",
    {"controls": {name: {**each.settings._asdict(), "joined": each.joined} for name, each in CONTROLS.items()}},
    {
        "again": Part(
            central.trained,
            [(name, LONGEST, seed) for name in SHIPPED for seed in AGAIN],
            key=("model", "longest", "seed"),
        ),
        "base": Part(shipped, [(name,) for name in SHIPPED], key=("model",)),
        "rates": Part(tried, [(rate,) for rate in RATES], key=("rate",)),
        "rows": Part(
            trained, [(control, seed) for control in CONTROLS for seed in range(SEEDS)], key=("control", "seed")
        ),
    },
    minutes=110,
    progress="the one in progress as of its last checkpoint",
    again=[
        # in the first 50 updates the rate rises as in the whole run, as long as they are not more than half of all
        Again(
            "rows",
            [(control, 0) for control in CONTROLS],
            lambda control, seed: central.run(
                MODEL,
                LONGEST,
                seed,
                CONTROLS[control].settings._replace(steps=2 * FIRST + 2),
                data(CONTROLS[control].joined),
            )[1][:FIRST],
            "first",
            rel=1e-3,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
