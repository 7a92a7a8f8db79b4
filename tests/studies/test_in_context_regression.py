"""Regression in context: the answers in closed form against other ways to them, stored networks tested again."""

import pytest
import torch

from course_lib.results import load
from studies import in_context_regression as study
from tests.shared.seeded import seeded

TABLE = load("in_context_regression")


def test_ridge_is_least_squares_with_two_further_points():
    """A penalty λ is the same as a point of height 0 at each unit vector times √λ."""
    _, context = study.tasks(5, n=7, generator=seeded())
    for points, line in zip(context.double(), study.ridge(context, 0.3), strict=True):
        features = torch.stack([torch.ones(7).double(), points[:, 0]], 1)
        more = torch.cat([features, 0.3**0.5 * torch.eye(2).double()])
        wanted = torch.linalg.lstsq(more, torch.cat([points[:, 1], torch.zeros(2).double()])[:, None]).solution[:, 0]
        torch.testing.assert_close(line, wanted)


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
