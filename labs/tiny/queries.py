"""Questions to tensors, and draws from probabilities: nothing here has a gradient."""

import types
from typing import Any

import numpy as np

from .make import rand
from .tensor import Tensor, plain


def searchsorted(ends: Tensor, values: Tensor, *, right: bool = False) -> Tensor:
    """In each row of `ends`, how many come before each of that row's values."""
    rows, wanted = ends.array, values.array
    if rows.ndim == 1:
        return Tensor(np.searchsorted(rows, wanted, "right" if right else "left"))
    found = rows[..., None, :] <= wanted[..., None] if right else rows[..., None, :] < wanted[..., None]
    return Tensor(found.sum(-1))


def allclose(x: Tensor, y: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(np.allclose(plain(x), plain(y), rtol, atol, equal_nan))


def equal(x: Tensor, y: Tensor) -> bool:
    return bool(np.array_equal(plain(x), plain(y)))


def std_mean(x: Tensor, dim: Any = None, *, keepdim: bool = False, **how: Any) -> tuple[Tensor, Tensor]:
    return x.std(dim, keepdim, **how), x.mean(dim, keepdim)


def bincount(x: Tensor, minlength: int = 0) -> Tensor:
    return Tensor(np.bincount(x.array, minlength=minlength))


def lstsq(A: Tensor, B: Tensor) -> types.SimpleNamespace:
    return types.SimpleNamespace(solution=Tensor(np.linalg.lstsq(A.array, B.array)[0]))


def matrix_norm(A: Tensor, ord: Any = "fro") -> Tensor:
    return Tensor(np.linalg.norm(A.array, ord, (-2, -1)))


def multinomial(p: Tensor, num_samples: int, *, generator: Any = None, replacement: bool = False) -> Tensor:
    """One draw a row, by where a uniform number falls among the probabilities; other numbers than torch's."""
    ends = (p / p.sum(-1, keepdim=True)).cumsum(-1)
    return searchsorted(ends, rand(*p.shape[:-1], num_samples, generator=generator, dtype=p.dtype), right=True)


OPERATIONS = {each.__name__: each for each in (searchsorted, allclose, equal, bincount, multinomial, std_mean)}
