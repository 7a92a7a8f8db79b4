"""Where a long study's rows are kept while it runs: a text file of JSON lines, one row a line, each on the disk before the next begins.

The first line holds the settings. A line that a crash has cut off is the last one and has no end: it is taken away, and its row run
again. Whatever else is wrong with a file is an error that names it, and the file is left as it is.
"""

import json
import os
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Any


class KeptRows:
    """The rows in `path` by their key, and a way to add one. `tell` is called with a sentence where a line cut off had to be taken away.

    A study says in a subclass what its rows are: `head` names it, `Row` is a NamedTuple, `key(row)` tells two rows apart, and
    `wrong(row)` says in words what a row may not hold. Raises ValueError where the file holds anything but rows with these settings.
    """

    head: str
    Row: type

    def __init__(self, path: Path, settings: dict[str, Any], *, tell: Callable[[str], None] = lambda text: None) -> None:
        self.path, self.rows = Path(path), {}
        head = _line({self.head: settings})
        data = self.path.read_bytes() if self.path.exists() else b""
        whole, _, cut = data.rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        begun = f'{{"{self.Row._fields[0]}": '.encode()
        if cut and not (cut.startswith(begun) or begun.startswith(cut) if lines else head.startswith(cut)):
            raise ValueError(f"{self.path} must hold {self._study()}, got a last line that is no part of one; nothing was changed")
        if lines:
            self._check_settings(lines[0], json.loads(head)[self.head])
        for number, line in enumerate(lines[1:], 2):
            self._read(number, line)
        if cut:
            tell(f"{self.path}: the last line was cut off by an interruption; it is taken away and its row run again")
            with self.path.open("r+b") as file:
                file.truncate(len(data) - len(cut))
        if not lines:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._append(head)

    def key(self, row: Any) -> Hashable:
        raise NotImplementedError

    def wrong(self, row: Any) -> str | None:
        raise NotImplementedError

    def add(self, row: Any) -> None:
        """Write `row` and wait until it is on the disk."""
        self._append(_line(row._asdict()))
        self.rows[self.key(row)] = row

    @classmethod
    def settings_in(cls, path: Path) -> dict[str, Any]:
        """The settings that a study's file names itself."""
        path = Path(path)
        if not path.is_file():
            raise ValueError(f"path must be the file of a study, got {path}, where there is none")
        found = _json(path, 1, path.read_bytes().split(b"\n", 1)[0]).get(cls.head)
        if not isinstance(found, dict):
            corrupt(path, 1, f"no settings of {cls._study()}")
        return found

    @classmethod
    def _study(cls) -> str:
        return f"{'an' if cls.head[0] in 'aeiou' else 'a'} {cls.head}"

    def _append(self, line: bytes) -> None:
        with self.path.open("ab") as file:
            file.write(line)
            file.flush()
            os.fsync(file.fileno())

    def _check_settings(self, line: bytes, ours: dict[str, Any]) -> None:
        theirs = _json(self.path, 1, line).get(self.head)
        if not isinstance(theirs, dict):
            corrupt(self.path, 1, f"no settings of {self._study()}")
        for name in [*ours, *theirs]:
            if theirs.get(name) != ours.get(name):
                raise ValueError(f"settings must be those of {self.path}: its {name} is {theirs.get(name)!r}, got {ours.get(name)!r}; choose another --out")

    def _read(self, number: int, line: bytes) -> None:
        found = _json(self.path, number, line)
        if tuple(found) != self.Row._fields:
            corrupt(self.path, number, f"the keys {', '.join(found)}, not {', '.join(self.Row._fields)}")
        row = self.Row(**found)
        if problem := self.wrong(row):
            corrupt(self.path, number, problem)
        if self.key(row) in self.rows:
            corrupt(self.path, number, f"a second row for {self.key(row)}")
        self.rows[self.key(row)] = row


def corrupt(path: Path, number: int, what: str) -> None:
    """Raise the error for a line that holds `what`."""
    raise ValueError(f"{path} is corrupt: line {number} holds {what}; nothing was changed, move the file away or mend that line")


def _line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n"


def _json(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:  # a UnicodeDecodeError is one too
        found = None
    if not isinstance(found, dict):
        corrupt(path, number, f"no JSON object: {line[:40]!r}")
    return found
