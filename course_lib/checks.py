"""Checks that say what is wrong: every ValueError names the argument, what it takes and what it got.

The helpers work on NumPy arrays and on PyTorch tensors alike, by asking only for `shape`, `dtype` and comparisons.
Checks of shapes cost nothing and always run. Checks that must read the data (`finite`, `within`) are skipped inside
`trusted()`: a training loop has no time for them, and a tracer has no data to read.
"""

import math
import numbers
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import numpy as np

_trusted: ContextVar[bool] = ContextVar("trusted", default=False)


@contextmanager
def trusted() -> Iterator[None]:
    """Skip the checks that read data, in this thread or task, until the block ends. Shapes are still checked."""
    token = _trusted.set(True)
    try:
        yield
    finally:
        _trusted.reset(token)


def fail(name: str, takes: str, got: object) -> None:
    """Raise "`name` must be `takes`, got `got`"."""
    raise ValueError(f"{name} must be {takes}, got {got}")


def _shape(array: Any) -> list:
    return list(array.shape)


def _is_int(value: object) -> bool:
    # While torch traces with symbolic sizes, a size is a SymInt, which does not register as an Integral.
    is_symbol = type(value).__name__ == "SymInt"
    return is_symbol or (isinstance(value, numbers.Integral) and not isinstance(value, bool))


def positive_int(name: str, value: Any) -> None:
    """Raise unless `value` is an int > 0 (a bool is no int)."""
    if not _is_int(value) or value < 1:
        fail(name, "an int > 0", repr(value))


def whole(name: str, value: Any, low: int, high: float = math.inf) -> None:
    """Raise unless `value` is an int from `low` to `high` (a bool is no int)."""
    if not _is_int(value) or not low <= value <= high:
        fail(name, f"an int ≥ {low}" if high == math.inf else f"an int from {low} to {high}", repr(value))


def positive_ints(**sizes: Any) -> None:
    """Raise unless each is an int > 0."""
    for name, value in sizes.items():
        positive_int(name, value)


def number(name: str, value: Any, *, positive: bool = False) -> None:
    """Raise unless `value` is a finite number, or an array of no axes that holds one; > 0 where `positive`."""
    takes = "a finite number > 0" if positive else "a finite number"
    if hasattr(value, "shape"):
        if len(value.shape) != 0:
            fail(name, takes, f"an array of shape {_shape(value)}")
        if _trusted.get():
            return
        value = value.item()
    elif type(value).__name__ in ("SymInt", "SymFloat"):
        return
    is_number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or (positive and value <= 0):
        fail(name, takes, repr(value))


def one_of(name: str, value: Any, options: Sequence[Any]) -> None:
    """Raise unless `value` is one of `options`."""
    if getattr(value, "shape", ()) != () or value not in options:
        fail(name, "one of " + ", ".join(map(repr, options)), repr(value))


def floats(name: str, value: Any) -> np.ndarray:
    """`value` as an array of float64; raise where it is none: a text, or rows that differ in length."""
    try:
        return np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        fail(name, "a number or an array of numbers", repr(value) if isinstance(value, str) else type(value).__name__)


def finite(name: str, array: Any) -> None:
    """Raise where an entry is infinite or not a number. Reads the data, so `trusted()` skips it."""
    if _trusted.get():
        return
    good = abs(array) < math.inf  # false for nan too, in NumPy and in torch
    if not bool(good.all()):
        fail(name, "finite in every entry", f"{int((~good).sum())} of {math.prod(array.shape)} that are not")


def within(name: str, array: Any, low: int | float, high: int | float) -> None:
    """Raise where an entry is below `low` or above `high`. Reads the data, so `trusted()` skips it."""
    if _trusted.get():
        return
    bad = ~((array >= low) & (array <= high))
    if bool(bad.any()):
        fail(name, f"from {low} to {high} in every entry", array[bad].tolist()[0])


def array(name: str, value: Any, axes: int, layout: str) -> None:
    """Raise unless `value` is an array or tensor of real floating-point numbers with `axes` axes or more.

    `layout` shows the reader the axes, for example "[..., n, m]".
    """
    takes = f"an array {layout} of floating-point numbers"
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        fail(name, takes, type(value).__name__)
    if "float" not in str(value.dtype):
        fail(name, takes, f"dtype {value.dtype}")
    if len(value.shape) < axes:
        fail(name, takes, f"shape {_shape(value)}")


def integers(name: str, value: Any, axes: int, takes: str) -> None:
    """Raise unless `value` is a tensor of int32 or int64 with as many axes, none of them empty; `takes` says what it
    should be."""
    if not hasattr(value, "shape") or not hasattr(value, "dtype"):
        fail(name, takes, type(value).__name__)
    if len(value.shape) != axes or not str(value.dtype).endswith(("int32", "int64")) or 0 in value.shape:
        fail(name, takes, f"{value.dtype} of shape {_shape(value)}")


def size(name: str, array: Any, axis: int, takes: Any, meaning: str) -> None:
    """Raise unless the axis `axis` of `array` has `takes` entries; `meaning` says where that number comes from."""
    if array.shape[axis] != takes:
        fail(name, f"of size {takes} ({meaning}) on axis {axis}", f"shape {_shape(array)}")


def some(name: str, array: Any, axis: int, meaning: str) -> None:
    """Raise where the axis `axis` of `array` is empty."""
    if array.shape[axis] < 1:
        fail(name, f"of size > 0 ({meaning}) on axis {axis}", f"shape {_shape(array)}")


def batch(name: str, array: Any, axes: int, like: Any, meaning: str) -> None:
    """Raise unless `array` without its last `axes` axes has the shape of `like` without its last `axes` axes."""
    takes, got = _shape(like)[:-axes], _shape(array)[:-axes]
    if takes != got:
        fail(name, f"of batch shape {takes} ({meaning})", f"{got} in shape {_shape(array)}")


def boolean(name: str, value: Any) -> None:
    """Raise unless `value` is an array or tensor of booleans."""
    if not hasattr(value, "dtype") or not str(value.dtype).endswith("bool"):
        got = f"dtype {value.dtype}" if hasattr(value, "dtype") else type(value).__name__
        fail(name, "an array of bool, true where looking is allowed", got)


def broadcasts(name: str, array: Any, shape: Sequence[Any]) -> None:
    """Raise unless `array` broadcasts to `shape`: from the right, each of its sizes is that of `shape`, or 1."""
    got, want = _shape(array), list(shape)
    pairs = zip(got[::-1], want[::-1], strict=False)
    if len(got) > len(want) or not all(a == 1 or a == b for a, b in pairs):
        fail(name, f"broadcastable to shape {want}", f"shape {got}")
