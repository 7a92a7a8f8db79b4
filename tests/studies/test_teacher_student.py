"""Teacher and student: the beginning of the long runs, and eigenvalues against NumPy's."""

import numpy as np
import pytest

from course_lib.results import load
from studies import teacher_student as study

RUNS = load("teacher_student")["runs"]


def test_lanczos_finds_the_ends_of_a_spectrum():
    generator = np.random.default_rng(0)
    A = generator.standard_normal((60, 60))
    A = A + A.T
    values = np.linalg.eigvalsh(A)
    low, high = study.lanczos(lambda v: A @ v, 60, generator)
    assert low == pytest.approx(values[0], rel=1e-2) and high == pytest.approx(values[-1], rel=1e-2)
    assert low >= values[0] - 1e-9 and high <= values[-1] + 1e-9


def test_the_printed_line_stretches_the_plateau():
    fall = {
        line: [
            1 - RUNS[f"his {c} {line} {seed}"]["losses"][3] / RUNS[f"his {c} {line} {seed}"]["losses"][1]
            for c in (36, 64)
            for seed in range(5)
        ]
        for line in ("printed", "right")
    }
    assert sum(each < 0.34 for each in fall["printed"]) == 9 and min(fall["right"]) > 0.4
