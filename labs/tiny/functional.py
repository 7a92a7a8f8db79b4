"""torch.nn.functional, as far as the labs use it: layers as functions of their weights."""

import math
from typing import Any

import numpy as np

from .arithmetic import OPERATIONS, matmul
from .make import everybodys, zeros_like
from .reductions import log_softmax, native_layer_norm, softmax
from .tensor import Tensor, made

relu, tanh, sigmoid, logsigmoid = OPERATIONS["relu"], OPERATIONS["tanh"], OPERATIONS["sigmoid"], lambda x: -softplus(-x)
__all__ = [
    "bilinear", "cosine_similarity", "cross_entropy", "dropout", "embedding", "gelu", "layer_norm", "linear", "log_softmax", "logsigmoid", "mse_loss", "nll_loss",
    "normalize", "one_hot", "relu", "scaled_dot_product_attention", "sigmoid", "silu", "softmax", "softplus", "tanh",
]  # fmt: skip


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b: torch's maps act from the left."""
    y = matmul(x, weight.T)
    return y if bias is None else y + bias


def embedding(tokens: Tensor, weight: Tensor) -> Tensor:
    return weight[tokens]


def layer_norm(x: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5) -> Tensor:
    return native_layer_norm(x, normalized_shape, weight, bias, eps)[0]


def gelu(x: Tensor, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        return 0.5 * x * (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).tanh())
    return 0.5 * x * (1 + (x / math.sqrt(2)).erf())


def silu(x: Tensor) -> Tensor:
    return x * x.sigmoid()


def softplus(x: Tensor) -> Tensor:
    return x.relu() + (-x.abs()).exp().log1p()


def normalize(x: Tensor, p: float = 2, dim: int = 1, eps: float = 1e-12) -> Tensor:
    return x / x.norm(p, dim, True).clamp(min=eps)


def cosine_similarity(x: Tensor, y: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    lengths = x.norm(2, dim).clamp(min=eps) * y.norm(2, dim).clamp(min=eps)
    return (x * y).sum(dim) / lengths


def bilinear(x: Tensor, y: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wₒ y for each o of W [o, x, y]."""
    z = (
        (x[..., None, :] @ weight.transpose(0, 1).reshape(x.shape[-1], -1)).reshape(*x.shape[:-1], len(weight), y.shape[-1])
        * y[..., None, :]
    ).sum(-1)
    return z if bias is None else z + bias


def one_hot(tokens: Tensor, num_classes: int = -1) -> Tensor:
    count = num_classes if num_classes > 0 else int(tokens.array.max()) + 1
    return Tensor(np.eye(count, dtype=np.int64)[tokens.array])


def dropout(x: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    if not training or p == 0:
        return x
    kept = everybodys.uniform(x.array.size, np.dtype("float64")).reshape(x.array.shape) >= p
    return x * Tensor((kept / (1 - p)).astype(x.array.dtype))


def nll_loss(log_p: Tensor, target: Tensor, *, ignore_index: int = -100, reduction: str = "mean") -> Tensor:
    """-log_p[…, target, …], the classes on axis 1 (0 where there is one axis), averaged over the targets that count."""
    axis = 1 if log_p.ndim > 1 else 0
    counts = target.array != ignore_index
    places = Tensor(np.expand_dims(np.where(counts, target.array, 0), axis))
    losses = -log_p.gather(axis, places).squeeze(axis) * Tensor(counts.astype(log_p.array.dtype))
    if reduction == "none":
        return losses
    return losses.sum() / (counts.sum().item() if reduction == "mean" else 1)


def cross_entropy(
    logits: Tensor, target: Tensor, *, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> Tensor:
    """Nats: nll_loss of the logits' log softmax. Targets with a class axis are distributions."""
    axis = 1 if logits.ndim > 1 else 0
    log_p = log_softmax(logits, axis)
    if target.is_floating_point():
        losses = -(target * log_p).sum(axis)
        return losses if reduction == "none" else losses.sum() if reduction == "sum" else losses.mean()
    sharp = nll_loss(log_p, target, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing:
        return sharp
    even = -log_p.mean(axis) * Tensor((target.array != ignore_index).astype(log_p.array.dtype))
    if reduction != "none":
        even = even.sum() / ((target.array != ignore_index).sum().item() if reduction == "mean" else 1)
    return (1 - label_smoothing) * sharp + label_smoothing * even


def mse_loss(x: Tensor, y: Tensor) -> Tensor:
    return ((x - y) ** 2).mean()


def scaled_dot_product_attention(
    q: Tensor,
    k: Tensor,
    v: Tensor,
    attn_mask: Tensor | None = None,
    dropout_p: float = 0.0,
    is_causal: bool = False,
    *,
    scale: float | None = None,
) -> Tensor:
    """softmax(q·k · scale) v; a boolean mask is true where looking is allowed, another one is added to the scores."""
    scores = matmul(q, k.mT) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        attn_mask = Tensor(np.tri(*scores.shape[-2:], dtype=bool))
    if attn_mask is not None:
        scores = scores.masked_fill(~attn_mask, -math.inf) if attn_mask.array.dtype.kind == "b" else scores + attn_mask
    return matmul(dropout(softmax(scores, -1), dropout_p), v)


def threshold_backward(g: Tensor, x: Tensor, threshold: float) -> Tensor:
    return Tensor(g.array * (x.array > threshold))


def softmax_backward(g: Tensor, y: Tensor, dim: int, dtype: Any) -> Tensor:
    return Tensor(y.array * (g.array - (g.array * y.array).sum(dim, keepdims=True)))


def entr(p: Tensor) -> Tensor:
    """-p ln p, and 0 at 0."""
    a = p.array
    with np.errstate(all="ignore"):
        safe = np.where(a > 0, a, 1)
        return made(np.where(a < 0, -np.inf, -a * np.log(safe)).astype(a.dtype), (p, lambda g: g * (-1 - np.log(a))))


def clip_grad_norm_(parameters: Any, max_norm: float) -> Tensor:
    """Divide all gradients together so that their common norm is at most max_norm; gives the norm before."""
    grads = [p.grad for p in ([parameters] if isinstance(parameters, Tensor) else parameters) if p.grad is not None]
    total = math.sqrt(sum(float((g.array.astype(np.float64) ** 2).sum()) for g in grads))
    share = min(1.0, max_norm / (total + 1e-6))
    for g in grads:
        g.array *= g.array.dtype.type(share)
    return Tensor(np.asarray(total))


__all__ += ["clip_grad_norm_", "entr", "softmax_backward", "threshold_backward", "zeros_like"]
