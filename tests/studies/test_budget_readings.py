"""The page on training source R's model: its theorem by enumeration, its loop, its stored study with runs made again."""

import itertools
import json
import math
import re
from pathlib import Path

import numpy as np
import pytest
import torch
from claims import training4 as page

from course_lib.memoryless import SourceModel, read, train
from course_lib.published import P
from course_lib.sources import entropy
from studies import budget_readings

NOTEBOOK = Path(__file__).resolve().parents[2] / "chapters/04_memoryless/04_training.ipynb"


def printed():
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    return "".join("".join(output.get("text", [])) for cell in cells for output in cell.get("outputs", []))


def test_a_budget_of_8000_iterations_has_three_readings():  # R2, R-E15
    assert page.updates_if_8000_are_sequences() == 1500 == 3 * len(range(16, 8001, 16))
    assert page.what_three_epochs_leave_over_of_8000_updates() == 2  # so 8,000 updates are no whole number of epochs
    assert page.updates_if_8000_are_those_of_an_epoch() == 24000
    assert page.updates_an_epoch_of_8000_sequences() == 500 == 8000 / 16  # and not N, as the text says
    assert page.updates(50, 64) == 0 and page.updates(1000, 16, 2) == 124


def test_label_noise_is_the_variance_over_all_labels():  # R6: the theorem, by going through every batch of three labels
    p, q = np.array([0.5, 0.3, 0.2]), np.array([[0.2, 0.5, 0.3], [0.6, 0.1, 0.3], [1 / 3, 1 / 3, 1 / 3]])
    batches = list(itertools.product(range(3), repeat=3))
    chances = np.array([p[list(y)].prod() for y in batches])
    losses = np.array([-np.log(q[range(3), y]).mean() for y in batches])
    exact = -(p * np.log(q)).sum(-1).mean()
    variance = sum((p * np.log(row) ** 2).sum() - (p * np.log(row)).sum() ** 2 for row in q) / 9
    assert chances @ losses == pytest.approx(exact)
    assert chances @ (losses - exact) ** 2 == pytest.approx(variance)
    assert page.varentropy(np.full(4, 0.25)) == pytest.approx(0, abs=1e-12)  # an even source has a silent curve
    assert math.sqrt(page.varentropy(np.array([0.75, 0.25]))) == pytest.approx(math.log(3) * math.sqrt(3) / 4)


def test_the_loss_swings_by_its_labels():  # R6
    assert page.noise_of_a_batch() == pytest.approx(math.log(2) * math.sqrt(0.6875) / 4)  # in bits the costs are 1, 2, 3, 3
    assert page.swing_of_the_loss_in_training() == pytest.approx(page.noise_of_a_batch(), rel=0.08)
    assert page.excess_late_in_a_run_as_published() < page.noise_of_a_batch() / 50


def test_the_loss_is_at_the_floor_long_before_q_is_at_p():  # R6
    assert 5 <= page.first_update_within_the_noise() <= 20
    assert page.error_when_the_loss_has_come_to_the_floor() > 10


def test_the_printed_mean_of_the_last_losses_is_within_chance():  # R6
    """A binomial way to the same: 2,400 labels that cost 1, 2 or 3 bits."""
    drawn = np.random.default_rng(0).multinomial(2400, P[4], size=20_000) @ -np.log(P[4]) / 2400
    assert page.printed_mean_of_the_last_losses_in_standard_deviations() == pytest.approx((1.2165 - entropy(P[4])) / drawn.std(), rel=0.03)
    assert 0.2 < (drawn > 1.2165).mean() < 0.45


def test_beta_does_not_change_the_error():  # R-E25
    for count in budget_readings.UPDATES:
        mean, uncertain = page.difference("error", count)
        assert abs(mean) < 0.1 and uncertain < 0.05  # points, of errors of one point and more
    assert page.largest_change_of_the_mean_error() < 0.1


def test_beta_changes_how_far_learnables_drift():  # R-E25
    assert page.how_many_times_as_far_the_output_bias_moves() > 1.9
    for count in budget_readings.UPDATES:
        a, b = (np.array(page.rows()[count, beta]["w_o"]) for beta in (0.95, 0.999))
        assert (a > b).mean() > 0.8


def test_two_of_six_trainings_cannot_have_made_the_printed_model():  # R-E25
    outside = {key for key in page.rows() if {0, 32} & set(page.below(*key).values())}
    assert outside == {(1500, 0.999), (24000, 0.95)}
    assert page.models_that_move_as_far_with_1500_updates_and_the_programs_beta() == 0
    assert page.models_that_move_as_little_with_24000_updates_and_the_tables_beta() == 0
    assert page.models_that_move_as_far_with_1500_updates_and_the_tables_beta() == 4
    assert page.marks()["w_o"] == pytest.approx(np.linalg.norm([-0.0278, 0.0405, -0.0146, 0.1571]) / 2)


def test_a_sample_of_the_stored_study_comes_out_again():
    """One seed alone, in float64: what an ensemble of 32 in float32 stored, within rounding that training has blown up."""
    assert budget_readings.training(1500, 0.95).sequences == 8000
    row = page.rows()[1500, 0.999]
    for seed in (3,):
        trained = train(budget_readings.SIZES, budget_readings.SOURCE, [seed], budget_readings.training(1500, 0.999), dtype=torch.float64)
        model = trained.ensemble.model(0)
        assert isinstance(model, SourceModel)
        assert float(model.w_o.detach().square().mean().sqrt()) == pytest.approx(row["w_o"][seed], rel=0.02)
        assert read(trained.ensemble, budget_readings.SOURCE).error[0] == pytest.approx(row["error"][seed], abs=0.05)
        assert trained.losses[0, -150:].mean() == pytest.approx(row["last losses"][seed], abs=1e-3)
    assert len(page.rows()) == 6 and all(len(row["w_o"]) == 32 for row in page.rows().values())


def test_moved_is_a_root_mean_square_model_by_model():
    generator = np.random.default_rng(0)
    parameters = {"w_o": generator.normal(size=(3, 4)), "w_3": generator.normal(size=(3, 5)), "P": generator.normal(size=(3, 6, 4))}
    moved = budget_readings.moved(parameters)
    for i in range(3):
        assert moved["w_3"][i] == pytest.approx(math.sqrt(sum(x * x for x in parameters["w_3"][i]) / 5))
        assert moved["P, other rows"][i] == pytest.approx(math.sqrt((parameters["P"][i, :5] ** 2).mean()))
        assert budget_readings.moved({name: value[i] for name, value in parameters.items()})["P, last row"] == pytest.approx(moved["P, last row"][i])


def test_the_page_says_what_it_printed():
    text = printed()
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
