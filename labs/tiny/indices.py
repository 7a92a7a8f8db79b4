"""What is taken from a tensor, or put into it, by places. Places are torch's: only x[…] counts from the end."""

from typing import Any

import numpy as np

from .absent import HERE
from .kinds import alike, held, operand
from .shapes import axis_of, clone
from .tensor import Array, Tensor, made, plain, recorded, unbroadcast


def _key(part: Any) -> Any:
    """One part of an index for NumPy: torch takes a number out first, and no step back."""
    if isinstance(part, slice):
        if part.step is not None and part.step < 1:
            raise ValueError(f"step must be greater than zero, got {part.step}")
        return part
    if isinstance(part, list):
        if any(isinstance(each, list | Tensor) for each in part):
            raise NotImplementedError(f"{HERE} takes lists of lists or of tensors as an index by torch.tensor")
        part = np.asarray(part)
    part = plain(part)
    if isinstance(part, np.ndarray | np.integer) and part.ndim == 0 and part.dtype.kind in "iu":
        return int(part)
    return part.astype(bool) if isinstance(part, np.ndarray) and part.dtype == np.uint8 else part


class Aim:
    """Which part of an array an index means. Beside lists of places NumPy takes a number for a list too: so numbers go
    first."""

    def __init__(self, index: Any) -> None:
        parts = [_key(part) for part in (index if isinstance(index, tuple) else (index,))]
        number = lambda part: isinstance(part, int) and not isinstance(part, bool)
        self.basic = not any(isinstance(part, np.ndarray | bool) for part in parts)
        self.first: tuple | None = None
        if not self.basic and any(map(number, parts)):
            flags = lambda part: isinstance(part, np.ndarray) and part.dtype == bool
            wide = lambda part: (slice(None),) * (part.ndim if flags(part) else 1)
            first = [(part,) if number(part) or part is ... else wide(part) for part in parts if part is not None]
            self.first, parts = sum(first, ()), [part for part in parts if not number(part)]
        if self.basic and ... not in parts:
            parts.append(...)  # even of one number NumPy then gives the place, not a copy
        self.key = tuple(parts)

    def whole(self, array: Array) -> Array:
        return array if self.first is None else array[self.first]

    def back(self, g: Array, x: Array) -> Array:
        """The gradient of all of x, whose part has the gradient g."""
        z = np.zeros_like(x)
        if self.basic:
            z[self.key] = g
        else:
            np.add.at(self.whole(z), self.key, g)
        return z


def getitem(x: Tensor, index: Any) -> Tensor:
    aim = Aim(index)
    return made(aim.whole(x.array)[aim.key], (x, lambda g: aim.back(g, x.array)))


def setitem(x: Tensor, index: Any, value: Any) -> None:
    aim = Aim(index)
    if not operand(value):
        raise TypeError(f"can't assign a {type(value).__name__} to a tensor: a tensor or a number")
    value = value if isinstance(value, Tensor) else Tensor(np.asarray(value, x.array.dtype))
    if not aim.basic:
        alike("an index of places", x, value)
    if not (recorded() and (value.requires_grad or x.requires_grad)):
        aim.whole(x.array)[aim.key] = value.array
        return

    def kept(g: Array) -> Array:
        g = g.copy()
        aim.whole(g)[aim.key] = 0
        return g

    array = x.array.copy()
    more = value.ndim - aim.whole(array)[aim.key].ndim
    value = value.reshape(value.shape[more:]) if more > 0 else value
    aim.whole(array)[aim.key] = value.array
    x.become(made(array, (x._before(), kept), (value, lambda g: unbroadcast(aim.whole(g)[aim.key], value.array.shape))))


def within(places: Array, size: int, name: str) -> Array:
    """The places, if they are whole numbers from 0 to size - 1."""
    if places.dtype.kind != "i":
        raise RuntimeError(f"{name} takes places as ints, got {places.dtype}")
    if places.size and not 0 <= places.min() <= places.max() < size:
        wrong = places[(places < 0) | (places >= size)].flat[0]
        raise IndexError(f"{name}: index {wrong} is out of bounds for size {size}")
    return places


def _along(x: Tensor, dim: int, index: Tensor, name: str) -> tuple:
    if index.ndim != x.ndim:
        raise RuntimeError(f"{name} takes an index of as many dimensions as the input, {x.ndim}, got {index.ndim}")
    axes = list(np.indices(index.shape, sparse=True))
    axis = axis_of(x, dim)
    axes[axis] = within(index.array, x.shape[axis], name)
    return tuple(axes)


def _as_large(x: Tensor, index: Tensor, source: Any, name: str) -> Tensor:
    """As much of the source as there are places for."""
    alike(name, x, source)
    part = source[tuple(slice(size) for size in index.shape)]
    if index.shape != (source if source.requires_grad else part).shape:
        raise RuntimeError(
            f"{name} takes a source as large as the index, {list(index.shape)}, got {list(source.shape)}"
        )
    return part


def gather(x: Tensor, dim: int, index: Tensor) -> Tensor:
    """out[i, j] = x[i, index[i, j]] along `dim`; the other axes of index may be shorter than those of x."""
    return x[_along(x, dim, index, "gather")]


def scatter(x: Tensor, dim: int, index: Tensor, source: Any) -> Tensor:
    y = clone(x)
    y[_along(x, dim, index, "scatter")] = (
        _as_large(x, index, source, "scatter") if isinstance(source, Tensor) else source
    )
    return y


def scatter_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    places, source, value = (
        _along(x, dim, index, "scatter_add"),
        _as_large(x, index, source, "scatter_add"),
        x.array.copy(),
    )
    np.add.at(value, places, source.array)
    return made(value, (x, lambda g: g), (source, lambda g: g[places]))


def _before(x: Tensor, dim: int, index: Tensor, name: str) -> tuple:
    """All of the axes before `dim`, and on it the places of a list."""
    if index.ndim > 1:
        raise IndexError(f"{name} takes a vector of places, got {index.ndim} dimensions")
    axis = axis_of(x, dim)
    return (*(slice(None),) * axis, within(np.atleast_1d(index.array), x.shape[axis], name))


def index_select(x: Tensor, dim: int, index: Tensor) -> Tensor:
    return x[_before(x, dim, index, "index_select")]


def index_add(x: Tensor, dim: int, index: Tensor, source: Tensor) -> Tensor:
    places, value = _before(x, dim, index, "index_add"), x.array.copy()
    alike("index_add", x, source)
    if value[places].shape != source.shape:
        raise RuntimeError(f"index_add takes a source of shape {list(value[places].shape)}, got {list(source.shape)}")
    np.add.at(value, places, source.array)
    return made(value, (x, lambda g: g), (source, lambda g: g[places]))


OPERATIONS = held(
    {each.__name__: each for each in (gather, scatter, scatter_add, index_select, index_add)}, warns=False
)


def attach() -> None:
    Tensor.__getitem__, Tensor.__setitem__ = getitem, setitem
