"""Spectra at the source's sizes: the first outliers drawn again, and the stored histogram against the law."""

import numpy as np
import pytest

from course_lib.results import load
from course_lib.spectra import Ensemble, law_distance
from studies import large_spectra as study


def test_the_table_is_what_its_command_makes():
    uniform = load("large_spectra")["uniform"]
    assert [np.linalg.eigvalsh(study.uniform(seed))[-1] for seed in range(3)] == pytest.approx(
        uniform["first"][:3], abs=1e-5
    )
    unscaled = load("large_spectra")["unscaled"]
    assert sum(unscaled["counts"]) == unscaled["n"] == 3000
    values = np.repeat((np.array(unscaled["edges"][1:]) + unscaled["edges"][:-1]) / 2, unscaled["counts"])
    assert law_distance(values, Ensemble(3000, divisor="none").law) < 0.05  # in 44 bars
