"""Width, depth and r at equal learning rates: six variants of the ablation, three peaks of the rate that they share, five seeds.

    python studies/ablation_rates.py            about 50 minutes of one core; --jobs 2 takes two

The published schedule contains d^(-1/2): its variants of width were trained at other peaks than the base. Here the peak is a share
of the base's, whatever d is. The base's own is 1, for d = 64 and big the schedule's is 1/√2, for d = 16 √2; these rows stand in
ablation.json and are not run again. Variants, peaks and seeds were fixed before the first run, and so was the statistic: Welch's test
of nats and of BLEU against the base at the same peak, with Holm's correction over all comparisons of a measure; and each variant at
the peak where its mean of nats is lowest.  [after Vaswani et al. 2017, Table 3]
"""

import sys
from typing import Any

from course_lib.ablation.study import Settings, run
from course_lib.ablation.variants import BASE, VARIANTS
from course_lib.results.study import Part, Study

PEAKS = (1.0, 0.7071, 0.5)  # of the base's
COMPARED = ("d = 64", "r = 256", "base", "4 layers", "big", "d = 16")
EDGES = (("d = 64", 0.3536), ("d = 16", 2.0))  # added when these were best at the end of the list: one step beyond it
SEEDS = range(5)


def row(variant: str, peak: float, seed: int) -> dict[str, Any]:
    factor = peak * (VARIANTS[variant].sizes.d / BASE.d) ** 0.5
    found = run(variant, seed, Settings(factor=factor))._asdict()
    return {"variant": variant, "peak": peak, **{name: found[name] for name in ("seed", "nats", "bleu", "exact", "loss", "first")}}


WANTED = [(variant, peak, seed) for peak in PEAKS for variant in COMPARED if peak != VARIANTS[variant].peak for seed in SEEDS]
WANTED += [(variant, peak, seed) for variant, peak in EDGES for seed in SEEDS]
STUDY = Study(
    "ablation_rates",
    {"settings": Settings().as_json(), "peaks": PEAKS},
    {"rows": Part(row, WANTED, key=("variant", "peak", "seed"))},
    minutes=50,
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
