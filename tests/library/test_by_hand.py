"""Weights written down: the read-out gives what it is told, exactly, and says what it cannot."""

import numpy as np
import pytest
import torch

from course_lib.memoryless import Sizes
from course_lib.memoryless.by_hand import read_out, silent
from tests.shared.refusals import named

SIZES = Sizes(3, 5, 7, 2, 4)
T = np.array([[0.5, 0.3, 0.2], [0.1, 0.8, 0.1], [0.25, 0.25, 0.5]])


def test_a_silent_model_gives_equal_shares():
    words = torch.randint(3, (4, 5), generator=torch.Generator().manual_seed(0))
    assert torch.allclose(silent(SIZES)(words).softmax(-1), torch.full((4, 3), 1 / 3, dtype=torch.float64))


def test_a_table_read_out_gives_its_rows_for_every_place_before():
    model = silent(SIZES)
    model.E[:3, :3] = torch.eye(3)
    read_out(model, model.stages(torch.arange(3)[:, None].expand(3, 5)).Z[:, -1], T)
    words = torch.randint(3, (20, 5), generator=torch.Generator().manual_seed(1))
    assert model(words).softmax(-1).numpy() == pytest.approx(T[words[:, -1]], abs=1e-12)


ROWS = torch.eye(7, dtype=torch.float64)
test_what_cannot_be_read_out_is_named = named(
    (lambda: read_out(silent(SIZES), ROWS, np.full((8, 3), 1 / 3)), r"predictions must be at most d = 7 rows, got 8"),
    (lambda: read_out(silent(SIZES), ROWS, np.array([[1.0, 0.0, 0.0]])), r"predictions must be positive everywhere"),
)
