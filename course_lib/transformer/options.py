"""What every block, stack and model may be told beside its sizes, and the parts that a block is built from."""

from dataclasses import dataclass

from course_lib.attention import MultiHeadAttention
from course_lib.parameters import Parameters
from course_lib.transformer.layers import FeedForward, Norm, Sublayer


@dataclass(frozen=True, kw_only=True)
class Options(Parameters):
    """The options of `Block`, and of all that is made of blocks.

    `norm` is where layer norm stands ("pre", "post" or "none"), `residual` whether x is added to each sublayer's
    answer, `bias` whether the attention has biases, `dropout` the share of each sublayer's answer that training drops
    (see `Sublayer`), `key_heads` how many heads have keys and values of their own (see `MultiHeadAttention`).
    `generator` draws the parameters, those of one part after those of the other.
    """

    norm: Norm = "pre"
    residual: bool = True
    bias: bool = False
    dropout: float = 0.0
    key_heads: int | None = None

    def attention(self, d: int, m: int, h: int) -> MultiHeadAttention:
        return MultiHeadAttention(d, m, h, bias=self.bias, key_heads=self.key_heads, **self.drawn())

    def feed_forward(self, d: int, r: int) -> FeedForward:
        return FeedForward(d, r, **self.drawn())

    def around(self, d: int) -> Sublayer:
        """What wraps one sublayer."""
        return Sublayer(d, self.norm, residual=self.residual, dropout=self.dropout, **self.like)
