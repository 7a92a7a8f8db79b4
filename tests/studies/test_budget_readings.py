"""The page on training source R's model: its theorem by enumeration, its loop, its stored study with runs made again."""

import itertools
import math
import re
from functools import cache

import numpy as np
import pytest
import torch

from course_lib.memoryless import Sizes, Training, read, train
from course_lib.published import P, example
from course_lib.results import load
from course_lib.sources import Memoryless, divergence, entropy
from studies import budget_readings
from tests.shared.lab_notebook import printed
from tests.shared.seeded import rng

SIZES, SOURCE, BATCH = Sizes(v=4, n=8, d=4, m=4, r=16), Memoryless(P[4]), 16
ROWS = {(row["updates"], row["beta"]): row for row in load("budget_readings")["rows"]}


def test_a_budget_of_8000_iterations_has_three_readings(record):  # R2, R-E15
    def updates(sequences, epochs=3):
        """What the printed program makes: whole batches only, in every epoch."""
        return epochs * (sequences // BATCH)

    assert record("R2.sequences", updates(8000)) == 1500
    assert 8000 % 3 == 2  # so 8,000 updates are no whole number of epochs
    assert record("R2.every_epoch", updates(8000 * BATCH)) == 24000
    assert record("R-E15.an_epoch", updates(8000, epochs=1)) == 500  # and not N, as the text says


def varentropy(p: np.ndarray) -> float:
    """The variance of −log p_i for i drawn from p, nats²."""
    return float((p * np.log(p) ** 2).sum() - entropy(p) ** 2)


def test_label_noise_is_the_variance_over_all_labels():  # R6: the theorem, by going through every batch of three labels
    p, q = np.array([0.5, 0.3, 0.2]), np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [1 / 3, 1 / 3, 1 / 3]])
    batches = list(itertools.product(range(3), repeat=3))
    chances = np.array([p[list(y)].prod() for y in batches])
    losses = np.array([-np.log(q[range(3), y]).mean() for y in batches])
    exact = -(p * np.log(q)).sum(-1).mean()
    variance = sum((p * np.log(row) ** 2).sum() - (p * np.log(row)).sum() ** 2 for row in q) / 9
    assert chances @ losses == pytest.approx(exact)
    assert chances @ (losses - exact) ** 2 == pytest.approx(variance)
    assert varentropy(np.full(4, 0.25)) == pytest.approx(0, abs=1e-12)  # an even source has a silent curve
    assert math.sqrt(varentropy(np.array([0.75, 0.25]))) == pytest.approx(math.log(3) * math.sqrt(3) / 4)


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


def test_the_loss_is_at_the_floor_long_before_q_is_at_p(record):  # R6: the first update with a median excess below the noise
    _, excess, errors = short_run()
    within = int(np.argmax(np.median(excess, 1) < NOISE)) + 1
    assert 5 <= record("R6.within", within, rtol=0.2) <= 20
    assert record("R6.error", np.median(errors[within - 1]), rtol=0.02) > 10


def test_the_printed_mean_of_the_last_losses_is_within_chance(record):  # R6
    """A binomial way to the same: 2,400 labels that cost 1, 2 or 3 bits."""
    drawn = rng().multinomial(2400, P[4], size=20_000) @ -np.log(P[4]) / 2400
    last_losses = record("R6.last_losses", (1.2165 - entropy(SOURCE.p)) / math.sqrt(varentropy(SOURCE.p) / 2400))
    assert last_losses == pytest.approx((1.2165 - entropy(P[4])) / drawn.std(), rel=0.03)
    assert 0.2 < (drawn > 1.2165).mean() < 0.45


def test_beta_does_not_change_the_error():  # R-E25: β₂ = 0.999 less 0.95, seed by seed
    for count in budget_readings.UPDATES:
        each = np.subtract(ROWS[count, 0.999]["error"], ROWS[count, 0.95]["error"])
        assert abs(each.mean()) < 0.1 and each.std(ddof=1) / math.sqrt(len(each)) < 0.05  # points, of errors of one point and more


