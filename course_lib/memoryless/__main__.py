"""Run the published study again.

    python -m course_lib.memoryless                                   72 configurations × 16 models × 1,500 updates
    python -m course_lib.memoryless --budget 8000 --smallest 8        another reading of the printed budget, on fewer shapes
    python -m course_lib.memoryless --only v=2,n=16 --seeds 4         some of the configurations
    python -m course_lib.memoryless --backend dask --jobs 2           by joblib's Dask backend, on a local cluster of two workers
    python -m course_lib.memoryless --backend dask --scheduler tcp://HOST:8786      on a cluster that is already there
    python -m course_lib.memoryless --table FILE ...                  write the small table that the book reads

Rows are written one by one to --out as they finish. Interrupt it when you like: the same command goes on where it stopped.
"""

import argparse
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from tqdm import tqdm

from course_lib import results
from course_lib.memoryless import rows, study

FOLDER = Path("_build/memoryless_study")
NAME = "memoryless_study"


def arguments(argv: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m course_lib.memoryless", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--budget", type=int, default=1500, help="updates: 1500, 8000 or 24000 (fewer: a trial); default 1500")
    parser.add_argument("--seeds", type=int, default=16, help="models a configuration; default 16")
    parser.add_argument("--beta2", type=float, default=0.95, help="Adam's second factor; default 0.95, as printed")
    parser.add_argument("--scale", choices=("m", "d"), default="m", help="scores are divided by the root of this; default m")
    parser.add_argument("--dtype", choices=tuple(study.DTYPES), default="float64", help="default float64: the same on every machine to 1e-4")
    parser.add_argument("--only", type=sizes_given, metavar="v=2,n=16", help="only the configurations with these sizes")
    parser.add_argument("--smallest", type=int, metavar="K", help="for each v, only the K configurations with the fewest learnables")
    parser.add_argument("--jobs", type=int, default=1, help="rows at once, each in a process; default 1")
    parser.add_argument("--backend", choices=study.BACKENDS, default="loky", help="joblib's backend; dask needs `pip install dask distributed`")
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that runs already; without it --jobs workers start here")
    parser.add_argument("--out", type=Path, help=f"the working file; default {FOLDER}/BUDGET.jsonl")
    parser.add_argument("--progress", action="store_true", help="say what it will cost, and show a bar, on stderr")
    parser.add_argument("--table", type=Path, nargs="+", metavar="FILE", help=f"write course_lib/results/{NAME}.json from working files; run nothing")
    return parser.parse_args(argv)


def sizes_given(text: str) -> dict[str, int]:
    """ "v=2,n=16" as {"v": 2, "n": 16}."""
    try:
        return {name.strip(): int(value) for name, value in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be sizes such as v=2,n=16, got {text!r}") from None


def tell(text: str) -> None:
    print(text, file=sys.stderr)


def main(argv: list[str] | None = None) -> int:
    given = arguments(argv)
    torch.set_num_threads(1)
    try:
        if given.table:
            results.store(NAME, table(given.table))
            return 0
        run(given)
    except ValueError as problem:
        tell(f"error: {problem}")
        return 2
    except KeyboardInterrupt:
        tell("interrupted: every finished row is kept, the same command goes on from there")
        return 130
    return 0


def run(given: argparse.Namespace) -> None:
    settings = study.Settings(given.budget, given.seeds, given.beta2, given.scale, given.dtype)
    kept = rows.Rows(given.out or FOLDER / f"{given.budget}.jsonl", settings, tell=tell)
    todo = [sizes for sizes in study.chosen(given.only, given.smallest) if sizes not in kept.rows]
    tell(f"{kept.path}: {len(kept.rows)} rows there, {len(todo)} to run")
    if given.progress and todo:
        with tqdm(total=len(todo), desc="measuring", file=sys.stderr, leave=False) as bar:
            seconds = study.estimate(todo, settings, tick=bar.update)
        tell(f"about {max(1, round(seconds / 60))} minutes of one core")
    finished = study.run_all(todo, settings, jobs=given.jobs, backend=given.backend, scheduler=given.scheduler)
    for row in tqdm(finished, total=len(todo), unit="row", disable=not given.progress, file=sys.stderr):
        kept.add(row)


def table(paths: list[Path]) -> dict[str, Any]:
    """The book's table: each working file as one study, its rows in the printed order."""
    studies = []
    for path in paths:
        kept = rows.load(path)
        inside = [sizes for sizes in study.configurations() if sizes in kept.rows]
        rows_inside = [kept.rows[sizes]._asdict() for sizes in inside]
        studies.append({"command": command(kept.settings, inside), "settings": kept.settings.as_json(), "rows": rows_inside})
    units = "err, range and q in per cent; loss and last in nats"
    return {"command": "the commands of the studies below, then python -m course_lib.memoryless --table FILE ...", "units": units, "studies": studies}


def command(settings: study.Settings, inside: list[study.Sizes]) -> str:
    """The command that makes these rows."""
    usual, said = study.Settings(), asdict(settings)
    options = [f"--{name} {said[name]}" for name in ("budget", "seeds", "beta2", "scale", "dtype") if said[name] != getattr(usual, name)]
    if len(inside) < len(study.configurations()):
        number = len(inside) // len({sizes.v for sizes in inside}) if inside else 0
        options.append(f"--smallest {number}" if number and inside == study.chosen(smallest=number) else f"(stopped after {len(inside)} rows)")
    return " ".join(["python -m course_lib.memoryless", *options])


if __name__ == "__main__":
    sys.exit(main())
