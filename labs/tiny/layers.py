"""torch.nn's layers that the labs take as the truth beside what the learner writes: their weights and equations are
torch's."""

import math
from typing import Any, NamedTuple

import numpy as np

from . import functional as F
from .absent import HERE
from .arithmetic import where
from .make import rand, randn, zeros
from .modules import Module
from .shapes import cat, stack
from .tensor import Parameter, Tensor


def drawn(*shape: int, fan_in: float, dtype: Any = None) -> Parameter:
    """Uniform in ±1/√fan_in, as torch draws it: the same seed gives the same."""
    return Parameter((2 * rand(*shape, dtype=dtype) - 1) / math.sqrt(fan_in))


class Linear(Module):
    def __init__(
        self, in_features: int, out_features: int, bias: bool = True, device: Any = None, dtype: Any = None
    ) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self.weight = drawn(out_features, in_features, fan_in=in_features, dtype=dtype)
        self.bias = drawn(out_features, fan_in=in_features, dtype=dtype) if bias else None

    def forward(self, x: Tensor) -> Tensor:
        return F.linear(x, self.weight, self.bias)


class LayerNorm(Module):
    def __init__(self, normalized_shape: Any, eps: float = 1e-5) -> None:
        super().__init__()
        self.shape, self.eps = (
            (normalized_shape,) if isinstance(normalized_shape, int) else tuple(normalized_shape),
            eps,
        )
        self.weight, self.bias = Parameter(zeros(self.shape) + 1), Parameter(zeros(self.shape))

    def forward(self, x: Tensor) -> Tensor:
        return F.layer_norm(x, self.shape, self.weight, self.bias, self.eps)


class Embedding(Module):
    def __init__(self, num_embeddings: int, embedding_dim: int) -> None:
        super().__init__()
        self.weight = Parameter(randn(num_embeddings, embedding_dim))

    def forward(self, tokens: Tensor) -> Tensor:
        return F.embedding(tokens, self.weight)


class Dropout(Module):
    def __init__(self, p: float = 0.5) -> None:
        super().__init__()
        self.p = p

    def forward(self, x: Tensor) -> Tensor:
        return F.dropout(x, self.p, self.training)


class CrossEntropyLoss(Module):
    def __init__(self, **options: Any) -> None:
        super().__init__()
        self.options = options

    def forward(self, logits: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(logits, target, **self.options)


class GELU(Module):
    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, x: Tensor) -> Tensor:
        return F.gelu(x, approximate=self.approximate)


for _name in ("ReLU:relu", "Tanh:tanh", "Sigmoid:sigmoid"):
    _made, _, _function = _name.partition(":")
    globals()[_made] = type(_made, (Module,), {"forward": staticmethod(getattr(F, _function))})


# ----------------------------------------------------------------------------------------------------------- recurrent
def gru(x: Tensor, s: Tensor, weight_ih: Tensor, weight_hh: Tensor, bias_ih: Tensor, bias_hh: Tensor) -> Tensor:
    a, c = F.linear(x, weight_ih, bias_ih).chunk(3, -1), F.linear(s, weight_hh, bias_hh).chunk(3, -1)
    reset, update = (a[0] + c[0]).sigmoid(), (a[1] + c[1]).sigmoid()
    return (1 - update) * (a[2] + reset * c[2]).tanh() + update * s


class GRUCell(Module):
    def __init__(self, input_size: int, hidden_size: int) -> None:
        super().__init__()
        self.weight_ih, self.weight_hh = (
            drawn(3 * hidden_size, width, fan_in=hidden_size) for width in (input_size, hidden_size)
        )
        self.bias_ih, self.bias_hh = (drawn(3 * hidden_size, fan_in=hidden_size) for _ in range(2))

    def forward(self, x: Tensor, s: Tensor | None = None) -> Tensor:
        s = zeros(*x.shape[:-1], self.weight_hh.shape[1], dtype=x.dtype) if s is None else s
        return gru(x, s, self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh)


class Packed(NamedTuple):
    """Sequences with their lengths. torch packs them without the padding; here they stay as they are."""

    x: Tensor
    lengths: Any


def pack_padded_sequence(x: Tensor, lengths: Any, batch_first: bool = False, enforce_sorted: bool = True) -> Packed:
    lengths = np.asarray(lengths)
    if enforce_sorted and (np.diff(lengths) > 0).any():
        raise RuntimeError("`lengths` must fall where enforce_sorted is True: give enforce_sorted=False")
    if lengths.min(initial=1) < 1:
        raise RuntimeError(f"Length of all samples has to be greater than 0, but found {lengths.min()}")
    return Packed(x if batch_first else x.transpose(0, 1), lengths)


