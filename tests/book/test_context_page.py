"""Chapter 5, pages 01, 02, 05 and 03: what they claim, held to closed forms, loops, autograd and the theorems' own
bounds.

What course_lib.incontext promises by itself (masks, splitting, composition, densities) is held in
tests/library/test_incontext.py.
"""

import itertools
import math
from functools import cache, partial

import numpy as np
import pytest
import torch

from course_lib.incontext import (
    Heads,
    Measure,
    SpaceTime,
    attention,
    compose,
    fluctuation,
    gamma,
    gamma_masked,
    in_context,
    moved,
    on_box,
    random_heads,
    stack,
    tokenwise,
)
from tests.shared import record as recording
from tests.shared.seeded import F64, rng

largest = partial(recording.largest, bound=1e-11)
TOKENS = np.array([[-1.6, 0.9], [-0.9, -1.3], [0.4, 1.5], [1.3, -0.5], [1.9, 1.0]])
EYE, TURN = np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]])
PULL, SWIRL = Heads([EYE], [EYE], [-0.6 * EYE], [EYE], 1.0), Heads([EYE], [EYE], [0.8 * TURN], [EYE], 1.0)
ONES = Heads(*np.ones((4, 1, 1, 1)))
ONE = Heads([EYE], [EYE], [EYE], [EYE], 1.0)
COUNTS, SEEDS = 4 ** np.arange(2, 8), 200


# --- page 01
# -----------------------------------------------------------------------------------------------------------


def test_heads_that_share_an_index_are_one():  # G-E3: as (1.2.1) is printed, one head with Σ W_O
    heads, X = random_heads(6, 3, 2, generator=rng(1)), rng().standard_normal((9, 6))
    first = [W[:1] for W in (heads.W_Q, heads.W_K, heads.W_V)]
    shared = in_context(X, X, Heads(*(np.repeat(W, 2, 0) for W in first), heads.W_O))
    assert largest(shared - in_context(X, X, Heads(*first, heads.W_O.sum(0, keepdims=True)))) == 0
    assert largest(shared - in_context(X, X, heads)) > 1


def test_diamond():  # G2.2
    network = TOKENS  # through two layers, as chapter 3 stacks them
    for M in (-0.6 * EYE, 0.8 * TURN):
        S = np.exp(network @ network.T)
        network = network + S / S.sum(1, keepdims=True) @ network @ M
    assert largest(compose(attention(SWIRL), attention(PULL))(TOKENS, TOKENS) - network) == 0
    stale = in_context(TOKENS, in_context(TOKENS, TOKENS, PULL), SWIRL)
    circ = largest(np.linalg.norm(stale - network, axis=1))
    assert circ == pytest.approx(0.95, abs=0.01)


# --- page 02
# -----------------------------------------------------------------------------------------------------------


def test_each_row_is_moved_with_its_own_prefix():  # G-E46: the third token after two layers, by the formula
    def layer(heads, tokens, x):
        scores = np.exp(x @ heads.scoring[0] @ tokens.T)
        return x + scores / scores.sum() @ tokens @ heads.writing[0]

    own = np.array([layer(PULL, TOKENS[: j + 1], x) for j, x in enumerate(TOKENS)])  # or all with the query's prefix
    querys = np.array([layer(PULL, TOKENS[:3], x) for x in TOKENS])
    apart = np.linalg.norm(layer(SWIRL, own[:3], own[2]) - layer(SWIRL, querys[:3], querys[2]))
    first, second, place = attention(PULL), attention(SWIRL), np.array([2])
    query = first(TOKENS, TOKENS[[2]], place)
    one, other = moved(first, TOKENS, masked=True), first(TOKENS, TOKENS, np.full(5, 2))
    readings = np.linalg.norm(second(one, query, place) - second(other, query, place))
    assert readings == pytest.approx(apart) and readings > 0.01


def cloud(name: str):
    """The page's two clouds of variance 1 in each coordinate: the measure, and n samples of it."""
    side = math.sqrt(3)
    if name == "square":
        return on_box(None, [-side] * 2, [side] * 2), lambda n, g: g.uniform(-side, side, (n, 2))
    bell = on_box(lambda y: np.exp(-(y**2).sum(1) / 2), [-6.0] * 2, [6.0] * 2, nodes=100)
    return bell, lambda n, g: np.clip(g.standard_normal((n, 2)), -6, 6)


