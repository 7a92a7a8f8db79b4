"""The same recurrent translator with each score of attention: how much it gets right, by length, with three seeds.

    python studies/score_study.py            (about nineteen minutes of one core)

Number words, English to German: training on DRAWN numbers of up to DIGITS digits, TEST others held out. Every variant
has the same sizes, batches, steps and learning rate, set before the first comparison and for no score in particular
(one variant is there a second time, trained twice as long). A row: shares of held-out numbers that are right to the
last word, in all and for each group of source lengths, nats a word with the right words before, the mean largest
weight, and the first losses. For the multiplicative score also: the singular values of the trained W, and what is still
right when W is cut to a low rank after the training.
"""

import random
import sys
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from course_lib.checks import trusted
from course_lib.decoding import greedy
from course_lib.recurrent import RNNencdec, RNNsearch
from course_lib.results.study import Again, Part, Study
from course_lib.results.workers import Once
from course_lib.scores import Cosine
from course_lib.text.batches import Pairs
from course_lib.text.corpora import number_words
from course_lib.text.vocabulary import END, START, Vocabulary, vocabularies
from course_lib.training import cross_entropy, train, translation_loss

SIZES = {"d": 24, "r": 48}
DIGITS, DRAWN, TEST, BATCH, STEPS, SEEDS = 9, 8400, 600, 64, 250, range(5)
RATE, WARM, CLIP = 5e-3, 30, 1.0
FIRST = 5  # losses kept of a run, which a test finds again
RANKS = (1, 2, 4, 8, 16)
LENGTHS = (3, 6, 9, 12, 15, 18)  # the last source length of each group
FACTOR = 8.0
VARIANTS: dict[str, dict[str, Any]] = {
    "dot": {"score": "dot"},
    "cosine": {"score": "cosine"},
    "scaled_dot": {"score": "scaled_dot"},
    "additive": {"score": "additive", "score_width": 16},
    "multiplicative": {"score": "multiplicative"},
    **{f"reduced_rank {m}": {"score": "reduced_rank", "score_width": m} for m in RANKS},
    "cosine × 8": {"score": "longer cosine"},
    "no attention": {},
    "additive, twice as long": {"score": "additive", "score_width": 16},
    "dot, twice as long": {"score": "dot"},
    "scaled_dot, twice as long": {"score": "scaled_dot"},
    "cosine, twice as long": {"score": "cosine"},
}
LONGER = {variant: 2 for variant in VARIANTS if variant.endswith(", twice as long")}  # is it worse, or only slower?


class LongerCosine(Cosine):
    """The cosine times a fixed factor: the same comparison, scores from -FACTOR to FACTOR."""

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return FACTOR * super().compare(q, keys)


class Data(NamedTuple):
    source: Vocabulary
    target: Vocabulary
    train: list[tuple[list[int], list[int]]]
    test: list[tuple[list[int], list[int]]]


@Once
def data() -> Data:
    """Vocabularies, and encoded pairs: to train on, and held out."""
    pairs = number_words(TEST + DRAWN, random.Random(0), digits=DIGITS)
    held_out, known = pairs[:TEST], pairs[TEST:]
    source, target = vocabularies(known)
    parts = ([(source.encode(a), target.encode(b)) for a, b in part] for part in (known, held_out))
    return Data(source, target, *parts)


def model_of(variant: str, source: int, target: int, seed: int) -> nn.Module:
    options = dict(VARIANTS[variant], generator=torch.Generator().manual_seed(seed))
    if variant == "no attention":
        return RNNencdec(source, target, **SIZES, **options)
    if options["score"] == "longer cosine":
        options["score"] = LongerCosine()
    return RNNsearch(source, target, **SIZES, **options)


def rate(step: int, steps: int) -> float:
    """Up in a straight line, level, and down to zero over the second half."""
    return RATE * min(1.0, step / WARM, 2 * (1 - (step - 1) / steps))


