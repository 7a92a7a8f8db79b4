"""The configurations of the memoryless study while it goes on: see `course_lib.kept`."""

import math
from pathlib import Path
from typing import Any

from course_lib.kept import KeptRows, corrupt
from course_lib.memoryless.sizes import Sizes
from course_lib.memoryless.study import Row, Settings, configurations


class Rows(KeptRows):
    """The rows in `path`, by their sizes. Raises ValueError where the file holds anything but rows with these settings."""

    head = "memoryless study"
    Row = Row

    def __init__(self, path: Path, settings: Settings, **more) -> None:
        self.settings = settings
        super().__init__(path, settings.as_json(), **more)

    def key(self, row: Row) -> Sizes:
        return row.sizes

    def wrong(self, row: Row) -> str | None:
        seeds = self.settings.seeds
        if row.sizes not in configurations():
            return f"{row.sizes}, which is not among the published configurations"
        for name in ("err", "loss", "range", "last"):
            if not _numbers(getattr(row, name), seeds):
                return f"a column {name} that is not {seeds} finite numbers"
        if not isinstance(row.q, list) or len(row.q) != seeds or not all(_numbers(q, row.v) for q in row.q):
            return f"a column q that is not {seeds} times {row.v} finite numbers"
        return None


def load(path: Path) -> Rows:
    """The rows of a finished or unfinished study, with the settings that it names itself."""
    found = Rows.settings_in(path)
    try:
        settings = Settings(**{name: found[name] for name in Settings.__dataclass_fields__})
    except (KeyError, TypeError):
        corrupt(path, 1, "no settings of a memoryless study")
    return Rows(path, settings)


def _numbers(column: Any, size: int) -> bool:
    good = isinstance(column, list) and len(column) == size
    return good and all(isinstance(x, int | float) and not isinstance(x, bool) and math.isfinite(x) for x in column)
