"""Where a small RNNsearch looks when tens and ones change places: fifty four → vier und fünfzig.

    python studies/number_alignments.py          (about four minutes of one core)

Trains on numbers of up to DIGITS digits in words, one model a seed, and asks it about numbers that it has not seen. A
*pair* is a German "ones und tens"; the grammar says which English words its two numbers come from. For each
seed: the share of numbers that are exact, where the largest weight of a pair's ones and tens lies, and two matrices of
weights.
"""

import random
import sys
from typing import Any

import torch
from torch import Tensor

from course_lib.alignments import links
from course_lib.recurrent import RNNsearch
from course_lib.results.study import Part, Study
from course_lib.results.workers import Once
from course_lib.text.batches import Pairs
from course_lib.text.corpora import Pair, number_words
from course_lib.text.vocabulary import Vocabulary, vocabularies
from course_lib.training import train, translation_loss
from course_lib.translation import translate

SEEDS, DIGITS, TRAINED, HELD_OUT = range(5), 6, 3000, 500
WIDTHS, DROPOUT, SIZE, STEPS, RATE, WARM, CLIP = {"d": 32, "r": 64}, 0.1, 64, 700, 4e-3, 50, 1.0
EARLY = 30  # a test trains so far again
SHOWN = ("fifty four", "three hundred and fifty four")
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
ONES = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@Once
def numbers() -> tuple[list[Pair], list[Pair]]:
    """The numbers to train on, without the two that are shown, and those held out."""
    pairs = number_words(TRAINED + HELD_OUT + len(SHOWN), random.Random(0), digits=DIGITS)
    pairs = [pair for pair in pairs if " ".join(pair.source) not in SHOWN]
    return pairs[:TRAINED], pairs[TRAINED : TRAINED + HELD_OUT]


def trained(pairs: list[Pair], seed: int, until: int = STEPS) -> tuple[RNNsearch, list[float]]:
    """The model of one seed, which draws the parameters, the order of the numbers and the dropout; and the loss of each
    step."""
    source, target = vocabularies(pairs)
    data = Pairs.of_words(pairs, source, target, SIZE, seed)
    model = RNNsearch(
        len(source), len(target), **WIDTHS, dropout=DROPOUT, generator=torch.Generator().manual_seed(seed)
    )
    torch.manual_seed(seed)
    losses = train(
        model, data.batch_at, translation_loss, torch.optim.Adam(model.parameters()), until, clip=CLIP,
        rate=lambda step: RATE * min(step / WARM, 1.0, 2 * (1 - (step - 1) / STEPS)),
    )  # fmt: skip
    return model, losses


def crossing_words(pair: Pair) -> list[tuple[int, int]]:
    """(place of a German number in a pair, place of the English number it comes from), ones before tens, for each
    pair."""
    german = [i for i, word in enumerate(pair.target) if word == "und"]
    tens = [j for j in range(len(pair.source) - 1) if pair.source[j] in TENS and pair.source[j + 1] in ONES]
    return [each for i, j in zip(german, tens, strict=True) for each in ((i - 1, j + 1), (i + 1, j))]


@torch.no_grad()
def weights_of(model: RNNsearch, source: Vocabulary, target: Vocabulary, pair: Pair) -> Tensor:
    """Weights [n + 1, s] when the right German is given word by word; the last row is that of ⟨end⟩."""
    words = torch.tensor([source.encode(pair.source)]), torch.tensor([target.encode(pair.target, start=True)])
    return model(*words).weights[0]


def row(seed: int, model: RNNsearch, known: list[Pair], unseen: list[Pair]) -> dict[str, Any]:
    source, target = vocabularies(known)
    answers = translate(model, source, target, [pair.source for pair in unseen])
    exact = sum(answer.words == pair.target for answer, pair in zip(answers, unseen, strict=True)) / len(unseen)
    offsets: list[int] = []
    for pair in unseen:
        places = links(weights_of(model, source, target, pair)).tolist()
        offsets += [places[i] - j for i, j in crossing_words(pair)]
    ones, tens = offsets[::2], offsets[1::2]
    shown = {}
    for english in SHOWN:
        words = tuple(english.split())
        (german,) = translate(model, source, target, [words])
        weights = weights_of(model, source, target, Pair(words, german.words))
        shown[english] = {
            "german": list(german.words),
            "weights": [[round(w, 3) for w in each] for each in weights.tolist()],
        }
    return {
        "seed": seed,
        "exact": round(exact, 4),
        "pairs": len(ones),
        "ones on the ones": round(ones.count(0) / len(ones), 4),
        "tens on the tens": round(tens.count(0) / len(tens), 4),
        "both": round(sum(a == b == 0 for a, b in zip(ones, tens, strict=True)) / len(ones), 4),
        "one place off at most": round(sum(abs(each) <= 1 for each in offsets) / len(offsets), 4),
        "shown": shown,
    }


def run(seed: int) -> dict[str, Any]:
    known, unseen = numbers()
    model, losses = trained(known, seed)
    early = {f"loss of step {step}": round(losses[step - 1], 3) for step in (1, EARLY)}
    return row(seed, model, known, unseen) | early


SETTINGS = {
    "digits": DIGITS, "trained on": TRAINED, "held out": HELD_OUT, "cell": "gru", **WIDTHS, "dropout": DROPOUT,
    "batch": SIZE,
    "steps": STEPS, "rate": RATE, "warm": WARM, "clip": CLIP,
}  # fmt: skip
STUDY = Study(
    "number_alignments",
    {"settings": SETTINGS},
    {"rows": Part(run, [(seed,) for seed in SEEDS], key=("seed",))},
    minutes=4,
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
