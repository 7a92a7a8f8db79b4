"""The central experiment: RNNencdec and RNNsearch, trained on short and on longer sentences, scored by length.

    python studies/central_experiment.py            about 50 minutes of one CPU core; --jobs 2 takes two

Four configurations (two models, two training sets) times three seeds, the same width, the same number of updates and of
sentences an update. Seed 0 of the models trained on longer sentences comes with the course: course_lib/models/.
"""

import sys
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import torch

from course_lib import checks, shipped
from course_lib.bleu import bleu
from course_lib.recurrent import RNNencdec, RNNsearch
from course_lib.results.study import Part, Study
from course_lib.results.workers import Once
from course_lib.text.batches import Pairs
from course_lib.text.corpora import Corpus, Pair, clauses, english_french
from course_lib.text.vocabulary import Vocabulary, vocabularies
from course_lib.training import curve, train, translation_loss
from course_lib.translation import translate

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python studies/central_experiment.py"
MODELS = {"RNNencdec": RNNencdec, "RNNsearch": RNNsearch}
SHIPPED_SEED = 0


class Settings(NamedTuple):
    """What a study varies and what it keeps."""

    longest: tuple[int, ...] = (15, 30)  # words of a source in training
    seeds: tuple[int, ...] = (0, 1, 2)
    d: int = 64
    r: int = 128
    dropout: float = 0.1
    batch: int = 64
    steps: int = 2000
    rate: float = 3e-3
    clip: float = 1.0
    test: int = 1200  # sentences of the corpus' test part, from its first
    edges: tuple[int, ...] = (0, 10, 20, 30, 40, 50, 90)  # groups of words of a source: 1 to 10, 11 to 20, …


class Data(NamedTuple):
    """The vocabularies, of every training word, are the same for all runs."""

    source: Vocabulary
    target: Vocabulary
    alone: tuple[Pair, ...]
    corpus: Corpus


@Once
def data() -> Data:
    corpus = english_french()
    alone = tuple(dict.fromkeys(clause for pair in corpus.train for clause in clauses(pair)))
    return Data(*vocabularies(corpus.train), alone, corpus)


def training_pairs(given: Data, longest: int) -> list[Pair]:
    """Every training clause alone, and the sentences joined of them, as far as the source has at most `longest`
    words."""
    return [pair for pair in dict.fromkeys([*given.alone, *given.corpus.train]) if len(pair.source) <= longest]


def rate(step: int, settings: Settings) -> float:
    """Rises over 50 steps, stays, and falls to a twentieth over the second half."""
    left = 2 * (1 - step / settings.steps)
    return settings.rate * min(1.0, step / 50) * min(1.0, max(0.05, left))


def run(
    name: str, longest: int, seed: int, settings: Settings, given: Data, checkpoint: Path | None = None
) -> tuple[torch.nn.Module, list[float]]:
    """Train one model; its seed decides the parameters, the dropout and the order of the sentences."""
    batches = Pairs.of_words(training_pairs(given, longest), given.source, given.target, settings.batch, seed)
    torch.manual_seed(seed)
    model = MODELS[name](
        len(given.source), len(given.target), settings.d, settings.r, dropout=settings.dropout,
        generator=torch.Generator().manual_seed(seed),
    )  # fmt: skip
    optimiser = torch.optim.Adam(model.parameters())
    losses = train(
        model, batches.batch_at, translation_loss, optimiser, settings.steps,
        rate=lambda step: rate(step, settings), clip=settings.clip, checkpoint=checkpoint, progress=True,
    )  # fmt: skip
    return model, losses


def score(model: torch.nn.Module, given: Data, pairs: Sequence[Pair], edges: Sequence[int]) -> dict:
    """Greedy translations of the pairs: BLEU and the share to the letter, by words of the source and over all."""
    with checks.trusted():
        answers = [each.words for each in translate(model, given.source, given.target, [p.source for p in pairs])]
    groups = {
        f"{low + 1} to {high}": [i for i, p in enumerate(pairs) if low < len(p.source) <= high]
        for low, high in pairwise(edges)
    }
    groups["all"] = list(range(len(pairs)))

    def of(rows: list[int]) -> dict:
        said, right = [answers[i] for i in rows], [pairs[i].target for i in rows]
        exact = sum(a == b for a, b in zip(said, right, strict=True)) / len(rows)
        return {"sentences": len(rows), "bleu": round(bleu(said, right), 2), "exact": round(exact, 4)}

    return {label: of(rows) for label, rows in groups.items() if rows}


def one(
    name: str, longest: int, seed: int, settings: Settings, given: Data, checkpoint: Path | None = None
) -> tuple[dict, torch.nn.Module]:
    """A row of the table, and the trained model."""
    model, losses = run(name, longest, seed, settings, given, checkpoint)
    row = {
        "model": name,
        "longest": longest,
        "seed": seed,
        "parameters": sum(p.numel() for p in model.parameters()),
        "pairs": len(training_pairs(given, longest)),
        "losses": [[step, round(loss, 3)] for step, loss in curve(losses, 20)],
        "scores": score(model, given, given.corpus.test[: settings.test], settings.edges),
    }
    return row, model


def ship(name: str, model: torch.nn.Module, row: dict, settings: Settings, given: Data) -> None:
    info = {
        "config": {"d": settings.d, "r": settings.r},
        "corpus": {
            "name": f"english_french, sentences of at most {row['longest']} words and every clause alone",
            "pairs": row["pairs"],
            "credit": given.corpus.credit,
            "licence": given.corpus.licence,
        },
        "command": COMMAND,
        "training": {key: getattr(settings, key) for key in ("dropout", "batch", "rate", "clip")}
        | {"seed": row["seed"]},
        "steps": settings.steps,
        "losses": row["losses"],
        "scores": row["scores"],
    }
    shipped.write_model(
        shipped.FOLDER / f"{name.lower()}.safetensors", model, {"source": given.source, "target": given.target}, info
    )


def checkpoint(name: str, longest: int, seed: int, settings: Settings) -> Path:
    return ROOT / "_build" / "training" / f"{name.lower()}_{longest}_{seed}_{settings.r}_{settings.steps}.safetensors"


def trained(name: str, longest: int, seed: int) -> dict:
    """A row of the table; a model that comes with the course is written on the way."""
    settings, given = Settings(), data()
    row, model = one(name, longest, seed, settings, given, checkpoint(name, longest, seed, settings))
    if seed == SHIPPED_SEED and longest == max(settings.longest):
        ship(name, model, row, settings, given)
    return row


WANTED = [(name, longest, seed) for seed, longest, name in product(Settings().seeds, Settings().longest, MODELS)]
STUDY = Study(
    "central_experiment",
    {"settings": Settings()._asdict()},
    {"rows": Part(trained, WANTED, key=("model", "longest", "seed"))},
    minutes=50,
    progress="the one in progress as of its last checkpoint",
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
