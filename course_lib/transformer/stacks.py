"""ℓ blocks on top of each other: encoder and decoder.

Pre-norm blocks add to a stream that nothing normalises, so a pre-norm stack ends with one more layer norm; the others
end as their last block does.  [Xiong et al. 2020]
"""

from typing import Any, NamedTuple

from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib import checks
from course_lib.attention import KeyValues
from course_lib.transformer.blocks import Block, DecoderBlock
from course_lib.transformer.layers import LayerNorm
from course_lib.transformer.options import Options


class Encoded(NamedTuple):
    """Tokens [..., n, d], and each layer's map [..., h, n, n], from the first layer up."""

    output: Tensor
    weights: tuple[Tensor, ...]


class Decoded(NamedTuple):
    """Tokens [..., n, d], and each layer's two maps [..., h, n, n] and [..., h, n, s], from the first layer up."""

    output: Tensor
    weights: tuple[Tensor, ...]
    cross_weights: tuple[Tensor, ...]


Past = tuple[KeyValues, ...]  # one of each layer, from the first up


class Advanced(NamedTuple):
    """What a stack gives for one more token: its vector [b, 1, d], and what each layer keeps of it and all before
    it."""

    output: Tensor
    past: Past


class Encoder(nn.Module):
    """`layers` blocks; other arguments as for `Block`. With a causal mask it is the decoder-only model."""

    def __init__(self, layers: int, d: int, m: int, h: int, r: int, **options: Any) -> None:
        super().__init__()
        self.blocks, self.final_norm = _stack(Block, layers, (d, m, h, r), Options(**options))

    def forward(self, x: Float[Tensor, "*b n d"], mask: Bool[Tensor, "*#b #n #n"] | None = None, **how: Any) -> Encoded:
        """Pass the tokens through every block; `mask`, scale, turn and bias as in `Block`, the same in each."""
        weights = []
        for block in self.blocks:
            x, block_weights, _ = block(x, mask, **how)  # [..., n, d], [..., h, n, n]
            weights.append(block_weights)
        return Encoded(x if self.final_norm is None else self.final_norm(x), tuple(weights))

    def start(self, b: int) -> Past:
        """The past before the first token of b sequences: keys and values [b, h, 0, m]."""
        return _nothing_yet(self.blocks, b)

    def step(self, x: Float[Tensor, "b 1 d"], past: Past) -> Advanced:
        """Give the last row of `forward` under a causal mask, from that row of x alone and the past of the others."""
        seen = []
        for block, before in zip(self.blocks, past, strict=True):
            x, now = block.step(x, before)
            seen.append(now)
        return Advanced(x if self.final_norm is None else self.final_norm(x), tuple(seen))


class Decoder(nn.Module):
    """`layers` decoder blocks, all looking at the same memory; other arguments as for `DecoderBlock`."""

    def __init__(self, layers: int, d: int, m: int, h: int, r: int, **options: Any) -> None:
        super().__init__()
        self.blocks, self.final_norm = _stack(DecoderBlock, layers, (d, m, h, r), Options(**options))

    def forward(
        self,
        x: Float[Tensor, "*b n d"],
        memory: Float[Tensor, "*b s d"],
        mask: Bool[Tensor, "*#b #n #n"] | None,
        memory_mask: Bool[Tensor, "*#b #n #s"] | None = None,
    ) -> Decoded:
        """Pass the tokens through every block; masks as in `DecoderBlock`, the same in each."""
        weights, cross_weights = [], []
        for block in self.blocks:
            x, block_weights, block_cross_weights = block(x, memory, mask, memory_mask)
            weights.append(block_weights)  # [..., h, n, n]
            cross_weights.append(block_cross_weights)  # [..., h, n, s]
        x = x if self.final_norm is None else self.final_norm(x)
        return Decoded(x, tuple(weights), tuple(cross_weights))

    def start(self, b: int) -> Past:
        """The past before the first token of b sequences: keys and values [b, h, 0, m]."""
        return _nothing_yet(self.blocks, b)

    def project(self, memory: Float[Tensor, "b s d"]) -> Past:
        """Each layer's keys and values of the memory [b, h, s, m]: they are the same for every token to come."""
        return tuple(block.cross_attention.project(memory) for block in self.blocks)

    def step(
        self, x: Float[Tensor, "b 1 d"], past: Past, memory: Past, memory_mask: Bool[Tensor, "#b 1 #s"] | None = None
    ) -> Advanced:
        """As `Encoder.step`; `memory` comes from `project`."""
        seen = []
        for block, before, read in zip(self.blocks, past, memory, strict=True):
            x, now = block.step(x, before, read, memory_mask)
            seen.append(now)
        return Advanced(x if self.final_norm is None else self.final_norm(x), tuple(seen))


def _nothing_yet(blocks: nn.ModuleList, b: int) -> Past:
    checks.positive_int("b", b)
    like = blocks[0].attention.W_K
    h, _, m = like.shape
    return tuple(KeyValues(like.new_zeros(b, h, 0, m), like.new_zeros(b, h, 0, m)) for _ in blocks)


def _stack(
    kind: type[Block] | type[DecoderBlock], layers: int, sizes: tuple[int, int, int, int], options: Options
) -> tuple[nn.ModuleList, LayerNorm | None]:
    """The blocks, drawn one after the other from one generator, and the final norm where there is one."""
    checks.positive_int("layers", layers)
    blocks = nn.ModuleList(kind(*sizes, **vars(options)) for _ in range(layers))
    if options.norm != "pre":
        return blocks, None
    return blocks, LayerNorm(sizes[0], **options.like)
