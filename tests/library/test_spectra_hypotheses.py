"""What the hypotheses of the laws of random matrices exclude."""

import math

import numpy as np
import pytest

from course_lib.spectra import Ensemble, Semicircle, law_distance
from tests.shared.seeded import rng


def rare_entries(n: int, generator: np.random.Generator) -> np.ndarray:
    """Symmetric; entry i ≤ j is ±j with probability 1/(2j²) each, else 0: mean 0 and variance 1, each with a law of its own."""
    j = np.arange(1, n + 1)
    drawn = np.triu(np.where(generator.random((n, n)) < 1 / j**2, generator.choice([-1.0, 1.0], (n, n)) * j, 0))
    return drawn + np.triu(drawn, 1).T


def test_a_finite_variance_alone_gives_no_semicircle():  # G-E49: the thesis's theorem 3.1 asks for independence and variance only
    generator = rng()
    for column in (1, 2, 5):
        last = np.array([rare_entries(column, generator)[0, -1] for _ in range(20_000)])
        assert last.mean() == pytest.approx(0, abs=0.1) and last.var() == pytest.approx(1, rel=0.1)
    matrix = rare_entries(1000, generator)
    assert 0 < np.count_nonzero(np.triu(matrix)) < 20  # about ln 1000
    zero = 1 - np.linalg.matrix_rank(rare_entries(1000, rng())) / 1000
    assert zero > 0.96  # at most two for each entry on or above the diagonal
    assert law_distance(np.linalg.eigvalsh(matrix / math.sqrt(1000)), Semicircle()) > 0.45  # half of the law lies below 0
    assert law_distance(np.linalg.eigvalsh(Ensemble(1000).draw(generator)), Semicircle()) < 0.01
