"""True softmax attention of n sampled tokens, to hold the closed form against, and what makes the sample too small."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib import checks
from course_lib.heads import Heads, blocks, checked_tokens

BLOCK = 2**22  # scores held at a time: 32 MiB


class AttendedParticles(NamedTuple):
    """The tokens after the layer [n, d]; for each head and query, [h, n]: the effective number of keys, 1/Σ w², and the
    standard deviation of its scores over the keys."""

    output: np.ndarray
    effective: np.ndarray
    spread: np.ndarray


def attend_particles(
    x: Float[np.ndarray, "n d"], heads: Heads, *, step: float = 1.0, keys: Float[np.ndarray, "k d"] | None = None
) -> AttendedParticles:
    """x + ε Σ_h softmax(x C_h keysᵀ) keys W_V W_O, every query over all keys (the tokens themselves unless given).

    In the log domain: each row's largest score is taken off before the exponential, so scores of ±10⁴ give finite
    answers.
    """
    x = checked_tokens("x", x, heads.d)
    keys = x if keys is None else checked_tokens("keys", keys, heads.d)
    checks.number("step", step, positive=True)
    h, n = len(heads.W_Q), len(x)
    output, effective, spread = x.copy(), np.empty((h, n)), np.empty((h, n))
    for head, (C, M) in enumerate(zip(heads.scoring, heads.writing, strict=True)):
        values = keys @ M
        for rows in blocks(n, len(keys), BLOCK):
            scores = x[rows] @ C @ keys.T
            spread[head, rows] = scores.std(1)
            scores -= scores.max(1, keepdims=True)
            weights = np.exp(scores, out=scores)
            total = weights.sum(1)
            effective[head, rows] = total**2 / np.einsum("qk,qk->q", weights, weights)
            output[rows] += step * (weights @ values) / total[:, None]
    return AttendedParticles(output, effective, spread)
