"""Teacher and student with all four matrices unknown: the gradient of a batch in closed form, and mini-batch descent.
[Ponti 2025, §3.3.3]

One head, first-order map. With M = W_V W_O, U = αΣW_Q, K = ΣW_K, Y = MᵀK (α = εs) the student's output is Σ + UYᵀ +
YUᵀ. Let E be its difference to the target, symmetric, and G = 2E/(b d²) for a batch of b. A change of UYᵀ changes the
loss by 2⟨G, d(UYᵀ)⟩, so

    ∂W_Q = 2α Σ_j Σ_j G Y       ∂W_K = 2 Σ_j Σ_j M G U       ∂M = 2 Σ_j K (G U)ᵀ       ∂W_V = ∂M W_Oᵀ       ∂W_O = W_Vᵀ
                                ∂M .

That is ten products the size of [d, d] by [d, m] an example, and none of two [d, d].
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from course_lib import checks
from course_lib.gaussian.beta import Examples
from course_lib.heads import Heads

BLOCK = 2**15  # entries of the inputs worked on at a time: what is made from them stays in the cache


class Weights(NamedTuple):
    """The matrices of one head, or gradients of their shapes: W_Q, W_K [d, m], W_V [d, c], W_O [c, d]."""

    W_Q: np.ndarray
    W_K: np.ndarray
    W_V: np.ndarray
    W_O: np.ndarray


class TrainedMatrices(NamedTuple):
    """`heads` after the last epoch; `losses` [epochs]: the mean over an epoch of every example's loss just before its
    update; `history` what `watch` returned after each epoch."""

    heads: Heads
    losses: np.ndarray
    history: list


def loss_and_gradient(
    weights: Weights,
    inputs: Float[np.ndarray, "J d d"],
    change: Float[np.ndarray, "J d d"],
    alpha: float,
    chosen: np.ndarray | None = None,
) -> tuple[float, Weights]:
    """The mean of ‖student − target‖²/d² over the examples, or those numbered in `chosen`, and its gradient.

    `change`: target − input, symmetric; `alpha`: ε times the scale s. Checks nothing: it is the inner loop. K, Y and G
    U are kept transposed, so that nothing is copied to be turned, and half of the products are of all examples at once,
    one upon the other.
    """
    W_Q, W_K, W_V, W_O = weights
    d, m = W_Q.shape
    count = len(inputs) if chosen is None else len(chosen)
    M, queries = W_V @ W_O, alpha * W_Q
    squares, of_Q, of_K, of_M = 0.0, np.zeros((d, m)), np.zeros((m, d)), np.zeros((d, d))
    size = max(1, BLOCK // d**2)
    for begin in range(0, count, size):
        rows = slice(begin, begin + size) if chosen is None else chosen[begin : begin + size]
        S = inputs[rows]
        stacked = S.reshape(-1, d)
        U = (stacked @ queries).reshape(-1, d, m)
        K = W_K.T @ S
        Y = (K.reshape(-1, d) @ M).reshape(-1, m, d)
        half = U @ Y
        E = half + half.swapaxes(-1, -2)
        E -= change[rows]
        squares += float(np.vdot(E, E))
        of_Q += stacked.T @ (E @ Y.swapaxes(-1, -2)).reshape(-1, m)
        EU = (U.swapaxes(-1, -2) @ E).reshape(-1, d)
        of_M += K.reshape(-1, d).T @ EU
        of_K += ((EU @ M.T).reshape(-1, m, d) @ S).sum(0)
    factor = 4 / (count * d**2)
    of_M *= factor
    return squares / (count * d**2), Weights(factor * alpha * of_Q, factor * of_K.T, of_M @ W_O.T, W_V.T @ of_M)


def loss_of(heads: Heads, examples: Examples, *, step: float) -> float:
    """The mean of ‖student − target‖²/d² over the examples."""
    weights, alpha = _weights(heads, examples, step)
    return loss_and_gradient(weights, examples.inputs, examples.targets - examples.inputs, alpha)[0]


def train_matrices(
    start: Heads, examples: Examples, *, step: float, rate: float, epochs: int, batch: int | None = None,
    generator: np.random.Generator | None,
    watch: Callable[[Heads], object] | None = None,
) -> TrainedMatrices:  # fmt: skip
    """Descent by mini-batches of `batch` examples (None: all at once). `step` is ε, `rate` the learning rate.

    With a `generator` the examples are shuffled before every epoch; None goes through them in the order given, in the
    same batches for ever, as source G's program does. ValueError where the loss overflows, and for more than one head.
    """
    weights, alpha = _weights(start, examples, step)
    checks.number("rate", rate, positive=True)
    checks.positive_int("epochs", epochs)
    size = len(examples) if batch is None else batch
    checks.positive_int("batch", size)
    change, order = examples.targets - examples.inputs, np.arange(len(examples))
    losses, history = np.empty(epochs), []
    with np.errstate(over="ignore", invalid="ignore"):
        for epoch in range(epochs):
            if generator is not None:
                generator.shuffle(order)
            total = 0.0
            for begin in range(0, len(order), size):
                chosen = order[begin : begin + size]
                if generator is None:  # in order: a view, not a copy
                    loss, gradient = loss_and_gradient(
                        weights, examples.inputs[begin : begin + size], change[begin : begin + size], alpha
                    )
                else:
                    loss, gradient = loss_and_gradient(weights, examples.inputs, change, alpha, chosen)
                weights = Weights(*(each - rate * slope for each, slope in zip(weights, gradient, strict=True)))
                total += loss * len(chosen)
            losses[epoch] = total / len(order)
            if not losses[epoch] < np.inf or not all(np.isfinite(each).all() for each in weights):
                checks.fail(
                    "rate",
                    "small enough for the descent to stay finite",
                    f"an overflow in epoch {epoch + 1} with {rate:g}",
                )
            if watch is not None:
                history.append(watch(_heads(weights, start.scale)))
    return TrainedMatrices(_heads(weights, start.scale), losses, history)


def _weights(heads: Heads, examples: Examples, step: float) -> tuple[Weights, float]:
    checks.number("step", step, positive=True)
    checks.size("inputs", examples.inputs, 1, heads.d, "the width d of the heads")
    if len(heads.W_Q) != 1:
        checks.fail("heads", "one head", f"{len(heads.W_Q)}")
    return Weights(heads.W_Q[0], heads.W_K[0], heads.W_V[0], heads.W_O[0]), step * heads.scale


def _heads(weights: Weights, scale: float) -> Heads:
    return Heads(*(each[None] for each in weights), scale)
