"""What moves numbers about without changing them: views, indices, joins. The gradient moves them back."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from .kinds import operands
from .tensor import Array, Tensor, made, plain, unbroadcast


def _sizes(given: tuple) -> tuple[int, ...]:
    """view(2, 3) and view((2, 3)) mean the same."""
    return tuple(map(int, given[0] if len(given) == 1 and isinstance(given[0], Sequence) else given))


def reshape(x: Tensor, *shape: Any) -> Tensor:
    before = x.array.shape
    return made(x.array.reshape(_sizes(shape)), (x, lambda g: g.reshape(before)))


def flatten(x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    shape, first, last = x.array.shape, start_dim % max(x.ndim, 1), end_dim % max(x.ndim, 1)
    return reshape(x, (*shape[:first], int(np.prod(shape[first : last + 1])), *shape[last + 1 :]))


def unflatten(x: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    dim %= x.ndim
    return reshape(x, (*x.array.shape[:dim], *sizes, *x.array.shape[dim + 1 :]))


def transpose(x: Tensor, dim0: int, dim1: int) -> Tensor:
    return made(x.array.swapaxes(dim0, dim1), (x, lambda g: g.swapaxes(dim0, dim1)))


def permute(x: Tensor, *dims: Any) -> Tensor:
    order = _sizes(dims)
    return made(x.array.transpose(order), (x, lambda g: g.transpose(np.argsort(order))))


def movedim(x: Tensor, source: int, destination: int) -> Tensor:
    return made(np.moveaxis(x.array, source, destination), (x, lambda g: np.moveaxis(g, destination, source)))


def squeeze(x: Tensor, dim: int | None = None) -> Tensor:
    shape = x.array.shape
    kept = [size for axis, size in enumerate(shape) if size != 1 or (dim is not None and axis != dim % len(shape))]
    return reshape(x, tuple(kept))


def unsqueeze(x: Tensor, dim: int) -> Tensor:
    return made(np.expand_dims(x.array, dim), (x, lambda g: g.reshape(x.array.shape)))


def expand(x: Tensor, *shape: Any) -> Tensor:
    """To a larger shape by repetition; -1 keeps a size."""
    sizes = _sizes(shape)
    old = (1,) * (len(sizes) - x.ndim) + x.array.shape
    wanted = tuple(o if s == -1 else s for o, s in zip(old, sizes, strict=True))
    return made(np.broadcast_to(x.array, wanted), (x, lambda g: unbroadcast(g, x.array.shape)))


def flip(x: Tensor, *dims: Any) -> Tensor:
    axes = _sizes(dims)
    return made(np.flip(x.array, axes), (x, lambda g: np.flip(g, axes)))


def roll(x: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    back = [-s for s in shifts] if isinstance(shifts, Sequence) else -shifts
    return made(np.roll(x.array, shifts, dims), (x, lambda g: np.roll(g, back, dims)))


def clone(x: Tensor) -> Tensor:
    return made(x.array.copy(), (x, lambda g: g))


def repeat(x: Tensor, *times: Any) -> Tensor:
    counts = _sizes(times)
    shape = (1,) * (len(counts) - x.ndim) + x.array.shape
    pairs = tuple(size for pair in zip(counts, shape, strict=True) for size in pair)
    over = tuple(range(0, 2 * len(counts), 2))
    return made(np.tile(x.array, counts), (x, lambda g: g.reshape(pairs).sum(over).reshape(x.array.shape)))


def repeat_interleave(x: Tensor, repeats: int, dim: int) -> Tensor:
    axis = dim % x.ndim
    split = (*x.array.shape[: axis + 1], repeats, *x.array.shape[axis + 1 :])
    return made(np.repeat(x.array, repeats, axis), (x, lambda g: g.reshape(split).sum(axis + 1)))


def tril(x: Tensor, diagonal: int = 0) -> Tensor:
    return made(np.tril(x.array, diagonal), (x, lambda g: np.tril(g, diagonal)))


def triu(x: Tensor, diagonal: int = 0) -> Tensor:
    return made(np.triu(x.array, diagonal), (x, lambda g: np.triu(g, diagonal)))


def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    def back(g: Array) -> Array:
        z = np.zeros_like(x.array)
        part = np.diagonal(z, offset, dim1, dim2)
        part.flags.writeable = True
        part[...] = g
        return z

    return made(np.diagonal(x.array, offset, dim1, dim2), (x, back))


# ------------------------------------------------------------------------------------------------------ cut and joined
def chunk(x: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    return split(x, -(-x.array.shape[dim] // chunks), dim)


def split(x: Tensor, size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces of one size, or of the sizes in a list."""
    length, axis = x.array.shape[dim], dim % x.ndim
    sizes = size if isinstance(size, Sequence) else [min(size, length - begin) for begin in range(0, length, size)]
    ends = np.cumsum(sizes).tolist()
    before = (slice(None),) * axis
    return tuple(x[(*before, slice(end - each, end))] for end, each in zip(ends, sizes, strict=True))


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    before = (slice(None),) * (dim % x.ndim)
    return tuple(x[(*before, i)] for i in range(x.array.shape[dim]))


