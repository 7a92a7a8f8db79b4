"""The page on teacher and student: what it says of its stored study, and the source's printed gradient beside
autograd's."""

import math

import numpy as np
import pytest
import torch

from course_lib.gaussian.beta import teach
from course_lib.gaussian.matrices import Weights
from course_lib.heads import random_heads
from course_lib.results import load
from studies import teacher_student as study
from tests.shared.seeded import rng

RUNS = load("teacher_student")["runs"]


def chosen(start: str, *names: str) -> list:
    """The runs of this setting, one a seed; or a number of each."""
    found = [run for key, run in RUNS.items() if key.startswith(start) and key.removeprefix(start).isdigit()]
    return [run[name] for run in found for name in names] if names else found


def test_the_two_deep_students(record):  # G3.4, G-E40, G-E41
    assert 2 / min(chosen("layers 5 ", "curvature at 1")) < 0.05
    assert min(chosen("layers 5 ", "first step at 0.5")) > 1.8
    lowest = record("G-E41.lowest", min(chosen("layers 10 ", "final")))
    highest = record("G-E41.highest", max(chosen("layers 10 ", "final")))
    assert 0.85 < lowest < highest < 0.97
    for run in chosen("layers 10 "):  # the loss is nearly a parabola, so β ends where the theorem says
        assert run["final"] == pytest.approx(1 - (1 - 0.5 * run["curvature at 1"]) ** 3000, abs=0.005)


def printed_line_for_gradA() -> tuple[float, float]:
    """At the source's sizes, with a random student and five examples: its relative error against autograd, and its
    cosine."""
    generator = rng()
    d, d_k, alpha = 64, 36, 0.1 / 6
    teacher, student = (random_heads(d, d_k, c=d_k, generator=generator) for _ in range(2))
    examples = teach(teacher, 5, step=0.1, generator=generator)
    k, q, S, T = map(torch.tensor, (student.W_K[0].T, student.W_Q[0].T, examples.inputs, examples.targets))
    a = torch.tensor(student.writing[0].T, requires_grad=True)
    X, Y = S @ k.T @ q @ S, S @ q.T @ k @ S
    error = S + alpha * (a @ X + Y @ a.T) - T
    (error.square().sum() / d**2).backward()
    G = 2 / d**2 * error.detach()
    printed, true = (alpha * G @ (X.mT + Y.mT)).sum(0), a.grad  # right would be X.mT + Y
    return ((printed - true).norm() / true.norm()).item(), torch.cosine_similarity(
        printed.flatten(), true.flatten(), 0
    ).item()


def mean_ratio(pairs) -> float:
    """Geometric mean over the starts of what each pair has, the first over the second."""
    return math.exp(np.mean([math.log(a / b) for a, b in pairs]))


def final_loss(first: str, second: str) -> float:
    """After a training with all matrices, the first setting's over the second's."""
    return mean_ratio(zip(*(chosen(f"matrices {name} ", "training") for name in (first, second)), strict=True))


def test_the_printed_gradient_is_wrong_and_how_much():  # G3.5, G-E37
    error, cosine = printed_line_for_gradA()
    assert 0.3 < error < 1.2 and 0.5 < cosine < 0.95
    assert 1.5 < final_loss("1 32 printed", "1 32 cyclic") < 2.6


def test_rate_of_the_source_follows_from_its_two_numbers(record):  # G3.4: 0.750 after 80 steps, 0.987 after 250
    rate = 1 - 0.25 ** (1 / 80)  # times the curvature, from β = 0.750 after 80 steps; and from 0.987 after 250
    assert rate == pytest.approx(1 - 0.013 ** (1 / 250), rel=0.015)
    assert rate == pytest.approx(0.0172, abs=5e-5)
    assert record("G3.4.beta_250", 1 - 0.25 ** (250 / 80)) == pytest.approx(0.987, abs=5e-4)


def test_plateau_is_a_saddle():  # G-E42
    assert max(chosen("plateau ", "lowest")) < -0.01
    left = sum(run["training"] < run["losses"][20] / 5 for run in chosen("matrices 1 225 "))
    assert left == study.STARTS


def loss_after(run: dict, epochs: int) -> float:
    """The stored loss of the epoch with this number, from 1; the first 60 and every tenth are kept."""
    return run["losses"][epochs - 1 if epochs <= 60 else 60 + (epochs - 60) // 10 - 1]


def test_batches_at_equal_epochs_and_at_equal_updates(
    record,
):  # G-E43: ε = 0.3; 3,600 updates are 450 epochs of 8 and 16 of 225
    pairs = list(zip(chosen("matrices 0.3 32 "), chosen("matrices 0.3 1 "), strict=True))
    at = {150: 150, 450: 16}  # the batches of 32: the batches of 1
    epochs, updates = (
        mean_ratio((loss_after(a, large), loss_after(b, one)) for a, b in pairs) for large, one in at.items()
    )
    assert record("G-E43.epochs", epochs, rtol=2e-2) > 10
    assert 0.5 < updates < 1.1


def test_fixed_batches():  # G-E39
    assert 1.6 < final_loss("1 32 cyclic", "1 32") < 2.6
    assert final_loss("1 25 cyclic", "1 25") == pytest.approx(1, abs=0.15)  # the batch of one is what costs


def test_what_is_recovered():  # G3.4: cosines with the teacher's
    runs = [*chosen("matrices 1 32 "), *chosen("matrices 0.3 1 ")]
    products, single = (
        [abs(run[f"cosine {name}"]) for run in runs for name in names] for names in ("CM", Weights._fields)
    )
    assert min(products) > 0.99
    assert max(single) < 0.2
