"""What attention does to a Gaussian cloud of tokens, in closed form.  [Ponti 2025, §3.2]

Tokens are rows, and the cloud is N(μ, Σ). A query x looks at the whole cloud: its score of a key y is s · (x W_Q)·(y W_K), and the
softmax becomes an integral. Moment generating function and Stein's lemma give, for each head,

    ∫ y e^{x C y} dμ(y) / ∫ e^{x C y} dμ(y) = μ + x C Σ,    C = s W_Q W_Kᵀ,

so a layer x ↦ x + ε Σ_h (μ + x C_h Σ) W_V W_O is one affine map of x, and a Gaussian stays a Gaussian.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib import checks

ASYMMETRY = 1e-10  # of a covariance, as a share of its largest entry
NEGATIVE = 1e-10  # an eigenvalue may be this far below 0, as a share of the largest: rounding


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
            object.__setattr__(self, name, _kept(name, getattr(self, name), 3, layout))
        h, d, m = self.W_Q.shape
        c = self.W_V.shape[2]
        for name, shape in (("W_K", (h, d, m)), ("W_V", (h, d, c)), ("W_O", (h, c, d))):
            if getattr(self, name).shape != shape:
                checks.fail(name, f"of shape {list(shape)}, as W_Q and W_V say", f"shape {list(getattr(self, name).shape)}")
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


@dataclass(frozen=True, eq=False)
class Gaussian:
    """A cloud N(mean [d], covariance [d, d]), kept as read-only float64 copies.

    Raises ValueError for a covariance that is not symmetric or has an eigenvalue below 0 (rounding is forgiven), for sizes that do
    not match, and for entries that are not finite.
    """

    mean: Float[np.ndarray, " d"]
    covariance: Float[np.ndarray, "d d"]

    def __post_init__(self) -> None:
        mean = _kept("mean", self.mean, 1, "[d]")
        covariance = _kept("covariance", self.covariance, 2, "[d, d]")
        if covariance.shape != (len(mean), len(mean)):
            checks.fail("covariance", f"of shape {[len(mean)] * 2}, as mean says", f"shape {list(covariance.shape)}")
        largest = abs(covariance).max()
        if abs(covariance - covariance.T).max() > ASYMMETRY * largest:
            checks.fail("covariance", "symmetric", f"a difference of {abs(covariance - covariance.T).max():.3g} to its transpose")
        lowest = np.linalg.eigvalsh(covariance)[0]
        if lowest < -NEGATIVE * largest:
            checks.fail("covariance", "without an eigenvalue below 0", f"{lowest:.3g}")
        object.__setattr__(self, "mean", mean)
        object.__setattr__(self, "covariance", covariance)

    def sample(self, n: int, generator: np.random.Generator) -> Float[np.ndarray, "n d"]:
        """n tokens. The root of the covariance is that of its eigenvectors, so a flat cloud is no trouble."""
        checks.positive_int("n", n)
        values, vectors = np.linalg.eigh(self.covariance)
        root = vectors * np.sqrt(np.maximum(values, 0))
        return self.mean + generator.standard_normal((n, len(self.mean))) @ root.T


class Affine(NamedTuple):
    """x ↦ x A + b, for rows x."""

    A: np.ndarray
    b: np.ndarray


def random_heads(d: int, m: int, h: int = 1, *, c: int | None = None, generator: np.random.Generator) -> Heads:
    """The start of source G's programs: entries of W_Q, W_K, W_V normal with variance 1/d, of W_O with 1/c (c = d unless given)."""
    c = d if c is None else c
    for name, value in (("d", d), ("m", m), ("h", h), ("c", c)):
        checks.positive_int(name, value)
    inwards = (generator.standard_normal((h, d, width)) / np.sqrt(d) for width in (m, m, c))
    return Heads(*inwards, generator.standard_normal((h, c, d)) / np.sqrt(c))


def random_covariance(d: int, generator: np.random.Generator) -> Float[np.ndarray, "d d"]:
    """G Gᵀ/√d with standard normal G, as in source G's programs. (For a law that does not depend on d it would be 1/d.)"""
    checks.positive_int("d", d)
    G = generator.standard_normal((d, d))
    return G @ G.T / np.sqrt(d)


