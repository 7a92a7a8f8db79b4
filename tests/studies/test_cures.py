"""The page that tests source R's conclusions: its theorems by other ways, and its stored study, with the beginning of runs made again."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.memoryless import Sizes, SourceModel, read, train
from course_lib.published import P, example
from course_lib.results import load
from course_lib.sources import Memoryless
from studies import cures
from tests.shared.record import largest
from tests.shared.seeded import F64, rng, seeded

SMALLEST, LARGEST = (16, 8, 4, 16), (128, 128, 64, 512)
SOURCE = Memoryless(P[4])


TABLE = load("cures")
RUNS = {(tuple(row["shape"]), row["training"]): row for row in TABLE["rows"]}


def test_every_prediction_is_one():  # R7
    for (shape, name), row in RUNS.items():
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
    for name, course in RUNS[shape, "as published"]["course"].items():
        assert np.array(watch.course[name]) == pytest.approx(np.array(course)[: len(times), :2], rel=2e-2, abs=2e-3), name
    assert cures.shares(shape, seeds)["labels"] == TABLE["counting"][str(list(shape))]["labels"][:2]


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


def test_attention_outweighs_more_in_large_models_and_not_tenfold(record):  # R7, R-E20
    ratio_small = record("R7.ratio_small", np.median(RUNS[SMALLEST, "as published"]["course"]["mean ratio"][-1]))
    ratio_large = record("R7.ratio_large", np.median(RUNS[LARGEST, "as published"]["course"]["mean ratio"][-1]))
    assert 2 < ratio_small < 5 < ratio_large < 10
    for shape in cures.SHAPES:
        assert np.max(RUNS[shape, "as published"]["course"]["mean ratio"]) < 10
    Z = example()["Z"]  # the share of the printed Z that differs between rows
    assert record("R7.rows", ((Z - Z.mean(0)) ** 2).sum() / (Z**2).sum()) < 0.005


def test_the_range_over_inputs_is_not_below_one_point(record):  # R-E22
    medians = [np.median(RUNS[shape, "as published"]["spread"]) for shape in cures.SHAPES]
    assert record("R-E22.smallest", medians[0]) > 1.5
    assert record("R-E22.largest", medians[-1]) < 1
    below = np.concatenate([np.array(RUNS[shape, "as published"]["spread"]) < 1 for shape in cures.SHAPES]).sum()
    assert record("R-E22.below", int(below)) < 72 / 4
    assert record("R-E22.longer", np.median(RUNS[SMALLEST, "8,000 updates"]["spread"])) > 1


def labels(shape: tuple[int, ...]) -> np.ndarray:
    """Shares of the words among each model's own labels."""
    return np.array(TABLE["counting"][str(list(shape))]["labels"])


def test_the_error_oscillates_and_its_mean_counts(record):  # R-E23: at every size, and nearly as well as counting the labels
    correlations = []  # of q₁ of the averaged model with the share of word 1 among its labels
    for shape in cures.SHAPES:
        run = RUNS[shape, "as published"]
        of_mean = 100 * abs(np.array(run["late mean q"]) - P[4]).max(-1).mean()
        counted = 100 * abs(labels(shape) - P[4]).max(-1).mean()
        assert np.mean(run["late error"]) > 4 * of_mean and of_mean < 1.6 * counted
        correlations.append(np.corrcoef(np.array(RUNS[shape, "tail mean"]["q"])[:, 0], labels(shape)[:, 0])[0, 1])
        if shape == LARGEST:
            assert np.mean(run["late error"]) > 5 * record("R-E23.mean", of_mean)
    assert np.mean(correlations) > 0.8


def errors(shape: tuple[int, ...], training: str) -> np.ndarray:
    """err of each seed's model, percentage points."""
    return 100 * abs(np.array(RUNS[shape, training]["q"]) - SOURCE.p).max(-1)


def logs(name: str) -> np.ndarray:
    """For each of 16 seeds the mean over the shapes of log(err with the change / err as published)."""
    pairs = [(errors(s, name), errors(s, "as published")) for s in cures.SHAPES if (s, name) in RUNS]
    return np.array([np.mean([math.log(a[i] / b[i]) for a, b in pairs if i < len(a) and a[i] != b[i]]) for i in range(16)])


