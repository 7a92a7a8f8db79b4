"""Errata of source G: its formulas as printed beside the right ones, by quadrature, random matrices and autograd."""

import math

import numpy as np
import pytest
import torch

from course_lib.gaussian import Gaussian
from course_lib.spectra import Ensemble
from course_lib.transformer import FeedForward
from tests.library.test_gaussian_maps import rule
from tests.shared.record import largest
from tests.shared.seeded import rng


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


def expected(function) -> np.ndarray:
    """E f(Y) e^{⟨Qx, KY⟩/√d_k} for Y ~ N(M, SIGMA)."""
    y, mass = rule(Gaussian(M, SIGMA))
    return (mass * np.exp(y @ PULL / math.sqrt(DK))) @ function(y)


def test_exponent_of_the_numerator():  # G-E23: closed form over quadrature, `factor` before xᵀQᵀKΣKᵀQx in the exponent
    def ratio(factor):
        closed = (M + SIGMA @ PULL / math.sqrt(DK)) * math.exp(M @ PULL / math.sqrt(DK) + factor * PULL @ SIGMA @ PULL)
        return float(closed[0] / expected(lambda y: y)[0])

    assert ratio(1 / (2 * DK)) == pytest.approx(1, abs=1e-9)
    assert abs(ratio(1 / math.sqrt(DK)) - 1) > 0.05


def test_density_of_the_proof_has_variance_four():  # G-E16: ∫ y² e^{-y²/2σ²}/√(2πσ²) dy at σ = 2, by the trapezoid rule
    y = np.linspace(-40, 40, 8001)
    variance = np.sum(y**2 * np.exp(-(y**2) / 8) / math.sqrt(8 * math.pi)) * (y[1] - y[0])
    assert variance == pytest.approx(4)


def test_sum_of_dependent_gaussians():  # G-E17: half of its mass is on one point
    g = rng()
    x, sign = g.standard_normal(100_000), g.choice([-1.0, 1.0], 100_000)
    assert (x + sign * x == 0).mean() == pytest.approx(0.5, abs=0.01)


def test_one_dimensional_gaussian_map(record):  # G-E25: x + E[y e^{xy}]/E[e^{xy}], both over N(0.7, 0.5), by quadrature
    mu, variance = 0.7, 0.5
    y, mass = rule(Gaussian([mu], [[variance]]), 60)
    e = np.exp(y * y.T) * mass  # rows x, columns y
    image = (y + e @ y / e.sum(1, keepdims=True))[:, 0]
    mean = image @ mass
    assert record("G-E25.mean", mean) == pytest.approx((2 + variance) * mu)
    assert record("G-E25.variance", (image - mean) ** 2 @ mass) == pytest.approx((1 + variance) ** 2 * variance)


def test_height_of_the_semicircle(record):  # G-E20
    law = Ensemble(3000, divisor="none").law
    assert record("G-E20.height", law.density(0.0)) == pytest.approx(5.81e-3, rel=1e-3)
    assert law.support[1] == pytest.approx(109.5, abs=0.05)  # as printed
    assert law.density(0.0) / law.support[1] == pytest.approx(5.3e-5, rel=2e-3)  # what is printed as the height
