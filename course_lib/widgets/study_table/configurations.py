"""The published study beside ours, as the table shows it: each printed error over the errors of our own models."""

from collections.abc import Mapping
from typing import Any

import numpy as np

FILTERS = {"v": "vocabulary v", "n": "length n", "d": "width d", "m": "attention width m"}
COLUMNS = [
    *([name, name, spoken, "number"] for name, spoken in FILTERS.items()),
    ["r", "r", "feed-forward width r", "wide"],
    ["learnables", "learnables", "learnables", "wide"],
    ["", "", "published error over our models, percentage points", "picture"],
    ["published", "R’s err", "published error, percentage points", "theirs"],
    ["ours", "ours", "our median error, percentage points", "wide"],
    ["place", "below", "our models below the published error", "number"],
]
VERDICTS = {
    "under": "below all our models",
    "lower": "in their range below our median",
    "upper": "in their range above it",
    "over": "above all of them",
}


def compared(
    printed: Mapping[tuple, Any], errors: Mapping[str, tuple[str, Mapping[tuple, list[float]]]]
) -> dict[str, Any]:
    """printed: shape → row of `published.rows()`; errors: key of a reading → (its label, shape → the errors [S] of our
    models)."""
    lines = [
        {
            "has": {name: getattr(row, name) for name in FILTERS},
            "views": {
                key: _line(row, np.sort(found[shape]).round(3)) for key, (_, found) in errors.items() if shape in found
            },
        }
        for shape, row in printed.items()
    ]
    options = {
        name: [[value, value] for value in sorted({getattr(row, name) for row in printed.values()})] for name in FILTERS
    }
    return {
        "noun": "configuration", "legend": "updates", "views": {key: [label,
        "err in percentage points, on a root scale"] for key, (label, _) in errors.items()},
        "key": ["our models, and their median", "their middle half"], "columns": COLUMNS,
        "filters": {name: {"legend": f"Show {name}", "options": options[name]} for name in FILTERS},
        "verdicts": {key: [f"printed {said}"] * 2 for key, said in VERDICTS.items()},
        "lines": lines,
    }  # fmt: skip


def _line(row: Any, ours: np.ndarray) -> dict[str, Any]:
    low, median, high = np.quantile(ours, [0.25, 0.5, 0.75]).round(4).tolist()
    below = float((ours < row.error).sum() + (ours == row.error).sum() / 2)  # its place: course_lib.memoryless.places
    inside = "lower" if row.error < median else "upper"
    return {
        "cells": [
            row.v, row.n, row.d, row.m, row.r, row.learnables, "", [f"{row.error:.2f}", row.error], [f"{median:.2f}",
            median],
            [f"{below:g}/{len(ours)}", below / len(ours)],
        ],
        "verdict": "under" if row.error < ours[0] else "over" if row.error > ours[-1] else inside,
        "dots": ours.tolist(), "middle": median, "band": [low, high], "published": row.error,
        "said": f"published {row.error:.2f}; ours from {ours[0]:.2f} to {ours[-1]:.2f}, median {median:.2f}",
    }  # fmt: skip
