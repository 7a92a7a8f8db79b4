"""Places of published numbers among ours: the KS distance and its p-value, the smoothed density."""

from itertools import product

import numpy as np
import pytest

from course_lib.memoryless.places import distance, p_value, place
from tests.shared.refusals import named
from tests.shared.seeded import rng


def test_a_place_counts_what_is_below():
    ours = np.array([[1.0, 2, 3], [4, 4, 5], [1, 1, 1]])
    assert place(np.array([2.5, 4.0, 0.5]), ours).tolist() == [2, 1, 0]


def test_the_distance_is_the_largest_gap():
    assert distance(np.array([0, 1, 2, 3]), 3) == pytest.approx(0)
    assert distance(np.array([0, 0]), 1) == pytest.approx(0.5)
    assert distance(np.array([4, 4, 4]), 4) == pytest.approx(0.8)
    generator = rng(1)
    places = generator.integers(0, 9, (6, 40))
    by_hand = [max(abs(sum(x <= k for x in row) / 40 - (k + 1) / 9) for k in range(9)) for row in places]
    assert distance(places, 8) == pytest.approx(by_hand)


def test_the_p_value_is_the_share_of_all_cases_for_few_rows():
    """Three rows and S = 2: the 27 equally likely cases, counted."""
    cases = [distance(np.array(each), 2) for each in product(range(3), repeat=3)]
    for places in ([0, 0, 0], [0, 1, 2], [0, 0, 1]):
        exact = np.mean([case >= distance(np.array(places), 2) - 1e-12 for case in cases])
        assert p_value(np.array(places), 2, rng(), 20_000) == pytest.approx(exact, abs=0.012)


@pytest.mark.parametrize("draws", [1, 19, 400])
def test_a_case_that_no_draw_reaches_is_one_of_the_cases_itself(draws):
    """Among draws + 1 equally likely cases the farthest is the first: p is 1/(draws + 1), and never 0. [Phipson & Smyth
    2010]"""
    assert p_value(np.zeros(60), 16, rng(), draws) == pytest.approx(1 / (draws + 1), rel=1e-12)
    assert p_value(np.arange(17), 16, rng(), draws) == 1  # as near as can be: every draw is as far


test_errors_name_the_argument = named(
    (lambda: place(np.ones(2), np.ones((3, 4))), "published must be"),
    (lambda: place(np.ones(2), np.ones(2)), "ours must be"),
    (lambda: distance(np.array([5]), 4), "places must be"),
    begin="^",
)
