"""Recurrent networks: cells, unrolling, encoder, decoders, and the two translators made of them."""

from .cells import ACTIVATIONS, CELLS, Cell, GRUCell, LSTMCell, LSTMState, RNNCell, Unrolled, unroll
from .decoder import AttentiveDecoder, AttentiveState, Decoded, Decoder, FixedState, Looked
from .encoder import Encoded, Encoder
from .models import RNNencdec, RNNsearch

__all__ = [
    "ACTIVATIONS", "CELLS", "AttentiveDecoder", "AttentiveState", "Cell", "Decoded", "Decoder", "Encoded", "Encoder",
    "FixedState", "GRUCell", "LSTMCell", "LSTMState", "Looked", "RNNCell", "RNNencdec", "RNNsearch", "Unrolled", "unroll",
]  # fmt: skip
