"""SmolLM2-135M-Instruct, a real language model of 2024: what the decoder of 2017 has become, written out.

30 layers, d = 576, 9 heads of width 64, r = 1536, 49,152 pieces; 134.5 million numbers, rounded to about 5 bits each
(Apache-2.0). Next to the decoder of Vaswani et al. four parts are new, one function each: `rms_norm`, `rotate`,
`swiglu`, `share`. Norms come before each sublayer and not behind it, no map has a bias, and there is no encoder to look
at.

Layers and heads count from 0.  [Zhang & Sennrich 2019; Su et al. 2021; Shazeer 2020; Ainslie et al. 2023]
"""

from functools import cache
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.attention import KeyValues, attend, causal_mask

from .files import SMOLLM, locate, require
from .gguf_file import read_gguf


class DecoderLayer(NamedTuple):
    """One decoder layer. Maps act from the right; there are fewer heads g of keys and values than heads h of
    queries."""

    before_attention: Float[Tensor, " d"]
    W_Q: Float[Tensor, "h d m"]
    W_K: Float[Tensor, "g d m"]
    W_V: Float[Tensor, "g d m"]
    W_O: Float[Tensor, "h m d"]
    before_feed_forward: Float[Tensor, " d"]
    W_gate: Float[Tensor, "d r"]
    W_up: Float[Tensor, "d r"]
    W_down: Float[Tensor, "r d"]


class ReadText(NamedTuple):
    """What the model makes of one text: hidden[0] is the input of layer 0, hidden[ℓ] the output of layer ℓ − 1.

    Row i of `logits` is about the piece that follows tokens 0 … i.
    """

    tokens: list[str]
    hidden: Float[Tensor, "layers+1 n d"]
    weights: Float[Tensor, "layers h n n"]
    logits: Float[Tensor, "n vocab"]


