"""Whole models from the same blocks: one continues a text, the other translates it. Tokens go in, logits come out.

Both can run two ways. `forward` reads whole sequences at once, as in training. `start` and `step` write token by token
and keep each layer's keys and values, so that a token is read once; the logits are the same. A state is a nest of
tuples of tensors whose first axis is b, so that a search can pick, repeat or drop its sequences.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.attention import causal_mask, combine_masks, padding_mask
from course_lib.transformer.embedding import Embedding, Positions
from course_lib.transformer.options import Options
from course_lib.transformer.stacks import Decoder, Encoder, Past


class Predicted(NamedTuple):
    """Logits [b, n, vocab]: row i is about the token after token i; and each layer's map [b, h, n, n]."""

    logits: Tensor
    weights: tuple[Tensor, ...]


class Memory(NamedTuple):
    """What the encoder hands over: vectors [b, s, d], which of them may be read [b, 1, s], its maps [b, h, s, s]."""

    output: Tensor
    mask: Tensor
    weights: tuple[Tensor, ...]


class Translated(NamedTuple):
    """Logits [b, n, vocab], and each layer's maps: encoder [b, h, s, s], decoder [b, h, n, n], across [b, h, n, s]."""

    logits: Tensor
    weights: tuple[Tensor, ...]
    decoder_weights: tuple[Tensor, ...]
    cross_weights: tuple[Tensor, ...]


class TranslatorState(NamedTuple):
    """Keys and values of the tokens written so far and of the source, a pair a layer, and the source's mask [b, 1,
    s]."""

    past: Past
    memory: Past
    mask: Tensor


