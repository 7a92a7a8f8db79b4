"""What is computed entry by entry: value and derivative side by side."""

import math
from typing import Any

import numpy as np

from .absent import HERE
from .kinds import alike, cast, floating, held, operands
from .tensor import Array, Tensor, made, plain, unbroadcast

# name → (the value, its derivative from x and y = value(x))
SMOOTH = {
    "exp": (np.exp, lambda x, y: y),
    "log": (np.log, lambda x, y: 1 / x),
    "log1p": (np.log1p, lambda x, y: 1 / (1 + x)),
    "sqrt": (np.sqrt, lambda x, y: 0.5 / y),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x, y: -0.5 * y * y * y),
    "reciprocal": (np.reciprocal, lambda x, y: -y * y),
    "sin": (np.sin, lambda x, y: np.cos(x)),
    "cos": (np.cos, lambda x, y: -np.sin(x)),
    "tanh": (np.tanh, lambda x, y: 1 - y * y),
    "sigmoid": (lambda x: 1 / (1 + np.exp(-x)), lambda x, y: y * (1 - y)),
    "erf": (lambda x: _erf(x).astype(x.dtype), lambda x, y: 2 / math.sqrt(math.pi) * np.exp(-x * x)),
}
_erf = np.vectorize(math.erf, otypes=[float])
# name → (the value, its derivative where it has one): ints stay ints
KINKED = {
    "relu": (lambda x: np.maximum(x, 0), lambda x, y: ~(x <= 0)),
    "abs": (np.abs, lambda x, y: np.sign(x)),
    "neg": (np.negative, lambda x, y: -1),
    "sign": (lambda x: np.nan_to_num(np.sign(x), nan=0), lambda x, y: 0),
    "round": (lambda x: _whole(np.round, x), lambda x, y: 0),
    "floor": (lambda x: _whole(np.floor, x), lambda x, y: 0),
    "ceil": (lambda x: _whole(np.ceil, x), lambda x, y: 0),
}
_whole = lambda to, x: to(x) if x.dtype.kind == "f" else x.copy()
COMPARED = ("eq:equal", "ne:not_equal", "lt:less", "le:less_equal", "gt:greater", "ge:greater_equal")
LOGICAL = ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor")
TESTED = ("isfinite", "isnan", "isinf", "logical_not", "bitwise_not")


def _one(name: str, value: Any, slope: Any, smooth: bool) -> Any:
    def operation(x: Tensor) -> Tensor:
        x = floating(x) if smooth else x
        y = value(x.array)
        return made(y, (x, lambda g: g * slope(x.array, y)))

    operation.__name__ = name
    return operation


def _untracked(function: Any, pair: bool) -> Any:
    if pair:
        return lambda x, y: Tensor(function(*(each.array for each in operands(x, y))))
    return lambda x: Tensor(function(x.array))


def of_two(value: Array, x: Tensor, by_x: Any, y: Tensor, by_y: Any) -> Tensor:
    """A result of two operands that were broadcast, with what turns its gradient into theirs."""
    to = x.array.shape, y.array.shape
    return made(value, (x, lambda g: unbroadcast(by_x(g), to[0])), (y, lambda g: unbroadcast(by_y(g), to[1])))


def add(x: Any, y: Any, *, alpha: float = 1) -> Tensor:
    x, y = operands(x, y)
    if alpha != 1:
        kind, y = y.dtype, mul(y, alpha)
        if y.dtype != kind:
            raise NotImplementedError(f"{HERE} has no add of {kind} with alpha={alpha!r}")
    return of_two(x.array + y.array, x, lambda g: g, y, lambda g: g)


def sub(x: Any, y: Any) -> Tensor:
    if any(isinstance(each, bool) or getattr(each, "dtype", np.int64) == np.bool_ for each in (x, y)):
        raise RuntimeError("Subtraction, the `-` operator, with a bool is not supported: `~` turns a mask round")
    x, y = operands(x, y)
    return of_two(x.array - y.array, x, lambda g: g, y, lambda g: -g)


def mul(x: Any, y: Any) -> Tensor:
    x, y = operands(x, y)
    a, b = x.array, y.array
    return of_two(a * b, x, lambda g: g * b, y, lambda g: g * a)


def div(x: Any, y: Any) -> Tensor:
    x, y = map(floating, operands(x, y))
    a, b = x.array, y.array
    return of_two(a / b, x, lambda g: g / b, y, lambda g: -g * a / (b * b))


def pow(x: Any, y: Any) -> Tensor:
    """Where the power is 0, x has no influence, and where x is 0, no power ≥ 0 has: such gradients are 0, as torch's
    are."""
    x, y = operands(x, y)
    a, b = x.array, y.array
    if a.dtype == bool or (a.dtype.kind in "iu" and (b < 0).any()):
        raise RuntimeError(f"{HERE} and PyTorch: no powers of bools, and no negative powers of ints")
    value = a**b
    by_x = lambda g: np.where(b == 0, 0, g * b * a ** (b - 1))
    return of_two(value, x, by_x, y, lambda g: g * np.where((a == 0) & (b >= 0), 0, value * np.log(a)))


