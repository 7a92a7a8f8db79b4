"""How the Transformers that come with the course are trained, scored and written: what the two commands share.

An interrupted run goes on from its checkpoint in _build/training/. The same command gives the same weights on the same
machine and version of torch. The learning rate warms up, falls like 1/√t, and in the last quarter to zero.
"""

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from course_lib import checks, long_work, shipped
from course_lib.text.batches import Pairs, Rows
from course_lib.text.vocabulary import Vocabulary
from course_lib.training import curve, train, warm_up

ROOT = Path(__file__).resolve().parents[2]
DROPOUT, BATCH, CLIP, SEED = 0.1, 64, 1.0, 0


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """`minutes` is what all steps take on one core; `warm` the steps of the warm-up; `config` the model's sizes."""

    file: str
    command: str
    kind: type[nn.Module]
    config: dict[str, int]
    steps: int
    warm: int
    minutes: int

    def rate(self, step: int) -> float:
        """Warm-up and 1/√t as in the paper, and a straight line to zero over the last quarter, which the paper has
        not."""
        return warm_up(step, self.config["d"], self.warm) * min(1.0, 4 * (1 - (step - 1) / self.steps))

    def main(
        self, vocabularies: dict[str, Vocabulary], data: Rows | Pairs, loss_of: Callable, corpus: dict[str, Any],
        scores: Callable[..., dict],
    ) -> int:  # fmt: skip
        """The command: train, write, and score what was written, rounded to float16 as it is: `scores(model,
        *vocabularies)`."""
        steps, out = self.steps, shipped.FOLDER / self.file
        torch.set_num_threads(1)
        torch.manual_seed(SEED)  # dropout's: the parameters have their own generator
        model = self.kind(
            *map(len, vocabularies.values()),
            **self.config,
            dropout=DROPOUT,
            generator=torch.Generator().manual_seed(SEED),
        )
        optimiser = torch.optim.Adam(model.parameters(), betas=(0.9, 0.98), eps=1e-9)
        checkpoint = ROOT / "_build" / "training" / f"{out.stem}_{steps}.safetensors"
        long_work.tell(
            f"about {self.minutes} minutes of one core. Interrupt when you like: the same command goes on from "
            f"{checkpoint.name}."
        )
        losses = train(
            model, data.batch_at, loss_of, optimiser, steps,
            rate=self.rate, clip=CLIP, checkpoint=checkpoint, every=100, progress=True,
        )  # fmt: skip
        info = {
            "config": self.config,
            "corpus": corpus,
            "command": self.command,
            "training": {
                "dropout": DROPOUT,
                "batch": BATCH,
                "warm": self.warm,
                "clip": CLIP,
                "smoothing": 0.0,
                "seed": SEED,
            },
            "steps": steps,
            "losses": [[step, round(loss, 4)] for step, loss in curve(losses)],
            "scores": {},
        }
        shipped.write_model(out, model, vocabularies, info)
        model, _, info = shipped.load_model(out, self.kind, tuple(vocabularies))
        with checks.trusted():
            info["scores"] = scores(model, *vocabularies.values())
        shipped.write_model(out, model, vocabularies, info)
        print(f"{out.name}: {out.stat().st_size} bytes, {info['scores']}", file=sys.stderr)
        return 0