def test_fewer_parameters_help_less_than_averaging(record):  # R-E23
    found = [errors(shape, "as published") for shape in cures.SHAPES]
    numbers = [TABLE["settings"]["learnables"][str(list(shape))] for shape in cures.SHAPES]
    x = np.repeat(np.log(numbers), [len(each) for each in found])
    assert 0 < np.polyfit(x, np.log(np.concatenate(found)), 1)[0] < 0.2
    smallest = errors(SMALLEST, "as published").mean()
    assert 1.5 < record("R-E23.smaller", errors(LARGEST, "as published").mean() / smallest) < 3
    for name in ("tail mean", "running mean", "linear", "cosine"):
        assert (logs(name) < 0).all(), name  # all 16 seeds: a sign test gives 2^-15
    assert record("R-E23.tail", math.exp(logs("tail mean").mean())) < 0.25
    assert math.exp(logs("cosine").mean()) < 0.35
    for name in ("batch 64", "beta_2 0.999", "rate for the width", "rate of the widest"):
        assert 4 <= (logs(name) < 0).sum() <= 12, name  # no clear effect at equal data
    assert 0.7 < math.exp(logs("batch 64").mean()) < 1.1
    assert errors(LARGEST, "tail mean").mean() < smallest / 2


def long_run(p: np.ndarray, rate: float, batch: int) -> tuple[np.ndarray, float]:
    """The theorem's covariance of q, and its excess loss."""
    C = np.diag(p) - np.outer(p, p)
    inverse = np.linalg.inv(2 * np.eye(len(p)) - rate * C)
    return rate / batch * C @ C @ inverse, rate / (2 * batch) * float(np.trace(C @ inverse))


def test_the_noise_that_a_constant_rate_leaves():  # R7: the recursion of the covariance itself, iterated
    p, rate, batch = P[8], 0.5, 4
    C = np.diag(p) - np.outer(p, p)
    step, covariance = np.eye(8) - rate * C, np.zeros((8, 8))
    for _ in range(4000):
        covariance = step @ covariance @ step + rate**2 * C / batch
    of_q, excess = long_run(p, rate, batch)
    assert of_q == pytest.approx(C @ covariance @ C, abs=1e-12)
    assert excess == pytest.approx(np.trace(C @ covariance) / 2)
    small = long_run(p, 1e-4, batch)[1]
    assert small == pytest.approx(1e-4 / (4 * batch) * (1 - (p**2).sum()), rel=1e-4)


def books(updates: int = 20, rate: float = 0.1) -> np.ndarray:
    """Mean prediction − shares of the labels + (end − start of w_3)/(rate · updates), whole model, plain SGD."""
    sizes = Sizes(4, 8, 4, 4, 16)
    model, drawn = SourceModel(sizes, **F64), rng(1)
    optimiser = torch.optim.SGD(model.parameters(), lr=rate)
    before, balance = model.w_3.detach().clone(), torch.zeros(4, **F64)
    for _ in range(updates):
        words = torch.from_numpy(SOURCE.sample(16, sizes.n + 1, drawn)).long()
        logits = model(words[:, :-1])
        balance += (logits.detach().softmax(-1) - F.one_hot(words[:, -1], 4)).mean(0) / updates
        optimiser.zero_grad()
        F.cross_entropy(logits, words[:, -1]).backward()
        optimiser.step()
    return (balance + (model.w_3.detach() - before) / (rate * updates)).numpy()


def test_the_bias_keeps_the_books():  # R7
    assert largest(books()) == largest(books(updates=3)) == 0


@pytest.mark.parametrize(("optimiser", "options"), [("SGD", {}), ("Adam", {"eps": 1e-30, "betas": (0.9, 0.95)})])
def test_a_read_out_is_a_bias_at_a_higher_rate(optimiser, options):  # R7: the logits z W_3 + w_3, and a bias alone
    generator, rate = seeded(), 0.01
    z = torch.randn(6, generator=generator, **F64)
    targets = torch.randint(0, 4, (30, 16), generator=generator)

    def train(parameters, logits, rate):
        optim, seen = getattr(torch.optim, optimiser)(parameters, lr=rate, **options), []
        for labels in targets:
            row = logits()
            optim.zero_grad()
            F.cross_entropy(row.expand(16, 4), labels).backward()
            optim.step()
            seen.append(row.detach().clone())
        return torch.stack(seen)

    W = torch.zeros(6, 4, **F64, requires_grad=True)
    w, alone = (torch.zeros(4, **F64, requires_grad=True) for _ in range(2))
    size = z.square().sum() if optimiser == "SGD" else z.abs().sum()
    both = train([W, w], lambda: z @ W + w, rate)
    assert largest(both - train([alone], lambda: alone * 1, rate * (1 + size.item())), 1e-9) == 0
