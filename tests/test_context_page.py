"""Chapter 5, pages 01 and 02: what they claim, held to closed forms, loops, autograd and the theorems' own bounds."""

import itertools
import math

import numpy as np
import pytest
from claims import incontext as page

from course_lib.incontext import (
    Heads,
    Measure,
    SpaceTime,
    attention,
    gamma,
    gamma_masked,
    in_context,
    on_box,
    random_heads,
    stack,
    tokenwise,
)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


# --- page 01 -----------------------------------------------------------------------------------------------------------


def test_the_map_is_the_layer():  # G2.1
    assert page.row_by_row_against_the_layer() == page.masked_against_the_layer() == page.change_after_permuting_and_doubling() == 0
    once = in_context(page.TOKENS[[0, 0, 1, 2, 3, 4]], np.zeros((1, 2)), page.PULL)  # one token twice does change the map
    assert abs(once - in_context(page.TOKENS, np.zeros((1, 2)), page.PULL)).max() > 0.05


def test_what_one_layer_can_do():  # G2.1: derivative, fold, bound on the way
    assert page.derivative_against_autograd() == 0
    assert page.largest_eigenvalue_of_the_pull() == pytest.approx(1.10, abs=0.01)
    far = 10.0 ** rng().uniform(0, 4, (200, 1)) * rng(1).standard_normal((200, 2))
    way = np.linalg.norm(in_context(page.TOKENS, far, page.PULL) - far, axis=1)
    longest = np.linalg.norm(page.TOKENS, axis=1).max()
    assert way.max() <= 0.6 * longest + 1e-9
    assert way.max() > 0.55 * longest  # and the bound is nearly attained
    c = np.array([0.25, -0.1])  # at the crease a small step in the direction of the tokens' spread is turned round
    u = 1e-4 * np.linalg.eigh(page.covariances(c[None])[0])[1][:, -1]
    there, back = in_context(page.TOKENS, np.stack([c + u, c - u]), page.PULL)
    assert (there - back) @ u < 0


def test_heads_that_share_an_index_are_one():  # G-E3
    assert page.printed_heads_against_one_head() == 0
    assert page.printed_heads_against_two_heads() > 1


def test_diamond():  # G2.2
    assert page.difference_between_two_ways_to_put_brackets() == 0
    assert page.diamond_against_the_network() == 0
    assert page.plain_composition_against_the_network() == pytest.approx(0.84, abs=0.01)


def test_order_enters_with_the_second_masked_layer():  # G2.2, L3.4's mechanism
    assert page.how_far_the_last_token_moves_when_the_others_change_places() == pytest.approx(0.056, abs=0.001)
    one, last, order = attention(page.PULL), np.array([4]), [2, 0, 3, 1, 4]
    same = one(page.TOKENS, page.TOKENS[[4]], last) - one(page.TOKENS[order], page.TOKENS[[4]], last)
    assert abs(same).max() < 1e-14


# --- page 02 -----------------------------------------------------------------------------------------------------------


def test_each_row_is_moved_with_its_own_prefix():  # G-E46: two layers by the formula, token by token
    def layer(heads, tokens, x):
        scores = np.exp(x @ heads.scoring[0] @ tokens.T)
        return x + scores / scores.sum() @ tokens @ heads.writing[0]

    moved = np.array([layer(page.PULL, page.TOKENS[: j + 1], x) for j, x in enumerate(page.TOKENS)])
    third = layer(page.SWIRL, moved[:3], moved[2])
    other = np.array([layer(page.PULL, page.TOKENS[:3], x) for x in page.TOKENS])
    assert np.linalg.norm(third - layer(page.SWIRL, other[:3], other[2])) == pytest.approx(page.distance_between_the_two_readings())
    assert page.distance_between_the_two_readings() > 0.01


def test_measures_contain_tokens_and_densities():  # G2.3
    assert page.measure_against_tokens() == page.quadrature_against_the_hyperbolic_cotangent() == 0
    assert page.composition_of_measures_against_moving_twice() == page.space_time_against_the_mask() == 0


def test_even_tokens_come_nearer_than_random_ones():  # the page's first table
    x = np.array([[-3.0], [0.5], [2.0]])
    exact = x + 1 / np.tanh(x) - 1 / x
    even = [abs(in_context((2 * np.arange(n)[:, None] + 1) / n - 1, x, page.ONES) - exact).max() for n in (10, 100, 1000)]
    assert even[0] / even[1] == pytest.approx(100, rel=0.02) == even[1] / even[2]


