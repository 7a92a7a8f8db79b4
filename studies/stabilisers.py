"""What each stabiliser is for: the translator trained small, as published and with one part switched off at a time.

    python studies/stabilisers.py            (about ten minutes of one core)

A row for each variant and seed: nats per French token on held-out sentences, without dropout and without smoothing, the share
of tokens that the model names, given the right ones before, and the first losses of the training. A run whose loss is no longer finite has failed; its row says at which step. [after Vaswani et al. 2017, §5]
"""

import math
import sys
from functools import partial
from typing import Any

import torch

from course_lib.checks import trusted
from course_lib.results.study import Part, Study
from course_lib.text.batches import Pairs
from course_lib.text.corpora import english_french
from course_lib.text.vocabulary import Vocabulary, vocabularies
from course_lib.training import cross_entropy, train, translation_loss, warm_up
from course_lib.transformer import Translator

SIZES = {"layers": 2, "d": 32, "m": 8, "h": 4, "r": 128}
SEEDS, STEPS, BATCH, WARM, LONGEST, HELD_OUT = range(3), 600, 32, 150, 13, 300
FIRST = 5  # losses kept of a run, which a test finds again
FACTOR = 0.3  # the formula gives a peak of 0.014 at these sizes, at which no post-norm model trains well
PUBLISHED: dict[str, Any] = {"norm": "post", "residual": True, "root_d": True, "dropout": 0.1, "smoothing": 0.1, "warm": True}
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


def trained(variant: str, seed: int, steps: int = STEPS) -> tuple[Translator, list[float]]:
    """A variant after its first steps, from one seed, and their losses."""
    options = PUBLISHED | VARIANTS[variant]
    source, target, pairs, _ = data()
    torch.manual_seed(seed)  # dropout draws from torch's own generator
    model = Translator(
        len(source), len(target), **SIZES, norm=options["norm"], residual=options["residual"], dropout=options["dropout"],
        root_d=options["root_d"], generator=torch.Generator().manual_seed(seed),
    )  # fmt: skip
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    offset = seed * 10_000  # each seed its own batches
    loss_of = partial(translation_loss, smoothing=options["smoothing"])
    losses = train(model, lambda step: pairs.batch_at(step + offset), loss_of, optimiser, steps, rate=lambda t: rate(t, options["warm"]))
    return model, losses


def run(variant: str, seed: int) -> dict[str, Any]:
    """One row: train a variant from one seed, and score it."""
    try:
        model, losses = trained(variant, seed)
    except FloatingPointError as failure:
        return {"variant": variant, "seed": seed, "failed": str(failure)}
    batch = data()[-1].batch_at(0)
    with torch.no_grad(), trusted():
        logits = model(batch.source, batch.target, batch.source_lengths).logits
    asked = batch.answers != 0
    right = (logits.argmax(-1) == batch.answers)[asked].double().mean().item()
    nats = cross_entropy(logits, batch.answers).item() if logits.isfinite().all() else math.inf
    first = [round(loss, 4) for loss in losses[:FIRST]]
    return {"variant": variant, "seed": seed, "nats": round(nats, 4), "right": round(right, 4), "first": first}


STUDY = Study(
    "stabilisers",
    {
        "settings": {"sizes": SIZES, "steps": STEPS, "batch": BATCH, "warm": WARM, "factor": FACTOR, "longest": LONGEST, "held_out": HELD_OUT},
        "published": PUBLISHED,
        "variants": VARIANTS,
    },
    {"rows": Part(run, [(variant, seed) for seed in SEEDS for variant in VARIANTS], key=("variant", "seed"))},
    minutes=10,
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
