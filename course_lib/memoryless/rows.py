"""Where a study's rows are kept while it runs: a text file of JSON lines, one row a line, each on the disk before the next begins.

The first line holds the settings. A line that a crash has cut off is the last one and has no end: it is taken away, and its row run
again. Whatever else is wrong with a file is an error that names it, and the file is left as it is.
"""

import json
import math
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from course_lib.memoryless.sizes import Sizes
from course_lib.memoryless.study import Row, Settings, configurations

HEAD = "memoryless study"


class Rows:
    """The rows in `path`, and a way to add one. `tell` is called with a sentence where a line cut off had to be taken away.

    Raises ValueError where the file holds anything but rows with these settings: settings that differ are named with both values.
    """

    def __init__(self, path: Path, settings: Settings, *, tell: Callable[[str], None] = lambda text: None) -> None:
        self.path, self.settings = Path(path), settings
        head = _line({HEAD: settings.as_json()})
        data = self.path.read_bytes() if self.path.exists() else b""
        whole, _, cut = data.rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        if cut and not (_begins(cut, b'{"v": ') if lines else head.startswith(cut)):
            raise ValueError(f"{self.path} must hold a memoryless study, got a last line that is no part of one; nothing was changed")
        if lines:
            _check_settings(self.path, lines[0], settings)
        self.rows: dict[Sizes, Row] = {}
        for number, line in enumerate(lines[1:], 2):
            row = _row(self.path, number, line, settings.seeds)
            if row.sizes in self.rows:
                _corrupt(self.path, number, f"a second row for {_named(row.sizes)}")
            self.rows[row.sizes] = row
        if cut:
            tell(f"{self.path}: the last line was cut off by an interruption; it is taken away and its row run again")
            with self.path.open("r+b") as file:
                file.truncate(len(data) - len(cut))
        if not lines:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._append(head)

    def add(self, row: Row) -> None:
        """Write `row` and wait until it is on the disk."""
        self._append(_line(row._asdict()))
        self.rows[row.sizes] = row

    def _append(self, line: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())


def load(path: Path) -> Rows:
    """The rows of a finished or unfinished study, with the settings that it names itself."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"path must be the file of a study, got {path}, where there is none")
    found = _json(path, 1, path.read_bytes().split(b"\n", 1)[0])
    try:
        settings = Settings(**{name: found[HEAD][name] for name in Settings.__dataclass_fields__})
    except (KeyError, TypeError):
        _corrupt(path, 1, "no settings of a memoryless study")
    return Rows(path, settings)


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, allow_nan=False).encode() + b"\n"


def _begins(cut: bytes, start: bytes) -> bool:
    return cut.startswith(start) or start.startswith(cut)


def _corrupt(path: Path, number: int, what: str) -> None:
    raise ValueError(f"{path} is corrupt: line {number} holds {what}; nothing was changed, move the file away or mend that line")


def _json(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:  # a UnicodeDecodeError is one too
        found = None
    if not isinstance(found, dict):
        _corrupt(path, number, f"no JSON object: {line[:40]!r}")
    return found


def _check_settings(path: Path, line: bytes, settings: Settings) -> None:
    theirs, ours = _json(path, 1, line).get(HEAD), settings.as_json()
    if not isinstance(theirs, dict):
        _corrupt(path, 1, "no settings of a memoryless study")
    differ = [name for name in ours if theirs.get(name) != ours[name]] + [name for name in theirs if name not in ours]
    if differ:
        name = differ[0]
        raise ValueError(f"settings must be those of {path}: its {name} is {theirs.get(name)!r}, got {ours.get(name)!r}; choose another --out")


def _row(path: Path, number: int, line: bytes, seeds: int) -> Row:
    found = _json(path, number, line)
    if list(found) != list(Row._fields):
        _corrupt(path, number, f"the keys {', '.join(found)}, not {', '.join(Row._fields)}")
    row = Row(**found)
    if row.sizes not in configurations():
        _corrupt(path, number, f"{_named(row.sizes)}, which is not among the published configurations")
    columns = {"err": row.err, "loss": row.loss, "range": row.range, "last": row.last}
    for name, column in columns.items():
        if not _numbers(column, seeds):
            _corrupt(path, number, f"a column {name} that is not {seeds} finite numbers")
    if not isinstance(row.q, list) or len(row.q) != seeds or not all(_numbers(q, row.v) for q in row.q):
        _corrupt(path, number, f"a column q that is not {seeds} times {row.v} finite numbers")
    return row


def _numbers(column: Any, size: int) -> bool:
    good = isinstance(column, list) and len(column) == size
    return good and all(isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) for x in column)


def _named(sizes: Sizes) -> str:
    return ", ".join(f"{name} = {value}" for name, value in sizes._asdict().items())
