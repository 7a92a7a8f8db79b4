"""One run of the ablation study: a variant trained from one seed for a fixed number of updates, and scored."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import torch
from torch.utils.flop_counter import FlopCounterMode

from course_lib import checks
from course_lib.ablation.data import HELD_OUT, LONGEST, Data, data
from course_lib.ablation.narrow import NarrowKeys
from course_lib.ablation.variants import BASE, VARIANTS, Sizes, variant
from course_lib.bleu import bleu
from course_lib.training import train, translation_loss, warm_up
from course_lib.transformer import Translator
from course_lib.translation import translate

PLACES = 64  # positions that a model knows: more than an answer can have
COUNTED = 4  # batches over which the FLOPs of an update are averaged
FIRST = 5  # losses kept from the beginning of a run, which a test computes again


@dataclass(frozen=True)
class Settings:
    """What all runs share. The rate is `factor` times the paper's, and in the last quarter falls to zero, which the
    paper's does not."""

    steps: int = 500
    batch: int = 32
    warm: int = 150
    norm: str = "pre"
    factor: float = 1.0
    held_out: int = HELD_OUT

    def __post_init__(self) -> None:
        for name in ("steps", "batch", "warm", "held_out"):
            checks.positive_int(name, getattr(self, name))
        checks.number("factor", self.factor, positive=True)
        checks.one_of("norm", self.norm, ("pre", "post"))

    def rate(self, step: int, d: int) -> float:
        return self.factor * warm_up(step, d, self.warm) * min(1.0, 4 * (1 - (step - 1) / self.steps))

    def as_json(self) -> dict[str, Any]:
        """Every number that settles a row."""
        rows = {name: each.changes for name, each in VARIANTS.items()}
        return {**asdict(self), "longest": LONGEST, "base": BASE._asdict(), "variants": rows}


class Row(NamedTuple):
    """One run. nats: unsmoothed cross-entropy per held-out French token, ends counted; ppl = exp(nats); bleu and exact
    of greedy translations, exact the share that is the reference to the letter; flops of an update; first: the first
    training losses."""

    variant: str
    seed: int
    parameters: int
    flops: int
    nats: float
    ppl: float
    bleu: float
    exact: float
    loss: float
    first: list[float]


def make(sizes: Sizes, vocabularies: tuple[int, int], seed: int, norm: str = "pre") -> Translator:
    """The model of a variant; the read-out is the target's embedding, as in the paper."""
    widths = (*vocabularies, sizes.layers, sizes.d, sizes.m, sizes.h, sizes.r)
    options = {
        "norm": norm, "dropout": sizes.dropout, "positions": sizes.positions, "longest": PLACES,
        "generator": torch.Generator().manual_seed(seed),
    }  # fmt: skip
    return Translator(*widths, **options) if sizes.k == sizes.m else NarrowKeys(*widths, k=sizes.k, **options)


def run(
    name: str,
    seed: int,
    settings: Settings = Settings(),
    groups: Callable[[Translator], list] = lambda model: list(model.parameters()),
) -> Row:
    """Train the variant `name` from one seed, which settles parameters, dropout and the order of the sentences; score
    it.

    `groups(model)` is what the optimiser gets, where some parameters have a share of the rate: see `train`.
    """
    sizes, given = variant(name).sizes, data()
    given = given._replace(held_out=given.held_out[: settings.held_out])
    pairs = given.batches(settings.batch, seed)
    torch.manual_seed(seed)  # dropout draws from torch's own generator
    model = make(sizes, (len(given.source), len(given.target)), seed, settings.norm)
    flops = flops_of(model, [given.batches(settings.batch, 0).batch_at(step) for step in range(COUNTED)])
    optimiser = torch.optim.Adam(groups(model), betas=(0.9, 0.98), eps=1e-9)
    loss_of = partial(translation_loss, smoothing=sizes.smoothing)
    losses = train(
        model, pairs.batch_at, loss_of, optimiser, settings.steps, rate=lambda step: settings.rate(step, sizes.d)
    )
    nats, answers = scored(model, given)
    references = [pair.target for pair in given.held_out]
    tail = losses[-max(1, settings.steps // 10) :]
    return Row(
        name, seed, sum(p.numel() for p in model.parameters()), flops, round(nats, 4), round(math.exp(nats), 4),
        bleu=round(bleu(answers, references), 2),
        exact=round(sum(a == b for a, b in zip(answers, references, strict=True)) / len(references), 4),
        loss=round(sum(tail) / len(tail), 4), first=[round(loss, 4) for loss in losses[:FIRST]],
    )  # fmt: skip


@torch.no_grad()
def scored(model: Translator, given: Data) -> tuple[float, list[tuple[str, ...]]]:
    """Nats a held-out token, without smoothing and dropout, and the greedy translations."""
    with checks.trusted():
        held = given.held()
        batch = held.batch_of(range(len(held)))
        nats = translation_loss(model, batch).item()
        answers = translate(model, given.source, given.target, [pair.source for pair in given.held_out])
    return nats, [each.words for each in answers]


def flops_of(model: Translator, batches: list) -> int:
    """Floating-point operations of the matrix products of an update, forward and backward, the mean over these batches.

    A product and a sum count as two. PyTorch counts them as they run; softmax, norms and Adam, a few per cent, are left
    out.
    """
    model.eval()  # dropout's draws must not be spent before the training
    with checks.trusted(), FlopCounterMode(display=False) as counter:
        for batch in batches:
            translation_loss(model, batch).backward()
    model.zero_grad()
    return round(counter.get_total_flops() / len(batches))
