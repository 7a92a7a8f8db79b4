"""Spectra of random matrices: ensembles, the laws that their eigenvalues and singular values follow, and the distance
to a law.

W is a matrix of independent entries of mean μ and variance σ²; everything is float64. Laws: Wigner's semicircle [Wigner
1958], Marchenko–Pastur [Marchenko & Pastur 1967], the quarter circle, and the circular law. Source G, §3.1, draws the
first three.
"""

import math
from dataclasses import dataclass
from typing import ClassVar, NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib import checks

MOMENTS = {
    "gaussian": (0.0, 1.0),
    "uniform": (0.5, 1 / 12),
    "centred": (0.0, 1 / 3),
}  # N(0, 1), U(0, 1), U(−1, 1): μ, σ²
FORMS = ("symmetric", "general", "product")
DIVISORS = ("none", "root", "full")
DUST = 1e-10  # an eigenvalue this small, as a share of the largest, is 0 and rounding


class Law:
    """A law on the line: `support` (low, high), `atom` its mass at 0, and `density` and `cdf` of numbers or arrays.

    A subclass gives `_density(x)` for x in the support, and `_cdf(x)` of the part without the atom, from 0 to 1.
    """

    support: tuple[float, float]
    atom = 0.0

    def density(self, x: Float[np.ndarray, "*b"]) -> Float[np.ndarray, "*b"]:
        """Mass per unit of x, the atom left out; 0 outside of the support."""
        x = _numbers("x", x)
        low, high = self.support
        inside = (x >= low) & (x <= high)
        return np.where(inside, self._density(np.where(inside, x, (low + high) / 2)), 0.0)

    def cdf(self, x: Float[np.ndarray, "*b"]) -> Float[np.ndarray, "*b"]:
        """The share of the mass at x or below it."""
        x = _numbers("x", x)
        low, high = self.support
        return np.where(x >= 0, self.atom, 0.0) + (1 - self.atom) * np.clip(self._cdf(np.clip(x, low, high)), 0, 1)


@dataclass(frozen=True)
class _Scaled(Law):
    """A law of one shape: its edges times sigma > 0. Raises ValueError for another sigma."""

    EDGES: ClassVar[tuple[float, float]]
    sigma: float = 1.0

    def __post_init__(self) -> None:
        checks.number("sigma", self.sigma, positive=True)

    @property
    def support(self) -> tuple[float, float]:
        return self.EDGES[0] * self.sigma, self.EDGES[1] * self.sigma


class Semicircle(_Scaled):
    """√(4σ² − x²)/2πσ² on [−2σ, 2σ]: eigenvalues of a symmetric matrix of entries of variance σ², over √n.  [Wigner
    1958]"""

    EDGES = (-2.0, 2.0)

    def _density(self, x: np.ndarray) -> np.ndarray:
        return np.sqrt(4 * self.sigma**2 - x**2) / (2 * math.pi * self.sigma**2)

    def _cdf(self, x: np.ndarray) -> np.ndarray:
        t = np.clip(x / (2 * self.sigma), -1, 1)
        return 0.5 + (t * np.sqrt(1 - t**2) + np.arcsin(t)) / math.pi


class QuarterCircle(_Scaled):
    """√(4σ² − x²)/πσ² on [0, 2σ]: singular values of a square matrix of entries of variance σ², over √n; symmetric or
    not."""

    EDGES = (0.0, 2.0)

    def _density(self, x: np.ndarray) -> np.ndarray:
        return 2 * Semicircle(self.sigma)._density(x)

    def _cdf(self, x: np.ndarray) -> np.ndarray:
        return 2 * Semicircle(self.sigma)._cdf(x) - 1


class CircularRadius(_Scaled):
    """2r/σ² on [0, σ]: size |λ| of the eigenvalues of a square matrix, not symmetric, over √n. They fill a disc.
    [Ginibre 1965]"""

    EDGES = (0.0, 1.0)

    def _density(self, x: np.ndarray) -> np.ndarray:
        return 2 * x / self.sigma**2

    def _cdf(self, x: np.ndarray) -> np.ndarray:
        return (x / self.sigma) ** 2


