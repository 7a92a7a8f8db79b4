"""The closed forms of attention on a Gaussian cloud against quadrature, source G's letters and matrix identities."""

import numpy as np
import pytest

from course_lib.gaussian import (
    Gaussian,
    Heads,
    affine,
    congruence,
    first_order,
    layer_matrix,
    push,
    random_covariance,
    random_heads,
    score_spread,
)
from tests.shared.refusals import named
from tests.shared.seeded import rng


def cloud_of(d: int, seed: int = 0) -> Gaussian:
    g = rng(seed)
    root = 0.6 * g.standard_normal((d, d))
    return Gaussian(g.standard_normal(d), root @ root.T)


def rule(cloud: Gaussian, points: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Nodes [points^d, d] and masses of a product Gauss–Hermite rule for the cloud."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(points)
    d = len(cloud.mean)
    grid = np.stack(np.meshgrid(*[nodes] * d, indexing="ij"), -1).reshape(-1, d)
    mass = np.prod(np.stack(np.meshgrid(*[weights] * d, indexing="ij"), -1).reshape(-1, d), -1)
    return cloud.mean + grid @ np.linalg.cholesky(cloud.covariance).T, mass / mass.sum()


def layer(x: np.ndarray, y: np.ndarray, mass: np.ndarray, heads: Heads, step: float) -> np.ndarray:
    """x + ε Σ_h (∫ e^{s·score} y dμ / ∫ e^{s·score} dμ) W_V W_O, written from the weights, head by head."""
    out = x.copy()
    for W_Q, W_K, W_V, W_O in zip(heads.W_Q, heads.W_K, heads.W_V, heads.W_O, strict=True):
        weight = np.exp(heads.scale * (x @ W_Q) @ (y @ W_K).T) * mass
        out += step * (weight @ (y @ W_V @ W_O)) / weight.sum(1, keepdims=True)
    return out


@pytest.mark.parametrize(("d", "m", "h", "c"), [(1, 1, 1, 1), (1, 3, 2, 2), (2, 2, 1, 2), (2, 3, 3, 1)])
@pytest.mark.parametrize("step", [0.3, 1.0])
def test_the_layer_is_the_affine_map_that_quadrature_finds(d, m, h, c, step):  # G-E5, G-E17
    cloud, heads = cloud_of(d), random_heads(d, m, h, c=c, generator=rng(1))
    y, mass = rule(cloud)
    x = cloud.mean + rng(2).standard_normal((12, d))
    A, b = affine(heads, cloud, step=step)
    np.testing.assert_allclose(x @ A + b, layer(x, y, mass, heads, step), atol=1e-10)


@pytest.mark.parametrize("d", [1, 2])
def test_push_gives_the_moments_that_quadrature_finds(d):
    cloud, heads = cloud_of(d, 3), random_heads(d, 2, 2, generator=rng(4))
    y, mass = rule(cloud, 32)
    image = layer(y, y, mass, heads, 0.7)
    mean = mass @ image
    after = push(cloud, heads, step=0.7)
    np.testing.assert_allclose(after.mean, mean, atol=1e-9)
    np.testing.assert_allclose(after.covariance, ((image - mean).T * mass) @ (image - mean), atol=1e-9)


def test_transposed_letters_are_source_g():
    """G-E25, his columns: m_T = (I + WV + B)m, Σ_T = (I + B)Σ(I + B)ᵀ with B = WVΣKᵀQ/√d_k."""
    cloud, heads = cloud_of(5, 8), random_heads(5, 3, c=4, generator=rng(9))
    Q, K, V, W = heads.W_Q[0].T, heads.W_K[0].T, heads.W_V[0].T, heads.W_O[0].T
    B = W @ V @ cloud.covariance @ K.T @ Q / np.sqrt(3)
    np.testing.assert_allclose(layer_matrix(heads, cloud.covariance), B.T, atol=1e-14)
    after = push(cloud, heads)
    np.testing.assert_allclose(after.mean, (np.eye(5) + W @ V + B) @ cloud.mean, atol=1e-13)
    np.testing.assert_allclose(after.covariance, (np.eye(5) + B) @ cloud.covariance @ (np.eye(5) + B).T, atol=1e-12)


@pytest.mark.parametrize("step", [1e-3, 0.1, 1.0, 30.0, 1e4])
def test_congruence_is_positive_for_every_step(step):  # G-E32
    covariance, heads = random_covariance(12, rng(12)), random_heads(12, 8, 2, generator=rng(13))
    values = np.linalg.eigvalsh(congruence(covariance, heads, step=step))
    assert values[0] >= -1e-12 * values[-1]


def test_first_order_is_not():
    covariance, heads = random_covariance(12, rng(12)), random_heads(12, 8, 2, generator=rng(13))
    assert np.linalg.eigvalsh(covariance)[0] > 0
    assert np.linalg.eigvalsh(first_order(covariance, heads, step=1.0))[0] < -1
    with pytest.raises(ValueError, match="covariance must be without an eigenvalue below 0"):
        Gaussian(np.zeros(12), first_order(covariance, heads, step=1.0))


@pytest.mark.parametrize("step", [0.01, 1.0, 50.0])
def test_they_differ_by_exactly_the_square_term(step):  # G-E24
    covariance, heads = random_covariance(6, rng(14)), random_heads(6, 4, 2, generator=rng(15))
    B = layer_matrix(heads, covariance)
    difference = congruence(covariance, heads, step=step) - first_order(covariance, heads, step=step)
    square = step**2 * B.T @ covariance @ B
    np.testing.assert_allclose(difference, square, atol=1e-11 * max(1.0, abs(square).max()))


def test_batches_of_covariances():
    heads = random_heads(5, 3, 2, generator=rng(16))
    batch = np.stack([[random_covariance(5, rng(10 * i + j)) for j in range(3)] for i in range(2)])
    for function in (congruence, first_order):
        together = function(batch, heads, step=0.2)
        assert together.shape == (2, 3, 5, 5)
        np.testing.assert_allclose(together[1, 2], function(batch[1, 2], heads, step=0.2), atol=1e-13)
        assert (together == np.swapaxes(together, -1, -2)).all()


def test_score_spread_against_the_scores_of_a_rule():
    cloud, heads = cloud_of(2, 17), random_heads(2, 3, 2, generator=rng(18))
    y, mass = rule(cloud, 8)
    x = rng(19).standard_normal((5, 2))
    for i in range(2):
        scores = heads.scale * (x @ heads.W_Q[i]) @ (y @ heads.W_K[i]).T
        variance = scores**2 @ mass - (scores @ mass) ** 2
        np.testing.assert_allclose(score_spread(x, heads, cloud.covariance)[i] ** 2, variance, rtol=1e-10)


def test_start_has_the_variances_of_source_g():
    heads = random_heads(60, 40, 2, c=30, generator=rng(20))
    for W, inputs in ((heads.W_Q, 60), (heads.W_K, 60), (heads.W_V, 60), (heads.W_O, 30)):
        assert W.var() * inputs == pytest.approx(1, abs=5 * np.sqrt(2 / W.size))
    assert heads.scale == 40**-0.5
    covariance = random_covariance(80, rng(21))
    assert np.trace(covariance) / 80 == pytest.approx(np.sqrt(80), rel=0.1)


def test_sampling_from_a_flat_cloud():
    flat = Gaussian([1.0, 2.0], [[4.0, 2.0], [2.0, 1.0]])
    x = flat.sample(50_000, rng(22))
    assert abs((x[:, 0] - 1) - 2 * (x[:, 1] - 2)).max() < 1e-6
    np.testing.assert_allclose(np.cov(x.T), flat.covariance, atol=0.15)
    point = Gaussian([1.0], [[0.0]]).sample(3, rng(23))
    assert (point == 1).all()


def test_only_rounding_is_forgiven():
    turn = np.linalg.qr(rng(24).standard_normal((3, 3)))[0]
    for lowest, good in ((-1e-13, True), (-1e-8, False)):
        covariance = turn @ np.diag([1.0, 0.5, lowest]) @ turn.T
        covariance = (covariance + covariance.T) / 2
        if good:
            assert np.isfinite(Gaussian(np.zeros(3), covariance).sample(4, rng())).all()
        else:
            with pytest.raises(ValueError, match="covariance must be without an eigenvalue below 0, got -1e-08"):
                Gaussian(np.zeros(3), covariance)
    with pytest.raises(ValueError, match="covariance must be symmetric"):
        Gaussian(np.zeros(2), [[1.0, 0.5], [0.5 + 1e-8, 1.0]])


def test_parameters_cannot_be_changed():
    heads = random_heads(2, 2, generator=rng())
    with pytest.raises(ValueError, match="read-only"):
        heads.W_Q[0, 0, 0] = 1.0
    given = np.eye(2)
    cloud = Gaussian(np.zeros(2), given)
    given[0, 0] = 9
    assert cloud.covariance[0, 0] == 1


EYE, ZERO = np.eye(2), np.zeros(2)
W = np.ones((1, 2, 3))


test_what_is_refused_is_named = named(
    (lambda: Gaussian(ZERO, [[1.0, 0.5], [0.4, 1.0]]), "covariance must be symmetric, got a difference of 0.1"),
    (lambda: Gaussian(np.zeros(3), EYE), r"covariance must be of shape \[3, 3\], as mean says, got shape \[2, 2\]"),
    (lambda: Gaussian(EYE, EYE), r"mean must be an array \[d\] of numbers, got shape \[2, 2\]"),
    (lambda: Heads(W, np.ones((1, 2, 4)), W, np.ones((1, 3, 2))), r"W_K must be of shape \[1, 2, 3\]"),
    (lambda: Heads(W, W, W, np.ones((1, 2, 3))), r"W_O must be of shape \[1, 3, 2\]"),
    (
        lambda: layer_matrix(random_heads(2, 2, generator=rng()), np.eye(3)),
        r"covariance must be of size 2 \(the width d of the heads\)",
    ),
    (lambda: affine(random_heads(3, 2, generator=rng()), Gaussian(ZERO, EYE)), "mean must be of size 3"),
)