# ------------------------------------------------------------------------------------------ the four things that are
# new
def rms_norm(x: Float[Tensor, "*b d"], weight: Float[Tensor, " d"], epsilon: float) -> Float[Tensor, "*b d"]:
    """Divide each row by its root mean square. No mean is subtracted and nothing is added: half of a layer norm."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))  # the square of 300 is more than half precision holds
    return (wide * torch.rsqrt(wide.square().mean(-1, keepdim=True) + epsilon) * weight).to(x.dtype)


def rotate(x: Float[Tensor, "*b n m"], base: float, start: int = 0) -> Float[Tensor, "*b n m"]:
    """Turn row t, pair by pair of its coordinates, by the angles (start + t)·base^(−2i/m): its place, as rotations.

    A query at place s and a key at place t then have a product that depends on s − t and on nothing else of the places.
    """
    n, m = x.shape[-2:]
    speeds = base ** (-torch.arange(0, m, 2, dtype=x.dtype) / m)  # [m/2]
    angles = torch.arange(start, start + n, dtype=x.dtype)[:, None] * speeds  # [n, m/2]
    even, odd = x[..., 0::2], x[..., 1::2]
    turned = [even * angles.cos() - odd * angles.sin(), even * angles.sin() + odd * angles.cos()]
    return torch.stack(turned, -1).flatten(-2)  # [..., n, m/2, 2] → [..., n, m]


def swiglu(x: Float[Tensor, "*b d"], layer: DecoderLayer) -> Float[Tensor, "*b d"]:
    """A feed-forward layer in which one map opens and closes what another lets through: (silu(x W_gate) · x W_up)
    W_down."""
    return (F.silu(x @ layer.W_gate) * (x @ layer.W_up)) @ layer.W_down


def share(x: Float[Tensor, "b g s m"], h: int) -> Float[Tensor, "b h s m"]:
    """Grouped queries: heads 0 … h/g − 1 use key head 0, the next h/g use key head 1, and so on."""
    return x.repeat_interleave(h // x.shape[1], dim=1)


# --------------------------------------------------------------------------------------------------------------- the
# model
class SmolLM:
    """The language model with its vocabulary. `SmolLM.load()` makes it; it needs about 0.7 GB."""

    def __init__(
        self, E: Tensor, layers: list[DecoderLayer], norm: Tensor, base: float, epsilon: float, tokenizer: Any = None
    ) -> None:
        self.E = E  # [vocab, d]: a piece's vector, and what a final vector is compared with
        self.layers = layers
        self.norm = norm  # [d]
        self.base = base
        self.epsilon = epsilon
        self.tokenizer = tokenizer

    @staticmethod
    @cache
    def load() -> "SmolLM":
        """The model, read once in a process, in some seconds. Raises NotInstalled where a package is missing."""
        require("tokenizers")
        W, facts = read_gguf(locate(SMOLLM))
        h, g = facts["llama.attention.head_count"], facts["llama.attention.head_count_kv"]
        layers = [_layer(W, f"blk.{i}.", h, g) for i in range(facts["llama.block_count"])]
        base, epsilon = facts["llama.rope.freq_base"], facts["llama.attention.layer_norm_rms_epsilon"]
        return SmolLM(W["token_embd.weight"], layers, W["output_norm.weight"], base, epsilon, _tokenizer(facts))

    def start(self, b: int = 1) -> tuple[KeyValues, ...]:
        """The state before any token, for b sequences: no keys and no values [b, g, 0, m] in any layer. Keys are kept
        as turned to their places."""
        return tuple(
            KeyValues(*(self.E.new_zeros(b, W.shape[0], 0, W.shape[2]) for W in (x.W_K, x.W_V))) for x in self.layers
        )

    def forward(
        self, tokens: Int[Tensor, "b n"], state: tuple[KeyValues, ...], keep: Float[Tensor,
        "layers 2 b n"] | None = None,
        instead: Float[Tensor, "layers 2 #b d"] | None = None,
    ) -> tuple[list[Float[Tensor, "b n d"]], list[Float[Tensor, "b h n s"]], tuple[KeyValues, ...]]:  # fmt: skip
        """Read n more tokens after the s − n of the state: the vectors between the layers, the weights, the new state.

        `keep` multiplies what attention (0) and feed-forward (1) of a layer add to each token: zeros silence them
        there, and where `keep` is 0 sequence b gets `instead` in its place.
        """
        x = self.E[tokens]  # [b, n, d]
        past, n = state[0].k.shape[2], tokens.shape[1]
        mask = causal_mask(past + n)[past:]  # [n, s]
        hidden, weights, after = [x], [], []
        keep = x.new_ones(len(self.layers), 2, *tokens.shape) if keep is None else keep
        put = (1 - keep).unsqueeze(-1) * (
            x.new_zeros(1) if instead is None else instead.unsqueeze(-2)
        )  # [layers, 2, b, n, d or 1]
        for layer, (old_k, old_v), (keep_a, keep_f), (put_a, put_f) in zip(
            self.layers, state, keep.unsqueeze(-1), put, strict=True
        ):
            y = rms_norm(x, layer.before_attention, self.epsilon)
            q = rotate(torch.einsum("bnd,hdm->bhnm", y, layer.W_Q), self.base, past)
            k = torch.cat([old_k, rotate(torch.einsum("bnd,gdm->bgnm", y, layer.W_K), self.base, past)], 2)
            v = torch.cat([old_v, torch.einsum("bnd,gdm->bgnm", y, layer.W_V)], 2)  # [b, g, s, m]
            h = q.shape[1]
            heads, A, _ = attend(q, share(k, h), share(v, h), mask)  # [b, h, n, m], [b, h, n, s]
            x = x + keep_a * torch.einsum("bhnm,hmd->bnd", heads, layer.W_O) + put_a
            x = x + keep_f * swiglu(rms_norm(x, layer.before_feed_forward, self.epsilon), layer) + put_f
            hidden.append(x)
            weights.append(A)
            after.append(KeyValues(k, v))
        return hidden, weights, tuple(after)

    def unembed(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b vocab"]:
        """Logits: the normed vector's product with every piece's own vector."""
        return rms_norm(x, self.norm, self.epsilon) @ self.E.T

    @torch.no_grad()
    def step(self, tokens: Int[Tensor, " b"], state: tuple[KeyValues, ...]) -> tuple[Tensor, tuple[KeyValues, ...]]:
        """Read one more token in each of b sequences: logits [b, vocab] of what follows, and the new state."""
        hidden, _, state = self.forward(tokens[:, None], state)
        return self.unembed(hidden[-1][:, -1]), state

    # ----------------------------------------------------------------------------------------------------------- on
    # texts
    def encode(self, text: str) -> list[int]:
        """The text's pieces as numbers. No start token is added. Raises ValueError for an empty text."""
        ids = self.tokenizer.encode(text).ids
        if not ids:
            raise ValueError("text must have at least one piece, got an empty text")
        return ids

    def decode(self, ids: list[int]) -> str:
        """The text of these pieces; a piece that is part of a character alone gives �."""
        return self.tokenizer.decode(ids, skip_special_tokens=False)

    def tokens(self, text: str) -> list[str]:
        """The text's pieces; the space before a word is part of its piece."""
        return [self.decode([i]) for i in self.encode(text)]

    @torch.no_grad()
    def read(self, text: str) -> ReadText:
        """Every layer's vectors and weights, and the logits at every place."""
        ids = self.encode(text)
        hidden, weights, _ = self.forward(torch.tensor([ids]), self.start())
        logits = self.unembed(hidden[-1][0])  # [n, vocab]
        return ReadText(self.tokens(text), torch.cat(hidden), torch.cat(weights), logits)

    def probabilities(self, text: str) -> Float[Tensor, " vocab"]:
        """How likely each piece is to follow the text."""
        return self.read(text).logits[-1].softmax(-1)

    def next_words(self, text: str, k: int = 10) -> list[tuple[str, float]]:
        """The k pieces most likely to follow the text, with their probabilities."""
        top = self.probabilities(text).topk(k)
        return [(self.decode([i]), p) for p, i in zip(top.values.tolist(), top.indices.tolist(), strict=True)]

    def piece(self, word: str) -> int:
        """The number of a word that is one piece, its leading space included. Raises ValueError where it is not."""
        ids = self.encode(word)
        if len(ids) != 1:
            raise ValueError(f"word must be one piece (begin with a space inside a text), got {self.tokens(word)}")
        return ids[0]

    def rank(self, text: str, word: str) -> int:
        """The place of `word` (one piece, as ' chess') among all pieces that may follow, the likeliest being 1."""
        p = self.probabilities(text)
        return 1 + int((p > p[self.piece(word)]).sum())


