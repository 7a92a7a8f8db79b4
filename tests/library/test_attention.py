"""Attention against PyTorch's own, and the laws it must keep."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course_lib.attention import (
    MultiHeadAttention,
    attend,
    causal_mask,
    combine_masks,
    concat_heads,
    padding_mask,
    softmax,
    sum_heads,
)
from tests.shared import torch_weights as tw
from tests.shared.seeded import F64, seeded

few, seeds = st.integers(1, 6), st.integers(0, 2**31)


def gaussian(*shape, seed=0, grad=False):
    generator = seeded(seed)
    return torch.randn(*shape, **F64, generator=generator).requires_grad_(grad)


def random_mask(*shape, seed=0):
    return torch.rand(*shape, generator=seeded(seed)) < 0.6


# ---- parity with PyTorch: values and gradients

MASKS = ["none", "causal", "padding", "both", "row fully masked"]


def mask_of(kind, n, s, lengths):
    if kind == "none":
        return None
    causal, padding = causal_mask(n, s), padding_mask(torch.tensor(lengths), s)
    if kind == "row fully masked":
        return combine_masks(causal, torch.arange(n)[:, None] != 2)
    return {"causal": causal, "padding": padding, "both": combine_masks(causal, padding)}[kind]


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("scale", [None, 0.3])
def test_attend_is_scaled_dot_product_attention(kind, scale):
    mask = mask_of(kind, 5, 7, [7, 3])
    results = []
    for ours in (True, False):
        shapes = (2, 5, 4), (2, 7, 4), (2, 7, 3)
        q, k, v = (gaussian(*shape, seed=i, grad=True) for i, shape in enumerate(shapes))
        output = attend(q, k, v, mask, scale=scale).output if ours else F.scaled_dot_product_attention(q, k, v, mask, scale=scale)
        (output * gaussian(2, 5, 3, seed=4)).sum().backward()
        results.append((output, q.grad, k.grad, v.grad))
    for name, ours, theirs in zip(("output", "q", "k", "v"), *results, strict=True):
        tw.assert_same(ours, theirs, name)


def test_causal_mask_counts_like_is_causal():
    q, k = gaussian(5, 4), gaussian(7, 4, seed=1)
    theirs = F.scaled_dot_product_attention(q, k, k, is_causal=True)
    tw.assert_same(attend(q, k, k, causal_mask(5, 7)).output, theirs)


@pytest.mark.parametrize("kind", MASKS[:4])
@pytest.mark.parametrize("bias", [False, True])
@pytest.mark.parametrize("cross", [False, True])
def test_multi_head_attention_is_pytorchs(kind, bias, cross):
    n, s, d, h = 5, 7 if cross else 5, 6, 3
    theirs = nn.MultiheadAttention(d, h, bias=bias, batch_first=True, **F64)
    tw.randomise(theirs, seeded(1))
    ours = MultiHeadAttention(d, d // h, h, bias=bias, **F64)
    ours.load_state_dict(tw.attention(theirs, tw.value))

    lengths = [s, 3]
    causal = causal_mask(n, s) if kind in ("causal", "both") else None
    padding = padding_mask(torch.tensor(lengths), s) if kind in ("padding", "both") else None
    inputs = []
    for run in ("ours", "theirs"):
        x = gaussian(2, n, d, seed=2, grad=True)
        memory = gaussian(2, s, d, seed=3, grad=True) if cross else x
        if run == "ours":
            output, weights, _ = ours(x, memory if cross else None, mask_of(kind, n, s, lengths))
        else:
            output, weights = theirs(
                x,
                memory,
                memory,
                attn_mask=None if causal is None else ~causal,
                key_padding_mask=None if padding is None else ~padding[:, 0],
                average_attn_weights=False,
            )
        loss = (output * gaussian(2, n, d, seed=4)).sum() + (weights * gaussian(2, h, n, s, seed=5)).sum()
        loss.backward()
        inputs.append((output, weights, x.grad, memory.grad))
    for name, mine, other in zip(("output", "weights", "x", "memory"), *inputs, strict=True):
        tw.assert_same(mine, other, name)
    tw.assert_same_gradients(ours, tw.attention(theirs, tw.grad))


def test_heads_of_any_width_follow_the_formula():
    # m ≠ d/h, which PyTorch's module cannot express: the formula, one head and one token at a time.
    n, d, m, h = 4, 5, 3, 2
    module = MultiHeadAttention(d, m, h, bias=True, **F64)
    tw.randomise(module, seeded(4))
    x = gaussian(n, d, seed=1)
    expected = module.b_O.expand(n, d).clone()
    for i in range(h):
        q = x @ module.W_Q[i] + module.b_Q[i]
        k = x @ module.W_K[i] + module.b_K[i]
        v = x @ module.W_V[i] + module.b_V[i]
        for row in range(n):
            parts = torch.stack([torch.exp(q[row] @ k[column] / math.sqrt(m)) for column in range(n)])
            expected[row] += (parts / parts.sum()) @ v @ module.W_O[i]
    tw.assert_same(module(x).output, expected)


# ---- laws


@given(n=few, s=few, seed=seeds, temperature=st.floats(0.05, 20))
def test_rows_of_weights_sum_to_one_or_to_zero(n, s, seed, temperature):
    mask = random_mask(n, s, seed=seed)
    weights = softmax(gaussian(n, s, seed=seed), mask, temperature=temperature)
    assert (weights >= 0).all() and (weights[~mask] == 0).all()
    tw.assert_same(weights.sum(-1), mask.any(-1).double())


@given(n=few, s=few, m=few, seed=seeds)
def test_temperature_divides_the_scores_that_are_returned_undivided(n, s, m, seed):
    q, k, v = gaussian(n, m, seed=seed), gaussian(s, m, seed=seed + 1), gaussian(s, 2, seed=seed + 2)
    warm, half = attend(q, k, v, temperature=2.0), attend(q, k, v, scale=0.5 / math.sqrt(m))
    tw.assert_same(warm.weights, half.weights)
    tw.assert_same(warm.scores, q @ k.T / math.sqrt(m))


def test_masks_entry_by_entry():
    assert causal_mask(3).int().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert causal_mask(2, 3).int().tolist() == [[1, 0, 0], [1, 1, 0]]
    padding = padding_mask(torch.tensor([1, 3, 0]), 3)
    assert padding.int().tolist() == [[[1, 0, 0]], [[1, 1, 1]], [[0, 0, 0]]]
    assert combine_masks(causal_mask(2, 3), padding).int().tolist() == [
        [[1, 0, 0], [1, 0, 0]],
        [[1, 0, 0], [1, 1, 0]],
        [[0, 0, 0], [0, 0, 0]],
    ]


@pytest.mark.parametrize("hides", range(3))
def test_every_one_of_several_masks_hides(hides):
    shapes = [(4, 5), (2, 1, 5), (4, 1)]
    masks = [torch.ones(shape, dtype=torch.bool) for shape in shapes]
    masks[hides].view(-1)[1] = False
    combined = combine_masks(*masks)
    assert combined.shape == (2, 4, 5) and torch.equal(combined, masks[hides].expand(2, 4, 5))


@given(n=few, m=few, d=few, h=st.integers(1, 4), seed=seeds)
def test_concatenated_heads_equal_summed_heads(n, m, d, h, seed):
    heads, W_O = gaussian(2, h, n, m, seed=seed), gaussian(h, m, d, seed=seed + 1)
    by_hand = sum(heads[:, i] @ W_O[i] for i in range(h))
    torch.testing.assert_close(concat_heads(heads, W_O), by_hand, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(sum_heads(heads, W_O), by_hand, rtol=1e-12, atol=1e-12)


# ---- extremes


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_fully_masked_row_is_zero_and_so_is_its_gradient(dtype):
    q, k, v = (gaussian(3, 2, seed=i).to(dtype).requires_grad_() for i in range(3))
    mask = torch.tensor([[True, True, False], [False, False, False], [True, True, True]])
    with torch.autograd.detect_anomaly(check_nan=True):  # no nan on the way either
        output, weights, _ = attend(q, k, v, mask)
        output.square().sum().backward()
    assert (weights[1] == 0).all() and (output[1] == 0).all() and (q.grad[1] == 0).all()
    for gradient in (q.grad, k.grad, v.grad):
        assert gradient.isfinite().all() and (gradient != 0).any()


def test_pytorchs_modules_on_a_fully_masked_row_are_as_documented():
    mask = torch.tensor([[True, True], [False, False]])
    x = gaussian(1, 2, 4)
    assert (F.scaled_dot_product_attention(x, x, x, mask)[0, 1] == 0).all()
    theirs = nn.MultiheadAttention(4, 2, batch_first=True, **F64)
    assert theirs(x, x, x, attn_mask=~mask)[0][0, 1].isnan().all()


# ---- parameters


def test_parameters_have_the_documented_variance():
    module = MultiHeadAttention(64, 32, 4, bias=True, **F64)
    for W in (module.W_Q, module.W_K, module.W_V):
        assert W.std().item() == pytest.approx(64**-0.5, rel=0.05)
    assert module.W_O.std().item() == pytest.approx((4 * 32) ** -0.5, rel=0.05)
    assert all((b == 0).all() for b in (module.b_Q, module.b_K, module.b_V, module.b_O))