class LanguageModel(nn.Module):
    """Read a text and give logits for each next token: embedding, causal blocks, read-out. A decoder-only model.

    Logits are x Eᵀ with the embedding's own E where `tied`, else x U with U [d, vocab], normal with variance 1/d.
    `root_d`, `positions` and `longest` as in `Embedding`, the other options are those of `Options`; `generator` draws
    embedding, blocks, U. Dropout acts on the sublayers' answers alone: embeddings and weights keep every entry.
    """

    def __init__(
        self,
        vocab: int,
        layers: int,
        d: int,
        m: int,
        h: int,
        r: int,
        *,
        tied: bool = True,
        root_d: bool = True,
        positions: Positions = "sinusoidal",
        longest: int = 512,
        **options: Any,
    ) -> None:
        super().__init__()
        chosen = Options(**options)
        tokens = {"root_d": root_d, "positions": positions, "longest": longest, **chosen.drawn()}
        self.embedding = Embedding(vocab, d, **tokens)
        self.stack = Encoder(layers, d, m, h, r, **vars(chosen))
        self.U = None if tied else chosen.normal(d, vocab)

    def forward(self, tokens: Int[Tensor, "b n"], lengths: Int[Tensor, " b"] | None = None) -> Predicted:
        """Give the logits after each token; `lengths` says how many tokens of each sequence are no padding."""
        x = self.embed(tokens)
        mask = causal_mask(tokens.shape[1], device=tokens.device)
        if lengths is not None:
            mask = combine_masks(mask, _padding(lengths, tokens))
        return self.read(x, mask)

    def embed(self, tokens: Int[Tensor, "b n"], start: int = 0) -> Float[Tensor, "b n d"]:
        """The tokens' vectors, at positions start … start + n - 1."""
        return self.embedding(tokens, start)

    def read(self, x: Float[Tensor, "b n d"], mask: Bool[Tensor, "*#b #n #n"] | None) -> Predicted:
        """Everything after the embedding; the mask is asked for, because without a causal one each token sees its
        answer."""
        output, weights = self.stack(x, mask)
        return Predicted(self.read_out(output), weights)

    def read_out(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b vocab"]:
        return x @ (self.embedding.E.T if self.U is None else self.U)

    def start(self, b: int) -> Past:
        """The state of b sequences before their first token."""
        return self.stack.start(b)

    def step(self, tokens: Int[Tensor, " b"], state: Past) -> tuple[Float[Tensor, "b vocab"], Past]:
        """Read one more token of each sequence: logits for the one after it, and the next state."""
        x = self.embed(_column(tokens, state), _written(state))  # [b, 1, d]
        x, state = self.stack.step(x, state)
        return self.read_out(x[:, 0]), state


class Translator(nn.Module):
    """Read a source text, then write the target token by token: encoder, decoder, read-out.  [Vaswani et al. 2017]

    Each language has its own embedding; where `tied`, the read-out is the target's. Options as for `LanguageModel`, the
    same for both sides; `generator` draws source embedding, target embedding, encoder, decoder, U.
    """

    def __init__(
        self,
        source_vocab: int,
        target_vocab: int,
        layers: int,
        d: int,
        m: int,
        h: int,
        r: int,
        *,
        tied: bool = True,
        root_d: bool = True,
        positions: Positions = "sinusoidal",
        longest: int = 512,
        **options: Any,
    ) -> None:
        super().__init__()
        checks.positive_ints(source_vocab=source_vocab, target_vocab=target_vocab)
        chosen = Options(**options)
        tokens = {"root_d": root_d, "positions": positions, "longest": longest, **chosen.drawn()}
        self.source_embedding = Embedding(source_vocab, d, **tokens)
        self.target_embedding = Embedding(target_vocab, d, **tokens)
        self.longest = self.target_embedding.longest  # of either language; None where any length will do
        self.encoder = Encoder(layers, d, m, h, r, **vars(chosen))
        self.decoder = Decoder(layers, d, m, h, r, **vars(chosen))
        self.U = None if tied else chosen.normal(d, target_vocab)

    def forward(
        self, source: Int[Tensor, "b s"], target: Int[Tensor, "b n"], source_lengths: Int[Tensor, " b"] | None = None
    ) -> Translated:
        """Give the logits after each target token. The causal mask hides a target's padding from its tokens."""
        memory = self.encode(source, source_lengths)
        y = self.target_embedding(target, name="target")  # [b, n, d]
        checks.size("target", target, 0, len(source), "the number b of sources")
        mask = causal_mask(target.shape[1], device=target.device)
        decoded = self.decoder(y, memory.output, mask, memory.mask)
        logits = self.read_out(decoded.output)
        return Translated(logits, memory.weights, decoded.weights, decoded.cross_weights)

    def encode(self, source: Int[Tensor, "b s"], lengths: Int[Tensor, " b"] | None = None) -> Memory:
        """Read the source; `lengths` says how many tokens of each are no padding."""
        x = self.source_embedding(source, name="source")  # [b, s, d]
        mask = (
            source.new_ones(len(source), 1, source.shape[1], dtype=torch.bool)
            if lengths is None
            else _padding(lengths, source)
        )
        output, weights = self.encoder(x, mask)
        return Memory(output, mask, weights)

    def read_out(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b vocab"]:
        return x @ (self.target_embedding.E.T if self.U is None else self.U)

    def start(self, source: Int[Tensor, "b s"], lengths: Int[Tensor, " b"] | None = None) -> TranslatorState:
        """Read the source, once, and give the state before the target's first token."""
        output, mask, _ = self.encode(source, lengths)
        return TranslatorState(self.decoder.start(len(source)), self.decoder.project(output), mask)

    def step(
        self, tokens: Int[Tensor, " b"], state: TranslatorState
    ) -> tuple[Float[Tensor, "b vocab"], TranslatorState]:
        """Read one more token of each target: logits for the one after it, and the next state."""
        y = self.target_embedding(_column(tokens, state.past), _written(state.past))  # [b, 1, d]
        y, past = self.decoder.step(y, state.past, state.memory, state.mask)
        return self.read_out(y[:, 0]), state._replace(past=past)


def _padding(lengths: Tensor, tokens: Tensor) -> Tensor:
    b, n = tokens.shape
    mask = padding_mask(lengths, n)  # [b, 1, n]
    checks.size("lengths", lengths, 0, b, "one length a sequence")
    return mask


def _column(tokens: Tensor, past: Past) -> Tensor:
    checks.integers("tokens", tokens, 1, "a tensor [b] of ints, the next token of each sequence")
    checks.size("tokens", tokens, 0, len(past[0].k), "the number b of sequences of the state")
    return tokens[:, None]


def _written(past: Past) -> int:
    return past[0].k.shape[-2]
