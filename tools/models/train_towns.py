"""Train the small language model that invents names of Italian towns, score it on held-out names, and write its file.

    python -m tools.models.train_towns            about 2 minutes of one CPU core; course_lib/models/towns.safetensors

A token is a character, a sequence is a name. See tools/models/recipe.py.
"""

import sys

import torch

from course_lib import long_work
from course_lib.decoding import sample
from course_lib.text.batches import Rows
from course_lib.text.corpora import towns
from course_lib.text.vocabulary import END, START, Vocabulary
from course_lib.training import cross_entropy
from course_lib.transformer.models import LanguageModel
from tools.models.recipe import BATCH, SEED, Recipe

RECIPE = Recipe(
    file="towns.safetensors", command="python -m tools.models.train_towns", kind=LanguageModel,
    config={"layers": 3, "d": 64, "m": 16, "h": 4, "r": 256}, steps=3000, warm=300, minutes=2,
)  # fmt: skip
HELD_OUT = 500
DRAWN, LONGEST, SHOWN = 1000, 60, 12


def parts() -> tuple[list[str], list[str]]:
    """Names to train on and names held out, drawn by chance; a character that only held-out names have stays
    unknown."""
    names = towns()
    order = torch.randperm(len(names), generator=torch.Generator().manual_seed(SEED)).tolist()
    return [names[i] for i in order[HELD_OUT:]], [names[i] for i in order[:HELD_OUT]]


def loss_of(model, batch):
    return cross_entropy(model(batch.tokens).logits, batch.answers)


@torch.no_grad()
def nats(model, characters: Vocabulary, names: list[str]) -> float:
    """Nats a character over all these names, the end of each counted as one."""
    rows = Rows([characters.encode(list(name)) for name in names], len(names))
    return loss_of(model, rows.batch_of(range(len(names)))).item()


def invent(model, characters: Vocabulary, count: int, generator: torch.Generator, **cuts) -> list[str]:
    """Names drawn from the model, as they come: some may be old ones, some may come twice."""
    limits = {"start": START, "end": END, "longest": LONGEST, "generator": generator}
    drawn = sample(model.step, model.start(count), **limits, **cuts)
    return ["".join(characters.decode(tokens)) for tokens in drawn.tokens]


def scores(model, characters: Vocabulary) -> dict:
    known, held_out = parts()
    result = {"nats a character": {
        "held-out names": round(nats(model, characters, held_out), 3),
        "as many names of the training part": round(nats(model, characters, known[:HELD_OUT]), 3),
    }}  # fmt: skip
    for temperature in (0.7, 1.0):
        drawn = invent(model, characters, DRAWN, torch.Generator().manual_seed(SEED), temperature=temperature)
        new = [name for name in drawn if name not in {*known, *held_out}]
        result[f"temperature {temperature}"] = {
            "drawn": DRAWN,
            "not in the list": round(len(new) / DRAWN, 3),
            "held-out names found again": len({*drawn} & {*held_out}),
            "examples": list(dict.fromkeys(new))[:SHOWN],
        }
    return result


def main() -> int:
    known, held_out = parts()
    characters = Vocabulary.from_counts(list(name) for name in known)
    corpus = {
        "name": f"towns: {len(known)} names, {len(held_out)} held out",
        "credit": "python-codicefiscale 0.12.1 by Fabio Caccamo, from Italian public registers",
        "licence": "MIT",
    }
    data = Rows([characters.encode(list(name)) for name in known], BATCH, SEED)
    return RECIPE.main({"characters": characters}, data, loss_of, corpus, scores)


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main))
