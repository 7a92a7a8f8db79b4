"""The model's sizes, the shape of every learnable, and their number.  [Sandron 2024, Table 1]"""

import math
from typing import NamedTuple

from course_lib import checks


class Sizes(NamedTuple):
    """v words, sequences of n, embedding width d, attention width m, feed-forward width r; one head, one block."""

    v: int
    n: int
    d: int
    m: int
    r: int

    def check(self) -> "Sizes":
        """These sizes, or ValueError for one that is no int > 0."""
        for name, value in self._asdict().items():
            checks.positive_int(name, value)
        return self


def shapes(sizes: Sizes) -> dict[str, tuple[int, ...]]:
    """The shape of each learnable by its name in Table 1, in that order but for the biases, which stand with their
    maps."""
    v, n, d, m, r = sizes.check()
    return {
        "E": (v + 1, d),  # the last row is for words outside the vocabulary: no training sequence has one
        "P": (n, d),
        "W_Q": (d, m),
        "w_q": (m,),
        "W_K": (d, m),
        "w_k": (m,),
        "W_V": (d, m),
        "w_v": (m,),
        "W_O": (m, d),
        "w_o": (d,),
        "gamma_1": (d,),
        "beta_1": (d,),
        "W_1": (d, r),
        "w_1": (r,),
        "W_2": (r, d),
        "w_2": (d,),
        "gamma_2": (d,),
        "beta_2": (d,),
        "W_3": (d, v),
        "w_3": (v,),
    }


def count(sizes: Sizes) -> int:
    """The number of learnables: (v + 1 + n)d + 4dm + 3m + d + 2dr + r + d + 4d + dv + v."""
    return sum(math.prod(shape) for shape in shapes(sizes).values())
