"""Random sources of tokens whose best possible loss is known exactly: memoryless, and first-order Markov.

Tokens are 0 … v−1. A distribution p is an array [v] of float64 that sums to 1; P[i, j] = Pr(next is j | this is i).
Losses are in nats a token unless a `unit` says otherwise. 0 log 0 is 0, and −log 0 is inf: who calls a thing impossible
and then sees it pays without limit.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float, Int, UInt8

from course_lib import checks

SUM = 1e-9  # how far a sum of probabilities may be from 1
MOST = 256  # sequences are stored as uint8
UNITS = {"nats": 1.0, "bits": math.log(2)}


def _distribution(name: str, value: Any, axes: int = 1, tolerance: float = SUM) -> np.ndarray:
    """`value` as a read-only float64 copy [..., v] of `axes` axes or more, each row a distribution, or a ValueError."""
    layout = "[v]" if axes == 1 else "[v, v]"
    try:
        p = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        p = np.empty(0)
    if p.ndim < axes or p.shape[-1] == 0:
        checks.fail(name, f"an array {layout} of probabilities", repr(value))
    good = np.isfinite(p)
    if not good.all():
        checks.fail(name, "finite in every entry", f"{p[~good][0]} at {_place(~good)}")
    if (p < 0).any():
        checks.fail(name, "≥ 0 in every entry", f"{p[p < 0][0]} at {_place(p < 0)}")
    total = p.sum(-1)
    bad = ~(abs(total - 1) <= tolerance)
    if bad.any():
        where = f" in row {_place(bad)}" if p.ndim > 1 else ""
        checks.fail(name, f"probabilities that sum to 1 (within {tolerance:g})", f"a sum of {total[bad][0]!s}{where}")
    p.flags.writeable = False
    return p


def _place(bad: np.ndarray) -> str:
    """Where the first bad entry is: 3, or (1, 3)."""
    first = tuple(int(i) for i in np.argwhere(bad)[0])
    return str(first[0] if len(first) == 1 else first)


def _number(value: np.ndarray) -> Any:
    """A float where no axis is left, else the array."""
    return float(value) if value.ndim == 0 else value


def entropy(p: Float[np.ndarray, "*b v"], *, unit: str = "nats") -> Any:
    """H(p) = −Σ p_i log p_i: the least expected loss of any prediction of a token drawn from p.  [Cover & Thomas 2006,
    eq. 2.1]

    A float, or an array [...] where p has axes before the last.
    """
    p = _distribution("p", p)
    return _cross(p, p, unit)


def cross_entropy(
    p: Float[np.ndarray, "*#b v"], q: Float[np.ndarray, "*#b v"], *, unit: str = "nats", tolerance: float = SUM
) -> Any:
    """H(p, q) = −Σ p_i log q_i: the expected loss of who predicts q where p is true. inf where q_i = 0 < p_i.

    p and q broadcast over the axes before the last; a float where there is none. `tolerance` is how far the sums of q
    may be from 1: raise it for numbers in float32, or rounded in print. They are used as they are, so the result may
    then lie below H(p).
    """
    return _cross(*_pair(p, q, tolerance), unit)


def divergence(
    p: Float[np.ndarray, "*#b v"], q: Float[np.ndarray, "*#b v"], *, unit: str = "nats", tolerance: float = SUM
) -> Any:
    """D(p‖q) = Σ p_i log(p_i / q_i) = H(p, q) − H(p) ≥ 0: what believing q costs where p is true. Arguments as
    `cross_entropy`.

    [Kullback & Leibler 1951; Cover & Thomas 2006, eq. 2.26]
    """
    p, q = _pair(p, q, tolerance)
    change = np.divide(q - p, p, out=np.zeros(np.broadcast_shapes(p.shape, q.shape)), where=p > 0)
    # With c = (q − p)/p, each term p (c − log(1 + c)) is ≥ 0, and they add up to D + Σ(q − p). So a small D is not the
    # difference of two large numbers; and Σ(q − p), which is 0 but for rounding, is taken off again.
    with np.errstate(divide="ignore"):
        terms = np.where(p > 0, p * (change - np.log1p(change)), q)
    return _number((terms.sum(-1) - (q - p).sum(-1)) / _nats(unit))


def largest_error(p: Float[np.ndarray, "*#b v"], q: Float[np.ndarray, "*#b v"], *, tolerance: float = SUM) -> Any:
    """err = max_i |p_i − q_i|, as a probability (times 100: percentage points). Arguments as `cross_entropy`."""
    p, q = _pair(p, q, tolerance)
    return _number(abs(p - q).max(-1))


def _pair(p: Any, q: Any, tolerance: float) -> tuple[np.ndarray, np.ndarray]:
    p, q = _distribution("p", p), _distribution("q", q, tolerance=tolerance)
    checks.size("q", q, -1, p.shape[-1], "the number v of probabilities in p")
    return p, q


def _cross(p: np.ndarray, q: np.ndarray, unit: str) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(p > 0, p * -np.log(q), 0.0)
    return _number(terms.sum(-1) / _nats(unit))


def _nats(unit: str) -> float:
    checks.one_of("unit", unit, tuple(UNITS))
    return UNITS[unit]


def _cumulative(p: np.ndarray) -> np.ndarray:
    """Upper ends of the intervals of [0, 1) that stand for the tokens: where u falls is the token drawn."""
    ends = np.cumsum(p, -1)
    # Rounding may leave the last end below 1. From the last possible token on it is 1, so no impossible token is drawn.
    last = p.shape[-1] - 1 - np.argmax(p[..., ::-1] > 0, -1)
    return np.where(np.arange(p.shape[-1]) < last[..., None], np.minimum(ends, 1.0), 1.0)


class _Source:
    """What both sources share: the number of tokens, and checks of what they are asked."""

    v: int

    def _tokens(self, tokens: Any) -> np.ndarray:
        tokens = np.asarray(tokens)
        if tokens.dtype.kind not in "iu":
            checks.fail("tokens", "an array of ints", f"dtype {tokens.dtype}")
        checks.within("tokens", tokens, 0, self.v - 1)
        return tokens

    def _ask(self, rows: int, n: int, generator: np.random.Generator) -> None:
        checks.positive_ints(rows=rows, n=n)
        if not isinstance(generator, np.random.Generator):
            checks.fail("generator", "a numpy.random.Generator", type(generator).__name__)
        if self.v > MOST:
            checks.fail("v", f"at most {MOST} to be sampled as uint8", self.v)


@dataclass(frozen=True, eq=False)
class Memoryless(_Source):
    """Tokens drawn one by one from p, each without regard to the others.

    p: [v], ≥ 0, sum 1 within 1e-9 (ValueError); kept as a read-only float64 copy.
    """

    p: Float[np.ndarray, " v"]

    def __post_init__(self) -> None:
        p = _distribution("p", self.p)
        if p.ndim != 1:
            checks.fail("p", "an array [v] of probabilities", f"shape {list(p.shape)}")
        object.__setattr__(self, "p", p)

    @property
    def v(self) -> int:
        return len(self.p)

    def sample(self, rows: int, n: int, generator: np.random.Generator) -> UInt8[np.ndarray, "rows n"]:
        """Draw `rows` sequences of n tokens. One uniform number a token, row by row."""
        self._ask(rows, n, generator)
        return np.searchsorted(_cumulative(self.p), generator.random((rows, n)), side="right").astype(np.uint8)

    def next(self, tokens: Int[np.ndarray, "*b"]) -> Float[np.ndarray, "*b v"]:
        """The distribution of the token after each of `tokens`: p, whatever they are."""
        return np.broadcast_to(self.p, (*self._tokens(tokens).shape, self.v))

    def entropy_rate(self) -> float:
        """H(p): no predictor's expected loss is lower, whatever it reads."""
        return entropy(self.p)

    def best_memoryless_loss(self) -> float:
        """H(p), the loss of who predicts p."""
        return entropy(self.p)

    def best_first_order_loss(self) -> float:
        """H(p): to look at the token before is of no use here."""
        return entropy(self.p)


