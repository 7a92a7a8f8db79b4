"""Tensors from numbers, and a generator whose numbers are torch's own.

torch draws with the Mersenne twister MT19937, which NumPy has too. From its 32-bit numbers torch makes uniform and
normal ones by rules that are written out below, so that a seed means the same here and there: to the bit for uniform
numbers, to a rounding for normal ones.
"""

import math
from operator import index
from typing import Any

import numpy as np

from .absent import Partly
from .kinds import LONG, default
from .tensor import Array, Tensor, plain

BLOCK = 16  # normal numbers are made by sixteens


def tensor(data: Any, *, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    """A copy; Python's floats become the default type, arrays keep theirs."""
    typed = isinstance(data, Tensor | np.ndarray | np.generic) or (
        isinstance(data, list | tuple) and isinstance((*data, 0)[0], Tensor)
    )
    array = np.array(plain(data))
    if array.dtype.kind not in "biuf":
        raise TypeError(f"tensor takes numbers and lists of numbers, got {data!r}")
    if array.dtype in LONG:
        array = array.astype(LONG[0], copy=False)
    if dtype is None and not typed and array.dtype.kind == "f":
        dtype = default()
    if not typed and not array.size and dtype is None:
        dtype = default()
    made = Tensor(array if dtype is None else array.astype(dtype))
    made.requires_grad = requires_grad
    return made


def as_tensor(data: Any, dtype: Any = None, device: Any = None) -> Tensor:
    if isinstance(data, Tensor):
        return data if dtype is None else data.to(dtype)
    return from_numpy(data) if isinstance(data, np.ndarray) and dtype is None else tensor(data, dtype=dtype)


def from_numpy(array: Array) -> Tensor:
    """The same memory."""
    return Tensor(array)


def _filled(shape: tuple, value: Any, dtype: Any, requires_grad: bool = False) -> Tensor:
    sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
    made = Tensor(np.full(tuple(map(index, sizes)), value, dtype))
    made.requires_grad = requires_grad
    return made


def zeros(*shape: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    return _filled(shape, 0, dtype or default(), requires_grad)


def ones(*shape: Any, dtype: Any = None, requires_grad: bool = False, device: Any = None) -> Tensor:
    return _filled(shape, 1, dtype or default(), requires_grad)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    value = plain(fill_value)
    kind = np.asarray(value).dtype
    return _filled((shape,), value, dtype or (default() if kind.kind == "f" else LONG[0] if kind in LONG else kind))


def eye(n: int, m: int | None = None, *, dtype: Any = None, device: Any = None) -> Tensor:
    return Tensor(np.eye(n, m, dtype=dtype or default()))


def arange(*bounds: Any, dtype: Any = None, device: Any = None) -> Tensor:
    begin, end, step = (0, *bounds, 1) if len(bounds) == 1 else (*bounds, 1) if len(bounds) == 2 else bounds
    if not step or (end - begin) * step < 0:
        raise RuntimeError(f"arange: upper bound and lower bound inconsistent with step sign: {begin}, {end}, {step}")
    array = np.arange(*map(plain, bounds))
    return Tensor(array.astype(dtype or (default() if array.dtype.kind == "f" else np.int64)))


def linspace(start: float, end: float, steps: int, *, dtype: Any = None, device: Any = None) -> Tensor:
    return Tensor(np.linspace(start, end, steps, dtype=dtype or default()))


def zeros_like(x: Tensor, dtype: Any = None) -> Tensor:
    return Tensor(np.zeros(x.array.shape, dtype or x.array.dtype))


def ones_like(x: Tensor, dtype: Any = None) -> Tensor:
    return Tensor(np.ones(x.array.shape, dtype or x.array.dtype))


def full_like(x: Tensor, fill_value: Any, dtype: Any = None) -> Tensor:
    return Tensor(np.full(x.array.shape, plain(fill_value), dtype or x.array.dtype))


def attach() -> None:
    """new_zeros and its like: of the tensor's type."""
    Tensor.new_zeros = lambda x, *shape, dtype=None, device=None: _filled(shape, 0, dtype or x.array.dtype)
    Tensor.new_ones = lambda x, *shape, dtype=None, device=None: _filled(shape, 1, dtype or x.array.dtype)
    Tensor.new_full = lambda x, shape, value, dtype=None, device=None: _filled((shape,), value, dtype or x.array.dtype)
    Tensor.new_tensor = lambda x, data, dtype=None: tensor(data, dtype=dtype or x.array.dtype)


# -------------------------------------------------------------------------------------------------------------- chance
class Generator(Partly):
    """The Mersenne twister and, between two calls for few normal numbers, the one that was made too many."""

    device = "cpu"

    def __init__(self, device: Any = None) -> None:
        self.manual_seed(67280421310721)

    def manual_seed(self, seed: int) -> "Generator":
        self.twister, self.seed, self.waiting = np.random.RandomState(int(seed) & 0xFFFFFFFF), seed, None
        return self

    def initial_seed(self) -> int:
        return self.seed

    def words(self, count: int) -> Array:
        """The next 32-bit numbers."""
        return self.twister.randint(0, 2**32, count, dtype=np.uint32)

    def uniform(self, count: int, dtype: np.dtype) -> Array:
        """Numbers in [0, 1): 24 bits of one word, or 53 of two."""
        if dtype == np.float32:
            return ((self.words(count) & 0xFFFFFF) * np.float64(2.0**-24)).astype(np.float32)
        high, low = self.words(2 * count).reshape(-1, 2).astype(np.uint64).T
        return (((high << np.uint64(32)) | low) & np.uint64(2**53 - 1)) * 2.0**-53

    def normal(self, count: int, dtype: np.dtype) -> Array:
        """Pairs by Box and Muller: up to fifteen one after the other, more in blocks of sixteen."""
        if count < BLOCK:
            return np.array([self._one() for _ in range(count)]).astype(dtype)
        drawn = self.uniform(count, dtype)
        whole = count - count % BLOCK
        drawn[:whole] = _pairs(drawn[:whole])
        if whole < count:  # the last block is drawn anew, over some numbers that are there
            drawn[-BLOCK:] = _pairs(self.uniform(BLOCK, dtype))
        return drawn

    def _one(self) -> float:
        if self.waiting is not None:
            value, self.waiting = self.waiting, None
            return value
        angle, u = self.uniform(2, np.dtype("float64")) * [2 * math.pi, 1]
        radius = math.sqrt(-2 * math.log1p(-u))
        self.waiting = radius * math.sin(angle)
        return radius * math.cos(angle)

    def permutation(self, n: int) -> Array:
        order = np.arange(n, dtype=np.int64)
        for i, word in enumerate(self.words(max(n - 1, 0)).tolist()):
            j = i + word % (n - i)
            order[i], order[j] = order[j], order[i]
        return order


def _pairs(u: Array) -> Array:
    first, second = u.reshape(-1, 2, BLOCK // 2).swapaxes(0, 1)
    radius, angle = np.sqrt(-2 * np.log(1 - first)), 2 * np.pi * second
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], 1).reshape(-1).astype(u.dtype)


everybodys = Generator()


def _drawn(how: str) -> Any:
    def draw(
        *shape: Any,
        generator: Generator | None = None,
        dtype: Any = None,
        device: Any = None,
        requires_grad: bool = False,
    ) -> Tensor:
        sizes = shape[0] if len(shape) == 1 and isinstance(shape[0], list | tuple) else shape
        count, kind = int(np.prod(sizes)), np.dtype(dtype or default())
        if kind.kind != "f":
            raise NotImplementedError(f"rand and randn draw floats, got dtype {kind}")
        made = Tensor(getattr(generator or everybodys, how)(count, kind).reshape(tuple(map(index, sizes))))
        made.requires_grad = requires_grad
        return made

    return draw


rand, randn = _drawn("uniform"), _drawn("normal")


def randperm(n: int, *, generator: Generator | None = None) -> Tensor:
    return Tensor((generator or everybodys).permutation(n))


def randint(*bounds: Any, generator: Generator | None = None) -> Tensor:
    """randint(high, shape) and randint(low, high, shape)."""
    low, high, shape = bounds if len(bounds) == 3 else (0, *bounds)
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    words = (generator or everybodys).words(int(np.prod(shape))).astype(np.int64)
    return Tensor((low + words % (high - low)).reshape(shape))


def manual_seed(seed: int) -> Generator:
    return everybodys.manual_seed(seed)
