"""MiniLM, a real encoder: 6 layers of 12 heads, d = 384, 30,522 pieces of words; 22.7 million numbers.

The model is all-MiniLM-L6-v2 (Apache-2.0): the encoder of Vaswani et al. 2017 in the form BERT gave it (learned
positions, GELU in place of ReLU), distilled from a larger one, then trained on a billion pairs of sentences. Norm comes
after each residual sum, as in 2017. Every token sees every other: there is no mask.  [Devlin et al. 2019; Wang et al.
2020]

Layers and heads count from 0.
"""

from collections.abc import Collection
from functools import cache, cached_property
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

from course_lib.attention import attend

from .files import MINILM, MINILM_WORDS, locate, require

HEADS = 12


class NormWeights(NamedTuple):
    """Scale and shift of a layer normalisation, [d] each."""

    weight: Tensor
    bias: Tensor


class EncoderLayer(NamedTuple):
    """One encoder layer. Maps act from the right; each bias belongs to the map above it."""

    W_Q: Float[Tensor, "h d m"]
    b_Q: Float[Tensor, "h m"]
    W_K: Float[Tensor, "h d m"]
    b_K: Float[Tensor, "h m"]
    W_V: Float[Tensor, "h d m"]
    b_V: Float[Tensor, "h m"]
    W_O: Float[Tensor, "h m d"]
    b_O: Float[Tensor, " d"]
    after_attention: NormWeights
    W_1: Float[Tensor, "d r"]
    b_1: Float[Tensor, " r"]
    W_2: Float[Tensor, "r d"]
    b_2: Float[Tensor, " d"]
    after_feed_forward: NormWeights


class EncodedText(NamedTuple):
    """What the encoder makes of one text: hidden[0] is the input of layer 0, hidden[ℓ] the output of layer ℓ − 1."""

    tokens: list[str]
    hidden: Float[Tensor, "layers+1 n d"]
    weights: Float[Tensor, "layers h n n"]


def normalise(x: Float[Tensor, "n d"], norm: NormWeights) -> Float[Tensor, "n d"]:
    """Each row to mean 0 and variance 1, then scaled and shifted."""
    return F.layer_norm(x, x.shape[-1:], norm.weight, norm.bias, eps=1e-12)


def encoder_layer(
    x: Float[Tensor, "n d"], layer: EncoderLayer, keep: Float[Tensor, "h _ 1"] | float = 1.0, put: Float[Tensor,
    "h n m"] | float = 0.0,
    mask: Bool[Tensor, "n n"] | None = None, scale: Tensor | None = None,
) -> tuple[Float[Tensor, "n d"], Float[Tensor, "h n n"], Float[Tensor, "h n m"]]:  # fmt: skip
    """One layer's output, its attention weights and what its heads write.

    `keep` [h, n or 1, 1] multiplies what each head writes, 0 takes it away; `put` is added.
    """
    q = torch.einsum("nd,hdm->hnm", x, layer.W_Q) + layer.b_Q[:, None]  # [h, n, m]
    k = torch.einsum("nd,hdm->hnm", x, layer.W_K) + layer.b_K[:, None]
    v = torch.einsum("nd,hdm->hnm", x, layer.W_V) + layer.b_V[:, None]
    heads, weights, _ = attend(q, k, v, mask, scale=scale)  # [h, n, m], [h, n, n]
    heads = keep * heads + put
    x = normalise(x + torch.einsum("hnm,hmd->nd", heads, layer.W_O) + layer.b_O, layer.after_attention)
    hidden = F.gelu(x @ layer.W_1 + layer.b_1)  # [n, r]
    return normalise(x + hidden @ layer.W_2 + layer.b_2, layer.after_feed_forward), weights, heads


