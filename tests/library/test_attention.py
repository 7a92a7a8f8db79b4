"""Attention against PyTorch's own, the laws it must keep, and what it says when it is called wrongly."""

import math

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given
from hypothesis import strategies as st
from torch import nn

from course_lib import checks
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
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded

few, seeds = st.integers(1, 6), st.integers(0, 2**31)


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
        q, k, v = (normal(*shape, seed=i, grad=True) for i, shape in enumerate(shapes))
        output = (
            attend(q, k, v, mask, scale=scale).output
            if ours
            else F.scaled_dot_product_attention(q, k, v, mask, scale=scale)
        )
        (output * normal(2, 5, 3, seed=4)).sum().backward()
        results.append((output, q.grad, k.grad, v.grad))
    for name, ours, theirs in zip(("output", "q", "k", "v"), *results, strict=True):
        tw.assert_same(ours, theirs, name)


def test_causal_mask_counts_like_is_causal():
    q, k = normal(5, 4), normal(7, 4, seed=1)
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
        x = normal(2, n, d, seed=2, grad=True)
        memory = normal(2, s, d, seed=3, grad=True) if cross else x
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
        loss = (output * normal(2, n, d, seed=4)).sum() + (weights * normal(2, h, n, s, seed=5)).sum()
        loss.backward()
        inputs.append((output, weights, x.grad, memory.grad))
    for name, mine, other in zip(("output", "weights", "x", "memory"), *inputs, strict=True):
        tw.assert_same(mine, other, name)
    tw.assert_same_gradients(ours, tw.attention(theirs, tw.grad))


# ---- laws


@given(n=few, s=few, seed=seeds, temperature=st.floats(0.05, 20))
def test_rows_of_weights_sum_to_one_or_to_zero(n, s, seed, temperature):
    mask = random_mask(n, s, seed=seed)
    weights = softmax(normal(n, s, seed=seed), mask, temperature=temperature)
    assert (weights >= 0).all() and (weights[~mask] == 0).all()
    tw.assert_same(weights.sum(-1), mask.any(-1).double())


@given(n=few, s=few, m=few, seed=seeds)
def test_temperature_divides_the_scores_that_are_returned_undivided(n, s, m, seed):
    q, k, v = normal(n, m, seed=seed), normal(s, m, seed=seed + 1), normal(s, 2, seed=seed + 2)
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
    heads, W_O = normal(2, h, n, m, seed=seed), normal(h, m, d, seed=seed + 1)
    by_hand = sum(heads[:, i] @ W_O[i] for i in range(h))
    torch.testing.assert_close(concat_heads(heads, W_O), by_hand, rtol=1e-12, atol=1e-12)
    torch.testing.assert_close(sum_heads(heads, W_O), by_hand, rtol=1e-12, atol=1e-12)


# ---- extremes


@pytest.mark.filterwarnings("ignore:Anomaly Detection")
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64], ids=str)
def test_fully_masked_row_is_zero_and_so_is_its_gradient(dtype):
    q, k, v = (normal(3, 2, seed=i).to(dtype).requires_grad_() for i in range(3))
    mask = torch.tensor([[True, True, False], [False, False, False], [True, True, True]])
    with torch.autograd.detect_anomaly(check_nan=True):  # no nan on the way either
        output, weights, _ = attend(q, k, v, mask)
        output.square().sum().backward()
    assert (weights[1] == 0).all() and (output[1] == 0).all() and (q.grad[1] == 0).all()
    for gradient in (q.grad, k.grad, v.grad):
        assert gradient.isfinite().all() and (gradient != 0).any()


def test_pytorchs_modules_on_a_fully_masked_row_are_as_documented():
    mask = torch.tensor([[True, True], [False, False]])
    x = normal(1, 2, 4)
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


# ---- called wrongly: the argument, what it takes, what it got

X = torch.zeros(3, 4)
NAN = torch.tensor([[0.0, math.nan]])
MODULE = MultiHeadAttention(4, 2, 2)

