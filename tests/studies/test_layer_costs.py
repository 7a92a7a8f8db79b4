"""The stored measurements of layers, against the formulas, against themselves, and measured again; and the measures
themselves."""

import gc
import math
import weakref

import numpy as np
import pytest
import torch

from course_lib.results import load
from studies import layer_costs as study

TABLE = load("layer_costs")
ROWS = {(row["kind"], row["n"]): row for row in TABLE["rows"]}
LENGTHS = TABLE["settings"]["lengths"]


def test_the_table_is_complete_and_agrees_with_the_formulas():
    assert set(ROWS) == {(kind, n) for kind in study.KINDS for n in LENGTHS} and len(ROWS) == len(TABLE["rows"])
    for (kind, n), row in ROWS.items():
        formula = study.formula(kind, n)
        assert (
            row["flops"]["forward"] == formula.flops and row["kept"] == formula.kept and row["steps"] == formula.steps
        )
        assert row["peak"]["training"] >= row["kept"] - 3 * 4 * n * study.D  # inputs are kept, but were there before


def test_a_sample_of_the_counts_is_measured_again():
    for kind in study.KINDS:
        job, row = study.Job(kind, 128), ROWS[kind, 128]
        job.training()
        assert study.flops(job.training) == row["flops"]["training"]
        assert study.peak(job.training) == pytest.approx(row["peak"]["training"], rel=0.02)


def test_measured_paths_are_the_formulas():  # S-E1: the longest path of a window is n/r
    assert all(row["layers"] == row["formula"] for row in TABLE["paths"])
    assert study.path(lambda x: study.window_attention(x, x, x, 8).output, 65) == 8
    assert study.path(lambda x: study.window_attention(x, x, x, 8).output, 66) == 9


def test_dilated_paths_are_the_digits_of_the_distance():
    for k in (2, 3, 5):
        for n in (1, 2, k, k + 1, 82, 244):
            reached, layers = {0}, 0
            while n - 1 not in reached or layers == 0:
                reached = {t + a * k**layers for t in reached for a in range(k) if t + a * k**layers < n}
                layers += 1
            assert study.dilated_path(n, k) == layers == max(1, math.ceil(round(math.log(n, k), 9)))


def test_the_profiler_counts_what_is_allocated():
    def known():
        a = torch.ones(1000)
        b = a + 1
        del a
        return b * 2

    assert study.peak(known) == pytest.approx(8000, abs=64)


@pytest.mark.slow
@pytest.mark.parametrize("released_by", ["a collection", "the call"])
def test_the_release_of_older_tensors_is_not_counted(released_by):
    """Of tensors that the profiler has seen: the releases of all others it leaves out by itself."""

    class Knot:
        def __init__(self):
            self.tensor, self.itself = torch.ones(250), self  # 1000 bytes, held by a cycle

    older = []

    def allocate():
        older.extend(Knot() for _ in range(100))

    gc.collect()
    gc.disable()  # so that the collection comes where the test wants it
    try:
        study.peak(allocate)
        left = weakref.WeakSet(older)
        if released_by == "a collection":
            older.clear()
            assert len(left) == 100

        def call():
            before = torch.ones(1000)
            for each in older:
                each.tensor = None
            gc.collect()
            return before + torch.ones(1000)

        assert study.peak(call) == pytest.approx(12_000, abs=64)
        assert all(each.tensor is None for each in left)  # the releases were in the call
    finally:
        gc.enable()


def test_the_slope_is_exact_on_a_power_and_its_error_is_zero():
    b, error = study.slope([1, 2, 4, 8], [3, 12, 48, 192])
    assert b == pytest.approx(2) and error == pytest.approx(0, abs=1e-9)
    noisy = np.exp(np.array([0.1, -0.1, 0.1, -0.1]))
    x = np.log([1, 2, 4, 8])
    b, error = study.slope([1, 2, 4, 8], noisy)
    _, covariance = np.polyfit(x, np.log(noisy), 1, cov=True)
    assert error == pytest.approx(covariance[0, 0] ** 0.5)
