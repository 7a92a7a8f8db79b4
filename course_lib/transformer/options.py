"""What every block, stack and model may be told beside its sizes, and the parts that a block is built from."""

from dataclasses import dataclass

import torch

from course_lib.attention import MultiHeadAttention
from course_lib.transformer.layers import FeedForward, Norm, Sublayer


@dataclass(frozen=True, kw_only=True)
class Options:
    """The options of `Block`, and of all that is made of blocks.

    `norm` is where layer norm stands ("pre", "post" or "none"), `residual` whether x is added to each sublayer's answer,
    `bias` whether the attention has biases, `dropout` the share of each sublayer's answer that training drops (see
    `Sublayer`). `generator` draws the parameters, those of one part after those of the other; None is a new one seeded
    with 0. Parameters have `dtype` and the generator's device.
    """

    norm: Norm = "pre"
    residual: bool = True
    bias: bool = False
    dropout: float = 0.0
    generator: torch.Generator | None = None
    dtype: torch.dtype | None = None

    def __post_init__(self) -> None:
        if self.generator is None:
            object.__setattr__(self, "generator", torch.Generator().manual_seed(0))

    def drawn(self) -> dict:
        """How parameters that are not a block's are drawn: the generator and the dtype alone."""
        return {"generator": self.generator, "dtype": self.dtype}

    def attention(self, d: int, m: int, h: int) -> MultiHeadAttention:
        return MultiHeadAttention(d, m, h, bias=self.bias, **self.drawn())

    def feed_forward(self, d: int, r: int) -> FeedForward:
        return FeedForward(d, r, **self.drawn())

    def around(self, d: int) -> Sublayer:
        """What wraps one sublayer."""
        wrap = {"residual": self.residual, "dropout": self.dropout, "dtype": self.dtype}
        return Sublayer(d, self.norm, **wrap, device=self.generator.device)
