"""What moves numbers about without changing them: views, pieces, joins. The gradient moves them back."""

from collections.abc import Sequence
from operator import index
from typing import Any

import numpy as np

from .kinds import held, operands
from .tensor import Array, Tensor, made, plain, unbroadcast


def _sizes(given: tuple) -> tuple[int, ...]:
    """view(2, 3) and view((2, 3)) mean the same."""
    return tuple(map(index, given[0] if len(given) == 1 and isinstance(given[0], Sequence) else given))


def axis_of(x: Tensor, dim: int) -> int:
    """The axis counted from the first. A tensor without axes has one to be named."""
    count = max(x.array.ndim, 1)
    if not -count <= dim < count:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})")
    return dim % count


def reshape(x: Tensor, *shape: Any) -> Tensor:
    before, sizes = x.array.shape, _sizes(shape)
    if min(sizes, default=0) < -1:
        raise RuntimeError(f"invalid shape dimension among {sizes}")
    return made(x.array.reshape(sizes), (x, lambda g: g.reshape(before)))


def view(x: Tensor, *shape: Any) -> Tensor:
    """The same memory in another shape, or an error."""
    y = reshape(x, *shape)
    if x.array.size and not np.may_share_memory(x.array, y.array):
        raise RuntimeError(
            "view size is not compatible with input tensor's size and stride. Use .reshape(...) instead."
        )
    return y


def flatten(x: Tensor, start_dim: int = 0, end_dim: int = -1) -> Tensor:
    shape, first, last = x.array.shape, axis_of(x, start_dim), axis_of(x, end_dim)
    if first > last:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    return reshape(x, (*shape[:first], int(np.prod(shape[first : last + 1])), *shape[last + 1 :]))


def unflatten(x: Tensor, dim: int, sizes: Sequence[int]) -> Tensor:
    dim = axis_of(x, dim)
    return reshape(x, (*x.array.shape[:dim], *_sizes((sizes,)), *x.array.shape[dim + 1 :]))


def transpose(x: Tensor, dim0: int, dim1: int) -> Tensor:
    if not x.ndim:
        return x[...]
    return made(x.array.swapaxes(dim0, dim1), (x, lambda g: g.swapaxes(dim0, dim1)))


def t(x: Tensor) -> Tensor:
    if x.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {x.ndim}D")
    return transpose(x, 0, 1) if x.ndim == 2 else x


def permute(x: Tensor, *dims: Any) -> Tensor:
    order = tuple(axis_of(x, dim) for dim in _sizes(dims))
    return made(x.array.transpose(order), (x, lambda g: g.transpose(np.argsort(order))))


def movedim(x: Tensor, source: int, destination: int) -> Tensor:
    return made(np.moveaxis(x.array, source, destination), (x, lambda g: np.moveaxis(g, destination, source)))


def squeeze(x: Tensor, dim: Any = None) -> Tensor:
    dims = (
        range(x.ndim) if dim is None else [axis_of(x, each) for each in (dim if isinstance(dim, Sequence) else (dim,))]
    )
    return reshape(x, tuple(size for axis, size in enumerate(x.array.shape) if size != 1 or axis not in dims))


def unsqueeze(x: Tensor, dim: int) -> Tensor:
    return made(np.expand_dims(x.array, dim), (x, lambda g: g.reshape(x.array.shape)))


def expand(x: Tensor, *shape: Any) -> Tensor:
    """To a larger shape by repetition; -1 keeps a size."""
    sizes = _sizes(shape)
    if -1 in sizes[: len(sizes) - x.ndim]:
        raise RuntimeError("The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension")
    old = (1,) * (len(sizes) - x.ndim) + x.array.shape
    wanted = tuple(o if s == -1 else s for o, s in zip(old, sizes, strict=True))
    return made(np.broadcast_to(x.array, wanted), (x, lambda g: unbroadcast(g, x.array.shape)))