@torch.no_grad()
def scored(model: nn.Module, found: Data) -> dict[str, Any]:
    """What a trained model gets right of the held-out numbers."""
    batch = Pairs(*zip(*found.test, strict=True), len(found.test)).batch_of(range(len(found.test)))
    with trusted():
        logits, weights = model(batch.source, batch.target, batch.source_lengths)
        state = model.start(batch.source, batch.source_lengths)
        decoded = greedy(model.step, state, start=START, end=END, longest=batch.answers.shape[1] + 4)
    rows = zip(decoded.tokens, decoded.finished.tolist(), found.test, strict=True)
    right = torch.tensor([ended and answer == target for answer, ended, (_, target) in rows]).double()
    group = torch.bucketize(batch.source_lengths, torch.tensor(LENGTHS))
    exact = [round(right[group == i].mean().item(), 4) for i in range(len(LENGTHS))]
    row = {
        "exact": round(right.mean().item(), 4),
        "by_length": exact,
        "nats": round(cross_entropy(logits, batch.answers).item(), 4),
    }
    if weights is not None:
        row["largest"] = round(weights.amax(-1)[batch.answers != 0].mean().item(), 4)
    return row


def cut(model: nn.Module, found: Data) -> dict[str, Any]:
    """The singular values of a trained W, and what the model still gets right with W cut to its best approximation of
    each rank."""
    W = model.decoder.score.W
    whole = W.detach().clone()
    left, values, right = torch.linalg.svd(whole)
    exact = {}
    for m in RANKS:
        W.data = (left[:, :m] * values[:m]) @ right[:m]
        exact[str(m)] = scored(model, found)["exact"]
    W.data = whole
    return {"singular": [round(value, 3) for value in values.tolist()], "cut": exact}


def trained(variant: str, seed: int, until: int | None = None) -> tuple[nn.Module, list[float]]:
    """A variant from one seed, and the loss of each step. `until` stops earlier, on the same path."""
    found = data()
    pairs = Pairs(*zip(*found.train, strict=True), BATCH, seed)
    model = model_of(variant, len(found.source), len(found.target), seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=RATE)
    steps = STEPS * LONGER.get(variant, 1)
    losses = train(
        model,
        pairs.batch_at,
        translation_loss,
        optimiser,
        until or steps,
        rate=lambda step: rate(step, steps),
        clip=CLIP,
    )
    return model, losses


def begun(model: nn.Module, losses: list[float]) -> dict[str, Any]:
    score = getattr(model.decoder, "score", None)
    count = 0 if score is None else sum(parameter.numel() for parameter in score.parameters())
    return {"score_parameters": count, "first": [round(loss, 4) for loss in losses[:FIRST]]}


def run(variant: str, seed: int) -> dict[str, Any]:
    """One row: train a variant from one seed, and score it."""
    found = data()
    model, losses = trained(variant, seed)
    start = begun(model, losses)
    row = {
        "variant": variant,
        "seed": seed,
        "score_parameters": start["score_parameters"],
        **scored(model, found),
        "first": start["first"],
    }
    return row | cut(model, found) if variant == "multiplicative" else row


def by_length(part: list[tuple[list[int], list[int]]]) -> list[int]:
    """How many numbers fall into each group of source lengths."""
    lengths = torch.tensor([len(source) for source, _ in part])
    return torch.bincount(torch.bucketize(lengths, torch.tensor(LENGTHS))).tolist()


def head() -> dict[str, Any]:
    found = data()
    settings = {
        **SIZES, "digits": DIGITS, "batch": BATCH, "steps": STEPS, "rate": RATE, "warm": WARM, "clip": CLIP,
        "factor": FACTOR,
        "vocabularies": [len(found.source), len(found.target)], "lengths": list(LENGTHS),
        "known": by_length(found.train), "held_out": by_length(found.test),
    }  # fmt: skip
    return {"settings": settings, "variants": VARIANTS}


STUDY = Study(
    "score_study",
    head,
    {"rows": Part(run, [(variant, seed) for seed in SEEDS for variant in VARIANTS], key=("variant", "seed"))},
    minutes=19,
    again=[
        Again(
            "rows",
            [("dot", 0), ("multiplicative", 1), ("cosine × 8", 2), ("no attention", 0)],
            lambda *key: begun(*trained(*key, until=FIRST)),
            ("score_parameters", "first"),
            abs=1e-3,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
