"""What is computed entry by entry, and the products: value and derivative side by side."""

import math
from typing import Any

import numpy as np

from .kinds import cast, floating, operands
from .tensor import Array, Tensor, made, plain, unbroadcast

# name → (the value, its derivative from x and y = value(x))
SMOOTH = {
    "exp": (np.exp, lambda x, y: y),
    "log": (np.log, lambda x, y: 1 / x),
    "log1p": (np.log1p, lambda x, y: 1 / (1 + x)),
    "sqrt": (np.sqrt, lambda x, y: 0.5 / y),
    "rsqrt": (lambda x: 1 / np.sqrt(x), lambda x, y: -0.5 * y / x),
    "square": (np.square, lambda x, y: 2 * x),
    "reciprocal": (np.reciprocal, lambda x, y: -y * y),
    "sin": (np.sin, lambda x, y: np.cos(x)),
    "cos": (np.cos, lambda x, y: -np.sin(x)),
    "tanh": (np.tanh, lambda x, y: 1 - y * y),
    "sigmoid": (lambda x: 0.5 * (np.tanh(0.5 * x) + 1), lambda x, y: y * (1 - y)),  # no overflow on either side
    "erf": (lambda x: _erf(x).astype(x.dtype), lambda x, y: 2 / math.sqrt(math.pi) * np.exp(-x * x)),
}
_erf = np.vectorize(math.erf, otypes=[float])
# name → (the value, its derivative where it has one): ints stay ints
KINKED = {
    "relu": (lambda x: np.maximum(x, 0), lambda x, y: x > 0),
    "abs": (np.abs, lambda x, y: np.sign(x)),
    "neg": (np.negative, lambda x, y: -1),
    "sign": (np.sign, lambda x, y: 0),
    "round": (np.round, lambda x, y: 0),
    "floor": (np.floor, lambda x, y: 0),
    "ceil": (np.ceil, lambda x, y: 0),
}
COMPARED = ("eq:equal", "ne:not_equal", "lt:less", "le:less_equal", "gt:greater", "ge:greater_equal")
LOGICAL = ("logical_and", "logical_or", "logical_xor", "bitwise_and", "bitwise_or", "bitwise_xor")
TESTED = ("isfinite", "isnan", "isinf", "logical_not", "bitwise_not")


def _one(name: str, value: Any, slope: Any, smooth: bool) -> Any:
    def operation(x: Tensor) -> Tensor:
        x = floating(x) if smooth else x
        with np.errstate(all="ignore"):
            y = value(x.array)
        return made(y, (x, lambda g: g * slope(x.array, y)))

    operation.__name__ = name
    return operation


def _untracked(name: str, function: Any, pair: bool) -> Any:
    def two(x: Any, y: Any) -> Tensor:
        if x is None or y is None or isinstance(x, str) or isinstance(y, str):
            return NotImplemented
        return Tensor(function(*(each.array for each in operands(_tensor(x), _tensor(y)))))

    made_of = two if pair else lambda x: Tensor(function(x.array))
    made_of.__name__ = name
    return made_of


def _tensor(x: Any) -> Any:
    return Tensor(x) if isinstance(x, np.ndarray) else x


def add(x: Any, y: Any, *, alpha: float = 1) -> Tensor:
    x, y = operands(_tensor(x), _tensor(y))
    y = y if alpha == 1 else mul(y, alpha)
    to = x.array.shape, y.array.shape
    return made(x.array + y.array, (x, lambda g: unbroadcast(g, to[0])), (y, lambda g: unbroadcast(g, to[1])))


def sub(x: Any, y: Any) -> Tensor:
    x, y = operands(_tensor(x), _tensor(y))
    to = x.array.shape, y.array.shape
    return made(x.array - y.array, (x, lambda g: unbroadcast(g, to[0])), (y, lambda g: unbroadcast(-g, to[1])))


def mul(x: Any, y: Any) -> Tensor:
    x, y = operands(_tensor(x), _tensor(y))
    a, b = x.array, y.array
    with np.errstate(all="ignore"):
        return made(a * b, (x, lambda g: unbroadcast(g * b, a.shape)), (y, lambda g: unbroadcast(g * a, b.shape)))


