"""The page on training source R's model: its loop, and its stored study with runs made again."""

import math
from functools import cache

import numpy as np
import pytest
import torch

from course_lib.memoryless import Sizes, Training, train
from course_lib.published import P, example
from course_lib.results import load
from course_lib.sources import Memoryless, divergence, entropy
from studies import budget_readings
from tests.shared.seeded import rng

SIZES, SOURCE, BATCH = Sizes(v=4, n=8, d=4, m=4, r=16), Memoryless(P[4]), 16
ROWS = {(row["updates"], row["beta"]): row for row in load("budget_readings")["rows"]}


def test_a_budget_of_8000_iterations_has_three_readings(record):  # R2, R-E15
    def updates(sequences, epochs=3):
        """What the printed program makes: whole batches only, in every epoch."""
        return epochs * (sequences // BATCH)

    assert record("R2.sequences", updates(8000)) == 1500
    assert 8000 % 3 == 2  # so 8,000 updates are no whole number of epochs
    assert updates(8000 * BATCH) == 24000
    assert record("R-E15.an_epoch", updates(8000, epochs=1)) == 500  # and not N, as the text says


def varentropy(p: np.ndarray) -> float:
    """The variance of −log p_i for i drawn from p, nats²."""
    return float((p * np.log(p) ** 2).sum() - entropy(p) ** 2)


NOISE = math.sqrt(varentropy(SOURCE.p) / BATCH)  # of a batch


@cache
def short_run() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Batch losses [6, 200], and H(p, q) − H(p) and err in points after each of the first 24 updates [24, 6]."""
    inputs, excess, errors = torch.from_numpy(SOURCE.sample(64, SIZES.n, rng(7))), [], []

    def watch(update, ensemble):
        if update <= 24:
            q = ensemble.logits(inputs).softmax(-1).numpy()
            excess.append(divergence(SOURCE.p, q).mean(-1))
            errors.append(100 * abs(q.mean(1) - SOURCE.p).max(-1))

    losses = train(SIZES, SOURCE, range(6), Training(updates=200), dtype=torch.float64, watch=watch).losses
    return losses, np.array(excess), np.array(errors)


def test_the_loss_swings_by_its_labels():  # R6
    assert pytest.approx(math.log(2) * math.sqrt(0.6875) / 4) == NOISE  # in bits the costs are 1, 2, 3, 3
    assert float(short_run()[0][:, 100:].std()) == pytest.approx(NOISE, rel=0.08)
    assert np.median(ROWS[1500, 0.95]["excess"]) < NOISE / 50


def test_the_loss_is_at_the_floor_long_before_q_is_at_p(
    record,
):  # R6: the first update with a median excess below the noise
    _, excess, errors = short_run()
    within = int(np.argmax(np.median(excess, 1) < NOISE)) + 1
    assert 5 <= record("R6.within", within, rtol=0.2) <= 20
    assert np.median(errors[within - 1]) > 10


def test_two_of_six_trainings_cannot_have_made_the_printed_model():  # R-E25
    marks = budget_readings.moved(example())  # the printed model's root mean squares of what starts at zero or near it
    below = {
        key: {name: int((np.array(row[name]) < mark).sum()) for name, mark in marks.items()}
        for key, row in ROWS.items()
    }
    assert {key for key, moved in below.items() if {0, 32} & set(moved.values())} == {(1500, 0.999), (24000, 0.95)}
    assert 32 - below[1500, 0.999]["w_o"] == 0
    assert below[24000, 0.95]["w_o"] == 0
    assert 32 - below[1500, 0.95]["w_o"] == 4
    assert marks["w_o"] == pytest.approx(np.linalg.norm([-0.0278, 0.0405, -0.0146, 0.1571]) / 2)
