"""A tensor that remembers how it was made, and the walk back along those memories.

`Tensor.array` holds the numbers (NumPy). What an operation makes keeps, for each operand, a function that turns the gradient of
the result into the gradient of that operand: `sources`. `gradients` follows them from a result to everything it was made of,
latest first, so that a tensor used twice has all its parts together before they are handed on.
"""

import heapq
import itertools
from collections.abc import Callable, Iterator, Sequence
from contextlib import ContextDecorator
from typing import Any

import numpy as np

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


class Tensor:
    """Numbers with a history. `requires_grad` is true for what is to be learned and for all that was computed from it."""

    __array_priority__ = 1000  # array @ tensor asks the tensor
    sources: tuple[Source, ...] = ()
    grad: "Tensor | None" = None
    requires_grad = False
    number = -1
    device = "cpu"

    def __init__(self, array: Any) -> None:
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

    __index__ = __int__

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

    def backward(self, gradient: "Tensor | None" = None) -> None:
        """Add to the `grad` of every leaf that this was made of. Without `gradient` this must be one number."""
        if not self.requires_grad:
            raise RuntimeError("element 0 of tensors does not require grad and does not have a grad_fn")
        for tensor, found in gradients(self, _first(self, gradient)):
            if not tensor.sources:
                tensor.grad = Tensor(found if tensor.grad is None else tensor.grad.array + found)

    def __deepcopy__(self, memo: dict) -> "Tensor":
        if self.sources:
            raise RuntimeError("Only Tensors created explicitly by the user support the deepcopy protocol at the moment.")
        made = type(self)(self.array.copy())
        made.requires_grad = self.requires_grad
        memo[id(self)] = made
        return made

    # ------------------------------------------------------------------------------------------------ changed in place
    def __setitem__(self, index: Any, value: Any) -> None:
        key = plain(index)
        value = value if isinstance(value, Tensor) else Tensor(np.asarray(value, self.array.dtype))
        if not (_State.recording and (value.requires_grad or self.requires_grad)):
            self.array[key] = value.array
            return

        def kept(g: Array) -> Array:
            g = g.copy()
            g[key] = 0
            return g

        array = self.array.copy()
        array[key] = value.array
        self.become(made(array, (self._before(), kept), (value, lambda g: unbroadcast(g[key], value.array.shape))))

    def _before(self) -> "Tensor":
        """What this tensor was until now, as an operand of what it becomes."""
        if self.requires_grad and not self.sources and _State.recording:
            raise RuntimeError("a leaf Variable that requires grad is being used in an in-place operation.")
        old = Tensor(self.array)
        old.sources, old.requires_grad, old.number = self.sources, self.requires_grad, self.number
        return old

    def become(self, other: "Tensor") -> "Tensor":
        """Take over another tensor's numbers and history: what x.add_(y) does with x + y."""
        if other.sources:
            if self.array.base is not None:  # torch would change the whole as well, and its history
                raise NotImplementedError(
                    "labs/tiny cannot change a part of a tensor in place where gradients are recorded: change the whole"
                )
            self.array = other.array.astype(self.array.dtype, copy=False)
            self.sources, self.requires_grad, self.number = other.sources, True, other.number
        else:
            self.array[...] = other.array  # into the same memory: whoever looks at a part of it sees the change
        return self

    def __getattr__(self, name: str) -> Any:
        """Every operation with an underscore behind its name is the operation, in place."""
        if name.endswith("_") and not name.startswith("_") and hasattr(type(self), name[:-1]):
            return lambda *args, **named: self.become(getattr(self._before(), name[:-1])(*args, **named))
        raise AttributeError(f"labs/tiny, the course's small stand-in for torch, has no Tensor.{name}")


class Size(tuple):
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
    if _State.recording and (known := tuple(source for source in sources if source[0].requires_grad)):
        result.sources, result.requires_grad, result.number = known, True, next(_numbers)
    return result


def _first(result: Tensor, gradient: Tensor | None) -> Array:
    if gradient is None:
        if result.array.size != 1:
            raise RuntimeError("grad can be implicitly created only for scalar outputs")
        return np.ones_like(result.array)
    return gradient.array


def gradients(result: Tensor, gradient: Array) -> Iterator[tuple[Tensor, Array]]:
    """Each tensor that `result` was made of, itself first, with the derivative of Σ gradient · result by it.

    A tensor is younger than all that it was made of, so taking the youngest of those that wait is an order in which
    no tensor comes before one that was made from it. A leaf, numbered -1, comes when nothing else waits.
    """
    sums, waiting = {id(result): gradient}, [(-result.number, id(result), result)]
    while waiting:
        _, key, tensor = heapq.heappop(waiting)
        total = sums.pop(key)
        yield tensor, total
        for operand, pull in tensor.sources:
            part = pull(total)
            if part.dtype != operand.array.dtype:
                part = part.astype(operand.array.dtype)
            if id(operand) in sums:
                sums[id(operand)] = sums[id(operand)] + part
            else:
                sums[id(operand)] = part
                heapq.heappush(waiting, (-operand.number, id(operand), operand))


def grad(outputs: Any, inputs: Any, grad_outputs: Any = None, *, allow_unused: bool = False) -> tuple[Tensor | None, ...]:
    """d outputs / d inputs, as a tuple; None for an input that was not used, where that is allowed. Nothing is added to any `grad`."""
    (output,) = outputs if isinstance(outputs, Sequence) else (outputs,)
    inputs = (inputs,) if isinstance(inputs, Tensor) else tuple(inputs)
    given = grad_outputs[0] if isinstance(grad_outputs, Sequence) else grad_outputs
    wanted = {id(each) for each in inputs}
    found = {id(tensor): Tensor(value) for tensor, value in gradients(output, _first(output, given)) if id(tensor) in wanted}
    if not allow_unused and len(found) < len(wanted):
        raise RuntimeError("One of the differentiated Tensors appears to not have been used in the graph.")
    return tuple(found.get(id(each)) for each in inputs)


# ------------------------------------------------------------------------------------------------------ arrays and types
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
