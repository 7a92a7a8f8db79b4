"""Source G's iterated attention at its own sizes: growth, negative eigenvalues, and the spectrum at d = 1024.

    python studies/gaussian_iteration.py        (about four minutes of one core)

Start and heads are drawn as in the source's programs, from one seed. The rows:

- growth: log10 of the largest eigenvalue after each of nine passes of the layer, ε = 1, and the pass at which float64
  ends.
- negative: the source's first-order rule with ε = 0.01: extreme eigenvalues after 5 and 25 passes, the first pass with
  a negative one, the first pass with one below −10⁵, the ε for which 25 passes reach −10⁵; the smallest by the
  congruence.
- wide: the first-order rule at d = 1024, to the time 0.01: the spectrum before and after, and distances. Once with the
  source's 1,000 passes of 10⁻⁵; for another draw and another m with 20 passes of 5 · 10⁻⁴, which give the same
  distances (but lose positivity).
- longer: the congruence at d = 128, m = 16 to larger and larger times: the same distances, until the size is tenfold.
"""

import sys
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from course_lib.gaussian import Heads, iterate, random_covariance, random_heads
from course_lib.results import tables
from course_lib.results.study import Again, Part, Study
from course_lib.spectra import MarchenkoPastur, law_distance

SIZES = {(300, 128): (20, 10), (30, 1280): (200, 200)}  # (d, m): seeds of growth, of negative
PASSES, BELOW, EPSILON = 9, -1e5, 1e-2
short = partial(tables.short, digits=5)
WIDE = {(1024, 1280, 0): 20, (1024, 128, 1): 20, (1024, 128, 0): 1000}  # (d, m, seed): passes
TIME, KEPT = 0.01, 128  # of the wide case; so many quantiles of its spectrum are kept
SMALL, SMALL_SEEDS, SMALL_STEP, EVERY, AT_MOST = (128, 16), 10, 1e-3, 20, 2000


def drawn(d: int, m: int, seed: int) -> tuple[np.ndarray, Heads]:
    generator = np.random.default_rng(seed)
    return random_covariance(d, generator), random_heads(d, m, generator=generator)


def growth(d: int, m: int, seed: int) -> dict[str, Any]:
    path = iterate(*drawn(d, m, seed), PASSES)
    return {"log10 size": short(path.log10_size), "overflow": path.overflow}


def smallest_after(start: np.ndarray, heads: Heads, passes: int, step: float) -> float:
    """The smallest eigenvalue by the first-order rule, −inf where it is beyond float64."""
    path = iterate(start, heads, passes, step=step, rule="first_order")
    return path.eigenvalues()[0] if path.log10_size[-1] < 300 else (-np.inf if path.smallest[-1] < 0 else 0.0)


def negative(d: int, m: int, seed: int) -> dict[str, Any]:
    start, heads = drawn(d, m, seed)
    path = iterate(start, heads, 120, step=EPSILON, rule="first_order")
    seen = [path.eigenvalues(count)[0] if path.log10_size[count] < 300 else -np.inf for count in range(121)]
    low, high = EPSILON, 0.2  # at `high` far below −10⁵, unless the run says so
    if smallest_after(start, heads, 25, low) <= BELOW or smallest_after(start, heads, 25, high) > BELOW:
        needed = None
    else:
        while high / low > 1.001:
            middle = (low * high) ** 0.5
            low, high = (low, middle) if smallest_after(start, heads, 25, middle) <= BELOW else (middle, high)
        needed = short(high, digits=4)
    whole = iterate(start, heads, 25, step=EPSILON)
    return {
        "start": short(path.eigenvalues(0)), "after 5": short(path.eigenvalues(5)),
        "after 25": short(path.eigenvalues(25)),
        "first negative": path.indefinite, "first below": next((i for i, value in enumerate(seen) if value <= BELOW),
        None),
        "step needed": needed, "congruence after 25": short(whole.eigenvalues(25)),
        "congruence negative": whole.indefinite,
    }  # fmt: skip


