"""Settings of a widget, declared once in the room's `settings.json`: what Python checks, what `help` says, what a dial
and a link may hold.

    {"n": {"kind": "whole", "takes": [10, 500], "default": 300, "means": "particles"}, …}

kind     whole, number: takes [low, high]; option, names: takes the options; order: the options, each also with "-"
         before it; flag;
         text: takes [least, most] characters, none but spaces only where least is 0;
         numbers: counts says how many, each in [low, high]; heads: takes the range of an entry, most says how many
         heads;
         own: the widget's method `check_NAME(value)` checks, which it may also do for the other kinds
default  what Python starts with
none     the word for None in a link, where None is allowed
means    for `help`, in words
step     of a whole number: only its multiples
digits   of a number in a link, 4 where nothing is said; or places: digits after the point
from     what a count begins with in a link, 0 where nothing is said

The page's half is shell/settings.js.
"""

import json
import math
import sys
from collections.abc import Iterable
from inspect import Parameter, Signature, signature
from pathlib import Path

import numpy as np
import traitlets

ENTRY = 2.0  # the largest size of an entry of a head's matrices


class Setting(traitlets.Any):
    """A synced trait of any type: its check raises ValueError in words, for a wrong type as well."""

    allow_none = False  # None goes to the check like anything else

    def __init__(self, name: str, declared: dict) -> None:
        default = declared["default"]
        super().__init__(
            default if declared["kind"] == "own" else check(name, declared, default), help=declared["means"]
        )
        self.tag(sync=True)


def declared(owner: type) -> dict[str, dict]:
    """Name → declaration, from settings.json beside the module of the class; {} where there is none."""
    file = getattr(sys.modules.get(owner.__module__), "__file__", None)
    path = Path(file).with_name("settings.json") if file else None
    return json.loads(path.read_text(encoding="utf-8")) if path and path.is_file() else {}