@cache
def errors(name: str, s: float) -> tuple[np.ndarray, float]:
    """Errors [counts, seeds] at the query (s, 0), and the predicted √tr Ψ."""
    measure, draw = cloud(name)
    x = np.array([[s, 0.0]])
    exact = gamma(measure, x, ONE)
    found = [
        [np.linalg.norm(in_context(draw(n, rng([seed, n])), x, ONE) - exact) for seed in range(SEEDS)] for n in COUNTS
    ]
    return np.array(found), math.sqrt(np.trace(fluctuation(measure, x, ONE)[0]))


def test_rate_and_its_constant():  # G2.3, G-E6
    g, heads, x = rng(3), random_heads(2, 2, 2, generator=rng()), np.array([[1.0, -0.5]])
    measure, draw = cloud("square")
    sampled = np.concatenate([in_context(draw(500, g), x, heads) for _ in range(2000)])
    constant = 500 * np.trace(np.cov(sampled.T)) / np.trace(fluctuation(measure, x, heads)[0])
    assert constant == pytest.approx(1, abs=0.05)
    (square, predicted), (normal, wider) = errors("square", 4.0), errors("normal", 4.0)
    assert math.sqrt((square[-1] ** 2).mean() * COUNTS[-1]) == pytest.approx(predicted, rel=0.1)
    assert wider > 300 * predicted

    def power(found):
        return np.polyfit(np.log(COUNTS), np.log((found**2).mean(1)) / 2, 1)[0]

    assert power(square) == pytest.approx(-0.5, abs=0.02)
    assert power(normal) > -0.2  # far from −1/2 with the same spread of scores


def test_change_of_variables():  # GA.1, G-E14
    def square_length(y):
        return (y**2).sum(1)

    mu = Measure(TOKENS)
    doubled = mu.integral(lambda y: square_length(2 * y))
    assert recording.rounding(mu.push(lambda y: 2 * y).integral(square_length) - doubled) == 0
    printed = doubled - mu.integral(square_length)
    assert printed == pytest.approx(3 * (TOKENS**2).sum() / 5)


def test_weak_convergence_is_up_to_order():  # GA.1, G-E15
    g = rng(1000)
    near = (TOKENS + g.standard_normal((5, 2)) / 1000)[g.permutation(5)]
    partners = min(abs(near[list(order)] - TOKENS).max() for order in itertools.permutations(range(5)))
    assert partners < 0.004
    assert abs(near - TOKENS).max() > 1  # and an integral does not see the order: tests/library/test_incontext.py


def test_attention_is_continuous_on_compact_sets():  # theorem: stacks along a weakly converging sequence
    g = rng(5)
    network = stack(
        attention(random_heads(2, 2, 2, generator=g)),
        tokenwise(lambda x: x + np.maximum(x, 0)),
        attention(random_heads(2, 2, 2, generator=g)),
    )
    limit, far = on_box(None, [-1.0, -1.0], [1.0, 1.0], nodes=30), []
    for k in (4, 8, 16, 32):
        axis = (np.arange(k) + 0.5) / k * 2 - 1
        tokens = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
        far.append(abs(network(Measure(tokens), [[0.5, 0.25 + 1 / k**2]]) - network(limit, [[0.5, 0.25]])).max())
    assert far[-1] < 0.005 and all(later < earlier / 3 for earlier, later in itertools.pairwise(far))


def test_compactness_is_needed():
    for k in (2, 10, 100, 1000):  # by hand: x + k e^k/k / (1 − 1/k + e^k/k), in a form that does not overflow
        found = gamma(Measure([[0.0], [float(k)]], [1 - 1 / k, 1 / k]), [[1.0]], ONES).item()
        assert found == pytest.approx(1 + k / (1 + (k - 1) * math.exp(-k)))


def test_the_mask_cuts_time_with_a_knife():
    # Γ(μ, 1, ½) for half the weight at (−1, time 0) and half at 1, just in time or late
    seen, late = (gamma_masked(SpaceTime([[-1.0], [1.0]], [0.0, time]), [[1.0]], [0.5], ONES) for time in (0.5, 0.5001))
    assert seen - late == pytest.approx(1 + math.tanh(1))


# --- page 05
# -----------------------------------------------------------------------------------------------------------

ORDERS = np.array(list(itertools.permutations(range(6))))


def matched(X: np.ndarray, Y: np.ndarray) -> float:
    """W₁ of two lists of six points: the cheapest of all 720 matchings."""
    return np.linalg.norm(X[:, None] - Y, axis=2)[range(6), ORDERS].mean(1).min()


