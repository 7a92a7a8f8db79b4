"""Attention as a formula: scores, softmax, masks, one head, several heads.

softmax(Q Kᵀ/√m) V, written so that every intermediate result comes back with the output. `attend` and
`MultiHeadAttention` are the two functions of source S's appendix; the tests hold both to PyTorch's own, values and
gradients.

Tokens are rows. A mask is true where looking is allowed, the convention of `F.scaled_dot_product_attention`
(`nn.MultiheadAttention` means the opposite). Functions raise ValueError for wrong shapes and, outside
`checks.trusted()`, for input that is not finite.
"""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.parameters import Parameters

Number = int | float | Float[Tensor, ""]


class Attended(NamedTuple):
    """What one attention gives: the output and the two matrices that explain it.

    In `attend`, [..., n, c], [..., n, s] and [..., n, s]; with heads the two matrices have the axis h before n.
    """

    output: Tensor
    weights: Tensor
    scores: Tensor  # scale · q·k, before temperature and mask


class KeyValues(NamedTuple):
    """The keys and values, [..., h, s, m] both, or of g key heads: all that attention keeps of the tokens it looks
    at."""

    k: Tensor
    v: Tensor

    def followed_by(self, later: "KeyValues") -> "KeyValues":
        """These tokens and then the later ones."""
        return KeyValues(torch.cat([self.k, later.k], dim=-2), torch.cat([self.v, later.v], dim=-2))


def softmax(
    scores: Float[Tensor, "*b s"], mask: Bool[Tensor, "*#b #s"] | None = None, *, temperature: Number = 1.0
) -> Float[Tensor, "*b s"]:
    """Turn each row of scores into weights exp(score/temperature), divided by their sum.

    `mask` broadcasts to the shape of `scores`; a masked entry gets weight 0 exactly. A row with every entry masked has
    no such weights: it gets zeros, and gradient zero. (PyTorch 2.13 does the same in `F.scaled_dot_product_attention`,
    while `nn.MultiheadAttention` answers nan if it is asked for its weights.)

    Raises ValueError where temperature is not > 0, or so small that scores/temperature overflows.
    """
    checks.array("scores", scores, 1, "[..., s]")
    checks.finite("scores", scores)
    checks.number("temperature", temperature, positive=True)
    is_one = isinstance(temperature, int | float) and temperature == 1
    logits = scores if is_one else scores / temperature
    checks.finite("scores / temperature", logits)
    if mask is None:
        return torch.softmax(logits, dim=-1)
    _check_mask(mask, scores.shape)
    # Minus infinity: any finite number is a score that a key may have. A fully masked row is left as it is, so without
    # a nan forwards and backwards, and the product sets it to zero. Sum and product take a third of the time of
    # `where`.
    hidden = ~mask & mask.any(-1, keepdim=True)
    lowered = torch.zeros_like(mask, dtype=logits.dtype).masked_fill(hidden, -torch.inf)
    return torch.softmax(logits + lowered, dim=-1) * mask


def _check_mask(mask: Tensor, shape: tuple[int, ...]) -> None:
    checks.boolean("mask", mask)
    checks.broadcasts("mask", mask, shape)


def causal_mask(n: int, s: int | None = None, *, device: torch.device | str | None = None) -> Bool[Tensor, "n s"]:
    """Let query i look at keys 0 … i: at itself and at the past.

    s defaults to n. With s ≠ n both still count from the first token, as `is_causal` does in PyTorch.
    """
    s = n if s is None else s
    checks.positive_ints(n=n, s=s)
    query, key = torch.arange(n, device=device)[:, None], torch.arange(s, device=device)  # [n, 1], [s]
    return key <= query  # [n, s]


def padding_mask(lengths: Int[Tensor, " b"], s: int) -> Bool[Tensor, "b 1 s"]:
    """Let every query of sequence i look at its first lengths[i] keys; the rest of the s keys is padding.

    A length of 0 masks every key: see `softmax`. Raises ValueError for a length outside 0 … s.
    """
    checks.positive_int("s", s)
    checks.integers("lengths", lengths, 1, "a tensor [b] of ints")
    checks.within("lengths", lengths, 0, s)
    key = torch.arange(s, device=lengths.device)  # [s]
    return key < lengths[:, None, None]  # [b, 1, s]


def combine_masks(*masks: Bool[Tensor, "..."]) -> Bool[Tensor, "..."]:
    """Allow what every mask allows. Shapes broadcast: causal [n, s] and padding [b, 1, s] give [b, n, s]."""
    if not masks:
        checks.fail("masks", "one mask or more", "none")
    for i, mask in enumerate(masks):
        checks.boolean(f"masks[{i}]", mask)
    combined = masks[0]
    for i, mask in enumerate(masks[1:], start=1):
        try:
            torch.broadcast_shapes(combined.shape, mask.shape)
        except RuntimeError:
            takes = f"broadcastable with shape {list(combined.shape)}"
            raise ValueError(f"masks[{i}] must be {takes}, got shape {list(mask.shape)}") from None
        combined = combined & mask
    return combined


