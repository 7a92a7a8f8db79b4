"""One harness for all studies: `studies/NAME.py` says what is wanted and how a row is made, and gets a command that
goes on where it stopped.

    STUDY = Study("stabilisers", {"settings": SETTINGS}, {"rows": Part(run, WANTED, key=("variant", "seed"))},
    minutes=10)

    if __name__ == "__main__":
        sys.exit(STUDY.main(__doc__))

The command says what it costs, keeps every row as it ends, and writes `course_lib/results/NAME.json` when all are
there.
"""

import argparse
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from course_lib import results
from course_lib.long_work import interruptible, runs, tell
from course_lib.results.journal import Journal, frozen
from course_lib.results.tables import store
from course_lib.results.workers import BACKENDS, alone, run_all

REFUSED = 2  # the exit status where nothing could be done
Row = dict[str, Any]
Found = dict[tuple[str, Any], list[Row]]  # (part of the table, key) → its rows


@dataclass(frozen=True)
class Part:
    """An entry of the table that grows: a list of rows, or a dict of them.

    wanted: {key: arguments}, or the arguments alone where they are the key. key: the fields of a list's row that hold
    its key, those that it has; none: a dict. `run(*arguments)` makes the row; where it gives a list, the first row is
    the one with the key. `effort(*arguments)`: what a run costs beside the others.
    """

    run: Callable[..., Any]
    wanted: Sequence[tuple] | Mapping[Any, tuple]
    key: tuple[str, ...] = ()
    effort: Callable[..., float] = lambda *arguments: 1

    def tasks(self) -> dict[Any, tuple]:
        """{key: arguments}, in the order of the table."""
        return dict(self.wanted) if isinstance(self.wanted, Mapping) else {frozen(each): each for each in self.wanted}

    def key_of(self, row: Row) -> tuple:
        return frozen([row[name] for name in self.key if name in row])

    def found(self, rows: Any) -> dict[Any, list[Row]]:
        """{key: rows} of what a table holds: in a list, a row whose key is not wanted belongs to the one before."""
        if not self.key:
            return {key: [row] for key, row in rows.items()}
        found: dict[Any, list[Row]] = {}
        tasks, key = self.tasks(), None
        for row in rows:
            own = self.key_of(row)
            key = own if own in tasks or key is None else key
            found.setdefault(key, []).append(row)
        return found

    def table(self, found: dict[Any, list[Row]]) -> Any:
        """The wanted rows as the table has them, in their order."""
        there = {key: found[key] for key in self.tasks() if key in found}
        if not self.key:
            return {key: row for key, (row,) in there.items()}
        return [row for rows in there.values() for row in rows]


@dataclass(frozen=True)
class Again:
    """Rows that a test makes again, or the beginning of them, in seconds: a list may be shorter than the stored one, at
    any depth.

    keys: theirs in the part. `run(*arguments of the row)` gives what is stored as `of`: the value of one name, a row
    with these names, or with none the whole row; a list of rows is compared row by row. given: what `run` takes
    besides, of the stored row: a rate that was searched, say. rel, abs: how near its numbers are.
    """

    part: str
    keys: Sequence[Any]
    run: Callable[..., Any]
    of: str | tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    rel: float | None = None
    abs: float | None = None


