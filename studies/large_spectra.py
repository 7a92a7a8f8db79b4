"""Spectra at the sizes of source G, §3.1.

    python studies/large_spectra.py            (a quarter of a minute of one core)

One symmetric Gaussian matrix of size 3,000, not divided, and a thousand symmetric matrices of uniform entries of size
300.
"""

import sys
from typing import Any

import numpy as np

from course_lib.results.study import Study
from course_lib.spectra import Ensemble, law_distance

SIZE, BARS = 3000, 44
UNIFORM, SEEDS, SPECTRA = 300, 1000, 100
PASSES = 12  # of power iteration: the next eigenvalue is 15 times smaller


def unscaled(seed: int = 0) -> dict[str, Any]:
    """How the spectrum of one N(0, 1) matrix lies beside the semicircle, and its sizes |λ| beside the quarter
    circle."""
    ensemble = Ensemble(SIZE, divisor="none")
    values = np.linalg.eigvalsh(ensemble.draw(np.random.default_rng(seed)))
    low, high = ensemble.law.support
    counts, edges = np.histogram(values, BARS, (1.1 * low, 1.1 * high))
    middle = abs(values) < high / 10
    return {
        "n": SIZE, "seed": seed, "smallest": round(values[0], 4), "largest": round(values[-1], 4),
        "to the semicircle": round(law_distance(values, ensemble.law), 6),
        "to the quarter circle": round(law_distance(abs(values), ensemble.singular_law), 6),
        "height near 0": float(f"{middle.mean() / (high / 5):.4g}"),
        "edges": [round(edge, 3) for edge in edges], "counts": counts.tolist(),
    }  # fmt: skip


def uniform(seed: int) -> np.ndarray:
    return Ensemble(UNIFORM, "uniform", divisor="none").draw(np.random.default_rng(seed))


def largest(matrix: np.ndarray) -> float:
    """By power iteration from the vector of ones."""
    x = np.ones(len(matrix))
    for _ in range(PASSES):
        x = x @ matrix
        x /= np.linalg.norm(x)
    return float(x @ matrix @ x)


def outliers() -> dict[str, Any]:
    """The largest eigenvalue of each matrix, and of the first hundred how far the others reach."""
    tops = np.array([largest(uniform(seed)) for seed in range(SEEDS)])
    rest = [abs(np.linalg.eigvalsh(uniform(seed))[:-1]).max() for seed in range(SPECTRA)]
    return {
        "n": UNIFORM, "seeds": SEEDS, "mean": round(tops.mean(), 4), "deviation": round(tops.std(), 4),
        "lowest": round(tops.min(), 4),
        "highest": round(tops.max(), 4), "others reach": round(float(np.mean(rest)), 4), "first": [round(top,
        6) for top in tops[:20]],
    }  # fmt: skip


STUDY = Study("large_spectra", whole=lambda: {"unscaled": unscaled(), "uniform": outliers()}, minutes=0.25)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
