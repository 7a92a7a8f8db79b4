"""Chapter 5's pages on in-context maps and on measures: their numbers, computed as the pages compute them."""

import itertools
import math
from functools import cache

import numpy as np
import torch

from course_lib.attention import MultiHeadAttention, causal_mask
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
    in_context_masked,
    moved,
    on_box,
    random_heads,
    stack,
    tokenwise,
)

from . import claim, rounding

TOKENS = np.array([[-1.6, 0.9], [-0.9, -1.3], [0.4, 1.5], [1.3, -0.5], [1.9, 1.0]])
EYE, TURN = np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]])
PULL, SWIRL = Heads([EYE], [EYE], [-0.6 * EYE], [EYE], 1.0), Heads([EYE], [EYE], [0.8 * TURN], [EYE], 1.0)
ONES = Heads(*np.ones((4, 1, 1, 1)))
ONE = Heads([EYE], [EYE], [EYE], [EYE], 1.0)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def largest(difference: np.ndarray) -> float:
    return rounding(abs(np.asarray(difference)).max(), 1e-11)


# --- page 01: maps -----------------------------------------------------------------------------------------------------


def chapter_three() -> tuple[MultiHeadAttention, Heads, np.ndarray]:
    layer = MultiHeadAttention(6, 3, 2, dtype=torch.float64)
    heads = Heads(*(W.detach().numpy() for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O)))
    return layer, heads, rng().standard_normal((9, 6))


@claim("G2.1.rows")
def row_by_row_against_the_layer() -> float:
    layer, heads, X = chapter_three()
    rows = np.concatenate([in_context(X, X[[j]], heads) for j in range(9)])
    return largest(rows - X - layer(torch.tensor(X)).output.detach().numpy())


@claim("G2.1.masked")
def masked_against_the_layer() -> float:
    layer, heads, X = chapter_three()
    whole = X + layer(torch.tensor(X), mask=causal_mask(9)).output.detach().numpy()
    return largest(in_context_masked(X, X, np.arange(9), heads) - whole)


@claim("G2.1.bag")
def change_after_permuting_and_doubling() -> float:
    X = np.repeat(TOKENS[[3, 1, 4, 0, 2]], 2, 0)
    queries = 3 * rng().standard_normal((50, 2))
    return largest(in_context(X, queries, PULL) - in_context(TOKENS, queries, PULL))


def covariances(places: np.ndarray) -> np.ndarray:
    """Covariance [q, d, d] of the five tokens under the weights of each place."""
    w = np.exp(places @ TOKENS.T)
    w /= w.sum(1, keepdims=True)
    a = w @ TOKENS
    return np.einsum("qj,ja,jb->qab", w, TOKENS, TOKENS) - np.einsum("qa,qb->qab", a, a)


@claim("G2.1.derivative")
def derivative_against_autograd() -> float:
    x, tokens = torch.tensor([0.3, 0.2], dtype=torch.float64), torch.tensor(TOKENS)

    def layer(x: torch.Tensor) -> torch.Tensor:
        return x - 0.6 * torch.softmax(x @ tokens.T, 0) @ tokens

    return largest(torch.autograd.functional.jacobian(layer, x).numpy().T - (EYE - 0.6 * covariances(np.array([[0.3, 0.2]]))[0]))


@claim("G2.1.fold")
def largest_eigenvalue_of_the_pull() -> float:
    places = np.stack(np.meshgrid(np.linspace(-3, 3, 121), np.linspace(-3, 3, 121)), -1).reshape(-1, 2)
    return float(0.6 * np.linalg.eigvalsh(covariances(places)).max())


def shared_heads() -> tuple[Heads, Heads, Heads, np.ndarray]:
    """Two heads with the first's queries, keys and values (as (1.2.1) is printed), one head with Σ W_O, and the two real ones."""
    _, heads, X = chapter_three()
    shared = Heads(*(np.repeat(W[:1], 2, 0) for W in (heads.W_Q, heads.W_K, heads.W_V)), heads.W_O)
    return shared, Heads(heads.W_Q[:1], heads.W_K[:1], heads.W_V[:1], heads.W_O.sum(0, keepdims=True)), heads, X


@claim("G-E3.one")
def printed_heads_against_one_head() -> float:
    shared, single, _, X = shared_heads()
    return largest(in_context(X, X, shared) - in_context(X, X, single))


@claim("G-E3.two")
def printed_heads_against_two_heads() -> float:
    shared, _, heads, X = shared_heads()
    return largest(in_context(X, X, shared) - in_context(X, X, heads))


