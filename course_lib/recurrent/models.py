"""RNNencdec and RNNsearch: a recurrent encoder and decoder, without and with attention, otherwise the same.

A decoder reads ⟨start⟩ y_1 … and says y_1 … ⟨end⟩; `start` and `step` are what `course_lib.decoding` asks for.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.parameters import Parameters
from course_lib.recurrent.cells import token_mask
from course_lib.recurrent.decoder import (
    AttentiveDecoder,
    AttentiveState,
    FixedState,
    RecurrentDecoded,
    RecurrentDecoder,
)
from course_lib.recurrent.encoder import RecurrentEncoded, RecurrentEncoder


class RecurrentTranslator(nn.Module):
    """Embedding, encoder, decoder; a subclass says which decoder.

    d: width of the embeddings (E_source, E_target: normal, variance 1); r: width of encoder's and decoder's states.
    `dropout`, in train mode: on the embeddings and in the read-out. The generator, see `Parameters`, draws E_source,
    E_target, encoder, decoder. Other options go to the decoder.
    """

    kind = RecurrentDecoder

    def __init__(
        self, source_vocab: int, target_vocab: int, d: int, r: int, *, cell: str = "gru", bidirectional: bool = True,
        dropout: float = 0.0,
        generator: torch.Generator | None = None, dtype: torch.dtype | None = None, **of_decoder: Any,
    ) -> None:  # fmt: skip
        super().__init__()
        checks.positive_ints(source_vocab=source_vocab, target_vocab=target_vocab, d=d)
        new = Parameters(generator=generator, dtype=dtype)
        self.E_source, self.E_target = (new.normal(vocab, d, fan_in=1) for vocab in (source_vocab, target_vocab))
        self.encoder = RecurrentEncoder(d, r, cell=cell, bidirectional=bidirectional, **new.drawn())
        self.decoder = self.kind(target_vocab, d, r, cell=cell, dropout=dropout, **new.drawn(), **of_decoder)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b n"], source_lengths: Int[Tensor, " b"] | None = None
    ) -> RecurrentDecoded:
        """Teacher forcing: the logits after each target token, the ones before it given."""
        encoded = self.encode(source, source_lengths)
        y = self.embed(target, self.E_target, "target")
        checks.size("target", target, 0, len(source), "the number b of sources")
        return self.decoder(y, encoded, self._mask(source, encoded, source_lengths))

    def encode(self, source: Int[Tensor, "b s"], lengths: Int[Tensor, " b"] | None = None) -> RecurrentEncoded:
        """Read the source; `lengths` says how many tokens of each are no padding."""
        return self.encoder(self.embed(source, self.E_source, "source"), lengths)

    def start(
        self, source: Int[Tensor, "b s"], lengths: Int[Tensor, " b"] | None = None
    ) -> FixedState | AttentiveState:
        """Read the source, once, and give the state before the target's first token."""
        encoded = self.encode(source, lengths)
        return self.decoder.start(encoded, self._mask(source, encoded, lengths))

    def step(
        self, tokens: Int[Tensor, " b"], state: FixedState | AttentiveState
    ) -> tuple[Float[Tensor, "b vocab"], FixedState | AttentiveState]:
        """Read one more token of each target: logits for the one after it, and the next state."""
        checks.integers("tokens", tokens, 1, "a tensor [b] of ints, the next token of each sequence")
        checks.size("tokens", tokens, 0, len(state.C), "the number b of sequences of the state")
        return self.decoder.step(self.embed(tokens[:, None], self.E_target, "tokens")[:, 0], state)

    def embed(self, tokens: Int[Tensor, "b n"], E: Float[Tensor, "v d"], name: str) -> Float[Tensor, "b n d"]:
        """Row t of E for token t. An error calls the tokens `name`."""
        checks.integers(name, tokens, 2, "a tensor [b, n] of ints, the numbers of the tokens, none of its axes empty")
        checks.within(name, tokens, 0, E.shape[0] - 1)
        return self.dropout(F.embedding(tokens, E))

    def _mask(self, source: Tensor, encoded: RecurrentEncoded, lengths: Tensor | None) -> Bool[Tensor, "b s"] | None:
        return None if lengths is None else token_mask(lengths, encoded.H)


class RNNencdec(RecurrentTranslator):
    """The source passes through one vector C, which the decoder is given at every step.  [Cho et al. 2014]"""


class RNNsearch(RecurrentTranslator):
    """At every step the decoder looks for its context among the encoder's states.  [Bahdanau et al. 2015]

    Two more options, `score` and `score_width`: see `AttentiveDecoder`.
    """

    kind = AttentiveDecoder
