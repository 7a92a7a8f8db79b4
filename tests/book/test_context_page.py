"""Chapter 5, pages 01 and 02: what they claim, held to closed forms, loops, autograd and the theorems' own bounds."""

import itertools
import math
from functools import cache

import numpy as np
import pytest
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
from tests.shared.record import rounding

TOKENS = np.array([[-1.6, 0.9], [-0.9, -1.3], [0.4, 1.5], [1.3, -0.5], [1.9, 1.0]])
EYE, TURN = np.eye(2), np.array([[0.0, 1.0], [-1.0, 0.0]])
PULL, SWIRL = Heads([EYE], [EYE], [-0.6 * EYE], [EYE], 1.0), Heads([EYE], [EYE], [0.8 * TURN], [EYE], 1.0)
ONES = Heads(*np.ones((4, 1, 1, 1)))
ONE = Heads([EYE], [EYE], [EYE], [EYE], 1.0)
COUNTS, SEEDS = 4 ** np.arange(2, 8), 200


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# --- page 01 -----------------------------------------------------------------------------------------------------------


def largest(difference: np.ndarray) -> float:
    return rounding(abs(np.asarray(difference)).max(), 1e-11)


def chapter_three() -> tuple[MultiHeadAttention, Heads, np.ndarray]:
    layer = MultiHeadAttention(6, 3, 2, dtype=torch.float64)
    heads = Heads(*(W.detach().numpy() for W in (layer.W_Q, layer.W_K, layer.W_V, layer.W_O)))
    return layer, heads, rng().standard_normal((9, 6))


def row_by_row_against_the_layer() -> float:
    layer, heads, X = chapter_three()
    rows = np.concatenate([in_context(X, X[[j]], heads) for j in range(9)])
    return largest(rows - X - layer(torch.tensor(X)).output.detach().numpy())


def masked_against_the_layer() -> float:
    layer, heads, X = chapter_three()
    whole = X + layer(torch.tensor(X), mask=causal_mask(9)).output.detach().numpy()
    return largest(in_context_masked(X, X, np.arange(9), heads) - whole)


def change_after_permuting_and_doubling() -> float:
    X = np.repeat(TOKENS[[3, 1, 4, 0, 2]], 2, 0)
    queries = 3 * rng().standard_normal((50, 2))
    return largest(in_context(X, queries, PULL) - in_context(TOKENS, queries, PULL))


def test_the_map_is_the_layer(record):  # G2.1
    rows = record("G2.1.rows", row_by_row_against_the_layer())
    assert rows == masked_against_the_layer() == change_after_permuting_and_doubling() == 0
    once = in_context(TOKENS[[0, 0, 1, 2, 3, 4]], np.zeros((1, 2)), PULL)  # one token twice does change the map
    assert abs(once - in_context(TOKENS, np.zeros((1, 2)), PULL)).max() > 0.05


def covariances(places: np.ndarray) -> np.ndarray:
    """Covariance [q, d, d] of the five tokens under the weights of each place."""
    w = np.exp(places @ TOKENS.T)
    w /= w.sum(1, keepdims=True)
    a = w @ TOKENS
    return np.einsum("qj,ja,jb->qab", w, TOKENS, TOKENS) - np.einsum("qa,qb->qab", a, a)


def derivative_against_autograd() -> float:
    x, tokens = torch.tensor([0.3, 0.2], dtype=torch.float64), torch.tensor(TOKENS)

    def layer(x: torch.Tensor) -> torch.Tensor:
        return x - 0.6 * torch.softmax(x @ tokens.T, 0) @ tokens

    return largest(torch.autograd.functional.jacobian(layer, x).numpy().T - (EYE - 0.6 * covariances(np.array([[0.3, 0.2]]))[0]))


def largest_eigenvalue_of_the_pull() -> float:
    places = np.stack(np.meshgrid(np.linspace(-3, 3, 121), np.linspace(-3, 3, 121)), -1).reshape(-1, 2)
    return float(0.6 * np.linalg.eigvalsh(covariances(places)).max())


