"""A published study beside ours as one table: its rows filtered and sorted by the reader, each with a picture of our
runs."""

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import traitlets

from .. import settings
from ..base import CourseWidget, packed

STEPS = [sign * step * 10**power for power in range(4) for step in (1, 2, 5) for sign in (-1, 1)]
APART = 0.24  # of the picture's width, the least distance of two numbers on its axis


class StudyTable(CourseWidget):
    """A line a row of a study: our runs as dots, the published value as a diamond, all on one scale of roots.

    study: what `variants.compared` and `configurations.compared` of this room give: `noun`, what a row is; `legend`
    of the views, and `views`, key → [label, unit], of which one is shown; `key`, what dots and band are; `columns`,
    [key, heading, the same in full, kind] each, pictures in the one of kind "picture"; `filters`, name → {legend,
    options: [[value, label], …]}; `verdicts`, key → what the sentence says of one and of many rows; `lines`, {has:
    filter → value, views: key → {cells: a text, number or [text, value to sort by] a column, verdict, dots, middle,
    band, published (None: nothing), said: the picture in words}}. A row that a view lacks is not shown, and the widget
    says so. The line with `first` stays on top.
    """

    address = traitlets.Unicode("study").tag(sync=True)

    def __init__(self, study: Mapping[str, Any], *, view: str | None = None, **chosen: Any) -> None:
        self._study = study
        scales = {
            key: _scale([line["views"][key] for line in study["lines"] if key in line["views"]])
            for key in study["views"]
        }
        super().__init__(
            blobs={"study": packed({**study, "scales": scales})},
            view=next(iter(study["views"])) if view is None else view,
            **chosen,
        )

    def check_view(self, value: object) -> str:
        return settings.check("view", {"kind": "option", "takes": list(self._study["views"])}, value)

    def check_sort(self, value: object) -> str:
        return settings.check(
            "sort", {"kind": "order", "takes": ["printed", *(key for key, *_ in self._study["columns"] if key)]}, value
        )

    def check_show(self, value: object) -> dict[str, Any]:
        options = {name: [option for option, _ in each["options"]] for name, each in self._study["filters"].items()}
        if not isinstance(value, Mapping) or any(each not in options.get(name, ()) for name, each in value.items()):
            raise ValueError(f"show must map filters to one of their options, {options}, got {value!r}")
        return dict(value)


def root(x: float) -> float:
    return float(np.sign(x) * np.sqrt(abs(x)))


def _scale(lines: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """From 0, or what is below, to the largest value that is drawn; with 0 and round numbers that are far enough apart
    to be written."""
    values = [x for line in lines for x in (*line["dots"], *line["band"], line["published"] or 0)]
    low, high, ticks = min(0, *values), max(0, *values), [0]
    for x in (x for x in STEPS if low <= x <= high):
        if min(abs(root(x) - root(tick)) for tick in ticks) >= APART * (root(high) - root(low)):
            ticks.append(x)
    return {"low": low, "high": high, "ticks": sorted(ticks)}
