"""Pages 02 and 03 of chapter 6: what they claim, computed another way, and a sample of the stored table computed
again."""

import math

import numpy as np
import pytest

from course_lib.gaussian import Gaussian
from course_lib.results import load
from studies import gaussian_check as tool
from tests.shared.seeded import rng

TABLE = load("gaussian_check")


# --- page 03: theorems
# -------------------------------------------------------------------------------------------------


def test_errors_of_sample_moments():  # G-E26
    g = rng(3)
    root, n = g.standard_normal((4, 4)), 12
    after = Gaussian(np.ones(4), root @ root.T)
    x = after.sample(20_000 * n, g).reshape(-1, n, 4)
    means = x.mean(1, keepdims=True)
    mean = ((means - 1) ** 2).sum((1, 2)).mean()
    covariances = (x - means).swapaxes(1, 2) @ (x - means) / n
    covariance = ((covariances - after.covariance) ** 2).sum((1, 2)).mean()
    of_mean, of_covariance = tool.predicted(after, n)
    assert math.sqrt(mean) / 2 == pytest.approx(of_mean, rel=0.02)
    assert math.sqrt(covariance / (after.covariance**2).sum()) == pytest.approx(of_covariance, rel=0.02)


def stored(part: str, name: str) -> np.ndarray:
    return np.array(TABLE["parts"][part][name])


def typical(part: str, name: str) -> float:
    return float(np.sqrt((stored(part, name) ** 2).mean()))


def test_the_published_check_is_the_law_of_sampling(record):  # G-E26
    part = "source as published"
    mean = record("G-E26.mean_error", typical(part, "mean error"))
    assert mean == pytest.approx(typical(part, "mean predicted"), rel=0.1)
    covariance = record("G-E26.covariance_error", typical(part, "covariance error"))
    assert covariance == pytest.approx(typical(part, "covariance predicted"), rel=0.02)
    for name, printed in (("mean error", 2.49e-2), ("covariance error", 5.32e-2)):
        assert stored(part, name).min() <= printed <= stored(part, name).max()


def test_softmax_at_the_published_sizes():  # G-E26
    part = "source as published"
    assert np.median(stored(part, "spread")) == pytest.approx(math.sqrt(300 + math.sqrt(300)), rel=0.02)
    assert 1 <= np.median(stored(part, "effective")) < 1.5
    assert np.median(stored(part, "attention error")) > 0.9


def test_no_softmax_gets_over_the_wall():  # G3.2
    assert stored("shift 10000", "shift")[-1] < math.sqrt(2 * math.log(10_000)) < 6
    assert stored("shift 1000000", "effective")[1] == pytest.approx(1e6 / math.e, rel=0.01)


def power(spread: float) -> float:
    """With which power of n the error of a whole cloud's averages falls."""
    counts = TABLE["settings"]["cloud"]["counts"]
    errors = [typical(f"cloud {spread} {n}", "error") for n in counts]
    return float(np.polyfit(np.log(counts), np.log(errors), 1)[0])


def test_the_rate_is_that_of_the_spread():  # G3.2
    assert power(0.5) == pytest.approx(-0.5, abs=0.05)
    assert power(3.0) > -0.25


# --- the stored table
# --------------------------------------------------------------------------------------------------


def row(part: str, i: int) -> dict[str, float]:
    return {name: values[i] for name, values in TABLE["parts"][part].items()}


def test_rows_made_again():
    assert tool.shift(3.0, 100, 2000) == pytest.approx(row("shift 100", 5), rel=2e-3)
    assert tool.cloud(2.0, 256, 3) == pytest.approx(row("cloud 2.0 256", 3), rel=2e-3)
    assert tool.source(7, True) == pytest.approx(row("source unit", 7), rel=2e-3)
