"""Operations as signs, x + y, and in place, x += y and x.add_(y)."""

from typing import Any

import numpy as np

from . import arithmetic, indices, products, reductions, shapes
from .absent import HERE
from .kinds import cast, operand
from .tensor import Tensor

SIGNS = {
    "add": "add",
    "sub": "sub",
    "mul": "mul",
    "truediv": "div",
    "pow": "pow",
    "matmul": "matmul",
    "mod": "remainder",
}
SIGNS |= {"floordiv": "floor_divide", "and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}
# What torch has with an underscore too: nearly all that is computed entry by entry, and little else.
NOT_IN_PLACE = {"isfinite", "isnan", "isinf", "maximum", "minimum", "where"}
IN_PLACE = set(arithmetic.OPERATIONS) - NOT_IN_PLACE
IN_PLACE |= {"addmm", "baddbmm", "cumsum", "tril", "triu", "scatter", "scatter_add", "index_add"}


def attach() -> None:
    """Give the tensor its signs, and its operations in place."""
    known = arithmetic.OPERATIONS | products.OPERATIONS | reductions.OPERATIONS | shapes.OPERATIONS | indices.OPERATIONS
    for sign, name in SIGNS.items():
        function = known[name]
        setattr(Tensor, f"__{sign}__", _beside(function))
        setattr(Tensor, f"__r{sign}__", _beside(lambda x, y, function=function: function(y, x)))
        if sign != "matmul":
            setattr(Tensor, f"__i{sign}__", _beside(_in_place(function)))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Tensor, f"__{name}__", _beside(known[name]))
    for name in IN_PLACE:
        setattr(Tensor, f"{name}_", _in_place(known[name]))
    Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = known["neg"], known["abs"], known["bitwise_not"]
    Tensor.__pos__ = lambda x: x
    Tensor.where = lambda x, condition, y: known["where"](condition, x, y)
    Tensor.to = Tensor.type = to
    Tensor.copy_ = _copy
    Tensor.fill_ = lambda x, value: _copy(
        x, value if isinstance(value, Tensor) else Tensor(np.full(x.shape, value, x.dtype))
    )
    Tensor.zero_ = lambda x: x.fill_(0)


def _beside(function: Any) -> Any:
    """Python tries the other operand's own sign where this one is no number, and compares by identity."""
    return lambda x, y: function(x, y) if isinstance(y, Tensor) or operand(y) else NotImplemented


def _in_place(function: Any) -> Any:
    return lambda x, *args, **named: x.become(function(x._before(), *args, **named))


def _copy(x: Tensor, other: Tensor) -> Tensor:
    x[...] = other
    return x


def to(
    x: Tensor, *how: Any, dtype: Any = None, device: Any = None, copy: bool = False, non_blocking: bool = False
) -> Tensor:
    """To another type, that of another tensor, or a device (there is one)."""
    for each in how:
        if isinstance(each, str):
            device = each
        elif not isinstance(each, bool):
            dtype = each.array.dtype if isinstance(each, Tensor) else each
    if device not in (None, "cpu"):
        raise NotImplementedError(f"{HERE} has one device, 'cpu', got {device!r}")
    moved = x if dtype is None else cast(x, dtype)
    return moved + 0 if copy and moved is x else moved
