"""The page that tests source R's conclusions: the numbers of its stored study, and the beginning of runs made again."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch

from course_lib.memoryless import Ensemble, Sizes, read, train
from course_lib.published import P, example
from course_lib.results import load
from course_lib.sources import Memoryless
from studies import cures

SMALLEST, LARGEST = (16, 8, 4, 16), (128, 128, 64, 512)
SOURCE = Memoryless(P[4])


TABLE = load("cures")
RUNS = {(tuple(row["shape"]), row["training"]): row for row in TABLE["rows"]}


def test_all_trainings_are_equal_in_data():  # R7
    for shape in cures.SHAPES:
        for training in cures.cures(shape[1]).values():
            assert (training.updates * training.batch, training.sequences) == (24_000, 8000)


@pytest.mark.parametrize("shape", cures.SHAPES[:2])
def test_trainings_go_the_stored_way(
    shape,
):  # R7: the first 50 updates of two models, sizes, ranges and errors on the way
    seeds, times = cures.SEEDS[:2], cures.COURSE[:3]
    watch = cures.Watch(times)
    train(
        Sizes(cures.SOURCE.v, *shape),
        cures.SOURCE,
        seeds,
        replace(cures.cures(shape[1])["as published"], updates=times[-1]),
        watch=watch,
    )
    for name, course in RUNS[shape, "as published"]["course"].items():
        assert np.array(watch.course[name]) == pytest.approx(np.array(course)[: len(times), :2], rel=2e-2, abs=2e-3), (
            name
        )
    assert cures.shares(shape, seeds)["labels"] == TABLE["counting"][str(list(shape))]["labels"][:2]


@pytest.mark.parametrize("name", ["as published", "batch 64"])
def test_a_row_says_what_its_models_do(name, monkeypatch):
    """A short training in place of the whole: the predictions by the ensemble itself; the averages are of
    parameters."""
    shape, seeds = cures.SHAPES[0], cures.SEEDS[:2]
    short = replace(
        cures.cures(shape[1])[name], updates=775 if name == "as published" else 25
    )  # late predictions begin with 775
    monkeypatch.setattr(cures, "cures", lambda d: {name: short})
    rows = cures.rows_of(shape, name, seeds)
    assert [row["training"] for row in rows] == [
        name,
        *(("tail mean", "running mean") if name == "as published" else ()),
    ]
    ensemble = train(Sizes(cures.SOURCE.v, *shape), cures.SOURCE, seeds, replace(short, average=None)).ensemble
    assert rows[0]["q"] == cures.short(read(ensemble, cures.SOURCE).q)
    for row in rows[1:]:
        assert not np.allclose(row["q"], rows[0]["q"], atol=1e-4) and np.sum(row["q"], 1) == pytest.approx(
            np.ones(2), abs=5e-4
        )


def test_the_running_average_begins_as_the_model_and_not_as_nothing():
    watch, ensemble = cures.Watch(()), Ensemble(Sizes(cures.SOURCE.v, *cures.SHAPES[0]), cures.SEEDS[:2])
    watch(1, ensemble)
    torch.testing.assert_close(watch.mean, ensemble.flat)


def test_attention_outweighs_more_in_large_models_and_not_tenfold(record):  # R7, R-E20
    ratio_small = record("R7.ratio_small", np.median(RUNS[SMALLEST, "as published"]["course"]["mean ratio"][-1]))
    ratio_large = record("R7.ratio_large", np.median(RUNS[LARGEST, "as published"]["course"]["mean ratio"][-1]))
    assert 2 < ratio_small < 5 < ratio_large < 10
    Z = example()["Z"]  # the share of the printed Z that differs between rows
    assert ((Z - Z.mean(0)) ** 2).sum() / (Z**2).sum() < 0.005


def test_the_range_over_inputs_is_not_below_one_point(record):  # R-E22
    medians = [np.median(RUNS[shape, "as published"]["spread"]) for shape in cures.SHAPES]
    assert record("R-E22.smallest", medians[0]) > 1.5
    assert record("R-E22.largest", medians[-1]) < 1
    below = np.concatenate([np.array(RUNS[shape, "as published"]["spread"]) < 1 for shape in cures.SHAPES]).sum()
    assert record("R-E22.below", int(below)) < 72 / 4
    assert record("R-E22.longer", np.median(RUNS[SMALLEST, "8,000 updates"]["spread"])) > 1
    grown = []  # the same starts, trained on to 8,000 updates on the same sequences
    for shape in cures.SHAPES[:3]:
        longer = np.array(RUNS[shape, "8,000 updates"]["spread"])
        grown.append(int((longer > np.array(RUNS[shape, "as published"]["spread"])[: len(longer)]).sum()))
    assert grown == [6, 6, 7]


def labels(shape: tuple[int, ...]) -> np.ndarray:
    """Shares of the words among each model's own labels."""
    return np.array(TABLE["counting"][str(list(shape))]["labels"])


