"""Tokens on a circle or a sphere under attention with a norm, layer after layer: the layer, its groups, and the
equation of equal angles.

Twin: widgets/tokens_in_depth/flow.js, held to this file by tests/widgets/test_tokens_in_depth.py.  [Geshkovski et al.
2025]
"""

import numpy as np
from jaxtyping import Float

from course_lib import checks


def unit(x: Float[np.ndarray, "*b d"]) -> Float[np.ndarray, "*b d"]:
    """Each row divided by its length."""
    return x / np.linalg.norm(x, axis=-1, keepdims=True)


def weights(scores: Float[np.ndarray, "*b n"]) -> Float[np.ndarray, "*b n"]:
    """Softmax of the last axis; the largest score is taken off before the exponential."""
    w = np.exp(scores - scores.max(-1, keepdims=True))
    return w / w.sum(-1, keepdims=True)


def sphere_layer(
    x: Float[np.ndarray, "n d"],
    beta: float,
    step: float,
    V: Float[np.ndarray, "h d d"] | float = 1.0,
    C: Float[np.ndarray, "h d d"] | None = None,
) -> Float[np.ndarray, "n d"]:
    """One layer: x + ε/h · Σ_h softmax(β x C_h xᵀ) x V_h, each row to length 1.

    V: a matrix a head, or a number in place of all, which stands for its multiple of the identity; C None: one head
    with C = I.
    """
    checks.number("step", step, positive=True)
    A = weights(beta * (x @ x.T if C is None else x @ C @ x.T))  # [n, n] or [h, n, n]
    moved = A @ x * V if np.isscalar(V) else A @ x @ V
    return unit(x + step * (moved if moved.ndim == 2 else moved.mean(0)))


def groups(x: Float[np.ndarray, "n d"], angle: float = 0.1) -> Float[np.ndarray, " n"]:
    """The group of each token, numbered from 0 in the order of first members: tokens nearer than `angle` belong
    together, and so do chains."""
    near, group = x @ x.T > np.cos(angle), np.full(len(x), -1)
    for first in range(len(x)):
        if group[first] >= 0:
            continue
        members = near[first]
        while (more := members | near[members].any(0)).sum() > members.sum():
            members = more
        group[members] = group.max() + 1
    return group


def mean_cosine(x: Float[np.ndarray, "n d"]) -> float:
    """The mean cosine of two different tokens."""
    n = len(x)
    return float((np.square(x.sum(0)).sum() - n) / (n * (n - 1)))


def equal_angles(n: int, c: float) -> Float[np.ndarray, "n n"]:
    """n tokens of n dimensions, all pairwise cosines c: a square root of the matrix of cosines. ValueError unless −1/(n
    − 1) ≤ c ≤ 1."""
    if not -1 / (n - 1) - 1e-12 <= c <= 1:
        checks.fail("c", f"from −1/(n − 1) to 1 with n = {n}", c)
    a, b = np.sqrt(max(0.0, 1 - c)), np.sqrt(max(0.0, 1 + (n - 1) * c))
    return a * np.eye(n) + (b - a) / n


def cosine_speed(
    c: Float[np.ndarray, "*b"] | float, n: float, beta: float, value: float = 1.0
) -> Float[np.ndarray, "*b"] | float:
    """ċ of n tokens whose pairwise cosines are all c, V = value · I."""
    return 2 * value * (1 - c) * (1 + (n - 1) * c) / (np.exp(beta * (1 - c)) + n - 1)


def cosine_path(
    c: float, n: float, beta: float, times: Float[np.ndarray, " t"], value: float = 1.0, most: float = 0.02
) -> Float[np.ndarray, " t"]:
    """c at the times, which rise from 0: Runge and Kutta's fourth order in steps of at most `most`."""
    found = [c]
    for span in np.diff(times):
        pieces = max(1, int(np.ceil(span / most - 1e-9)))
        h = span / pieces
        for _ in range(pieces):
            k1 = cosine_speed(c, n, beta, value)
            k2 = cosine_speed(c + h / 2 * k1, n, beta, value)
            k3 = cosine_speed(c + h / 2 * k2, n, beta, value)
            c = c + h / 6 * (k1 + 2 * k2 + 2 * k3 + cosine_speed(c + h * k3, n, beta, value))
        found.append(c)
    return np.array(found)
