"""torch.nn.functional, as far as the labs use it: layers as functions of their weights."""

import math
from typing import Any

import numpy as np

from .arithmetic import OPERATIONS
from .indices import within
from .kinds import LONG, alike, floating, held, operands
from .make import everybodys
from .products import matmul
from .reductions import log_softmax, native_layer_norm, softmax
from .tensor import Tensor, made

relu, tanh, sigmoid = OPERATIONS["relu"], OPERATIONS["tanh"], OPERATIONS["sigmoid"]
__all__ = [
    "bilinear", "cosine_similarity", "cross_entropy", "dropout", "embedding", "gelu", "layer_norm", "linear",
    "log_softmax", "logsigmoid", "mse_loss", "nll_loss",
    "normalize", "one_hot", "relu", "scaled_dot_product_attention", "sigmoid", "silu", "softmax", "softplus", "tanh",
]  # fmt: skip


def linear(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wᵀ + b: torch's maps act from the left."""
    y = matmul(x, weight.T)
    return y if bias is None else y + bias


def embedding(tokens: Tensor, weight: Tensor) -> Tensor:
    return weight[within(tokens.array, len(weight), "embedding")]


def layer_norm(
    x: Tensor, normalized_shape: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: float = 1e-5
) -> Tensor:
    return native_layer_norm(x, normalized_shape, weight, bias, eps)[0]


def gelu(x: Tensor, *, approximate: str = "none") -> Tensor:
    if approximate == "tanh":
        return 0.5 * x * (1 + (math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)).tanh())
    return 0.5 * x * (1 + (x / math.sqrt(2)).erf())


def silu(x: Tensor) -> Tensor:
    return x * x.sigmoid()


def softplus(x: Tensor) -> Tensor:
    """ln(1 + eˣ), and x above 20, where torch leaves it at that."""
    a, e = x.array, np.exp(x.array)
    return made(np.where(a > 20, a, np.log1p(e)), (x, lambda g: np.where(a > 20, g, g * e / (1 + e))))


def logsigmoid(x: Tensor) -> Tensor:
    a, e = x.array, np.exp(-np.abs(x.array))
    return made(np.minimum(a, 0) - np.log1p(e), (x, lambda g: g * np.where(a < 0, 1, e) / (1 + e)))


def normalize(x: Tensor, p: float = 2, dim: int = 1, eps: float = 1e-12) -> Tensor:
    return x / x.norm(p, dim, True).clamp(min=eps)


def cosine_similarity(x: Tensor, y: Tensor, dim: int = 1, eps: float = 1e-8) -> Tensor:
    """Of lengths below eps the derivative is taken as if they were not."""
    x, y = operands(x, y)
    lengths = [each.norm(2, dim, True).clone() for each in (x, y)]
    for each in lengths:
        np.maximum(each.array, eps, out=each.array)
    return ((x / lengths[0]) * (y / lengths[1])).sum(dim)


