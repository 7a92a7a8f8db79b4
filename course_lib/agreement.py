"""Two results that may differ by rounding alone, and how far apart a page promises them to be.

How large a rounding error comes out is decided by the processor, by the order in which its kernels add; that it stays
under a bound is not. So a page never prints the error. It prints the bound, one rule for all pages: terms × eps × size,
rounded up to a power of ten, where eps is the distance from 1 to the next number (2.2e-16 in float64), size the largest
magnitude on either side, and terms how many roundings in a row a number of this kind is allowed. Below `LEAST_SIZE` all
sizes count as that, so that most results have one bound.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from . import checks

TERMS = {"values": 100, "gradients": 1_000, "float32": 8}  # 1e-12, 1e-11 and 1e-5 up to the size of 10
LEAST_SIZE = 10.0
EPS = {
    "values": float(np.finfo(np.float64).eps),
    "gradients": float(np.finfo(np.float64).eps),
    "float32": float(np.finfo(np.float32).eps),
}


def equal(first: Any, second: Any = 0.0, *, kind: str = "values", within: float | None = None) -> str:
    """ "equal to within 1e-12": what a page promises of two results, numbers, arrays or tensors of shapes that
    broadcast.

    kind is "values" or "gradients"; results in float32 are a kind of their own. within: a promise of the page's own, a
    power of ten, where more than rounding keeps the two apart. AssertionError where the promise is broken: that is a
    fault to explain, no tolerance to loosen. ValueError where a result is no finite number, or kind or within is none.
    """
    checks.one_of("kind", kind, list(TERMS))
    left, right = _numbers("first", first), _numbers("second", second)
    if np.float32 in (left.dtype, right.dtype):
        kind = "float32"
    left, right = left.astype(np.float64), right.astype(np.float64)
    size = max(LEAST_SIZE, *(float(abs(side).max(initial=0.0)) for side in (left, right)))
    bound = _promise(TERMS[kind] * EPS[kind] * size) if within is None else _promise(_positive(within))
    apart = float(abs(left - right).max(initial=0.0))
    if apart > float(bound):
        raise AssertionError(
            f"first and second are {apart:.2g} apart, and {bound} is promised of {kind} of size {size:.3g}"
        )
    return f"equal to within {bound}"


def _promise(bound: float) -> str:
    return f"1e{math.ceil(math.log10(bound) - 1e-9)}"


def _positive(within: float) -> float:
    checks.number("within", within, positive=True)
    return float(within)


def _numbers(name: str, value: Any) -> np.ndarray:
    if isinstance(value, Sequence) and any(hasattr(each, "detach") for each in value):
        value = [_numbers(name, each) for each in value]
    array = np.asarray(value.detach().cpu().numpy() if hasattr(value, "detach") else value)
    if array.dtype.kind not in "fiub" or not np.isfinite(array).all():
        checks.fail(name, "finite numbers", repr(value))
    return array if array.dtype == np.float32 else array.astype(np.float64)
