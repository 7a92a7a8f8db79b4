"""Errata of source R: its three tables and its worked example, replayed from the printed figures."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.memoryless import Batches, Ensemble, Sizes, count
from course_lib.published import P, example, rows
from course_lib.sources import Memoryless
from tests.shared.record import rounding
from tests.shared.seeded import rng

ROUNDING = 0.005  # of a printed percentage
HALF_DIGIT = 0.5e-4  # of a number printed to four decimals
EXAMPLE = Sizes(v=4, n=8, d=4, m=4, r=16)
X = example()


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return torch.softmax(torch.as_tensor(scores), axis).numpy()


def test_printed_errors_and_losses():  # R-E2
    # |p - q| is known to the rounding of q, and the printed error to its own
    gaps = [abs(100 * abs(row.q - P[row.v]).max() - row.error) for row in rows()]
    assert sum(bool(gap <= 2 * ROUNDING + 1e-9) for gap in gaps) == 72
    agreeing = 0
    for row in rows():
        half = 5e-6 if row.v == 2 else 5e-5  # losses are printed to five decimals in Table 3, to four in 4 and 5
        low, high = (-(P[row.v] * np.log(row.q + shift / 100)).sum() for shift in (ROUNDING, -ROUNDING))
        agreeing += bool(low - half - 1e-12 <= row.loss <= high + half + 1e-12)
    assert agreeing == 72


def test_rows_sum_to_exactly_100():  # R-E3: so the printed q are not rounded one by one
    longer, generator, missing = [row for row in rows() if row.v > 2], rng(), 0.0
    assert sum(round(10_000 * row.q.sum()) != 10_000 for row in longer) == 0
    for row in longer:  # how many of the 48 would miss 100.00 if they were, simulated round the printed q
        q = 100 * row.q + generator.uniform(-ROUNDING, ROUNDING, (2000, row.v))
        missing += (np.round(100 * q / q.sum(1, keepdims=True), 2).sum(1).round(2) != 100).mean()
    assert missing > 5


def test_tables_can_tell_d_from_m():  # R-E7
    assert sum(row.d != row.m for row in rows() if row.v == 2) == 18
    assert X["d"] == X["m"]  # so the worked example cannot


def test_last_entry_of_the_error(record):  # R-E18
    assert record("R-E18.e4", abs(X["p"][3] - X["q"][3])) == pytest.approx(0.0025)


def test_worked_example_has_the_printed_size_and_floor(record):  # R-E19; step by step: tests/library/test_replay.py
    assert record("R-E19.learnables", count(EXAMPLE)) == 316
    assert record("R-E19.loss", -(P[4] * np.log(P[4])).sum()) == pytest.approx(1.213, abs=5e-4)


def test_attention_output_is_not_ten_times_larger(record):  # R-E20
    norm = record("R-E20.norm", np.linalg.norm(X["A_O"]) / np.linalg.norm(X["X"]))
    mean = record("R-E20.mean", abs(X["A_O"]).mean() / abs(X["X"]).mean())
    assert 3 < norm < mean < 5
    column = (np.linalg.norm(X["A_O"], axis=0) / np.linalg.norm(X["X"], axis=0)).max()
    assert record("R-E20.column", column) < 10


def test_rows_of_z_follow_their_own_word():  # R-E21: the last layer reads every printed row of Z, not only the last
    gaps = abs(softmax(X["Z"] @ X["W_3"] + X["w_3"]) - X["q"]).max(1)
    assert gaps[7] < HALF_DIGIT
    four = rounding(100 * gaps[X["x"] == 4].max())  # percentage points; 4 is the last row's word
    one = 100 * gaps[X["x"] == 1].max()
    assert four < 0.2 < 2 < one


def test_what_is_called_log_probs_are_probabilities():  # R-E29
    assert X["q"].sum() == pytest.approx(1, abs=2e-4)
    assert (X["q"] > 0).all()


def gap(sequences: int, shuffled: bool, seeds: int = 16) -> float:
    """Mean over models of the exact loss less the loss on the model's own sequences, nats, after 1,500 updates as
    published."""
    source, own = Memoryless(P[4]), []
    ensemble = Ensemble(EXAMPLE, range(seeds), betas=(0.9, 0.95), dtype=torch.float64)
    data = Batches(source, range(seeds), EXAMPLE.n, 16, sequences)
    for update in range(1500):
        ensemble.step(*data.at(update if shuffled else update % data.an_epoch), 1e-3)
    for seed in range(seeds):
        words = torch.from_numpy(source.sample(sequences, EXAMPLE.n + 1, np.random.default_rng([seed, 0, 0]))).long()
        log_q = ensemble.model(seed)(words[:, :-1]).detach().log_softmax(-1)
        own.append((F.nll_loss(log_q, words[:, -1]) + (log_q @ torch.tensor(source.p)).mean()).item())
    return -float(np.mean(own))


@pytest.mark.slow
def test_a_new_order_hardly_keeps_from_overfitting():  # R-E30
    few = gap(64, True)
    assert few / gap(64, False) > 0.8
    assert gap(1024, True) / few < 0.02
