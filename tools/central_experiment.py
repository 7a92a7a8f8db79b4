"""The central experiment: RNNencdec and RNNsearch, trained on short and on longer sentences, scored by length.

    python tools/central_experiment.py            about 50 minutes of one CPU core; --jobs 2 takes two
    python tools/central_experiment.py --tiny     the same in a minute with numbers in words, printed and not stored

Four configurations (two models, two training sets) times three seeds, the same width, the same number of updates and of sentences
an update. Each run is written to course_lib/results/central_experiment.json as it ends; an interrupted one goes on from its
checkpoint in _build/training/. Seed 0 of the models trained on longer sentences comes with the course: course_lib/models/. The
same command gives the same numbers on the same machine and version of torch.
"""

import argparse
import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise, product
from pathlib import Path
from typing import NamedTuple

import torch
from train_translator import clauses

from course_lib import checks, long_work, results, shipped
from course_lib.bleu import bleu
from course_lib.recurrent import RNNencdec, RNNsearch
from course_lib.text.batches import Pairs
from course_lib.text.corpora import Corpus, Pair, english_french, number_words
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import cross_entropy, curve, train
from course_lib.translation import translate

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python tools/central_experiment.py"
NAME = "central_experiment"
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


TINY = Settings(longest=(6, 10), seeds=(0,), d=24, r=48, steps=400, test=400, edges=(0, 5, 10, 15, 20))


class Data(NamedTuple):
    """The vocabularies, of every training word, are the same for all runs."""

    source: Vocabulary
    target: Vocabulary
    alone: tuple[Pair, ...]
    corpus: Corpus


def data() -> Data:
    corpus = english_french()
    alone = tuple(dict.fromkeys(clause for pair in corpus.train for clause in clauses(pair)))
    source = Vocabulary.from_counts(pair.source for pair in corpus.train)
    target = Vocabulary.from_counts(pair.target for pair in corpus.train)
    return Data(source, target, alone, corpus)


def tiny_data() -> Data:
    """Numbers in words, English to German: learnt in seconds, and still of many lengths."""
    pairs = tuple(number_words(4000, random.Random(0), digits=9))
    test, train = pairs[: TINY.test], pairs[TINY.test :]
    source, target = (Vocabulary.from_counts(pair[side] for pair in train) for side in (0, 1))
    return Data(source, target, (), Corpus(train, (), test, "num2words", "LGPL"))


def training_pairs(given: Data, longest: int) -> list[Pair]:
    """Every training clause alone, and the sentences joined of them, as far as the source has at most `longest` words."""
    return [
        pair for pair in dict.fromkeys([*given.alone, *given.corpus.train]) if len(pair.source) <= longest
    ]


def rate(step: int, settings: Settings) -> float:
    """Rises over 50 steps, stays, and falls to a twentieth over the second half."""
    left = 2 * (1 - step / settings.steps)
    return settings.rate * min(1.0, step / 50) * min(1.0, max(0.05, left))


def loss_of(model, batch):
    return cross_entropy(model(batch.source, batch.target, batch.source_lengths).logits, batch.answers)


def run(
    name: str, longest: int, seed: int, settings: Settings, given: Data, checkpoint: Path | None = None
) -> tuple[torch.nn.Module, list[float]]:
    """Train one model; its seed decides the parameters, the dropout and the order of the sentences."""
    pairs = training_pairs(given, longest)
    encoded = [[given.source.encode(pair.source) for pair in pairs], [given.target.encode(pair.target) for pair in pairs]]
    batches = Pairs(*encoded, settings.batch, seed)
    torch.manual_seed(seed)
    model = MODELS[name](
        len(given.source), len(given.target), settings.d, settings.r, dropout=settings.dropout,
        generator=torch.Generator().manual_seed(seed),
    )  # fmt: skip
    optimiser = torch.optim.Adam(model.parameters())
    losses = train(
        model, batches.batch_at, loss_of, optimiser, settings.steps,
        rate=lambda step: rate(step, settings), clip=settings.clip, checkpoint=checkpoint, progress=True,
    )  # fmt: skip
    return model, losses


