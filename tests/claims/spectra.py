"""Chapter 6's page on spectra: its numbers, computed as the page computes them or read from its table."""

import math
from functools import cache

import numpy as np
from torch import nn, random

from course_lib.gaussian import random_covariance, random_heads
from course_lib.results import load
from course_lib.spectra import CircularRadius, Ensemble, QuarterCircle, Semicircle, law_distance

from . import claim


def table(part: str) -> dict:
    return load("large_spectra")[part]


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


@cache
def eigenvalues() -> np.ndarray:
    """Of a symmetric normal matrix of size 1,000 over √n."""
    return np.linalg.eigvalsh(Ensemble(1000).draw(rng()))


@cache
def free() -> np.ndarray:
    """A normal matrix of size 400 over √n, not symmetric."""
    return Ensemble(400, form="general").draw(rng())


@cache
def disc() -> np.ndarray:
    return np.linalg.eigvals(free())


@claim("G3.1.semicircle", rtol=0.01)
def distance_to_the_semicircle() -> float:
    return law_distance(eigenvalues(), Semicircle())


@claim("G3.1.moment", rtol=0.01)
def eighth_moment() -> float:
    return float(np.mean(eigenvalues() ** 8))


@claim("G3.1.centred", rtol=0.01)
def distance_with_uniform_entries() -> float:
    ensemble = Ensemble(1000, "centred")
    return law_distance(np.linalg.eigvalsh(ensemble.draw(rng())), ensemble.law)


@claim("G3.1.product", rtol=0.01)
def distance_to_marchenko_pastur() -> float:
    ensemble = Ensemble(800, "centred", "product", "full")
    return law_distance(np.linalg.eigvalsh(ensemble.draw(rng(800))), ensemble.law)


def length_of_powers(matrix: np.ndarray, times: int = 10) -> float:
    """Root mean square length of a random unit vector after `times` applications: √(tr MMᵀ/n) of the power M."""
    return float(np.linalg.norm(np.linalg.matrix_power(matrix, times)) / math.sqrt(len(matrix)))


@claim("G3.1.powers_symmetric", rtol=0.01)
def length_after_ten_symmetric_maps() -> float:
    return length_of_powers(Ensemble(400).draw(rng()))


@claim("G3.1.powers_free", rtol=0.01)
def length_after_ten_maps() -> float:
    return length_of_powers(free())


def cosine_of_tokens(entries: str, layers: int = 2, n: int = 300, tokens: int = 200) -> float:
    """Mean |cosine| between random tokens after `layers` random matrices, not symmetric."""
    g = rng()
    x = g.standard_normal((tokens, n))
    for _ in range(layers):
        x = x @ Ensemble(n, entries, "general").draw(g)
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    return float(abs(x @ x.T)[np.triu_indices(tokens, 1)].mean())


@claim("G3.1.parallel", rtol=0.01)
def cosine_after_two_uniform_maps() -> float:
    return cosine_of_tokens("uniform")


@claim("G3.1.not_parallel", rtol=0.01)
def cosine_after_two_centred_maps() -> float:
    return cosine_of_tokens("centred")


@claim("G-E19.symmetric", rtol=0.01)
def real_parts_to_the_semicircle() -> float:
    return law_distance(disc().real, Semicircle())


@claim("G-E19.disc", rtol=0.01)
def sizes_to_the_circular_law() -> float:
    return law_distance(abs(disc()), CircularRadius())


@claim("G-E19.radius", rtol=0.01)
def largest_eigenvalue() -> float:
    return float(abs(disc()).max())


@claim("G-E19.stretch", rtol=0.01)
def largest_singular_value() -> float:
    return float(np.linalg.norm(free(), 2))


@cache
def linear() -> np.ndarray:
    """PyTorch's own start of a square layer of width 512."""
    with random.fork_rng(devices=[]):
        random.manual_seed(0)
        return nn.Linear(512, 512, bias=False).weight.detach().double().numpy()


@claim("G-E19.library", rtol=0.01)
def asymmetry_of_pytorchs_start() -> float:
    """‖W − Wᵀ‖/√2‖W‖: 0 for a symmetric matrix, 1 on average for independent entries of mean 0."""
    return float(np.linalg.norm(linear() - linear().T) / np.linalg.norm(linear()) / math.sqrt(2))


@claim("G-E21.semicircle", rtol=0.01)
def thesis_size_to_the_semicircle() -> float:
    return table("unscaled")["to the semicircle"]


@claim("G-E21.quarter", rtol=0.01)
def thesis_size_to_the_quarter_circle() -> float:
    return table("unscaled")["to the quarter circle"]


@claim("G-E21.free", rtol=0.01)
def singular_values_without_symmetry() -> float:
    return law_distance(np.linalg.svd(free(), compute_uv=False), QuarterCircle())


@claim("G-E21.edge")
def largest_of_the_thesis_size() -> float:
    return table("unscaled")["largest"]


@claim("G-E21.outlier", rtol=1e-4)
def mean_outlier() -> float:
    return table("uniform")["mean"]


@claim("G-E21.theory", rtol=1e-4)
def predicted_outlier() -> float:
    return Ensemble(300, "uniform", divisor="none").outlier


@claim("G-E21.deviation", rtol=0.01)
def deviation_of_the_outlier() -> float:
    return table("uniform")["deviation"]


@claim("G-E21.radius", rtol=0.01)
def reach_of_the_others() -> float:
    return table("uniform")["others reach"]


@claim("G-E22.law", rtol=0.01)
def distance_with_root_n() -> float:
    """W Wᵀ/√n, n = 400, to Marchenko–Pastur of ratio 1 and variance √n/3."""
    ensemble = Ensemble(400, "centred", "product", "root")
    return law_distance(np.linalg.eigvalsh(ensemble.draw(rng(400))), ensemble.law)


def spread_of_scores(divided_by: float) -> float:
    """Standard deviation of the scores x C yᵀ of a head of source G's start, for tokens of covariance G Gᵀ/divided_by, d = 300."""
    g = rng()
    C = random_heads(300, 128, generator=g).scoring[0]
    covariance = random_covariance(300, g) * math.sqrt(300) / divided_by
    return float(math.sqrt(np.trace(C @ covariance @ C.T @ covariance)))


@claim("G-E22.scores_root", rtol=0.01)
def scores_of_the_thesis() -> float:
    return spread_of_scores(math.sqrt(300))


@claim("G-E22.scores_full", rtol=0.01)
def scores_of_unit_tokens() -> float:
    return spread_of_scores(300)


def rare_entries(n: int, generator: np.random.Generator) -> np.ndarray:
    """Symmetric; entry i ≤ j is ±j with probability 1/(2j²) each, else 0: mean 0 and variance 1, each with a law of its own."""
    j = np.arange(1, n + 1)
    drawn = np.triu(np.where(generator.random((n, n)) < 1 / j**2, generator.choice([-1.0, 1.0], (n, n)) * j, 0))
    return drawn + np.triu(drawn, 1).T


@claim("G-E49.zero")
def share_of_eigenvalues_at_zero() -> float:
    """Of such a matrix of size 1,000. The semicircle has no atom there."""
    return 1 - np.linalg.matrix_rank(rare_entries(1000, np.random.default_rng(0))) / 1000
