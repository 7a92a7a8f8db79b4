"""The published study as one table: each printed error over the errors of our own models, filtered and sorted by the reader."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from .. import settings
from ..base import Checked, CourseWidget

SIZES = ("v", "n", "d", "m", "r")
FILTERS = ("v", "n", "d", "m")
SORTS = ("printed", *SIZES, "learnables", "published", "ours", "place")


class StudyTable(CourseWidget):
    """One row a configuration: the published error as a mark over those of our models, all on one scale (percentage points).

    rows: mappings with the whole numbers v, n, d, m, r and learnables > 0, `published` (an error ≥ 0) and `ours`: key of a
    reading → errors [S] of our models. readings: key → label, in the order in which they are offered; a row without the chosen
    reading is not shown, and the widget says so.

    v, n, d, m: 0 for all, or the one value to show. reading: a key of readings. sort: "printed" (the rows' own order), a size,
    "learnables", "published", "ours" (our median) or "place" (the share of our models below the published error); with "-"
    before it from high to low. All may be set from Python; ValueError names the argument.
    """

    bundle_name = "study_table"

    v = Checked().tag(sync=True)
    n = Checked().tag(sync=True)
    d = Checked().tag(sync=True)
    m = Checked().tag(sync=True)
    reading = Checked().tag(sync=True)
    sort = Checked().tag(sync=True)

    def __init__(
        self,
        rows: Sequence[Mapping[str, Any]],
        readings: Mapping[str, str],
        *,
        v: int = 0,
        n: int = 0,
        d: int = 0,
        m: int = 0,
        reading: str | None = None,
        sort: str = "printed",
        address: str = "study",
    ) -> None:
        self._readings = _readings(readings)
        table = [_row(i, row, self._readings) for i, row in enumerate(rows)]
        if not table:
            raise ValueError("rows must hold one configuration or more, got none")
        self._values = {name: {row[name] for row in table} for name in FILTERS}
        blob = json.dumps({"rows": table, "readings": list(self._readings.items())}, separators=(",", ":")).encode()
        reading = next(iter(self._readings)) if reading is None else reading
        super().__init__(blobs={"study": blob}, v=v, n=n, d=d, m=m, reading=reading, sort=sort, address=address)

    @traitlets.validate(*FILTERS)
    def _check_filter(self, proposal: dict) -> int:
        name, value = proposal["trait"].name, proposal["value"]
        if not settings.is_whole(value) or value not in {0, *self._values[name]}:
            raise ValueError(f"{name} must be 0 for all, or one of {sorted(self._values[name])}, got {value!r}")
        return int(value)

    @traitlets.validate("reading")
    def _check_reading(self, proposal: dict) -> str:
        return settings.option("reading", proposal["value"], *self._readings)

    _check_sort = settings.checked(settings.order, {"sort": SORTS})


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