def cat(tensors: Sequence[Tensor], dim: int = 0, *, out: Tensor | None = None) -> Tensor:
    given = operands(*tensors)
    value = np.concatenate([t.array for t in given], dim)
    ends = np.cumsum([t.array.shape[dim] for t in given]).tolist()
    before = (slice(None),) * (dim % value.ndim)

    def part(i: int) -> Any:
        index = (*before, slice(ends[i] - given[i].array.shape[dim], ends[i]))
        return lambda g: g[index]

    return made(value, *((t, part(i)) for i, t in enumerate(given)))


def stack(tensors: Sequence[Tensor], dim: int = 0) -> Tensor:
    given = operands(*tensors)
    value = np.stack([t.array for t in given], dim)
    before = (slice(None),) * (dim % value.ndim)
    return made(value, *((t, lambda g, i=i: g[(*before, i)]) for i, t in enumerate(given)))


def hstack(tensors: Sequence[Tensor]) -> Tensor:
    return cat(tensors, 0 if tensors[0].ndim == 1 else 1)


# ------------------------------------------------------------------------------------------------------------- indexed
def _basic(key: Any) -> bool:
    """Whether an index takes no entry twice: numbers and slices."""
    parts = key if isinstance(key, tuple) else (key,)
    return all(part is None or part is ... or isinstance(part, int | slice) for part in parts)


def getitem(x: Tensor, index: Any) -> Tensor:
    key = plain(index)

    def back(g: Array) -> Array:
        z = np.zeros_like(x.array)
        if basic:
            z[key] = g
        else:
            np.add.at(z, key, g)
        return z

    basic = _basic(key)
    return made(x.array[key], (x, back))


def gather(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """out[i, j] = x[i, index[i, j]] along `dim`; the other axes of index may be shorter than those of x."""
    places = _along(index.array, dim)
    return getitem(x, places)


def _along(index: Array, dim: int) -> tuple:
    axes = list(np.indices(index.shape, sparse=True))
    axes[dim] = index
    return tuple(axes)


def scatter(x: Tensor, dim: int, index: Tensor, source: Any) -> Tensor:
    y = clone(x)
    y[_along(index.array, dim)] = source
    return y


def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    places, value = _along(index.array, dim), x.array.copy()
    np.add.at(value, places, source.array)
    return made(value, (x, lambda g: g), (source, lambda g: g[places]))


def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    return x[(*(slice(None),) * (dim % x.ndim), index)]


def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    places, value = (*(slice(None),) * (dim % x.ndim), index.array), x.array.copy()
    np.add.at(value, places, source.array)
    return made(value, (x, lambda g: g), (source, lambda g: g[places]))


METHODS = (
    reshape, flatten, unflatten, transpose, permute, movedim, squeeze, unsqueeze, expand, flip, roll, clone, repeat, repeat_interleave,
    tril, triu, diagonal, chunk, split, unbind, gather, scatter, scatter_add, index_select, index_add,
)  # fmt: skip
OPERATIONS = {each.__name__: each for each in METHODS} | {"view": reshape, "swapaxes": transpose}
JOINS = {"cat": cat, "stack": stack, "hstack": hstack, "concatenate": cat}


def attach() -> None:
    for name, function in OPERATIONS.items():
        setattr(Tensor, name, function)
    Tensor.__getitem__ = getitem
    Tensor.contiguous = lambda x: x
    Tensor.expand_as = lambda x, other: expand(x, other.shape)
    Tensor.view_as = lambda x, other: reshape(x, other.shape)
    Tensor.T = Tensor.mT = property(lambda x: transpose(x, -1, -2) if x.ndim > 1 else x)
    Tensor.t = lambda x: x.T
