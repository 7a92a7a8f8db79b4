"""An opened block: every matrix on the way, each following from those before it, the last one the block's own
answer."""

import math

import pytest
import torch
import torch.nn.functional as F

from course_lib.attention import causal_mask, combine_masks, padding_mask
from course_lib.transformer import Block, DecoderBlock, open_block, open_decoder_block
from tests.shared import torch_weights as tw
from tests.shared.seeded import F64, normal, seeded

d, m, h, r, n, s = 6, 2, 3, 10, 5, 7
NORMS = ["pre", "post", "none"]
ATTENTION = ["normed", "Q", "K", "V", "scores", "weights", "heads", "attention"]


def block_of(kind, norm, residual=True, bias=True):
    block = kind(d, m, h, r, norm=norm, residual=residual, bias=bias, **F64)
    return tw.randomise(block, seeded(1))


X, MEMORY = normal(2, n, d), normal(2, s, d, seed=1)
MASK = combine_masks(causal_mask(n), padding_mask(torch.tensor([5, 3]), n))
UNREAD = padding_mask(torch.tensor([7, 4]), s)


def normed(layer, x):
    return F.layer_norm(x, (d,), layer.gain, layer.bias)


def check_attention(opened, prefix, attention, around, x, memory, mask):
    """Each matrix from those before it, head by head; gives what goes on."""
    read = normed(around.norm, x) if around.placement == "pre" else x
    tw.assert_same(opened[prefix + "normed"], read)
    memory = read if memory is None else memory
    sources = {"Q": (read, "W_Q", "b_Q"), "K": (memory, "W_K", "b_K"), "V": (memory, "W_V", "b_V")}
    for name, (source, W, b) in sources.items():
        for i in range(h):
            bias = getattr(attention, b)
            expected = source @ getattr(attention, W)[i] + (0 if bias is None else bias[i])
            tw.assert_same(opened[prefix + name][:, i], expected, prefix + name)
    q, k, v, scores, weights, heads = (opened[prefix + name] for name in ("Q", "K", "V", "scores", "weights", "heads"))
    tw.assert_same(scores, q @ k.mT / math.sqrt(m))
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.unsqueeze(-3)
    tw.assert_same(weights, torch.softmax(scores.masked_fill(~allowed, -math.inf), -1))
    tw.assert_same(heads, weights @ v)
    answer = sum(heads[:, i] @ attention.W_O[i] for i in range(h))
    answer = answer if attention.b_O is None else answer + attention.b_O
    tw.assert_same(opened[prefix + "attention"], answer)
    return check_around(opened, around, x, answer, prefix + "attention", f"after_{prefix}attention")


def check_around(opened, around, x, answer, name, after):
    total = x + answer if around.residual else answer
    assert (f"{name}_sum" in opened) == (around.placement == "post")
    if around.placement == "post":
        tw.assert_same(opened[f"{name}_sum"], total)
        total = normed(around.norm, total)
    tw.assert_same(opened[after], total)
    return total


def check_feed_forward(opened, block, x):
    layer, around = block.feed_forward, block.around_feed_forward
    read = normed(around.norm, x) if around.placement == "pre" else x
    tw.assert_same(opened["ffn_normed"], read)
    tw.assert_same(opened["hidden"], (read @ layer.W_1 + layer.b_1).clamp(min=0))
    tw.assert_same(opened["ffn"], opened["hidden"] @ layer.W_2 + layer.b_2)
    check_around(opened, around, x, opened["ffn"], "ffn", "output")


def order(opened):
    return [name for name in opened if not name.endswith("_sum")]


@pytest.mark.parametrize("mask", [None, MASK])
@pytest.mark.parametrize("residual", [True, False])
@pytest.mark.parametrize("norm", NORMS)
def test_every_matrix_of_a_block_follows_from_those_before(norm, residual, mask):
    block = block_of(Block, norm, residual)
    opened = open_block(block, X, mask)
    x = check_attention(opened, "", block.attention, block.around_attention, X, None, mask)
    check_feed_forward(opened, block, x)
    assert order(opened) == [*ATTENTION, "after_attention", "ffn_normed", "hidden", "ffn", "output"]
    whole = block(X, mask)
    for name in ("output", "weights", "scores"):
        assert torch.equal(opened[name], getattr(whole, name))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("norm", NORMS)
def test_every_matrix_of_a_decoder_block_follows_from_those_before(norm, bias):
    block = block_of(DecoderBlock, norm, bias=bias)
    opened = open_decoder_block(block, X, MEMORY, MASK, UNREAD)
    x = check_attention(opened, "", block.attention, block.around_attention, X, None, MASK)
    across = block.cross_attention, block.around_cross_attention
    x = check_attention(opened, "cross_", *across, x, MEMORY, UNREAD)
    check_feed_forward(opened, block, x)
    crossed = [f"cross_{name}" for name in ATTENTION]
    rest = ["after_cross_attention", "ffn_normed", "hidden", "ffn", "output"]
    assert order(opened) == [*ATTENTION, "after_attention", *crossed, *rest]
    whole = block(X, MEMORY, MASK, UNREAD)
    assert torch.equal(opened["output"], whole.output)
    assert torch.equal(opened["weights"], whole.weights)
    assert torch.equal(opened["cross_weights"], whole.cross_weights)


def test_scale_and_sequences_without_a_batch():
    block = block_of(Block, "pre")
    opened = open_block(block, X[0], causal_mask(n), scale=0.2)
    assert torch.equal(opened["output"], block(X[0], causal_mask(n), scale=0.2).output)
    tw.assert_same(opened["scores"], opened["Q"] @ opened["K"].mT * 0.2)


def test_with_dropout_the_last_matrix_is_still_the_blocks_answer():
    block = Block(d, m, h, r, norm="post", dropout=0.5, **F64)
    for module in (block, block.eval()):
        torch.manual_seed(0)
        opened = open_block(module, X, MASK)
        torch.manual_seed(0)
        assert torch.equal(opened["output"], module(X, MASK).output)