def test_output_has_the_width_of_the_tokens():  # G-E4
    assert page.width_of_the_output() == 6


def test_rate_and_its_constant():  # G2.3, G-E6
    assert page.sampled_over_predicted_variance() == pytest.approx(1, abs=0.05)
    assert page.power_on_the_square() == pytest.approx(-0.5, abs=0.02)
    assert page.measured_over_predicted_on_the_square() == pytest.approx(1, abs=0.1)
    assert page.power_on_the_normal_cloud() > -0.2  # far from −1/2 with the same spread of scores
    assert page.ratio_of_the_two_constants() > 300


def test_the_constant_of_the_square_is_chapter_sixs_integral():
    """tr V at the query (s, 0) factorises on the square: one-dimensional integrals by a plain sum."""
    y = (np.arange(200_000) + 0.5) / 200_000 * 2 * math.sqrt(3) - math.sqrt(3)
    r = np.exp(4 * y) / np.exp(4 * y).mean()
    along, across = (r**2 * (y - (r * y).mean()) ** 2).mean(), (r**2).mean() * (y**2).mean()
    assert page.errors("square", 4.0)[1] == pytest.approx(math.sqrt(along + across), rel=1e-6)


def test_the_bound_holds_for_every_n():
    square, x = page.cloud("square")[0], np.array([[1.0, 0.0]])
    R = np.ptp(square.atoms[:, 0])  # the scores at (1, 0) are the first coordinates
    exact, constant = gamma(square, x, page.ONE), page.errors("square", 1.0)[1]
    for n in (1, 2, 5):
        found = [np.linalg.norm(gamma(Measure(square.sample(n, rng(seed))), x, page.ONE) - exact) for seed in range(400)]
        assert math.sqrt(np.mean(np.square(found))) < math.exp(R) * constant / math.sqrt(n)


def test_change_of_variables():  # GA.1, G-E14
    assert page.change_of_variables() == page.integral_with_the_pushed_measure() == 0
    assert page.integral_with_the_measure_as_printed() == pytest.approx(3 * (page.TOKENS**2).sum() / 5)


def test_weak_convergence_is_up_to_order():  # GA.1, G-E15
    assert page.distance_in_the_best_order() < 0.004
    assert abs(page.approaching(1000) - page.TOKENS).max() > 1
    swapped = Measure(page.TOKENS[[1, 0, 2, 3, 4]])
    for f in (np.sin, np.exp, np.square):
        np.testing.assert_allclose(swapped.integral(f), Measure(page.TOKENS).integral(f), atol=1e-14)


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


def test_compactness_is_needed():
    assert page.attention_to_an_atom_that_escapes() == pytest.approx(101)
    for k in (2, 10, 1000):  # by hand: x + k e^k/k / (1 − 1/k + e^k/k), in a form that does not overflow
        by_hand = 1 + k / (1 + (k - 1) * math.exp(-k))
        assert gamma(Measure([[0.0], [float(k)]], [1 - 1 / k, 1 / k]), [[1.0]], page.ONES).item() == pytest.approx(by_hand)


def test_the_mask_cuts_time_with_a_knife():
    assert page.jump_when_a_token_arrives() == page.jump_of_the_masked_average() == pytest.approx(1 + math.tanh(1))
    times = (np.arange(9999) + 0.5) / 9999  # where no lump arrives, the limit is reached
    half = on_box(None, [0.0], [0.5]).push(lambda r: np.cos(math.pi * r))
    found = gamma_masked(SpaceTime(np.cos(math.pi * times)[:, None], times), [[2.0]], [0.5], page.ONES)
    assert found == pytest.approx(gamma(half, [[2.0]], page.ONES), abs=1e-3)


def test_density_after_a_layer():
    back = Heads([[[3.0]]], [[[1.0]]], [[[-0.6]]], [[[1.0]]], scale=1.0)
    line, layer = on_box(None, [-1.0], [1.0], nodes=60), attention(back)
    peak = 0.5 / (1 - 0.6 * 3 / 3)  # T′(0) = 1 − 0.6 · 3 · Var, and the even measure on [−1, 1] has variance 1/3
    counted = (abs(layer(line, np.linspace(-1, 1, 200_001)[:, None])) < 0.01).mean() / 0.02
    assert counted == pytest.approx(peak, rel=0.01) == 1.25
