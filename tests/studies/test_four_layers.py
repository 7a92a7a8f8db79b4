"""Trained networks beside built ones: a built row made again, and the beginning of stored trainings."""

import pytest

from course_lib.results import load
from studies import four_layers as study

ROWS = load("four_layers")["rows"]


def test_a_built_network_is_built_again():
    assert study.built_row("sine") == ROWS["sine, built"]


@pytest.mark.parametrize("key", ["sine, small", "bump, same shape"])
def test_trainings_begin_as_stored(key):
    name, shape = study.WANTED[key]
    assert study.shapes(name)[shape] == ROWS[key]["widths"]
    for seed in study.SEEDS:
        losses = study.trained(study.TARGETS[name], ROWS[key]["widths"], seed, until=study.FIRST)[1]
        assert losses == pytest.approx(ROWS[key]["first"][seed], rel=1e-3)
