"""Checks that several widgets share: a setting as the state keeps it, or a ValueError that names it, what it takes and what it got."""

import math
from collections.abc import Callable, Iterable, Mapping

import numpy as np
import traitlets

ENTRY = 2.0  # the largest size of an entry of a head's matrices


def checked(check: Callable, takes: Mapping[str, Iterable] | Iterable[str]) -> traitlets.EventHandler:
    """A validator of these traits: `check` gets the trait's name, the value and what the trait takes (its bounds, its options)."""
    told = takes if isinstance(takes, Mapping) else dict.fromkeys(takes, ())

    @traitlets.validate(*told)
    def validator(_self: object, proposal: dict) -> object:
        name = proposal["trait"].name
        return check(name, proposal["value"], *told[name])

    return validator


def is_number(value: object) -> bool:
    """A finite real number that is no bool."""
    return isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool) and math.isfinite(value)


def number(name: str, value: object, low: float, high: float) -> float:
    if not is_number(value) or not low <= value <= high:
        raise ValueError(f"{name} must be a number from {low:g} to {high:g}, got {value!r}")
    return float(value)


def is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def whole(name: str, value: object, low: int, high: int, more: str = "") -> int:
    if not is_whole(value) or not low <= value <= high:
        raise ValueError(f"{name} must be a whole number from {low} to {high}{more}, got {value!r}")
    return int(value)


def whole_or_none(name: str, value: object, low: int, high: int) -> int | None:
    return None if value is None else whole(name, value, low, high, " or None")


def flag(name: str, value: object) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name} must be True or False, got {value!r}")
    return bool(value)


def option(name: str, value: object, *options: str) -> str:
    if not isinstance(value, str) or value not in options:
        raise ValueError(f"{name} must be one of {', '.join(options)}, got {value!r}")
    return value


def order(name: str, value: object, *options: str) -> str:
    """What a table is sorted by; "-" before it: the largest first."""
    if not isinstance(value, str) or value.removeprefix("-") not in options:
        raise ValueError(f'{name} must be one of {", ".join(options)}, or one of these with "-" before it, got {value!r}')
    return value


def names(name: str, value: object, *options: str) -> list[str]:
    """Some of the options, in their own order."""
    if not isinstance(value, list | tuple) or not all(each in options for each in value):
        raise ValueError(f"{name} must be a list with names among {', '.join(options)}, got {value!r}")
    return [each for each in options if each in value]


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
