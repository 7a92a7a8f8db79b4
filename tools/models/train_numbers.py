"""Train the small translator that writes English numbers in German words, score it on numbers held out, and write its
file.

    python -m tools.models.train_numbers          about a minute of one CPU core; course_lib/models/numbers.safetensors

It is trained as the one on the page on sequences: the same pairs, sizes, rates and number of steps, right words read in
training. So it makes mistakes, which a reader can look for.
"""

import random
import sys

import torch

from course_lib import long_work, shipped
from course_lib.checks import trusted
from course_lib.decoding import greedy
from course_lib.recurrent import RNNencdec
from course_lib.text.batches import Pairs
from course_lib.text.corpora import number_words
from course_lib.text.vocabulary import END, START, vocabularies
from course_lib.training import curve, train, translation_loss

KNOWN, HELD_OUT, DIGITS, STEPS, BATCH, RATE, CLIP, SEED = 6000, 500, 6, 250, 64, 0.005, 1.0, 0
CONFIG = {"d": 32, "r": 64}


def rate(step: int) -> float:
    """Level, and in the second half a straight line to nearly nothing."""
    return RATE * min(1.0, 2 * (1 - step / STEPS) + 0.02)


def trained(steps: int = STEPS) -> tuple[RNNencdec, dict, list, list[float]]:
    """The model after so many steps, its vocabularies, the pairs held out, and the loss of each step."""
    pairs = [(pair.source, pair.target) for pair in number_words(KNOWN + HELD_OUT, random.Random(0), digits=DIGITS)]
    both = vocabularies(pairs[:KNOWN])
    model = RNNencdec(*map(len, both), **CONFIG, generator=torch.Generator().manual_seed(SEED)).double()
    data = Pairs.of_words(pairs[:KNOWN], *both, BATCH, SEED)
    losses = train(
        model,
        data.batch_at,
        translation_loss,
        torch.optim.Adam(model.parameters(), lr=RATE),
        steps,
        rate=rate,
        clip=CLIP,
    )
    return model, dict(zip(("source", "target"), both, strict=True)), pairs[KNOWN:], losses


@torch.no_grad()
def exact(model: RNNencdec, words: dict, held_out: list) -> float:
    """Share of numbers that greedy writes without a mistake."""
    batch = Pairs.of_words(held_out, words["source"], words["target"], len(held_out)).batch_of(range(len(held_out)))
    with trusted():
        said = greedy(model.step, model.start(batch.source, batch.source_lengths), start=START, end=END, longest=30)
    return sum(
        tokens == words["target"].encode(target) for tokens, (_, target) in zip(said.tokens, held_out, strict=True)
    ) / len(held_out)


def main() -> int:
    torch.set_num_threads(1)
    model, words, held_out, losses = trained()
    out = shipped.FOLDER / "numbers.safetensors"
    info = {
        "config": CONFIG,
        "corpus": {
            "name": f"numbers: {KNOWN} of 1 to {DIGITS} digits, {HELD_OUT} held out",
            "credit": "words by num2words",
            "licence": "LGPL",
        },
        "command": "python -m tools.models.train_numbers",
        "steps": STEPS,
        "losses": [[step, round(loss, 4)] for step, loss in curve(losses)],
        "scores": {},
    }
    shipped.write_model(out, model, words, info)
    model, _, info = shipped.load_model(out, RNNencdec, ("source", "target"))
    info["scores"] = {"held-out numbers exactly right": exact(model, words, held_out)}
    shipped.write_model(out, model, words, info)
    long_work.tell(f"{info['scores']}")
    return 0


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main))
