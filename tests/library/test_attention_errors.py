"""What attention says when it is called wrongly: the argument, what it takes, what it got."""

import math

import pytest
import torch

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
from tests.shared.refusals import named

X = torch.zeros(3, 4)
NAN = torch.tensor([[0.0, math.nan]])
MODULE = MultiHeadAttention(4, 2, 2)

test_a_mistake_is_named = named(
    (lambda: attend(X, torch.zeros(3, 5), X), r"k must be of size 4 \(the width m of q\) on axis -1, got shape \[3, 5\]"),
    (lambda: attend(X, X, torch.zeros(2, 4)), r"v must be of size 3 \(the number s of keys\) on axis -2, got shape \[2, 4\]"),
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
    (lambda: softmax(X, causal_mask(3, 4)[None]), r"mask must be broadcastable to shape \[3, 4\], got shape \[1, 3, 4\]"),
    (lambda: causal_mask(2, 2.0), r"s must be an int > 0, got 2\.0"),
    (lambda: padding_mask([1], 3), r"lengths must be a tensor \[b\] of ints, got list"),
    (lambda: padding_mask(torch.tensor([1, 4]), 3), "lengths must be from 0 to 3 in every entry, got 4"),
    (lambda: combine_masks(), "masks must be one mask or more, got none"),
    (lambda: combine_masks(causal_mask(2), causal_mask(3)), r"masks\[1\] must be broadcastable with shape \[2, 2\], got shape \[3, 3\]"),
    (lambda: concat_heads(torch.zeros(2, 3, 4), torch.zeros(3, 4, 5)), r"W_O must be of size 2 \(the number h of heads\) on axis 0, got shape \[3, 4, 5\]"),
    (lambda: sum_heads(torch.zeros(2, 3, 4), torch.zeros(2, 2, 4, 5)), r"W_O must be a tensor \[h, m, d\], got shape \[2, 2, 4, 5\]"),
    (lambda: MultiHeadAttention(4, True, 2), "m must be an int > 0, got True"),
    (lambda: MODULE(torch.zeros(3, 5)), r"x must be of size 4 \(the width d of this module\) on axis -1, got shape \[3, 5\]"),
    begin="^",
)  # fmt: skip


def test_trusted_skips_reading_the_data_but_not_the_shapes():
    with checks.trusted():
        assert softmax(NAN).isnan().any()
        with pytest.raises(ValueError, match="k must be of size 4"):
            attend(X, torch.zeros(3, 5), X)
    with pytest.raises(ValueError, match="scores must be finite"):
        softmax(NAN)