def within(g: np.random.Generator, n: int, d: int) -> np.ndarray:
    z = g.standard_normal((n, d))
    return z / np.linalg.norm(z, axis=1, keepdims=True) * g.uniform(size=(n, 1)) ** (1 / d)


def constants(heads: Heads) -> tuple[float, float]:
    """Of thm-gamma-lipschitz on the unit ball: in the measure and in the query."""
    t = [2 * np.linalg.norm(C, 2) for C in heads.scoring]
    M = [np.linalg.norm(M, 2) for M in heads.writing]
    return sum(m * (1 + s) * math.exp(s) for m, s in zip(M, t, strict=True)), 1 + sum(
        m * s / 2 for m, s in zip(M, t, strict=True)
    )


def test_attention_is_lipschitz_on_a_ball():
    g, nearest = rng(11), [0.0, 0.0, 0.0]
    for _ in range(300):
        heads = random_heads(3, 2, 2, generator=g)
        X, x = within(g, 6, 3), within(g, 2, 3)
        Y = within(g, 6, 3) if g.uniform() < 0.5 else 0.9 * X + 0.1 * within(g, 6, 3)
        measure, query = constants(heads)
        W = matched(X, Y)
        a, b = in_context(X, x, heads), in_context(Y, x, heads)
        pushed = matched(in_context(X, X, heads), in_context(Y, Y, heads))
        parts = (
            np.linalg.norm(a - b, axis=1).max() / W / measure,
            np.linalg.norm(a[0] - a[1]) / np.linalg.norm(x[0] - x[1]) / query,
            pushed / W / (measure + query),
        )  # fmt: skip
        nearest = np.maximum(nearest, parts)
    assert max(nearest) <= 1 and nearest[1] > 0.5  # the bound in the query is nearly reached


@pytest.mark.parametrize("t", [1.0, 4.0, 8.0])
def test_no_constant_below_the_exponential_would_do(t):
    one, eps = Heads([t / 2 * EYE], [EYE], [EYE], [EYE], 1.0), 1e-9
    change = gamma(Measure([[-1.0, 0], [1.0, 0]], [1 - eps, eps]), [[1.0, 0]], one) - gamma(
        Measure([[-1.0, 0]]), [[1.0, 0]], one
    )
    assert np.linalg.norm(change) / (2 * eps) == pytest.approx(math.exp(t), rel=1e-4)


@pytest.mark.parametrize("n", [4, 32])
def test_one_token_that_everybody_hears(n):
    """The largest stretch of the whole list, by autograd through the softmax, is not below the page's √(n − 1) w."""
    t = 8.0
    tokens = torch.tensor([[1.0, 0.0]] + [[-1.0, 0.0]] * (n - 1), dtype=torch.float64)
    jacobian = torch.autograd.functional.jacobian(lambda X: X + torch.softmax(-t / 2 * X @ X.T, 1) @ X, tokens)  # M = I
    across = jacobian[1:, 1, 0, 1]  # what the listeners do when the token steps across
    w = 1 / (1 + (n - 1) * math.exp(-t))
    np.testing.assert_allclose(across, w, rtol=1e-12)
    assert torch.linalg.matrix_norm(jacobian.reshape(2 * n, 2 * n), 2) >= math.sqrt(n - 1) * w


def test_a_stack_of_masked_layers_is_continuous_without_lumps_and_not_with_one():
    three = stack(*[attention(ONES)] * 3)

    def answer(times, places):
        return three(SpaceTime(places[:, None], times), np.array([[2.0]]), np.array([0.5])).item()

    even = [(np.arange(n) + 0.5) / n for n in (50, 200, 800)]
    found = [answer(times, np.cos(math.pi * times)) for times in even]
    assert abs(found[2] - found[1]) < 0.3 * abs(found[1] - found[0]) < 0.01
    lump = np.array([0.0, 0.2, 0.2])  # at an earlier time than the query's, and one of the two a little later
    places = np.array([-1.0, 0.5, 1.0])
    assert abs(answer(lump, places) - answer(lump + np.array([0, 0, 1e-9]), places)) > 0.01


# --- page 03
# -----------------------------------------------------------------------------------------------------------


def test_two_gated_neurons_multiply():
    m, q = torch.randn(2, 1000, generator=torch.Generator().manual_seed(0), **F64)
    silu = torch.nn.functional.silu
    assert (silu(m) * q + silu(-m) * -q - m * q).abs().max() < 1e-14