def div(x: Any, y: Any) -> Tensor:
    x, y = map(floating, operands(_tensor(x), _tensor(y)))
    a, b = x.array, y.array
    with np.errstate(all="ignore"):
        return made(a / b, (x, lambda g: unbroadcast(g / b, a.shape)), (y, lambda g: unbroadcast(-g * a / (b * b), b.shape)))


def pow(x: Any, y: Any) -> Tensor:
    x, y = operands(_tensor(x), _tensor(y))
    a, b = x.array, y.array
    with np.errstate(all="ignore"):
        made_of = a**b
        return made(
            made_of, (x, lambda g: unbroadcast(g * b * a ** (b - 1), a.shape)), (y, lambda g: unbroadcast(g * made_of * np.log(a), b.shape))
        )


def remainder(x: Any, y: Any) -> Tensor:
    x, y = operands(_tensor(x), _tensor(y))
    return made(np.remainder(x.array, y.array), (x, lambda g: unbroadcast(g, x.array.shape)))


def floor_divide(x: Any, y: Any) -> Tensor:
    x, y = operands(_tensor(x), _tensor(y))
    return Tensor(np.floor_divide(x.array, y.array))


def maximum(x: Any, y: Any) -> Tensor:
    """The larger of two; where they are equal each gets half of the gradient."""
    x, y = operands(x, y)
    a, b = x.array, y.array
    share = lambda more, less, g: unbroadcast(np.where(more > less, g, np.where(more == less, g / 2, 0)), more.shape)  # noqa: E731
    return made(np.maximum(a, b), (x, lambda g: share(a, b, g)), (y, lambda g: share(b, a, g)))


def minimum(x: Any, y: Any) -> Tensor:
    return -maximum(-x, -y)


def clamp(x: Tensor, min: Any = None, max: Any = None) -> Tensor:
    low, high = plain(min), plain(max)
    y = np.clip(x.array, low, high)
    return made(
        y.astype(x.array.dtype, copy=False),
        (x, lambda g: g * ((x.array >= (-np.inf if low is None else low)) & (x.array <= (np.inf if high is None else high)))),
    )


def where(condition: Tensor, x: Any, y: Any) -> Tensor:
    x, y = operands(_tensor(x), _tensor(y))
    c, a, b = plain(condition), x.array, y.array
    return made(
        np.where(c, a, b), (x, lambda g: unbroadcast(np.where(c, g, 0), a.shape)), (y, lambda g: unbroadcast(np.where(c, 0, g), b.shape))
    )


def masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    return where(mask, Tensor(np.asarray(plain(value), x.array.dtype)), x)


def lerp(start: Tensor, end: Tensor, weight: Any) -> Tensor:
    return start + weight * (end - start)


def addcmul(x: Tensor, a: Tensor, b: Tensor, *, value: float = 1) -> Tensor:
    return x + a * b if value == 1 else x + value * a * b


# ------------------------------------------------------------------------------------------------------------- products
def matmul(x: Any, y: Any) -> Tensor:
    """x @ y with NumPy's broadcasting; vectors are rows on the left and columns on the right."""
    x, y = operands(_tensor(x), _tensor(y))
    a, b = x.array, y.array
    if a.ndim == 1 or b.ndim == 1:
        if not (a.ndim and b.ndim):
            raise RuntimeError("both arguments to matmul need to be at least 1D, but they are 0D")
        wide = matmul(x[None] if a.ndim == 1 else x, y[:, None] if b.ndim == 1 else y)
        wide = wide.squeeze(-1) if b.ndim == 1 else wide
        return wide.squeeze(-1 if b.ndim == 1 else -2) if a.ndim == 1 else wide
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_by(a)} and {_by(b)})")
    if b.ndim == 2 and a.ndim > 2:  # one large product is faster than many small ones
        flat = lambda z: z.reshape(-1, z.shape[-1])  # noqa: E731
        value = (flat(a) @ b).reshape(*a.shape[:-1], b.shape[1])
        return made(value, (x, lambda g: (flat(g) @ b.T).reshape(a.shape)), (y, lambda g: flat(a).T @ flat(g)))
    turned = lambda z: z.swapaxes(-1, -2)  # noqa: E731
    return made(a @ b, (x, lambda g: unbroadcast(g @ turned(b), a.shape)), (y, lambda g: unbroadcast(turned(a) @ g, b.shape)))


def _by(a: Array) -> str:
    return "x".join(map(str, a.shape))


