"""Two questions about the model without attention: whose words should it read in training, and in which order the
source?

    python studies/sequence_to_sequence.py      (about eight minutes of one core)

"reading": numbers in words, the decoder given the right word before (forced), its own (free), or its own ever more
often (scheduled), scored both ways on numbers held out. "order": the source as it is or backwards, for a GRU and an
LSTM that read in one direction only, on numbers and on plain copying. [Bengio et al. 2015; Sutskever et al. 2014, §3.3]
"""

import random
import sys
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from course_lib.checks import trusted
from course_lib.decoding import greedy
from course_lib.recurrent import RNNencdec
from course_lib.results.study import Again, Part, Study
from course_lib.text.batches import PairBatch, Pairs
from course_lib.text.corpora import number_words
from course_lib.text.vocabulary import END, PAD, START, Vocabulary, vocabularies
from course_lib.training import cross_entropy, train, translation_loss

D, R, BATCH, RATE, CLIP, HELD_OUT, KNOWN, SEEDS = 32, 64, 64, 5e-3, 1.0, 500, 6000, range(5)
FIRST = 5  # losses kept of a run, which a test finds again
READING = {"digits": 6, "steps": 250, "modes": ["forced", "scheduled", "free"], "half": 0.5}
ORDER = {"digits": 9, "letters": [4, 10], "steps": 400, "cells": ["gru", "lstm"], "orders": ["forwards", "backwards"]}
SETTINGS = {
    "d": D,
    "r": R,
    "batch": BATCH,
    "rate": RATE,
    "clip": CLIP,
    "held_out": HELD_OUT,
    "known": KNOWN,
    "reading": READING,
    "order": ORDER,
}

Pair = tuple[tuple[str, ...], tuple[str, ...]]


# ------------------------------------------------------------------------------------------------------------ the data
def numbers(digits: int) -> list[Pair]:
    """Distinct numbers in English and German words; the last HELD_OUT of them are never trained on."""
    return [(pair.source, pair.target) for pair in number_words(KNOWN + HELD_OUT, random.Random(0), digits=digits)]


def letters(fewest: int, most: int) -> list[Pair]:
    """Distinct words of so many letters out of ten, drawn by chance, each to be written down as it is."""
    generator, found = random.Random(0), {}
    while len(found) < KNOWN + HELD_OUT:
        found[tuple(generator.choice("abcdefghij") for _ in range(generator.randint(fewest, most)))] = None
    return [(word, word) for word in found]


def prepared(pairs: list[Pair], seed: int, backwards: bool = False) -> tuple[Vocabulary, Vocabulary, Pairs, PairBatch]:
    """Vocabularies, what to train on (each seed in its own order), and the pairs held out as one batch."""
    both = vocabularies(pairs[:KNOWN])
    read = [(words[::-1] if backwards else words, said) for words, said in pairs]
    held_out = Pairs.of_words(read[KNOWN:], *both, HELD_OUT)
    return *both, Pairs.of_words(read[:KNOWN], *both, BATCH, seed), held_out.batch_of(range(HELD_OUT))


# -------------------------------------------------------------------------------------------------------- the decoder
def run_through(
    model: RNNencdec, batch: PairBatch, own: float = 0.0, generator: torch.Generator | None = None
) -> Tensor:
    """Logits [b, n, vocab] at every place; the word read is the model's own with probability `own`, else the right
    one."""
    state, read, logits = model.start(batch.source, batch.source_lengths), batch.target[:, 0], []
    for place in range(batch.target.shape[1]):
        said, state = model.step(read, state)
        logits.append(said)
        if place + 1 < batch.target.shape[1]:
            chance = torch.rand(len(read), generator=generator) if 0 < own < 1 else torch.full((len(read),), 0.5)
            read = torch.where(chance < own, said.argmax(-1), batch.target[:, place + 1])
    return torch.stack(logits, 1)


def trained(
    model: RNNencdec,
    pairs: Pairs,
    steps: int,
    own: Callable[[float], float] | None = None,
    seed: int = 0,
    until: int | None = None,
) -> list[float]:
    """The loss of each step: Adam, the rate falling in a straight line over the second half. `own` gives the share of
    own words, by the share of steps done. `until` stops earlier, on the same path."""
    generator = torch.Generator().manual_seed(seed)

    def loss_of(model: RNNencdec, numbered: tuple[int, PairBatch]) -> Tensor:
        step, batch = numbered
        if own is None:
            return translation_loss(model, batch)
        return cross_entropy(run_through(model, batch, own(step / steps), generator), batch.answers)

    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    falling = lambda step: RATE * min(1.0, 2 * (1 - step / steps) + 0.02)
    return train(
        model, lambda step: (step, pairs.batch_at(step)), loss_of, optimiser, until or steps, rate=falling, clip=CLIP
    )


# --------------------------------------------------------------------------------------------------------- the scores
def share(true: Tensor) -> float:
    return round(true.double().mean().item(), 4)


