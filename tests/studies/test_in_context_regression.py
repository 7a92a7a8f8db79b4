"""Regression in context: the answers in closed form against other ways to them, stored networks tested again."""

import numpy as np
import pytest
import torch

from course_lib.results import load
from studies import in_context_regression as study
from tests.shared.seeded import rng, seeded

TABLE = load("in_context_regression")


def test_ridge_is_least_squares_with_two_further_points():
    """A penalty λ is the same as a point of height 0 at each unit vector times √λ."""
    _, context = study.tasks(5, n=7, generator=seeded())
    for points, line in zip(context.double(), study.ridge(context, 0.3), strict=True):
        features = torch.stack([torch.ones(7).double(), points[:, 0]], 1)
        more = torch.cat([features, 0.3**0.5 * torch.eye(2).double()])
        wanted = torch.linalg.lstsq(more, torch.cat([points[:, 1], torch.zeros(2).double()])[:, None]).solution[:, 0]
        torch.testing.assert_close(line, wanted)


def test_ridge_with_the_variance_is_the_posterior_mean():
    """By the densities themselves, on a fine grid of lines."""
    _, context = study.tasks(n=4, generator=seeded(3))
    axis = np.linspace(-5, 5, 801)
    a, b = np.meshgrid(axis, axis, indexing="ij")
    logarithm = -(a**2 + b**2) / 2
    for x, y, _ in context.tolist():
        logarithm -= (y - a - b * x) ** 2 / (2 * study.SIGMA**2)
    density = np.exp(logarithm - logarithm.max())
    mean = [(density * each).sum() / density.sum() for each in (a, b)]
    np.testing.assert_allclose(study.ridge(context, study.SIGMA**2), mean, atol=1e-5)


def test_the_best_answer_has_the_smallest_stored_error():
    for name in set(study.NAMES) - {"bayes"}:
        pairs = zip(TABLE["baselines"]["bayes"]["errors"], TABLE["baselines"][name]["errors"], strict=True)
        assert all(best < 1.03 * other for best, other in pairs)  # on samples of tasks, not on all


def test_a_stored_network_has_its_stored_errors_and_does_not_see_the_number_of_points():
    network = study.InContextNetworks(3, 1, study.KEEP[0], d=study.D, h=study.H, m=study.M, r=study.R)
    (row,) = [each for each in TABLE["rows"] if "network" in each]
    assert (row["layers"], row["rate"]) == study.KEEP
    network.read_text(row["network"])
    for n in (4, 16):
        line, context, x = study.asked(n)
        got = study.answers(network, context, x)
        stored = row["errors"][study.COUNTS.index(n)][study.ALL.index(study.SEEDS[0])]
        assert study.rms(got - study.at(line, x))[0].item() == pytest.approx(stored, rel=1e-2)
    twice = study.answers(network, context.repeat(1, 2, 1), x)
    assert (twice - got).abs().max() < 1e-4


def test_a_linear_layer_is_a_gradient_step():
    """The page's theorem against autograd: residuals in the context, minus the prediction in the query."""
    random, eta, n = rng(), 0.3, 6
    x, y, at = random.uniform(-1, 1, n), random.normal(size=n), random.uniform(-1, 1, 4)
    tokens, query = (np.column_stack([np.ones_like(u), u, v]) for u, v in ((x, y), (at, np.zeros(4))))
    w = torch.zeros(2, dtype=torch.float64, requires_grad=True)
    F, heights = torch.tensor(tokens[:, :2]), torch.tensor(y)
    for _ in range(5):
        loss = ((heights - F @ w) ** 2).mean() / 2
        (gradient,) = torch.autograd.grad(loss, w)
        w = (w - eta * gradient).detach().requires_grad_()
        moved = [z - eta * np.outer(z[:, :2] @ tokens[:, :2].T @ tokens[:, 2] / n, [0, 0, 1]) for z in (tokens, query)]
        tokens, query = moved
        np.testing.assert_allclose(-query[:, 2], query[:, :2] @ w.detach().numpy(), atol=1e-13)
        np.testing.assert_allclose(tokens[:, 2], y - tokens[:, :2] @ w.detach().numpy(), atol=1e-13)
