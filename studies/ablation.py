"""The ablation study: the translator trained small, as published and with one thing changed at a time, 21 variants × 5
seeds.

    python studies/ablation.py                         about an hour of one core; course_lib/results/ablation.json
    python studies/ablation.py --rate 0.5 --seeds 3 --only base big     a trial at half the rate
    python studies/ablation.py --jobs 2                two runs at once
    python studies/ablation.py --backend dask --scheduler tcp://HOST:8786    on a Dask cluster

Trials with other settings write no table: their rows stay in the working file.  [after Vaswani et al. 2017, Table 3]
"""

import sys
from collections.abc import Sequence
from functools import partial
from typing import Any

from course_lib.ablation.study import FIRST, Settings, run
from course_lib.ablation.variants import VARIANTS
from course_lib.results.study import Again, Part, Study, command

UNITS = (
    "nats per French token, ends counted; ppl = exp(nats); bleu from 0 to 100 (sacrebleu, words as the corpus "
    "parts them); flops of an update"
)
MINUTES = 60 / (5 * len(VARIANTS))  # a run with the usual number of steps, on one core


def row(variant: str, seed: int, settings: Settings) -> dict[str, Any]:
    return run(variant, seed, settings)._asdict()


def study_of(settings: Settings, variants: Sequence[str], seeds: int, name: str = "ablation", **more: Any) -> Study:
    wanted = [(variant, seed) for seed in range(seeds) for variant in variants]
    return Study(
        name,
        {"units": UNITS, "settings": settings.as_json()},
        {"rows": Part(partial(row, settings=settings), wanted, key=("variant", "seed"))},
        minutes=MINUTES * len(wanted) * settings.steps / Settings().steps,
        file=f"ablation_{settings.steps}_{settings.factor:g}",
        **more,
    )


BEGUN = Settings(steps=FIRST, held_out=2)  # what a test makes again: the first losses, and hardly a translation
STUDY = study_of(
    Settings(),
    tuple(VARIANTS),
    5,
    again=[
        Again(
            "rows",
            [("base", 1), ("k = 2", 1), ("learned positions", 1)],
            partial(row, settings=BEGUN),
            ("parameters", "flops", "first"),
            abs=2e-3,
        )
    ],
)


def asked(*, seeds: int, steps: int, rate: float, only: Sequence[str]) -> Study:
    """The study with these options: STUDY, or a trial."""
    trial = study_of(Settings(steps=steps, factor=rate), only, seeds, tabled=False)
    return STUDY if STUDY.head == trial.head and set(STUDY.tasks()) == set(trial.tasks()) else trial


def main(argv: list[str] | None = None) -> int:
    parser = STUDY.parser(__doc__)
    parser.add_argument("--seeds", type=int, default=5, help="default 5")
    parser.add_argument(
        "--steps", type=int, default=Settings().steps, help=f"updates a run; default {Settings().steps}"
    )
    parser.add_argument(
        "--rate", type=float, default=1.0, metavar="FACTOR", help="of the published learning rate; default 1"
    )
    parser.add_argument(
        "--only",
        nargs="+",
        metavar="VARIANT",
        choices=tuple(VARIANTS),
        default=tuple(VARIANTS),
        help="some variants; default all",
    )
    given = vars(parser.parse_args(argv))
    options = {name: given.pop(name) for name in ("seeds", "steps", "rate", "only")}
    return command(lambda: asked(**options).grow(**given), STUDY.kept(**given))


if __name__ == "__main__":
    sys.exit(main())