@dataclass(frozen=True)
class Study:
    """A study by its name. `head` stands above the rows and settles them: where it changes, they are made again. (A
    function gives it where it is counted from data, which an import is not to draw.)

    parts: what grows. whole: for a study that is done in one go, a function that gives the rest of the table. minutes:
    of one core, for all. file: the name of the working file, where it is not the study's. progress: what is kept of a
    run that is interrupted. tabled: whether a table is written in the end; else the rows stay in the working file.
    again: what a test makes again of the table.
    """

    name: str
    head: dict[str, Any] | Callable[[], dict[str, Any]] = field(default_factory=dict)
    parts: dict[str, Part] = field(default_factory=dict)
    whole: Callable[[], dict[str, Any]] | None = None
    minutes: float | None = None
    command: str = ""
    file: str = ""
    progress: str = ""
    tabled: bool = True
    again: Sequence[Again] = ()

    @property
    def path(self) -> Path:
        return results.HERE / f"{self.name}.json"

    @property
    def working(self) -> Path:
        """Where rows are kept until all are there, unless --out says otherwise."""
        return results.HERE.parents[1] / "_build" / "studies" / f"{self.file or self.name}.jsonl"

    def tasks(self) -> dict[tuple[str, Any], tuple]:
        return {(name, key): arguments for name, part in self.parts.items() for key, arguments in part.tasks().items()}

    def settled(self) -> dict[str, Any]:
        """The head as JSON has it."""
        return json.loads(json.dumps(self.head() if callable(self.head) else self.head))

    def title(self) -> dict[str, Any]:
        """What the table begins with."""
        return {"command": self.command or f"python studies/{self.name}.py", **self.settled()}

    def stored(self) -> Found:
        """The rows of the table that is there; none where it was made with another head."""
        if not (self.tabled and self.path.is_file()):
            return {}
        table = results.load(self.name)
        if any(table.get(name) != value for name, value in self.settled().items()):
            return {}
        return {
            (name, key): rows
            for name, part in self.parts.items()
            for key, rows in part.found(table.get(name, {})).items()
        }

    def journal(self, path: Path | None = None) -> Journal:
        """The working file, begun if it is not there."""
        return Journal(path or self.working, self.name, self.settled(), wrong=self._wrong, tell=tell)

    def _wrong(self, name: str, key: Any, rows: Any) -> str | None:
        if name not in self.parts:
            return f"a part {name!r}, which the study has not"
        if not (isinstance(rows, list) and rows and all(isinstance(row, dict) for row in rows)):
            return "no rows"
        part = self.parts[name]
        if part.key and part.key_of(rows[0]) != key:
            return f"a row whose {', '.join(part.key)} are not {key}"
        return None

    def table(self, found: Found) -> dict[str, Any]:
        """The table of what was found."""
        by_part = {name: {key: rows for (of, key), rows in found.items() if of == name} for name in self.parts}
        return {**self.title(), **{name: part.table(by_part[name]) for name, part in self.parts.items()}}

    def grow(self, *, out: Path | None = None, force: bool = False, **workers: Any) -> None:
        """Make the rows that are not there yet, each kept as it ends, and write the table when all are. `force`: all of
        them anew."""
        if self.whole is not None:
            cost = "" if self.minutes is None else f"about {self.minutes:g} minutes of one core. "
            tell(f"{cost}{self.kept()[0].upper()}{self.kept()[1:]}.")
            store(self.path, {**self.title(), **alone(self.whole, ())[1]})
            return
        if force:
            (out or self.working).unlink(missing_ok=True)
        journal, tasks = self.journal(out), self.tasks()
        found = ({} if force else self.stored()) | journal.found
        left = {each: arguments for each, arguments in tasks.items() if each not in found}
        todo, done = [(*each, arguments) for each, arguments in left.items()], len(tasks) - len(left)
        made = run_all(partial(_run, self.parts), todo, **workers)
        minutes = self.minutes
        if minutes is not None and left:  # `runs` takes all runs for equal
            minutes *= self._effort(left) / self._effort(tasks) * len(tasks) / len(left)
        for (name, key, _), rows in runs(
            made, count=len(todo), done=done, minutes=minutes, name=_spoken, kept=self.kept(**workers)
        ):
            journal.add(name, key, rows)
        if self.tabled:
            store(self.path, self.table(found | journal.found))
            if out is None:
                journal.remove()

    def _effort(self, tasks: dict[tuple[str, Any], tuple]) -> float:
        return sum(self.parts[name].effort(*arguments) for (name, _), arguments in tasks.items())

    def kept(self, backend: str = "joblib", **_: Any) -> str:
        """What an interruption leaves. Dask's workers may be on another machine: there nothing is kept of a run in
        progress."""
        if self.whole is not None:
            return "it is made in one go: an interruption leaves the stored table as it was"
        progress = f", {self.progress}" if self.progress and backend != "dask" else ""
        return f"finished runs are kept{progress}, and the same command (without --force) goes on from there"

    def parser(self, doc: str | None) -> argparse.ArgumentParser:
        parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
        if self.whole is None:
            parser.add_argument("--force", action="store_true", help="make all rows again")
            parser.add_argument("--out", type=Path, metavar="FILE", help=f"the working file; default {self.working}")
            parser.add_argument("--jobs", type=int, default=1, help="runs at once, each in a process; default 1")
            parser.add_argument(
                "--backend", choices=BACKENDS, default="joblib", help="what shares the runs out; default joblib"
            )
            parser.add_argument(
                "--scheduler",
                metavar="ADDRESS",
                help="of a Dask cluster that runs already; without it --jobs workers start here",
            )
        return parser

    def main(self, doc: str | None = None, argv: list[str] | None = None) -> int:
        """The command: its exit status."""
        given = vars(self.parser(doc).parse_args(argv))
        return command(lambda: self.grow(**given), self.kept(**given))


def command(main: Callable[[], int | None], kept: str) -> int:
    """The exit status of a command: main's; 2 after one sentence that says what cannot be (a file, a setting); 130
    after Ctrl-C."""

    def refusing() -> int | None:
        try:
            return main()
        except OSError as problem:
            tell(f"error: {problem.strerror or problem}{f': {problem.filename}' if problem.filename else ''}")
        except ValueError as problem:
            tell(f"error: {problem}")
        return REFUSED

    return interruptible(refusing, kept)


def _run(parts: dict[str, Part], name: str, key: Any, arguments: tuple) -> list[Row]:
    made = parts[name].run(*arguments)
    return made if isinstance(made, list) else [made]


def _spoken(made: tuple[tuple, Any]) -> str:
    """The name of a run, by its key."""
    key = made[0][1]
    return key if isinstance(key, str) else ", ".join(map(str, key))
