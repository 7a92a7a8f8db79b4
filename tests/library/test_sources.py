"""The sources against closed forms of information theory, exact rational arithmetic, and the frequencies of what they
draw."""

import csv
import math
from fractions import Fraction
from functools import cache, partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from course_lib import published, sources
from course_lib.published import P, rows
from course_lib.sources import (
    Markov,
    Memoryless,
    counting_error,
    cross_entropy,
    divergence,
    entropy,
    entropy_rate,
    largest_error,
)
from tests.shared.refusals import named
from tests.shared.seeded import rng

DYADIC = [1 / 4, 1 / 4, 1 / 8, 1 / 8, 1 / 8, 1 / 16, 1 / 32, 1 / 32]  # source R's p for v = 8

LABELS = 8000  # Table 2, read as 8,000 sequences with one label each


def distributions(v: int):
    return st.lists(st.integers(1, 1000), min_size=v, max_size=v).map(lambda counts: np.array(counts) / sum(counts))


def test_entropy_of_dyadic_distributions_is_a_rational_number_of_bits():
    for p in ([0.5, 0.5], [0.5, 0.25, 0.125, 0.125], DYADIC, [1.0], [1.0, 0.0]):
        bits = sum(Fraction(each) * int(-math.log2(each)) for each in p if each)
        assert entropy(p, unit="bits") == pytest.approx(float(bits), abs=1e-15)
        assert entropy(p) == pytest.approx(float(bits) * math.log(2), abs=1e-15)


