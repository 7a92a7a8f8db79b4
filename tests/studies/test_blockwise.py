"""Maps stored against block by block: the stored bytes are the formulas', and the page's words about them hold."""

import pytest

from course_lib import costs
from course_lib.results import load
from studies import blockwise as study
from studies.layer_costs import D, Job, peak

ROWS = {(row["kind"], row["n"]): row for row in load("blockwise")["rows"]}


def test_every_row_is_there_and_keeps_what_the_formula_says():
    assert set(ROWS) == {(kind, n) for kind in study.KINDS for n in study.LENGTHS}
    for (kind, n), row in ROWS.items():
        assert row["kept"] == getattr(costs, kind)(n, D).kept


def test_a_peak_is_measured_again():
    for kind in study.KINDS:
        job = Job(kind, 256)
        job.training()
        assert peak(job.training) == pytest.approx(ROWS[kind, 256]["peak"]["training"], rel=0.05)


def test_the_square_is_gone_from_the_memory_and_not_from_the_time():
    full, blocks = ROWS["full", 4096], ROWS["blockwise", 4096]
    assert full["kept"] / blocks["kept"] > 16 and full["peak"]["training"] / blocks["peak"]["training"] > 16
    assert blocks["least_ms"]["training"] > 2.5 * ROWS["blockwise", 2048]["least_ms"]["training"]