def test_beta_changes_how_far_learnables_drift():  # R-E25
    moved = {key: np.array(row["w_o"]) for key, row in ROWS.items()}
    assert np.median(moved[1500, 0.95]) > 1.9 * np.median(moved[1500, 0.999])
    for count in budget_readings.UPDATES:
        assert (moved[count, 0.95] > moved[count, 0.999]).mean() > 0.8


def test_two_of_six_trainings_cannot_have_made_the_printed_model(record):  # R-E25
    marks = budget_readings.moved(example())  # the printed model's root mean squares of what starts at zero or near it
    below = {key: {name: int((np.array(row[name]) < mark).sum()) for name, mark in marks.items()} for key, row in ROWS.items()}
    assert {key for key, moved in below.items() if {0, 32} & set(moved.values())} == {(1500, 0.999), (24000, 0.95)}
    assert 32 - below[1500, 0.999]["w_o"] == 0
    assert record("R-E25.long", below[24000, 0.95]["w_o"]) == 0
    assert 32 - below[1500, 0.95]["w_o"] == 4
    assert marks["w_o"] == pytest.approx(np.linalg.norm([-0.0278, 0.0405, -0.0146, 0.1571]) / 2)


def test_a_sample_of_the_stored_study_comes_out_again():
    """One seed alone, in float64: what an ensemble of 32 in float32 stored, within rounding that training has blown up."""
    assert budget_readings.training(1500, 0.95).sequences == 8000
    row, seed = ROWS[1500, 0.999], 3
    training = budget_readings.training(1500, 0.999)
    trained = train(budget_readings.SIZES, budget_readings.SOURCE, [seed], training, dtype=torch.float64)
    w_o = trained.ensemble.model(0).w_o.detach()
    assert float(w_o.square().mean().sqrt()) == pytest.approx(row["w_o"][seed], rel=0.02)
    assert read(trained.ensemble, budget_readings.SOURCE).error[0] == pytest.approx(row["error"][seed], abs=0.05)
    assert trained.losses[0, -150:].mean() == pytest.approx(row["last losses"][seed], abs=1e-3)
    assert len(ROWS) == 6 and all(len(row["w_o"]) == 32 for row in ROWS.values())


def test_moved_is_a_root_mean_square_model_by_model():
    generator = rng()
    parameters = {"w_o": generator.normal(size=(3, 4)), "w_3": generator.normal(size=(3, 5)), "P": generator.normal(size=(3, 6, 4))}
    moved = budget_readings.moved(parameters)
    for i in range(3):
        assert moved["w_3"][i] == pytest.approx(math.sqrt(sum(x * x for x in parameters["w_3"][i]) / 5))
        assert moved["P, other rows"][i] == pytest.approx(math.sqrt((parameters["P"][i, :5] ** 2).mean()))
        assert budget_readings.moved({name: value[i] for name, value in parameters.items()})["P, last row"] == pytest.approx(moved["P, last row"][i])


def test_the_page_says_what_it_printed():
    text = printed("chapters/04_memoryless/04_training")
    loss, noise, exact = map(float, re.search(r"swings by ±([\d.]+), its label noise by ±([\d.]+), H\(p, q\) by ±([\d.]+)", text).groups())
    assert abs(loss - noise) < 0.005 and exact < loss / 30
    assert text.count("equal to 1e-10: True") == 3 and "equal to 1e-10: False" not in text
    assert "last row of A: 0.000" in text
    update, err = map(int, re.search(r"noise of one batch: from update (\d+) on, where err is still (\d+) points", text).groups())
    assert update <= 10 < err  # "within ten updates, when q is wrong by more than ten points"
    low, high = map(float, re.search(r"last 150 losses: from ([\d.]+) to ([\d.]+);", text).groups())
    assert low < 1.195 and low < 1.2165 < high
    assert "0.14 with β₂ = 0.95, 0.09 with 0.999" in text
    assert len(re.findall(r"updates, β₂ = [\d.]+ .*outside", text)) == 2
