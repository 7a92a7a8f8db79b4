"""Source G's check of its Gaussian map, and the check against softmax itself.

    python studies/gaussian_check.py            (about a minute and a half of one core)

- source: the source's sizes, 24 seeds. Its own two errors (the closed form's map on sampled tokens) with what the
  sampling law predicts for them; then softmax over the same tokens from 100 queries: spread of the scores, effective
  number of keys, and the relative error of what is added to a token. Once with the source's covariance G Gᵀ/√d, once
  with G Gᵀ/d ("unit").
- shift: one query with Gaussian scores of spread s, n keys. The closed form shifts the average of z by s; kept: the
  mean shift that softmax finds, its root mean square error, the median effective number of keys.
- cloud: n tokens of N(0, I) in 8 dimensions that all look at each other, 8 heads drawn (one a seed), scores scaled to a
  root mean square spread. Kept a seed: the error of the average a token gets, in units of the standard deviation of the
  values; relative errors of the covariance after the layer, by softmax and by the closed form's map on the same tokens.
"""

import sys

import numpy as np

from course_lib.gaussian import (
    Gaussian,
    Heads,
    affine,
    attend_particles,
    push,
    random_covariance,
    random_heads,
    score_spread,
)
from course_lib.results.study import Part, Study
from course_lib.results.tables import short

D, M, N, QUERIES, SEEDS = 300, 128, 20_000, 100, range(24)  # source G's sizes
SPREADS, COUNTS, REPEATS = [0.5 * k for k in range(1, 13)], [100, 10_000, 1_000_000], [2000, 400, 24]
CLOUD_D, CLOUD_M, CLOUD_SPREADS, CLOUD_COUNTS, CLOUD_SEEDS = (
    8,
    4,
    [0.25, 0.5, 1.0, 2.0, 3.0],
    [64, 256, 1024, 4096, 8192],
    range(8),
)


def relative(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.linalg.norm(found - wanted) / np.linalg.norm(wanted))


def predicted(after: Gaussian, n: int) -> tuple[float, float]:
    """Root mean square relative errors of mean and covariance (divided by n) of n samples of a Gaussian."""
    trace, square = np.trace(after.covariance), (after.covariance**2).sum()
    covariance = ((n - 1) * (square + trace**2) + square) / n**2
    return float(np.sqrt(trace / n) / np.linalg.norm(after.mean)), float(np.sqrt(covariance / square))


def source(seed: int, unit: bool) -> dict[str, float]:
    """One run at the source's sizes."""
    g = np.random.default_rng(seed)
    cloud = Gaussian(g.standard_normal(D), random_covariance(D, g) / (np.sqrt(D) if unit else 1))
    heads = random_heads(D, M, generator=g)
    x, queries = cloud.sample(N, g), cloud.sample(QUERIES, g)
    A, b = affine(heads, cloud)
    image, after = x @ A + b, push(cloud, heads)
    looked, added = attend_particles(queries, heads, keys=x), queries @ A + b - queries
    error = np.linalg.norm(looked.output - queries - added, axis=1) / np.linalg.norm(added, axis=1)
    mean, covariance = predicted(after, N)
    return {
        "mean error": relative(image.mean(0), after.mean), "mean predicted": mean,
        "covariance error": relative(np.cov(image.T, bias=True), after.covariance), "covariance predicted": covariance,
        "spread": float(np.median(score_spread(queries, heads, cloud.covariance))),
        "effective": float(np.median(looked.effective)), "attention error": float(np.median(error)),
    }  # fmt: skip


def shift(spread: float, n: int, repeats: int) -> dict[str, float]:
    """Softmax of spread · z over n standard normal z, many times: what it makes of the average of z."""
    g = np.random.default_rng(n)
    found, effective = np.empty(repeats), np.empty(repeats)
    for i in range(repeats):
        z = g.standard_normal(n)
        w = np.exp(spread * (z - z.max()))
        found[i], effective[i] = w @ z / w.sum(), w.sum() ** 2 / (w @ w)
    return {"shift": found.mean(), "error": np.sqrt(((found - spread) ** 2).mean()), "effective": np.median(effective)}


def cloud(spread: float, n: int, seed: int) -> dict[str, float]:
    """n tokens that look at each other; the same heads for every n, the scores scaled to the spread."""
    g = np.random.default_rng(seed)
    heads, before = random_heads(CLOUD_D, CLOUD_M, generator=g), Gaussian(np.zeros(CLOUD_D), np.eye(CLOUD_D))
    size = np.sqrt((heads.scoring**2).sum())  # root mean square of √(x C Cᵀ xᵀ)
    heads = Heads(heads.W_Q, heads.W_K, heads.W_V, heads.W_O, heads.scale * spread / size)
    x = before.sample(n, np.random.default_rng([seed, n]))
    A, b = affine(heads, before)
    image, output, after = x @ A + b, attend_particles(x, heads).output, push(before, heads)
    values = np.sqrt((heads.writing**2).sum())
    return {
        "error": float(np.sqrt(((output - image) ** 2).sum(1).mean()) / values),
        "covariance": relative(np.cov(output.T, bias=True), after.covariance),
        "sampling": relative(np.cov(image.T, bias=True), after.covariance),
        "largest": float(np.linalg.norm(heads.scoring[0], 2)),
    }


def columns(rows: list[dict[str, float]]) -> dict[str, list[float]]:
    return {name: short([row[name] for row in rows]) for name in rows[0]}


def part(kind: str, first: float, second: float = 0) -> dict[str, list[float]]:
    if kind == "source":
        return columns([source(seed, bool(first)) for seed in SEEDS])
    if kind == "shift":
        return columns([shift(spread, int(first), int(second)) for spread in SPREADS])
    return columns([cloud(first, int(second), seed) for seed in CLOUD_SEEDS])


WANTED = {
    "source as published": ("source", False), "source unit": ("source", True),
    **{f"shift {n}": ("shift", n, repeats) for n, repeats in zip(COUNTS, REPEATS, strict=True)},
    **{f"cloud {spread} {n}": ("cloud", spread, n) for spread in CLOUD_SPREADS for n in CLOUD_COUNTS},
}  # fmt: skip
SETTINGS = {
    "source": {"d": D, "m": M, "n": N, "queries": QUERIES, "seeds": len(SEEDS)},
    "shift": {"spreads": SPREADS, "counts": COUNTS, "repeats": REPEATS},
    "cloud": {"d": CLOUD_D, "m": CLOUD_M, "spreads": CLOUD_SPREADS, "counts": CLOUD_COUNTS, "seeds": len(CLOUD_SEEDS)},
}
STUDY = Study("gaussian_check", {"settings": SETTINGS}, {"parts": Part(part, WANTED)}, minutes=1.5)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
