"""Products of tensors. Their operands are of one type: torch mixes float32 and float64 in sums, not here."""

import string
from typing import Any

import numpy as np

from .absent import HERE
from .arithmetic import add, mul, of_two
from .kinds import alike, held
from .tensor import Array, Tensor, made, unbroadcast


def matmul(x: Any, y: Any) -> Tensor:
    """x @ y with NumPy's broadcasting; vectors are rows on the left and columns on the right."""
    x, y = alike("matmul", x, y)
    a, b = x.array, y.array
    if a.ndim == 1 or b.ndim == 1:
        if not (a.ndim and b.ndim):
            raise RuntimeError("both arguments to matmul need to be at least 1D, but they are 0D")
        wide = matmul(x[None] if a.ndim == 1 else x, y[:, None] if b.ndim == 1 else y)
        wide = wide.squeeze(-1) if b.ndim == 1 else wide
        return wide.squeeze(-1 if b.ndim == 1 else -2) if a.ndim == 1 else wide
    if a.shape[-1] != b.shape[-2]:
        raise RuntimeError(f"mat1 and mat2 shapes cannot be multiplied ({_by(a)} and {_by(b)})")
    if b.ndim == 2 and a.ndim > 2:  # one large product is faster than many small ones
        flat = lambda z: z.reshape(-1, z.shape[-1])
        value = (flat(a) @ b).reshape(*a.shape[:-1], b.shape[1])
        return made(value, (x, lambda g: (flat(g) @ b.T).reshape(a.shape)), (y, lambda g: flat(a).T @ flat(g)))
    turned = lambda z: z.swapaxes(-1, -2)
    return of_two(a @ b, x, lambda g: g @ turned(b), y, lambda g: turned(a) @ g)


def _by(a: Array) -> str:
    return "x".join(map(str, a.shape))


def _product(name: str, *axes: int) -> Any:
    """A product that torch has for tensors of these numbers of axes only."""

    def product(x: Tensor, y: Tensor, *, out: Tensor | None = None) -> Tensor:
        if (x.ndim, y.ndim) != axes or (name == "bmm" and len(x) != len(y)):
            raise RuntimeError(
                f"{name} takes {axes[0]}D and {axes[1]}D tensors, got shapes {_by(x.array)} and {_by(y.array)}"
            )
        value = mul(x[:, None], y) if name == "outer" else matmul(x, y)
        return value if out is None else out.copy_(value)

    return product


PRODUCTS = {
    name: _product(name, *axes)
    for name, axes in {"mm": (2, 2), "mv": (2, 1), "dot": (1, 1), "bmm": (3, 3), "outer": (1, 1)}.items()
}


def addmm(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return add(*alike("addmm", x, PRODUCTS["mm"](a, b)))


def baddbmm(x: Tensor, a: Tensor, b: Tensor) -> Tensor:
    return add(*alike("baddbmm", x, PRODUCTS["bmm"](a, b)))


def _einsum(formula: str, *tensors: Tensor) -> Tensor:
    """A letter that no other term has is summed away. Each gradient is an einsum again."""
    if not isinstance(formula, str) or not all(isinstance(each, Tensor) for each in tensors):
        raise NotImplementedError(f"{HERE} takes a formula and tensors in einsum: einsum('ij,jk->ik', x, y)")
    given = alike("einsum", *tensors)
    arrays, (left, arrow, result) = [each.array for each in given], formula.replace(" ", "").partition("->")
    terms = left.split(",")
    if (
        len(terms) != len(arrays)
        or arrays[0].dtype == bool
        or any(len(set(term)) < len(term.replace("..", "")) for term in terms)
    ):
        raise NotImplementedError(
            f"{HERE} has einsum of numbers, a term for each tensor, no letter twice in one: not {formula!r}"
        )
    free = "".join(sorted(set(string.ascii_letters) - set(left)))  # letters in the place of three dots
    dots = [
        array.ndim - len(term.replace("...", "")) if "..." in term else 0
        for term, array in zip(terms, arrays, strict=True)
    ]
    terms = [term.replace("...", free[max(dots) - count : max(dots)]) for term, count in zip(terms, dots, strict=True)]
    if arrow:
        result = result.replace("...", free[: max(dots)])
    else:  # what occurs once, by the alphabet
        result = free[: max(dots)] + "".join(sorted(each for each in set(left) - set(",.") if left.count(each) == 1))

    def pull(i: int) -> Any:
        others = [(term, array) for j, (term, array) in enumerate(zip(terms, arrays, strict=True)) if j != i]
        if not set(terms[i]) <= set(result).union(
            *(term for term, _ in others)
        ):  # summed away: every entry gets the same
            others.append((terms[i], np.ones_like(arrays[i])))
        call = ",".join([result, *(term for term, _ in others)]) + "->" + terms[i]
        return lambda g: unbroadcast(np.einsum(call, g, *(array for _, array in others)), arrays[i].shape)

    value = np.einsum(",".join(terms) + "->" + result, *arrays)
    return made(np.asarray(value), *((each, pull(i)) for i, each in enumerate(given)))


einsum = held({"einsum": _einsum})["einsum"]
OPERATIONS = held({"matmul": matmul, "addmm": addmm, "baddbmm": baddbmm} | PRODUCTS)
