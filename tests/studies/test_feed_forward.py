"""What a feed-forward layer learns: the stored trainings begin as the code says, and what the page concludes holds of every one."""

import math
from statistics import median

import pytest

from course_lib.results import load
from studies import feed_forward as study

TABLE = load("feed_forward")


@pytest.mark.parametrize("name", study.LAYERS)
def test_a_training_on_four_cases_begins_as_it_is_stored(name):
    stored = next(row for row in TABLE["exactly_one"] if row["layer"] == name)
    for one, other in zip(study.exactly_one(name, study.RATE, study.KEPT)["losses"], stored["losses"], strict=True):
        assert one == pytest.approx(other, abs=1e-5)


def test_attention_learns_it_from_every_start():
    within = {row["layer"]: sum(error < 0.1 for error in row["errors"]) for row in TABLE["exactly_one"]}
    assert within["attention, 2 heads"] == len(study.SEEDS) > max(within["feed-forward, 2 neurons"], within["feed-forward, 8 neurons"])


@pytest.mark.parametrize("r", [4, 64])
def test_learning_by_heart_begins_as_it_is_stored(r):
    stored = next(row for row in TABLE["by_heart"] if row["r"] == r)
    again = study.by_heart(r, stored["rate"], stored["seed"], (study.KEPT,))
    assert again["losses"] == pytest.approx(stored["losses"], abs=1e-3) and again["parameters"] == stored["parameters"]
    assert again["parameters"] == 2 * study.WIDTH * r + r + study.WIDTH + study.WIDTH * study.KINDS


def test_bits_never_fall_and_never_exceed_the_labels():
    for row in TABLE["by_heart"]:
        assert row["bits"] == sorted(row["bits"]) and row["bits"][-1] <= study.NUMBER * math.log2(study.KINDS)


def test_a_narrow_layer_has_converged_and_the_widest_has_not():
    def grown(r: int) -> float:
        """How much the bits grew in the last half of the updates, in the middle of the seeds."""
        return median(row["bits"][-1] / row["bits"][-2] for row in TABLE["by_heart"] if (row["r"], row["rate"]) == (r, 0.03))

    assert grown(8) < 1.01 and grown(64) > 1.02
