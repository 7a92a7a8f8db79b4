"""What each stabiliser is for: the translator trained small, as published and with one part switched off at a time.

    python studies/stabilisers.py            (about ten minutes of one core)

A row for each variant and seed: nats per French token on held-out sentences, without dropout and without smoothing, the
share of tokens that the model names, given the right ones before, and the first losses of the training. A run whose
loss is no longer finite has failed; its row says at which step. The rows of `short` are beginnings, scored in the same
way, which a test makes again. [after Vaswani et al. 2017, §5]
"""

import math
import sys
from functools import partial
from typing import Any

import torch

from course_lib.checks import trusted
from course_lib.results.study import Again, Part, Study
from course_lib.text.batches import Pairs
from course_lib.text.corpora import english_french
from course_lib.text.vocabulary import Vocabulary, vocabularies
from course_lib.training import cross_entropy, train, translation_loss, warm_up
from course_lib.transformer import Translator

SIZES = {"layers": 2, "d": 32, "m": 8, "h": 4, "r": 128}
SEEDS, STEPS, BATCH, WARM, LONGEST, HELD_OUT = range(5), 600, 32, 150, 13, 300
FIRST = 5  # losses kept of a run, which a test finds again
SHORTENED = [("as published", 0), ("no √d", 0), ("pre-norm, no warm-up", 0)]
SHORT = 30  # steps of the rows that a test makes again, scores and all
FACTOR = 0.3  # the formula gives a peak of 0.014 at these sizes, at which no post-norm model trains well
PUBLISHED: dict[str, Any] = {
    "norm": "post",
    "residual": True,
    "root_d": True,
    "dropout": 0.1,
    "smoothing": 0.1,
    "warm": True,
}
VARIANTS: dict[str, dict[str, Any]] = {
    "as published": {},
    "no residual": {"residual": False},
    "no norm": {"norm": "none"},
    "no √d": {"root_d": False},
    "no dropout": {"dropout": 0.0},
    "no smoothing": {"smoothing": 0.0},
    "no warm-up": {"warm": False},
    "pre-norm": {"norm": "pre"},
    "pre-norm, no warm-up": {"norm": "pre", "warm": False},
}


def data() -> tuple[Vocabulary, Vocabulary, Pairs, Pairs]:
    """Vocabularies, and the sentences of fewer than LONGEST words: to train on, and held out."""
    corpus = english_french().shorter_than(LONGEST)
    both = vocabularies(corpus.train)
    held_out = (corpus.valid + corpus.test)[:HELD_OUT]
    return *both, Pairs.of_words(corpus.train, *both, BATCH), Pairs.of_words(held_out, *both, HELD_OUT)


def rate(step: int, warm: bool) -> float:
    """The published schedule; without the warm-up its falling part from the start, at its highest to begin with."""
    return FACTOR * warm_up(step if warm else step + WARM, SIZES["d"], WARM)


def made(options: dict[str, Any], source: int, target: int, seed: int) -> Translator:
    """A translator with the switches of PUBLISHED, for so many words of each language, before its first step."""
    switches = {name: options[name] for name in ("norm", "residual", "dropout", "root_d")}
    return Translator(source, target, **SIZES, **switches, generator=torch.Generator().manual_seed(seed))


def adam(model: Translator) -> torch.optim.Adam:
    return torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)


def trained(variant: str, seed: int, steps: int = STEPS) -> tuple[Translator, list[float]]:
    """A variant after its first steps, from one seed, and their losses."""
    options = PUBLISHED | VARIANTS[variant]
    source, target, pairs, _ = data()
    torch.manual_seed(seed)  # dropout draws from torch's own generator
    model = made(options, len(source), len(target), seed)
    optimiser = adam(model)
    offset = seed * 10_000  # each seed its own batches
    loss_of = partial(translation_loss, smoothing=options["smoothing"])
    losses = train(
        model,
        lambda step: pairs.batch_at(step + offset),
        loss_of,
        optimiser,
        steps,
        rate=lambda t: rate(t, options["warm"]),
    )
    return model, losses


def run(variant: str, seed: int, steps: int = STEPS) -> dict[str, Any]:
    """One row: train a variant from one seed, and score it."""
    try:
        model, losses = trained(variant, seed, steps)
    except FloatingPointError as failure:
        return {"variant": variant, "seed": seed, "failed": str(failure)}
    return {"variant": variant, "seed": seed, **scored(model), "first": [round(loss, 4) for loss in losses[:FIRST]]}


def scored(model: Translator) -> dict[str, float]:
    """Nats a token on the held-out sentences, and the share of tokens named, the right ones before each given."""
    batch = data()[-1].batch_at(0)
    with torch.no_grad(), trusted():
        logits = model(batch.source, batch.target, batch.source_lengths).logits
    asked = batch.answers != 0
    right = (logits.argmax(-1) == batch.answers)[asked].double().mean().item()
    nats = cross_entropy(logits, batch.answers).item() if logits.isfinite().all() else math.inf
    return {"nats": round(nats, 4), "right": round(right, 4)}


STUDY = Study(
    "stabilisers",
    {
        "settings": {
            "sizes": SIZES,
            "steps": STEPS,
            "batch": BATCH,
            "warm": WARM,
            "factor": FACTOR,
            "longest": LONGEST,
            "held_out": HELD_OUT,
        },
        "published": PUBLISHED,
        "variants": VARIANTS,
    },
    {
        "rows": Part(run, [(variant, seed) for seed in SEEDS for variant in VARIANTS], key=("variant", "seed")),
        "short": Part(partial(run, steps=SHORT), SHORTENED, key=("variant", "seed")),
    },
    minutes=10,
    again=[
        Again(
            "rows",
            [("pre-norm", 0), ("as published", 1), ("no √d", 2), ("no warm-up", 0)],
            lambda *key: trained(*key, FIRST)[1],
            "first",
            abs=2e-3,
        ),
        Again("short", SHORTENED, partial(run, steps=SHORT), ("nats", "right"), abs=0.02),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
