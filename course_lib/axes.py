"""Axes of figures: how far they reach, which ticks they have, and numbers short enough to be stored."""

import math
from typing import Any

import numpy as np


def room(values: np.ndarray, log: bool) -> tuple[float, float]:
    """Extent with 5 % room on both sides; a constant gets room of its own size."""
    low, high = (np.log10(values.min()), np.log10(values.max())) if log else (values.min(), values.max())
    more = 0.05 * (high - low) or 0.05 * abs(high) or 1.0
    return (10 ** (low - more), 10 ** (high + more)) if log else (float(low - more), float(high + more))


def reach(low: float, high: float, log: bool) -> list[float]:
    """The range as plotly takes it: of a log axis the exponents."""
    if low == high:
        low, high = (low / 2, high * 2) if log else (low - 0.5, high + 0.5)
    return [float(f"{math.log10(value) if log else value:.6g}") for value in (low, high)]


def log_ticks(low: float, high: float) -> dict[str, Any]:
    """Ticks of a log axis: each power of ten over many decades, 1, 2 and 5 of each over few, in one size of letters."""
    decades = math.log10(high / low)
    if decades > 2.5:
        return {"dtick": 1}
    if decades < 0.7 or low < 1e-4 or high > 1e5:
        return {}
    powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    within = [tick for power in powers for step in (1, 2, 5) if low <= (tick := float(f"{step}e{power}")) <= high]
    return {"tickvals": within, "ticktext": [f"{tick:g}" for tick in within]}


def short(values: np.ndarray, digits: str = ".4g") -> list:
    """Nested lists of rounded numbers; 0.0 and 1.0 are written 0 and 1."""
    if values.ndim > 1:
        return [short(row, digits) for row in values]
    rounded = [float(f"{value:{digits}}") for value in values]
    return [int(value) if value.is_integer() else value for value in rounded]


def steps(x: np.ndarray) -> list:
    """Abscissae: whole numbers stay exact, since step 12345 is not step 12350."""
    return [int(value) for value in x] if (x == np.round(x)).all() else [float(f"{value:.6g}") for value in x]


def ticks(labels: list[str]) -> dict[str, Any]:
    """Labels at positions 0, 1, …: on a category axis two equal tokens would become one."""
    shown = [i for i, label in enumerate(labels) if label]
    return {"tickvals": shown, "ticktext": [labels[i] for i in shown], "showgrid": False, "zeroline": False}


def some(labels: list[str], most: int = 7) -> list[str]:
    """Labels of which, if they are numbers, at most `most` are kept, evenly spread; the others are empty."""
    every = math.ceil(len(labels) / most) if all(label.isdigit() for label in labels) else 1
    return [label if i % every == 0 else "" for i, label in enumerate(labels)]