class GRU(Module):
    """One layer, in one direction. A sequence's state stays what it was at its last token."""

    def __init__(self, input_size: int, hidden_size: int, batch_first: bool = False) -> None:
        super().__init__()
        self.batch_first, self.width, cell = batch_first, hidden_size, GRUCell(input_size, hidden_size)
        for name, parameter in cell.named_parameters():
            setattr(self, f"{name}_l0", parameter)

    def forward(self, x: Any, start: Tensor | None = None) -> tuple[Any, Tensor]:
        packed = isinstance(x, Packed)
        if not packed and x.ndim != 3:
            raise NotImplementedError(f"{HERE} has GRU for batches: 3 dimensions, got {x.ndim}")
        rows = x.x if packed else x if self.batch_first else x.transpose(0, 1)
        lengths = x.lengths if packed else np.full(len(rows), rows.shape[1])
        s = zeros(len(rows), self.width, dtype=rows.dtype) if start is None else start[0]
        states = []
        for t in range(rows.shape[1]):
            after = gru(rows[:, t], s, self.weight_ih_l0, self.weight_hh_l0, self.bias_ih_l0, self.bias_hh_l0)
            s = where(Tensor((t < lengths)[:, None]), after, s) if packed else after
            states.append(s)
        together = stack(states, 1 if self.batch_first or packed else 0)
        return Packed(together, lengths) if packed else together, s[None]


# ----------------------------------------------------------------------------------------------------------- attention
class MultiheadAttention(Module):
    """Heads side by side. Its boolean mask is true where looking is forbidden."""

    def __init__(
        self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, batch_first: bool = False
    ) -> None:
        super().__init__()
        if dropout or embed_dim % num_heads:
            raise NotImplementedError(
                f"{HERE} has MultiheadAttention with heads that divide its width, and without dropout"
            )
        self.heads, self.batch_first = num_heads, batch_first
        self.out_proj = Linear(embed_dim, embed_dim, bias)
        self.in_proj_weight = drawn(3 * embed_dim, embed_dim, fan_in=4 * embed_dim / 6)
        self.in_proj_bias = Parameter(zeros(3 * embed_dim)) if bias else None
        if bias:
            self.out_proj.bias = Parameter(zeros(embed_dim))

    def forward(
        self,
        q: Tensor,
        k: Tensor,
        v: Tensor,
        *,
        attn_mask: Tensor | None = None,
        need_weights: bool = True,
        average_attn_weights: bool = True,
    ) -> tuple[Tensor, Tensor | None]:
        if not self.batch_first and q.ndim == 3:
            q, k, v = (x.transpose(0, 1) for x in (q, k, v))
        biases = (None,) * 3 if self.in_proj_bias is None else self.in_proj_bias.chunk(3)
        parts = zip((q, k, v), self.in_proj_weight.chunk(3), biases, strict=True)
        q, k, v = (
            stack(F.linear(x, weight, bias).chunk(self.heads, -1), -3) for x, weight, bias in parts
        )  # [b, h, n, m]
        if attn_mask is not None:
            attn_mask = ~attn_mask if attn_mask.dtype == bool else attn_mask
            attn_mask = (
                attn_mask.reshape(*q.shape[:-1], -1) if attn_mask.ndim == 3 else attn_mask
            )  # one for each sequence and head
        if need_weights:
            scores = q @ k.mT / math.sqrt(q.shape[-1])
            weights = (scores if attn_mask is None else F.masked(scores, attn_mask)).softmax(-1)
            looked = weights @ v
        else:
            looked = F.scaled_dot_product_attention(q, k, v, attn_mask)
        output = self.out_proj(cat(looked.unbind(-3), -1))
        output = output if self.batch_first or output.ndim == 2 else output.transpose(0, 1)
        return output, (weights.mean(-3) if average_attn_weights else weights) if need_weights else None


class TransformerEncoderLayer(Module):
    """A block: attention and two linear maps with a relu between them, each with a residual and a norm before or after
    it."""

    def __init__(
        self,
        d_model: int,
        nhead: int,
        dim_feedforward: int = 2048,
        dropout: float = 0.1,
        batch_first: bool = False,
        norm_first: bool = False,
    ) -> None:
        super().__init__()
        if dropout:
            raise NotImplementedError(f"{HERE} has TransformerEncoderLayer with dropout=0.0 only")
        self.self_attn = MultiheadAttention(d_model, nhead, batch_first=batch_first)
        self.linear1, self.linear2 = Linear(d_model, dim_feedforward), Linear(dim_feedforward, d_model)
        self.norm1, self.norm2, self.norm_first = LayerNorm(d_model), LayerNorm(d_model), norm_first

    def forward(self, x: Tensor, src_mask: Tensor | None = None) -> Tensor:
        look = lambda y: self.self_attn(y, y, y, attn_mask=src_mask, need_weights=False)[0]
        think = lambda y: self.linear2(self.linear1(y).relu())
        for part, norm in ((look, self.norm1), (think, self.norm2)):
            x = x + part(norm(x)) if self.norm_first else norm(x + part(x))
        return x
