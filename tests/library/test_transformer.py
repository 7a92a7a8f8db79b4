"""Positions, dropout and stacks against formulas and PyTorch's modules; whole models and their gradients: test_models.py."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course_lib.attention import causal_mask
from course_lib.transformer import (
    Block,
    Decoder,
    DecoderBlock,
    Encoder,
    LearnedPositions,
    Sublayer,
    sinusoidal,
)
from tests.shared import torch_weights as tw
from tests.shared.seeded import F64, normal, seeded

d, m, h, r = 6, 2, 3, 10
n, s = 5, 7
NORMS = pytest.mark.parametrize("norm", ["pre", "post"])


def torch_layer(kind, norm):
    layer = kind(d, h, r, dropout=0.0, batch_first=True, norm_first=norm == "pre", **F64)
    return tw.randomise(layer, seeded(1))


# ---- dropout


@NORMS
@pytest.mark.parametrize("kind", ["encoder", "decoder"])
def test_dropout_stands_where_pytorchs_layers_drop_a_sublayers_answer(kind, norm):
    """PyTorch also drops attention weights and hidden neurons; ours does not, so there PyTorch's rate is set to 0."""
    decodes = kind == "decoder"
    theirs = torch_layer(nn.TransformerDecoderLayer if decodes else nn.TransformerEncoderLayer, norm)
    for name in ("dropout1", "dropout2", "dropout3") if decodes else ("dropout1", "dropout2"):
        getattr(theirs, name).p = 0.4
    ours = (DecoderBlock if decodes else Block)(d, m, h, r, norm=norm, bias=True, dropout=0.4, **F64)
    ours.load_state_dict((tw.decoder_layer if decodes else tw.encoder_layer)(theirs, tw.value))
    # One sequence: PyTorch's attention lays a batch out with the tokens first, and its drops are drawn in that order.
    inputs = [normal(1, s, d, seed=seed) for seed in range(1 + decodes)]
    outputs = []
    for module, causal in ((ours, causal_mask(s)), (theirs, ~causal_mask(s))):
        module.train()
        torch.manual_seed(7)
        dropped = module(*inputs, causal)
        module.eval()
        outputs.append((dropped, module(*inputs, causal)))
    (mine, mine_still), (other, other_still) = outputs
    tw.assert_same(mine.output, other, "training")
    tw.assert_same(mine_still.output, other_still, "eval")
    assert not torch.allclose(other, other_still)


def test_dropout_keeps_the_mean_and_draws_nothing_in_eval():
    around = Sublayer(1, "none", residual=False, dropout=0.25, **F64)
    ones = torch.ones(100_000, 1, **F64)
    torch.manual_seed(0)
    kept = around.after(ones, ones)
    assert sorted(set(kept.flatten().tolist())) == pytest.approx([0, 4 / 3])
    assert (kept == 0).double().mean().item() == pytest.approx(0.25, abs=0.006)  # four standard deviations
    drawn = torch.get_rng_state()
    assert torch.equal(around.eval().after(ones, ones), ones)
    assert torch.equal(Sublayer(1, "none", residual=False, **F64).after(ones, ones), ones)
    assert torch.equal(torch.get_rng_state(), drawn)


# ---- stacks; what stands in a block: test_opened.py


def test_the_maps_of_each_layer_come_back():
    encoder, decoder = (kind(2, d, m, h, r, **F64) for kind in (Encoder, Decoder))
    x, memory, mask = normal(2, n, d), normal(2, s, d, seed=1), causal_mask(n)
    decoded = decoder(x, memory, mask)
    first = decoder.blocks[0](x, memory, mask)
    second = decoder.blocks[1](first.output, memory, mask)
    for i, block in enumerate((first, second)):
        tw.assert_same(decoded.weights[i], block.weights)
        tw.assert_same(decoded.cross_weights[i], block.cross_weights)
    assert Encoder(2, d, m, h, r, norm="none").final_norm is None
    tw.assert_same(encoder(x, mask).weights[1], encoder.blocks[1](encoder.blocks[0](x, mask).output, mask).weights)
    assert first.weights.shape == (2, h, n, n) and first.cross_weights.shape == (2, h, n, s)


# ---- positions


def test_sinusoids_entry_by_entry():
    P = sinusoidal(7, 6, **F64)
    for p in range(7):
        for i in range(3):
            angle = p / 10_000 ** (2 * i / 6)
            assert P[p, 2 * i].item() == pytest.approx(math.sin(angle), abs=1e-12)
            assert P[p, 2 * i + 1].item() == pytest.approx(math.cos(angle), abs=1e-12)
    assert sinusoidal(2, 4).dtype == torch.get_default_dtype()
    assert sinusoidal(5001, 2)[5000, 0].item() == pytest.approx(math.sin(5000), abs=1e-7)


@given(p=st.integers(0, 200), k=st.integers(0, 200), pairs=st.integers(1, 5))
def test_going_k_tokens_on_is_one_rotation_everywhere(p, k, pairs):
    P = sinusoidal(p + k + 1, 2 * pairs, **F64)
    angles = [k * 10_000 ** (-i / pairs) for i in range(pairs)]
    turns = [torch.tensor([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]], **F64) for a in angles]  # of rows (sin, cos)
    torch.testing.assert_close(P[p] @ torch.block_diag(*turns), P[p + k], rtol=0, atol=1e-11)


def test_learned_positions_are_rows_of_the_table():
    positions = LearnedPositions(8, 400, **F64)
    assert torch.equal(positions(3), positions.P[:3])
    assert positions.P.std().item() == pytest.approx(400**-0.5, rel=0.05)
    positions(3).sum().backward()
    assert positions.P.grad[:, 0].tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
