"""Source G, chapter 3: attention maps a Gaussian of the plane to a Gaussian, by quadrature beside the closed form."""

import numpy as np

from tests.shared.record import rounding
from tests.shared.seeded import rng

# Two heads on N(M2, SIGMA2) in the plane: head h pulls by C = Kᵀ Q/√d_k and hands on A = W V, both [2, 2].
_p = rng(17)
CS, AS = 0.4 * _p.standard_normal((2, 2, 2, 2))
ROOT2, M2 = 0.5 * _p.standard_normal((2, 2)), _p.standard_normal(2)
SIGMA2 = ROOT2 @ ROOT2.T


def plane_rule(points: int = 24) -> tuple[np.ndarray, np.ndarray]:
    """Nodes [points², 2] and masses of a product Gauss–Hermite rule for N(M2, SIGMA2)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    grid = np.stack(np.meshgrid(nodes, nodes), axis=-1).reshape(-1, 2)
    return M2 + grid @ ROOT2.T, np.outer(weights, weights).ravel() / weights.sum() ** 2


def heads_map(x: np.ndarray, y: np.ndarray, mass: np.ndarray, heads: int) -> np.ndarray:
    """x + Σ_h A_h ∫ y e^{⟨x, C_hᵀ y⟩} dμ(y) / ∫ e^{⟨x, C_hᵀ y⟩} dμ(y) for rows x, the measure μ given by nodes and masses."""
    image = x.copy()
    for c, a in zip(CS[:heads], AS[:heads], strict=True):
        e = np.exp(x @ c.T @ y.T) * mass
        image += (e @ y / e.sum(1, keepdims=True)) @ a.T
    return image


def plane_moments() -> tuple[np.ndarray, np.ndarray]:
    """Mean and covariance of the image of N(M2, SIGMA2) under one head, by quadrature."""
    y, mass = plane_rule()
    image = heads_map(y, y, mass, heads=1)
    mean = mass @ image
    return mean, (image - mean).T * mass @ (image - mean)


def closed_form(transposed: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """(I + WV + B)m and (I + B)Σ(I + B)ᵀ, B = WVΣKᵀQ/√d_k; `transposed` gives (I + B)ᵀΣ(I + B) instead."""
    b = AS[0] @ SIGMA2 @ CS[0]
    step = (np.eye(2) + b).T if transposed else np.eye(2) + b
    return (np.eye(2) + AS[0] + b) @ M2, step @ SIGMA2 @ step.T


def bend(layers: int, two_points: bool = False) -> float:
    """Largest |f(x+u) - 2f(x) + f(x-u)| of two heads applied `layers` times: 0 for an affine map.

    The second layer attends to the image of the first. `two_points` puts the measure on two points instead.
    """
    y, mass = (np.array([M2 + 1, M2 - 1]), np.array([0.5, 0.5])) if two_points else plane_rule()
    x, u = rng(18).standard_normal((2, 20, 2))
    probes = np.concatenate([x + u, x, x - u])
    for _ in range(layers):
        probes, y = heads_map(probes, y, mass, heads=2), heads_map(y, y, mass, heads=2)
    ahead, here, behind = np.split(probes, 3)
    return rounding(abs(ahead - 2 * here + behind).max(), 1e-8)