def _writable(view: Array) -> Array:
    """NumPy guards some views against changes; torch changes what they show."""
    view.flags.writeable = True
    return view


def flip(x: Tensor, *dims: Any) -> Tensor:
    axes = _sizes(dims)
    return made(np.flip(x.array, axes).copy(), (x, lambda g: np.flip(g, axes)))


def roll(x: Tensor, shifts: Any, dims: Any = None) -> Tensor:
    if isinstance(shifts, Sequence) and (not isinstance(dims, Sequence) or len(dims) != len(shifts)):
        raise RuntimeError(f"shifts and dimensions must align: {shifts}, {dims}")
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


def repeat_interleave(x: Tensor, repeats: Any, dim: int | None = None) -> Tensor:
    if dim is None:
        return repeat_interleave(flatten(x), repeats, 0)
    axis = axis_of(x, dim)
    return x[(*(slice(None),) * axis, np.repeat(np.arange(x.shape[axis]), plain(repeats)))]


def _triangle(name: str) -> Any:
    part = getattr(np, name)

    def triangle(x: Tensor, diagonal: int = 0) -> Tensor:
        if x.ndim < 2:
            raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")
        return made(part(x.array, diagonal), (x, lambda g: part(g, diagonal)))

    return triangle


def diagonal(x: Tensor, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Tensor:
    def back(g: Array) -> Array:
        z = np.zeros_like(x.array)
        _writable(np.diagonal(z, offset, dim1, dim2))[...] = g
        return z

    return made(_writable(np.diagonal(x.array, offset, dim1, dim2)), (x, back))


# ------------------------------------------------------------------------------------------------------ cut and joined
def chunk(x: Tensor, chunks: int, dim: int = 0) -> tuple[Tensor, ...]:
    return split(x, -(-x.array.shape[dim] // chunks), dim)


def split(x: Tensor, size: Any, dim: int = 0) -> tuple[Tensor, ...]:
    """Pieces of one size, or of the sizes in a list."""
    axis = axis_of(x, dim)
    length = x.array.shape[axis]
    sizes = size if isinstance(size, Sequence) else [min(size, length - begin) for begin in range(0, length, size)]
    if sum(sizes) != length:
        raise RuntimeError(f"split takes sizes that sum to {length}, got {list(sizes)}")
    ends = np.cumsum(sizes).tolist()
    before = (slice(None),) * axis
    return tuple(x[(*before, slice(end - each, end))] for end, each in zip(ends, sizes, strict=True))


def unbind(x: Tensor, dim: int = 0) -> tuple[Tensor, ...]:
    before = (slice(None),) * axis_of(x, dim)
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


METHODS = (
    reshape, view, flatten, unflatten, transpose, t, permute, movedim, squeeze, unsqueeze, expand, flip, roll, clone,
    repeat,
    repeat_interleave, diagonal, chunk, split, unbind,
)  # fmt: skip
OPERATIONS = held(
    {each.__name__: each for each in METHODS}
    | {name: _triangle(name) for name in ("tril", "triu")}
    | {"swapaxes": transpose},
    warns=False,
)
JOINS = held({"cat": cat, "stack": stack, "hstack": hstack, "concatenate": cat}, warns=False)


def _turned(x: Tensor) -> Tensor:
    if x.ndim < 2:
        raise RuntimeError(f"tensor.mT is only supported on matrices or batches of matrices. Got {x.ndim}-D tensor.")
    return transpose(x, -1, -2)


def attach() -> None:
    Tensor.contiguous = lambda x: (
        x if x.array.flags.c_contiguous else made(np.ascontiguousarray(x.array), (x, lambda g: g))
    )
    Tensor.expand_as = lambda x, other: expand(x, other.shape)
    Tensor.view_as = lambda x, other: view(x, other.shape)
    Tensor.mT = property(_turned)
    Tensor.T = property(lambda x: t(x) if x.ndim < 3 else permute(x, *reversed(range(x.ndim))))
