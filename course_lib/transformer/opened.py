"""A block with nothing hidden: every matrix between its input and its output, by name, in the order it is computed."""

from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.attention import MultiHeadAttention, Number, attend, mask_per_head
from course_lib.transformer.blocks import Block, DecoderBlock
from course_lib.transformer.layers import FeedForward, Sublayer


def open_block(
    block: Block, x: Float[Tensor, "*b n d"], mask: Bool[Tensor, "*#b #n #n"] | None, *, scale: Number | None = None
) -> dict[str, Tensor]:
    """Everything that `block(x, mask, scale=scale)` computes; the last entry, "output", is its output.

    | name                       | shape          |                                                             |
    |----------------------------|----------------|-------------------------------------------------------------|
    | normed                     | [..., n, d]    | what attention reads: norm(x) where the norm is "pre", else x |
    | Q, K, V                    | [..., h, n, m] | queries, keys, values                                       |
    | scores, weights            | [..., h, n, n] | Q Kᵀ/√m before the mask, and their softmax under it          |
    | heads                      | [..., h, n, m] | weights V                                                   |
    | attention                  | [..., n, d]    | the heads side by side, through W_O                         |
    | attention_sum              | [..., n, d]    | x + attention; only where the norm is "post"                |
    | after_attention            | [..., n, d]    | the sum, normed where the norm is "post"                    |
    | ffn_normed                 | [..., n, d]    | what the feed-forward layer reads                           |
    | hidden                     | [..., n, r]    | relu(… W_1 + b_1)                                           |
    | ffn, ffn_sum, output       | [..., n, d]    | hidden W_2 + b_2; then as for attention                     |

    Inside `checks.trusted()` torch can trace this with symbolic sizes; a size m that is a symbol needs `scale` as an
    input. With dropout in training, "attention" and "ffn" are the answers before entries are dropped.
    """
    opened: dict[str, Tensor] = {}
    x = _attention(opened, "", block.attention, block.around_attention, x, None, mask, scale)
    _feed_forward(opened, block.feed_forward, block.around_feed_forward, x)
    return opened


def open_decoder_block(
    block: DecoderBlock,
    x: Float[Tensor, "*b n d"],
    memory: Float[Tensor, "*b s d"],
    mask: Bool[Tensor, "*#b #n #n"] | None,
    memory_mask: Bool[Tensor, "*#b #n #s"] | None = None,
    *,
    scale: Number | None = None,
) -> dict[str, Tensor]:
    """As `open_block`; between "after_attention" and "ffn_normed" stands the attention to the memory.

    Its names are cross_normed, cross_Q [..., h, n, m], cross_K, cross_V [..., h, s, m], cross_scores, cross_weights
    [..., h, n, s], cross_heads, cross_attention, cross_attention_sum ("post" only) and after_cross_attention.
    """
    opened: dict[str, Tensor] = {}
    x = _attention(opened, "", block.attention, block.around_attention, x, None, mask, scale)
    cross = block.cross_attention, block.around_cross_attention
    x = _attention(opened, "cross_", *cross, x, memory, memory_mask, scale)
    _feed_forward(opened, block.feed_forward, block.around_feed_forward, x)
    return opened


def _attention(
    opened: dict[str, Tensor],
    prefix: str,
    attention: MultiHeadAttention,
    around: Sublayer,
    x: Tensor,
    memory: Tensor | None,
    mask: Tensor | None,
    scale: Number | None,
) -> Tensor:
    normed = around.before(x)
    q = attention.queries(normed)
    k, v = attention.project(normed if memory is None else memory)
    heads, weights, scores = attend(q, k, v, mask_per_head(mask), scale=scale)
    answer = attention.join(heads)
    named = {"normed": normed, "Q": q, "K": k, "V": v, "scores": scores, "weights": weights, "heads": heads}
    opened |= {prefix + name: tensor for name, tensor in named.items()}
    return _around(opened, around, x, prefix + "attention", answer, f"after_{prefix}attention")


def _feed_forward(opened: dict[str, Tensor], layer: FeedForward, around: Sublayer, x: Tensor) -> None:
    opened["ffn_normed"] = around.before(x)
    opened["hidden"] = layer.hidden(opened["ffn_normed"])
    _around(opened, around, x, "ffn", opened["hidden"] @ layer.W_2 + layer.b_2, "output")


def _around(opened: dict[str, Tensor], around: Sublayer, x: Tensor, name: str, answer: Tensor, after: str) -> Tensor:
    opened[name] = answer
    summed = around.add(x, answer)
    if around.placement == "post":
        opened[f"{name}_sum"] = summed
        summed = around.norm(summed)
    opened[after] = summed
    return summed