def attend(
    q: Float[Tensor, "*b n m"],
    k: Float[Tensor, "*b s m"],
    v: Float[Tensor, "*b s c"],
    mask: Bool[Tensor, "*#b #n #s"] | None = None,
    *,
    scale: Number | None = None,
    temperature: Number = 1.0,
    bias: Float[Tensor, "*#b #n #s"] | None = None,
) -> Attended:
    """Average the values with softmax((scale · q·k + bias) / temperature): each query gets a mixture of the values.

    `scale` is 1/√m unless given. `mask` and `bias` broadcast to [..., n, s]; a query that may look nowhere gets weights
    and output zero.  [Vaswani et al. 2017, eq. 1]
    """
    check_qkv(q, k, v)
    if mask is not None:
        _check_mask(mask, (*q.shape[:-1], k.shape[-2]))
    if scale is None:
        scale = q.shape[-1] ** -0.5
    checks.number("scale", scale)
    scores = (q * scale) @ k.mT  # [..., n, s]
    if bias is not None:
        checks.broadcasts("bias", bias, scores.shape)
        scores = scores + bias
    weights = softmax(scores, mask, temperature=temperature)  # [..., n, s]
    output = weights @ v  # [..., n, c]
    return Attended(output, weights, scores)


def check_qkv(q: Tensor, k: Tensor, v: Tensor) -> None:
    """Raise unless queries, keys and values [..., n, m], [..., s, m] and [..., s, c] fit each other and are finite."""
    checks.array("q", q, 2, "[..., n, m]")
    checks.array("k", k, 2, "[..., s, m]")
    checks.array("v", v, 2, "[..., s, c]")
    checks.some("q", q, -1, "the width m")
    checks.size("k", k, -1, q.shape[-1], "the width m of q")
    checks.size("v", v, -2, k.shape[-2], "the number s of keys")
    checks.batch("k", k, 2, q, "that of q")
    checks.batch("v", v, 2, q, "that of q")
    for name, array in (("q", q), ("k", k), ("v", v)):
        checks.finite(name, array)


def concat_heads(heads: Float[Tensor, "*b h n m"], W_O: Float[Tensor, "h m d"]) -> Float[Tensor, "*b n d"]:
    """Write the heads side by side and map them back: [O_1 … O_h] W_O, with W_O's h blocks stacked into [h·m, d].

    [Vaswani et al. 2017, §3.2.2]
    """
    _check_heads(heads, W_O)
    side_by_side = heads.transpose(-3, -2).flatten(-2)  # [..., n, h, m] → [..., n, h·m]
    return side_by_side @ W_O.flatten(0, 1)  # [..., n, h·m] [h·m, d] → [..., n, d]


def sum_heads(heads: Float[Tensor, "*b h n m"], W_O: Float[Tensor, "h m d"]) -> Float[Tensor, "*b n d"]:
    """Map each head back by its own block and add: Σ_i O_i W_O[i]. Equal to `concat_heads`, and it shows each head's
    part."""
    _check_heads(heads, W_O)
    parts = torch.einsum("...hnm,hmd->...hnd", heads, W_O)  # [..., h, n, d]
    return parts.sum(-3)  # [..., n, d]


def _check_heads(heads: Tensor, W_O: Tensor) -> None:
    checks.array("heads", heads, 3, "[..., h, n, m]")
    checks.array("W_O", W_O, 3, "[h, m, d]")
    if W_O.ndim != 3:
        checks.fail("W_O", "a tensor [h, m, d]", f"shape {list(W_O.shape)}")
    checks.size("W_O", W_O, 0, heads.shape[-3], "the number h of heads")
    checks.size("W_O", W_O, 1, heads.shape[-1], "the width m of a head")


