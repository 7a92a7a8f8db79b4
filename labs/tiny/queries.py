"""Questions to tensors, and draws from probabilities: nothing here has a gradient."""

from typing import Any

import numpy as np

from . import reductions
from .absent import HERE
from .kinds import alike, held
from .make import rand
from .tensor import Tensor, recorded


def searchsorted(ends: Tensor, values: Tensor, *, right: bool = False) -> Tensor:
    """In each row of `ends`, how many come before each of that row's values."""
    rows, wanted = ends.array, values.array
    if rows.ndim == 1:
        return Tensor(np.searchsorted(rows, wanted, "right" if right else "left").astype(np.int64))
    if rows.shape[:-1] != wanted.shape[:-1]:
        raise RuntimeError(
            f"searchsorted takes as many rows of values as of ends, {rows.shape[:-1]}, got {wanted.shape[:-1]}"
        )
    found = rows[..., None, :] <= wanted[..., None] if right else rows[..., None, :] < wanted[..., None]
    return Tensor(found.sum(-1, dtype=np.int64))


def allclose(x: Tensor, y: Tensor, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    x, y = alike("allclose", x, y)
    return bool(np.allclose(x.array, y.array, rtol, atol, equal_nan))


def equal(x: Tensor, y: Tensor) -> bool:
    return bool(np.array_equal(x.array, y.array))


def bincount(x: Tensor, minlength: int = 0) -> Tensor:
    if not np.can_cast(x.dtype, np.int64):
        raise RuntimeError(f"bincount takes ints, got {x.dtype}")
    return Tensor(np.bincount(x.array.astype(np.intp), minlength=minlength).astype(np.int64))


def matrix_norm(A: Tensor, ord: Any = "fro") -> Tensor:
    if ord == "fro":
        return reductions.norm(A, 2, (-2, -1))
    if recorded() and A.requires_grad:
        raise NotImplementedError(f"{HERE} has no gradient of the matrix norm {ord}: give it A.detach()")
    return Tensor(np.linalg.norm(A.array, ord, (-2, -1)))


def norm(x: Tensor, ord: Any = None, dim: Any = None, keepdim: bool = False) -> Tensor:
    """torch.linalg.norm: a matrix has norms of its own where an order is given."""
    if ord is None or isinstance(dim, int) or (dim is None and x.ndim == 1):
        return reductions.norm(x, ord, dim, keepdim)
    if dim is None and x.ndim == 2 and not keepdim:
        return matrix_norm(x, ord)
    raise NotImplementedError(
        f"{HERE} has linalg.norm of an order for vectors and matrices only: vector_norm, matrix_norm"
    )


def vector_norm(x: Tensor, ord: float = 2, dim: Any = None, keepdim: bool = False) -> Tensor:
    return reductions.norm(x, ord, dim, keepdim)


def multinomial(p: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None) -> Tensor:
    """One draw a row, by where a uniform number falls among the probabilities; other numbers than torch's."""
    a = p.array
    if a.ndim not in (1, 2) or not np.isfinite(a).all() or (a < 0).any() or (a.sum(-1) <= 0).any():
        raise RuntimeError("multinomial takes one row or rows of probabilities: finite, none below 0, one above")
    if num_samples < 1 or (num_samples > 1 and not replacement):
        raise NotImplementedError(
            f"{HERE} has multinomial for one draw, or several with replacement=True; got {num_samples}"
        )
    ends = a.cumsum(-1, dtype=np.float64)
    drawn = rand(*a.shape[:-1], num_samples, generator=generator, dtype=p.dtype).array * ends[..., -1:]
    return searchsorted(Tensor(ends), Tensor(np.minimum(drawn, np.nextafter(ends[..., -1:], 0))), right=True)


LINEAR = held({each.__name__: each for each in (matrix_norm, norm, vector_norm)})
OPERATIONS = held({each.__name__: each for each in (searchsorted, allclose, equal, bincount, multinomial)})
