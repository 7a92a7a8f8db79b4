"""Width, depth and r at equal learning rates: the ablation's variants at three peaks of the rate that they share, five
seeds; and muP.

    python studies/ablation_rates.py            about 90 minutes of one core; --jobs 2 takes two

The published schedule contains d^(-1/2): its variants of width were trained at other peaks than the base. Here the peak
is a share of the base's, whatever d is. The base's own is 1, for d = 64 and big the schedule's is 1/√2, for d = 16 √2;
these rows stand in ablation.json and are not run again. Variants, peaks and seeds of COMPARED were fixed before the
first run, and so was the statistic: Welch's test of nats and of BLEU against the base at the same peak, with Holm's
correction over all comparisons of a measure; and each variant at the peak where its mean of nats is lowest. LATER and
EDGES were added when those were known.  [after Vaswani et al. 2017, Table 3]

again: two rows of ablation.json once more, where the others are made: the tables are compared, so they must come from
one computer.

mup: widths 16 and 64 with the start and the rates of each kind of parameter as muP has them for Adam, at equal peaks.
At the base's width nothing changes, so that its rows are those above.  [Yang et al. 2022, Table 8]
"""

import sys
from collections.abc import Callable
from typing import Any

import torch

from course_lib.ablation.study import FIRST, Settings, run
from course_lib.ablation.variants import BASE, VARIANTS
from course_lib.results.study import Again, Part, Study
from course_lib.transformer import Translator

PEAKS = (1.0, 0.7071, 0.5)  # of the base's
COMPARED = ("d = 64", "r = 256", "base", "4 layers", "big", "d = 16")
LATER = ("1 layer", "2 layers", "r = 64")
EDGES = (  # one step beyond, where the best was the list's last, and for the base, whose first two are level
    ("d = 64", 0.3536), ("d = 16", 2.0), ("big", 0.3536), ("base", 1.4142), ("1 layer", 1.4142), ("2 layers", 1.4142),
    ("r = 64", 1.4142),
)  # fmt: skip
WIDTHS, MUP_PEAKS = ("d = 16", "d = 64"), (1.4142, *PEAKS)
SEEDS = range(5)


def settings(variant: str, peak: float, **more: int) -> Settings:
    """Those whose schedule has its peak at this share of the base's, whatever the variant's width."""
    return Settings(factor=peak * (VARIANTS[variant].sizes.d / BASE.d) ** 0.5, **more)


def row(variant: str, peak: float, seed: int, *groups: Callable[[Translator], list]) -> dict[str, Any]:
    found = run(variant, seed, settings(variant, peak), *groups)._asdict()
    return {
        "variant": variant,
        "peak": peak,
        **{name: found[name] for name in ("seed", "nats", "bleu", "exact", "loss", "first")},
    }


def mup(model: Translator) -> list[dict[str, Any]]:
    """Start the model as muP does, and give each kind of parameter its share of the rate.

    Relative to the base's width, whose start and shares stay: a matrix that reads the stream or its heads has the rate
    1/d. The embedding is multiplied by √d, so its own rate is 1/√d. Logits are divided by √d more, in the last norm;
    scores by √m more, in W_Q.
    """
    wide = model.target_embedding.E.shape[1] / BASE.d
    shares = []
    with torch.no_grad():
        for name, parameter in model.named_parameters():
            kind, scale = name.split(".")[-1], 1.0
            if kind == "W_Q" or name.startswith("decoder.final_norm"):
                scale = wide**-0.5
                parameter.mul_(scale)
            share = {"E": wide**-0.5, "W_2": 1.0}.get(kind, 1 / wide if kind.startswith("W_") else 1.0)
            shares.append({"params": [parameter], "share": share * scale})
    return shares


def mup_row(variant: str, peak: float, seed: int) -> dict[str, Any]:
    return row(variant, peak, seed, mup)


WANTED = [
    (variant, peak, seed)
    for peak in PEAKS
    for variant in (*COMPARED, *LATER)
    if peak != VARIANTS[variant].peak
    for seed in SEEDS
]
WANTED += [(variant, peak, seed) for variant, peak in EDGES for seed in SEEDS]
STUDY = Study(
    "ablation_rates",
    {"settings": Settings().as_json(), "peaks": PEAKS},
    {
        "rows": Part(row, WANTED, key=("variant", "peak", "seed")),
        "again": Part(row, [("base", 1.0, 0), ("r = 256", 1.0, 1)], key=("variant", "peak", "seed")),
        "mup": Part(
            mup_row,
            [(variant, peak, seed) for variant in WIDTHS for peak in MUP_PEAKS for seed in SEEDS],
            key=("variant", "peak", "seed"),
        ),
    },
    minutes=90,
    again=[
        Again(
            "rows",
            [WANTED[i] for i in (0, 20, -1)],
            lambda variant, peak, seed: run(variant, seed, settings(variant, peak, steps=FIRST, held_out=2)).first,
            "first",
            abs=2e-3,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