def score(model: torch.nn.Module, given: Data, pairs: Sequence[Pair], edges: Sequence[int]) -> dict:
    """Greedy translations of the pairs: BLEU and the share to the letter, by words of the source and over all."""
    with checks.trusted():
        answers = [each.words for each in translate(model, given.source, given.target, [p.source for p in pairs])]
    groups = {f"{low + 1} to {high}": [i for i, p in enumerate(pairs) if low < len(p.source) <= high] for low, high in pairwise(edges)}
    groups["all"] = list(range(len(pairs)))

    def of(rows: list[int]) -> dict:
        said, right = [answers[i] for i in rows], [pairs[i].target for i in rows]
        exact = sum(a == b for a, b in zip(said, right, strict=True)) / len(rows)
        return {"sentences": len(rows), "bleu": round(bleu(said, right), 2), "exact": round(exact, 4)}

    return {label: of(rows) for label, rows in groups.items() if rows}


def one(name: str, longest: int, seed: int, settings: Settings, given: Data, checkpoint: Path | None = None) -> tuple[dict, torch.nn.Module]:
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
        "training": {key: getattr(settings, key) for key in ("dropout", "batch", "rate", "clip")} | {"seed": row["seed"]},
        "steps": settings.steps,
        "losses": row["losses"],
        "scores": row["scores"],
    }
    shipped.write_model(shipped.FOLDER / f"{name.lower()}.safetensors", model, {"source": given.source, "target": given.target}, info)


def stored(settings: Settings) -> list[dict]:
    """The rows that a run with these settings has written before."""
    try:
        table = results.load(NAME)
    except ValueError:
        return []
    return table["rows"] if table["settings"] == as_json(settings) else []


def as_json(settings: Settings) -> dict:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in settings._asdict().items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tiny", action="store_true", help="a minute's version, printed and not stored")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once, each on one core; default 1")
    parser.add_argument("--only", metavar="MODEL,LONGEST,SEED", help="train this one run up to its last checkpoint")
    options = parser.parse_args()
    torch.set_num_threads(1)
    settings, given = (TINY, tiny_data()) if options.tiny else (Settings(), data())
    todo = list(product(settings.seeds, settings.longest, MODELS))
    if options.tiny:
        for seed, longest, name in todo:
            row, _ = one(name, longest, seed, settings, given)
            print(name, longest, {label: each["bleu"] for label, each in row["scores"].items()})
        return 0
    folder = ROOT / "_build" / "training"
    folder.mkdir(parents=True, exist_ok=True)

    def checkpoint(name: str, longest: int, seed: int) -> Path:
        return folder / f"{name.lower()}_{longest}_{seed}_{settings.r}_{settings.steps}.safetensors"

    if options.only:
        name, longest, seed = options.only.split(",")
        run(name, int(longest), int(seed), settings, given, checkpoint(name, int(longest), int(seed)))
        return 0
    if options.jobs > 1:
        train_ahead([(name, longest, seed) for seed, longest, name in todo], options.jobs)
    rows = stored(settings)
    done = {(row["seed"], row["longest"], row["model"]) for row in rows}
    left = [each for each in todo if each not in done]
    for seed, longest, name in long_work.runs(left, done=len(todo) - len(left), minutes=50, kept="finished runs are kept, the one in progress as of its last checkpoint, and the same command goes on from there"):
        print(f"{name} trained to {longest} words, seed {seed}", file=sys.stderr)
        row, model = one(name, longest, seed, settings, given, checkpoint(name, longest, seed))
        rows.append(row)
        results.store(NAME, {"command": COMMAND, "settings": as_json(settings), "rows": rows})
        if seed == SHIPPED_SEED and longest == max(settings.longest):
            ship(name, model, row, settings, given)
    return 0


def train_ahead(runs: list[tuple[str, int, int]], jobs: int) -> None:
    """Train in `jobs` processes to the last checkpoints, from which the main process then only scores."""
    waiting, running = list(runs), []
    while waiting or running:
        while waiting and len(running) < jobs:
            chosen = ",".join(map(str, waiting.pop(0)))
            running.append(subprocess.Popen([sys.executable, __file__, "--only", chosen]))
        running.pop(0).wait()


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main))
