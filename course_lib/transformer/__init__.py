"""The Transformer, from positions to encoder and decoder stacks; attention itself is `course_lib.attention`.

Modules own parameters, their `forward` reads like the formula and gives the attention maps too. A decoder-only model is an
`Encoder` that is given a causal mask. [Vaswani et al. 2017]
"""

from course_lib.transformer.blocks import Block, Crossed, DecoderBlock
from course_lib.transformer.layers import FeedForward, LayerNorm, Sublayer
from course_lib.transformer.positions import LearnedPositions, sinusoidal
from course_lib.transformer.stacks import Decoded, Decoder, Encoded, Encoder

__all__ = [
    "Block",
    "Crossed",
    "Decoded",
    "Decoder",
    "DecoderBlock",
    "Encoded",
    "Encoder",
    "FeedForward",
    "LayerNorm",
    "LearnedPositions",
    "Sublayer",
    "sinusoidal",
]