test_a_mistake_is_named = named(
    (lambda: attend(X, torch.zeros(3, 5), X),
    r"k must be of size 4 \(the width m of q\) on axis -1, got shape \[3, 5\]"),
    (lambda: attend(X, X, torch.zeros(2, 4)),
    r"v must be of size 3 \(the number s of keys\) on axis -2, got shape \[2, 4\]"),
    (lambda: attend(X[None], X, X), r"k must be of batch shape \[1\] \(that of q\), got \[\] in shape \[3, 4\]"),
    (lambda: attend(X[0], X, X), r"q must be an array \[..., n, m\] of floating-point numbers, got shape \[4\]"),
    (lambda: attend([[1.0]], X, X), r"q must be an array .*, got list"),
    (lambda: attend(X.long(), X, X), r"q must be an array .*, got dtype torch.int64"),
    (lambda: attend(X[:, :0], X[:, :0], X), r"q must be of size > 0 \(the width m\) on axis -1, got shape \[3, 0\]"),
    (lambda: attend(NAN, NAN, NAN), "q must be finite in every entry, got 1 of 2 that are not"),
    (lambda: softmax(X, temperature=0.0), r"temperature must be a finite number > 0, got 0\.0"),
    (lambda: softmax(X, temperature=math.nan), "temperature must be a finite number > 0, got nan"),
    (lambda: softmax(X, temperature="1"), "temperature must be a finite number > 0, got '1'"),
    (lambda: softmax(X, temperature=torch.tensor(-2.0)), r"temperature must be .*, got -2\.0"),
    (lambda: softmax(X, temperature=torch.ones(3)), r"temperature must be .*, got an array of shape \[3\]"),
    (lambda: softmax(X + 1, temperature=1e-45), "scores / temperature must be finite in every entry, got 12 of 12"),
    (lambda: attend(X, X, X, scale=math.inf), "scale must be a finite number, got inf"),
    (lambda: softmax(X, torch.ones(3, 4)), "mask must be an array of bool, .*, got dtype torch.float32"),
    (lambda: softmax(X, [True]), "mask must be an array of bool, .*, got list"),
    (lambda: attend(X, X, X, causal_mask(3, 2)), r"mask must be broadcastable to shape \[3, 3\], got shape \[3, 2\]"),
    (lambda: softmax(X, causal_mask(3, 4)[None]),
    r"mask must be broadcastable to shape \[3, 4\], got shape \[1, 3, 4\]"),
    (lambda: causal_mask(2, 2.0), r"s must be an int > 0, got 2\.0"),
    (lambda: padding_mask([1], 3), r"lengths must be a tensor \[b\] of ints, got list"),
    (lambda: padding_mask(torch.tensor([1, 4]), 3), "lengths must be from 0 to 3 in every entry, got 4"),
    (lambda: combine_masks(), "masks must be one mask or more, got none"),
    (lambda: combine_masks(causal_mask(2), causal_mask(3)),
    r"masks\[1\] must be broadcastable with shape \[2, 2\], got shape \[3, 3\]"),
    (lambda: concat_heads(torch.zeros(2, 3, 4), torch.zeros(3, 4, 5)),
    r"W_O must be of size 2 \(the number h of heads\) on axis 0, got shape \[3, 4, 5\]"),
    (lambda: sum_heads(torch.zeros(2, 3, 4), torch.zeros(2, 2, 4, 5)),
    r"W_O must be a tensor \[h, m, d\], got shape \[2, 2, 4, 5\]"),
    (lambda: MultiHeadAttention(4, True, 2), "m must be an int > 0, got True"),
    (lambda: MODULE(torch.zeros(3, 5)),
    r"x must be of size 4 \(the width d of this module\) on axis -1, got shape \[3, 5\]"),
    begin="^",
)  # fmt: skip


def test_trusted_skips_reading_the_data_but_not_the_shapes():
    with checks.trusted():
        assert softmax(NAN).isnan().any()
        with pytest.raises(ValueError, match="k must be of size 4"):
            attend(X, torch.zeros(3, 5), X)
    with pytest.raises(ValueError, match="scores must be finite"):
        softmax(NAN)