@dataclass(frozen=True, eq=False)
class Markov(_Source):
    """A first-order chain in its stationary state: the next token depends on this one only, P[i, j] = Pr(j | i).

    P: [v, v], each row ≥ 0 with sum 1 within 1e-9 (ValueError); kept as a read-only float64 copy. What needs the
    stationary distribution (it, `sample`, the losses) raises ValueError where some state never reaches some other, and
    says which.
    """

    P: Float[np.ndarray, "v v"]

    def __post_init__(self) -> None:
        P = _distribution("P", self.P, axes=2)
        if P.ndim != 2 or P.shape[0] != P.shape[1]:
            checks.fail("P", "an array [v, v] of probabilities", f"shape {list(P.shape)}")
        object.__setattr__(self, "P", P)

    @property
    def v(self) -> int:
        return len(self.P)

    @cached_property
    def stationary(self) -> Float[np.ndarray, " v"]:
        """π = π P, the one distribution that a step leaves as it is: how often each token comes in the long run."""
        self._check_irreducible()
        equations = self.P.T - np.eye(self.v)  # (Pᵀ − I) π = 0: v equations, of which one follows from the others,
        equations[-1] = 1  # so the last gives way to Σ π = 1
        pi = np.linalg.solve(equations, np.eye(self.v)[-1])
        pi.flags.writeable = False
        return pi

    def _check_irreducible(self) -> None:
        reaches = (self.P > 0) | np.eye(self.v, dtype=bool)  # in at most 1 step, then 2, 4, 8, …
        for _ in range(self.v.bit_length()):
            reaches = (reaches.astype(np.float32) @ reaches.astype(np.float32)) > 0
        if not reaches.all():
            state = int(reaches.sum(1).argmin())
            never = np.flatnonzero(~reaches[state]).tolist()
            checks.fail(
                "P",
                "irreducible: every state reachable from every other",
                f"state {state}, which never reaches {never}",
            )

    def sample(self, rows: int, n: int, generator: np.random.Generator) -> UInt8[np.ndarray, "rows n"]:
        """Draw `rows` sequences of n tokens, each starting in the stationary distribution. One uniform number a
        token."""
        self._ask(rows, n, generator)
        ends = _cumulative(self.P)  # [v, v]
        uniform = generator.random((n, rows))
        tokens = np.empty((n, rows), dtype=np.uint8)
        tokens[0] = np.searchsorted(_cumulative(self.stationary), uniform[0], side="right")
        for t in range(1, n):
            tokens[t] = (uniform[t, :, None] >= ends[tokens[t - 1]]).sum(-1)  # how many intervals end at or before u
        return np.ascontiguousarray(tokens.T)

    def next(self, tokens: Int[np.ndarray, "*b"]) -> Float[np.ndarray, "*b v"]:
        """The distribution of the token after each of `tokens`: row P[token]."""
        return self.P[self._tokens(tokens)]

    def entropy_rate(self) -> float:
        """Σ_i π_i H(P[i]): no predictor's expected loss is lower, whatever it reads.  [Cover & Thomas 2006, theorem
        4.2.4]"""
        return float(self.stationary @ entropy(self.P))

    def best_memoryless_loss(self) -> float:
        """H(π): the least loss of who predicts the same distribution everywhere. Above the entropy rate by I(X₁;
        X₂)."""
        return entropy(self.stationary)

    def best_first_order_loss(self) -> float:
        """The entropy rate: one token back is all there is to know."""
        return self.entropy_rate()


