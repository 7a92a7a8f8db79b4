"""Six optimisers as the equations they are: parameters, gradient and state in, parameters and state out.

θ and the gradient are numbers, NumPy arrays or tensors of one shape; every operation acts entry by entry. The rate α is
handed in at each step, so that a schedule is no part of a rule. Constants and results are those of `torch.optim`, to
the rounding of float64. Twin in the page: widgets/descent/optimisers.js.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

from course_lib import checks

Updated = tuple[Any, tuple]  # θ_{t+1} and the state after the step


class Optimiser(NamedTuple):
    """start(θ) gives the state before the first step; step(θ, gradient, state, rate) gives θ and the state after it."""

    start: Callable[[Any], tuple]
    step: Callable[[Any, Any, tuple, float], Updated]


def sgd(theta: Any, gradient: Any, state: tuple, rate: float) -> Updated:
    """θ − α g: gradient descent where g is the gradient of the whole loss, SGD where it is that of a batch."""
    return theta - rate * gradient, state


def momentum(theta: Any, gradient: Any, state: tuple, rate: float, *, keep: float = 0.9) -> Updated:
    """ḡ ← μ ḡ + g; θ − α ḡ, with μ = keep.  [Polyak 1964; Sutskever et al. 2013 for networks]"""
    velocity = keep * state[0] + gradient
    return theta - rate * velocity, (velocity,)


def adagrad(theta: Any, gradient: Any, state: tuple, rate: float, *, eps: float = 1e-10) -> Updated:
    """G ← G + g²; θ − α g / (√G + ε): each parameter's rate falls with the gradients it has had.  [Duchi et al.
    2011]"""
    total = state[0] + gradient * gradient
    return theta - rate * gradient / (total**0.5 + eps), (total,)


def rmsprop(theta: Any, gradient: Any, state: tuple, rate: float, *, keep: float = 0.99, eps: float = 1e-8) -> Updated:
    """u ← ρ u + (1 − ρ) g²; θ − α g / (√u + ε): Adagrad with a memory that fades.  [Tieleman & Hinton 2012]"""
    square = keep * state[0] + (1 - keep) * gradient * gradient
    return theta - rate * gradient / (square**0.5 + eps), (square,)


def adadelta(theta: Any, gradient: Any, state: tuple, rate: float, *, keep: float = 0.9, eps: float = 1e-6) -> Updated:
    """u ← ρ u + (1 − ρ) g²; Δ = g √(w + ε) / √(u + ε); w ← ρ w + (1 − ρ) Δ²; θ − α Δ.

    The step is as long as the steps before it, so that θ's unit comes out right by itself.  [Zeiler 2012, algorithm 1]
    """
    square, change = state
    square = keep * square + (1 - keep) * gradient * gradient
    delta = gradient * ((change + eps) ** 0.5 / (square + eps) ** 0.5)
    return theta - rate * delta, (square, keep * change + (1 - keep) * delta * delta)


def adam(
    theta: Any,
    gradient: Any,
    state: tuple,
    rate: float,
    *,
    keep: float = 0.9,
    keep_square: float = 0.999,
    eps: float = 1e-8,
) -> Updated:
    """ḡ ← β₁ ḡ + (1 − β₁) g; u ← β₂ u + (1 − β₂) g²; θ − α ĝ / (√û + ε), ĝ = ḡ / (1 − β₁ᵗ), û = u / (1 − β₂ᵗ), t = 1,
    2, …

    The two divisions undo the averages' start from zero.  [Kingma & Ba 2015, algorithm 1]
    """
    mean, square, past, past_square = state  # the last two are β₁ᵗ and β₂ᵗ
    past, past_square = keep * past, keep_square * past_square
    mean = keep * mean + (1 - keep) * gradient
    square = keep_square * square + (1 - keep_square) * gradient * gradient
    change = (mean / (1 - past)) / ((square / (1 - past_square)) ** 0.5 + eps)
    return theta - rate * change, (mean, square, past, past_square)


OPTIMISERS: dict[str, Optimiser] = {
    "sgd": Optimiser(lambda theta: (), sgd),
    "momentum": Optimiser(lambda theta: (0 * theta,), momentum),
    "adagrad": Optimiser(lambda theta: (0 * theta,), adagrad),
    "rmsprop": Optimiser(lambda theta: (0 * theta,), rmsprop),
    "adadelta": Optimiser(lambda theta: (0 * theta, 0 * theta), adadelta),
    "adam": Optimiser(lambda theta: (0 * theta, 0 * theta, 1.0, 1.0), adam),
}


def decayed(rate: float, decay: float, step: int) -> float:
    """α_t = α / (1 + decay · t) at step t = 0, 1, …: constant for decay 0, else falling like 1/t.

    ValueError for a rate that is no number > 0, a decay < 0 or a step < 0.
    """
    checks.number("rate", rate, positive=True)
    checks.number("decay", decay)
    checks.number("step", step)
    if decay < 0:
        checks.fail("decay", "0 or more", decay)
    if step < 0:
        checks.fail("step", "0 or more", step)
    return rate / (1 + decay * step)