def test_zero_probabilities():
    assert cross_entropy([1.0, 0.0], [0.5, 0.5], unit="bits") == 1.0  # 0 log ½ = 0
    assert cross_entropy([1.0, 0.0], [1.0, 0.0]) == 0.0  # 0 log 0 = 0
    assert cross_entropy([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert divergence([0.5, 0.5], [1.0, 0.0]) == math.inf
    assert divergence([1.0, 0.0], [0.5, 0.5], unit="bits") == pytest.approx(1.0)
    assert divergence([0.0, 1.0], [0.0, 1.0]) == 0.0


@given(distributions(5), distributions(5))
def test_cross_entropy_is_entropy_plus_divergence(p, q):
    direct = sum(a * (math.log(a) - math.log(b)) for a, b in zip(p, q, strict=True))
    assert divergence(p, q) == pytest.approx(direct, abs=1e-12)
    assert cross_entropy(p, q) == pytest.approx(-sum(a * math.log(b) for a, b in zip(p, q, strict=True)), rel=1e-12)
    assert cross_entropy(p, q) - entropy(p) == pytest.approx(divergence(p, q), abs=1e-12)
    assert divergence(p, q) >= 0
    assert divergence(p, q) >= 2 * largest_error(p, q) ** 2 - 1e-15  # Pinsker, with max|p − q| ≤ ½ Σ|p − q|


def test_a_small_divergence_keeps_its_digits():
    step = 1e-9
    got = divergence([0.5, 0.5], [0.5 + step, 0.5 - step])
    assert got == pytest.approx(-0.5 * math.log1p(-4 * step**2), rel=1e-6)  # D = −½ log(1 − 4 ε²), 2·10⁻¹⁸


def test_axes_broadcast():
    q = np.array([[0.5, 0.5], [0.75, 0.25]])
    one_by_one = [cross_entropy([0.75, 0.25], each) for each in q]
    assert cross_entropy([0.75, 0.25], q).tolist() == one_by_one
    assert divergence([0.75, 0.25], q[:, None]).shape == (2, 1)
    assert entropy(q).tolist() == [entropy(each) for each in q]
    assert largest_error([0.75, 0.25], q).tolist() == [0.25, 0.0]
    assert isinstance(divergence([1.0], [1.0]), float)


def test_printed_and_float32_predictions_need_a_tolerance():
    q = [0.5190, 0.2436, 0.1247, 0.1126]  # rounded: 0.9999
    with pytest.raises(ValueError, match="q must be probabilities that sum to 1"):
        cross_entropy([0.5, 0.25, 0.125, 0.125], q)
    direct = -sum(a * math.log(b) for a, b in zip([0.5, 0.25, 0.125, 0.125], q, strict=True))
    assert cross_entropy([0.5, 0.25, 0.125, 0.125], q, tolerance=1e-3) == pytest.approx(direct, abs=1e-15)
    off = divergence([0.5, 0.25, 0.125, 0.125], q, tolerance=1e-3)
    assert off == pytest.approx(direct - entropy([0.5, 0.25, 0.125, 0.125]), abs=1e-15)


def test_memoryless_losses_are_all_the_entropy():
    source = Memoryless([0.75, 0.25])
    h = math.log(4) - 0.75 * math.log(3)
    for loss in (source.entropy_rate(), source.best_memoryless_loss(), source.best_first_order_loss()):
        assert loss == pytest.approx(h, abs=1e-15)
    assert source.v == 2
    assert source.next(np.zeros((3, 4), dtype=int)).shape == (3, 4, 2)
    assert (source.next(np.array([0, 1])) == source.p).all()


def frequencies_fit(tokens: np.ndarray, p: np.ndarray) -> bool:
    """Each token's frequency within five standard deviations, as it must be for independent tokens."""
    share = np.bincount(tokens.ravel(), minlength=len(p)) / tokens.size
    return bool((abs(share - p) <= 5 * np.sqrt(p * (1 - p) / tokens.size)).all())


def test_memoryless_sample_has_the_right_pairs():
    source = Memoryless(DYADIC)
    tokens = source.sample(1000, 200, rng())
    assert tokens.dtype == np.uint8
    assert tokens.shape == (1000, 200)
    assert frequencies_fit(tokens, source.p)
    pairs = (
        tokens[:, 0:200:2].astype(int) * 8 + tokens[:, 1:200:2]
    )  # disjoint pairs: 64 tokens with probabilities p_i p_j
    assert frequencies_fit(pairs, np.outer(source.p, source.p).ravel())
    assert (tokens == source.sample(1000, 200, rng())).all()
    assert (tokens != source.sample(1000, 200, rng(1))).any()


def test_impossible_tokens_are_never_drawn():
    # Ten times 0.1 adds up to less than 1 in float64: the rest must not fall to the impossible token after them.
    class Last(np.random.Generator):
        def random(self, size=None):
            return np.full(size, np.nextafter(1, 0))

    p = [*[0.1] * 10, 0.0]
    assert np.cumsum(p)[-1] < 1
    assert (Memoryless(p).sample(2, 3, Last(np.random.PCG64(0))) == 9).all()
    tokens = Memoryless([0.0, 0.5, 0.0, 0.5]).sample(100, 100, rng())
    assert set(np.unique(tokens)) == {1, 3}


def two_states(a: float, b: float) -> Markov:
    return Markov([[1 - a, a], [b, 1 - b]])


def binary(x: float) -> float:
    return -x * math.log(x) - (1 - x) * math.log(1 - x)


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_two_state_chain(a, b):
    # Cover & Thomas, example 4.1.1 and 4.2: π = (b, a)/(a + b), rate = π₀ H(a) + π₁ H(b).
    chain = two_states(a, b)
    assert chain.stationary == pytest.approx([b / (a + b), a / (a + b)], abs=1e-12)
    rate = (b * binary(a) + a * binary(b)) / (a + b)
    assert chain.entropy_rate() == pytest.approx(rate, abs=1e-12)
    assert chain.best_first_order_loss() == pytest.approx(rate, abs=1e-12)
    assert chain.best_memoryless_loss() == pytest.approx(binary(a / (a + b)), abs=1e-12)
    assert entropy_rate(chain.P, unit="bits") == pytest.approx(rate / math.log(2), abs=1e-12)


def test_random_walk_on_a_graph():
    # Cover & Thomas, §4.3: the stationary probability of a node is its share of the edges' ends.
    edges = np.array([[0, 1, 1, 0, 1], [1, 0, 1, 0, 0], [1, 1, 0, 1, 1], [0, 0, 1, 0, 1], [1, 0, 1, 1, 0]])
    degree = edges.sum(1)
    walk = Markov(edges / degree[:, None])
    assert walk.stationary == pytest.approx(degree / degree.sum(), abs=1e-14)
    assert walk.entropy_rate() == pytest.approx((degree / degree.sum() * np.log(degree)).sum(), abs=1e-14)


def test_a_cycle_is_certain():
    cycle = Markov(np.roll(np.eye(5), 1, axis=1))  # period 5: irreducible all the same
    assert cycle.stationary == pytest.approx([0.2] * 5, abs=1e-15)
    assert cycle.entropy_rate() == 0
    assert cycle.best_memoryless_loss() == pytest.approx(math.log(5))


def test_markov_sample_has_the_right_pairs_at_every_place():
    chain = Markov([[0.1, 0.6, 0.3], [0.0, 0.5, 0.5], [0.7, 0.2, 0.1]])
    tokens = chain.sample(40_000, 6, rng())
    assert tokens.dtype == np.uint8
    assert tokens.shape == (40_000, 6)
    assert tokens.flags.c_contiguous
    joint = (chain.stationary[:, None] * chain.P).ravel()
    for t in range(
        5
    ):  # the rows are independent, so at each place the bound holds; a chain not started in π would fail at 0
        assert frequencies_fit(tokens[:, t], chain.stationary)
        assert frequencies_fit(tokens[:, t].astype(int) * 3 + tokens[:, t + 1], joint)
    assert (chain.next(tokens) == chain.P[tokens]).all()


def test_counting():
    p = np.array(DYADIC)
    shares = sources.counted(p, 8000, rng(), 3000)
    assert shares.shape == (3000, 8)
    # E(p̂ − p)² = p (1 − p)/N, of which 3,000 repeats show a few per cent
    assert ((shares - p) ** 2).mean(0) == pytest.approx(p * (1 - p) / 8000, rel=0.15)
    assert divergence(p, shares).mean() == pytest.approx(7 / 16000, rel=0.06)
    assert sources.counting_divergence(p, 8000) == 7 / 16000
    assert sources.counting_divergence([0.5, 0.5, 0.0], 100) == 1 / 200  # what cannot come costs nothing
    # one coin: E|p − p̂| → √(2 p (1 − p)/(π N)), the mean of a folded normal
    got = sources.counting_error([0.75, 0.25], 8000, rng(), 20_000)
    assert got == pytest.approx(math.sqrt(2 * 0.75 * 0.25 / (math.pi * 8000)), rel=0.03)


test_bad_distributions_and_chains_are_named = named(
    (lambda: Memoryless([0.5, 0.6]), "sum to 1"),
    (lambda: Memoryless([1.5, -0.5]), r"p must be ≥ 0 in every entry, got -0.5 at 1"),
    (lambda: Memoryless([0.5, math.nan]), "p must be finite in every entry, got nan at 1"),
    (lambda: Memoryless([]), "probabilities"),
    (lambda: Memoryless([[0.5, 0.5]]), r"shape \[1, 2\]"),
    (lambda: Markov([[0.5, 0.5], [0.5, 0.4]]), "got a sum of 0.9 in row 1"),
    (lambda: Markov([[0.5, 0.5], [1.5, -0.5]]), r"got -0.5 at \(1, 1\)"),
    (lambda: Markov([[0.5, 0.5]]), r"shape \[1, 2\]"),
    (lambda: divergence([0.5, 0.5], [0.5, 0.25, 0.25]), "q must be of size 2"),
    (lambda: Memoryless(np.full(257, 1 / 257)).sample(1, 1, rng()), "at most 256"),
)


def test_reducible_chains_say_which_states():
    parted = Markov(np.eye(3))
    assert parted.next(np.array([2])).tolist() == [[0, 0, 1]]  # where it does not matter, it is no error
    no_way_back = Markov([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    for ask in (
        lambda c: c.stationary,
        lambda c: c.entropy_rate(),
        lambda c: c.best_memoryless_loss(),
        lambda c: c.sample(1, 1, rng()),
    ):
        with pytest.raises(ValueError, match=r"state 0, which never reaches \[1, 2\]"):
            ask(parted)
        with pytest.raises(ValueError, match=r"state 0, which never reaches \[2\]"):
            ask(no_way_back)


test_bad_requests = named(
    *(
        row
        for source in (Memoryless([0.5, 0.5]), Markov([[0.5, 0.5], [0.5, 0.5]]))
        for row in (
            (partial(source.sample, 1, 1, 0), "generator must be"),
            (partial(source.next, np.array([0, 2])), "tokens must be from 0 to 1"),
            (partial(source.next, np.array([0.0])), "array of ints"),
        )
    )
)


# ---- what the page on the source says


def test_floors_are_the_printed_ones(record):
    # By hand: Σ p_i k_i with p_i = 2^−k_i, in bits; 3/4 is no power of two, log 4 − ¾ log 3.
    assert record("R3.entropy_2", entropy(P[2])) == pytest.approx(math.log(4) - 0.75 * math.log(3), abs=1e-12)
    assert round(entropy(P[2]), 5) == 0.56234
    assert entropy(P[4], unit="bits") == 0.5 * 1 + 0.25 * 2 + 0.125 * 3 * 2
    assert round(record("R3.entropy_4", entropy(P[4])), 3) == 1.213
    assert record("R3.entropy_8", entropy(P[8])) / math.log(2) == pytest.approx(2.6875)
    assert round(entropy(P[8]), 4) == 1.8628
    assert sum(row.loss < entropy(P[row.v]) for row in rows()) == 0


@cache
def typical_error(v: int, count: int = LABELS) -> float:
    return 100 * counting_error(P[v], count, rng(v), 20_000)


def worth_in_tokens(v: int) -> float:
    """How many counted tokens cost as much as the mean published row of v words."""
    return (v - 1) / (2 * np.mean([divergence(P[v], row.q) for row in rows() if row.v == v]))


def test_published_models_against_counting():
    assert sum(row.error <= typical_error(row.v) for row in rows()) == 4
    assert [round(worth, -1) for worth in (worth_in_tokens(2), worth_in_tokens(4), worth_in_tokens(8))] == [
        270,
        260,
        410,
    ]


def decimals(percentage: float) -> int:
    """How many decimals a number in per cent needs."""
    return next(k for k in range(10) if abs(percentage - round(percentage, k)) < 1e-9)


def decimals_of_q() -> int:
    with (published.HERE / "tables.csv").open(encoding="utf-8") as file:
        return max(
            len(row[f"q{i}"].partition(".")[2]) for row in csv.DictReader(file) for i in range(1, 9) if row["v"] == "8"
        )


def test_decimals_of_table_5(record):
    assert f"{100 * P[8][-1]:.10f}".rstrip("0") == "3.125"
    assert record("R-E4.header", max(decimals(100 * each) for each in P[8])) == 3
    assert record("R-E4.rows", decimals_of_q()) == 2