def entropy_rate(P: Float[np.ndarray, "v v"], *, unit: str = "nats") -> float:
    """The entropy rate of the stationary chain P[i, j] = Pr(j | i), a token. ValueErrors as `Markov`."""
    return Markov(P).entropy_rate() / _nats(unit)


def counted(
    p: Float[np.ndarray, " v"], count: int, generator: np.random.Generator, repeats: int = 1000
) -> Float[np.ndarray, "repeats v"]:
    """Draw `count` tokens from p and return how often each came, as a share: the empirical distribution, `repeats`
    times."""
    p = Memoryless(p).p
    checks.positive_ints(count=count, repeats=repeats)
    return generator.multinomial(count, p / p.sum(), size=repeats) / count


def counting_divergence(p: Float[np.ndarray, " v"], count: int) -> float:
    """(k − 1)/(2 count) nats, with k the number of tokens that can come: what counting `count` samples costs, for large
    counts.

    It is the limit of count · E D(p̂‖p) over count, and that of D(p‖p̂) in distribution: half a χ² with k − 1 degrees.
    [Wilks 1938]
    """
    checks.positive_int("count", count)
    return (int((Memoryless(p).p > 0).sum()) - 1) / (2 * count)


def counting_error(
    p: Float[np.ndarray, " v"], count: int, generator: np.random.Generator, repeats: int = 4000
) -> float:
    """E max|p − p̂| of who counts `count` samples, as a probability: the mean of `repeats` draws."""
    return float(largest_error(p, counted(p, count, generator, repeats)).mean())
