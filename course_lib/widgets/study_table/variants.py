"""The published ablation beside ours, as the table shows it: changes from the base, in print and over our seeds."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MEASURES = {
    "ppl": ["perplexity", "change from the base, per cent, on a root scale: directions compare, sizes do not"],
    "bleu": ["BLEU", "change from the base, BLEU points, on a root scale: directions compare, sizes do not"],
}
VERDICTS = {  # of `judge`: key, in the table, in the filter, and of one and of many in the sentence
    "same direction": (
        "same",
        "✓ same",
        "same direction",
        ["goes in the published direction", "go in the published direction"],
    ),
    "opposite": ("opposite", "✗ opposite", "opposite", ["goes the opposite way", "go the opposite way"]),
    "within noise": ("noise", "≈ noise", "within noise", ["is within our noise", "are within our noise"]),
    "published as equal": (
        "equal",
        "≠ equal in print",
        "equal in print",
        ["differs where the paper prints no difference", "differ where the paper prints no difference"],
    ),
    "not published": (
        "unpublished",
        "+ not in print",
        "not in print",
        ["differs and is not in the paper", "differ and are not in the paper"],
    ),
}
COLUMNS = [
    ["group", "§", "group", "text"],
    ["variant", "variant", "variant", "name"],
    ["spread", "our seeds", "spread of our seeds", "picture"],
    ["verdict", "verdict", "verdict", "verdict"],
    ["change", "Δ paper", "published change", "theirs"],
    ["our_change", "Δ ours", "our change", "ours"],
    ["p", "p", "p, the probability of such a difference by chance", "number"],
    ["peak", "rate", "peak of our rate, as a share of the base’s", "number"],
    ["row", "paper’s row", "the name of the row in the paper", "text"],
    ["published", "paper", "published value", "theirs"],
    ["ours", "ours", "the mean of our seeds", "ours"],
    ["params", "size", "published number of parameters", "number"],
    ["our_params", "our size", "our number of parameters", "number"],
]


def compared(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Of `side_by_side()`: its first row is the base, with which all others are compared."""
    base, *others = rows
    lines = [
        {"has": {"group": row["group"]}, "views": {measure: _line(row, base, measure) for measure in MEASURES}}
        for row in rows
    ]
    groups = dict.fromkeys(row["group"] for row in others)
    return {
        "noun": "variant", "legend": "measure", "views": MEASURES, "key": ["our seeds, and their mean",
        "the base’s seeds"], "columns": COLUMNS,
        "filters": {
            "group": {"legend": "Group of variants", "options": [[name, name] for name in groups]},
            "verdict": {"legend": "Verdict", "options": [[key, label] for key, _, label, _ in VERDICTS.values()]},
        },
        "verdicts": {key: said for key, *_, said in VERDICTS.values()},
        "lines": [lines[0] | {"first": True}, *lines[1:]],
    }  # fmt: skip


def change(measure: str, value: float, base: float) -> float:
    """Of perplexity in per cent, of BLEU in points."""
    return round(100 * (value / base - 1) if measure == "ppl" else value - base, 4)


def mean(measure: str, values: Sequence[float]) -> float:
    """Over seeds; of perplexities the geometric mean."""
    return float(np.exp(np.log(values).mean()) if measure == "ppl" else np.mean(values))


def signed(measure: str, x: float | None) -> str:
    if x is None:
        return "–"
    text = f"{x:+.1f}".replace("-", "−")
    return (text if text[1:] != "0.0" else "0.0") + (" %" if measure == "ppl" else "")


def size(count: float | None) -> str:
    """120064 → "120 k"."""
    if count is None:
        return "–"
    if count >= 1e6:
        return f"{count / 1e6:.{0 if count >= 1e7 else 1}f} M"
    return f"{count / 1e3:.0f} k" if count >= 1e3 else str(count)


def _line(row: Mapping[str, Any], base: Mapping[str, Any], measure: str) -> dict[str, Any]:
    own, ours, first = mean(measure, base["ours"][measure]), mean(measure, row["ours"][measure]), row is base
    printed, p = row["published"] or {}, (row["p"] or {}).get(measure)
    seeds, band = ([change(measure, x, own) for x in each["ours"][measure]] for each in (row, base))
    value, params = printed.get(measure), printed.get("params")
    theirs = None if first or value is None else change(measure, value, base["published"][measure])
    verdict, mark, *_ = ("", "–") if first else VERDICTS[row["verdict"][measure]]
    digits = 2 if measure == "ppl" else 1

    def span(values: Sequence[float]) -> str:
        return f"from {signed(measure, min(values))} to {signed(measure, max(values))}"

    return {
        "cells": [
            "" if first else row["group"], row["variant"], ["", round(max(seeds) - min(seeds), 4)], [mark,
            None if first else [*VERDICTS].index(row["verdict"][measure])],
            ["" if first else signed(measure, theirs), theirs], ["" if first else signed(measure, change(measure, ours,
            own)), change(measure, ours, own)],
            ["" if first else "< 0.001" if p < 0.001 else f"{p:.3f}", p], [f"× {row['ours']['peak']:.2f}",
            row["ours"]["peak"]], printed.get("row"),
            ["–" if value is None else f"{value:.{digits}f}", value], [f"{ours:.{digits}f}", round(ours, 4)],
            [size(params and 1e6 * params), params], [size(row["ours"]["params"]), row["ours"]["params"]],
        ],
        "verdict": verdict, "dots": seeds, "middle": change(measure, ours, own), "band": [min(band), max(band)],
        "published": theirs,
        "said": f"our {len(seeds)} seeds {span(seeds)}" + ("" if first else (
            f"; the base’s own {span(band)}; published "
            f"{'nothing' if theirs is None else signed(measure, theirs)}"
        )),
    }  # fmt: skip
