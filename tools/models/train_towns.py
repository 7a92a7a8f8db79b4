"""Train the small language model that invents names of Italian towns, score it on held-out names, and write its file.

    python -m tools.models.train_towns            about 2 minutes of one CPU core; course_lib/models/towns.safetensors

A token is a character, a sequence is a name. An interrupted run goes on from its checkpoint in _build/training/. The same
command gives the same weights on the same machine and version of torch. The learning rate warms up, falls like 1/√t, and
in the last quarter to zero.
"""

import argparse
import sys
from pathlib import Path

import torch

from course_lib import checks, long_work, shipped
from course_lib.decoding import sample
from course_lib.text.batches import Rows
from course_lib.text.corpora import towns
from course_lib.text.vocabulary import END, START, Vocabulary
from course_lib.training import cross_entropy, curve, train, warm_up
from course_lib.transformer.models import LanguageModel

ROOT = Path(__file__).resolve().parents[2]
COMMAND = "python -m tools.models.train_towns"
CONFIG = {"layers": 3, "d": 64, "m": 16, "h": 4, "r": 256}
DROPOUT, SIZE, STEPS, WARM, CLIP, SEED = 0.1, 64, 3000, 300, 1.0, 0
HELD_OUT = 500
DRAWN, LONGEST, SHOWN = 1000, 60, 12


def parts() -> tuple[list[str], list[str]]:
    """Names to train on and names held out, drawn by chance; a character that only held-out names have stays unknown."""
    names = towns()
    order = torch.randperm(len(names), generator=torch.Generator().manual_seed(SEED)).tolist()
    return [names[i] for i in order[HELD_OUT:]], [names[i] for i in order[:HELD_OUT]]


def loss_of(model, batch):
    return cross_entropy(model(batch.tokens).logits, batch.answers)


def rate(step: int, steps: int) -> float:
    """Warm-up and 1/√t as in the paper, and a straight line to zero over the last quarter, which the paper has not."""
    return warm_up(step, CONFIG["d"], WARM) * min(1.0, 4 * (1 - (step - 1) / steps))


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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=STEPS, help=f"default {STEPS}: what is shipped")
    parser.add_argument("--out", type=Path, default=shipped.FOLDER / "towns.safetensors")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(SEED)  # dropout's: the parameters have their own generator
    known, held_out = parts()
    characters = Vocabulary.from_counts(list(name) for name in known)
    data = Rows([characters.encode(list(name)) for name in known], SIZE, SEED)
    model = LanguageModel(
        len(characters), **CONFIG, dropout=DROPOUT, generator=torch.Generator().manual_seed(SEED)
    )
    optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
    checkpoint = ROOT / "_build" / "training" / f"{options.out.stem}_{options.steps}.safetensors"
    checkpoint.parent.mkdir(parents=True, exist_ok=True)
    options.out.parent.mkdir(exist_ok=True)
    long_work.tell(f"about {2 * options.steps / STEPS:.0f} minutes of one core. Interrupt when you like: the same command goes on from {checkpoint.name}.")
    losses = train(
        model, data.batch_at, loss_of, optimiser, options.steps,
        rate=lambda step: rate(step, options.steps), clip=CLIP, checkpoint=checkpoint, every=100, progress=True,
    )  # fmt: skip
    info = {
        "config": CONFIG,
        "corpus": {
            "name": f"towns: {len(known)} names, {len(held_out)} held out",
            "credit": "python-codicefiscale 0.12.1 by Fabio Caccamo, from Italian public registers",
            "licence": "MIT",
        },
        "command": COMMAND if options.steps == STEPS else f"{COMMAND} --steps {options.steps}",
        "training": {
            "dropout": DROPOUT,
            "batch": SIZE,
            "warm": WARM,
            "clip": CLIP,
            "smoothing": 0.0,
            "seed": SEED,
        },
        "steps": options.steps,
        "losses": [[step, round(loss, 4)] for step, loss in curve(losses)],
        "scores": {},
    }
    shipped.write_model(options.out, model, {"characters": characters}, info)
    # Scored as it is shipped: rounded to float16
    model, (characters,), info = shipped.load_model(options.out, LanguageModel, ("characters",))
    with checks.trusted():
        info["scores"] = scores(model, characters)
    shipped.write_model(options.out, model, {"characters": characters}, info)
    print(f"{options.out.name}: {options.out.stat().st_size} bytes, {info['scores']}", file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main))
