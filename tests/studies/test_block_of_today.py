"""The block of today: each part does what its name says, and a change of one part changes nothing else."""

from itertools import pairwise

import pytest
import torch
from torch import nn

from studies import block_of_today as study


def count(variant):
    return sum(p.numel() for p in study.Model(study.parts_of(variant)).parameters())


@pytest.mark.parametrize("variant", study.VARIANTS)
def test_no_letter_sees_a_later_one(variant):
    torch.manual_seed(0)
    model, letters = study.Model(study.parts_of(variant)), study.texts(2, torch.Generator().manual_seed(0))
    other = letters.clone()
    other[:, 20:] = (other[:, 20:] + 1) % study.LETTERS
    before, after = model(letters), model(other)
    assert torch.allclose(before[:, :20], after[:, :20], atol=1e-5) and not torch.allclose(
        before[:, 20:], after[:, 20:], atol=1e-3
    )


def test_a_window_reaches_as_far_as_the_layers_carry_it():
    torch.manual_seed(0)
    far = study.LAYERS * (study.NEAR - 1)
    letters = study.texts(1, torch.Generator().manual_seed(0))
    for variant, reaches in (("window", False), ("base", True), ("sink", True)):
        other = letters.clone()
        other[:, 0] = (other[:, 0] + 1) % study.LETTERS
        model = study.Model(study.parts_of(variant))
        moved = (model(letters) - model(other))[0].abs().max(-1).values
        assert moved[far] > 1e-6 and (moved[far + 1 :].max() > 1e-6) == reaches


def test_parameters_are_those_of_the_parts():
    layers, d, r = study.LAYERS, study.D, study.R
    assert count("base") == count("window") == count("sink") == count("rotary")
    assert count("base") - count("rmsnorm") == (2 * layers + 1) * d  # the norms' shifts
    assert count("gate") - count("base") == layers * r // 3  # three maps of 2r/3 cost what two of r do; one more bias
    assert count("base") - count("grouped") == layers * (d * d + d)
    assert count("qk-norm") - count("base") == layers * 2 * d // study.H


def test_rms_norm_is_a_layer_norm_of_centred_rows():
    x = torch.randn(5, study.D, generator=torch.Generator().manual_seed(0))
    x = x - x.mean(-1, keepdim=True)
    assert torch.allclose(study.RMSNorm(study.D)(x), nn.LayerNorm(study.D)(x), atol=1e-5)


def test_a_text_follows_its_chain():
    for text in study.texts(20, torch.Generator().manual_seed(0)).tolist():
        assert all(len({b for a, b in pairwise(text) if a == letter}) <= 2 for letter in text)
