"""Trained heads under the laws of Gaussian attention: the laws on drawn keys, and some heads measured again."""

import math

import pytest
import torch

from course_lib.results import load
from studies import trained_heads
from tests.shared.seeded import seeded

ROWS = load("trained_heads")["rows"]


def test_on_a_gaussian_cloud_the_map_is_right_and_the_law_holds():
    """Scores of spread 0.7 over 20,000 standard normal keys: the cloud's own mean is moved by the map, and e^(−s²) of
    the keys count."""
    k = torch.randn(20_000, 4, generator=seeded(), dtype=torch.float64)
    q = torch.tensor([[1.4, 0.0, 0.0, 0.0]], dtype=torch.float64)
    ((n, s, effective, error),) = trained_heads.laws(q, k, k, causal=False)
    assert n == 20_000 and s == pytest.approx(0.7, rel=0.02) and error < 0.05
    assert effective == pytest.approx(n * math.exp(-(s**2)), rel=0.03)


def test_a_causal_query_sees_its_past_only():
    k = torch.randn(70, 4, generator=seeded(), dtype=torch.float64)
    found = list(trained_heads.laws(k, k, k, causal=True))
    assert [each[0] for each in found] == list(range(trained_heads.LEAST, 71))
    last = (k[-1] @ k.T / 2).softmax(-1)
    assert found[-1][2] == pytest.approx(1 / last.square().sum().item())


@pytest.mark.slow
@pytest.mark.parametrize("model", ["translator, encoder", "towns"])
def test_heads_are_measured_again(model):
    """All of them, and their counts to the last."""
    again, stored = trained_heads.heads(model), [row for row in ROWS if row["model"] == model]
    for row, other in zip(again, stored, strict=True):
        assert [row[name] == other[name] for name in ("layer", "head", "queries", "keys")] == [True] * 4
        assert row["spread"] == pytest.approx(other["spread"], rel=0.01)
        assert row["effective"] == pytest.approx(other["effective"], rel=0.02)


def test_what_the_page_says():
    eight = [row for row in ROWS if row["model"] == "translator, encoder"]
    soft = [row for row in eight if row["spread"] < 1]
    assert len(soft) == 7 and all(
        abs(row["effective"] / row["law"] - 1) < 0.1 and 0.15 < row["error"] < 0.4 for row in soft
    )
    (hard,) = (row for row in eight if row["spread"] >= 1)
    assert hard["effective"] > 50 * hard["law"] and hard["error"] > 0.6
    real = [row for row in ROWS if row["model"] == "SmolLM2"]
    assert len(real) == 270 and sum(row["spread"] > 2 for row in real) > 135
