"""Errata of source R: its three tables and its worked example, replayed from the printed figures."""

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.memoryless import Batches, Ensemble, Sizes, SourceModel, count
from course_lib.published import P, example, rows
from course_lib.sources import Memoryless
from tests.shared.record import rounding
from tests.shared.seeded import F64, rng, seeded

ROUNDING = 0.005  # of a printed percentage
HALF_DIGIT = 0.5e-4  # of a number printed to four decimals
EXAMPLE = Sizes(v=4, n=8, d=4, m=4, r=16)
X = example()


def softmax(scores: np.ndarray, axis: int = -1) -> np.ndarray:
    return torch.softmax(torch.as_tensor(scores), axis).numpy()


def test_parameter_counts_of_the_72_rows():  # R-E1
    assert sum(count(Sizes(row.v, row.n, row.d, row.m, row.r)) == row.learnables for row in rows()) == 72
    assert count(EXAMPLE) == 316  # the count the document prints for its example


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


def test_only_one_reading_of_the_attention_formula_replays():  # R-E8
    found = {}  # which product, softmax along which axis, transposed after it or not, divided by what
    for product, scores in {"QK": X["Q"] @ X["K"].T, "KQ": X["K"] @ X["Q"].T}.items():
        for axis in (0, 1):
            for scale in (1.0, 2.0):
                weights = softmax(scores / scale, axis)
                for transposed, A in ((False, weights), (True, weights.T)):
                    found[product, axis, transposed, scale] = abs(A @ X["V"] - X["A"]).max()
    right = found.pop(("QK", 1, False, 2.0))
    # the printed A carries its own rounding and that of Q, K and V
    assert right < 1.2 * HALF_DIGIT
    assert found.pop(("KQ", 0, True, 2.0)) == pytest.approx(right)  # the same thing written otherwise
    assert min(found.values()) > 2 * HALF_DIGIT


def test_rows_are_normalised_one_by_one():  # R-E10: each normalised row obeys one linear relation, so the rank is 3
    Z, Y = (np.linalg.svd(X[name] - X[name].mean(0))[1][-1] for name in "ZY")
    assert Z < 4 * HALF_DIGIT
    assert Y > 100 * HALF_DIGIT


def gradients(seed: int) -> dict[str, torch.Tensor]:
    """Gradient of the printed model's loss over 64 random sequences, at random parameters."""
    g, model = seeded(seed), SourceModel(EXAMPLE, **F64)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=g, **F64))
    words, next_words = torch.randint(0, 4, (64, 8), generator=g), torch.randint(0, 4, (64,), generator=g)
    F.cross_entropy(model(words), next_words).backward()
    return {name: parameter.grad for name, parameter in model.named_parameters()}


def test_key_bias_and_spare_embedding_are_never_trained():  # R-E14: m + d of the 316
    runs = [gradients(seed) for seed in range(5)]
    # a ReLU unit may be silent by chance: only what is zero at every seed is zero by construction
    zero = sum(int((torch.stack([abs(run[name]) for run in runs]).amax(0) < 1e-12).sum()) for name in runs[0])
    assert zero == 4 + 4
    assert runs[0]["w_k"].abs().max() < 1e-12 < runs[0]["w_q"].abs().max()
    assert runs[0]["E"][4].abs().max() == 0 < runs[0]["E"][:4].abs().min()


def test_last_entry_of_the_error(record):  # R-E18
    assert record("R-E18.e4", abs(X["p"][3] - X["q"][3])) == pytest.approx(0.0025)


def test_worked_example_replays_step_by_step(record):  # R-E19: each step from the printed matrices before it
    logit = X["z_8"] @ X["W_3"] + X["w_3"]
    steps = {
        "X": X["E"][X["x"] - 1] + X["P"],
        "A": softmax(X["Q"] @ X["K"].T / 2) @ X["V"],
        "A_O": X["A"] @ X["W_O"] + X["w_o"],
        "Y": X["X"] + X["A_O"],
        "z_8": X["Z"][7],
        "logit": logit,
        "q": softmax(logit),
    }
    # two roundings add up where two printed matrices are added; a matrix product carries more of them
    assert max(abs(value - X[name]).max() for name, value in steps.items()) < 2.1 * HALF_DIGIT
    assert abs(X["A"] @ X["W_O"].T + X["w_o"] - X["A_O"]).max() > 0.1
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
    """Mean over models of the exact loss less the loss on the model's own sequences, nats, after 1,500 updates as published."""
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


def test_a_new_order_hardly_keeps_from_overfitting():  # R-E30
    few = gap(64, True)
    assert few / gap(64, False) > 0.8
    assert gap(1024, True) / few < 0.02
