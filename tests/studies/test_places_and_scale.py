"""Places and scale: one stored model trained again."""

import pytest

from course_lib.results import load
from studies import places_and_scale as study


def test_the_stored_models_are_what_the_command_trains():
    again, runs = study.places([3], kept=True), load("places_and_scale")["runs"]
    for key in ("error", "spread"):
        assert again[key][0] == pytest.approx(runs["places"][key][3], abs=0.02)
    assert again["away"][0] == pytest.approx(runs["places"]["away"][3], abs=0.002)
