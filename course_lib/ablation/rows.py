"""The runs of the ablation study while it goes on: see `course_lib.kept`."""

from collections.abc import Iterable
from pathlib import Path

from course_lib.ablation.study import Row, Settings
from course_lib.ablation.variants import VARIANTS
from course_lib.kept import KeptRows


class Rows(KeptRows):
    """The runs in `path`, by variant and seed. Raises ValueError where the file holds anything but runs with these settings."""

    head = "ablation study"
    Row = Row

    def __init__(self, path: Path, settings: Settings, **more) -> None:
        self.settings = settings
        super().__init__(path, settings.as_json(), **more)

    def key(self, row: Row) -> tuple[str, int]:
        return row.variant, row.seed

    def wrong(self, row: Row) -> str | None:
        return None if row.variant in VARIANTS else f"{row.variant!r}, which is no variant of the study"

    def complete(self, names: Iterable[str] = tuple(VARIANTS)) -> list[int]:
        """The seeds of which every one of these variants is there, in order."""
        seeds = sorted({seed for _, seed in self.rows})
        return [seed for seed in seeds if all((name, seed) in self.rows for name in names)]
