"""Errata of source G: its formulas as printed beside the right ones, by quadrature, random matrices and autograd."""

import itertools
import math

import numpy as np
import pytest
import torch

from course_lib.transformer import FeedForward
from tests.shared.record import largest, rounding
from tests.shared.seeded import F64, rng, seeded


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return torch.softmax(torch.as_tensor(scores), axis).numpy()


def test_attention_in_columns():  # G-E1: three matrix forms beside (2.1.1) without residual, column by column
    g = rng()
    x, (q, k, v) = g.standard_normal((5, 4)), g.standard_normal((3, 3, 5))
    columns = []
    for token in x.T:
        e = [math.exp((q @ token) @ (k @ other) / math.sqrt(3)) for other in x.T]
        columns.append(sum(a * (v @ other) for a, other in zip(e, x.T, strict=True)) / sum(e))
    scores = x.T @ q.T @ k @ x / math.sqrt(3)
    printed, rows, columns = (
        largest(v @ x @ weights - np.stack(columns, axis=1))
        for weights in (softmax(scores, 1), softmax(scores, 1).T, softmax(scores.T, 0))
    )
    assert printed > 0.1
    assert rows == columns == 0


def test_second_matrix_stands_on_the_right():  # G-E2
    d, r = 3, 5
    layer, x = FeedForward(d, r), torch.ones(2, d)
    assert (layer.W_1.shape, layer.W_2.shape) == ((d, r), (r, d))
    assert (x + layer(x)).shape == x.shape
    hidden = x @ layer.W_1
    with pytest.raises(RuntimeError):
        layer.W_2 @ hidden  # on the left, as printed
    with pytest.raises(RuntimeError):
        x + hidden @ torch.ones(r, 4)  # d_v ≠ d_in: nothing to add the residual to


# A Gaussian N(M, SIGMA) in three dimensions and one head with d_k = 2, whose query at X is drawn to PULL
D, DK = 3, 2
_g = rng(3)
Q, K = _g.standard_normal((2, DK, D))
ROOT = 0.5 * _g.standard_normal((D, D))  # Σ = ROOT ROOTᵀ
M, SIGMA, PULL = _g.standard_normal(D), ROOT @ ROOT.T, K.T @ Q @ _g.standard_normal(D)