def bilinear(x: Tensor, y: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """x Wₒ y for each o of W [o, x, y]."""
    alike("bilinear", x, y, weight)
    z = (
        (x[..., None, :] @ weight.transpose(0, 1).reshape(x.shape[-1], -1)).reshape(
            *x.shape[:-1], len(weight), y.shape[-1]
        )
        * y[..., None, :]
    ).sum(-1)
    return z if bias is None else z + bias


def one_hot(tokens: Tensor, num_classes: int = -1) -> Tensor:
    if tokens.dtype not in LONG:
        raise RuntimeError(f"one_hot takes int64, got {tokens.dtype}")
    count = int(tokens.array.max()) + 1 if num_classes == -1 else num_classes
    return Tensor(np.eye(count, dtype=np.int64)[within(tokens.array, count, "one_hot")])


def dropout(x: Tensor, p: float = 0.5, training: bool = True) -> Tensor:
    if not 0 <= p <= 1:
        raise ValueError(f"dropout probability has to be between 0 and 1, but got {p}")
    if not training or p == 0:
        return x
    kept = everybodys.uniform(x.array.size, np.dtype("float64")).reshape(x.array.shape) >= p
    return x * Tensor((kept / (1 - p if p < 1 else 1)).astype(x.array.dtype))


def _reduced(losses: Tensor, reduction: str, count: float) -> Tensor:
    if reduction not in ("mean", "sum", "none"):
        raise ValueError(f"{reduction} is not a valid value for reduction: mean, sum, none")
    if reduction == "none":
        return losses
    return losses.sum() / count if reduction == "mean" else losses.sum()


def _counted(scores: Tensor, target: Tensor, ignore_index: int) -> tuple[int, np.ndarray, Tensor]:
    """The axis of the classes, which targets count, and the places of the targets."""
    axis, wanted = (1 if scores.ndim > 1 else 0), target.array
    if wanted.dtype not in (*LONG, np.uint8):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {wanted.dtype}")
    if wanted.shape != scores.shape[:axis] + scores.shape[axis + 1 :]:
        raise ValueError(
            f"Expected a target for each of the input {tuple(scores.shape)}, but got target {wanted.shape}"
        )
    counts = wanted != ignore_index
    places = np.where(counts, wanted, 0).astype(np.int64)
    return axis, counts, Tensor(np.expand_dims(within(places, scores.shape[axis], "target"), axis))


def nll_loss(log_p: Tensor, target: Tensor, *, ignore_index: int = -100, reduction: str = "mean") -> Tensor:
    """-log_p[…, target, …], the classes on axis 1 (0 where there is one axis), averaged over the targets that count."""
    axis, counts, places = _counted(log_p, target, ignore_index)
    losses = (-log_p.gather(axis, places).squeeze(axis)).masked_fill(Tensor(~counts), 0)
    return _reduced(losses, reduction, counts.sum())


def cross_entropy(
    logits: Tensor, target: Tensor, *, ignore_index: int = -100, reduction: str = "mean", label_smoothing: float = 0.0
) -> Tensor:
    """Nats: nll_loss of the logits' log softmax. Targets with a class axis are distributions."""
    if not 0 <= label_smoothing <= 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing}")
    axis = 1 if logits.ndim > 1 else 0
    log_p = log_softmax(logits, axis)
    if target.shape == logits.shape:
        if not target.is_floating_point() or ignore_index >= 0:
            raise RuntimeError(
                f"targets of the logits' shape are probabilities, without ignore_index; got {target.dtype}"
            )
        even = target * (1 - label_smoothing) + label_smoothing / logits.shape[axis]
        return _reduced(-(even * log_p).sum(axis), reduction, log_p.array.size / logits.shape[axis])
    sharp = nll_loss(log_p, target, ignore_index=ignore_index, reduction=reduction)
    if not label_smoothing:
        return sharp
    _, counts, _ = _counted(log_p, target, ignore_index)
    even = _reduced((-log_p.mean(axis)).masked_fill(Tensor(~counts), 0), reduction, counts.sum())
    return (1 - label_smoothing) * sharp + label_smoothing * even


def mse_loss(x: Tensor, y: Tensor, *, reduction: str = "mean") -> Tensor:
    losses = (x - y) ** 2
    return _reduced(losses, reduction, losses.array.size)


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
    """softmax(q·k · scale) v; a boolean mask is true where looking is allowed, another one is added to the scores.

    Who may look nowhere gets 0.
    """
    alike("scaled_dot_product_attention", q, k, v)
    scores = matmul(q, k.mT) * (q.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal and attn_mask is not None:
        raise RuntimeError("scaled_dot_product_attention takes attn_mask or is_causal=True, not both")
    if is_causal:
        attn_mask = Tensor(np.tri(*scores.shape[-2:], dtype=bool))
    if attn_mask is not None:
        scores = masked(scores, attn_mask)
    nowhere = Tensor((scores.array == -math.inf).all(-1, keepdims=True))
    weights = softmax(scores.masked_fill(nowhere, 0), -1).masked_fill(nowhere, 0)
    return matmul(dropout(weights, dropout_p), v)


def masked(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dtype == bool:
        return scores.masked_fill(~mask, -math.inf)
    alike("attn_mask", scores, mask)
    return scores + mask


def threshold_backward(g: Tensor, x: Tensor, threshold: float) -> Tensor:
    return Tensor(g.array * (x.array > threshold))


def softmax_backward(g: Tensor, y: Tensor, dim: int, dtype: Any) -> Tensor:
    return Tensor(y.array * (g.array - (g.array * y.array).sum(dim, keepdims=True)))


def entr(p: Tensor) -> Tensor:
    """-p ln p, and 0 at 0."""
    p = floating(p)
    a = p.array
    value = np.where(a < 0, -np.inf, -a * np.log(np.where(a > 0, a, 1))).astype(a.dtype)
    return made(value, (p, lambda g: g * (-1 - np.log(a))))


def clip_grad_norm_(parameters: Any, max_norm: float) -> Tensor:
    """Divide all gradients together so that their common norm is at most max_norm; gives the norm before."""
    grads = [p.grad for p in ([parameters] if isinstance(parameters, Tensor) else parameters) if p.grad is not None]
    total = math.sqrt(sum(float((g.array.astype(np.float64) ** 2).sum()) for g in grads))
    for g in grads:
        g.array *= g.array.dtype.type(np.minimum(1.0, max_norm / (total + 1e-6)))
    return Tensor(np.asarray(total, grads[0].dtype if grads else np.float32))


globals().update(held({name: globals()[name] for name in (*__all__, "entr")}))