def test_what_one_layer_can_do():  # G2.1: derivative, fold, bound on the way
    assert derivative_against_autograd() == 0
    assert largest_eigenvalue_of_the_pull() == pytest.approx(1.10, abs=0.01)
    far = 10.0 ** rng().uniform(0, 4, (200, 1)) * rng(1).standard_normal((200, 2))
    way = np.linalg.norm(in_context(TOKENS, far, PULL) - far, axis=1)
    longest = np.linalg.norm(TOKENS, axis=1).max()
    assert way.max() <= 0.6 * longest + 1e-9
    assert way.max() > 0.55 * longest  # and the bound is nearly attained
    c = np.array([0.25, -0.1])  # at the crease a small step in the direction of the tokens' spread is turned round
    u = 1e-4 * np.linalg.eigh(covariances(c[None])[0])[1][:, -1]
    there, back = in_context(TOKENS, np.stack([c + u, c - u]), PULL)
    assert (there - back) @ u < 0


def shared_heads() -> tuple[Heads, Heads, Heads, np.ndarray]:
    """Two heads with the first's queries, keys and values (as (1.2.1) is printed), one head with Σ W_O, and the two real ones."""
    _, heads, X = chapter_three()
    shared = Heads(*(np.repeat(W[:1], 2, 0) for W in (heads.W_Q, heads.W_K, heads.W_V)), heads.W_O)
    return shared, Heads(heads.W_Q[:1], heads.W_K[:1], heads.W_V[:1], heads.W_O.sum(0, keepdims=True)), heads, X


def printed_heads_against_one_head() -> float:
    shared, single, _, X = shared_heads()
    return largest(in_context(X, X, shared) - in_context(X, X, single))


def printed_heads_against_two_heads() -> float:
    shared, _, heads, X = shared_heads()
    return largest(in_context(X, X, shared) - in_context(X, X, heads))


def test_heads_that_share_an_index_are_one(record):  # G-E3
    assert record("G-E3.one", printed_heads_against_one_head()) == 0
    assert record("G-E3.two", printed_heads_against_two_heads()) > 1


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


def test_diamond(record):  # G2.2
    assert difference_between_two_ways_to_put_brackets() == 0
    layers = record("G2.2.layers", largest(compose(attention(SWIRL), attention(PULL))(TOKENS, TOKENS) - network()))
    assert layers == 0
    circ = record("G2.2.circ", largest(in_context(TOKENS, in_context(TOKENS, TOKENS, PULL), SWIRL) - network()))
    assert circ == pytest.approx(0.84, abs=0.01)


def how_far_the_last_token_moves_when_the_others_change_places() -> float:
    two, last = stack(attention(PULL), attention(SWIRL)), np.array([4])
    return float(np.linalg.norm(two(TOKENS, TOKENS[[4]], last) - two(TOKENS[[2, 0, 3, 1, 4]], TOKENS[[4]], last)))


def test_order_enters_with_the_second_masked_layer():  # G2.2, L3.4's mechanism
    assert how_far_the_last_token_moves_when_the_others_change_places() == pytest.approx(0.056, abs=0.001)
    one, last, order = attention(PULL), np.array([4]), [2, 0, 3, 1, 4]
    same = one(TOKENS, TOKENS[[4]], last) - one(TOKENS[order], TOKENS[[4]], last)
    assert abs(same).max() < 1e-14


# --- page 02 -----------------------------------------------------------------------------------------------------------


def distance_between_the_two_readings() -> float:
    """Of the third token after two masked layers: every row of X₁ with its own prefix, or all with the query's."""
    first, second, place = attention(PULL), attention(SWIRL), np.array([2])
    query = first(TOKENS, TOKENS[[2]], place)
    contexts = moved(first, TOKENS, masked=True), first(TOKENS, TOKENS, np.full(5, 2))
    return float(np.linalg.norm(second(contexts[0], query, place) - second(contexts[1], query, place)))


def test_each_row_is_moved_with_its_own_prefix(record):  # G-E46: two layers by the formula, token by token
    def layer(heads, tokens, x):
        scores = np.exp(x @ heads.scoring[0] @ tokens.T)
        return x + scores / scores.sum() @ tokens @ heads.writing[0]

    moved = np.array([layer(PULL, TOKENS[: j + 1], x) for j, x in enumerate(TOKENS)])
    third = layer(SWIRL, moved[:3], moved[2])
    other = np.array([layer(PULL, TOKENS[:3], x) for x in TOKENS])
    assert np.linalg.norm(third - layer(SWIRL, other[:3], other[2])) == pytest.approx(distance_between_the_two_readings())
    assert record("G-E46.readings", distance_between_the_two_readings()) > 0.01


