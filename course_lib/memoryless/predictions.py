"""What trained models say of their source: the prediction over many inputs, and how far it is from the truth."""

from typing import NamedTuple

import numpy as np
import torch

from course_lib import checks
from course_lib.memoryless.ensemble import Ensemble
from course_lib.sources import Markov, Memoryless, cross_entropy


class Reading(NamedTuple):
    """For S models of a memoryless source: `q` [S, v] the mean prediction over the inputs; `spread` [S] its largest
    range over them, `error` [S] max|p − q|, both in percentage points; `loss` [S] H(p, q) of the mean, and `exact_loss`
    [S] the mean of H(p, q) over the inputs, nats."""

    q: np.ndarray
    spread: np.ndarray
    error: np.ndarray
    loss: np.ndarray
    exact_loss: np.ndarray


def predictions(
    ensemble: Ensemble, source: Memoryless | Markov, *, inputs: int = 256, seed: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """q [S, inputs, v] of every model for the same fresh inputs [inputs, n], and these; the seed draws them."""
    checks.positive_int("inputs", inputs)
    words = source.sample(inputs, ensemble.sizes.n, np.random.default_rng([seed, 2]))
    with torch.no_grad():
        q = ensemble.logits(torch.from_numpy(words)).double().softmax(-1).numpy()
    return q, words


def read(ensemble: Ensemble, source: Memoryless, *, inputs: int = 256, seed: int = 0) -> Reading:
    """How well the models have learnt the distribution of a memoryless source."""
    each, _ = predictions(ensemble, source, inputs=inputs, seed=seed)
    q = each.mean(1)
    return Reading(
        q,
        100 * np.ptp(each, axis=1).max(-1),
        100 * np.abs(q - source.p).max(-1),
        cross_entropy(source.p, q),
        cross_entropy(source.p, each).mean(-1),
    )
