"""Random matrices: laws against quadrature and exact moments, spectra against the laws, what the hypotheses exclude;
the page."""

import math
from functools import cache

import numpy as np
import pytest
from torch import nn, random

from course_lib.gaussian import random_covariance, random_heads
from course_lib.results import load
from course_lib.spectra import (
    CircularRadius,
    Ensemble,
    Law,
    MarchenkoPastur,
    QuarterCircle,
    Semicircle,
    SingularValues,
    law_distance,
    outlier_expansion,
)
from tests.shared.refusals import named
from tests.shared.seeded import rng

LAWS = [
    Semicircle(), Semicircle(0.3), QuarterCircle(2.0), CircularRadius(1.5), SingularValues(2.0, 0.4),
    MarchenkoPastur(1.0, 1 / 3), MarchenkoPastur(0.3), MarchenkoPastur(2.5, 0.7),
]  # fmt: skip


def rule(law: Law, points: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Midpoints of the support and their masses: x = middle − half·cos θ takes the root out of the edges."""
    (low, high), angle = law.support, (np.arange(points) + 0.5) * math.pi / points
    x = (low + high) / 2 - (high - low) / 2 * np.cos(angle)
    return x, law.density(x) * (high - low) / 2 * np.sin(angle) * math.pi / points


def catalan(k: int) -> int:
    return math.comb(2 * k, k) // (k + 1)


def eigenvalues(ensemble: Ensemble, seed: int = 0) -> np.ndarray:
    matrix = ensemble.draw(rng(seed))
    return abs(np.linalg.eigvals(matrix)) if ensemble.form == "general" else np.linalg.eigvalsh(matrix)


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_cdf_is_the_integral_of_the_density(law):
    x, mass = rule(law)
    assert mass.sum() + law.atom == pytest.approx(1, abs=1e-7)
    assert np.cumsum(mass) - mass / 2 + law.atom == pytest.approx(law.cdf(x), abs=1e-5)
    low, high = law.support
    assert law.cdf([low - 1, high, high + 1]) == pytest.approx([0.0, 1.0, 1.0])
    assert law.density([low - 0.1, high + 0.1]).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("sigma", [1.0, 0.4])
def test_moments_of_the_semicircle_are_catalan_numbers(sigma):
    x, mass = rule(Semicircle(sigma))
    for k in range(7):
        assert mass @ x ** (2 * k) == pytest.approx(catalan(k) * sigma ** (2 * k), rel=1e-7)
        assert mass @ x ** (2 * k + 1) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize("ratio", [0.25, 1.0, 3.0])
def test_moments_of_marchenko_pastur_are_narayana_polynomials(ratio):
    """Moment k is Σ_j N(k, j) ratioʲ⁻¹·variance^k for W Wᵀ/k: 1, 1 + y, 1 + 3y + y², …; for y = 1 the Catalan
    numbers."""
    x, mass = rule(MarchenkoPastur(ratio, 0.5))
    for k in range(1, 6):
        narayana = [math.comb(k, j) * math.comb(k, j - 1) // k for j in range(1, k + 1)]
        expected = sum(number * ratio ** (j - 1) for j, number in enumerate(narayana, 1)) * 0.5**k
        assert mass @ x**k == pytest.approx(expected, rel=1e-6)
    assert sum(narayana) == catalan(5)


@pytest.mark.parametrize("entries", ["gaussian", "uniform", "centred"])
@pytest.mark.parametrize("form", ["symmetric", "general", "product"])
@pytest.mark.parametrize("divisor", ["none", "root", "full"])
def test_spectra_follow_their_laws(entries, form, divisor):  # G-E22: with √n and with n below W Wᵀ
    ensemble = Ensemble(300, entries, form, divisor)
    wide = 0.06 if form == "general" else 0.02  # of 300 points drawn independently, half would be beyond 0.048
    singular = np.linalg.svd(ensemble.draw(rng()), compute_uv=False)
    assert law_distance(eigenvalues(ensemble), ensemble.law) < wide
    assert law_distance(singular, ensemble.singular_law) < 0.02
    assert law_distance(1.2 * singular, ensemble.singular_law) > 0.05  # and it would notice


@pytest.mark.parametrize(("n", "k"), [(150, 450), (450, 150)])
def test_rectangles(n, k):
    W = Ensemble(n, "gaussian", "general", "root", k)
    singular = np.linalg.svd(W.draw(rng()), compute_uv=False)
    assert law_distance(singular, W.singular_law) < 0.03
    product = Ensemble(n, "gaussian", "product", "full", k)
    values = np.linalg.eigvalsh(product.draw(rng()))
    assert law_distance(values, product.law) < 0.03  # with n > k: also the zeros, which rounding scatters round 0
    assert np.sort(values)[-150:] == pytest.approx(np.sort(singular**2), abs=1e-9)  # the same draws
    with pytest.raises(ValueError, match="columns must be n"):
        _ = W.law


def by_hand(values, law):
    """The largest difference over a fine grid, from both sides of each point."""
    x = np.sort(np.concatenate([values, values - 1e-9, values + 1e-9, np.linspace(-5, 5, 4001)]))
    return max(abs((values <= each).mean() - law.cdf(each)) for each in x)


def test_distance_by_its_definition():
    for law in (Semicircle(), MarchenkoPastur(2.5)):
        values = np.concatenate([rng(1).normal(1, 1, 30), [0.0, 0.0, 2.0, 2.0]])
        assert law_distance(values, law) == pytest.approx(by_hand(values, law), abs=1e-6)
    quantiles = 2 * np.sqrt((np.arange(10) + 0.5) / 10)
    assert law_distance(quantiles, CircularRadius(2.0)) == pytest.approx(1 / 20)


def rare_entries(n: int, generator: np.random.Generator) -> np.ndarray:
    """Symmetric; entry i ≤ j is ±j with probability 1/(2j²) each, else 0: mean 0 and variance 1, each with a law of its
    own."""
    j = np.arange(1, n + 1)
    drawn = np.triu(np.where(generator.random((n, n)) < 1 / j**2, generator.choice([-1.0, 1.0], (n, n)) * j, 0))
    return drawn + np.triu(drawn, 1).T


# G-E49: the thesis's theorem 3.1 asks for independence and variance only
@pytest.mark.slow
def test_a_finite_variance_alone_gives_no_semicircle():
    generator = rng()
    for column in (1, 2, 5):
        last = np.array([rare_entries(column, generator)[0, -1] for _ in range(20_000)])
        assert last.mean() == pytest.approx(0, abs=0.1) and last.var() == pytest.approx(1, rel=0.1)
    matrix = rare_entries(1000, generator)
    assert 0 < np.count_nonzero(np.triu(matrix)) < 20  # about ln 1000
    zero = 1 - np.linalg.matrix_rank(rare_entries(1000, rng())) / 1000
    assert zero > 0.96  # at most two for each entry on or above the diagonal
    assert (
        law_distance(np.linalg.eigvalsh(matrix / math.sqrt(1000)), Semicircle()) > 0.45
    )  # half of the law lies below 0


def top(matrix: np.ndarray, passes: int = 12) -> float:
    """The largest eigenvalue by power iteration; its distance to the next is so large that 12 passes are exact."""
    x = np.ones(len(matrix))
    for _ in range(passes):
        x = matrix @ x
        x /= np.linalg.norm(x)
    return float(x @ matrix @ x)


def test_the_outlier_of_uniform_entries():  # G-E21
    ensemble = Ensemble(300, "uniform", divisor="none")
    matrices = [ensemble.draw(rng(seed)) for seed in range(200)]
    tops = np.array([top(matrix) for matrix in matrices])
    assert tops[0] == pytest.approx(np.linalg.eigvalsh(matrices[0])[-1], rel=1e-12)
    assert ensemble.outlier == pytest.approx(150 + 1 / 6)
    assert tops.mean() == pytest.approx(ensemble.outlier, abs=0.1)  # standard error 0.03
    assert abs(tops.mean() - 150) > 0.1  # nμ alone is not enough
    assert tops.std() == pytest.approx(math.sqrt(2 / 12), rel=0.15)
    rest = tops - [outlier_expansion(matrix, 0.5).total for matrix in matrices]
    assert abs(rest).max() < 0.05 and tops.std() > 0.3  # the three terms leave little of each single one


@pytest.mark.parametrize(("form", "k"), [("general", 400), ("product", 400), ("product", 800)])
def test_outliers_of_other_forms(form, k):
    ensemble = Ensemble(400, "uniform", form, "none", k)
    tops = np.array([top(ensemble.draw(rng(seed))) for seed in range(20)])
    error = 4 * tops.std() / 20**0.5
    assert tops.mean() == pytest.approx(ensemble.outlier, abs=error)
    without_noise = 400 * 0.5 if form == "general" else 400 * k * 0.25
    assert abs(ensemble.outlier - without_noise) < error if form == "general" else ensemble.outlier - without_noise > 60


def test_expansion_terms_by_matrices():
    matrix = Ensemble(30, "uniform", divisor="none").draw(rng())
    u, noise = np.ones(30) / 30**0.5, matrix - 0.5
    assert outlier_expansion(matrix, 0.5) == pytest.approx((15, u @ noise @ u, u @ noise @ noise @ u / 15))
    assert Ensemble(30).outlier is None


def test_draws():
    centred = Ensemble(200, "centred", divisor="none").draw(rng())
    assert np.array_equal(centred, centred.T) and -1 <= centred.min() < -0.99 and 0.99 < centred.max() <= 1
    assert np.diag(Ensemble(2000, divisor="none").draw(rng())).var() == pytest.approx(
        1, abs=0.15
    )  # not 2, as for (W + Wᵀ)/√2
    one, other = (Ensemble(5, form="general").draw(rng(seed)) for seed in (0, 0))
    assert np.array_equal(one, other)
    assert np.array_equal(Ensemble(5, form="general", divisor="none").draw(rng()) / 5**0.5, one)
    wide = Ensemble(3, "uniform", "general", "full", 7).draw(rng())
    assert wide.shape == (3, 7) and wide.max() <= 1 / 7


test_errors_name_the_argument = named(
    (lambda: Ensemble(3, columns=4), "columns must be n = 3"),
    (lambda: Ensemble(3).draw(0), "generator must be a numpy.random.Generator, got int"),
    (lambda: SingularValues(1, 2), "ratio must be the shorter side over the longer, below 1, got 2"),
    (lambda: law_distance([], Semicircle()), "values must be of at least one entry, got none"),
    (
        lambda: law_distance(np.array([1j]), Semicircle()),
        "values must be an array of real numbers, got dtype complex128",
    ),
    (lambda: outlier_expansion(np.arange(4.0).reshape(2, 2), 0.5), "matrix must be a symmetric array"),
    (lambda: outlier_expansion(np.ones((2, 2)), 0), "mean must be a number that is not 0, got 0"),
)


# ---- The page


@cache
def free() -> np.ndarray:
    """A normal matrix of size 400 over √n, not symmetric."""
    return Ensemble(400, form="general").draw(rng())


def length_of_powers(matrix: np.ndarray, times: int = 10) -> float:
    """Root mean square length of a random unit vector after `times` applications: √(tr MMᵀ/n) of the power M."""
    return float(np.linalg.norm(np.linalg.matrix_power(matrix, times)) / math.sqrt(len(matrix)))


def test_powers_grow_only_with_symmetry():  # G3.1
    powers_symmetric = length_of_powers(Ensemble(400).draw(rng()))
    assert powers_symmetric == pytest.approx(math.sqrt(catalan(10)), rel=0.1)
    assert length_of_powers(free()) == pytest.approx(1, abs=0.2)


def linear() -> np.ndarray:
    """PyTorch's own start of a square layer of width 512."""
    with random.fork_rng(devices=[]):
        random.manual_seed(0)
        return nn.Linear(512, 512, bias=False).weight.detach().double().numpy()


def test_matrices_of_a_layer_are_not_symmetric():  # G-E19
    disc, W = np.linalg.eigvals(free()), linear()
    assert law_distance(disc.real, Semicircle()) > 0.15
    assert law_distance(abs(disc), CircularRadius()) < 0.05
    library = np.linalg.norm(W - W.T) / np.linalg.norm(W) / math.sqrt(2)
    assert library == pytest.approx(1, abs=0.02)


def test_spectra_at_the_thesis_sizes(record):  # G-E21
    unscaled = load("large_spectra")["unscaled"]
    assert unscaled["to the semicircle"] < 0.003
    assert unscaled["to the quarter circle"] < 0.003
    assert record("G-E21.edge", unscaled["largest"]) == pytest.approx(109.5, rel=0.01)


def test_outlier_of_a_thousand_matrices(record):  # G-E21
    table = load("large_spectra")["uniform"]
    assert round(record("G-E21.outlier", table["mean"])) == 150  # as printed
    error = table["deviation"] / math.sqrt(1000)
    assert (
        abs(table["mean"] - Ensemble(300, "uniform", divisor="none").outlier) < 3 * error < 0.3 * (table["mean"] - 150)
    )


def test_scores_of_source_gs_start_are_large():  # G-E22: for tokens of covariance G Gᵀ/n, not of G Gᵀ/√n
    g = rng()
    C, covariance = random_heads(300, 128, generator=g).scoring[0], random_covariance(300, g)
    for divisor, spread in ((300, 1), (math.sqrt(300), math.sqrt(300))):
        sigma = covariance * math.sqrt(300) / divisor
        assert math.sqrt(np.trace(C @ sigma @ C.T @ sigma)) == pytest.approx(spread, rel=0.1)
