"""Train the English → French translator that comes with the course, score it on held-out sentences, and write its file.

    python tools/train_translator.py            about 15 minutes of one CPU core; course_lib/models/english_french.safetensors

An interrupted run goes on from its checkpoint in _build/training/. The same command gives the same weights on the same machine and
version of torch. Training uses the corpus' sentences of fewer than LONGEST words, and each of its clauses alone as well, so
that short sentences are not rare. The learning rate warms up, falls like 1/√t, and in the last quarter to zero.
"""

import argparse
import sys
from pathlib import Path

import torch

from course_lib import checks, shipped
from course_lib.decoding import beam, greedy
from course_lib.text.batches import Pairs, pad
from course_lib.text.corpora import Pair, english_french
from course_lib.text.vocabulary import END, START, Vocabulary
from course_lib.training import cross_entropy, train, warm_up
from course_lib.transformer.models import Translator

ROOT = Path(__file__).resolve().parents[1]
COMMAND = "python tools/train_translator.py"
CONFIG = {"layers": 2, "d": 64, "m": 16, "h": 4, "r": 256}
DROPOUT, SIZE, STEPS, WARM, CLIP, SEED = 0.1, 64, 6000, 800, 1.0, 0
LONGEST = 40  # words of a source
BEAM_SENTENCES, WIDTH = 100, 4  # of one and of two clauses each: beam search goes sentence by sentence
JOINTS_EN = {"and", "but", "because", "while", "when"}
JOINTS_FR = {"et": 1, "mais": 1, "parce": 2, "pendant": 2, "quand": 1}  # with the tokens they take: "parce que" is two


def clauses(pair: Pair) -> list[Pair]:
    """The clauses that a sentence of the corpus was joined from, each ending with its own full stop."""
    english, french, rest = [[]], [[]], iter(pair.target[:-1])
    for word in pair.source[:-1]:
        english.append([]) if word in JOINTS_EN else english[-1].append(word)
    for word in rest:
        if word in JOINTS_FR:
            french.append([])
            if JOINTS_FR[word] == 2:
                next(rest)
        else:
            french[-1].append(word)
    return [Pair((*a, "."), (*b, ".")) for a, b in zip(english, french, strict=True)]


def training_pairs() -> list[Pair]:
    """The sentences of fewer than LONGEST words, and every clause of the training part alone; no pair twice."""
    corpus = english_french()
    alone = [clause for pair in corpus.train for clause in clauses(pair)]
    return list(dict.fromkeys([*alone, *corpus.shorter_than(LONGEST).train]))


def loss_of(model, batch):
    return cross_entropy(model(batch.source, batch.target, batch.source_lengths).logits, batch.answers)


def rate(step: int, steps: int) -> float:
    """Warm-up and 1/√t as in the paper, and a straight line to zero over the last quarter, which the paper has not."""
    return warm_up(step, CONFIG["d"], WARM) * min(1.0, 4 * (1 - (step - 1) / steps))


def curve(losses: list[float], points: int = 40) -> list[list[float]]:
    """[step, mean loss since the step before it] for `points` steps, evenly spaced."""
    ends = [round(len(losses) * (i + 1) / points) for i in range(points)]
    return [[b, round(sum(losses[a:b]) / (b - a), 4)] for a, b in zip([0, *ends], ends, strict=False)]


@torch.no_grad()
def translate(model, source: Vocabulary, target: Vocabulary, pairs: list[Pair], *, width: int = 1) -> list[tuple[str, ...]]:
    """Each pair's source in French: greedy in batches, or with a beam, one by one. Cut at twice the source's length + 10."""
    found = {}
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i].source))
    size = 100 if width == 1 else 1
    for first in range(0, len(order), size):
        rows = order[first : first + size]
        tokens, lengths = pad([source.encode(pairs[i].source) for i in rows])
        limits = {"start": START, "end": END, "longest": 2 * tokens.shape[1] + 10}
        state = model.start(tokens, lengths)
        if width == 1:
            answers = greedy(model.step, state, **limits).tokens
        else:
            answers = beam(model.step, state, width=width, **limits).tokens[:1]
        found |= {i: tuple(target.decode(answer)) for i, answer in zip(rows, answers, strict=True)}
    return [found[i] for i in range(len(pairs))]