@claim("G2.2.associative")
def difference_between_two_ways_to_put_brackets() -> float:
    g = rng(1)
    A, B, C = (attention(random_heads(6, 3, 2, generator=g)) for _ in range(3))
    F = tokenwise(lambda x: x + np.maximum(x, 0))
    X, x, found = g.standard_normal((9, 6)), g.standard_normal((4, 6)), 0.0
    for when in (None, np.array([0, 3, 8, 8])):
        left, right = compose(C, compose(F, compose(B, A))), compose(compose(compose(C, F), B), A)
        found = max(found, largest(left(X, x, when) - right(X, x, when)))
    return found


def network() -> np.ndarray:
    """The five tokens through two layers, as chapter 3 stacks them."""
    states = TOKENS
    for M in (-0.6 * EYE, 0.8 * TURN):
        S = np.exp(states @ states.T)
        states = states + S / S.sum(1, keepdims=True) @ states @ M
    return states


@claim("G2.2.layers")
def diamond_against_the_network() -> float:
    return largest(compose(attention(SWIRL), attention(PULL))(TOKENS, TOKENS) - network())


@claim("G2.2.circ")
def plain_composition_against_the_network() -> float:
    return largest(in_context(TOKENS, in_context(TOKENS, TOKENS, PULL), SWIRL) - network())


@claim("G2.2.order")
def how_far_the_last_token_moves_when_the_others_change_places() -> float:
    two, last = stack(attention(PULL), attention(SWIRL)), np.array([4])
    return float(np.linalg.norm(two(TOKENS, TOKENS[[4]], last) - two(TOKENS[[2, 0, 3, 1, 4]], TOKENS[[4]], last)))


# --- page 02: measures -------------------------------------------------------------------------------------------------


@claim("G-E46.readings")
def distance_between_the_two_readings() -> float:
    """Of the third token after two masked layers: every row of X₁ with its own prefix, or all with the query's."""
    first, second, place = attention(PULL), attention(SWIRL), np.array([2])
    query = first(TOKENS, TOKENS[[2]], place)
    contexts = moved(first, TOKENS, masked=True), first(TOKENS, TOKENS, np.full(5, 2))
    return float(np.linalg.norm(second(contexts[0], query, place) - second(contexts[1], query, place)))


@claim("G2.3.exact")
def measure_against_tokens() -> float:
    heads, x = random_heads(2, 2, 2, generator=rng()), rng(1).standard_normal((6, 2))
    heavy = Measure(TOKENS, [2 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6])
    found = gamma(Measure(TOKENS).split(2, [0.5, 0.3, 0.2]), x, heads) - in_context(TOKENS, x, heads)
    return max(largest(found), largest(gamma(heavy, x, heads) - in_context(TOKENS[[0, 0, 1, 2, 3, 4]], x, heads)))


@claim("G2.3.interval")
def quadrature_against_the_hyperbolic_cotangent() -> float:
    x = np.array([[-3.0], [0.5], [2.0]])
    return largest(gamma(on_box(None, [-1.0], [1.0], nodes=20), x, ONES) - (x + 1 / np.tanh(x) - 1 / x))


@claim("G2.3.diamond")
def composition_of_measures_against_moving_twice() -> float:
    g = rng(2)
    A, B = (attention(random_heads(2, 2, 2, generator=g)) for _ in range(2))
    cloud = Measure(TOKENS, g.dirichlet(np.ones(5)))
    return largest(moved(compose(B, A), cloud).atoms - moved(B, moved(A, cloud)).atoms)


@claim("G2.3.constant", rtol=0.01)
def sampled_over_predicted_variance() -> float:
    """n times the trace of the covariance over 2,000 samples of 500 tokens, two heads, over tr V."""
    g, side = rng(3), math.sqrt(3)
    heads, x = random_heads(2, 2, 2, generator=rng()), np.array([[1.0, -0.5]])
    V = fluctuation(on_box(None, [-side] * 2, [side] * 2), x, heads)[0]
    sampled = np.concatenate([in_context(g.uniform(-side, side, (500, 2)), x, heads) for _ in range(2000)])
    return float(500 * np.trace(np.cov(sampled.T)) / np.trace(V))


COUNTS, SEEDS = 4 ** np.arange(2, 8), 200


def cloud(name: str):
    """The page's two clouds of variance 1 in each coordinate: the measure, and n samples of it."""
    side = math.sqrt(3)
    if name == "square":
        return on_box(None, [-side] * 2, [side] * 2), lambda n, g: g.uniform(-side, side, (n, 2))
    bell = on_box(lambda y: np.exp(-(y**2).sum(1) / 2), [-6.0] * 2, [6.0] * 2, nodes=100)
    return bell, lambda n, g: np.clip(g.standard_normal((n, 2)), -6, 6)


