"""The same attention layer again and again on a Gaussian cloud, and its limit of small steps.  [Ponti 2025,
§3.2.1–3.2.2]

B(Σ) = Σ_h C_h Σ M_h is linear in Σ, so one layer is cubic in Σ: sizes grow like 10^(3^t) and leave float64 after a few
passes. Here a covariance is kept as 2^k S with S near 1 and k a whole number of Python, which has no largest. A pass
takes k out exactly:

    I + εB(2^k S) = 2^p (2^−p I + ε 2^(k−p) B(S)),   p = max(k, 0),

so the next covariance is 2^(k+2p) AᵀSA with A the bracket; of first order it is 2^(k+p) (2^−p S + ε 2^(k−p) (B(S)ᵀS + S
B(S))).
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib import checks
from course_lib.gaussian.maps import NEGATIVE, Gaussian
from course_lib.heads import Heads

RULES = ("congruence", "first_order")
FLOAT64 = 1024  # an entry of 2^1024 or more is infinite in float64
BITS = 1000  # a path ends where the logarithm of its size would leave float64 too
TURN = 0.03  # of the flow: ‖B‖ times the time of one Runge–Kutta step
GROWN = 1e6  # the flow is followed until it has grown so much
Covariance = Float[np.ndarray, "d d"]


@dataclass(frozen=True, eq=False)
class IterationPath:
    """What `iterate` saw. Arrays have one entry for the start and one for each pass, nothing in them is NaN.

    log10_size: log10 of the largest |eigenvalue|, known far beyond float64 (−inf where the covariance has become 0).
    largest, smallest: the extreme eigenvalues over that size, from −1 to 1.
    overflow: the first pass after which the covariance has an entry that float64 cannot hold; None if there was none.
    indefinite: the first after which an eigenvalue is below 0 by more than rounding (1e−10 of the size).
    covariance [d, d]: the last one over its size. mean [d]: the last one over its length.
    log10_mean: log10 of the mean's length, −inf for a mean of 0; None where only a covariance was given.
    """

    log10_size: Float[np.ndarray, " passes+1"]
    largest: Float[np.ndarray, " passes+1"]
    smallest: Float[np.ndarray, " passes+1"]
    overflow: int | None
    indefinite: int | None
    covariance: Covariance
    mean: Float[np.ndarray, " d"] | None = None
    log10_mean: Float[np.ndarray, " passes+1"] | None = None

    @property
    def passes(self) -> int:
        return len(self.log10_size) - 1

    def eigenvalues(self, passes: int = -1) -> tuple[float, float]:
        """The smallest and the largest after so many passes, in their own units. ValueError where float64 cannot hold
        them."""
        size = self.log10_size[passes]
        if size >= FLOAT64 * math.log10(2):
            checks.fail("passes", "a pass whose eigenvalues fit into float64", f"{passes}, of size 10^{size:.0f}")
        return float(self.smallest[passes] * 10**size), float(self.largest[passes] * 10**size)


def iterate(
    start: Gaussian | Covariance, heads: Heads, layers: int, *, step: float = 1.0, rule: str = "congruence"
) -> IterationPath:
    """Apply one layer `layers` times; the heads stay, Σ and with it B are new in every pass. `step` is ε > 0.

    rule: "congruence", the layer's own (I + εB)ᵀΣ(I + εB); "first_order", Σ + ε(BᵀΣ + ΣB), what source G iterates, and
    not always a covariance. The mean is μ(I + εB) + εμ Σ_h M_h with both. The path is shorter than `layers` only where
    even log10_size would leave float64. Raises ValueError for a start that is not symmetric ≥ 0 or has not the heads'
    width.
    """
    cloud = start if isinstance(start, Gaussian) else _centred(start)
    checks.size("start", cloud.covariance, 0, heads.d, "the width d of the heads")
    checks.positive_int("layers", layers)
    checks.number("step", step, positive=True)
    checks.one_of("rule", rule, RULES)
    B, together = _linear(heads), heads.writing.sum(0)
    S, k = _normal(cloud.covariance, 0)
    mean, j = _normal(cloud.mean, 0)
    seen, overflow, indefinite = [_look(S, k, mean, j)], None, None
    for count in range(1, layers + 1):
        p, matrix = max(k, 0), B(S)
        low, high = math.ldexp(1.0, -p), math.ldexp(step, k - p)
        if rule == "congruence":
            A = low * np.eye(heads.d) + high * matrix
            new, new_k = _normal(A.T @ S @ A, k + 2 * p)
        else:
            half = S @ matrix
            new, new_k = _normal(low * S + high * (half + half.T), k + p)
        mean, j = _normal(low * (mean + step * mean @ together) + high * mean @ matrix, j + p)
        if max(new_k.bit_length(), j.bit_length()) > BITS:
            break
        S, k = (new + new.T) / 2, new_k
        seen.append(_look(S, k, mean, j))
        if overflow is None and k > FLOAT64:  # the largest entry of S is in [1/2, 1)
            overflow = count
        if indefinite is None and seen[-1].smallest < -NEGATIVE:
            indefinite = count
    log10_size, smallest, largest, log10_mean = map(np.array, zip(*seen, strict=True))
    path = IterationPath(log10_size, largest, smallest, overflow, indefinite, _over(S, np.linalg.norm(S, 2)))
    if cloud is not start:
        return path
    return replace(path, mean=_over(mean, np.linalg.norm(mean)), log10_mean=log10_mean)


def reach(heads: Heads) -> float:
    """κ = Σ_h ‖C_h‖ ‖M_h‖ (spectral norms), so ‖B(Σ)‖ ≤ κ‖Σ‖, and 1 + εκ‖Σ‖ is at most cubed by a layer."""
    return float(
        sum(np.linalg.norm(C, 2) * np.linalg.norm(M, 2) for C, M in zip(heads.scoring, heads.writing, strict=True))
    )


def flow(covariance: Covariance, heads: Heads, times: Float[np.ndarray, " k"]) -> Float[np.ndarray, "k d d"]:
    """Σ at each of `times` (0 or later, increasing) of Σ' = BᵀΣ + ΣB, the limit of many layers with small ε; time is ε
    · passes.

    Runge–Kutta of order 4 for the factor P of Σ = PᵀΣ₀P, P' = PB(Σ), so that Σ stays a covariance. Raises ValueError
    where the size grows 10⁶-fold before the last time: near a blow-up no number of steps is enough.
    """
    times = checks.floats("times", times)
    if times.ndim != 1 or len(times) == 0 or not np.isfinite(times).all() or (np.diff(times, prepend=0.0) < 0).any():
        checks.fail("times", "an array [k] of increasing numbers ≥ 0", str(times.tolist()))
    found, first = [], None
    for time, sigma in _march(covariance, heads, times):
        size = np.linalg.norm(sigma)
        first = size if first is None else first
        if size > GROWN * first:
            checks.fail(
                "times", f"numbers up to {time:.4g}, where the size has grown {GROWN:.0e}-fold", f"{times[-1]:.4g}"
            )
        while len(found) < len(times) and time == times[len(found)]:
            found.append(sigma)
    return np.stack(found)


def _march(covariance: Covariance, heads: Heads, stops: np.ndarray) -> Iterator[tuple[float, np.ndarray]]:
    """(time, Σ) at 0 and after each step, every stop hit exactly."""
    start = _centred(covariance).covariance
    checks.size("covariance", start, 0, heads.d, "the width d of the heads")
    B, P, time, sigma = _linear(heads), np.eye(heads.d), 0.0, start

    def slope(factor: np.ndarray) -> np.ndarray:
        return factor @ B(factor.T @ start @ factor)

    yield time, sigma
    for stop in stops:
        while time < stop:
            turning = np.linalg.norm(B(sigma))
            last = turning * (stop - time) <= TURN
            h = stop - time if last else TURN / turning
            k1 = slope(P)
            k2 = slope(P + h / 2 * k1)
            k3 = slope(P + h / 2 * k2)
            P = P + h / 6 * (k1 + 2 * k2 + 2 * k3 + slope(P + h * k3))
            sigma = P.T @ start @ P
            time = float(stop) if last else time + h
            yield time, sigma


def _centred(covariance: Covariance) -> Gaussian:
    covariance = np.asarray(covariance)
    checks.array("covariance", covariance, 2, "[d, d]")
    return Gaussian(np.zeros(covariance.shape[-1]), covariance)


class _Look(NamedTuple):
    log10_size: float
    smallest: float
    largest: float
    log10_mean: float


def _look(S: np.ndarray, k: int, mean: np.ndarray, j: int) -> _Look:
    values = np.linalg.eigvalsh(S)
    size = max(-values[0], values[-1])
    shares = values[[0, -1]] / size if size else np.zeros(2)
    return _Look(_log10(size, k), float(shares[0]), float(shares[1]), _log10(np.linalg.norm(mean), j))


def _log10(value: float, exponent: int) -> float:
    return math.log10(value) + exponent * math.log10(2) if value else -math.inf


def _normal(array: np.ndarray, exponent: int) -> tuple[np.ndarray, int]:
    """2^exponent times the array, with its largest entry between 1/2 and 1: powers of 2, so nothing is rounded."""
    shift = int(np.frexp(abs(array).max())[1])
    return np.ldexp(array, -shift), exponent + shift


def _over(array: np.ndarray, size: float) -> np.ndarray:
    return array / size if size else array


def _linear(heads: Heads) -> Callable[[np.ndarray], np.ndarray]:
    """B as a function of Σ, with C_h and M_h made once."""
    pairs = list(zip(heads.scoring, heads.writing, strict=True))
    return lambda covariance: sum(C @ covariance @ M for C, M in pairs)