def distances(before: np.ndarray, after: np.ndarray) -> dict[str, float]:
    """Of two spectra: Kolmogorov–Smirnov to each other, and of each to Marchenko–Pastur of ratio 1 with its own
    mean."""
    both = np.sort(np.concatenate([before, after]))
    share = [np.searchsorted(np.sort(values), both, "right") / len(values) for values in (before, after)]
    fitted = [law_distance(values, MarchenkoPastur(1.0, values.mean())) for values in (before, after)]
    return {
        "to the start": short(abs(share[1] - share[0]).max()),
        "start to its law": short(fitted[0]),
        "to its law": short(fitted[1]),
    }


def wide(d: int, m: int, seed: int, *, passes: int | None = None) -> dict[str, Any]:
    """With the products in the order that is cheap for m < d: ΣB = s (Σ W_Q)(W_Kᵀ Σ M)."""
    start, heads = drawn(d, m, seed)
    passes = WIDE[d, m, seed] if passes is None else passes
    step = TIME / passes
    W_Q, W_K, M, sigma = step * heads.scale * heads.W_Q[0], heads.W_K[0], heads.writing[0], start.copy()
    for count in range(passes):
        half = (sigma @ W_Q) @ ((W_K.T @ sigma) @ M)
        if count == 0:
            first = abs(np.linalg.eigvalsh(half + half.T)).max()
        sigma += half
        sigma += half.T
    before, after = np.linalg.eigvalsh(start), np.linalg.eigvalsh(sigma)
    at = np.linspace(0, 1, KEPT)
    return {
        "step": short(step), "passes": passes, "change": short(np.linalg.norm(sigma - start) / np.linalg.norm(start)),
        "first step": short(first),
        "ends": short([before[[0, -1]], after[[0, -1]]]), "means": short([before.mean(), after.mean()]),
        **distances(before, after), "quantiles": short([np.quantile(before, at), np.quantile(after, at)], digits=4),
    }  # fmt: skip


def longer(d: int, m: int, seed: int) -> dict[str, Any]:
    start, heads = drawn(d, m, seed)
    before, sigma, count = np.linalg.eigvalsh(start), start, 0
    course: list[list[float]] = []
    while count < AT_MOST and (not course or course[-1][2] < 10):
        path = iterate(sigma, heads, EVERY, step=SMALL_STEP)
        sigma, count = path.covariance * 10 ** path.log10_size[-1], count + EVERY
        after = np.linalg.eigvalsh(sigma)
        far = distances(before, after)
        course.append(
            [
                count * SMALL_STEP,
                np.linalg.norm(sigma - start) / np.linalg.norm(start),
                after[-1] / before[-1],
                far["to the start"],
                far["to its law"],
            ]
        )
    return {"columns": ["time", "change", "growth", "to the start", "to its law"], "course": short(course, digits=4)}


def tasks() -> Iterator[tuple[str, int, int, int]]:
    for (d, m), counts in SIZES.items():
        for kind, seeds in zip(("growth", "negative"), counts, strict=True):
            yield from ((kind, d, m, seed) for seed in range(seeds))
    yield from (("longer", *SMALL, seed) for seed in range(SMALL_SEEDS))
    yield from (("wide", *each) for each in WIDE)


def row(kind: str, d: int, m: int, seed: int) -> dict[str, Any]:
    made = {"growth": growth, "negative": negative, "wide": wide, "longer": longer}[kind](d, m, seed)
    return {"kind": kind, "d": d, "m": m, "seed": seed} | made


SETTINGS = {"passes": PASSES, "below": BELOW, "step": EPSILON, "wide time": TIME, "small step": SMALL_STEP}
STUDY = Study(
    "gaussian_iteration",
    {"settings": SETTINGS},
    {"rows": Part(row, list(tasks()), key=("kind", "d", "m", "seed"))},
    minutes=4,
    again=[
        Again(
            "rows",
            [("growth", 300, 128, 0), ("growth", 30, 1280, 3), ("negative", 30, 1280, 5), ("longer", 128, 16, 2)],
            row,
            rel=2e-3,
            abs=1e-4,
        )
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
