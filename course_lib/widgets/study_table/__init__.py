"""The published study as one table: each printed error over the errors of our own models, filtered and sorted by the reader."""

import json
import re
from collections.abc import Mapping, Sequence
from functools import partialmethod
from typing import Any

import numpy as np
import traitlets

from .. import settings
from ..base import CourseWidget

SIZES = ("v", "n", "d", "m", "r")
FILTERS = SIZES[:4]


class StudyTable(CourseWidget):
    """One row a configuration: the published error as a mark over those of our models, all on one scale (percentage points).

    rows: mappings with the whole numbers v, n, d, m, r and learnables > 0, `published` (an error ≥ 0) and `ours`: key of a
    reading → errors [S] of our models. readings: key → label, in the order in which they are offered; a row without the chosen
    reading is not shown, and the widget says so.
    """

    address = traitlets.Unicode("study").tag(sync=True)

    def __init__(self, rows: Sequence[Mapping[str, Any]], readings: Mapping[str, str], *, reading: str | None = None, **chosen: Any) -> None:
        self._readings = _readings(readings)
        table = [_row(i, row, self._readings) for i, row in enumerate(rows)]
        if not table:
            raise ValueError("rows must hold one configuration or more, got none")
        self._values = {name: sorted({row[name] for row in table}) for name in FILTERS}
        blob = json.dumps({"rows": table, "readings": list(self._readings.items())}, separators=(",", ":")).encode()
        super().__init__(blobs={"study": blob}, reading=next(iter(self._readings)) if reading is None else reading, **chosen)

    def _shown(self, name: str, value: object) -> int:
        if not settings.is_whole(value) or value not in {0, *self._values[name]}:
            raise ValueError(f"{name} must be 0 for all, or one of {self._values[name]}, got {value!r}")
        return int(value)

    check_v, check_n = partialmethod(_shown, "v"), partialmethod(_shown, "n")
    check_d, check_m = partialmethod(_shown, "d"), partialmethod(_shown, "m")

    def check_reading(self, value: object) -> str:
        return settings.check("reading", {"kind": "option", "takes": list(self._readings)}, value)


def _readings(readings: Mapping[str, str]) -> dict[str, str]:
    good = isinstance(readings, Mapping) and len(readings) > 0
    if not good or not all(isinstance(k, str) and re.fullmatch("[a-z0-9.-]+", k) and isinstance(text, str) for k, text in readings.items()):
        raise ValueError(f"readings must map keys of letters, digits, dots and hyphens to labels, got {readings!r}")
    return dict(readings)


def _row(i: int, row: Mapping[str, Any], readings: Mapping[str, str]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in (*SIZES, "learnables"):
        value = row.get(name)
        if not settings.is_whole(value) or value < 1:
            raise ValueError(f"rows[{i}][{name!r}] must be a whole number > 0, got {value!r}")
        found[name] = int(value)
    found["published"] = _errors(f"rows[{i}]['published']", [row.get("published")])[0]
    ours = row.get("ours")
    if not isinstance(ours, Mapping) or not set(ours) <= set(readings):
        raise ValueError(f"rows[{i}]['ours'] must map keys of readings ({', '.join(readings)}) to errors, got {ours!r}")
    found["ours"] = {key: sorted(_errors(f"rows[{i}]['ours'][{key!r}]", errors)) for key, errors in ours.items()}
    return found


def _errors(name: str, values: Any) -> list[float]:
    values = list(values) if isinstance(values, list | tuple | np.ndarray) else []
    numbers = all(settings.is_number(x) and x >= 0 for x in values)
    if not values or not numbers:
        raise ValueError(f"{name} must hold finite numbers ≥ 0, got {values!r}")
    return [round(float(x), 3) for x in values]