def square(x: Tensor) -> Tensor:
    return pow(x, 2)


def _divisible(x: Any, y: Any) -> list[Tensor]:
    x, y = operands(x, y)
    if x.dtype.kind != "f" and (y.array == 0).any():
        raise RuntimeError("ZeroDivisionError: an int was divided by 0")
    return [x, y]


def remainder(x: Any, y: Any) -> Tensor:
    x, y = _divisible(x, y)
    a, b = x.array, y.array
    return of_two(np.remainder(a, b), x, lambda g: g, y, lambda g: -g * np.floor_divide(a, b))


def floor_divide(x: Any, y: Any) -> Tensor:
    x, y = _divisible(x, y)

    def none(g: Array) -> Array:
        raise RuntimeError("derivative of floor_divide is not implemented")

    return made(np.floor_divide(x.array, y.array), (x, none), (y, none))


def _better(name: str, value: Any, beats: Any) -> Any:
    def better(x: Tensor, y: Tensor) -> Tensor:
        """The larger, or smaller, of two; where they are equal each gets half of the gradient."""
        if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
            raise TypeError(f"both arguments must be tensors, not {type(y).__name__}")
        x, y = operands(x, y)
        a, b = x.array, y.array
        share = lambda one, other, g: np.where(beats(one, other), g, np.where(one == other, g / 2, 0))
        return of_two(value(a, b), x, lambda g: share(a, b, g), y, lambda g: share(b, a, g))

    better.__name__ = name
    return better


maximum, minimum = _better("maximum", np.maximum, np.greater), _better("minimum", np.minimum, np.less)


def clamp(x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    if min is None and max is None:
        raise ValueError("clamp: at least one of min and max must not be None")
    if min is not None and max is not None and isinstance(min, Tensor) != isinstance(max, Tensor):
        raise TypeError("clamp takes two numbers or two tensors as arguments")
    if isinstance(min, Tensor) and max is not None:  # a bound that is none hands no gradient on
        min = where(min < max, min, min.detach())
    x = x if min is None else _within(x, min, np.maximum, np.greater_equal)
    return x if max is None else _within(x, max, np.minimum, np.less_equal)


def _within(x: Tensor, bound: Any, value: Any, inside: Any) -> Tensor:
    x, y = operands(x, bound)
    free = inside(x.array, y.array)
    return of_two(value(x.array, y.array), x, lambda g: np.where(free, g, 0), y, lambda g: np.where(free, 0, g))


def where(condition: Tensor, x: Any, y: Any) -> Tensor:
    c = plain(condition)
    if c.dtype != bool:
        raise RuntimeError(f"where and masked_fill take a condition of bools, got {c.dtype}")
    x, y = operands(x, y)
    return of_two(np.where(c, x.array, y.array), x, lambda g: np.where(c, g, 0), y, lambda g: np.where(c, 0, g))


def masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    if getattr(value, "ndim", 0):
        raise RuntimeError(f"masked_fill takes one value, got a tensor of shape {tuple(value.shape)}")
    return where(mask, cast(value, x.dtype) if isinstance(value, Tensor) else Tensor(np.asarray(value, x.dtype)), x)


def lerp(start: Tensor, end: Tensor, weight: Any) -> Tensor:
    """From start to end, computed from the end that is nearer."""
    x, y = alike("lerp", start, end)
    w = weight if isinstance(weight, Tensor) else Tensor(np.asarray(weight, x.dtype))
    a, b, c = x.array, y.array, alike("lerp", x, w)[1].array
    to = [each.array.shape for each in (x, y, w)]
    return made(
        np.where(np.abs(c) < 0.5, a + c * (b - a), b - (b - a) * (1 - c)),
        (x, lambda g: unbroadcast(g * (1 - c), to[0])),
        (y, lambda g: unbroadcast(g * c, to[1])),
        (w, lambda g: unbroadcast(g * (b - a), to[2])),
    )


def addcmul(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    x, a, b = operands(x, a, b)
    return x + a * b if value == 1 else x + value * a * b


OPERATIONS = {name: _one(name, *pair, True) for name, pair in SMOOTH.items()}
OPERATIONS |= {name: _one(name, *pair, False) for name, pair in KINKED.items()}
OPERATIONS |= {pair.partition(":")[0]: _untracked(getattr(np, pair.partition(":")[2]), True) for pair in COMPARED}
OPERATIONS |= {name: _untracked(getattr(np, name), True) for name in LOGICAL}
OPERATIONS |= {name: _untracked(getattr(np, name), False) for name in TESTED}
OPERATIONS |= {
    each.__name__: each for each in (add, sub, mul, div, pow, square, remainder, floor_divide, maximum, minimum)
}
OPERATIONS |= {each.__name__: each for each in (clamp, where, masked_fill, lerp, addcmul)}
OPERATIONS |= {"divide": div, "multiply": mul, "subtract": sub, "absolute": OPERATIONS["abs"]}
OPERATIONS = held(OPERATIONS)
