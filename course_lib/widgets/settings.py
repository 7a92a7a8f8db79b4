"""Checks that several widgets share: a setting as the state keeps it, or a ValueError that names it, what it takes and what it got."""

import math

import numpy as np

ENTRY = 2.0  # the largest size of an entry of a head's matrices


def is_number(value: object) -> bool:
    """A finite real number that is no bool."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool) and math.isfinite(value)


def number(name: str, value: object, low: float, high: float) -> float:
    if not is_number(value) or not low <= value <= high:
        raise ValueError(f"{name} must be a number from {low} to {high}, got {value!r}")
    return float(value)


def whole(name: str, value: object, low: int, high: int) -> int:
    if isinstance(value, bool) or not isinstance(value, int | np.integer) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}, got {value!r}")
    return int(value)


def flag(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def heads(name: str, value: object) -> list:
    """One to three pairs (W_Q W_Kᵀ, W_V W_O) of the plane, as nested lists [h, 2, 2, 2]."""
    takes = f"{name} must be one to three pairs (W_Q W_Kᵀ, W_V W_O), an array [h, 2, 2, 2]"
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{takes}, got {value!r}") from None
    if array.ndim != 4 or array.shape[1:] != (2, 2, 2) or not 1 <= len(array) <= 3:
        raise ValueError(f"{takes}, got shape {list(array.shape)}")
    if not (np.abs(array) <= ENTRY).all():  # also false for nan
        raise ValueError(f"{name} must have entries from {-ENTRY:g} to {ENTRY:g}, got {array.tolist()}")
    return array.tolist()
