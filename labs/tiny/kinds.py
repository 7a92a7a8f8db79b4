"""Which kinds of number an operation takes, and in which it works: torch's rules, which are not quite NumPy's."""

from functools import wraps
from typing import Any

import numpy as np

from .absent import HERE
from .tensor import Tensor, made, silence

_default = [np.dtype("float32")]
# torch's ints, and NumPy's own, which in the browser are half as long.
LONG = (np.dtype(np.int64), np.dtype(np.intp))
# What torch computes of floats only, and what of all but bools: elsewhere its kernel is missing.
FLOATS = frozenset("""
    mean var std norm softmax log_softmax lerp gelu silu softplus logsigmoid layer_norm native_layer_norm normalize \
cosine_similarity
    mse_loss nll_loss cross_entropy scaled_dot_product_attention multinomial matrix_norm vector_norm
""".split())  # fmt: skip  # noqa: SIM905
NUMBERS = frozenset("""
    abs absolute neg sign relu round floor ceil clamp floor_divide remainder argmax argmin topk addcmul searchsorted \
bincount
    matmul dot mm mv bmm addmm baddbmm linear bilinear
""".split())  # fmt: skip  # noqa: SIM905
# NumPy warns here of ∞ - ∞ only, and a training asks for these most: silence has its price.
CALM = frozenset(("add", "sub", "neg", "relu", "eq", "lt", "gt", "where", "matmul", "linear"))


def held(functions: dict[str, Any], warns: bool = True) -> dict[str, Any]:
    """The functions, refusing what torch's own refuse and naming the stand-in where they take less. NumPy's warnings
    are silenced."""
    return {name: _held(name, function, warns) for name, function in functions.items()}


def _held(name: str, function: Any, warns: bool) -> Any:
    warns = warns and name not in CALM
    takes, words = (
        ("f", "floats") if name in FLOATS else ("iuf", "numbers, no bools") if name in NUMBERS else ("biuf", "")
    )

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        first = args[0] if args and words else None
        if isinstance(first, Tensor) and first.array.dtype.kind not in takes and given.get("dtype") is None:
            raise NotImplementedError(f"{HERE} takes {words} in {name}, got {first.array.dtype}")
        try:
            if not warns or silence.on:
                return function(*args, **given)
            with silence():
                return function(*args, **given)
        except TypeError as error:
            raise TypeError(f"{HERE} at {name}: {error}") if "argument" in str(error) else error from None

    return call


def wider(one: np.dtype | None, other: np.dtype) -> np.dtype:
    """bool < int < float; of two of a kind the longer."""
    if one is None or "biuf".index(one.kind) < "biuf".index(other.kind):
        return other
    return one if one.kind != other.kind else np.promote_types(one, other)


def operand(value: Any) -> bool:
    """Whether this can stand beside a tensor in + and ×."""
    return isinstance(value, Tensor | int | float | np.number | np.bool_ | np.ndarray)


def operands(*values: Any) -> list[Tensor]:
    """Tensors of one type, by torch's rule: a number, or a tensor without axes, changes the kind at most, never the
    length."""
    if (
        len(values) == 2
        and isinstance(values[0], Tensor)
        and isinstance(values[1], Tensor)
        and values[0].array.dtype == values[1].array.dtype
    ):
        return list(values)  # the usual case, first: a training asks here at every operation
    if wrong := [type(value).__name__ for value in values if not operand(value)]:
        raise TypeError(f"an operation takes tensors and numbers as arguments, got {wrong[0]}")
    values = [Tensor(value) if isinstance(value, np.ndarray) else value for value in values]
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
                common = _default[0] if kind.kind == "f" else LONG[0] if kind.kind == "i" else kind
    return [cast(value, common) if isinstance(value, Tensor) else Tensor(np.asarray(value, common)) for value in values]


def alike(name: str, *values: Any) -> list[Tensor]:
    """Tensors that are of one type already, as torch asks of them: a product does not mix types."""
    kinds = [value.array.dtype for value in values if isinstance(value, Tensor)]
    kinds = [LONG[0] if kind in LONG else kind for kind in kinds]
    if any(kind != kinds[0] for kind in kinds):
        raise RuntimeError(
            f"{name} takes tensors of one dtype, in PyTorch and in labs/tiny, got {' and '.join(map(str, kinds))}"
        )
    return operands(*values)


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
