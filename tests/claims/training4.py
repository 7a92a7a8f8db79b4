"""Chapter 4's page on training: what a loss curve is made of, what a budget can mean, and what β₂ leaves behind."""

import math
from functools import cache

import numpy as np
import torch

from course_lib.memoryless import Sizes, Training, train
from course_lib.published import P, example
from course_lib.results import load
from course_lib.sources import Memoryless, divergence, entropy

from . import claim

SIZES, SOURCE = Sizes(v=4, n=8, d=4, m=4, r=16), Memoryless(P[4])
PRINTED_LOSS, PRINTED_ITERATIONS, EPOCHS, BATCH = 1.2165, 8000, 3, 16
MARKS = ("w_o", "w_3", "P, last row", "P, other rows")


def varentropy(p: np.ndarray) -> float:
    """The variance of −log p_i for i drawn from p, nats²."""
    return float((p * np.log(p) ** 2).sum() - entropy(p) ** 2)


# --- R2, R-E15: what the iteration count can mean ---------------------------------------------------------------------


def updates(sequences: int, batch: int = BATCH, epochs: int = EPOCHS) -> int:
    """What the printed program makes: whole batches only, in every epoch."""
    return epochs * (sequences // batch)


@claim("R2.sequences")
def updates_if_8000_are_sequences() -> int:
    return updates(PRINTED_ITERATIONS)


@claim("R2.remainder")
def what_three_epochs_leave_over_of_8000_updates() -> int:
    return PRINTED_ITERATIONS % EPOCHS


@claim("R2.every_epoch")
def updates_if_8000_are_those_of_an_epoch() -> int:
    return updates(PRINTED_ITERATIONS * BATCH)


@claim("R-E15.an_epoch")
def updates_an_epoch_of_8000_sequences() -> int:
    return updates(PRINTED_ITERATIONS, epochs=1)


# --- R6: the loss curve -----------------------------------------------------------------------------------------------


@claim("R6.noise")
def noise_of_a_batch() -> float:
    return math.sqrt(varentropy(SOURCE.p) / BATCH)


@cache
def short_run() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Batch losses [6, 200], and H(p, q) − H(p) and err in points after each of the first 24 updates [24, 6]."""
    inputs, excess, errors = torch.from_numpy(SOURCE.sample(64, SIZES.n, np.random.default_rng(7))), [], []

    def watch(update, ensemble):
        if update <= 24:
            q = ensemble.logits(inputs).softmax(-1).numpy()
            excess.append(divergence(SOURCE.p, q).mean(-1))
            errors.append(100 * abs(q.mean(1) - SOURCE.p).max(-1))

    losses = train(SIZES, SOURCE, range(6), Training(updates=200), dtype=torch.float64, watch=watch).losses
    return losses, np.array(excess), np.array(errors)


@claim("R6.swing", rtol=0.01)
def swing_of_the_loss_in_training() -> float:
    return float(short_run()[0][:, 100:].std())


def update_within_the_noise() -> int:
    """The first update after which the median excess is below the noise of a batch."""
    return int(np.argmax(np.median(short_run()[1], 1) < noise_of_a_batch())) + 1


@claim("R6.within", rtol=0.2)
def first_update_within_the_noise() -> float:
    return float(update_within_the_noise())


@claim("R6.error", rtol=0.02)
def error_when_the_loss_has_come_to_the_floor() -> float:
    return float(np.median(short_run()[2][update_within_the_noise() - 1]))


@claim("R6.last_losses")
def printed_mean_of_the_last_losses_in_standard_deviations() -> float:
    """If they are 150 batches; the theory is H(p)."""
    return (PRINTED_LOSS - entropy(SOURCE.p)) / math.sqrt(varentropy(SOURCE.p) / (BATCH * 150))


# --- R-E25: which β₂ --------------------------------------------------------------------------------------------------


def rows() -> dict[tuple[int, float], dict]:
    return {(row["updates"], row["beta"]): row for row in load("budget_readings")["rows"]}


def difference(name: str, count: int) -> tuple[float, float]:
    """β₂ = 0.999 less 0.95, seed by seed: the mean, and its standard error."""
    table = rows()
    each = np.array(table[count, 0.999][name]) - np.array(table[count, 0.95][name])
    return float(each.mean()), float(each.std(ddof=1) / math.sqrt(len(each)))


@claim("R6.excess")
def excess_late_in_a_run_as_published() -> float:
    return float(np.median(rows()[1500, 0.95]["excess"]))


@claim("R-E25.error")
def largest_change_of_the_mean_error() -> float:
    return max(abs(difference("error", count)[0]) for count in (1500, 8000, 24000))


@claim("R-E25.drift")
def how_many_times_as_far_the_output_bias_moves() -> float:
    table = rows()
    return float(np.median(table[1500, 0.95]["w_o"]) / np.median(table[1500, 0.999]["w_o"]))


def marks() -> dict[str, float]:
    """The printed model's root mean squares of what starts at zero or near it."""
    printed = example()
    parts = (printed["w_o"], printed["w_3"], printed["P"][-1], printed["P"][:-1])
    return {name: float(np.sqrt((part**2).mean())) for name, part in zip(MARKS, parts, strict=True)}


def below(count: int, beta: float) -> dict[str, int]:
    """How many of the models have moved less than the printed one."""
    row = rows()[count, beta]
    return {name: int((np.array(row[name]) < mark).sum()) for name, mark in marks().items()}


@claim("R-E25.short")
def models_that_move_as_far_with_1500_updates_and_the_programs_beta() -> int:
    return 32 - below(1500, 0.999)["w_o"]


@claim("R-E25.long")
def models_that_move_as_little_with_24000_updates_and_the_tables_beta() -> int:
    return below(24000, 0.95)["w_o"]


@claim("R-E25.tables")
def models_that_move_as_far_with_1500_updates_and_the_tables_beta() -> int:
    return 32 - below(1500, 0.95)["w_o"]
