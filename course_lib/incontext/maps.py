"""Attention as a map from a context and a query to a point: A(X, x) for tokens, Γ(μ, x) for measures, and ⋄.

    A(X, x)    = x + Σ_h Σ_j softmax_j(x C_h x_jᵀ) x_j M_h             C_h = s W_Q W_Kᵀ,  M_h = W_V W_O
    Γ(μ, x)    = x + Σ_h ∫ e^{x C_h yᵀ} y M_h dμ(y) / ∫ e^{x C_h yᵀ} dμ(y)
    (A₂ ⋄ A₁)(X, x) = A₂(X₁, A₁(X, x)),  X₁ = the rows A₁(X, x_j)      [Ponti 2025, (2.1.1)–(2.1.11)]

Masked, query i sees the tokens 0 … i, and a query at time t the atoms with times up to t. Weights are formed from their
logarithms, the largest taken off first, so that scores of ±10⁴ give finite answers.
"""

from collections.abc import Callable

import numpy as np
from jaxtyping import Float, Int

from course_lib import checks
from course_lib.heads import Heads, blocks, checked_tokens
from course_lib.incontext.measures import Measure, SpaceTime

BLOCK = 2**20  # scores held at a time: 8 MiB

Context = Float[np.ndarray, "n d"] | Measure | SpaceTime
# map(context, x [q, d], when) → [q, d']; `when` [q] is None without a mask, else each query's number i or time t.
ContextMap = Callable[..., np.ndarray]


def in_context(X: Float[np.ndarray, "n d"], x: Float[np.ndarray, "q d"], heads: Heads) -> Float[np.ndarray, "q d"]:
    """A(X, x): where attention to the tokens X moves each query x. Raises ValueError for shapes that do not fit."""
    X = checked_tokens("X", X, heads.d)
    return _look(X, np.zeros(len(X)), checked_tokens("x", x, heads.d), heads)


def in_context_masked(
    X: Float[np.ndarray, "n d"], x: Float[np.ndarray, "q d"], i: Int[np.ndarray, " q"], heads: Heads
) -> Float[np.ndarray, "q d"]:
    """A(X, x, i): each query x sees the tokens 0 … i only. Raises ValueError for an i that is no number of a token."""
    X, x = checked_tokens("X", X, heads.d), checked_tokens("x", x, heads.d)
    i = np.asarray(i)
    if i.shape != (len(x),) or i.dtype.kind not in "iu":
        checks.fail("i", f"an array [{len(x)}] of ints, one for each query", f"{i.dtype} of shape {list(i.shape)}")
    checks.within("i", i, 0, len(X) - 1)
    return _look(X, np.zeros(len(X)), x, heads, np.arange(len(X)), i)


def gamma(measure: Measure, x: Float[np.ndarray, "q d"], heads: Heads) -> Float[np.ndarray, "q d"]:
    """Γ(μ, x): where attention to the measure moves each query x. Raises ValueError for shapes that do not fit."""
    return _look(
        checked_tokens("the atoms", measure.atoms, heads.d),
        _logarithms(measure.weights),
        checked_tokens("x", x, heads.d),
        heads,
    )


def gamma_masked(
    measure: SpaceTime, x: Float[np.ndarray, "q d"], t: Float[np.ndarray, " q"], heads: Heads
) -> Float[np.ndarray, "q d"]:
    """Γ(μ, x, t): each query x sees the atoms with times ≤ t. Raises ValueError where there is no mass up to a t:
    0/0."""
    x, t = checked_tokens("x", x, heads.d), np.asarray(t, dtype=np.float64)
    if t.shape != (len(x),):
        checks.fail("t", f"an array [{len(x)}], one for each query", f"shape {list(t.shape)}")
    checks.finite("t", t)
    first = measure.times[measure.weights > 0].min()
    if t.min() < first:
        checks.fail("t", f"{first:g} or later, where the measure begins", f"{t.min():g}")
    return _look(
        checked_tokens("the atoms", measure.atoms, heads.d), _logarithms(measure.weights), x, heads, measure.times, t
    )


def attention(heads: Heads) -> ContextMap:
    """The layer as an in-context map: of tokens [n, d], a `Measure` or a `SpaceTime`, and with `when` of their masked
    forms."""

    def layer(context: Context, x: np.ndarray, when: np.ndarray | None = None) -> np.ndarray:
        _check_when(context, when)
        if isinstance(context, SpaceTime):
            return gamma_masked(context, x, when, heads)
        if isinstance(context, Measure):
            return gamma(context, x, heads)
        return in_context(context, x, heads) if when is None else in_context_masked(context, x, when, heads)

    return layer


def tokenwise(f: Callable[[np.ndarray], np.ndarray]) -> ContextMap:
    """F(X, x) = f(x): an in-context map that ignores the context, as a feed-forward layer does. f takes [q, d] to [q,
    d']."""

    def layer(context: Context, x: np.ndarray, when: np.ndarray | None = None) -> np.ndarray:
        _check_when(context, when)
        return f(x)

    return layer


def moved(layer: ContextMap, context: Context, *, masked: bool = False) -> Context:
    """The context after a layer: the tokens' new places, or the push-forward. `masked` matters for tokens [n, d]
    only."""
    if isinstance(context, SpaceTime):
        return context.push(lambda atoms, times: layer(context, atoms, times))
    if isinstance(context, Measure):
        return context.push(lambda atoms: layer(context, atoms))
    return layer(context, context, np.arange(len(context))) if masked else layer(context, context)


def compose(second: ContextMap, first: ContextMap) -> ContextMap:
    """second ⋄ first: the second layer sees the context that the first has moved, and moves what the first has
    moved."""

    def layer(context: Context, x: np.ndarray, when: np.ndarray | None = None) -> np.ndarray:
        return second(moved(first, context, masked=when is not None), first(context, x, when), when)

    return layer


def stack(*layers: ContextMap) -> ContextMap:
    """Layers in the order in which they act: stack(A₁, F₁, A₂) is A₂ ⋄ F₁ ⋄ A₁, each context computed once."""
    if not layers:
        checks.fail("layers", "one map or more", "none")

    def network(context: Context, x: np.ndarray, when: np.ndarray | None = None) -> np.ndarray:
        for layer in layers[:-1]:
            context, x = moved(layer, context, masked=when is not None), layer(context, x, when)
        return layers[-1](context, x, when)

    return network


def _check_when(context: Context, when: np.ndarray | None) -> None:
    if isinstance(context, SpaceTime) and when is None:
        checks.fail("when", "the queries' times, for a measure in space and time", "None")
    if isinstance(context, Measure) and when is not None:
        checks.fail("when", "None for a measure without times", "times")


def _look(
    tokens: np.ndarray,
    log_weights: np.ndarray,
    x: np.ndarray,
    heads: Heads,
    times: np.ndarray | None = None,
    until: np.ndarray | None = None,
) -> np.ndarray:
    output = x.copy()
    for C, M in zip(heads.scoring, heads.writing, strict=True):
        keys, values = (tokens @ C.T).T, tokens @ M
        for rows in blocks(len(x), len(tokens), BLOCK):
            logits = x[rows] @ keys + log_weights  # [q, n]
            if times is not None:
                logits = np.where(times <= until[rows, None], logits, -np.inf)
            logits -= logits.max(1, keepdims=True)
            weights = np.exp(logits, out=logits)
            output[rows] += (weights @ values) / weights.sum(1, keepdims=True)
    return output


def _logarithms(weights: np.ndarray) -> np.ndarray:
    return np.log(weights, out=np.full(len(weights), -np.inf), where=weights > 0)
