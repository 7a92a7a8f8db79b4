"""What each stabiliser is for: the translator trained small, as published and with one part switched off at a time.

    python tools/stabilisers.py            (about ten minutes of one core; an interrupted run goes on where it stood)

Writes course_lib/results/stabilisers.json, a row for each variant and seed as soon as it ends: nats per French token on
held-out sentences, without dropout and without smoothing, and the share of tokens that the model names, given the right ones
before. A run whose loss is no longer finite has failed; its row says at which step. [after Vaswani et al. 2017, §5]
"""

import math
import sys
from typing import Any

import torch

from course_lib import long_work
from course_lib.checks import trusted
from course_lib.results import HERE, load, store
from course_lib.text.batches import Pairs
from course_lib.text.corpora import english_french
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import cross_entropy, train, warm_up
from course_lib.transformer import Translator

NAME = "stabilisers"
SIZES = {"layers": 2, "d": 32, "m": 8, "h": 4, "r": 128}
SEEDS, STEPS, BATCH, WARM, LONGEST, HELD_OUT = range(3), 600, 32, 150, 13, 300
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
    source = Vocabulary.from_counts([pair.source for pair in corpus.train])
    target = Vocabulary.from_counts([pair.target for pair in corpus.train])

    def encoded(pairs, size, seed):
        return Pairs([source.encode(pair.source) for pair in pairs], [target.encode(pair.target) for pair in pairs], size, seed)

    held_out = (corpus.valid + corpus.test)[:HELD_OUT]
    return source, target, encoded(corpus.train, BATCH, 0), encoded(held_out, HELD_OUT, 0)


def rate(step: int, warm: bool) -> float:
    """The published schedule; without the warm-up its falling part from the start, at its highest to begin with."""
    return FACTOR * warm_up(step if warm else step + WARM, SIZES["d"], WARM)


def run(variant: str, seed: int, steps: int = STEPS) -> dict[str, Any]:
    """One row: train a variant from one seed, and score it."""
    options = PUBLISHED | VARIANTS[variant]
    source, target, pairs, held_out = data()
    torch.manual_seed(seed)  # dropout draws from torch's own generator
    model = Translator(
        len(source), len(target), **SIZES, norm=options["norm"], residual=options["residual"], dropout=options["dropout"],
        root_d=options["root_d"], generator=torch.Generator().manual_seed(seed),
    )  # fmt: skip
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    offset = seed * 10_000  # each seed its own batches

    def loss_of(model, batch):
        logits = model(batch.source, batch.target, batch.source_lengths).logits
        return cross_entropy(logits, batch.answers, smoothing=options["smoothing"])

    try:
        train(model, lambda step: pairs.batch_at(step + offset), loss_of, optimiser, steps, rate=lambda t: rate(t, options["warm"]))
    except FloatingPointError as failure:
        return {"variant": variant, "seed": seed, "failed": str(failure)}
    batch = held_out.batch_at(0)
    with torch.no_grad(), trusted():
        logits = model(batch.source, batch.target, batch.source_lengths).logits
    asked = batch.answers != 0
    right = (logits.argmax(-1) == batch.answers)[asked].double().mean().item()
    nats = cross_entropy(logits, batch.answers).item() if logits.isfinite().all() else math.inf
    return {"variant": variant, "seed": seed, "nats": round(nats, 4), "right": round(right, 4)}


def main() -> None:
    torch.set_num_threads(1)
    settings = {"sizes": SIZES, "steps": STEPS, "batch": BATCH, "warm": WARM, "factor": FACTOR, "longest": LONGEST, "held_out": HELD_OUT}
    table = {"command": "python tools/stabilisers.py", "settings": settings, "published": PUBLISHED, "variants": VARIANTS, "rows": []}
    if (HERE / f"{NAME}.json").exists():
        before = load(NAME)
        if {key: before.get(key) for key in ("settings", "published", "variants")} == {key: table[key] for key in ("settings", "published", "variants")}:
            table["rows"] = before["rows"]
    done = {(row["variant"], row["seed"]) for row in table["rows"]}
    wanted = [(variant, seed) for seed in SEEDS for variant in VARIANTS]
    todo = [each for each in wanted if each not in done]
    for variant, seed in long_work.runs(todo, done=len(wanted) - len(todo), minutes=10):
        table["rows"].append(run(variant, seed))
        store(NAME, table)
        print(table["rows"][-1], file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main))
