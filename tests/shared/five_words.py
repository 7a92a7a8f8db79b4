"""Chapter 3's pages on attention, heads and masks: their numbers, computed as the pages compute them."""

import math

import torch
import torch.nn.functional as F
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
from course_lib.checks import trusted
from tests.shared.record import rounding
from tests.shared.seeded import F64, normal, seeded

WORDS = ["the", "carpenter", "hammer", "tool", "nail"]
X = torch.tensor([[-0.3, -0.4], [-1.7, 0.2], [1.6, 0.3], [0.5, 1.6], [1.2, -1.4]], **F64)
U = torch.tensor([[0.9, 0.4], [-0.3, 0.7]], **F64)
QUARTER_TURN = torch.tensor([[0.0, 1.0], [-1.0, 0.0]], **F64)
HAMMER, TOOL, CARPENTER = (WORDS.index(word) for word in ("hammer", "tool", "carpenter"))


def largest(difference: torch.Tensor) -> float:
    return rounding(difference.abs().max().item())


def bag(x: torch.Tensor) -> torch.Tensor:
    return softmax(x @ x.T) @ x


def change_after_permuting_the_words() -> float:
    order = torch.tensor([3, 0, 4, 1, 2])
    return largest(bag(X[order]) - bag(X)[order])


def symmetric_scores() -> torch.Tensor:
    return (X @ U) @ (X @ U).T


def weight_of_hammer_to_tool() -> float:
    return softmax(symmetric_scores())[HAMMER, TOOL].item()


def weight_of_tool_to_hammer() -> float:
    return softmax(symmetric_scores())[TOOL, HAMMER].item()


def difference_of_weight_times_normaliser() -> float:
    flow = softmax(symmetric_scores()) * symmetric_scores().exp().sum(-1, keepdim=True)
    return largest(flow - flow.T)


def round_trip(weights: torch.Tensor) -> float:
    """Product of the weights along hammer → tool → carpenter → hammer, over the product backwards."""
    steps = [(HAMMER, TOOL), (TOOL, CARPENTER), (CARPENTER, HAMMER)]
    return math.prod((weights[a, b] / weights[b, a]).item() for a, b in steps)


def round_trip_of_turned_queries() -> float:
    return round_trip(attend(X @ QUARTER_TURN, X, X).weights)


def query_and_key_maps(d: int = 512, m: int = 64) -> tuple[torch.Tensor, torch.Tensor]:
    generator = seeded()
    W_Q, W_K = (torch.randn(d, m, generator=generator, **F64) for _ in range(2))
    return W_Q, W_K


def numbers_of_a_full_matrix() -> int:
    W_Q, W_K = query_and_key_maps()
    return (W_Q @ W_K.T).numel()


def rank_of_the_product() -> int:
    W_Q, W_K = query_and_key_maps()
    return int(torch.linalg.matrix_rank(W_Q @ W_K.T))


def difference_from_scaled_dot_product_attention() -> float:
    q, k, v = normal(3, 2, 7, 4)
    return largest(attend(q, k, v).output - F.scaled_dot_product_attention(q, k, v))


def concatenation_minus_sum() -> float:
    generator = seeded()
    heads = torch.randn(4, 6, 8, generator=generator, **F64)
    W_O = torch.randn(4, 8, 32, generator=generator, **F64)
    return largest(concat_heads(heads, W_O) - sum_heads(heads, W_O))


def numbers_of_a_layer(d: int = 512, h: int = 8) -> int:
    return sum(parameter.numel() for parameter in MultiHeadAttention(d, d // h, h).parameters())


def unexplained_by_fixed_weights(before: float = 0.6, after: float = 0.34, count: int = 20_000) -> float:
    """Share of the variance of two random letters' vectors that an affine map of their weighted sum leaves unexplained."""
    a, b = torch.eye(5, **F64)[torch.randint(5, (2, count), generator=seeded())]
    inputs = torch.cat([before * a + after * b, torch.ones(count, 1, **F64)], -1)
    target = torch.cat([a, b], -1)
    # the five entries of a letter sum to 1, so the inputs are dependent: take the solution of least norm
    fit = inputs @ (torch.linalg.pinv(inputs.T @ inputs) @ (inputs.T @ target))
    return (((target - fit) ** 2).mean() / ((target - target.mean(0)) ** 2).mean()).item()


def library_layer(d: int = 32, h: int = 4) -> tuple[MultiHeadAttention, nn.MultiheadAttention]:
    """PyTorch's layer and ours with the same numbers."""
    theirs = nn.MultiheadAttention(d, h, bias=False, batch_first=True, **F64)
    ours, generator = MultiHeadAttention(d, d // h, h, **F64), seeded()
    with torch.no_grad():
        for parameter in theirs.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, **F64) / math.sqrt(d))
        for W, stacked in zip((ours.W_Q, ours.W_K, ours.W_V), theirs.in_proj_weight.chunk(3), strict=True):
            W.copy_(stacked.T.unflatten(1, (h, d // h)).transpose(0, 1))
        ours.W_O.copy_(theirs.out_proj.weight.T.unflatten(0, (h, d // h)))
    return ours, theirs


def difference_from_multihead_attention() -> float:
    ours, theirs = library_layer()
    x = normal(3, 7, 32, seed=1)
    return largest(ours(x).output - theirs(x, x, x)[0])


def move_of_the_first_four(mask: str) -> float:
    """Largest distance that an output of the first four words moves by when the fifth word is replaced."""
    changed = X.clone()
    changed[-1] = torch.tensor([2.0, 1.0])

    def output(x):
        if mask == "after":
            return (softmax(x @ x.T / math.sqrt(2)) * causal_mask(5)) @ x
        return attend(x, x, x, causal_mask(5) if mask == "before" else None).output

    return rounding((output(changed) - output(X))[:-1].norm(dim=-1).max().item())


def influence() -> torch.Tensor:
    """Norm of the derivative of each output by each token, through two causal layers of two heads, [n, n]."""
    generator = seeded()
    layers = [MultiHeadAttention(2, 2, 2, generator=generator, **F64) for _ in range(2)]

    def stack(x):
        for layer in layers:
            x = x + layer(x, mask=causal_mask(len(x))).output
        return x

    with trusted():
        return torch.func.jacrev(stack)(X).norm(dim=(1, 3)).detach()


def move_when_the_padding_changes() -> float:
    mask = combine_masks(causal_mask(5), padding_mask(torch.tensor([5, 3]), 5))
    batch = torch.stack([X, X])
    junk = batch.clone()
    junk[1, 3:] = 100.0
    return largest((attend(batch, batch, batch, mask).output - attend(junk, junk, junk, mask).output)[1, :3])


def rows_of_a_cross_attention() -> int:
    generator = seeded()
    written, read = (torch.randn(n, 8, generator=generator, **F64) for n in (3, 7))
    return MultiHeadAttention(8, 4, 2, generator=generator, **F64)(written, read).output.shape[0]
