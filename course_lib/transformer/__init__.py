"""The Transformer, from positions to encoder and decoder stacks; attention itself is `course_lib.attention`.

Modules own parameters, their `forward` reads like the formula and gives the attention maps too. A decoder-only model is
an `Encoder` that is given a causal mask. [Vaswani et al. 2017]
"""

from course_lib.transformer.blocks import Block, Crossed, DecoderBlock, Stepped
from course_lib.transformer.embedding import Embedding
from course_lib.transformer.layers import FeedForward, LayerNorm, Sublayer
from course_lib.transformer.models import LanguageModel, Memory, Predicted, Translated, Translator, TranslatorState
from course_lib.transformer.opened import open_block, open_decoder_block
from course_lib.transformer.options import Options
from course_lib.transformer.positions import LearnedPositions, Turn, alibi, rotary, sinusoidal
from course_lib.transformer.stacks import Advanced, Decoded, Decoder, Encoded, Encoder
