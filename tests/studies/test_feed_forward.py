"""What a feed-forward layer learns: what the page concludes holds of every one."""

import math
from statistics import median

from course_lib.results import load
from studies import feed_forward as study

TABLE = load("feed_forward")


def test_attention_learns_it_from_every_start():
    within = {row["layer"]: sum(error < 0.1 for error in row["errors"]) for row in TABLE["exactly_one"]}
    assert (
        within["attention, 2 heads"]
        == len(study.SEEDS)
        > max(within["feed-forward, 2 neurons"], within["feed-forward, 8 neurons"])
    )


def test_bits_never_fall_and_never_exceed_the_labels():
    for row in TABLE["by_heart"]:
        assert row["parameters"] == 2 * study.WIDTH * row["r"] + row["r"] + study.WIDTH + study.WIDTH * study.KINDS
        assert row["bits"] == sorted(row["bits"]) and row["bits"][-1] <= study.NUMBER * math.log2(study.KINDS)


def test_a_narrow_layer_has_converged_and_the_widest_has_not():
    def grown(r: int) -> float:
        """How much the bits grew in the last half of the updates, in the middle of the seeds."""
        return median(
            row["bits"][-1] / row["bits"][-2] for row in TABLE["by_heart"] if (row["r"], row["rate"]) == (r, 0.03)
        )

    assert grown(8) < 1.01 and grown(64) > 1.02
