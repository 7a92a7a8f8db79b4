"""Iterated layers at the source's sizes: rows of the stored table made again, and the study's own iteration against the library's."""

import numpy as np
import pytest

from course_lib.gaussian import first_order, iterate
from course_lib.results import load
from studies import gaussian_iteration as study

ROWS = {(row["kind"], row["d"], row["m"], row["seed"]): row for row in load("gaussian_iteration")["rows"]}


@pytest.mark.parametrize("task", [("growth", 300, 128, 0), ("growth", 30, 1280, 3), ("negative", 30, 1280, 5), ("longer", 128, 16, 2)])
def test_the_table_is_what_its_command_makes(task):
    stored = ROWS[task]
    made = study.row(*task)
    assert list(made) == list(stored)
    for name, value in stored.items():
        if not isinstance(value, (int, str, type(None))) and name != "columns":
            np.testing.assert_allclose(made[name], value, rtol=2e-3, atol=1e-4)
        else:
            assert made[name] == value


def test_the_wide_case_is_iterated_as_the_library_does():
    made, (start, layer) = study.wide(20, 8, 0, passes=50), study.drawn(20, 8, 0)
    path = iterate(start, layer, 50, step=study.TIME / 50, rule="first_order")
    end = path.covariance * 10 ** path.log10_size[-1]
    assert made["change"] == pytest.approx(np.linalg.norm(end - start) / np.linalg.norm(start), rel=1e-4)
    np.testing.assert_allclose(made["ends"], [path.eigenvalues(0), path.eigenvalues(50)], rtol=1e-4, atol=1e-8)
    assert made["first step"] == pytest.approx(np.linalg.norm(first_order(start, layer, step=study.TIME / 50) - start, 2), rel=1e-4)


