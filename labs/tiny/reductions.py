"""What takes an axis together: sums, means, extremes, softmax, layer norm, losses."""

from collections import namedtuple
from functools import wraps
from inspect import signature
from typing import Any

import numpy as np

from .indices import gather
from .kinds import alike, cast, floating, held
from .shapes import axis_of
from .tensor import Array, Tensor, made

Largest = namedtuple("Largest", "values indices")


def named(function: Any) -> Any:
    """Takes NumPy's names `axis` and `keepdims` too, as torch does, and `out`."""
    switches = [i for i, name in enumerate(signature(function).parameters) if name in ("keepdim", "unbiased")]

    @wraps(function)
    def call(*args: Any, axis: Any = None, keepdims: Any = None, out: Tensor | None = None, **given: Any) -> Any:
        if [i for i in switches if len(args) > i and not isinstance(args[i], bool)]:
            raise TypeError(f"a bool is missing among the arguments {args[1:]}: two axes are a tuple")
        given |= {} if axis is None else {"dim": axis}
        given |= {} if keepdims is None else {"keepdim": keepdims}
        result = function(*args, **given)
        return result if out is None else out.copy_(result)

    return call


def _axes(dim: Any) -> Any:
    """No axis at all means all of them."""
    return tuple(dim) or None if isinstance(dim, list | tuple) else dim


def _asked(dim: Any, keepdim: bool) -> Any:
    if dim is None and keepdim:
        raise TypeError("keepdim is an argument beside dim")
    return _axes(dim)


def spread(g: Array, dim: Any, keepdim: bool, shape: tuple) -> Array:
    """The gradient of a reduction, with the axes that it took away, at the full shape."""
    if not keepdim and dim is not None:
        g = np.expand_dims(g, dim)
    return np.broadcast_to(g, shape)


def _long(x: Tensor) -> Tensor:
    return x if x.is_floating_point() else cast(x, np.int64)


@named
def sum(x: Tensor, dim: Any = None, keepdim: bool = False, *, dtype: Any = None) -> Tensor:
    dim = _asked(dim, keepdim)
    x = cast(x, dtype) if dtype is not None else _long(x)
    return made(x.array.sum(dim, keepdims=keepdim), (x, lambda g: spread(g, dim, keepdim, x.array.shape)))


