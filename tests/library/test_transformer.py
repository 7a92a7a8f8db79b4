"""Positions, dropout and stacks against formulas and PyTorch's modules; whole models and their gradients:
test_models.py."""

import math
import subprocess
import sys
from functools import partial

import pytest
import torch
from torch import nn

from course_lib.attention import MultiHeadAttention, causal_mask
from course_lib.graphs import TokenModel
from course_lib.transformer import (
    Block,
    Decoder,
    DecoderBlock,
    Embedding,
    Encoder,
    LanguageModel,
    LearnedPositions,
    Sublayer,
    Translator,
    sinusoidal,
)
from tests.shared import torch_weights as tw
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded
from tools.repository import ROOT

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


@pytest.mark.parametrize("root_d", [True, False])
@pytest.mark.parametrize("positions", ["sinusoidal", "learned", "none"])
def test_embedding_is_a_row_times_root_d_plus_the_position(positions, root_d):
    embedding, tokens = (
        Embedding(11, d, root_d=root_d, positions=positions, longest=s, **F64),
        torch.tensor([[3, 0, 10], [7, 7, 1]]),
    )
    assert isinstance(embedding.positions, LearnedPositions) == (positions == "learned")
    tables = {"sinusoidal": sinusoidal(s, d, **F64), "none": torch.zeros(s, d)}
    table = embedding.positions.P if positions == "learned" else tables[positions]
    tw.assert_same(embedding(tokens, 4), embedding.E[tokens] * (math.sqrt(d) if root_d else 1) + table[4:])
    for drawn in (Embedding(50, 400, positions="none").E, LearnedPositions(50, 400).P):
        assert drawn.std().item() == pytest.approx(400**-0.5, rel=0.02)


# ---- options

MADE_OF_BLOCKS = {
    "Block": partial(Block, d, m, h, r),
    "DecoderBlock": partial(DecoderBlock, d, m, h, r),
    "Encoder": partial(Encoder, 2, d, m, h, r),
    "Decoder": partial(Decoder, 2, d, m, h, r),
    "LanguageModel": partial(LanguageModel, 11, 2, d, m, h, r),
    "Translator": partial(Translator, 9, 11, 2, d, m, h, r),
    "TokenModel": partial(TokenModel, 2, 11, d, m, h, r),
}


@pytest.mark.parametrize("kind", MADE_OF_BLOCKS)
def test_an_option_reaches_every_part_and_an_unknown_one_is_named(kind):
    make = MADE_OF_BLOCKS[kind]
    model = make(norm="post", residual=False, bias=True, dropout=0.25, **F64)
    around = [each for each in model.modules() if isinstance(each, Sublayer)]
    assert len(around) >= 2 and {(each.placement, each.residual, each.dropout) for each in around} == {
        ("post", False, 0.25)
    }
    attentions = [each for each in model.modules() if isinstance(each, MultiHeadAttention)]
    assert attentions and all(each.b_Q is not None for each in attentions)
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float64}
    same = [make(generator=generator) for generator in (seeded(), None)]
    assert all(torch.equal(a, b) for a, b in zip(*(each.parameters() for each in same), strict=True))
    with pytest.raises(TypeError, match="'nrom'"):
        make(nrom="post")


# ---- called wrongly, and the shapes in signatures

test_a_mistake_is_named = named(
    (lambda: sinusoidal(3, 5), r"d must be even \(each sine has its cosine\), got 5"),
    (lambda: LearnedPositions(4, d)(5), "n must be at most 4, the longest sequence this table knows, got 5"),
    (lambda: Block(d, m, h, r, dropout=1.0), r"dropout must be a probability, at least 0 and below 1, got 1\.0"),
    begin="^",
)  # fmt: skip


@pytest.mark.slow
def test_shapes_written_in_signatures_are_true():
    done = subprocess.run(
        [sys.executable, "-m", "tests.shared.signature_calls"], cwd=ROOT, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