def _layer(W: dict[str, Tensor], name: str, h: int, g: int) -> DecoderLayer:
    """The file stores maps as [outputs, inputs] with all heads in one; here they act from the right, head by head.

    Its rows of W_Q and W_K stand so that neighbouring coordinates turn together, as in `rotate`. (The files for another
    library pair coordinate i with i + m/2: there is no difference once W_Q and W_K are arranged alike.)
    """

    def get(part: str) -> Tensor:
        return W[f"{name}{part}.weight"]

    def heads(part: str, count: int) -> Tensor:
        return get(part).unflatten(0, (count, -1)).transpose(1, 2)  # [count·m, d] → [count, d, m]

    return DecoderLayer(
        get("attn_norm"), heads("attn_q", h), heads("attn_k", g), heads("attn_v", g), get("attn_output").T.unflatten(0,
        (h, -1)),
        get("ffn_norm"), get("ffn_gate").T, get("ffn_up").T, get("ffn_down").T,
    )  # fmt: skip


def _tokenizer(facts: dict[str, Any]) -> Any:
    """Byte pairs, from the list of merges in the file. Digits stand alone; marks such as <|im_start|> are one piece."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    pieces = facts["tokenizer.ggml.tokens"]
    merges = [tuple(merge.split(" ")) for merge in facts["tokenizer.ggml.merges"]]
    tokenizer = Tokenizer(models.BPE(vocab={piece: i for i, piece in enumerate(pieces)}, merges=merges))
    parts = [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(parts)
    tokenizer.decoder = decoders.ByteLevel()
    control = 3  # how GGUF marks a piece that is no text
    tokenizer.add_special_tokens(
        [p for p, kind in zip(pieces, facts["tokenizer.ggml.token_type"], strict=True) if kind == control]
    )
    return tokenizer
