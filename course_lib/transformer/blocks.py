"""One layer of a Transformer: attention and feed-forward, each wrapped by norm and residual."""

from typing import Any, NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib.attention import Attended, KeyValues
from course_lib.transformer.options import Options


class Crossed(NamedTuple):
    """What a decoder block gives: tokens [..., n, d], and its two maps [..., h, n, n] and [..., h, n, s]."""

    output: Tensor
    weights: Tensor
    cross_weights: Tensor


class Stepped(NamedTuple):
    """What a block gives for one more token: its next vector [..., 1, d], and the keys and values of it and all before
    it."""

    output: Tensor
    past: KeyValues


class Block(nn.Module):
    """Tokens look at each other, then each thinks alone: self-attention, then feed-forward.

    h heads of width m between tokens of width d, r hidden neurons; `options` are those of `Options`.
    """

    def __init__(self, d: int, m: int, h: int, r: int, **options: Any) -> None:
        super().__init__()
        chosen = Options(**options)
        self.attention = chosen.attention(d, m, h)
        self.feed_forward = chosen.feed_forward(d, r)
        self.around_attention = chosen.around(d)
        self.around_feed_forward = chosen.around(d)

    def forward(
        self, x: Float[Tensor, "*b n d"], mask: Bool[Tensor, "*#b #n #n"] | None = None, **how: Any
    ) -> Attended:
        """Give the next tokens [..., n, d] with the weights and scores [..., h, n, n].

        `mask` broadcasts to [..., n, n]; `how` are scale, turn and bias of `MultiHeadAttention`.
        """
        looked = self.attention(self.around_attention.before(x), mask=mask, **how)
        x = self.around_attention.after(x, looked.output)  # [..., n, d]
        return Attended(_think(self, x), looked.weights, looked.scores)

    def step(self, x: Float[Tensor, "*b 1 d"], past: KeyValues) -> Stepped:
        """Give what `forward` under a causal mask gives in its last row, from that row and the `past` of the rows
        before.

        `past` holds the keys and values [..., h, t, m] of the t tokens before; at the first token t is 0.
        """
        x, seen = _look_back(self, x, past)
        return Stepped(_think(self, x), seen)


class DecoderBlock(nn.Module):
    """Tokens look at each other, then at the encoder's, then each thinks alone. Arguments as for `Block`."""

    def __init__(self, d: int, m: int, h: int, r: int, **options: Any) -> None:
        super().__init__()
        chosen = Options(**options)
        self.attention = chosen.attention(d, m, h)
        self.cross_attention = chosen.attention(d, m, h)
        self.feed_forward = chosen.feed_forward(d, r)
        self.around_attention = chosen.around(d)
        self.around_cross_attention = chosen.around(d)
        self.around_feed_forward = chosen.around(d)

    def forward(
        self,
        x: Float[Tensor, "*b n d"],
        memory: Float[Tensor, "*b s d"],
        mask: Bool[Tensor, "*#b #n #n"] | None,
        memory_mask: Bool[Tensor, "*#b #n #s"] | None = None,
    ) -> Crossed:
        """Give the next tokens and both maps.

        `mask` broadcasts to [..., n, n] and is asked for, because forgetting `causal_mask(n)` shows the future; None
        leaves everything in sight. `memory_mask` broadcasts to [..., n, s]. `memory` comes normalised from the encoder.
        """
        looked = self.attention(self.around_attention.before(x), mask=mask)
        x = self.around_attention.after(x, looked.output)  # [..., n, d]
        crossed = self.cross_attention(self.around_cross_attention.before(x), memory, memory_mask)
        x = self.around_cross_attention.after(x, crossed.output)  # [..., n, d]
        return Crossed(_think(self, x), looked.weights, crossed.weights)

    def step(
        self,
        x: Float[Tensor, "*b 1 d"],
        past: KeyValues,
        memory: KeyValues,
        memory_mask: Bool[Tensor, "*#b #1 #s"] | None = None,
    ) -> Stepped:
        """As `Block.step`; `memory` is `cross_attention.project(memory)`, the same for every token."""
        x, seen = _look_back(self, x, past)
        crossed = self.cross_attention.look(self.around_cross_attention.before(x), memory, memory_mask)
        return Stepped(_think(self, self.around_cross_attention.after(x, crossed.output)), seen)


def _look_back(block: Block | DecoderBlock, x: Tensor, past: KeyValues) -> Stepped:
    read = block.around_attention.before(x)  # [..., 1, d]
    seen = past.followed_by(block.attention.project(read))
    looked = block.attention.look(read, seen)  # no mask: what is there is the past
    return Stepped(block.around_attention.after(x, looked.output), seen)


def _think(block: Block | DecoderBlock, x: Tensor) -> Tensor:
    thought = block.feed_forward(block.around_feed_forward.before(x))
    return block.around_feed_forward.after(x, thought)  # [..., n, d]
