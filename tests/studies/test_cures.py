"""The page that tests source R's conclusions: its theorems by other ways, and its stored study, with the beginning of runs made again."""


from dataclasses import replace

import numpy as np
import pytest
from claims import conclusions as page

from course_lib.memoryless import Sizes, read, train
from course_lib.published import P
from studies import cures


def test_every_prediction_is_one():  # R7
    for (shape, name), row in page.runs().items():
        seeds = cures.FEW if name == "8,000 updates" else cures.seeds_of(shape)
        assert np.array(row["q"]).sum(1) == pytest.approx(np.ones(len(seeds)), abs=5e-4)


def test_all_trainings_are_equal_in_data():  # R7
    for shape in cures.SHAPES:
        for training in cures.cures(shape[1]).values():
            assert (training.updates * training.batch, training.sequences) == (24_000, 8000)


@pytest.mark.parametrize("shape", cures.SHAPES[:2])
def test_trainings_go_the_stored_way(shape):  # R7: the first 50 updates of two models, sizes, ranges and errors on the way
    seeds, times = cures.SEEDS[:2], cures.COURSE[:3]
    watch = cures.Watch(times)
    train(Sizes(cures.SOURCE.v, *shape), cures.SOURCE, seeds, replace(cures.cures(shape[1])["as published"], updates=times[-1]), watch=watch)
    for name, course in page.runs()[shape, "as published"]["course"].items():
        assert np.array(watch.course[name]) == pytest.approx(np.array(course)[: len(times), :2], rel=2e-2, abs=2e-3), name
    assert cures.shares(shape, seeds)["labels"] == page.study()["counting"][str(list(shape))]["labels"][:2]


@pytest.mark.parametrize("name", ["as published", "batch 64"])
def test_a_row_says_what_its_models_do(name, monkeypatch):
    """A short training in place of the whole: the predictions by the ensemble itself; the averages are of parameters."""
    shape, seeds = cures.SHAPES[0], cures.SEEDS[:2]
    short = replace(cures.cures(shape[1])[name], updates=775 if name == "as published" else 25)  # late predictions begin with 775
    monkeypatch.setattr(cures, "cures", lambda d: {name: short})
    rows = cures.rows_of(shape, name, seeds)
    assert [row["training"] for row in rows] == [name, *(("tail mean", "running mean") if name == "as published" else ())]
    ensemble = train(Sizes(cures.SOURCE.v, *shape), cures.SOURCE, seeds, replace(short, average=None)).ensemble
    assert rows[0]["q"] == cures.short(read(ensemble, cures.SOURCE).q)
    for row in rows[1:]:
        assert not np.allclose(row["q"], rows[0]["q"], atol=1e-4) and np.sum(row["q"], 1) == pytest.approx(np.ones(2), abs=5e-4)


def test_attention_outweighs_more_in_large_models_and_not_tenfold():  # R7, R-E20
    assert 2 < page.ratio_in_the_smallest() < 5 < page.ratio_in_the_largest() < 10
    for shape in cures.SHAPES:
        assert np.max(page.runs()[shape, "as published"]["course"]["mean ratio"]) < 10
    assert page.share_of_the_printed_z_that_differs_between_rows() < 0.005


def test_the_range_over_inputs_is_not_below_one_point():  # R-E22
    medians = [np.median(page.runs()[shape, "as published"]["spread"]) for shape in cures.SHAPES]
    assert page.range_over_inputs_in_the_smallest() == medians[0] > 1.5
    assert page.range_over_inputs_in_the_largest() == medians[-1] < 1
    assert page.models_whose_range_is_below_one_point() < 72 / 4
    assert page.range_over_inputs_after_8000_updates_in_the_smallest() > 1


def test_the_error_oscillates_and_its_mean_counts():  # R-E23: at every size, and nearly as well as counting the labels
    for shape in cures.SHAPES:
        run = page.runs()[shape, "as published"]
        of_mean = 100 * abs(np.array(run["late mean q"]) - P[4]).max(-1).mean()
        counted = 100 * abs(page.labels(shape) - P[4]).max(-1).mean()
        assert np.mean(run["late error"]) > 4 * of_mean and of_mean < 1.6 * counted
    assert page.mean_error_at_one_moment_in_the_largest() > 5 * page.error_of_the_mean_prediction_in_the_largest()
    assert page.correlation_of_the_tail_mean_with_its_labels() > 0.8


def test_fewer_parameters_help_less_than_averaging():  # R-E23
    assert 0 < page.exponent_of_the_error_in_the_learnables() < 0.2
    assert 1.5 < page.error_of_the_largest_over_that_of_the_smallest() < 3
    for name in ("tail mean", "running mean", "linear", "cosine"):
        assert (page.logs(name) < 0).all(), name  # all 16 seeds: a sign test gives 2^-15
    assert page.factor_of_the_error_with_the_tail_mean() < 0.25
    assert page.factor_of_the_error_with_a_cosine() < 0.35
    for name in ("batch 64", "beta_2 0.999", "rate for the width", "rate of the widest"):
        assert 4 <= (page.logs(name) < 0).sum() <= 12, name  # no clear effect at equal data
    assert 0.7 < page.factor_of_the_error_with_batch_64() < 1.1
    assert page.mean_error_of_the_averaged_largest() < page.errors(page.SMALLEST, "as published").mean() / 2


def test_the_noise_that_a_constant_rate_leaves():  # R7: the recursion of the covariance itself, iterated
    p, rate, batch = P[8], 0.5, 4
    C = np.diag(p) - np.outer(p, p)
    step, covariance = np.eye(8) - rate * C, np.zeros((8, 8))
    for _ in range(4000):
        covariance = step @ covariance @ step + rate**2 * C / batch
    of_q, excess = page.long_run(p, rate, batch)
    assert of_q == pytest.approx(C @ covariance @ C, abs=1e-12)
    assert excess == pytest.approx(np.trace(C @ covariance) / 2)
    small = page.long_run(p, 1e-4, batch)[1]
    assert small == pytest.approx(1e-4 / (4 * batch) * (1 - (p**2).sum()), rel=1e-4)
    assert page.walked_excess_over_the_theorems() == pytest.approx(1, abs=0.06)


def test_the_bias_keeps_the_books():  # R7
    assert page.mean_prediction_minus_labels_corrected() == 0
    assert abs(page.books(updates=3)).max() < 1e-12


def test_a_read_out_is_a_bias_at_a_higher_rate():  # R7
    assert page.read_out_at_its_rate_minus_a_bias_at_a_higher_one() == 0
