"""Which heads copy: the stored scores and one removal computed again."""

import pytest
import torch

from course_lib.pretrained.files import NotInstalled
from course_lib.pretrained.smollm import SmolLM
from course_lib.results import load
from studies import head_probe
from tests.shared.optional import missing


def test_the_probe_is_the_models():
    """The whole model, its scores, and one removal, computed again."""
    try:
        writer = SmolLM.load()
    except NotInstalled as reason:
        missing(reason)
    twice = head_probe.sequences(torch.Generator().manual_seed(head_probe.SEED))
    first, second, A = head_probe.losses(writer, twice)
    rows = {row["without"]: row for row in load("head_probe")["rows"]}
    assert (first, second) == pytest.approx((rows["nothing"]["first"], rows["nothing"]["second"]), abs=0.01)
    found = head_probe.scores(A)
    assert [f"{a}.{b}" for a, b in head_probe.highest(found["copy"], head_probe.REMOVED)] == rows["copy heads"]["heads"]
    row = A[17, 4, 0, 30]  # by hand: at place 30 of 48 stood what stood at 6, and 7 followed
    assert row.sum().item() == pytest.approx(1, abs=1e-5) and row[31:].abs().max() == 0
    by_hand = sum(A[17, 4, b, i, i - 23] for b in range(4) for i in range(24, 48)) / (4 * 24)
    assert found["copy"][17, 4].item() == pytest.approx(by_hand.item(), abs=1e-5)
    layer, head = head_probe.highest(found["previous token"], 1)[0]
    again = head_probe.row(writer, twice, "", [(layer, head)])
    assert again["second"] == pytest.approx(rows[f"{layer}.{head}"]["second"], abs=0.02)
    assert writer.layers[layer].W_O[head].abs().max() > 0  # the model itself is untouched