@torch.no_grad()
def reading_scores(model: RNNencdec, batch: PairBatch) -> dict[str, float]:
    """How often the model names the right word, reading right words (forced) or its own (free), and what a mistake
    costs.

    "after a mistake": the place behind the first mistake of a sentence, read as it stands (free), or with the mistake
    repaired (forced): the same places, so that no place is harder. Mistakes about the end of the sentence are left out,
    for no word should follow. "exact": sentences right from beginning to end, the end included.
    """
    with trusted():
        forced, free = run_through(model, batch).argmax(-1), run_through(model, batch, own=1.0).argmax(-1)
    asked = batch.answers != PAD
    wrong = (free != batch.answers) & asked
    before = wrong.cumsum(1) - wrong.long()  # mistakes made earlier in the sentence
    first = wrong & (before == 0) & (free != END) & (batch.answers != END)
    behind = torch.zeros_like(first)
    behind[:, 1:] = first[:, :-1]
    return {
        "forced": share((forced == batch.answers)[asked]),
        "free": share((free == batch.answers)[asked]),
        "exact": share(~wrong.any(1)),
        "wrong while all was right": share(wrong[asked & (before == 0)]),
        "wrong later": share(wrong[asked & (before > 0)]) if (asked & (before > 0)).any() else 0.0,
        "wrong after a mistake": share(wrong[behind]),
        "wrong there if repaired": share((forced != batch.answers)[behind]),
        "mistakes": int(first.sum()),
    }


@torch.no_grad()
def order_scores(model: RNNencdec, batch: PairBatch) -> dict[str, Any]:
    """Nats a word; sentences written exactly; and right words at the first place, and in each third of sentences of 6
    words or more."""
    with trusted():
        logits = model(batch.source, batch.target, batch.source_lengths).logits
        written = greedy(
            model.step,
            model.start(batch.source, batch.source_lengths),
            start=START,
            end=END,
            longest=2 * batch.answers.shape[1],
        )
    right, words = logits.argmax(-1) == batch.answers, batch.target_lengths - 1
    place = torch.arange(right.shape[1])[None] / words[:, None]  # from 0 to 1 within the sentence; the end's place is 1
    long = (words >= 6)[:, None] & (place < 1)
    thirds = [share(right[long & (place >= k / 3 - 1e-9) & (place < (k + 1) / 3 - 1e-9)]) for k in range(3)]
    answers = [row[row != PAD][:-1].tolist() for row in batch.answers]
    return {
        "nats": round(cross_entropy(logits, batch.answers).item(), 4),
        "exact": round(sum(a == b for a, b in zip(written.tokens, answers, strict=True)) / len(answers), 4),
        "first": share(right[:, 0]),
        "thirds": thirds,
    }


# ----------------------------------------------------------------------------------------------------------- the runs
def model_for(source: Vocabulary, target: Vocabulary, seed: int, **options: Any) -> RNNencdec:
    return RNNencdec(len(source), len(target), D, R, generator=torch.Generator().manual_seed(seed), **options)


def reading(mode: str, seed: int, until: int | None = None) -> tuple[RNNencdec, PairBatch, list[float]]:
    """The model trained so, the numbers held out, and the loss of each step."""
    source, target, pairs, held_out = prepared(numbers(READING["digits"]), seed)
    model = model_for(source, target, seed)
    own = {"forced": None, "scheduled": lambda done: READING["half"] * 2 * min(done, 1.0), "free": lambda done: 1.0}[
        mode
    ]
    return model, held_out, trained(model, pairs, READING["steps"], own, seed, until)


def order(
    task: str, cell: str, which: str, seed: int, until: int | None = None
) -> tuple[RNNencdec, PairBatch, list[float]]:
    """The model trained so, the pairs held out, and the loss of each step."""
    data = numbers(ORDER["digits"]) if task == "numbers" else letters(*ORDER["letters"])
    source, target, pairs, held_out = prepared(data, seed, which == "backwards")
    model = model_for(source, target, seed, cell=cell, bidirectional=False)
    return model, held_out, trained(model, pairs, ORDER["steps"], seed=seed, until=until)


def run(study: str, *which: Any) -> dict[str, Any]:
    """One row: train a model, and score it."""
    part, scores = {"reading": (reading, reading_scores), "order": (order, order_scores)}[study]
    model, held_out, losses = part(*which)
    named = dict(zip(FIELDS[study], which, strict=True))
    return (
        {"study": study}
        | named
        | scores(model, held_out)
        | {"first losses": [round(loss, 4) for loss in losses[:FIRST]]}
    )


FIELDS = {"reading": ("mode", "seed"), "order": ("task", "cell", "order", "seed")}
WANTED = [("reading", mode, seed) for seed in SEEDS for mode in READING["modes"]] + [
    ("order", task, cell, which, seed)
    for seed in SEEDS for task in ("numbers", "copying") for cell in ORDER["cells"] for which in ORDER["orders"]
]  # fmt: skip
KEY = ("study", "mode", "task", "cell", "order", "seed")
STUDY = Study(
    "sequence_to_sequence",
    {"settings": SETTINGS},
    {"rows": Part(run, WANTED, key=KEY)},
    minutes=8,
    again=[
        Again(
            "rows",
            [("reading", "forced", 0), ("reading", "scheduled", 1), ("order", "copying", "lstm", "backwards", 2)],
            lambda part, *which: {"reading": reading, "order": order}[part](*which, until=FIRST)[2],
            "first losses",
            abs=2e-3,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