class MultiHeadAttention(nn.Module):
    """h heads of width m, each with its own maps, added up: Σ_i softmax(X W_Q[i] (X' W_K[i])ᵀ/√m) X' W_V[i] W_O[i].

    Parameters: W_Q, W_K, W_V [h, d, m] and W_O [h, m, d], normal with variance 1/(number of inputs); with `bias`, b_Q,
    b_K, b_V [h, m] and b_O [d], zero. m need not be d/h. `drawn`: see `Parameters`.

    With g = `key_heads` there are g keys and values a token, W_K and W_V [g, d, m], and head i looks with those of key
    head ⌊i·g/h⌋: `groups` [h, g] has a 1 there.  [grouped queries, Ainslie et al. 2023]
    """

    def __init__(
        self, d: int, m: int, h: int, *, bias: bool = False, key_heads: int | None = None, **drawn: Any
    ) -> None:
        super().__init__()
        checks.positive_ints(d=d, m=m, h=h)
        g = h if key_heads is None else key_heads
        checks.positive_int("key_heads", g)
        if g > h:
            checks.fail("key_heads", f"at most h = {h}", g)
        new = Parameters(**drawn)
        self.W_Q, self.W_K, self.W_V = (new.normal(heads, d, m, fan_in=d) for heads in (h, g, g))
        self.W_O = new.normal(h, m, d, fan_in=h * m)
        self.b_Q, self.b_K, self.b_V = (new.zeros(heads, m) if bias else None for heads in (h, g, g))
        self.b_O = new.zeros(d) if bias else None
        groups = None if key_heads is None else torch.eye(g)[torch.arange(h) * g // h].to(self.W_Q)
        self.register_buffer("groups", groups, persistent=False)

    def forward(
        self,
        x: Float[Tensor, "*b n d"],
        memory: Float[Tensor, "*b s d"] | None = None,
        mask: Bool[Tensor, "*#b #n #s"] | None = None,
        *,
        scale: Number | None = None,
        turn: Callable[[Tensor], Tensor] | None = None,
        bias: Float[Tensor, "*#b #h #n #s"] | None = None,
    ) -> Attended:
        """Let each row of x look at the rows of memory, or at the rows of x where memory is None.

        `mask` broadcasts to [..., n, s] and is the same for every head. `turn` changes each head's queries and keys
        [..., n, m] before they meet (see `Turn`), `bias` is added to their scores. Output [..., n, d]; weights and
        scores [..., h, n, s].
        """
        memory = x if memory is None else memory
        q, (k, v) = self.queries(x), self.project(memory)
        checks.batch("memory", memory, 2, x, "that of x")
        if turn is not None:
            q, k = turn(q), turn(k)
        return self._look(q, KeyValues(k, v), mask, scale, bias)

    def queries(self, x: Float[Tensor, "*b n d"]) -> Float[Tensor, "*b h n m"]:
        """What each row of x looks for, in each head."""
        self._check("x", x)
        return _per_head(x, self.W_Q, self.b_Q)

    def project(self, memory: Float[Tensor, "*b s d"]) -> KeyValues:
        """The keys and values of memory's rows: what `look` needs of them, computed once for many looks."""
        self._check("memory", memory)
        return KeyValues(_per_head(memory, self.W_K, self.b_K), _per_head(memory, self.W_V, self.b_V))

    def look(
        self,
        x: Float[Tensor, "*b n d"],
        keys_values: KeyValues,
        mask: Bool[Tensor, "*#b #n #s"] | None = None,
        *,
        scale: Number | None = None,
    ) -> Attended:
        """Let each row of x look at tokens that `project` has read: `forward(x, memory)` is `look(x,
        project(memory))`."""
        return self._look(self.queries(x), keys_values, mask, scale)

    def join(self, heads: Float[Tensor, "*b h n m"]) -> Float[Tensor, "*b n d"]:
        """Map the heads back to tokens and add b_O, if there is one."""
        output = concat_heads(heads, self.W_O)  # [..., n, d]
        return output if self.b_O is None else output + self.b_O

    def _look(
        self, q: Tensor, keys_values: KeyValues, mask: Tensor | None, scale: Number | None, bias: Tensor | None = None
    ) -> Attended:
        if self.groups is not None:  # [h, g] times [..., g, s, m]: each head's own
            keys_values = KeyValues(*(torch.einsum("hg,...gsm->...hsm", self.groups, part) for part in keys_values))
        if mask is not None:
            _check_mask(mask, (*q.shape[:-3], q.shape[-2], keys_values.k.shape[-2]))
        heads, weights, scores = attend(q, *keys_values, mask_per_head(mask), scale=scale, bias=bias)
        return Attended(self.join(heads), weights, scores)

    def _check(self, name: str, tokens: Tensor) -> None:
        checks.array(name, tokens, 2, "[..., tokens, d]")
        # The size is read from a parameter: while torch traces with symbolic sizes, d is no constant.
        checks.size(name, tokens, -1, self.W_Q.shape[1], "the width d of this module")
        checks.finite(name, tokens)


def mask_per_head(mask: Bool[Tensor, "*b n s"] | None) -> Bool[Tensor, "..."] | None:
    """One mask for all heads: [..., n, s] becomes [..., 1, n, s]; without a batch axis it broadcasts as it is."""
    return mask if mask is None or mask.ndim < 3 else mask.unsqueeze(-3)


def _per_head(x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
    """X W[i] + b[i] for every head i: [..., n, d] and [h, d, m] give [..., h, n, m]."""
    h, _, m = W.shape
    side_by_side = W.transpose(0, 1).flatten(1)  # [d, h·m]: one product for all heads
    y = (x @ side_by_side).unflatten(-1, (h, m)).transpose(-3, -2)  # [..., n, h·m] → [..., h, n, m]
    return y if b is None else y + b.unsqueeze(-2)
