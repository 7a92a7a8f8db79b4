"""Targets that need the context: the targets by loops, stored networks tested again."""

import numpy as np
import pytest
import torch

from course_lib.results import load
from course_lib.universal import InContextNetworks
from studies import in_context_targets as study
from tests.shared.seeded import F64, seeded

TABLE = load("in_context_targets")


@pytest.mark.parametrize("d", [1, 2])
def test_targets_by_loops(d):
    cloud, x = (torch.rand(1, 1, n, d, generator=seeded(n), **F64) for n in (5, 3))
    for q, point in enumerate(x[0, 0]):
        tokens = cloud[0, 0]
        np.testing.assert_allclose(study.centred(cloud, x)[0, 0, q], point - sum(tokens) / 5)
        below = sum(1 / (1 + torch.exp(-(point[0] - y[0]) / 0.1)) for y in tokens) / 5
        crowd = sum(torch.exp(-((point - y) ** 2).sum() / (2 * 0.25**2)) for y in tokens) / 5
        np.testing.assert_allclose(study.rank(cloud, x)[0, 0, q, 0], below)
        np.testing.assert_allclose(study.kernel(cloud, x)[0, 0, q, 0], crowd)


def test_stored_networks_have_the_stored_errors():
    for run in study.plan():
        stored = TABLE["runs"][run.key]
        texts = stored.get("networks") or [each for each in [stored.get("network")] if each]
        assert run.target != "kernel" or run.shape != "theorem" or len(texts) == len(study.SEEDS)
        for k, text in enumerate(texts):
            networks = InContextNetworks(1, 1, run.layers, d=4)
            networks.read_text(text)
            again = study.test(networks, run, counts=(2, 16, 64))
            kept = [study.COUNTS.index(n) for n in (2, 16, 64)]
            for part in ("own", "population", "largest"):
                np.testing.assert_allclose(
                    [row[0] for row in again[part]], [stored[part][i][k] for i in kept], rtol=2e-3
                )