def measure_against_tokens() -> float:
    heads, x = random_heads(2, 2, 2, generator=rng()), rng(1).standard_normal((6, 2))
    heavy = Measure(TOKENS, [2 / 6, 1 / 6, 1 / 6, 1 / 6, 1 / 6])
    found = gamma(Measure(TOKENS).split(2, [0.5, 0.3, 0.2]), x, heads) - in_context(TOKENS, x, heads)
    return max(largest(found), largest(gamma(heavy, x, heads) - in_context(TOKENS[[0, 0, 1, 2, 3, 4]], x, heads)))


def quadrature_against_the_hyperbolic_cotangent() -> float:
    x = np.array([[-3.0], [0.5], [2.0]])
    return largest(gamma(on_box(None, [-1.0], [1.0], nodes=20), x, ONES) - (x + 1 / np.tanh(x) - 1 / x))


def composition_of_measures_against_moving_twice() -> float:
    g = rng(2)
    A, B = (attention(random_heads(2, 2, 2, generator=g)) for _ in range(2))
    cloud = Measure(TOKENS, g.dirichlet(np.ones(5)))
    return largest(moved(compose(B, A), cloud).atoms - moved(B, moved(A, cloud)).atoms)


def cloud(name: str):
    """The page's two clouds of variance 1 in each coordinate: the measure, and n samples of it."""
    side = math.sqrt(3)
    if name == "square":
        return on_box(None, [-side] * 2, [side] * 2), lambda n, g: g.uniform(-side, side, (n, 2))
    bell = on_box(lambda y: np.exp(-(y**2).sum(1) / 2), [-6.0] * 2, [6.0] * 2, nodes=100)
    return bell, lambda n, g: np.clip(g.standard_normal((n, 2)), -6, 6)


def space_time_against_the_mask() -> float:
    heads, times = random_heads(2, 2, 2, generator=rng()), (np.arange(5) / 5) ** 3
    masked = in_context_masked(TOKENS, TOKENS, np.arange(5), heads)
    return largest(gamma_masked(SpaceTime(TOKENS, times), TOKENS, times, heads) - masked)


def test_measures_contain_tokens_and_densities():  # G2.3
    assert measure_against_tokens() == quadrature_against_the_hyperbolic_cotangent() == 0
    assert composition_of_measures_against_moving_twice() == space_time_against_the_mask() == 0


def test_even_tokens_come_nearer_than_random_ones():  # the page's first table
    x = np.array([[-3.0], [0.5], [2.0]])
    exact = x + 1 / np.tanh(x) - 1 / x
    even = [abs(in_context((2 * np.arange(n)[:, None] + 1) / n - 1, x, ONES) - exact).max() for n in (10, 100, 1000)]
    assert even[0] / even[1] == pytest.approx(100, rel=0.02) == even[1] / even[2]


def width_of_the_output() -> int:
    heads = random_heads(6, 4, 2, c=3, generator=rng())
    return int(gamma(Measure(np.eye(6)), np.ones((1, 6)), heads).shape[1])


def test_output_has_the_width_of_the_tokens(record):  # G-E4
    assert record("G-E4.width", width_of_the_output()) == 6


def sampled_over_predicted_variance() -> float:
    """n times the trace of the covariance over 2,000 samples of 500 tokens, two heads, over tr V."""
    g, side = rng(3), math.sqrt(3)
    heads, x = random_heads(2, 2, 2, generator=rng()), np.array([[1.0, -0.5]])
    V = fluctuation(on_box(None, [-side] * 2, [side] * 2), x, heads)[0]
    sampled = np.concatenate([in_context(g.uniform(-side, side, (500, 2)), x, heads) for _ in range(2000)])
    return float(500 * np.trace(np.cov(sampled.T)) / np.trace(V))


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


def measured_over_predicted_on_the_square() -> float:
    found, constant = errors("square", 4.0)
    return math.sqrt((found[-1] ** 2).mean() * COUNTS[-1]) / constant


