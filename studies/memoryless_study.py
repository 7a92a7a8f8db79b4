"""The published study run again: 72 configurations × 16 models × 1,500 updates, and other readings of its printed
budget.

    python studies/memoryless_study.py                                   all 72; about twenty minutes of one core
    python studies/memoryless_study.py --budget 8000 --smallest 8        another reading of the printed budget, on fewer
                                            shapes
    python studies/memoryless_study.py --only v=2,n=16 --seeds 4         some of the configurations
    python studies/memoryless_study.py --backend dask --scheduler tcp://HOST:8786      on a Dask cluster; --jobs 2
                                            starts one here
    python studies/memoryless_study.py --table FILE ...                  write the small table that the book reads

Rows are kept one by one in the working file as they finish, and a row in progress every 500 updates.
"""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

from course_lib import results
from course_lib.memoryless.sizes import Sizes, count
from course_lib.memoryless.study import Settings, checkpoint_of, chosen, configurations, run
from course_lib.results.journal import corrupt, head_of
from course_lib.results.study import Part, Study, command
from course_lib.results.tables import store

NAME = "memoryless_study"
MINUTES = 20  # the whole study as it is published, on one core
# what an update costs besides its learnables, counted in learnables: measured for sixteen models, within a fifth
FIXED = 8300
UNITS = "err, range and q in per cent; loss and last in nats"


def row(*sizes: int, settings: Settings, folder: Path | None = None) -> dict[str, Any]:
    """A row; with `folder` it is kept there while it is in progress, and goes on from there. OSError where what is kept
    there is no such row."""
    try:
        made = run(Sizes(*sizes), settings, folder)
    except ValueError as problem:
        if not str(problem).startswith("checkpoint "):
            raise
        raise OSError(str(problem)) from None  # a file's fault, not the code's
    if folder is not None:
        checkpoint_of(made.sizes, folder).unlink(missing_ok=True)
        if folder.is_dir() and not any(folder.iterdir()):
            folder.rmdir()
    return made._asdict()


def effort(*sizes: int) -> float:
    """What a row costs beside the others: the largest 25 times the smallest."""
    return FIXED + count(Sizes(*sizes))


USUAL = Settings()
OPTIONS = ("budget", "seeds", "beta2")


def study_of(settings: Settings = USUAL, wanted: Sequence[Sizes] | None = None, folder: Path | None = None) -> Study:
    wanted = configurations() if wanted is None else wanted
    share = sum(effort(*sizes) for sizes in wanted) / sum(effort(*sizes) for sizes in configurations())
    return Study(
        NAME,
        {"settings": settings.as_json()},
        {"rows": Part(partial(row, settings=settings, folder=folder), wanted, key=Sizes._fields, effort=effort)},
        minutes=MINUTES * share * settings.seeds / 16 * settings.budget / 1500,
        file=f"{NAME}_{settings.budget}",
        progress="the row in progress as of its last 500 updates",
        tabled=False,
    )


def found_in(path: Path) -> tuple[Settings, dict[Sizes, dict[str, Any]]]:
    """A working file, finished or not: the settings that it names itself, and its rows."""
    named = head_of(path, NAME).get("settings", {})
    try:
        settings = Settings(**{name: named[name] for name in Settings.__dataclass_fields__})
    except (KeyError, TypeError):
        corrupt(path, 1, f"no settings of the study {NAME}")
    return settings, {Sizes(*key): rows[0] for (_, key), rows in study_of(settings).journal(path).found.items()}


def table(paths: Sequence[Path]) -> dict[str, Any]:
    """The book's table: each working file as one study, its rows in the printed order."""
    studies = []
    for settings, rows in map(found_in, paths):
        inside = [sizes for sizes in configurations() if sizes in rows]
        studies.append(
            {
                "command": command_of(settings, inside),
                "settings": settings.as_json(),
                "rows": [rows[sizes] for sizes in inside],
            }
        )
    return {
        "command": f"the commands of the studies below, then python studies/{NAME}.py --table FILE ...",
        "units": UNITS,
        "studies": studies,
    }


def command_of(settings: Settings, inside: Sequence[Sizes]) -> str:
    """The command that makes these rows."""
    said = asdict(settings)
    options = [f"--{name} {said[name]}" for name in OPTIONS if said[name] != getattr(USUAL, name)]
    if len(inside) < len(configurations()):
        number = len(inside) // len({sizes.v for sizes in inside}) if inside else 0
        options.append(
            f"--smallest {number}"
            if number and inside == chosen(smallest=number)
            else f"(stopped after {len(inside)} rows)"
        )
    return " ".join([f"python studies/{NAME}.py", *options])


def sizes_given(text: str) -> dict[str, int]:
    """ "v=2,n=16" as {"v": 2, "n": 16}."""
    try:
        return {name.strip(): int(value) for name, value in (part.split("=") for part in text.split(","))}
    except ValueError:
        raise argparse.ArgumentTypeError(f"must be sizes such as v=2,n=16, got {text!r}") from None


def go_on(only: dict[str, int] | None, smallest: int | None, options: dict[str, Any], given: dict[str, Any]) -> None:
    settings, wanted = Settings(**options), chosen(only, smallest)
    path = given["out"] or study_of(settings).working
    begun = [sizes for sizes in wanted if checkpoint_of(sizes, path.with_suffix(".progress")).exists()]
    if begun and not given["force"]:
        print("begun before, and taken up where it stopped:", "; ".join(", ".join(map(str, sizes)) for sizes in begun))
    study_of(settings, wanted, None if given["backend"] == "dask" else path.with_suffix(".progress")).grow(**given)


def main(argv: list[str] | None = None) -> int:
    parser = study_of().parser(__doc__)
    parser.add_argument(
        "--budget", type=int, default=USUAL.budget, help="updates: 1500, 8000 or 24000 (fewer: a trial); default 1500"
    )
    parser.add_argument("--seeds", type=int, default=USUAL.seeds, help="models a configuration; default 16")
    parser.add_argument(
        "--beta2", type=float, default=USUAL.beta2, help="Adam's second factor; default 0.95, as printed"
    )
    parser.add_argument("--only", type=sizes_given, metavar="v=2,n=16", help="only the configurations with these sizes")
    parser.add_argument(
        "--smallest", type=int, metavar="K", help="for each v, only the K configurations with the fewest learnables"
    )
    parser.add_argument(
        "--table",
        type=Path,
        nargs="+",
        metavar="FILE",
        help=f"write course_lib/results/{NAME}.json from working files; run nothing",
    )
    given = vars(parser.parse_args(argv))
    options = {name: given.pop(name) for name in OPTIONS}
    only, smallest, files = (given.pop(name) for name in ("only", "smallest", "table"))
    if files:
        return command(lambda: store(results.HERE / f"{NAME}.json", table(files)), "the stored table is as it was")
    return command(lambda: go_on(only, smallest, options, given), study_of().kept(**given))


if __name__ == "__main__":
    sys.exit(main())
