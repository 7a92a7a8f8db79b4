"""Rounded weights: levels and steps, stored rows made again, and the shape that the page counts with."""

import ast
import re
from itertools import pairwise
from pathlib import Path

import pytest
import torch

from course_lib.results import load
from studies import quantisation
from tests.shared.seeded import seeded

ROWS = {(row["model"], row["bits"], row["step"]): row for row in load("quantisation")["rows"]}
PAGE = Path(__file__).resolve().parents[2] / "chapters/07_after_2017/serving.myst.md"


@pytest.mark.parametrize("step", quantisation.STEPS)
@pytest.mark.parametrize("bits", [2, 5, 8])
def test_a_rounded_matrix_has_few_levels_and_the_nearest(bits, step):
    W = torch.randn(3, 40, 6, generator=seeded())
    found, most = quantisation.rounded(W, bits, step), 2 ** (bits - 1) - 1
    delta = (W.abs().amax(-2, keepdim=True) if step == "column" else W.abs().amax()) / most
    steps = found / delta
    assert torch.allclose(steps, steps.round(), atol=1e-4) and steps.abs().max() <= most + 1e-4
    assert ((found - W).abs() <= delta * 0.5001).all()
    assert torch.equal(quantisation.rounded(W, 32, step), W)
    assert torch.equal(quantisation.rounded(torch.zeros(2, 3), bits, step), torch.zeros(2, 3))


@pytest.mark.slow
def test_a_row_of_the_real_model_is_found_again_and_the_page_has_its_shape(model):
    again, stored = quantisation.run("smollm", 5, "column"), ROWS["smollm", 5, "column"]
    assert again["loss"] == pytest.approx(stored["loss"], rel=5e-3)
    shape = ast.literal_eval(re.search(r"^REAL = (.*)$", PAGE.read_text(encoding="utf-8"), re.M)[1])
    layer = model.layers[0]
    assert shape == {
        "L": len(model.layers),
        "d": model.E.shape[1],
        "h": len(layer.W_Q),
        "g": len(layer.W_K),
        "m": layer.W_Q.shape[2],
        "r": layer.W_gate.shape[1],
    }


def test_who_shares_a_step_matters_more_for_the_real_model():
    loss = {key: row["loss"] for key, row in ROWS.items()}
    assert loss["smollm", 6, "matrix"] > loss["smollm", 4, "column"]
    assert loss["towns", 4, "column"] - loss["towns", 32, "column"] < 0.05
    for model in quantisation.LOGITS:
        by_bits = [ROWS[model, bits, "column"]["change"] for bits in (5, 6, 7, 8)]
        assert all(1.6 < a / b < 2.5 for a, b in pairwise(by_bits))  # a bit more halves the change
