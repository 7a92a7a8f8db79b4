"""In-context maps against the layer of chapter 3, closed forms and the algebra of ⋄; measures against integrals known
exactly."""

import itertools

import numpy as np
import pytest

from course_lib.attention import causal_mask
from course_lib.gaussian import Gaussian, affine
from course_lib.incontext import (
    Heads,
    Measure,
    SpaceTime,
    attention,
    blurred,
    compose,
    fluctuation,
    gamma,
    gamma_masked,
    gaussian,
    in_context,
    in_context_masked,
    maps,
    moved,
    on_box,
    random_heads,
    stack,
    tokenwise,
)
from tests.library.test_gaussian_particles import by_torch
from tests.shared.refusals import named
from tests.shared.seeded import rng

SHAPES = [(1, 1, 1, 1, None), (3, 2, 4, 5, None), (6, 4, 2, 6, 1.7)]


def drawn(d, m, h, c, scale, seed=1):
    start = random_heads(d, m, h, c=c, generator=rng(seed))
    return Heads(start.W_Q, start.W_K, start.W_V, start.W_O, scale)


# ---- one layer


@pytest.mark.parametrize("shape", SHAPES)
def test_equals_the_layer_of_chapter_three(shape):  # G-E4: as wide as the tokens, whatever c is
    heads = drawn(*shape)
    X, x = rng(2).standard_normal((17, heads.d)), rng(3).standard_normal((5, heads.d))
    for queries in (X, x):
        expected = by_torch(queries, X, heads)[0]
        np.testing.assert_allclose(in_context(X, queries, heads), expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(gamma(Measure(X), queries, heads), expected, rtol=0, atol=1e-12)
        np.testing.assert_allclose(attention(heads)(X, queries), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", SHAPES)
def test_masked_sees_a_prefix(shape):
    heads = drawn(*shape)
    X, x, i = rng(2).standard_normal((12, heads.d)), rng(3).standard_normal((4, heads.d)), np.array([0, 11, 5, 5])
    expected = by_torch(X, X, heads, mask=causal_mask(12))[0]
    np.testing.assert_allclose(in_context_masked(X, X, np.arange(12), heads), expected, rtol=0, atol=1e-12)
    cut = np.concatenate([in_context(X[: k + 1], x[[q]], heads) for q, k in enumerate(i)])
    np.testing.assert_allclose(in_context_masked(X, x, i, heads), cut, rtol=0, atol=1e-12)


def test_space_and_time_contain_the_mask():
    heads = drawn(*SHAPES[1])
    X, order = rng(2).standard_normal((12, 3)), rng(5).permutation(12)
    times = np.cumsum(rng(6).uniform(0.1, 2, 12))  # any increasing times
    measure = SpaceTime(X[order], times[order])
    expected = in_context_masked(X, X, np.arange(12), heads)
    np.testing.assert_allclose(gamma_masked(measure, X, times, heads), expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        gamma_masked(measure, X, np.full(12, 1e9), heads), in_context(X, X, heads), rtol=0, atol=1e-12
    )
    between = (times[3] + times[4]) / 2
    np.testing.assert_allclose(
        gamma_masked(measure, X[:1], [between], heads), in_context(X[:4], X[:1], heads), rtol=0, atol=1e-12
    )
    tied = SpaceTime(X, np.zeros(12))  # all at one time: everyone sees everyone
    np.testing.assert_allclose(gamma_masked(tied, X, np.zeros(12), heads), in_context(X, X, heads), rtol=0, atol=1e-12)
    np.testing.assert_array_equal(tied.space.atoms, X)


def test_order_and_splitting_do_not_matter():
    heads = drawn(*SHAPES[1])
    atoms, x, order = rng(2).standard_normal((8, 3)), rng(3).standard_normal((5, 3)), rng(4).permutation(8)
    weights = rng(5).dirichlet(np.ones(8))
    weights[2], weights[3] = 0, weights[2] + weights[3]
    plain = gamma(Measure(atoms, weights), x, heads)
    for other in (
        Measure(atoms[order], weights[order]),
        Measure(atoms, weights).split(5, [0.2, 0.5, 0.3]),
        Measure(atoms, weights).split(0, [0.0, 1.0]),
        Measure(atoms[weights > 0], weights[weights > 0]),  # an atom of weight 0 is as good as none
        Measure(np.repeat(atoms, 3, 0), np.repeat(weights / 3, 3)),
    ):
        np.testing.assert_allclose(gamma(other, x, heads), plain, rtol=0, atol=1e-13)
    counts = np.array([1, 3, 2, 1, 1])  # weights in whole ninths are repeated tokens
    repeated = in_context(np.repeat(atoms[:5], counts, 0), x, heads)
    np.testing.assert_allclose(gamma(Measure(atoms[:5], counts / 8), x, heads), repeated, rtol=0, atol=1e-13)


def test_huge_scores_are_finite():
    ones = Heads(*np.ones((4, 1, 1, 1)))
    X, x = np.array([[-100.0], [99.0], [100.0]]), np.array([[100.0], [-100.0], [0.0]])  # scores of ±10⁴
    expected = x + np.array([[100], [-100], [33]])
    np.testing.assert_allclose(in_context(X, x, ones), expected, atol=1e-9)
    rare = Measure(X, [1e-300, 1 - 1e-300, 0])  # the atom of weight 0 has the largest score, and must not count
    np.testing.assert_allclose(gamma(rare, x, ones), x + np.array([[99], [-100], [99]]), atol=1e-9)
    later = SpaceTime(X, [0, 1, 2])  # what comes later has the largest score
    np.testing.assert_allclose(gamma_masked(later, x[:1], [0.5], ones), [[0]], atol=1e-9)
    assert np.isfinite(fluctuation(rare, x, ones)).all()


def test_blocks_change_nothing(monkeypatch):
    heads = drawn(*SHAPES[1])
    X, x = rng(2).standard_normal((11, 3)), rng(3).standard_normal((7, 3))
    whole = in_context(X, x, heads), in_context_masked(X, X, np.arange(11), heads)
    monkeypatch.setattr(maps, "BLOCK", 25)
    np.testing.assert_allclose(in_context(X, x, heads), whole[0], rtol=0, atol=1e-14)
    np.testing.assert_allclose(in_context_masked(X, X, np.arange(11), heads), whole[1], rtol=0, atol=1e-14)


# ---- composition


def layers(count=3, d=3):
    """Attention and feed-forward layers in turn."""
    made = []
    for seed in range(count):
        heads = drawn(d, 2, 2, 3, None, seed=seed + 10)
        made.append(attention(heads))
        W, b = rng(seed).standard_normal((d, d)) / 2, rng(seed + 50).standard_normal(d)
        made.append(tokenwise(lambda x, W=W, b=b: x + np.maximum(x @ W + b, 0) @ W.T))
    return made


def contexts(d=3):
    X = rng(20).standard_normal((9, d))
    weights, times = rng(21).dirichlet(np.ones(9)), rng(22).uniform(size=9)
    x = rng(23).standard_normal((4, d))
    return [
        (X, x, None),
        (X, x, np.array([0, 3, 3, 8])),
        (Measure(X, weights), x, None),
        (SpaceTime(X, times, weights), x, np.array([1.0, 0.9, np.sort(times)[2], times.min()])),
    ]


@pytest.mark.parametrize("context", range(4))
def test_composition_is_associative(context):
    context, x, when = contexts()[context]
    for one, two, three in itertools.permutations(layers()[:4], 3):
        left = compose(compose(three, two), one)(context, x, when)
        right = compose(three, compose(two, one))(context, x, when)
        np.testing.assert_allclose(left, right, rtol=0, atol=1e-12)
        np.testing.assert_allclose(stack(one, two, three)(context, x, when), right, rtol=0, atol=1e-12)


@pytest.mark.parametrize("masked", [False, True])
def test_composition_is_stacking_layers(masked):
    heads = [drawn(3, 2, 2, 3, None, seed=seed) for seed in range(3)]
    X = rng(1).standard_normal((8, 3))
    W = rng(2).standard_normal((3, 3))
    mask, when = (causal_mask(8), np.arange(8)) if masked else (None, None)
    states = X
    for each in heads:  # the network of chapter 3: all tokens through one layer after the other
        states = by_torch(states, states, each, mask=mask)[0]
        states = states + np.tanh(states @ W)
    network = stack(
        *itertools.chain.from_iterable((attention(each), tokenwise(lambda x: x + np.tanh(x @ W))) for each in heads)
    )
    np.testing.assert_allclose(network(X, X, when), states, rtol=0, atol=1e-11)
    measure = SpaceTime(X, np.arange(8) / 8) if masked else Measure(X)
    np.testing.assert_allclose(network(measure, X, np.arange(8) / 8 if masked else None), states, rtol=0, atol=1e-11)


def test_moved_contexts():
    layer = layers()[0]
    for context, _, when in contexts():
        new = moved(layer, context, masked=when is not None)
        if isinstance(context, np.ndarray):
            np.testing.assert_allclose(new, layer(context, context, None if when is None else np.arange(9)))
        else:
            np.testing.assert_array_equal(new.weights, context.weights)
            times = getattr(context, "times", None)
            np.testing.assert_allclose(new.atoms, layer(context, context.atoms, times))
            if times is not None:
                np.testing.assert_array_equal(new.times, times)


# ---- measures


def test_quadrature_knows_the_moments():
    disc = on_box(None, [-1.0, 0.0], [3.0, 2.0], nodes=6)
    np.testing.assert_allclose(disc.integral(lambda y: y), [1, 1], atol=1e-13)
    np.testing.assert_allclose(disc.integral(lambda y: (y - [1, 1]) ** 2), [16 / 12, 4 / 12], atol=1e-13)
    ramp = on_box(lambda y: 7 * y[:, 0], [0.0], [1.0])  # density 2y, in another unit
    assert ramp.integral(lambda y: y[:, 0] ** 3) == pytest.approx(2 / 5)
    covariance = np.array([[0.8, 0.5], [0.5, 0.6]])
    normal = gaussian([1.0, -2.0], covariance)
    np.testing.assert_allclose(normal.integral(lambda y: y), [1, -2], atol=1e-12)
    np.testing.assert_allclose(
        normal.integral(lambda y: (y - [1, -2])[:, :, None] * (y - [1, -2])[:, None]), covariance, atol=1e-12
    )
    spots = blurred(Measure([[0.0], [4.0]], [0.25, 0.75]), 0.5)
    assert spots.integral(lambda y: (y[:, 0] - 3) ** 2) == pytest.approx(3 + 0.25)


def test_attention_to_densities_has_closed_forms():
    ones = Heads(*np.ones((4, 1, 1, 1)))
    x = np.array([[-3.0], [0.5], [2.0]])
    uniform = x + 1 / np.tanh(x) - 1 / x  # K(x) = log(sinh x / x) for the uniform measure on [−1, 1]
    np.testing.assert_allclose(gamma(on_box(None, [-1.0], [1.0]), x, ones), uniform, atol=1e-12)
    heads, cloud = drawn(2, 3, 2, 2, None), Gaussian([1.0, -0.5], [[0.8, 0.5], [0.5, 0.6]])
    image = affine(heads, cloud)
    x = rng(3).standard_normal((5, 2))
    np.testing.assert_allclose(
        gamma(gaussian(cloud.mean, cloud.covariance), x, heads), x @ image.A + image.b, atol=1e-10
    )


def test_samples_come_from_the_measure():
    mu = Measure([[0.0], [1.0], [5.0]], [0.5, 0.0, 0.5])
    tokens = mu.sample(4000, rng(1))
    assert tokens.shape == (4000, 1) and set(tokens.ravel()) == {0.0, 5.0}
    assert tokens.mean() == pytest.approx(2.5, abs=0.15)


def test_fluctuation_against_the_derivative_of_gamma():
    """ψ(y) is the derivative of Γ in the direction δ_y − μ, so differences of Γ must give the same covariance."""
    heads, x = drawn(2, 2, 2, 3, None), rng(4).standard_normal((3, 2))
    mu, step = Measure(rng(5).standard_normal((6, 2)), rng(6).dirichlet(np.ones(6))), 1e-6
    towards = lambda y: Measure(np.vstack([mu.atoms, y]), np.append((1 - step) * mu.weights, step))
    base = gamma(mu, x, heads)
    psi = np.stack([(gamma(towards(y), x, heads) - base) / step for y in mu.atoms], 1)
    expected = np.einsum("n,qni,qnj->qij", mu.weights, psi, psi)
    np.testing.assert_allclose(fluctuation(mu, x, heads), expected, rtol=1e-3, atol=1e-5)


# ---- what is refused

TWO = [[0.0, 0.0], [1.0, 1.0]]


test_measures_refuse = named(
    (lambda: Measure(TWO, [1.5, -0.5]), "weights must be 0 or more in every entry, got -0.5"),
    (lambda: Measure(TWO, [0.5, 0.4]), "weights must be of sum 1, got a sum of 0.9"),
    (lambda: Measure(np.empty((0, 2))), "atoms must be one atom or more, got none"),
    (lambda: Measure(TWO).split(2, [1.0]), "atom must be the number"),
    (lambda: Measure(TWO).split(0, [0.5]), "shares must be of sum 1"),
    (
        lambda: Measure(TWO).push(lambda y: y[:1]),
        "the values of f must be an array with an entry for each of the 2 atoms",
    ),
    (lambda: on_box(None, [0.0], [0.0]), "high must be above low"),
    (lambda: on_box(None, [0.0] * 3, [1.0] * 3), "d must be 1 or 2"),
    (lambda: on_box(lambda y: -y[:, 0], [0.0], [1.0]), "the values of density must be from 0"),
    (lambda: on_box(lambda y: 0 * y[:, 0], [0.0], [1.0]), "density must be above 0"),
    (lambda: on_box(lambda y: y, [0.0], [1.0]), "density must be a function"),
    (lambda: gaussian([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]]), "covariance must be symmetric and positive definite"),
)


HEADS, X = drawn(*SHAPES[1]), rng(1).standard_normal((4, 3))
LATER = SpaceTime(X, [1, 2, 3, 4])
test_maps_refuse = named(
    (lambda: in_context(X, X[0], HEADS), r"x must be an array \[n, d\] of one token or more, got shape \[3\]"),
    (lambda: in_context_masked(X, X, np.arange(3), HEADS), r"i must be an array \[4\] of ints"),
    (lambda: in_context_masked(X, X, np.arange(1, 5), HEADS), "i must be from 0 to 3"),
    (lambda: gamma_masked(LATER, X, [0.5, 1, 2, 3], HEADS), "t must be 1 or later, where the measure begins, got 0.5"),
    (lambda: gamma_masked(SpaceTime(X, [1, 2, 3, 4], [0, 0.5, 0.5, 0]), X[:1], [1.5], HEADS), "t must be 2 or later"),
    (lambda: attention(HEADS)(LATER, X), "when must be the queries' times"),
    (lambda: attention(HEADS)(Measure(X), X, np.arange(4)), "when must be None"),
    (lambda: stack(), "layers must be one map or more"),
)


def test_measures_cannot_be_changed():
    mu = Measure(TWO)
    with pytest.raises(ValueError, match="read-only"):
        mu.atoms[0] = 5
    with pytest.raises(AttributeError):
        mu.weights = np.ones(2)