class MiniLM:
    """The encoder with its vocabulary. `MiniLM.load()` makes it, in a fraction of a second."""

    def __init__(
        self, tokenizer: Any, vectors: Tensor, places: Tensor, norm: NormWeights, layers: list[EncoderLayer]
    ) -> None:
        self.tokenizer = tokenizer
        self.vectors = vectors  # [vocab, d]: one row for each piece, before any context
        self.places = places  # [512, d]
        self.norm = norm
        self.layers = layers

    @staticmethod
    @cache
    def load() -> "MiniLM":
        """The model, read once in a process. Raises NotInstalled where a package is missing."""
        require("tokenizers", "safetensors")
        from safetensors.torch import load_file
        from tokenizers import Tokenizer

        W = load_file(locate(MINILM))
        tokenizer = Tokenizer.from_file(str(locate(MINILM_WORDS)))
        tokenizer.no_padding()
        tokenizer.no_truncation()
        first = "embeddings."
        # Every sentence here is a "first sentence": BERT's vector that says so is the same for all tokens.
        places = W[first + "position_embeddings.weight"] + W[first + "token_type_embeddings.weight"][0]
        count = 1 + max(int(name.split(".")[2]) for name in W if name.startswith("encoder.layer."))
        layers = [_layer(W, f"encoder.layer.{i}.") for i in range(count)]
        return MiniLM(tokenizer, W[first + "word_embeddings.weight"], places, _norm(W, first + "LayerNorm"), layers)

    @cached_property
    def vocabulary(self) -> list[str]:
        """The pieces in the order of `vectors`; a piece that continues a word begins with ##."""
        ids = self.tokenizer.get_vocab()
        return sorted(ids, key=ids.__getitem__)

    def index(self, word: str) -> int:
        """The row of `vectors` that belongs to this word. Raises ValueError unless the word is one piece."""
        number = self.tokenizer.token_to_id(word)
        if number is None:
            pieces = self.tokenizer.encode(word, add_special_tokens=False).tokens
            raise ValueError(
                f"word must be one piece of the vocabulary, in lower case, got {word!r}: {' '.join(pieces)}"
            )
        return number

    def vector(self, word: str) -> Float[Tensor, " d"]:
        """The word's row of `vectors`: the same in every sentence."""
        return self.vectors[self.index(word)]

    def tokens(self, text: str) -> list[str]:
        """The text's pieces, in lower case, with [CLS] before and [SEP] after them."""
        return self.tokenizer.encode(text).tokens

    @torch.no_grad()
    def read(self, text: str, *, without: Collection[tuple[int, int]] = ()) -> EncodedText:
        """Every layer's vectors and weights for this text; the heads in `without`, pairs (layer, head), add nothing.

        Raises ValueError for a text longer than the 512 places, or for a head that is not there.
        """
        encoded = self.tokenizer.encode(text)
        n = len(encoded.ids)
        if n > len(self.places):
            raise ValueError(f"text must have at most {len(self.places)} tokens, got {n}")
        keep = self.vectors.new_ones(len(self.layers), len(self.layers[0].W_Q), 1, 1)
        for layer, head in without:
            if not (0 <= layer < keep.shape[0] and 0 <= head < keep.shape[1]):
                takes = f"pairs (layer 0 … {keep.shape[0] - 1}, head 0 … {keep.shape[1] - 1})"
                raise ValueError(f"without must be {takes}, got {(layer, head)}")
            keep[layer, head] = 0
        hidden, weights = [normalise(self.vectors[encoded.ids] + self.places[:n], self.norm)], []
        for layer, kept in zip(self.layers, keep, strict=True):
            x, A, _ = encoder_layer(hidden[-1], layer, kept)
            hidden.append(x)
            weights.append(A)
        return EncodedText(encoded.tokens, torch.stack(hidden), torch.stack(weights))


def _norm(W: dict[str, Tensor], name: str) -> NormWeights:
    return NormWeights(W[name + ".weight"], W[name + ".bias"])


def _layer(W: dict[str, Tensor], name: str) -> EncoderLayer:
    """The file stores maps as [outputs, inputs], all heads in one matrix; here they act from the right, head by
    head."""

    def plain(part: str) -> tuple[Tensor, Tensor]:
        return W[f"{name}{part}.weight"].T, W[f"{name}{part}.bias"]

    def heads(part: str) -> tuple[Tensor, Tensor]:
        weight, bias = plain(f"attention.self.{part}")
        return weight.unflatten(1, (HEADS, -1)).transpose(0, 1), bias.unflatten(0, (HEADS, -1))  # [d, h·m] → [h, d, m]

    W_O, b_O = plain("attention.output.dense")
    return EncoderLayer(
        *heads("query"), *heads("key"), *heads("value"),
        W_O.unflatten(0, (HEADS, -1)), b_O, _norm(W, name + "attention.output.LayerNorm"),
        *plain("intermediate.dense"), *plain("output.dense"), _norm(W, name + "output.LayerNorm"),
    )  # fmt: skip
