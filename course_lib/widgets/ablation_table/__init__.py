"""The ablation study as one table: what changed in print beside what changed over our own seeds, filtered and sorted."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from .. import settings
from ..base import CourseWidget, packed

BASE = "base"
MEASURES = ("ppl", "bleu")
RANGES = {"ppl": (0, math.inf), "bleu": (0, 100), "params": (0, math.inf), "peak": (0, math.inf), "p": (0, 1)}
VERDICTS = {  # in a row → in the setting `verdict`
    "same direction": "same", "opposite": "opposite", "within noise": "noise", "published as equal": "equal", "not published": "unpublished",
}  # fmt: skip


class AblationTable(CourseWidget):
    """One row a variant: its published change from the base model, and ours, seed by seed, on one scale.

    rows: mappings with the texts `group` and `variant`; `published`, None or {row, ppl, bleu, params}: the name of the row in
    print, its numbers (None where there is none; parameters in millions); `ours` {ppl [S], bleu [S], params, peak}: one number for
    each of S ≥ 1 seeds, a count, and the peak of the rate as a share of the base's; `verdict`, None or {ppl, bleu} with "same direction", "opposite", "within noise", "published as
    equal" (ours differs, in print there is no difference) or "not published" (ours differs, nothing is printed); `p`, None or
    {ppl, bleu}: the test's, 0 … 1. Perplexities are > 0, BLEU is from 0 to 100. The first row of group "base" is what the others are
    compared with; they keep their order. More keys are left alone.

    A change of perplexity is in per cent of the base's, of BLEU in points. Ours start from the mean of the base's seeds: of perplexities
    the geometric mean, the mean of their logarithms.

    The base stays on top.

    Read back, written by the front end when it has drawn (empty until then): result, with variants (the names shown, in order,
    without the base) and how many of them have which verdict: same, opposite, noise, equal, unpublished.
    """

    address = traitlets.Unicode("ablation").tag(sync=True)
    result = traitlets.Dict().tag(sync=True)

    def __init__(self, rows: Sequence[Mapping[str, Any]], **chosen: Any) -> None:
        table = [_row(i, row) for i, row in enumerate(rows)]
        bases = [row for row in table if row["group"] == BASE]
        if not bases or len(bases) == len(table):
            raise ValueError(f'rows must hold one of group "{BASE}" and one or more of others, got groups {[row["group"] for row in table]}')
        base, others = bases[0], [row for row in table if row is not bases[0]]
        self._groups = list(dict.fromkeys(row["group"] for row in others))
        super().__init__(blobs={"ablation": packed({"base": base, "rows": others})}, **chosen)

    def check_group(self, value: object) -> str:
        return settings.check("group", {"kind": "option", "takes": ["all", *self._groups]}, value)


def _row(i: int, row: Mapping[str, Any]) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise ValueError(f"rows[{i}] must be a mapping, got {row!r}")
    found: dict[str, Any] = {}
    for name in ("group", "variant"):
        if not isinstance(row.get(name), str) or not row[name].strip():
            raise ValueError(f"rows[{i}][{name!r}] must be a text that is not empty, got {row.get(name)!r}")
        found[name] = row[name]
    parts = {name: row.get(name) for name in ("published", "ours", "verdict", "p")}
    for name, part in parts.items():
        if not isinstance(part, Mapping) and (part is not None or name == "ours"):
            raise ValueError(f"rows[{i}][{name!r}] must be {'' if name == 'ours' else 'None or '}a mapping, got {part!r}")

    def at(name: str, key: str) -> tuple[str, Any]:
        return f"rows[{i}][{name!r}][{key!r}]", (parts[name] or {}).get(key)

    found["published"] = {key: _maybe(*at("published", key), key) for key in (*MEASURES, "params")}
    place, printed = at("published", "row")
    if printed is not None and not isinstance(printed, str):
        raise ValueError(f"{place} must be None or a text, got {printed!r}")
    found["published"]["row"] = printed
    found["ours"] = {key: _seeds(*at("ours", key), key) for key in MEASURES} | {key: _maybe(*at("ours", key), key) for key in ("params", "peak")}
    found["p"] = {key: _maybe(*at("p", key), "p") for key in MEASURES}
    found["verdict"] = {key: _verdict(*at("verdict", key)) for key in MEASURES}
    return found


def _is(value: Any, key: str) -> bool:
    if not settings.is_number(value):
        return False
    low, high = RANGES[key]
    return value > low if high == math.inf else low <= value <= high


def _takes(key: str) -> str:
    low, high = RANGES[key]
    return f"> {low}" if high == math.inf else f"from {low} to {high}"


def _maybe(name: str, value: Any, key: str) -> float | int | None:
    if value is None:
        return None
    if not _is(value, key):
        raise ValueError(f"{name} must be None or a number {_takes(key)}, got {value!r}")
    return int(value) if float(value).is_integer() else float(value)


def _seeds(name: str, values: Any, key: str) -> list[float]:
    values = list(values) if isinstance(values, list | tuple | np.ndarray) else []
    if not values or not all(_is(value, key) for value in values):
        raise ValueError(f"{name} must hold a number {_takes(key)} for every seed, got {values!r}")
    return [round(float(value), 4) for value in values]


def _verdict(name: str, value: Any) -> str | None:
    if value is not None and (not isinstance(value, str) or value not in VERDICTS):
        raise ValueError(f"{name} must be None or one of {', '.join(VERDICTS)}, got {value!r}")
    return None if value is None else VERDICTS[value]
