"""Where a study's rows are kept while it runs: a text file of JSON lines, one result a line, each on the disk before
the next begins.

The first line names the study and what settles its rows. A line that a crash has cut off is the last one and has no
end: it is taken away, and its run made again. Whatever else is wrong with a file is an error that names it, and the
file is left as it is.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

FIELDS = ("part", "key", "rows")


class Journal:
    """The results in `path`, and a way to add one. `found` is {(part, key): rows}, in the order in which they came.

    `head` is what settles the rows: a file with another one is refused. `wrong(part, key, rows)` says in words what a
    result may not hold. `tell` is called with a sentence where a line cut off had to be taken away. Raises ValueError
    where the file holds anything else than results of this study, OSError, with the path, where it cannot be read or
    written.
    """

    def __init__(
        self, path: Path, name: str, head: dict[str, Any], *,
        wrong: Callable[[str, Any, list], str | None] = lambda part, key, rows: None, tell: Callable[[str],
        None] = lambda text: None,
    ) -> None:  # fmt: skip
        self.path, self.name, self.wrong, self.found = Path(path), name, wrong, {}
        begin = line({"study": name, **head})
        data = self.path.read_bytes() if self.path.exists() else b""
        whole, _, cut = data.rpartition(b"\n")
        lines = whole.split(b"\n") if whole else []
        begun = b'{"part": '
        if cut and not (cut.startswith(begun) or begun.startswith(cut) if lines else begin.startswith(cut)):
            raise ValueError(
                f"{self.path} must hold the study {name}, got a last line that is no part of it; nothing was changed"
            )
        if lines:
            self._check_head(lines[0], json.loads(begin))
        for number, each in enumerate(lines[1:], 2):
            self._read(number, each)
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if cut:
            tell(f"{self.path}: the last line was cut off by an interruption; it is taken away and its run made again")
            os.truncate(self.path, len(data) - len(cut))
        self._append(
            b"" if lines else begin
        )  # nothing, for a file that cannot be written is to be known before hours of work

    def add(self, part: str, key: Any, rows: list[dict[str, Any]]) -> None:
        """Write a result and wait until it is on the disk."""
        self._append(line({"part": part, "key": key, "rows": rows}))
        self.found[part, frozen(key)] = rows

    def remove(self) -> None:
        self.path.unlink()

    def _append(self, data: bytes) -> None:
        try:
            with self.path.open("ab") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
        except OSError as problem:
            raise OSError(problem.errno, problem.strerror, str(self.path)) from None

    def _check_head(self, begin: bytes, ours: dict[str, Any]) -> None:
        theirs = checked_head(self.path, self.name, begin)
        if difference := differs(theirs, ours):
            name, there, here = difference
            raise ValueError(
                f"settings must be those of {self.path}: its {name} is {there!r}, got {here!r}; choose another "
                f"--out, or start anew with --force"
            )

    def _read(self, number: int, each: bytes) -> None:
        result = read(self.path, number, each)
        if tuple(result) != FIELDS:
            corrupt(self.path, number, f"the keys {', '.join(result)}, not {', '.join(FIELDS)}")
        part, key, rows = result.values()
        if problem := self.wrong(part, frozen(key), rows):
            corrupt(self.path, number, problem)
        if (part, frozen(key)) in self.found:
            corrupt(self.path, number, f"a second result for {key}")
        self.found[part, frozen(key)] = rows


def head_of(path: Path, name: str) -> dict[str, Any]:
    """What the file of a study says of itself."""
    path = Path(path)
    if not path.is_file():
        raise ValueError(f"path must be the file of a study, got {path}, where there is none")
    return checked_head(path, name, path.read_bytes().split(b"\n", 1)[0])


def checked_head(path: Path, name: str, begin: bytes) -> dict[str, Any]:
    head = read(path, 1, begin)
    if head.get("study") != name:
        corrupt(path, 1, f"no settings of the study {name}")
    return head


def differs(theirs: Any, ours: Any, name: str = "") -> tuple[str, Any, Any] | None:
    """The first entry in which two JSON values differ: its name, and both."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        several = ((each, theirs.get(each), ours.get(each)) for each in dict.fromkeys([*ours, *theirs]))
        return next((found for each, *both in several if (found := differs(*both, each))), None)
    return None if theirs == ours else (name, theirs, ours)


def frozen(value: Any) -> Any:
    """Lists as tuples, at every depth: a key as it is before and after JSON."""
    return tuple(map(frozen, value)) if isinstance(value, list | tuple) else value


def line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode() + b"\n"


def read(path: Path, number: int, each: bytes) -> dict[str, Any]:
    try:
        found = json.loads(each)
    except ValueError:  # a UnicodeDecodeError is one too
        found = None
    if not isinstance(found, dict):
        corrupt(path, number, f"no JSON object: {each[:40]!r}")
    return found


def corrupt(path: Path, number: int, what: str) -> NoReturn:
    raise ValueError(
        f"{path} is corrupt: line {number} holds {what}; nothing was changed, move the file away, mend that "
        f"line, or start anew with --force"
    )