@dataclass(frozen=True)
class MarchenkoPastur(Law):
    """Eigenvalues of W Wᵀ/k for W [n, k], entries of variance `variance`; `ratio` is n/k.  [Marchenko & Pastur 1967]

    √((b − x)(x − a))/(2π ratio variance x) on [a, b] = variance (1 ± √ratio)², and for ratio > 1 a mass of 1 − 1/ratio
    at 0. For ratio 1 the density is infinite at 0. Raises ValueError unless both are > 0.
    """

    ratio: float = 1.0
    variance: float = 1.0

    def __post_init__(self) -> None:
        checks.number("ratio", self.ratio, positive=True)
        checks.number("variance", self.variance, positive=True)

    @property
    def support(self) -> tuple[float, float]:
        root = math.sqrt(self.ratio)
        return self.variance * (1 - root) ** 2, self.variance * (1 + root) ** 2

    @property
    def atom(self) -> float:
        return max(0.0, 1 - 1 / self.ratio)

    def _density(self, x: np.ndarray) -> np.ndarray:
        low, high = self.support
        with np.errstate(divide="ignore", invalid="ignore"):
            density = np.sqrt((high - x) * (x - low)) / (2 * math.pi * self.ratio * self.variance * x)
        return np.where(x > 0, density, math.inf)  # 0 is in the support for ratio 1 only

    def _cdf(self, x: np.ndarray) -> np.ndarray:
        y, (low, high) = self.ratio, self.support
        above, below = (high - x) / self.variance, (x - low) / self.variance
        a, b, root = low / self.variance, high / self.variance, np.sqrt(above * below)
        angle = (1 + y) * np.arctan2(above - below, 2 * root)
        angle -= abs(1 - y) * np.arctan2(
            a * above - b * below, 2 * abs(1 - y) * root
        )  # from π min(1, y) down to −π min(1, y)
        return 0.5 + (root - angle) / (2 * math.pi * min(1.0, y))


@dataclass(frozen=True)
class SingularValues(_Scaled):
    """The min(n, k) singular values of W [n, k] over √max(n, k), entries of variance σ²; `ratio` is min/max, below 1.

    They are the roots of what Marchenko–Pastur describes, and lie in σ(1 ± √ratio). For a square matrix:
    `QuarterCircle`.
    """

    ratio: float = 0.5

    def __post_init__(self) -> None:
        super().__post_init__()
        checks.number("ratio", self.ratio, positive=True)
        if self.ratio >= 1:
            checks.fail("ratio", "the shorter side over the longer, below 1", f"{self.ratio:g}")

    @property
    def support(self) -> tuple[float, float]:
        return self.sigma * (1 - math.sqrt(self.ratio)), self.sigma * (1 + math.sqrt(self.ratio))

    def _density(self, x: np.ndarray) -> np.ndarray:
        return 2 * x * MarchenkoPastur(self.ratio, self.sigma**2)._density(x**2)

    def _cdf(self, x: np.ndarray) -> np.ndarray:
        return MarchenkoPastur(self.ratio, self.sigma**2).cdf(x**2)


def law_distance(values: Float[np.ndarray, " n"], law: Law) -> float:
    """Kolmogorov–Smirnov: the largest difference of the share of `values` up to x and `law.cdf(x)`, over all x. 0 to 1.

    n values that lie perfectly are 1/2n away. Raises ValueError for no values, complex ones (give |λ|) or ones not
    finite.
    """
    values = np.sort(_numbers("values", values).ravel())
    if values.size == 0:
        checks.fail("values", "of at least one entry", "none")
    if law.atom:  # rounding turns a 0 into ±1e-17, which would miss the atom
        values = np.sort(np.where(abs(values) < DUST * abs(values).max(), 0.0, values))
    there = law.cdf(values)
    just_below = there - law.atom * (values == 0)
    n = len(values)
    up_to, before = np.searchsorted(values, values, "right") / n, np.searchsorted(values, values, "left") / n
    return float(max(abs(up_to - there).max(), abs(before - just_below).max()))