def given_to(owner: type, settings: dict[str, dict]) -> None:
    """Make traits of the class from its settings, with their checks, signature and documentation."""

    @traitlets.validate(*settings)
    def checked(self: object, proposal: dict) -> object:
        name = proposal["trait"].name
        own = getattr(self, f"check_{name}", None)
        return own(proposal["value"]) if own else check(name, settings[name], proposal["value"])

    for name, descriptor in {
        "_checked": checked,
        **{name: Setting(name, each) for name, each in settings.items()},
    }.items():
        setattr(owner, name, descriptor)
        descriptor.class_init(owner, name)  # as `traitlets` does with what stands in the class itself
    given = [*signature(owner.__init__).parameters.values()][1:] if "__init__" in vars(owner) else []
    data = [
        each
        for each in given
        if each.kind in (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
        and each.name not in {*settings, "address"}
    ]
    kind = Parameter.KEYWORD_ONLY if data else Parameter.POSITIONAL_OR_KEYWORD
    both = [Parameter(name, kind, default=each["default"]) for name, each in settings.items()]
    owner.__signature__ = Signature(
        [*data, *both, Parameter("address", Parameter.KEYWORD_ONLY, default=owner.address.default_value)]
    )
    said = {name: "; ".join(dict.fromkeys((each["means"], takes(each)))) for name, each in settings.items()}
    lines = [f"    {name}: {said[name]}, by default {each['default']!r}." for name, each in settings.items()]
    owner.__doc__ = (
        (
            f"{(owner.__doc__ or '').rstrip()}\n\n    Settings, which Python may set at any time; ValueError names "
            f"the one that is wrong:\n\n"
        )
        + "\n".join(lines)
        + "\n"
    )


def takes(each: dict) -> str:
    """What a setting takes, in words."""
    kind, allowed, none = each["kind"], each.get("takes", ()), " or None" if "none" in each else ""
    if kind == "own":
        return each["means"]
    if kind == "whole":
        even = f", a multiple of {each['step']}" if "step" in each else ""
        return f"a whole number from {allowed[0]} to {allowed[1]}{even}{none}"
    if kind == "text":
        return f"a text of {allowed[0] or 'at most'}{' to' if allowed[0] else ''} {allowed[1]} characters{none}"
    if kind == "number":
        return f"a number from {allowed[0]:.12g} to {allowed[1]:.12g}{none}"
    if kind == "numbers":
        words = {1: "one", 2: "two", 3: "three"}
        return (
            f"{' or '.join(words.get(count, str(count)) for count in each['counts'])} numbers from "
            f"{allowed[0]:g} to {allowed[1]:g}{none}"
        )
    if kind == "heads":
        return "one to three pairs (W_Q W_Kᵀ, W_V W_O), an array [h, 2, 2, 2]"
    if kind == "names":
        return f"a list with names among {', '.join(allowed)}{none}"
    if kind == "order":
        return f'one of {", ".join(allowed)}, or one of these with "-" before it'
    if kind == "flag":
        return f"True or False{none}"
    return f"one of {', '.join(map(str, allowed))}{none}"


def check(name: str, each: dict, value: object) -> object:
    """The value as the state keeps it, or a ValueError that names the setting, what it takes and what it got."""
    if value is None and "none" in each:
        return None
    kind, allowed = each["kind"], each.get("takes", ())
    refused = ValueError(f"{name} must be {takes(each)}, got {value!r}")
    if kind == "whole" and is_whole(value) and allowed[0] <= value <= allowed[1] and value % each.get("step", 1) == 0:
        return int(value)
    if kind == "number" and is_number(value) and allowed[0] <= value <= allowed[1]:
        return float(value)
    if kind == "flag" and isinstance(value, bool | np.bool_):
        return bool(value)
    if kind == "text" and isinstance(value, str) and len(value) <= allowed[1] and (not allowed[0] or value.strip()):
        return value
    if kind == "option" and (isinstance(value, str) or is_whole(value)) and value in allowed:
        return allowed[allowed.index(value)]
    if kind == "order" and isinstance(value, str) and value.removeprefix("-") in allowed:
        return value
    if kind == "names" and isinstance(value, list | tuple) and all(part in allowed for part in value):
        return [part for part in allowed if part in value]  # in their own order
    if (
        kind == "numbers"
        and is_row(value, each["counts"])
        and all(is_number(part) and allowed[0] <= part <= allowed[1] for part in value)
    ):
        return [float(part) for part in value]
    if kind == "heads":
        return heads(name, value)
    raise refused


def is_number(value: object) -> bool:
    """A finite real number that is no bool."""
    return (
        isinstance(value, int | float | np.integer | np.floating)
        and not isinstance(value, bool)
        and math.isfinite(value)
    )


def is_whole(value: object) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool)


def is_row(value: object, counts: Iterable[int]) -> bool:
    return isinstance(value, list | tuple | np.ndarray) and np.ndim(value) == 1 and len(value) in counts


def rows(name: str, value: object, most: int, ranges: list) -> list:
    """1 to `most` rows of numbers, each column in its range, as nested lists."""
    array, (low, high) = _array(value), np.transpose(ranges)
    if (
        array.ndim != 2
        or array.shape[1] != len(low)
        or not 1 <= len(array) <= most
        or not ((array >= low) & (array <= high)).all()
    ):
        raise ValueError(f"{name} must be 1 to {most} rows of {len(low)} numbers in the ranges {ranges}, got {value!r}")
    return array.tolist()


def heads(name: str, value: object) -> list:
    """One to three pairs (W_Q W_Kᵀ, W_V W_O) of the plane, as nested lists [h, 2, 2, 2]."""
    array, takes = _array(value), f"{name} must be one to three pairs (W_Q W_Kᵀ, W_V W_O), an array [h, 2, 2, 2]"
    if array.ndim != 4 or array.shape[1:] != (2, 2, 2) or not 1 <= len(array) <= 3:
        raise ValueError(f"{takes}, got {value!r}")
    if not (np.abs(array) <= ENTRY).all():  # also false for nan
        raise ValueError(f"{name} must have entries from {-ENTRY:g} to {ENTRY:g}, got {array.tolist()}")
    return array.tolist()


def _array(value: object) -> np.ndarray:
    """float64; empty where it is no array of numbers."""
    try:
        return np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        return np.zeros(0)
