"""What attention does to a Gaussian cloud of tokens, in closed form.  [Ponti 2025, §3.2]

Tokens are rows, and the cloud is N(μ, Σ). A query x looks at the whole cloud: its score of a key y is s · (x W_Q)·(y
W_K), and the softmax becomes an integral. Moment generating function and Stein's lemma give, for each head,

    ∫ y e^{x C y} dμ(y) / ∫ e^{x C y} dμ(y) = μ + x C Σ,    C = s W_Q W_Kᵀ,

so a layer x ↦ x + ε Σ_h (μ + x C_h Σ) W_V W_O is one affine map of x, and a Gaussian stays a Gaussian.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib import checks
from course_lib.heads import Heads, read_only

ASYMMETRY = 1e-10  # of a covariance, as a share of its largest entry
NEGATIVE = 1e-10  # an eigenvalue may be this far below 0, as a share of the largest: rounding


@dataclass(frozen=True, eq=False)
class Gaussian:
    """A cloud N(mean [d], covariance [d, d]), kept as read-only float64 copies.

    Raises ValueError for a covariance that is not symmetric or has an eigenvalue below 0 (rounding is forgiven), for
    sizes that do not match, and for entries that are not finite.
    """

    mean: Float[np.ndarray, " d"]
    covariance: Float[np.ndarray, "d d"]

    def __post_init__(self) -> None:
        mean = read_only("mean", self.mean, 1, "[d]")
        covariance = read_only("covariance", self.covariance, 2, "[d, d]")
        if covariance.shape != (len(mean), len(mean)):
            checks.fail("covariance", f"of shape {[len(mean)] * 2}, as mean says", f"shape {list(covariance.shape)}")
        largest = abs(covariance).max()
        if abs(covariance - covariance.T).max() > ASYMMETRY * largest:
            checks.fail(
                "covariance",
                "symmetric",
                f"a difference of {abs(covariance - covariance.T).max():.3g} to its transpose",
            )
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


def random_covariance(d: int, generator: np.random.Generator) -> Float[np.ndarray, "d d"]:
    """G Gᵀ/√d with standard normal G, as in source G's programs. (For a law that does not depend on d it would be
    1/d.)"""
    checks.positive_int("d", d)
    G = generator.standard_normal((d, d))
    return G @ G.T / np.sqrt(d)


def score_spread(
    x: Float[np.ndarray, "n d"], heads: Heads, covariance: Float[np.ndarray, "d d"]
) -> Float[np.ndarray, "h n"]:
    """The standard deviation √(x C Σ Cᵀ xᵀ) of a query's scores over the cloud's keys, for each head and each query.

    Its square is the variance of a Gaussian score. A sample of keys can stand for the cloud only where n is far above
    its exponential.
    """
    covariance = _fitting(heads, covariance)
    x = checks.floats("x", x)
    checks.array("x", x, 2, "[n, d]")
    checks.size("x", x, -1, heads.d, "the width d of the heads")
    asked = x @ heads.scoring  # [h, n, d]
    return np.sqrt(np.maximum(((asked @ covariance) * asked).sum(-1), 0))


def layer_matrix(heads: Heads, covariance: Float[np.ndarray, "*b d d"]) -> Float[np.ndarray, "*b d d"]:
    """B = Σ_h C_h Σ W_V W_O: what attention adds to a token x, but for a constant, is x B. Source G's B is its
    transpose."""
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


def congruence(
    covariance: Float[np.ndarray, "*b d d"], heads: Heads, *, step: float = 1.0
) -> Float[np.ndarray, "*b d d"]:
    """(I + εB)ᵀ Σ (I + εB), the exact covariance after the layer: never below 0, whatever ε."""
    checks.number("step", step, positive=True)
    A = np.eye(heads.d) + step * layer_matrix(heads, covariance)
    return _symmetric(np.swapaxes(A, -1, -2) @ covariance @ A)


def first_order(
    covariance: Float[np.ndarray, "*b d d"], heads: Heads, *, step: float = 1.0
) -> Float[np.ndarray, "*b d d"]:
    """Σ + ε(BᵀΣ + ΣB), what source G's programs iterate: `congruence` without ε²BᵀΣB, and so not always a
    covariance."""
    checks.number("step", step, positive=True)
    half = covariance @ layer_matrix(heads, covariance)  # Σ B
    return covariance + step * (half + np.swapaxes(half, -1, -2))


def _fitting(heads: Heads, covariance: np.ndarray) -> np.ndarray:
    covariance = checks.floats("covariance", covariance)
    checks.array("covariance", covariance, 2, "[..., d, d]")
    for axis in (-2, -1):
        checks.size("covariance", covariance, axis, heads.d, "the width d of the heads")
    return covariance


def _symmetric(matrix: np.ndarray) -> np.ndarray:
    return (matrix + np.swapaxes(matrix, -1, -2)) / 2
