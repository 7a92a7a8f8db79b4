"""What takes an axis together: sums, means, extremes, softmax, layer norm, losses."""

from collections import namedtuple
from functools import wraps
from typing import Any

import numpy as np

from .kinds import cast, floating
from .shapes import gather
from .tensor import Array, Tensor, made

Largest = namedtuple("Largest", "values indices")


def named(function: Any) -> Any:
    """Takes NumPy's names `axis` and `keepdims` too, as torch does, and `out`."""

    @wraps(function)
    def call(*args: Any, axis: Any = None, keepdims: Any = None, out: Tensor | None = None, **given: Any) -> Any:
        given |= {} if axis is None else {"dim": axis}
        given |= {} if keepdims is None else {"keepdim": keepdims}
        result = function(*args, **given)
        return result if out is None else out.copy_(result)

    return call


def _axes(dim: Any) -> Any:
    return tuple(dim) if isinstance(dim, list | tuple) else dim


def spread(g: Array, dim: Any, keepdim: bool, shape: tuple) -> Array:
    """The gradient of a reduction, with the axes that it took away, at the full shape."""
    if not keepdim and dim is not None:
        g = np.expand_dims(g, dim)
    return np.broadcast_to(g, shape)


@named
def sum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    dim = _axes(dim)
    x = cast(x, np.int64) if x.dtype.kind in "biu" and dtype is None else x if dtype is None else cast(x, dtype)
    return made(x.array.sum(dim, keepdims=keepdim), (x, lambda g: spread(g, dim, keepdim, x.array.shape)))


@named
def mean(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    total = sum(x, dim, keepdim)
    return total / (x.array.size / max(total.array.size, 1))


@named
def var(x: Tensor, dim: Any = None, keepdim: bool = False, *, correction: float = 1, unbiased: bool = True) -> Tensor:
    away = x - mean(x, dim, True)
    total = sum(away * away, dim, keepdim)
    return total / (x.array.size / total.array.size - (correction if unbiased else 0))


@named
def std(x: Tensor, dim: Any = None, keepdim: bool = False, **how: Any) -> Tensor:
    return var(x, dim, keepdim, **how).sqrt()


@named
def prod(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    """No entry may be 0 where a gradient is asked for."""
    value = x.array.prod(dim, keepdims=keepdim)
    return made(value, (x, lambda g: spread(g * value, dim, keepdim, x.array.shape) / x.array))


@named
def cumsum(x: Tensor, dim: int) -> Tensor:
    x = cast(x, np.int64) if x.dtype.kind == "b" else x
    return made(np.cumsum(x.array, dim), (x, lambda g: np.flip(np.cumsum(np.flip(g, dim), dim), dim)))


def _extreme(name: str) -> Any:
    best, place, pair = getattr(np, name), getattr(np, f"arg{name}"), "minimum" if name == "min" else "maximum"

    @named
    def extreme(x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        """The extreme of all; along `dim` with its place; of two tensors entry by entry."""
        if isinstance(dim, Tensor):
            return getattr(x, pair)(dim)
        if dim is None:
            value = best(x.array)
            return made(value, (x, lambda g: g * (x.array == value) / (x.array == value).sum()))
        at = Tensor(np.expand_dims(place(x.array, dim), dim))
        values = gather(x, dim % x.ndim, at)
        return Largest(values, at) if keepdim else Largest(values.squeeze(dim), at.squeeze(dim))

    @named
    def extremes(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return extreme(x, dim, keepdim)[0] if isinstance(dim, int) else extreme(x)

    @named
    def where(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return Tensor(place(x.array, dim, keepdims=keepdim))

    return {name: extreme, f"a{name}": extremes, f"arg{name}": where}


@named
def all(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return Tensor(x.array.all(dim, keepdims=keepdim))


@named
def any(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return Tensor(x.array.any(dim, keepdims=keepdim))


def sort(x: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Largest:
    order = argsort(x, dim, descending)
    return Largest(gather(x, dim % x.ndim, order), order)


def argsort(x: Tensor, dim: int = -1, descending: bool = False, stable: bool = False) -> Tensor:
    return Tensor(np.argsort(-x.array if descending else x.array, dim, kind="stable"))


def topk(x: Tensor, k: int, dim: int = -1) -> Largest:
    order = argsort(x, dim, True).array.swapaxes(dim, -1)[..., :k].swapaxes(dim, -1)
    return Largest(gather(x, dim % x.ndim, Tensor(order)), Tensor(order))


# ------------------------------------------------------------------------------------------------------------- softmax
@named
def softmax(x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    x = floating(x)
    with np.errstate(all="ignore"):
        e = np.exp(x.array - x.array.max(dim, keepdims=True))
        y = e / e.sum(dim, keepdims=True)
    return made(y, (x, lambda g: y * (g - (g * y).sum(dim, keepdims=True))))


@named
def log_softmax(x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    x = floating(x)
    away = x.array - x.array.max(dim, keepdims=True)
    y = away - np.log(np.exp(away).sum(dim, keepdims=True))
    return made(y, (x, lambda g: g - np.exp(y) * g.sum(dim, keepdims=True)))


@named
def logsumexp(x: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    top = x.array.max(dim, keepdims=True)
    total = top + np.log(np.exp(x.array - top).sum(dim, keepdims=True))
    value = total if keepdim else np.squeeze(total, dim)
    return made(value, (x, lambda g: spread(g, dim, keepdim, x.array.shape) * np.exp(x.array - total)))


@named
def norm(x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    if ord != 2:
        return (x.abs() ** ord).sum(dim, keepdim) ** (1 / ord) if np.isfinite(ord) else x.abs().amax(dim, keepdim)
    value = np.sqrt((x.array * x.array).sum(_axes(dim), keepdims=keepdim))
    with np.errstate(all="ignore"):
        return made(value, (x, lambda g: spread(g / np.where(value == 0, 1, value), _axes(dim), keepdim, x.array.shape) * x.array))


def native_layer_norm(x: Tensor, shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float) -> tuple[Tensor, Tensor, Tensor]:
    """(x - mean) / √(variance + eps) over the last axes, times weight, plus bias; the mean and 1/√… too."""
    axes, a = tuple(range(-len(shape), 0)), x.array
    middle = a.mean(axes, keepdims=True)
    inverse = 1 / np.sqrt(((a - middle) ** 2).mean(axes, keepdims=True) + eps)
    y = made((a - middle) * inverse, (x, lambda g: norm_back(g, (a - middle) * inverse, inverse, axes)))
    y = y if weight is None else y * weight
    return y if bias is None else y + bias, Tensor(middle), Tensor(inverse)


def norm_back(g: Array, standard: Array, inverse: Array, axes: tuple[int, ...]) -> Array:
    centred = g - g.mean(axes, keepdims=True)
    return inverse * (centred - standard * (g * standard).mean(axes, keepdims=True))


OPERATIONS = {
    f.__name__: f for f in (sum, mean, var, std, prod, cumsum, all, any, sort, argsort, topk, softmax, log_softmax, logsumexp, norm)
}
OPERATIONS |= _extreme("max") | _extreme("min")


def attach() -> None:
    for name, function in OPERATIONS.items():
        setattr(Tensor, name, function)
