"""Source G: formulas as printed beside the right ones, by quadrature, random matrices and autograd."""

import itertools
import math

import numpy as np
import torch

from tests.shared.record import rounding
from tests.shared.sandron import softmax
from tests.shared.seeded import F64, rng, seeded


def attention_columns(form: str) -> float:
    """Largest difference of a matrix form of Attention(X) from (2.1.1) without residual, column by column."""
    g = rng()
    x, (q, k, v) = g.standard_normal((5, 4)), g.standard_normal((3, 3, 5))
    scale = math.sqrt(3)
    columns = []
    for token in x.T:
        e = [math.exp((q @ token) @ (k @ other) / scale) for other in x.T]
        columns.append(sum(a * (v @ other) for a, other in zip(e, x.T, strict=True)) / sum(e))
    scores = x.T @ q.T @ k @ x / scale
    weights = {"printed": softmax(scores, 1), "rows": softmax(scores, 1).T, "columns": softmax(scores.T, 0)}[form]
    return rounding(abs(v @ x @ weights - np.stack(columns, axis=1)).max())


# A Gaussian N(m, Σ) in three dimensions and one head with d_k = 2: everything below integrates over it exactly.
D, DK = 3, 2
_g = rng(3)
Q, K = _g.standard_normal((2, DK, D))
ROOT = 0.5 * _g.standard_normal((D, D))  # Σ = ROOT ROOTᵀ
M, SIGMA, X = _g.standard_normal(D), ROOT @ ROOT.T, _g.standard_normal(D)


def gauss_hermite(function, points: int = 40) -> np.ndarray:
    """E f(Y) for Y ~ N(M, SIGMA) by a product Gauss–Hermite rule."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    grid = np.array(list(itertools.product(nodes, repeat=D)))
    mass = np.prod(list(itertools.product(weights / weights.sum(), repeat=D)), axis=1)
    return np.tensordot(mass, function(M + grid @ ROOT.T), axes=(0, 0))


def exponential(y: np.ndarray) -> np.ndarray:
    return np.exp(y @ K.T @ Q @ X / math.sqrt(DK))


def attended_mean() -> np.ndarray:
    """∫ y e^{⟨Qx,Ky⟩/√d_k} dμ(y) / ∫ e^{⟨Qx,Ku⟩/√d_k} dμ(u)."""
    return gauss_hermite(lambda y: exponential(y)[:, None] * y) / gauss_hermite(exponential)


def integral_without_y() -> float:
    total = gauss_hermite(exponential)
    return float(gauss_hermite(lambda y: exponential(y) / total))


def numerator_ratio(factor: float) -> float:
    """Closed form over quadrature, with `factor` before xᵀQᵀKΣKᵀQx in the exponent; the first coordinate."""
    pull = K.T @ Q @ X
    exponent = M @ pull / math.sqrt(DK) + factor * pull @ SIGMA @ pull
    closed = (M + SIGMA @ pull / math.sqrt(DK)) * math.exp(exponent)
    return float(closed[0] / gauss_hermite(lambda y: exponential(y)[:, None] * y)[0])


def order_of_the_remainder() -> float:
    """Slope of log |Σ_T - first-order form| in the step: 2 means that the remainder is quadratic."""
    b = _g_matrix()
    remainder = [
        np.linalg.norm(
            (np.eye(D) + c * b) @ SIGMA @ (np.eye(D) + c * b).T - (SIGMA + c * (b @ SIGMA + SIGMA @ b.T))
        )
        for c in (1e-2, 1e-1)
    ]
    return math.log10(remainder[1] / remainder[0])


def _g_matrix() -> np.ndarray:
    return rng(4).standard_normal((D, D)) @ SIGMA @ K.T @ Q / math.sqrt(DK)


MU, S2 = 0.7, 0.5  # the one-dimensional map: X ~ N(MU, S2)


def one_dimensional_moments() -> tuple[float, float]:
    """Mean and variance of x + E[y e^{xy}]/E[e^{xy}], both expectations over N(MU, S2), by quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    y = MU + math.sqrt(S2) * nodes
    e = np.exp(y[:, None] * y)  # rows x, columns y
    image = y + (e * y) @ weights / (e @ weights)
    mean = image @ weights
    return float(mean), float((image - mean) ** 2 @ weights)


