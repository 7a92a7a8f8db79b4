"""The matrices of a layer of attention, in NumPy: what the chapters on measures and on Gaussians share.  [Ponti 2025,
§2.1]

Tokens are rows. The score of a query x and a key y is s · (x W_Q)·(y W_K), and what a head makes of the token y is y
W_V W_O.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from course_lib import checks


@dataclass(frozen=True, eq=False)
class Heads:
    """The matrices of a layer of h heads: W_Q, W_K [h, d, m], W_V [h, d, c], W_O [h, c, d]; `scale` s, None for 1/√m.

    Kept as read-only float64 copies. Raises ValueError for shapes that do not fit and entries that are not finite.
    """

    W_Q: Float[np.ndarray, "h d m"]
    W_K: Float[np.ndarray, "h d m"]
    W_V: Float[np.ndarray, "h d c"]
    W_O: Float[np.ndarray, "h c d"]
    scale: float | None = None

    def __post_init__(self) -> None:
        for name, layout in (("W_Q", "[h, d, m]"), ("W_K", "[h, d, m]"), ("W_V", "[h, d, c]"), ("W_O", "[h, c, d]")):
            object.__setattr__(self, name, read_only(name, getattr(self, name), 3, layout))
        h, d, m = self.W_Q.shape
        c = self.W_V.shape[2]
        for name, shape in (("W_K", (h, d, m)), ("W_V", (h, d, c)), ("W_O", (h, c, d))):
            if getattr(self, name).shape != shape:
                checks.fail(
                    name, f"of shape {list(shape)}, as W_Q and W_V say", f"shape {list(getattr(self, name).shape)}"
                )
        scale = m**-0.5 if self.scale is None else self.scale
        checks.number("scale", scale)
        object.__setattr__(self, "scale", float(scale))

    @property
    def d(self) -> int:
        return self.W_Q.shape[1]

    @property
    def scoring(self) -> Float[np.ndarray, "h d d"]:
        """C_h = s W_Q W_Kᵀ: the score of query x and key y is x C yᵀ."""
        return self.scale * self.W_Q @ np.swapaxes(self.W_K, -1, -2)

    @property
    def writing(self) -> Float[np.ndarray, "h d d"]:
        """W_V W_O: what a head makes of the tokens that it averages."""
        return self.W_V @ self.W_O


def random_heads(d: int, m: int, h: int = 1, *, c: int | None = None, generator: np.random.Generator) -> Heads:
    """The start of source G's programs: entries of W_Q, W_K, W_V normal with variance 1/d, of W_O with 1/c (c = d
    unless given)."""
    c = d if c is None else c
    checks.positive_ints(d=d, m=m, h=h, c=c)
    inwards = (generator.standard_normal((h, d, width)) / np.sqrt(d) for width in (m, m, c))
    return Heads(*inwards, generator.standard_normal((h, c, d)) / np.sqrt(c))


def read_only(name: str, value: object, axes: int, layout: str) -> np.ndarray:
    """A float64 copy that cannot be written to; ValueError that names the argument where it is no array of so many
    axes, or not finite."""
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        checks.fail(name, f"an array {layout} of numbers", type(value).__name__)
    if array.ndim != axes or 0 in array.shape:
        checks.fail(name, f"an array {layout} of numbers", f"shape {list(array.shape)}")
    checks.finite(name, array)
    array.flags.writeable = False
    return array


def checked_tokens(name: str, value: object, d: int) -> np.ndarray:
    """As a float64 array [n, d]. ValueError names the argument where it has no rows, another width, or entries that are
    not finite."""
    array = checks.floats(name, value)
    if array.ndim != 2 or len(array) < 1:
        checks.fail(name, "an array [n, d] of one token or more", f"shape {list(array.shape)}")
    checks.size(name, array, 1, d, "the width d of the heads")
    checks.finite(name, array)
    return array


def blocks(count: int, each: int, most: int) -> Iterator[slice]:
    """0 … count in slices of one or more, each of at most `most` entries where one takes `each`: what fits into the
    cache at a time."""
    size = max(1, most // each)
    return (slice(begin, begin + size) for begin in range(0, count, size))
