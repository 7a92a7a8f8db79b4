"""The ablation study: the translator trained small, as published and with one thing changed at a time, 21 variants × 5 seeds.

    python tools/ablation.py                         about an hour of one core; course_lib/results/ablation.json
    python tools/ablation.py --rate 0.5 --seeds 3 --only base "4 layers" "r = 256" big     at half the rate; ablation_rate.json
    python tools/ablation.py --backend joblib --jobs 2         two runs at once
    python tools/ablation.py --backend dask --scheduler tcp://HOST:8786    on a Dask cluster (pip install dask distributed)

Every run is written to --out as it ends; the same command goes on where it was interrupted. Whenever a seed is complete over the
variants, the table is written with the complete seeds. Trials with other settings write none. [after Vaswani et al. 2017, Table 3]
"""

import argparse
import json
import sys
import time
from pathlib import Path

from course_lib import long_work, results
from course_lib.ablation import rows, study
from course_lib.ablation.variants import VARIANTS

ROOT = Path(__file__).resolve().parents[1]
UNITS = "nats per French token, ends counted; ppl = exp(nats); bleu from 0 to 100 (sacrebleu, words as the corpus parts them); flops of an update"
USUAL = study.Settings()
MINUTES = 60 / (5 * len(VARIANTS))  # a run with the usual number of steps, on one core
SECOND = ("base", "4 layers", "r = 256", "big")  # variants, rate and seeds of the second table
STUDIES = {
    "ablation": (USUAL, tuple(VARIANTS), 5, "python tools/ablation.py"),
    "ablation_rate": (
        study.Settings(factor=0.5), SECOND, 3,
        'python tools/ablation.py --rate 0.5 --seeds 3 --only base "4 layers" "r = 256" big',
    ),
}  # fmt: skip


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=5, help="default 5")
    parser.add_argument("--steps", type=int, default=USUAL.steps, help=f"updates a run; default {USUAL.steps}")
    parser.add_argument("--rate", type=float, default=USUAL.factor, metavar="FACTOR", help="of the published learning rate; default 1")
    parser.add_argument("--only", nargs="+", metavar="VARIANT", choices=tuple(VARIANTS), default=tuple(VARIANTS), help="some variants; default all")
    parser.add_argument("--backend", choices=study.BACKENDS, default="serial", help="default serial")
    parser.add_argument("--jobs", type=int, default=1, help="runs at once, each on one core; default 1")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that runs already; without it --jobs workers start here")
    parser.add_argument("--out", type=Path, help="the working file; default _build/ablation/STEPS_RATE.jsonl")
    parser.add_argument("--tables", type=Path, default=results.HERE, metavar="FOLDER", help="of the tables; default where the book reads them")
    given = parser.parse_args(argv)
    try:
        settings = study.Settings(steps=given.steps, factor=given.rate)
        kept = rows.Rows(given.out or ROOT / "_build" / "ablation" / f"{given.steps}_{given.rate:g}.jsonl", settings)
        go_on(kept, given)
    except ValueError as problem:
        tell(f"error: {problem}")
        return 2
    except KeyboardInterrupt:
        tell("interrupted: every finished run is kept; the same command goes on from there")
        return 130
    return 0


def go_on(kept: rows.Rows, given: argparse.Namespace) -> None:
    wanted = [(name, seed) for seed in range(given.seeds) for name in given.only]  # seed by seed
    todo = [each for each in wanted if each not in kept.rows]
    cost = 60 * MINUTES * len(todo) * kept.settings.steps / USUAL.steps
    tell(f"{kept.path}: {len(kept.rows)} runs there, {len(todo)} to go, about {long_work.spoken(cost)} of one core. Interrupt when you like.")
    begun, settings = time.monotonic(), kept.settings
    done = study.run_all(todo, settings, backend=given.backend, jobs=given.jobs, scheduler=given.scheduler)
    for number, row in enumerate(done, 1):
        kept.add(row)
        left = (time.monotonic() - begun) / number * (len(todo) - number)
        tell(f"{number}/{len(todo)} {row.variant}, seed {row.seed}: ppl {row.ppl:.3f}, BLEU {row.bleu:.1f}; about {long_work.spoken(left)} left")
        if row.seed in kept.complete(given.only):
            write(kept, given.tables)
    write(kept, given.tables)


def write(kept: rows.Rows, folder: Path) -> None:
    """The table of the study with these settings, if there is one: its complete seeds, seed by seed, whole or not at all."""
    for name, (settings, variants, seeds, command) in STUDIES.items():
        inside = [seed for seed in kept.complete(variants) if seed < seeds]
        if settings == kept.settings and inside:
            found = [kept.rows[variant, seed]._asdict() for seed in inside for variant in variants]
            path = folder / f"{name}.json"
            scratch = path.with_suffix(".part")
            table = {"command": command, "units": UNITS, "settings": settings.as_json(), "rows": found}
            scratch.write_text(json.dumps(table, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            scratch.replace(path)


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
