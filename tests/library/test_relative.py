"""Positions inside attention, and heads that share their keys: against complex numbers, PyTorch's own and the
formula."""

import math

import pytest
import torch
import torch.nn.functional as F

from course_lib.attention import MultiHeadAttention, attend, causal_mask, concat_heads
from course_lib.transformer import Encoder, alibi, rotary
from tests.shared.seeded import F64, seeded


@pytest.mark.parametrize("m", [1, 2, 5, 8])
def test_rotary_positions_are_products_of_complex_numbers(m):
    """The pair (a, b) as a + ib, times e^(-i p ω): what `sinusoidal` calls a step on."""
    x = torch.randn(6, m, generator=seeded(m), **F64)
    pairs = m // 2
    place, speed = torch.arange(6, **F64)[:, None], 10_000.0 ** (-2 * torch.arange(pairs, **F64) / m)
    z = torch.view_as_complex(x[:, : 2 * pairs].reshape(6, pairs, 2).contiguous()) * torch.polar(
        torch.ones_like(place * speed), -place * speed
    )
    want = torch.cat([torch.view_as_real(z).flatten(-2), x[:, 2 * pairs :]], -1)
    assert torch.allclose(rotary(6, m, dtype=torch.float64)(x), want, atol=1e-14)


def test_turned_scores_know_the_distance_only():
    q, k = torch.randn(2, 1, 8, generator=seeded(1), **F64).expand(2, 9, 8)
    turn = rotary(9, 8, dtype=torch.float64)
    scores = turn(q) @ turn(k).mT
    assert torch.allclose(scores[1:, 1:], scores[:-1, :-1], atol=1e-13)
    assert (scores[0, 1:] - scores[1:, 0]).abs().min() > 1e-3  # on and back are two distances


def test_alibi_falls_with_the_distance_by_powers_of_two():
    bias = alibi(5, 8, dtype=torch.float64)
    assert bias[0, 3, 1] == -0.5 * 2 and bias[7, 1, 4] == -(2**-8) * 3
    assert torch.equal(bias, bias.mT) and (bias.diagonal(dim1=-2, dim2=-1) == 0).all()


def test_a_bias_is_added_after_the_scale():
    q, k, v = torch.randn(3, 2, 4, 6, generator=seeded(2), **F64)
    bias = torch.randn(4, 4, generator=seeded(3), **F64)
    want = F.scaled_dot_product_attention(q, k, v, attn_mask=bias)
    assert torch.allclose(attend(q, k, v, bias=bias).output, want, atol=1e-14)
    with pytest.raises(ValueError, match="bias must be broadcastable"):
        attend(q, k, v, bias=bias[:3])


@pytest.mark.parametrize(("h", "g"), [(6, 2), (4, 4), (4, 1)])
def test_heads_that_share_keys_are_pytorchs_grouped_queries(h, g):
    layer = MultiHeadAttention(12, 5, h, key_heads=g, generator=seeded(h), **F64)
    x = torch.randn(2, 7, 12, generator=seeded(9), **F64)
    k, v = layer.project(x)
    assert layer.W_K.shape == (g, 12, 5) and k.shape == (2, g, 7, 5)
    heads = F.scaled_dot_product_attention(layer.queries(x), k, v, is_causal=True, enable_gqa=True)
    assert torch.allclose(layer(x, mask=causal_mask(7)).output, concat_heads(heads, layer.W_O), atol=1e-14)


def test_heads_are_shared_out_evenly_where_they_do_not_divide():
    assert MultiHeadAttention(4, 2, 8, key_heads=3).groups.argmax(1).tolist() == [0, 0, 0, 1, 1, 1, 2, 2]
    for g, takes in ((0, "an int > 0"), (9, "at most h = 8")):
        with pytest.raises(ValueError, match=f"key_heads must be {takes}, got {g}"):
            MultiHeadAttention(4, 2, 8, key_heads=g)


def test_a_stack_turns_in_every_layer():
    """Two layers as two blocks by hand; the key heads reach each of them."""
    stack = Encoder(2, 8, 4, 2, 16, key_heads=1, generator=seeded(4), **F64)
    x, turn = torch.randn(5, 8, generator=seeded(5), **F64), rotary(5, 4, dtype=torch.float64)
    by_hand = x
    for block in stack.blocks:
        by_hand = block(by_hand, turn=turn).output
    assert torch.equal(stack(x, turn=turn).output, stack.final_norm(by_hand))
    assert all(block.attention.W_V.shape == (1, 8, 4) for block in stack.blocks)
    assert not math.isclose(stack(x).output[0, 0].item(), by_hand[0, 0].item())
