"""Which type of number an operation works in: torch's rules, which are not quite NumPy's."""

from typing import Any

import numpy as np

from .tensor import Tensor, made

_default = [np.dtype("float32")]


def wider(one: np.dtype | None, other: np.dtype) -> np.dtype:
    """bool < int < float; of two of a kind the longer."""
    if one is None or "biuf".index(one.kind) < "biuf".index(other.kind):
        return other
    return one if one.kind != other.kind else np.promote_types(one, other)


def operands(*values: Any) -> list[Tensor]:
    """Tensors of one type, by torch's rule: a number, or a tensor without axes, changes the kind at most, never the length."""
    if (
        len(values) == 2
        and isinstance(values[0], Tensor)
        and isinstance(values[1], Tensor)
        and values[0].array.dtype == values[1].array.dtype
    ):
        return list(values)  # the usual case, first: a training asks here at every operation
    arrays = [value.array for value in values if isinstance(value, Tensor)]
    numbers = [value for value in values if not isinstance(value, Tensor)]
    first = arrays[0].dtype if arrays else _default[0]
    if first.kind == "f" and all(array.dtype == first for array in arrays):
        common = first
    else:
        common = None
        for group in ([a for a in arrays if a.ndim], [a for a in arrays if not a.ndim]):
            inside = None
            for array in group:
                inside = wider(inside, array.dtype)
            if inside is not None and (common is None or wider(common, inside).kind != common.kind):
                common = inside
        for number in numbers:
            kind = np.asarray(number).dtype
            if common is None or wider(common, kind).kind != common.kind:
                common = _default[0] if kind.kind == "f" else kind
    return [cast(value, common) if isinstance(value, Tensor) else Tensor(np.asarray(value, common)) for value in values]


def cast(x: Tensor, dtype: Any) -> Tensor:
    """The same numbers in another type."""
    if x.array.dtype == dtype:
        return x
    return made(x.array.astype(dtype), (x, lambda g: g))


def floating(x: Tensor) -> Tensor:
    """Ints and bools as floats of the default type."""
    return x if x.array.dtype.kind == "f" else cast(x, _default[0])


def set_default_dtype(dtype: Any) -> None:
    """The type of what is made of Python's floats."""
    _default[0] = np.dtype(dtype)


def default() -> np.dtype:
    return _default[0]