def score_spread(x: Float[np.ndarray, "n d"], heads: Heads, covariance: Float[np.ndarray, "d d"]) -> Float[np.ndarray, "h n"]:
    """The standard deviation √(x C Σ Cᵀ xᵀ) of a query's scores over the cloud's keys, for each head and each query.

    Its square is the variance of a Gaussian score. A sample of keys can stand for the cloud only where n is far above its
    exponential.
    """
    covariance = _fitting(heads, covariance)
    x = np.asarray(x, dtype=np.float64)
    checks.array("x", x, 2, "[n, d]")
    checks.size("x", x, -1, heads.d, "the width d of the heads")
    asked = x @ heads.scoring  # [h, n, d]
    return np.sqrt(np.maximum(((asked @ covariance) * asked).sum(-1), 0))


def layer_matrix(heads: Heads, covariance: Float[np.ndarray, "*b d d"]) -> Float[np.ndarray, "*b d d"]:
    """B = Σ_h C_h Σ W_V W_O: what attention adds to a token x, but for a constant, is x B. Source G's B is its transpose."""
    covariance = _fitting(heads, covariance)
    return sum(C @ covariance @ M for C, M in zip(heads.scoring, heads.writing, strict=True))


def affine(heads: Heads, cloud: Gaussian, *, step: float = 1.0) -> Affine:
    """The whole layer as one map of a token: A = I + εB, b = ε Σ_h μ W_V W_O. `step` is ε > 0."""
    checks.number("step", step, positive=True)
    checks.size("mean", cloud.mean, 0, heads.d, "the width d of the heads")
    A = np.eye(heads.d) + step * layer_matrix(heads, cloud.covariance)
    return Affine(A, step * cloud.mean @ heads.writing.sum(0))


def push(cloud: Gaussian, heads: Heads, *, step: float = 1.0) -> Gaussian:
    """The cloud after the layer: N(μA + b, AᵀΣA)."""
    A, b = affine(heads, cloud, step=step)
    return Gaussian(cloud.mean @ A + b, congruence(cloud.covariance, heads, step=step))


def congruence(covariance: Float[np.ndarray, "*b d d"], heads: Heads, *, step: float = 1.0) -> Float[np.ndarray, "*b d d"]:
    """(I + εB)ᵀ Σ (I + εB), the exact covariance after the layer: never below 0, whatever ε."""
    checks.number("step", step, positive=True)
    A = np.eye(heads.d) + step * layer_matrix(heads, covariance)
    return _symmetric(np.swapaxes(A, -1, -2) @ covariance @ A)


def first_order(covariance: Float[np.ndarray, "*b d d"], heads: Heads, *, step: float = 1.0) -> Float[np.ndarray, "*b d d"]:
    """Σ + ε(BᵀΣ + ΣB), what source G's programs iterate: `congruence` without ε²BᵀΣB, and so not always a covariance."""
    checks.number("step", step, positive=True)
    half = covariance @ layer_matrix(heads, covariance)  # Σ B
    return covariance + step * (half + np.swapaxes(half, -1, -2))


def _fitting(heads: Heads, covariance: np.ndarray) -> np.ndarray:
    covariance = np.asarray(covariance, dtype=np.float64)
    checks.array("covariance", covariance, 2, "[..., d, d]")
    for axis in (-2, -1):
        checks.size("covariance", covariance, axis, heads.d, "the width d of the heads")
    return covariance


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    return (matrix + np.swapaxes(matrix, -1, -2)) / 2


def _kept(name: str, value: object, axes: int, layout: str) -> np.ndarray:
    try:
        array = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        checks.fail(name, f"an array {layout} of numbers", type(value).__name__)
    if array.ndim != axes or 0 in array.shape:
        checks.fail(name, f"an array {layout} of numbers", f"shape {list(array.shape)}")
    checks.finite(name, array)
    array.flags.writeable = False
    return array
