"""A tensor that remembers how it was made.

`Tensor.array` holds the numbers (NumPy). What an operation makes keeps, for each operand, a function that turns the
gradient of the result into the gradient of that operand: `sources`. `graph.py` follows them back.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import ContextDecorator
from typing import Any

import numpy as np

from .absent import HERE, lacks

Array = np.ndarray
Source = tuple["Tensor", Callable[[Array], Array]]

_numbers = itertools.count()


class _State:
    recording = True


class recording(ContextDecorator):
    """Whether operations are remembered, inside a block or a function: `no_grad()` is recording(False)."""

    def __init__(self, on: bool) -> None:
        self.on, self.before = on, []

    def __enter__(self) -> None:
        self.before.append(_State.recording)
        _State.recording = self.on

    def __exit__(self, *_: object) -> None:
        _State.recording = self.before.pop()


def no_grad(function: Callable | None = None) -> Any:
    """`with no_grad():`, `@no_grad()` and `@no_grad`."""
    return recording(False) if function is None else recording(False)(function)


class silence:
    """Torch does not warn of 1/0 and its like: nor does NumPy inside. `on`, so that operations within operations need
    not ask again."""

    on = False

    def __enter__(self) -> None:
        self.before, self.warnings = silence.on, np.errstate(all="ignore")
        silence.on = True
        self.warnings.__enter__()

    def __exit__(self, *_: object) -> None:
        self.warnings.__exit__()
        silence.on = self.before


def recorded() -> bool:
    return _State.recording


class Tensor:
    """Numbers with a history."""

    __array_priority__ = 1000  # array @ tensor asks the tensor
    sources: tuple[Source, ...] = ()
    grad: "Tensor | None" = None
    learned = False
    number = -1
    device = "cpu"

    def __init__(self, array: Any, *more: Any) -> None:
        if more or isinstance(array, list | tuple):
            raise NotImplementedError(f"{HERE} makes tensors of numbers by torch.tensor, of sizes by torch.zeros")
        self.array = np.asarray(array)

    # --------------------------------------------------------------------------------------------------- what it is
    @property
    def shape(self) -> "Size":
        return Size(self.array.shape)

    def size(self, dim: int | None = None) -> Any:
        return self.shape if dim is None else self.array.shape[dim]

    @property
    def dtype(self) -> np.dtype:
        return self.array.dtype

    @property
    def ndim(self) -> int:
        return self.array.ndim

    def dim(self) -> int:
        return self.array.ndim

    def numel(self) -> int:
        return self.array.size

    def is_floating_point(self) -> bool:
        return self.array.dtype.kind == "f"

    @property
    def requires_grad(self) -> bool:
        """True for what is to be learned and for all that was computed from it."""
        return self.learned or bool(self.sources)

    @requires_grad.setter
    def requires_grad(self, on: bool) -> None:
        if on and not self.is_floating_point():
            raise RuntimeError(f"only tensors of floating point dtype can require gradients, got {self.dtype}")
        if self.sources and not on:
            raise RuntimeError("you can only change requires_grad flags of leaf variables: .detach() gives one")
        self.learned = bool(on)

    @property
    def is_leaf(self) -> bool:
        return not self.sources

    @property
    def grad_fn(self) -> Any:
        return self.sources or None

    # ---------------------------------------------------------------------------------------------- numbers out of it
    def item(self) -> Any:
        return self.array.item()

    def tolist(self) -> Any:
        return self.array.tolist()

    def numpy(self) -> Array:
        if self.requires_grad:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad. Use tensor.detach().numpy() instead.")
        return self.array

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        return np.array(self.numpy(), dtype=dtype, copy=copy)

    def __float__(self) -> float:
        return float(self.array.item())

    def __int__(self) -> int:
        return int(self.array.item())

    def __index__(self) -> int:
        if self.array.dtype.kind == "f":
            raise TypeError("only integer tensors of a single element can be converted to an index")
        return int(self)

    def __bool__(self) -> bool:
        if self.array.size != 1:
            raise RuntimeError("Boolean value of Tensor with more than one value is ambiguous")
        return bool(self.array.item())

    def __len__(self) -> int:
        if not self.array.ndim:
            raise TypeError("len() of a 0-d tensor")
        return len(self.array)

    def __iter__(self) -> Iterator["Tensor"]:
        return iter([self[i] for i in range(len(self))])

    def __contains__(self, value: Any) -> bool:
        return bool((self.array == plain(value)).any())

    def __format__(self, how: str) -> str:
        return format(self.array.item(), how) if self.array.ndim == 0 else format(repr(self), how)

    def __repr__(self) -> str:
        text = np.array2string(self.array, precision=4, separator=", ", prefix="tensor(")
        return f"tensor({text}{', requires_grad=True' if self.requires_grad else ''})"

    __hash__ = object.__hash__  # == compares entry by entry, so a tensor is a key by its identity

    # --------------------------------------------------------------------------------------------------- its history
    def detach(self) -> "Tensor":
        """The same numbers, in the same memory, without the history."""
        return Tensor(self.array)

    @property
    def data(self) -> "Tensor":
        return self.detach()

    @data.setter
    def data(self, value: "Tensor") -> None:
        self.array = value.array

    def requires_grad_(self, on: bool = True) -> "Tensor":
        self.requires_grad = on
        return self

    def __deepcopy__(self, memo: dict) -> "Tensor":
        if self.sources:
            raise RuntimeError(
                "Only Tensors created explicitly by the user support the deepcopy protocol at the moment."
            )
        made = type(self)(self.array.copy())
        made.requires_grad = self.requires_grad
        memo[id(self)] = made
        return made

    # ------------------------------------------------------------------------------------------------ changed in place
    def _before(self) -> "Tensor":
        """What this tensor was until now, as an operand of what it becomes."""
        if self.requires_grad and not self.sources and _State.recording:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        old = Tensor(self.array)
        old.sources, old.learned, old.number = self.sources, self.learned, self.number
        return old

    def become(self, other: "Tensor") -> "Tensor":
        """Take over another tensor's numbers and history: what x.add_(y) does with x + y."""
        if other.array.shape != self.array.shape:
            raise RuntimeError(
                f"output with shape {list(self.shape)} doesn't match the broadcast shape {list(other.shape)}"
            )
        if "biuf".index(other.array.dtype.kind) > "biuf".index(self.array.dtype.kind):
            raise RuntimeError(f"result type {other.dtype} can't be cast to the desired output type {self.dtype}")
        if other.sources:
            if self.array.base is not None:  # torch would change the whole as well, and its history
                raise NotImplementedError(
                    f"{HERE} cannot change a part of a tensor where gradients are recorded: change the whole"
                )
            self.array = other.array.astype(self.array.dtype, copy=False)
            self.sources, self.number = other.sources, other.number
        else:
            self.array[...] = other.array  # into the same memory: whoever looks at a part of it sees the change
        return self

    def __getattr__(self, name: str) -> Any:
        raise lacks(f"Tensor.{name}")


