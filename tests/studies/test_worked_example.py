"""The worked example's model trained again: two models of the shortest reading, and the beginning of the longest."""

import numpy as np
import pytest

from course_lib.results import load
from studies import worked_example as study

TABLE = load("worked_example")


@pytest.mark.parametrize("beta", study.BETAS)
def test_two_models_trained_again_are_the_stored_ones(beta):
    again = study.run(1500, beta, range(2))
    for name, values in again.items():
        assert np.array(values) == pytest.approx(np.array(TABLE["runs"][f"1500, {beta}"][name][:2]), rel=1e-3, abs=1e-5), name