def test_the_error_oscillates_and_its_mean_counts():  # R-E23: at every size, and nearly as well as counting the labels
    correlations = []  # of q₁ of the averaged model with the share of word 1 among its labels
    for shape in cures.SHAPES:
        run = RUNS[shape, "as published"]
        of_mean = 100 * abs(np.array(run["late mean q"]) - P[4]).max(-1).mean()
        counted = 100 * abs(labels(shape) - P[4]).max(-1).mean()
        assert np.mean(run["late error"]) > 4 * of_mean and of_mean < 1.6 * counted
        correlations.append(np.corrcoef(np.array(RUNS[shape, "tail mean"]["q"])[:, 0], labels(shape)[:, 0])[0, 1])
        if shape == LARGEST:
            assert np.mean(run["late error"]) > 5 * of_mean
    assert np.mean(correlations) > 0.8


def errors(shape: tuple[int, ...], training: str) -> np.ndarray:
    """err of each seed's model, percentage points."""
    return 100 * abs(np.array(RUNS[shape, training]["q"]) - SOURCE.p).max(-1)


def gain(seed: int) -> float:
    """The mean over the shapes that have this seed of log(err of the averaged model / err as published)."""
    pairs = [(errors(shape, "tail mean"), errors(shape, "as published")) for shape in cures.SHAPES]
    return np.mean([math.log(averaged[seed] / plain[seed]) for averaged, plain in pairs if seed < len(plain)])


def test_fewer_parameters_help_less_than_averaging():  # R-E23
    found = [errors(shape, "as published") for shape in cures.SHAPES]
    numbers = [TABLE["settings"]["learnables"][str(list(shape))] for shape in cures.SHAPES]
    x = np.repeat(np.log(numbers), [len(each) for each in found])
    assert 0 < np.polyfit(x, np.log(np.concatenate(found)), 1)[0] < 0.2
    smallest = errors(SMALLEST, "as published").mean()
    assert 1.5 < errors(LARGEST, "as published").mean() / smallest < 3
    gains = [gain(seed) for seed in cures.SEEDS]
    assert max(gains) < 0  # all 16 seeds: a sign test gives 2^-15
    assert math.exp(np.mean(gains)) < 0.25
    assert errors(LARGEST, "tail mean").mean() < smallest / 2


def test_a_falling_rate_and_averages_divide_the_error_and_not_all_of_them_count():
    plain = {shape: errors(shape, "as published").mean() for shape in cures.SHAPES}
    for name in ("linear", "cosine", "tail mean", "last epoch", "last two epochs", "running mean"):
        assert all(errors(shape, name).mean() < plain[shape] / 3 for shape in cures.SHAPES), name
    by_count = {shape: 100 * abs(labels(shape) - P[4]).max(-1).mean() for shape in cures.SHAPES}
    assert all(errors(shape, "last epoch").mean() < 1.3 * by_count[shape] for shape in cures.SHAPES)
    assert errors(LARGEST, "linear").mean() > 2 * by_count[LARGEST]


def test_whole_epochs_come_nearer_to_their_own_labels():
    def distance(shape, name, shares):
        return 100 * abs(np.array(RUNS[shape, name]["q"]) - shares).max(-1).mean()

    for shape in cures.SHAPES:
        assert distance(shape, "last epoch", labels(shape)) < distance(shape, "tail mean", labels(shape))
        if shape != LARGEST:  # the last half has seen half of the labels twice
            twice = np.array(RUNS[shape, "last epoch"]["labels of the last half"])
            assert distance(shape, "tail mean", twice) < distance(shape, "tail mean", labels(shape))


def test_an_epochs_mean_is_the_mean_of_its_iterates(monkeypatch):
    """A training of three epochs of two updates: the averages by a plain loop, and the labels that the last half has
    seen."""
    shape, seeds, short = cures.SHAPES[0], (0, 1), replace(cures.Training(), updates=6, sequences=32)
    monkeypatch.setattr(cures, "Training", lambda: short)
    monkeypatch.setattr(cures, "seeds_of", lambda shape: seeds)
    rows, flats = cures.epochs_rows(shape), []
    final = train(
        Sizes(SOURCE.v, *shape),
        SOURCE,
        seeds,
        short,
        watch=lambda update, ensemble: flats.append(ensemble.flat.clone()),
    ).ensemble
    for row, kept in zip(rows, (2, 4), strict=True):
        assert row["q"] == cures.short(read(final.at(torch.stack(flats[-kept:]).double().mean(0)), SOURCE).q)
    batches = cures.Batches(SOURCE, seeds, shape[0], 16, 32)
    seen = np.stack([batches.at(update)[1].numpy() for update in (3, 4, 5)], 1).reshape(2, -1)
    assert rows[0]["labels of the last half"] == cures.short([np.bincount(each, minlength=4) / 48 for each in seen])