def share(answers: list[tuple[str, ...]], pairs: list[Pair]) -> float:
    """How many answers are the reference to the letter, as a share."""
    return sum(answer == pair.target for answer, pair in zip(answers, pairs, strict=True)) / len(pairs)


@torch.no_grad()
def scores(model, source: Vocabulary, target: Vocabulary, pairs: list[Pair]) -> dict:
    """What the model does with held-out sentences: exact translations by number of clauses, and next-token scores."""
    by_clauses = {}
    for pair in pairs:
        by_clauses.setdefault(len(clauses(pair)), []).append(pair)
    exact = {}
    for count, group in sorted(by_clauses.items()):
        answers = translate(model, source, target, group)
        exact[str(count)] = {"sentences": len(group), "exact": round(share(answers, group), 4)}
    searched = {}
    for count in (1, 2):
        group = by_clauses[count][:BEAM_SENTENCES]
        searched[str(count)] = {
            "sentences": len(group),
            "greedy": round(share(translate(model, source, target, group), group), 4),
            f"beam {WIDTH}": round(share(translate(model, source, target, group, width=WIDTH), group), 4),
        }
    return {"exact by clauses": exact, "greedy and beam": searched, **next_token(model, source, target, by_clauses[1])}


def next_token(model, source: Vocabulary, target: Vocabulary, pairs: list[Pair]) -> dict[str, float]:
    """With the right beginning given, on one-clause sentences: share of right next tokens, and nats a token."""
    data = Pairs([source.encode(p.source) for p in pairs], [target.encode(p.target) for p in pairs], len(pairs))
    batch = data.batch_of(range(len(pairs)))
    logits = model(batch.source, batch.target, batch.source_lengths).logits
    counted = batch.answers != 0
    right = (logits.argmax(-1) == batch.answers)[counted].double().mean().item()
    nats = cross_entropy(logits, batch.answers).item()
    return {"next token right": round(right, 4), "nats a token": round(nats, 4)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS, help=f"default {STEPS}: what is shipped")
    parser.add_argument("--out", type=Path, default=shipped.FOLDER / "english_french.safetensors")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)  # dropout's: the parameters have their own generator
    corpus, pairs = english_french(), training_pairs()
    source = Vocabulary.from_counts(pair.source for pair in pairs)
    target = Vocabulary.from_counts(pair.target for pair in pairs)
    data = Pairs([source.encode(p.source) for p in pairs], [target.encode(p.target) for p in pairs], SIZE, SEED)
    sizes = (len(source), len(target))
    model = Translator(*sizes, **CONFIG, dropout=DROPOUT, generator=torch.Generator().manual_seed(SEED))
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    checkpoint = ROOT / "_build" / "training" / f"{options.out.stem}_{options.steps}.safetensors"
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    options.out.parent.mkdir(exist_ok=True)
    losses = train(
        model, data.batch_at, loss_of, optimiser, options.steps,
        rate=lambda step: rate(step, options.steps), clip=CLIP, checkpoint=checkpoint, every=100, progress=True,
    )  # fmt: skip
    info = {
        "config": CONFIG,
        "corpus": {
            "name": f"english_french, sentences of fewer than {LONGEST} words and every clause alone",
            "pairs": len(pairs),
            "credit": corpus.credit,
            "licence": corpus.licence,
        },
        "command": COMMAND if options.steps == STEPS else f"{COMMAND} --steps {options.steps}",
        "training": {"dropout": DROPOUT, "batch": SIZE, "warm": WARM, "clip": CLIP, "smoothing": 0.0, "seed": SEED},
        "steps": options.steps,
        "losses": curve(losses),
        "scores": {},
    }
    vocabularies = {"source": source, "target": target}
    shipped.write(options.out, model, vocabularies, info)
    # Scored as it is shipped: rounded to float16
    model, (source, target), info = shipped.load(options.out, Translator, ("source", "target"))
    with checks.trusted():
        info["scores"] = scores(model, source, target, list(corpus.test))
    shipped.write(options.out, model, vocabularies, info)
    print(f"{options.out.name}: {options.out.stat().st_size} bytes, {info['scores']}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