@dataclass(frozen=True)
class Ensemble:
    """A random matrix made from W [n, columns] of independent entries, and what theory says of its spectrum.

    entries: "gaussian" N(0, 1), "uniform" U(0, 1), "centred" U(−1, 1). form: "symmetric" (the lower triangle of W
    reflected, as in source G), "general" (W itself), "product" (W Wᵀ). divisor, with k columns: "none" 1, "root" √k,
    "full" k. columns: n unless given. Raises ValueError for anything else, and for a symmetric matrix that is not
    square.
    """

    n: int
    entries: str = "gaussian"
    form: str = "symmetric"
    divisor: str = "root"
    columns: int | None = None

    def __post_init__(self) -> None:
        checks.positive_int("n", self.n)
        checks.one_of("entries", self.entries, tuple(MOMENTS))
        checks.one_of("form", self.form, FORMS)
        checks.one_of("divisor", self.divisor, DIVISORS)
        if self.columns is None:
            object.__setattr__(self, "columns", self.n)
        checks.positive_int("columns", self.columns)
        if self.form == "symmetric":
            self._square()

    @property
    def mean(self) -> float:  # μ, of one entry of W
        return MOMENTS[self.entries][0]

    @property
    def variance(self) -> float:  # σ², of one entry of W
        return MOMENTS[self.entries][1]

    @property
    def divided_by(self) -> float:
        return {"none": 1.0, "root": math.sqrt(self.columns), "full": float(self.columns)}[self.divisor]

    def draw(self, generator: np.random.Generator) -> Float[np.ndarray, "n k"]:
        """One matrix, [n, columns] where it is "general" and [n, n] otherwise."""
        if not isinstance(generator, np.random.Generator):
            checks.fail("generator", "a numpy.random.Generator", type(generator).__name__)
        shape = (self.n, self.columns)
        W = generator.standard_normal(shape) if self.entries == "gaussian" else generator.random(shape)
        W = 2 * W - 1 if self.entries == "centred" else W
        if self.form == "symmetric":
            W = np.tril(W) + np.tril(W, -1).T
        elif self.form == "product":
            W = W @ W.T
        return W / self.divided_by

    @property
    def law(self) -> Law:
        """Of the eigenvalues for large n, but for one outlier where the mean is not 0. For a "general" matrix, of their
        size |λ|."""
        spread = math.sqrt(self.variance * self.columns) / self.divided_by
        if self.form == "product":
            return MarchenkoPastur(self.n / self.columns, self.variance * self.columns / self.divided_by)
        self._square()
        return Semicircle(spread) if self.form == "symmetric" else CircularRadius(spread)

    @property
    def singular_law(self) -> Law:
        """Of the singular values, but for one outlier where the mean is not 0."""
        if self.form == "product":  # W Wᵀ has no eigenvalue below 0
            return self.law
        short, long = sorted((self.n, self.columns))
        sigma = math.sqrt(self.variance * long) / self.divided_by
        return QuarterCircle(sigma) if short == long else SingularValues(sigma, short / long)

    @property
    def outlier(self) -> float | None:
        """Where the eigenvalue that the mean causes is expected, for large n; None for a mean of 0."""
        if not self.mean:
            return None
        if self.form == "product":  # a singular value θ, noise of n by k entries  [Benaych-Georges & Nadakuditi 2012]
            square = self.n * self.columns * self.mean**2
            noise = self.variance * np.array([self.n, self.columns])
            return float(np.prod(square + noise) / square / self.divided_by)
        self._square()
        shift = self.variance / self.mean if self.form == "symmetric" else 0.0
        return (self.n * self.mean + shift) / self.divided_by

    def _square(self) -> None:
        if self.columns != self.n:
            checks.fail("columns", f"n = {self.n}, as a matrix with eigenvalues is square", str(self.columns))


class Outlier(NamedTuple):
    """Terms of the expansion of the eigenvalue of μ E + N that leaves the bulk, E all ones, N centred, u = (1, …,
    1)/√n."""

    main: float  # nμ
    chance: float  # u N uᵀ: mean 0, variance close to 2σ²
    shift: float  # |u N|²/nμ: close to σ²/μ

    @property
    def total(self) -> float:
        return sum(self)


def outlier_expansion(matrix: Float[np.ndarray, "n n"], mean: float) -> Outlier:
    """Of one symmetric, undivided matrix with entries of mean `mean`, not 0. What is left out is of the order 1/√n.

    An eigenvalue λ that N = matrix − μE does not have solves 1 = nμ u (λ − N)⁻¹ uᵀ, that is λ = nμ Σ_j u Nʲ uᵀ/λʲ; with
    λ ≈ nμ the terms j = 0, 1, 2 are the three here. Raises ValueError where the matrix is not symmetric.
    """
    matrix = _numbers("matrix", matrix)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not np.array_equal(matrix, matrix.T):
        checks.fail(
            "matrix", "a symmetric array [n, n]", f"one of shape {list(matrix.shape)} that is not its transpose"
        )
    checks.number("mean", mean)
    if mean == 0:
        checks.fail("mean", "a number that is not 0", "0")
    sums, n = (matrix - mean).sum(0), len(matrix)
    return Outlier(n * mean, float(sums.mean()), float((sums @ sums) / n / (n * mean)))


def _numbers(name: str, value: object) -> np.ndarray:
    """As real float64, every entry finite, or a ValueError."""
    array = np.asarray(value)
    if array.dtype.kind not in "iuf":
        checks.fail(name, "an array of real numbers", f"dtype {array.dtype}")
    checks.finite(name, array)
    return array.astype(np.float64)
