"""Recurrent networks: cells, unrolling, encoder, decoders, and the two translators made of them."""

from .cells import ACTIVATIONS, CELLS, Cell, GRUCell, LSTMCell, LSTMState, RNNCell, Unrolled, unroll
from .decoder import AttentiveDecoder, AttentiveState, FixedState, Looked, RecurrentDecoded, RecurrentDecoder
from .encoder import RecurrentEncoded, RecurrentEncoder
from .models import RNNencdec, RNNsearch
