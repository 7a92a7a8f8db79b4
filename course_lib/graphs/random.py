"""One random generator for Python and the page: the same numbers, bit by bit, from the same seed. Twin:
widgets/runtime/random.js.

Integers are Tommy Ettinger's mulberry32: 32 bits of state that advance by a constant, then a mixing function, so entry
i of the stream can be computed without the entries before it. A normal number is Wichura's AS 241 (PPND7, absolute
error below 1e-6) of one uniform number. It needs only + - * / √ and a logarithm, and the logarithm here is a series:
library logarithms and cosines differ between machines in the last bit, these do not.  [Wichura 1988, Applied Statistics
37, 477]
"""

import math

import numpy as np

INCREMENT = 0x6D2B79F5
LN2 = 0.6931471805599453

# Coefficients from the constant up: numerator and denominator for the middle, the shoulder and the tail.
MIDDLE = (3.3871327179, 50.434271938, 159.29113202, 59.109374720), (1.0, 17.895169469, 78.757757664, 67.187563600)
SHOULDER = (1.4234372777, 2.7568153900, 1.3067284816, 0.17023821103), (1.0, 0.73700164250, 0.12021132975)
TAIL = (6.6579051150, 3.0812263860, 0.42868294337, 0.017337203997), (1.0, 0.24197894225, 0.012258202635)


class Generator:
    """A stream of numbers fixed by seed, an integer from 0 to 2³² - 1; `state` can be read, and set to go back.

    Raises ValueError for another seed.
    """

    def __init__(self, seed: int):
        if not isinstance(seed, int | np.integer) or isinstance(seed, bool) or not 0 <= seed < 2**32:
            raise ValueError(f"seed must be an integer from 0 to 2**32 - 1, got {seed!r}")
        self.state = int(seed)

    def integers(self, count: int) -> np.ndarray:
        """uint32 [count], uniform over 0 … 2³² - 1."""
        steps = np.arange(1, count + 1, dtype=np.uint64)
        state = ((self.state + steps * INCREMENT) & 0xFFFFFFFF).astype(np.uint32)
        self.state = (self.state + count * INCREMENT) % 2**32
        t = (state ^ (state >> 15)) * (state | 1)
        t ^= t + (t ^ (t >> 7)) * (t | 61)
        return t ^ (t >> 14)

    def uniform(self, count: int) -> np.ndarray:
        """float64 [count], strictly between 0 and 1."""
        return (self.integers(count) + 0.5) / 2**32

    def below(self, bound: int, count: int) -> np.ndarray:
        """int64 [count], each 0 … bound - 1; the bias is at most bound/2³²."""
        if bound < 1:
            raise ValueError(f"bound must be at least 1, got {bound}")
        return (self.uniform(count) * bound).astype(np.int64)

    def normal(self, count: int) -> np.ndarray:
        """float64 [count], standard normal."""
        return normal_quantile(self.uniform(count))


def normal_quantile(p: np.ndarray) -> np.ndarray:
    """The number below which a standard normal falls with probability p, 0 < p < 1."""
    q = p - 0.5
    square = 0.180625 - q * q
    r = np.sqrt(-logarithm(np.where(q < 0, p, 1 - p)))
    outer = np.where(r <= 5, _ratio(SHOULDER, r - 1.6), _ratio(TAIL, r - 5))
    return np.where(np.abs(q) <= 0.425, q * _ratio(MIDDLE, square), np.where(q < 0, -outer, outer))


def logarithm(x: np.ndarray) -> np.ndarray:
    """ln x for 0 < x ≤ 1, by halving x into (√½, √2] and 2·artanh; the same bits wherever floats are IEEE 754."""
    mantissa, exponent = np.frexp(x)
    low = mantissa < math.sqrt(0.5)
    mantissa, exponent = np.where(low, mantissa * 2, mantissa), exponent - low
    z = (mantissa - 1) / (mantissa + 1)
    square, series = z * z, np.zeros_like(z)
    for k in range(21, 0, -2):
        series = series * square + 1 / k
    return exponent * LN2 + 2 * z * series


def _ratio(coefficients: tuple, r: np.ndarray) -> np.ndarray:
    above, below = (_polynomial(c, r) for c in coefficients)
    return above / below


def _polynomial(coefficients: tuple, r: np.ndarray) -> np.ndarray:
    value = np.zeros_like(r)
    for c in reversed(coefficients):
        value = value * r + c
    return value