def bmm(x: Tensor, y: Tensor, *, out: Tensor | None = None) -> Tensor:
    return matmul(x, y) if out is None else out.copy_(matmul(x, y))


def baddbmm(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return x + matmul(a, b)


def outer(x: Tensor, y: Tensor) -> Tensor:
    return x[:, None] * y


def einsum(formula: str, *tensors: Tensor) -> Tensor:
    """For one or two tensors without a letter repeated in one of them: each gradient is an einsum again."""
    left, result = formula.replace(" ", "").split("->")
    letters, given = left.split(","), operands(*tensors)
    sizes = {
        letter: size
        for names, t in zip(letters, given, strict=True)
        for letter, size in zip(names.replace("...", ""), t.array.shape, strict=False)
    }

    def pull(i: int) -> Any:
        others = [(names, t.array) for j, (names, t) in enumerate(zip(letters, given, strict=True)) if j != i]
        known = set(result).union(*(names for names, _ in others))
        alone = "".join(letter for letter in letters[i] if letter not in known)  # summed away: every entry gets the same
        ones = [(letter, np.ones(sizes[letter])) for letter in alone]
        terms = [*others, *ones]
        call = ",".join([result, *(names for names, _ in terms)]) + "->" + letters[i]
        return lambda g: np.einsum(call, g, *(array for _, array in terms))

    value = np.einsum(formula, *(t.array for t in given))
    return made(np.asarray(value), *((t, pull(i)) for i, t in enumerate(given)))


OPERATIONS = {name: _one(name, *pair, True) for name, pair in SMOOTH.items()} | {
    name: _one(name, *pair, False) for name, pair in KINKED.items()
}
OPERATIONS |= {pair.partition(":")[0]: _untracked(pair, getattr(np, pair.partition(":")[2]), True) for pair in COMPARED}
OPERATIONS |= {name: _untracked(name, getattr(np, name), True) for name in LOGICAL}
OPERATIONS |= {name: _untracked(name, getattr(np, name), False) for name in TESTED}
OPERATIONS |= {
    each.__name__: each for each in (add, sub, mul, div, pow, remainder, floor_divide, maximum, minimum, clamp, where, masked_fill, lerp)
}
OPERATIONS |= {each.__name__: each for each in (addcmul, matmul, bmm, baddbmm, outer)}
OPERATIONS |= {
    "dot": matmul,
    "mm": matmul,
    "mv": matmul,
    "addmm": baddbmm,
    "divide": div,
    "multiply": mul,
    "subtract": sub,
    "absolute": OPERATIONS["abs"],
}

SIGNS = {"add": add, "sub": sub, "mul": mul, "truediv": div, "pow": pow, "matmul": matmul, "mod": remainder, "floordiv": floor_divide}
SIGNS |= {"and": OPERATIONS["bitwise_and"], "or": OPERATIONS["bitwise_or"], "xor": OPERATIONS["bitwise_xor"]}


def attach() -> None:
    """Give the tensor its operations, as methods and as signs."""
    for name, function in OPERATIONS.items():
        setattr(Tensor, name, function)
    Tensor.where = lambda x, condition, y: where(condition, x, y)
    for name, function in SIGNS.items():
        setattr(Tensor, f"__{name}__", function)
        setattr(Tensor, f"__r{name}__", lambda x, y, function=function: function(y, x))
        setattr(Tensor, f"__i{name}__", lambda x, y, function=function: x.become(function(x._before(), y)))
    for name in ("eq", "ne", "lt", "le", "gt", "ge"):
        setattr(Tensor, f"__{name}__", OPERATIONS[name])
    Tensor.__neg__, Tensor.__abs__, Tensor.__invert__ = OPERATIONS["neg"], OPERATIONS["abs"], OPERATIONS["bitwise_not"]
    Tensor.__pos__ = lambda x: x


def to(x: Tensor, *how: Any, dtype: Any = None, device: Any = None, copy: bool = False, non_blocking: bool = False) -> Tensor:
    """To another type, that of another tensor, or a device (there is one)."""
    for each in how:
        dtype = each.array.dtype if isinstance(each, Tensor) else dtype if isinstance(each, str | bool) else each
    moved = x if dtype is None else cast(x, dtype)
    return moved + 0 if copy and moved is x else moved