@named
def mean(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    total = sum(x, dim, keepdim)
    return total / (x.array.size / max(total.array.size, 1))


def _spread_out(root: bool) -> Any:
    @named
    def spread_out(
        x: Tensor,
        dim: Any = None,
        unbiased: bool | None = None,
        keepdim: bool = False,
        *,
        correction: float | None = None,
    ) -> Tensor:
        """The variance, or its root: torch's arguments are (unbiased), (dim, unbiased, keepdim) and (dim, correction=,
        keepdim=)."""
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        dim, less = _axes(dim), correction if correction is not None else 0 if unbiased is False else 1
        away = x.array - x.array.min(
            dim, keepdims=True
        )  # first, so that equal entries are equal to their mean to the bit
        away -= away.mean(dim, keepdims=True)
        total = (away * away).sum(dim, keepdims=keepdim)
        count = np.float64(max(x.array.size / max(total.size, 1) - less, 0)).astype(x.dtype)
        value = np.sqrt(total / count) if root else total / count
        inner = lambda g: np.where(value == 0, 0, g / (2 * value)) if root else g  # torch's 0 where all are equal
        return made(value, (x, lambda g: spread(inner(g), dim, keepdim, x.array.shape) * (2 / count) * away))

    return spread_out


var, std = _spread_out(False), _spread_out(True)


@named
def prod(x: Tensor, dim: int | None = None, keepdim: bool = False) -> Tensor:
    if isinstance(_asked(dim, keepdim), tuple):
        raise TypeError("prod takes one axis as its argument")
    x = _long(x)
    value = x.array.prod(dim, keepdims=keepdim)

    def back(g: Array) -> Array:
        g = spread(g, dim, keepdim, x.array.shape)
        if (x.array != 0).all():
            return g * spread(value, dim, keepdim, x.array.shape) / x.array
        flat = x.array.reshape(-1) if dim is None else np.moveaxis(x.array, dim, 0)
        ones = np.ones_like(flat[:1])
        before = np.cumprod(np.concatenate([ones, flat[:-1]]), 0)  # the product of all others is that of all before
        after = np.cumprod(np.concatenate([ones, flat[:0:-1]]), 0)[::-1]  # and all after
        others = before * after
        return g * (others.reshape(x.array.shape) if dim is None else np.moveaxis(others, 0, dim))

    return made(value, (x, back))


@named
def cumsum(x: Tensor, dim: int) -> Tensor:
    x = _long(x)
    return made(np.cumsum(x.array, dim), (x, lambda g: np.flip(np.cumsum(np.flip(g, dim), dim), dim)))


def _extreme(name: str) -> Any:
    best, pair = getattr(np, name), "minimum" if name == "min" else "maximum"

    def place(a: Array, dim: Any, keepdims: bool) -> Array:
        return getattr(np, f"arg{name}")(a, dim, keepdims=keepdims).astype(np.int64)

    @named
    def extremes(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        """Of equal extremes each gets its share of the gradient."""
        dim = _axes(dim)
        top = best(x.array, dim, keepdims=True)
        value, chosen = top if keepdim else top.squeeze(dim), x.array == top
        share = lambda g: spread(g, dim, keepdim, x.array.shape) * chosen / chosen.sum(dim, keepdims=True)
        return made(value, (x, share))

    @named
    def extreme(x: Tensor, dim: Any = None, keepdim: bool = False) -> Any:
        """The extreme of all; along `dim` with its place; of two tensors entry by entry."""
        if isinstance(dim, Tensor):
            return getattr(x, pair)(dim)
        if dim is None:
            return extremes(x, _asked(dim, keepdim))
        at = Tensor(place(x.array, dim, True))
        values = gather(x, dim, at)
        return Largest(values, at) if keepdim else Largest(values.squeeze(dim), at.squeeze(dim))

    @named
    def where(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
        return Tensor(place(x.array, dim, keepdim))

    return {name: extreme, f"a{name}": extremes, f"arg{name}": where}


@named
def all(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return Tensor(x.array.all(dim, keepdims=keepdim))


@named
def any(x: Tensor, dim: Any = None, keepdim: bool = False) -> Tensor:
    return Tensor(x.array.any(dim, keepdims=keepdim))


def sort(x: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Largest:
    order = argsort(x, dim, descending)
    return Largest(gather(x, dim, order), order)


def argsort(x: Tensor, dim: int = -1, descending: bool = False, *, stable: bool = False) -> Tensor:
    """What is no number counts as the largest; equal numbers stay in their order."""
    axis = axis_of(x, dim)
    if not descending:
        return Tensor(np.argsort(x.array, axis, kind="stable").astype(np.int64))
    last = np.flip(np.argsort(np.flip(x.array, axis), axis, kind="stable"), axis)
    return Tensor((x.array.shape[axis] - 1 - last).astype(np.int64))


def topk(x: Tensor, k: int, dim: int = -1) -> Largest:
    axis = axis_of(x, dim)
    if not 0 <= k <= x.shape[axis]:
        raise RuntimeError(f"selected index k out of range: {k} of {x.shape[axis]}")
    order = Tensor(argsort(x, axis, True).array[(*(slice(None),) * axis, slice(k))])
    return Largest(gather(x, axis, order), order)


# ------------------------------------------------------------------------------------------------------------- softmax
@named
def softmax(x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    x = x if dtype is None else cast(x, dtype)
    e = np.exp(x.array - x.array.max(dim, keepdims=True))
    y = e / e.sum(dim, keepdims=True)
    return made(y, (x, lambda g: y * (g - (g * y).sum(dim, keepdims=True))))


@named
def log_softmax(x: Tensor, dim: int, dtype: Any = None) -> Tensor:
    x = x if dtype is None else cast(x, dtype)
    away = x.array - x.array.max(dim, keepdims=True)
    y = away - np.log(np.exp(away).sum(dim, keepdims=True))
    return made(y, (x, lambda g: g - np.exp(y) * g.sum(dim, keepdims=True)))


@named
def logsumexp(x: Tensor, dim: Any, keepdim: bool = False) -> Tensor:
    x, dim = floating(x), _axes(dim)
    top = x.array.max(dim, keepdims=True)
    top = np.where(np.isinf(top), 0, top)  # ∞ - ∞ is no number
    total = top + np.log(np.exp(x.array - top).sum(dim, keepdims=True))
    value = total if keepdim else np.squeeze(total, dim)
    return made(value, (x, lambda g: spread(g, dim, keepdim, x.array.shape) * np.exp(x.array - total)))


@named
def norm(x: Tensor, p: Any = "fro", dim: Any = None, keepdim: bool = False) -> Tensor:
    """(Σ |x|ᵖ)^(1/p). Where it is 0 its gradient is 0, as torch's is."""
    p, dim = 2 if p in ("fro", None) else p, _axes(dim)
    if np.isinf(p):
        return (x.abs().amax if p > 0 else x.abs().amin)(dim, keepdim)
    size = np.abs(x.array)
    if p == 0:
        return made((size > 0).sum(dim, keepdims=keepdim).astype(x.dtype), (x, lambda g: np.zeros_like(x.array)))
    value = (
        np.sqrt((x.array * x.array).sum(dim, keepdims=keepdim))
        if p == 2
        else (size**p).sum(dim, keepdims=keepdim) ** (1 / p)
    )

    def back(g: Array) -> Array:
        slope = x.array if p == 2 else np.sign(x.array) * np.where((size == 0) & (p < 1), 0, size ** (p - 1))
        return spread(np.where(value == 0, 0, g / value ** (p - 1)), dim, keepdim, x.array.shape) * slope

    return made(value, (x, back))


def native_layer_norm(
    x: Tensor, shape: Any, weight: Tensor | None, bias: Tensor | None, eps: float
) -> tuple[Tensor, Tensor, Tensor]:
    """(x - mean) / √(variance + eps) over the last axes, times weight, plus bias; the mean and 1/√… too."""
    axes, a = tuple(range(-len(shape), 0)), x.array
    given = [each for each in (weight, bias) if each is not None]
    ends = [a.shape[-len(shape) :], *(each.array.shape for each in given)]
    if set(ends) != {tuple(shape)}:
        raise RuntimeError(
            f"layer_norm takes input, weight and bias that end in normalized_shape {list(shape)}, got {ends}"
        )
    alike("layer_norm", x, *given)
    middle = a.mean(axes, keepdims=True)
    inverse = 1 / np.sqrt(((a - middle) ** 2).mean(axes, keepdims=True) + eps)
    y = made((a - middle) * inverse, (x, lambda g: norm_back(g, (a - middle) * inverse, inverse, axes)))
    y = y if weight is None else y * weight
    return y if bias is None else y + bias, Tensor(middle), Tensor(inverse)


def norm_back(g: Array, standard: Array, inverse: Array, axes: tuple[int, ...]) -> Array:
    centred = g - g.mean(axes, keepdims=True)
    return inverse * (centred - standard * (g * standard).mean(axes, keepdims=True))


OPERATIONS = {
    f.__name__: f
    for f in (sum, mean, prod, cumsum, all, any, sort, argsort, topk, softmax, log_softmax, logsumexp, norm)
}
OPERATIONS = held(OPERATIONS | _extreme("max") | _extreme("min") | {"var": var, "std": std})