def affine_map_at_its_two_points() -> float:
    """|f_b(x_0)| + |f_b(b) - 1| for random x_0 and b."""
    x0, b = rng().standard_normal((2, 4))

    def f(x):
        return (x - x0) @ (b - x0) / ((b - x0) @ (b - x0))

    return rounding(abs(f(x0)) + abs(f(b) - 1))


POINTS = rng(8).standard_normal((4, 2))


def integrals_after_swapping_two_points() -> float:
    tests = (np.sin, np.cos, np.exp, np.square)
    return rounding(max(abs(f(POINTS[[1, 0, 2, 3]]).mean(0) - f(POINTS).mean(0)).max() for f in tests))


def variance_under_the_density_of_the_proof() -> float:
    """∫ y² e^{-y²/2σ²}/√(2πσ²) dy at σ = 2, by the trapezoid rule."""
    y = np.linspace(-40, 40, 8001)
    return float(np.sum(y**2 * np.exp(-(y**2) / 8) / math.sqrt(8 * math.pi)) * (y[1] - y[0]))


def probability_that_the_sum_is_zero() -> float:
    g = rng()
    x, sign = g.standard_normal(100_000), g.choice([-1.0, 1.0], 100_000)
    return float((x + sign * x == 0).mean())


def semicircle_height(n: int) -> float:
    return 1 / (math.pi * math.sqrt(n))


def measured_over_predicted_height() -> float:
    """Density of the eigenvalues near 0 of an unscaled symmetric Gaussian matrix, n = 600, over the formula's."""
    n, half = 600, 8.0
    w = rng().standard_normal((n, n))
    values = np.linalg.eigvalsh(np.tril(w) + np.tril(w, -1).T)
    return float((abs(values) < half).mean() / (2 * half) / semicircle_height(n))


def edge(n: int, power: float) -> float:
    w = rng(n).uniform(-1, 1, (n, n))
    return float(np.linalg.norm(w, 2) ** 2 / n**power)


def smallest_eigenvalue(congruence: bool, step: float = 1.0) -> float:
    """Of the image of a positive definite Σ: the full map (I+εB)Σ(I+εB)ᵀ, or the same without its ε² term."""
    g = rng()
    b, s = g.standard_normal((2, 20, 20)) / math.sqrt(20)
    sigma = s @ s.T
    image = sigma + step * (b @ sigma + sigma @ b.T)
    return float(np.linalg.eigvalsh(image + (step**2 * b @ sigma @ b.T if congruence else 0)).min())


def student(beta: torch.Tensor) -> torch.Tensor:
    """Mean squared error of `training_beta` on one example, as a function of β (β* = 1, α = 1)."""
    g = seeded()
    s, f = torch.randn(2, 6, 6, generator=g, **F64)
    s, f = s @ s.T, f + f.T
    return ((s + beta * f - (s + f)) ** 2).mean()


def third_derivative_of_the_loss() -> float:
    values = [float(student(torch.tensor(b, **F64))) for b in (0.0, 1, 2, 3)]
    return rounding(values[3] - 3 * values[2] + 3 * values[1] - values[0], 1e-9)


def change_of_the_gradient() -> float:
    """Gradient at β = 1, 2, 3: the second difference, zero where it is affine."""
    points = [torch.tensor(b, **F64, requires_grad=True) for b in (1.0, 2.0, 3.0)]
    first, second, third = (torch.autograd.grad(student(p), p)[0].item() for p in points)
    return rounding(third - 2 * second + first, 1e-9)


def matrix_gradients() -> dict[str, torch.Tensor]:
    """Gradient with respect to A = WV of `training_matrix`'s loss: by autograd, as printed, and corrected."""
    g = seeded()
    a, q, k, s, target = torch.randn(5, 5, 5, generator=g, **F64)
    s, target, alpha = s @ s.T, target + target.T, 0.3
    a.requires_grad_()
    predicted = s + alpha * (a @ s @ k.T @ q @ s + s @ q.T @ k @ s @ a.T)
    error = predicted - target
    (exact,) = torch.autograd.grad((error**2).mean(), a)
    big_g, x, y = (2 / 25) * error.detach(), s @ k.T @ q @ s, s @ q.T @ k @ s
    return {"exact": exact, "printed": alpha * (big_g @ x.T + big_g @ y.T), "right": 2 * alpha * big_g @ x.T}


def gradient_error(form: str) -> float:
    found = matrix_gradients()
    return rounding(float((found[form] - found["exact"]).norm() / found["exact"].norm()))