def rule(mean: np.ndarray, root: np.ndarray, points: int) -> tuple[np.ndarray, np.ndarray]:
    """Nodes [points^d, d] and masses of a product Gauss–Hermite rule for N(mean, root rootᵀ)."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    grid, masses = (np.array(list(itertools.product(each, repeat=len(mean)))) for each in (nodes, weights / weights.sum()))
    return mean + grid @ root.T, masses.prod(1)


def expected(function) -> np.ndarray:
    """E f(Y) e^{⟨Qx, KY⟩/√d_k} for Y ~ N(M, SIGMA)."""
    y, mass = rule(M, ROOT, 40)
    return (mass * np.exp(y @ PULL / math.sqrt(DK))) @ function(y)


def test_integral_needs_its_y():  # G-E5
    total = expected(lambda y: np.ones(len(y)))
    assert expected(lambda y: np.ones(len(y)) / total) == pytest.approx(1)
    closed = M + SIGMA @ PULL / math.sqrt(DK)
    assert largest(expected(lambda y: y) / total - closed, 1e-10) == 0


def test_exponent_of_the_numerator():  # G-E23: closed form over quadrature, `factor` before xᵀQᵀKΣKᵀQx in the exponent
    def ratio(factor):
        closed = (M + SIGMA @ PULL / math.sqrt(DK)) * math.exp(M @ PULL / math.sqrt(DK) + factor * PULL @ SIGMA @ PULL)
        return float(closed[0] / expected(lambda y: y)[0])

    assert ratio(1 / (2 * DK)) == pytest.approx(1, abs=1e-9)
    assert abs(ratio(1 / math.sqrt(DK)) - 1) > 0.05


def test_remainder_is_of_second_order():  # G-E24: slope of log |Σ_T - first-order form| in the step
    b = rng(4).standard_normal((D, D)) @ SIGMA @ K.T @ Q / math.sqrt(DK)

    def remainder(c):
        step = np.eye(D) + c * b
        return np.linalg.norm(step @ SIGMA @ step.T - (SIGMA + c * (b @ SIGMA + SIGMA @ b.T)))

    assert math.log10(remainder(1e-1) / remainder(1e-2)) == pytest.approx(2)


def test_affine_map_of_lemma_2_4():  # G-E8: 0 at x₀ and 1 at b
    x0, b = rng().standard_normal((2, 4))

    def f(x):
        return (x - x0) @ (b - x0) / ((b - x0) @ (b - x0))

    assert rounding(abs(f(x0)) + abs(f(b) - 1)) == 0


def test_measures_do_not_see_the_order_of_points():  # G-E15
    points = rng(8).standard_normal((4, 2))
    swapped = points[[1, 0, 2, 3]]
    assert np.linalg.norm(swapped - points) > 1
    differences = [f(swapped).mean(0) - f(points).mean(0) for f in (np.sin, np.cos, np.exp, np.square)]
    assert largest(np.array(differences)) == 0


def test_density_of_the_proof_has_variance_four():  # G-E16: ∫ y² e^{-y²/2σ²}/√(2πσ²) dy at σ = 2, by the trapezoid rule
    y = np.linspace(-40, 40, 8001)
    variance = np.sum(y**2 * np.exp(-(y**2) / 8) / math.sqrt(8 * math.pi)) * (y[1] - y[0])
    assert variance == pytest.approx(4)


def test_sum_of_dependent_gaussians():  # G-E17: half of its mass is on one point
    g = rng()
    x, sign = g.standard_normal(100_000), g.choice([-1.0, 1.0], 100_000)
    assert (x + sign * x == 0).mean() == pytest.approx(0.5, abs=0.01)


# Two heads on N(M2, SIGMA2) in the plane: head h pulls by C = Kᵀ Q/√d_k and hands on A = W V, both [2, 2].
_p = rng(17)
CS, AS = 0.4 * _p.standard_normal((2, 2, 2, 2))
ROOT2, M2 = 0.5 * _p.standard_normal((2, 2)), _p.standard_normal(2)
SIGMA2 = ROOT2 @ ROOT2.T


PLANE = rule(M2, ROOT2, 24)


def heads_map(x: np.ndarray, y: np.ndarray, mass: np.ndarray, heads: int = 2) -> np.ndarray:
    """x + Σ_h A_h ∫ y e^{⟨x, C_hᵀ y⟩} dμ(y) / ∫ e^{⟨x, C_hᵀ y⟩} dμ(y) for rows x, the measure μ given by nodes and masses."""
    image = x.copy()
    for c, a in zip(CS[:heads], AS[:heads], strict=True):
        e = np.exp(x @ c.T @ y.T) * mass
        image += (e @ y / e.sum(1, keepdims=True)) @ a.T
    return image


def bend(layers: int, two_points: bool = False) -> float:
    """Largest |f(x+u) - 2f(x) + f(x-u)| of two heads applied `layers` times: 0 for an affine map.

    The second layer attends to the image of the first. `two_points` puts the measure on two points instead.
    """
    y, mass = (np.array([M2 + 1, M2 - 1]), np.array([0.5, 0.5])) if two_points else PLANE
    x, u = rng(18).standard_normal((2, 20, 2))
    probes = np.concatenate([x + u, x, x - u])
    for _ in range(layers):
        probes, y = heads_map(probes, y, mass), heads_map(y, y, mass)
    ahead, here, behind = np.split(probes, 3)
    return largest(ahead - 2 * here + behind, 1e-8)


def test_heads_on_a_gaussian_are_affine_together():  # G-E17: so the sum stays Gaussian, though its terms are dependent
    assert bend(1) == bend(2) == 0
    assert bend(1, two_points=True) > 0.05
    slopes = np.eye(2) + sum(a @ SIGMA2 @ c for a, c in zip(AS, CS, strict=True))
    x = np.eye(2)
    assert heads_map(x, *PLANE) - heads_map(0 * x, *PLANE) == pytest.approx(slopes.T)


def test_gaussian_map_in_the_plane():  # G-E25: one head; (I + WV + B)m and (I + B)Σ(I + B)ᵀ, B = WVΣKᵀQ/√d_k
    y, mass = PLANE
    image, b = heads_map(y, y, mass, heads=1), AS[0] @ SIGMA2 @ CS[0]
    mean, step = mass @ image, np.eye(2) + b
    covariance = (image - mean).T * mass @ (image - mean)
    assert mean == pytest.approx((step + AS[0]) @ M2, abs=1e-9)
    assert largest(covariance - step @ SIGMA2 @ step.T, 1e-9) == 0
    assert abs(covariance - step.T @ SIGMA2 @ step).max() > 0.01


def test_one_dimensional_gaussian_map(record):  # G-E25: x + E[y e^{xy}]/E[e^{xy}], both over N(0.7, 0.5), by quadrature
    mu, variance = 0.7, 0.5
    y, mass = rule(np.array([mu]), np.array([[math.sqrt(variance)]]), 60)
    e = np.exp(y * y.T) * mass  # rows x, columns y
    image = (y + e @ y / e.sum(1, keepdims=True))[:, 0]
    mean = image @ mass
    assert record("G-E25.mean", mean) == pytest.approx((2 + variance) * mu)
    assert record("G-E25.variance", (image - mean) ** 2 @ mass) == pytest.approx((1 + variance) ** 2 * variance)


def test_height_of_the_semicircle(record):  # G-E20
    def height(n):
        return 1 / (math.pi * math.sqrt(n))

    assert record("G-E20.height", height(3000)) == pytest.approx(5.81e-3, rel=1e-3)
    # prefactor times radius, with the two numbers the document prints
    assert height(3000) == pytest.approx(5.3e-5 * 109.5, rel=5e-3)
    w, half = rng().standard_normal((600, 600)), 8.0  # the density near 0 of an unscaled symmetric Gaussian matrix
    near = abs(np.linalg.eigvalsh(np.tril(w) + np.tril(w, -1).T)) < half
    assert near.mean() / (2 * half) / height(600) == pytest.approx(1, abs=0.05)


def test_edge_of_marchenko_pastur():  # G-E22: four times the size doubles W Wᵀ/√n and leaves W Wᵀ/n
    small, large = (np.linalg.norm(rng(n).uniform(-1, 1, (n, n)), 2) ** 2 for n in (100, 400))
    assert large / small / 2 == pytest.approx(2, rel=0.1)
    assert large / small / 4 == pytest.approx(1, rel=0.1)
    assert large / 400 == pytest.approx(4 / 3, rel=0.1)


def test_congruence_keeps_a_covariance_positive():  # G-E32: (I+εB)Σ(I+εB)ᵀ, and the same without its ε² term
    b, s = rng().standard_normal((2, 20, 20)) / math.sqrt(20)
    sigma = s @ s.T

    def smallest(step, square):
        return np.linalg.eigvalsh(sigma + step * (b @ sigma + sigma @ b.T) + square * b @ sigma @ b.T).min()

    assert smallest(1.0, 0) < -1
    assert min(smallest(step, step**2) for step in (0.01, 0.1, 1.0, 10.0)) > -1e-9
    assert smallest(1.0, 1.0) > 0


def test_loss_is_quadratic_and_gradient_affine():  # G-E35: `training_beta`'s loss on one example (β* = 1, α = 1)
    s, f = torch.randn(2, 6, 6, generator=seeded(), **F64)
    s, f = s @ s.T, f + f.T
    losses, slopes = [], []
    for value in (0.0, 1.0, 2.0, 3.0):
        beta = torch.tensor(value, **F64, requires_grad=True)
        loss = ((s + beta * f - (s + f)) ** 2).mean()
        losses.append(loss.item())
        slopes.append(torch.autograd.grad(loss, beta)[0].item())
    third, second = np.diff(losses, 3), np.diff(slopes, 2)
    assert largest(third, 1e-9) == largest(second, 1e-9) == 0


def test_gradient_of_training_matrix():  # G-E37: by A = WV of `training_matrix`'s loss, as printed and corrected
    a, q, k, s, target = torch.randn(5, 5, 5, generator=seeded(), **F64)
    s, target, alpha = s @ s.T, target + target.T, 0.3
    a.requires_grad_()
    error = s + alpha * (a @ s @ k.T @ q @ s + s @ q.T @ k @ s @ a.T) - target
    (exact,) = torch.autograd.grad((error**2).mean(), a)
    big_g, x, y = (2 / 25) * error.detach(), s @ k.T @ q @ s, s @ q.T @ k @ s
    printed, right = alpha * (big_g @ x.T + big_g @ y.T), 2 * alpha * big_g @ x.T
    off = [rounding(((found - exact).norm() / exact.norm()).item()) for found in (printed, right)]
    assert off[0] > 0.1
    assert off[1] == 0