class Size(tuple):
    def __repr__(self) -> str:
        return f"torch.Size({list(self)})"

    def numel(self) -> int:
        return int(np.prod(self))


class Parameter(Tensor):
    """A tensor that a module owns and an optimiser changes."""

    def __init__(self, data: Any, requires_grad: bool = True) -> None:
        super().__init__(plain(data))
        self.requires_grad = requires_grad


# ------------------------------------------------------------------------------------------------------------ the graph
def made(array: Array, *sources: Source) -> Tensor:
    """The result of an operation; each source is an operand and what turns the result's gradient into the operand's."""
    result = Tensor(array)
    known = tuple([each for each in sources if each[0].learned or each[0].sources]) if _State.recording else ()
    if known and result.is_floating_point():  # ints have no gradient, and hand none on
        result.sources, result.number = known, next(_numbers)
    return result


# ------------------------------------------------------------------------------------------------------ arrays and
# types
def plain(value: Any) -> Any:
    """Tensors replaced by their arrays, in lists, tuples and indices too."""
    if isinstance(value, Tensor):
        return value.array
    if isinstance(value, tuple | list):
        return type(value)(map(plain, value))
    return value


def unbroadcast(g: Array, shape: tuple[int, ...]) -> Array:
    """The gradient of what was broadcast from `shape`: the sum over all its copies."""
    if g.shape == shape:
        return g
    g = g.sum(tuple(range(g.ndim - len(shape)))) if g.ndim > len(shape) else g
    stretched = tuple(axis for axis, size in enumerate(shape) if size == 1 and g.shape[axis] != 1)
    return g.sum(stretched, keepdims=True) if stretched else g