def test_rate_and_its_constant(record):  # G2.3, G-E6
    assert record("G2.3.constant", sampled_over_predicted_variance(), rtol=0.01) == pytest.approx(1, abs=0.05)
    assert record("G-E6.square", power(errors("square", 4.0)[0]), rtol=0.01) == pytest.approx(-0.5, abs=0.02)
    assert measured_over_predicted_on_the_square() == pytest.approx(1, abs=0.1)
    normal = record("G-E6.normal", power(errors("normal", 4.0)[0]), rtol=0.01)
    assert normal > -0.2  # far from −1/2 with the same spread of scores
    assert errors("normal", 4.0)[1] / errors("square", 4.0)[1] > 300


def test_the_constant_of_the_square_is_chapter_sixs_integral():
    """tr V at the query (s, 0) factorises on the square: one-dimensional integrals by a plain sum."""
    y = (np.arange(200_000) + 0.5) / 200_000 * 2 * math.sqrt(3) - math.sqrt(3)
    r = np.exp(4 * y) / np.exp(4 * y).mean()
    along, across = (r**2 * (y - (r * y).mean()) ** 2).mean(), (r**2).mean() * (y**2).mean()
    assert errors("square", 4.0)[1] == pytest.approx(math.sqrt(along + across), rel=1e-6)


def test_the_bound_holds_for_every_n():
    square, x = cloud("square")[0], np.array([[1.0, 0.0]])
    R = np.ptp(square.atoms[:, 0])  # the scores at (1, 0) are the first coordinates
    exact, constant = gamma(square, x, ONE), errors("square", 1.0)[1]
    for n in (1, 2, 5):
        found = [np.linalg.norm(gamma(Measure(square.sample(n, rng(seed))), x, ONE) - exact) for seed in range(400)]
        assert math.sqrt(np.mean(np.square(found))) < math.exp(R) * constant / math.sqrt(n)


def square_length(y: np.ndarray) -> np.ndarray:
    return (y**2).sum(1)


def change_of_variables() -> float:
    mu = Measure(TOKENS, rng(4).dirichlet(np.ones(5)))
    return largest(mu.push(np.sin).integral(square_length) - mu.integral(lambda y: square_length(np.sin(y))))


def integral_with_the_pushed_measure() -> float:
    mu = Measure(TOKENS)
    return rounding(mu.push(lambda y: 2 * y).integral(square_length) - mu.integral(lambda y: square_length(2 * y)))


def integral_with_the_measure_as_printed() -> float:
    mu = Measure(TOKENS)
    return float(mu.integral(lambda y: square_length(2 * y)) - mu.integral(square_length))


def test_change_of_variables(record):  # GA.1, G-E14
    assert change_of_variables() == record("G-E14.right", integral_with_the_pushed_measure()) == 0
    printed = record("G-E14.printed", integral_with_the_measure_as_printed())
    assert printed == pytest.approx(3 * (TOKENS**2).sum() / 5)


def best_order(near: np.ndarray) -> float:
    """The smallest value over permutations of the largest difference between partners' coordinates."""
    return float(min(abs(near[list(order)] - TOKENS).max() for order in itertools.permutations(range(len(TOKENS)))))


def approaching(k: int) -> np.ndarray:
    g = rng(k)
    return (TOKENS + g.standard_normal((5, 2)) / k)[g.permutation(5)]


def test_weak_convergence_is_up_to_order(record):  # GA.1, G-E15
    assert record("GA.1.points", best_order(approaching(1000))) < 0.004
    assert abs(approaching(1000) - TOKENS).max() > 1
    swapped = Measure(TOKENS[[1, 0, 2, 3, 4]])
    for f in (np.sin, np.exp, np.square):
        np.testing.assert_allclose(swapped.integral(f), Measure(TOKENS).integral(f), atol=1e-14)


