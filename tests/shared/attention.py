"""Sources L, P and S, and what R and G say of attention itself: each form as printed beside the right one, in NumPy."""

import math

import numpy as np
import torch

from tests.shared.record import rounding
from tests.shared.sandron import softmax
from tests.shared.seeded import rng, seeded

PAIRS = 40_000


def scores_std(m: int, divisor: float) -> float:
    """Standard deviation of q·k/divisor over 40,000 random pairs of width m, entries independent with variance 1."""
    g = rng(m)
    q, k = g.standard_normal((2, PAIRS, m), dtype=np.float32)
    return float((q * k).sum(1).std() / divisor)


def tokens(n: int = 6, d: int = 8, seed: int = 0) -> np.ndarray:
    return rng(seed).standard_normal((n, d))


def symmetric_attention() -> np.ndarray:
    """Weights softmax(X Xᵀ/√d) for random tokens."""
    x = tokens()
    return softmax(x @ x.T / math.sqrt(x.shape[1]))


def stacked_query_rank(twice: bool, d: int = 64, m: int = 8, h: int = 8) -> int:
    """Rank of all heads' maps from token to query side by side, projected once (X W_h) or twice (X W W_h)."""
    g = rng()
    heads = g.standard_normal((h, m if twice else d, m))
    maps = g.standard_normal((d, m)) @ heads if twice else heads
    return int(np.linalg.matrix_rank(np.concatenate(list(maps), axis=1)))


def vaswani_positions(n: int, d: int) -> np.ndarray:
    """The published sinusoids: pair c uses the frequency 10000^(-2c/d)."""
    angle = np.arange(n)[:, None] / 10000 ** (2 * np.arange(d // 2) / d)
    return np.stack([np.sin(angle), np.cos(angle)], axis=2).reshape(n, d)


def peri_positions(n: int, d: int, first: int) -> np.ndarray:
    """Source P's formula (2) with L = 10000 and the components counted from `first`."""
    columns = []
    for i in range(first, d + first):
        exponent, wave = (i, np.sin) if i % 2 == 0 else (i - 1, np.cos)
        columns.append(wave(np.arange(n) / 10000 ** (exponent / d)))
    return np.stack(columns, axis=1)


def distance_from_a_projection() -> float:
    a = symmetric_attention()
    return float(abs(a @ a - a).max())


def words_of_the_sentence() -> int:
    sentence = "Mikhail Tal was a bad smoker but a good"
    return len(sentence.split())


def formula_17_against_pytorch() -> float:
    g = rng()
    q, k, v = (tokens(9, 8) @ g.standard_normal((8, 3)) for _ in range(3))
    theirs = torch.nn.functional.scaled_dot_product_attention(*map(torch.tensor, (q, k, v)))
    return rounding(abs(softmax(q @ k.T / math.sqrt(3)) @ v - theirs.numpy()).max())


def nan_rows(strict: bool) -> int:
    """Rows of weights that are nan when j < i (strict) or j ≤ i may be looked at."""
    allowed = torch.tril(torch.ones(5, 5, dtype=torch.bool), -1 if strict else 0)
    weights = torch.softmax(torch.zeros(5, 5).masked_fill(~allowed, -torch.inf), -1)
    return int(weights.isnan().any(1).sum())


def normalised(total: bool) -> np.ndarray:
    """(1, 2, 3, 4) normalised with μ = Σ x (total) or μ = Σ x/d."""
    x = np.array([1.0, 2, 3, 4])
    mu = x.sum() if total else x.mean()
    return (x - mu) / np.sqrt(((x - mu) ** 2).mean())


def token_by_token(x: np.ndarray, memory: np.ndarray, w: np.ndarray) -> np.ndarray:
    """Attention written as sums over j, no matrix product between tokens: what the matrix forms must equal."""
    out = []
    for token in x:
        exponentials = [math.exp((token @ w[0]) @ (other @ w[1]) / math.sqrt(w.shape[2])) for other in memory]
        out.append(sum(e * (o @ w[2]) for e, o in zip(exponentials, memory, strict=True)) / sum(exponentials))
    return np.array(out)


def matrix_form(x: np.ndarray, memory: np.ndarray, w: np.ndarray, swapped: bool = False) -> np.ndarray:
    """softmax(XQ (HK)ᵀ/√m) HV; `swapped` puts the keys first, as L prints it."""
    q, k, v = x @ w[0], memory @ w[1], memory @ w[2]
    return softmax((k @ q.T if swapped else q @ k.T) / math.sqrt(w.shape[2])) @ v


WEIGHTS = rng(5).standard_normal((3, 8, 4))


def error_with_keys_first() -> float:
    x = tokens()
    return float(abs(matrix_form(x, x, WEIGHTS, swapped=True) - token_by_token(x, x, WEIGHTS)).max())


def error_with_queries_first() -> float:
    x = tokens()
    return rounding(abs(matrix_form(x, x, WEIGHTS) - token_by_token(x, x, WEIGHTS)).max())


def difference_of_the_two_conventions() -> float:
    x, k = tokens(), WEIGHTS[:2, :, :].reshape(8, 8)  # a square K that is not symmetric
    return float(abs(np.stack([k @ row for row in x]) - x @ k).max())


def difference_after_the_transpose() -> float:
    x, k = tokens(), WEIGHTS[:2, :, :].reshape(8, 8)
    return rounding(abs(np.stack([k @ row for row in x]) - x @ k.T).max())


def allowed_looks(n: int, r: int) -> np.ndarray:
    """Each token looks at itself and at its r nearest (r/2 on each side), [n, n]."""
    position = np.arange(n)
    return abs(position[:, None] - position) <= r // 2


def longest_path(n: int, r: int) -> int:
    """Layers until the last token has heard of the first."""
    looks, layers = allowed_looks(n, r), 0
    reached = np.arange(n) == 0
    while not reached[-1]:
        reached, layers = looks[:, reached].any(1), layers + 1
    return layers


def multiplications(n: int, r: int, d: int = 64) -> int:
    """Multiplications in the scores of one layer: d for each pair of tokens that may look."""
    return int(allowed_looks(n, r).sum()) * d


def learning_rate(step: np.ndarray, d: int = 512, warmup: int = 4000) -> np.ndarray:
    return d**-0.5 * np.minimum(step**-0.5, step * warmup**-1.5)


def nan_entries_of_the_pseudocode() -> int:
    """The appendix's first function, run as printed, on three queries of which the second may look at nothing."""
    g = seeded()
    q, k, v = torch.randn(3, 1, 1, 3, 4, generator=g)
    mask = torch.tensor([[1, 1, 1], [0, 0, 0], [1, 1, 1]])
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).masked_fill(mask == 0, float("-inf"))
    return int((torch.softmax(scores, dim=-1) @ v).isnan().sum())
