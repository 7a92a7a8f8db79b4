"""Iterated layers at the source's sizes: the study's own iteration against the library's."""

import numpy as np
import pytest

from course_lib.gaussian import first_order, iterate
from studies import gaussian_iteration as study


def test_the_wide_case_is_iterated_as_the_library_does():
    made, (start, layer) = study.wide(20, 8, 0, passes=50), study.drawn(20, 8, 0)
    path = iterate(start, layer, 50, step=study.TIME / 50, rule="first_order")
    end = path.covariance * 10 ** path.log10_size[-1]
    assert made["change"] == pytest.approx(np.linalg.norm(end - start) / np.linalg.norm(start), rel=1e-4)
    np.testing.assert_allclose(made["ends"], [path.eigenvalues(0), path.eigenvalues(50)], rtol=1e-4, atol=1e-8)
    assert made["first step"] == pytest.approx(
        np.linalg.norm(first_order(start, layer, step=study.TIME / 50) - start, 2), rel=1e-4
    )