def test_closed_subsets_of_compact_sets():
    """The proof as a program: from a cover of a closed set, the complement added, a finite cover, the complement left out."""
    parts = [(0.1, 0.25), (0.4, 0.4), (0.55, 0.9)]  # a closed set in [0, 1]
    holes = [(-1.0, 0.1), (0.25, 0.4), (0.4, 0.55), (0.9, 2.0)]  # its complement: open, as the set is closed
    centres = rng(1).uniform(0, 1, 3000)
    cover = [(c - w, c + w) for c, w in zip(centres, rng(2).uniform(0.005, 0.05, 3000), strict=True) if any(a <= c <= b for a, b in parts)] + [(0.39, 0.41)]
    place, chosen = 0.0, []
    while place <= 1:  # greedy: of the sets that contain the place, the one that reaches furthest
        reach = max((piece for piece in cover + holes if piece[0] < place < piece[1]), key=lambda piece: piece[1])
        chosen.append(reach)
        place = reach[1]
    kept = [piece for piece in chosen if piece not in holes]
    assert 5 < len(kept) < len(chosen) < 20
    for a, b in parts:
        for point in np.linspace(a, b, 1001):
            assert any(low < point < high for low, high in kept)
    finite = rng(3).integers(1, 100, size=20)  # (0, 1] is not closed: twenty of the sets (1/k, 2) miss points
    assert not any(1 / k < 1 / finite.max() < 2 for k in finite)


def test_attention_is_continuous_on_compact_sets():  # theorem: stacks along a weakly converging sequence
    g = rng(5)
    network = stack(
        attention(random_heads(2, 2, 2, generator=g)), tokenwise(lambda x: x + np.maximum(x, 0)), attention(random_heads(2, 2, 2, generator=g))
    )
    limit, far = on_box(None, [-1.0, -1.0], [1.0, 1.0], nodes=30), []
    for k in (4, 8, 16, 32):
        axis = (np.arange(k) + 0.5) / k * 2 - 1
        tokens = np.stack(np.meshgrid(axis, axis), -1).reshape(-1, 2)
        far.append(abs(network(Measure(tokens), [[0.5, 0.25 + 1 / k**2]]) - network(limit, [[0.5, 0.25]])).max())
    assert far[-1] < 0.005 and all(later < earlier / 3 for earlier, later in itertools.pairwise(far))


def test_compactness_is_needed(record):
    escape = record("G2.3.escape", gamma(Measure([[0.0], [100.0]], [0.99, 0.01]), [[1.0]], ONES).item())
    assert escape == pytest.approx(101)
    for k in (2, 10, 1000):  # by hand: x + k e^k/k / (1 − 1/k + e^k/k), in a form that does not overflow
        by_hand = 1 + k / (1 + (k - 1) * math.exp(-k))
        assert gamma(Measure([[0.0], [float(k)]], [1 - 1 / k, 1 / k]), [[1.0]], ONES).item() == pytest.approx(by_hand)


def seen_at_one_half(late: float) -> float:
    """Γ(μ, 1, ½) for half the weight at (−1, time 0) and half at (1, time `late`)."""
    return gamma_masked(SpaceTime([[-1.0], [1.0]], [0.0, late]), [[1.0]], [0.5], ONES).item()


def jump_when_a_token_arrives() -> float:
    return seen_at_one_half(0.5) - seen_at_one_half(0.5001)


def test_the_mask_cuts_time_with_a_knife(record):
    assert record("G-E47.jump", jump_when_a_token_arrives()) == pytest.approx(1 + math.tanh(1))
    times = (np.arange(9999) + 0.5) / 9999  # where no lump arrives, the limit is reached
    half = on_box(None, [0.0], [0.5]).push(lambda r: np.cos(math.pi * r))
    found = gamma_masked(SpaceTime(np.cos(math.pi * times)[:, None], times), [[2.0]], [0.5], ONES)
    assert found == pytest.approx(gamma(half, [[2.0]], ONES), abs=1e-3)


def test_density_after_a_layer():
    back = Heads([[[3.0]]], [[[1.0]]], [[[-0.6]]], [[[1.0]]], scale=1.0)
    line, layer = on_box(None, [-1.0], [1.0], nodes=60), attention(back)
    peak = 0.5 / (1 - 0.6 * 3 / 3)  # T′(0) = 1 − 0.6 · 3 · Var, and the even measure on [−1, 1] has variance 1/3
    counted = (abs(layer(line, np.linspace(-1, 1, 200_001)[:, None])) < 0.01).mean() / 0.02
    assert counted == pytest.approx(peak, rel=0.01) == 1.25
