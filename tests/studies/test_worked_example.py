"""The worked example's model trained again: two models of the shortest reading, and the beginning of the longest."""

import numpy as np
import pytest
import torch

from course_lib.memoryless import SourceModel
from course_lib.results import load
from studies import worked_example as study

TABLE = load("worked_example")


@pytest.mark.parametrize("beta", study.BETAS)
def test_two_models_trained_again_are_the_stored_ones(beta):
    again = study.run(1500, beta, range(2))
    for name, values in again.items():
        assert np.array(values) == pytest.approx(np.array(TABLE["runs"][f"1500, {beta}"][name][:2]), rel=1e-3, abs=1e-5), name


def test_the_long_runs_begin_as_a_plain_loop():
    """24,000 updates are too long for a test: the first 20 on the same path must match a plain loop with PyTorch's Adam."""
    found = study.run(20, 0.999, range(1))
    model = SourceModel(study.SIZES, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    adam = torch.optim.Adam(model.parameters(), lr=1e-3)  # its own β₂ is 0.999
    words = study.source().sample(128_000, 9, np.random.default_rng([0, 0, 0]))
    order = np.random.default_rng([0, 1, 0]).permutation(128_000)
    for update in range(20):
        batch = torch.from_numpy(words[order[16 * update : 16 * update + 16]]).long()
        loss = torch.nn.functional.cross_entropy(model(batch[:, :-1]), batch[:, -1])
        adam.zero_grad()
        loss.backward()
        adam.step()
    assert found["w_o"][0] == pytest.approx(model.w_o.square().mean().sqrt().item(), rel=1e-3)
    assert found["P, last row"][0] == pytest.approx(model.P[-1].square().mean().sqrt().item(), rel=1e-3)
