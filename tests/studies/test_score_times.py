"""What a score costs: the stored ratios, and a short measurement of their kind."""

import itertools

from course_lib.results import load
from course_lib.scores import SCORES
from studies import score_times as study


def test_the_times_are_whole_and_a_short_measurement_is_of_their_kind():  # L2.3; ratios of two times taken in one round
    rows = load("score_times")["rows"]
    assert [(row["size"], row["score"]) for row in rows] == list(itertools.product(study.SIZES, SCORES))
    again = study.ratios({name: study.step(name, **study.SIZES["small"]) for name in ("dot", "additive")}, 3)
    assert again["dot"] == 1 and 0.5 < again["additive"] < 2
