"""Where the runs are kept while the study goes on: JSON lines, the settings first, each row on the disk before the next begins.

A last line that a crash has cut off is taken away and its run made again. Anything else that is wrong is an error that names the
file, and the file is left as it is.
"""

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from course_lib.ablation.study import Row, Settings
from course_lib.ablation.variants import VARIANTS

HEAD = "ablation study"


class Rows:
    """The rows in `path`, and a way to add one. Raises ValueError where the file holds anything but rows with these settings."""

    def __init__(self, path: Path, settings: Settings) -> None:
        self.path, self.settings, self.rows = Path(path), settings, {}
        whole = self._whole()
        if not whole:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._append({HEAD: settings.as_json()})
            return
        found = _json(self.path, 1, whole[0]).get(HEAD)
        wanted = json.loads(json.dumps(settings.as_json()))
        if found != wanted:
            differ = [name for name in wanted if not isinstance(found, dict) or found.get(name) != wanted[name]]
            raise ValueError(f"settings must be those of {self.path}, got others ({', '.join(differ) or 'more there'}); choose another --out")
        for number, line in enumerate(whole[1:], 2):
            row = _row(self.path, number, _json(self.path, number, line))
            if (row.variant, row.seed) in self.rows:
                _corrupt(self.path, number, f"a second row for {row.variant}, seed {row.seed}")
            self.rows[row.variant, row.seed] = row

    def add(self, row: Row) -> None:
        """Write `row` and wait until it is on the disk."""
        self._append(row._asdict())
        self.rows[row.variant, row.seed] = row

    def complete(self, names: Iterable[str] = tuple(VARIANTS)) -> list[int]:
        """The seeds of which every one of these variants is there, in order."""
        seeds = sorted({seed for _, seed in self.rows})
        return [seed for seed in seeds if all((name, seed) in self.rows for name in names)]

    def _whole(self) -> list[bytes]:
        """The lines that end; what a crash cut off behind them is taken away."""
        data = self.path.read_bytes() if self.path.exists() else b""
        whole, end, cut = data.rpartition(b"\n")
        if cut:
            if not cut.startswith(b"{"):
                raise ValueError(f"{self.path} must hold an ablation study, got a last line that is no part of one; nothing was changed")
            with self.path.open("r+b") as file:
                file.truncate(len(data) - len(cut))
        return whole.split(b"\n") if end else []

    def _append(self, value: dict[str, Any]) -> None:
        with self.path.open("ab") as file:
            file.write(json.dumps(value, ensure_ascii=False, allow_nan=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())


def _json(path: Path, number: int, line: bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError:  # a UnicodeDecodeError is one too
        found = None
    if not isinstance(found, dict):
        _corrupt(path, number, f"no JSON object: {line[:40]!r}")
    return found


def _row(path: Path, number: int, found: dict[str, Any]) -> Row:
    if tuple(found) != Row._fields:
        _corrupt(path, number, f"the keys {', '.join(found)}, not {', '.join(Row._fields)}")
    if found["variant"] not in VARIANTS:
        _corrupt(path, number, f"{found['variant']!r}, which is no variant of the study")
    return Row(**found)


def _corrupt(path: Path, number: int, what: str) -> None:
    raise ValueError(f"{path} is corrupt: line {number} holds {what}; nothing was changed, move the file away or mend that line")