@cache
def errors(name: str, s: float) -> tuple[np.ndarray, float]:
    """Errors [counts, seeds] at the query (s, 0), and the predicted √tr V."""
    measure, draw = cloud(name)
    x = np.array([[s, 0.0]])
    exact = gamma(measure, x, ONE)
    found = [[np.linalg.norm(in_context(draw(n, rng([seed, n])), x, ONE) - exact) for seed in range(SEEDS)] for n in COUNTS]
    return np.array(found), math.sqrt(np.trace(fluctuation(measure, x, ONE)[0]))


def power(found: np.ndarray) -> float:
    return float(np.polyfit(np.log(COUNTS), np.log((found**2).mean(1)) / 2, 1)[0])


@claim("G-E6.square", rtol=0.01)
def power_on_the_square() -> float:
    return power(errors("square", 4.0)[0])


@claim("G-E6.normal", rtol=0.01)
def power_on_the_normal_cloud() -> float:
    return power(errors("normal", 4.0)[0])


@claim("G-E6.constants", rtol=0.01)
def ratio_of_the_two_constants() -> float:
    return errors("normal", 4.0)[1] / errors("square", 4.0)[1]


@claim("G2.3.rate", rtol=0.01)
def measured_over_predicted_on_the_square() -> float:
    found, constant = errors("square", 4.0)
    return math.sqrt((found[-1] ** 2).mean() * COUNTS[-1]) / constant


@claim("G2.3.masked")
def space_time_against_the_mask() -> float:
    heads, times = random_heads(2, 2, 2, generator=rng()), (np.arange(5) / 5) ** 3
    masked = in_context_masked(TOKENS, TOKENS, np.arange(5), heads)
    return largest(gamma_masked(SpaceTime(TOKENS, times), TOKENS, times, heads) - masked)


def seen_at_one_half(late: float) -> float:
    """Γ(μ, 1, ½) for half the weight at (−1, time 0) and half at (1, time `late`)."""
    return gamma_masked(SpaceTime([[-1.0], [1.0]], [0.0, late]), [[1.0]], [0.5], ONES).item()


@claim("G2.3.jump")
def jump_when_a_token_arrives() -> float:
    return seen_at_one_half(0.5) - seen_at_one_half(0.5001)


@claim("G-E47.jump")
def jump_of_the_masked_average() -> float:
    """Of a weakly converging sequence of measures, at the time at which the second of two tokens arrives."""
    return jump_when_a_token_arrives()


@claim("G2.3.escape")
def attention_to_an_atom_that_escapes() -> float:
    """Γ(μ, 1) for μ = (1 − 1/k) δ₀ + (1/k) δ_k at k = 100; at the weak limit δ₀ it is 1."""
    return gamma(Measure([[0.0], [100.0]], [0.99, 0.01]), [[1.0]], ONES).item()


@claim("G-E4.width")
def width_of_the_output() -> int:
    heads = random_heads(6, 4, 2, c=3, generator=rng())
    return int(gamma(Measure(np.eye(6)), np.ones((1, 6)), heads).shape[1])


def square_length(y: np.ndarray) -> np.ndarray:
    return (y**2).sum(1)


@claim("GA.1.push")
def change_of_variables() -> float:
    mu = Measure(TOKENS, rng(4).dirichlet(np.ones(5)))
    return largest(mu.push(np.sin).integral(square_length) - mu.integral(lambda y: square_length(np.sin(y))))


@claim("G-E14.right")
def integral_with_the_pushed_measure() -> float:
    mu = Measure(TOKENS)
    return rounding(mu.push(lambda y: 2 * y).integral(square_length) - mu.integral(lambda y: square_length(2 * y)))


@claim("G-E14.printed")
def integral_with_the_measure_as_printed() -> float:
    mu = Measure(TOKENS)
    return float(mu.integral(lambda y: square_length(2 * y)) - mu.integral(square_length))


def best_order(near: np.ndarray) -> float:
    """The smallest value over permutations of the largest difference between partners' coordinates."""
    return float(min(abs(near[list(order)] - TOKENS).max() for order in itertools.permutations(range(len(TOKENS)))))


def approaching(k: int) -> np.ndarray:
    g = rng(k)
    return (TOKENS + g.standard_normal((5, 2)) / k)[g.permutation(5)]


@claim("GA.1.points")
def distance_in_the_best_order() -> float:
    """Five points that approach five others in a random order, k = 1000."""
    return best_order(approaching(1000))
