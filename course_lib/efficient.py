"""Layers that mix tokens without comparing all pairs: window, strided and linear attention, and a convolution beside
them.

Full attention compares n² pairs. Each function here returns what it computed on the way, like `attention.attend`, and
none forms an n × n matrix, forward or backward. Where a weight's key is not its column, `Sparse.keys` says which key it
is, and `spread` lays the weights out as the [n, n] matrix that they stand for.

Tokens are rows. Functions raise ValueError for wrong shapes and, outside `checks.trusted()`, for input that is not
finite.
"""

from typing import NamedTuple

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor

from course_lib import checks
from course_lib.attention import check_qkv


class Sparse(NamedTuple):
    """Attention to c candidates a query: output [..., n, c_v], weights and scores [..., n, c].

    A candidate that the query may not look at has weight 0; its score says nothing.
    """

    output: Tensor
    weights: Tensor
    scores: Tensor


class Linear(NamedTuple):
    """Attention without a softmax: output [..., n, c], state [..., m, c] = Σ φ(k_j)ᵀ v_j, and the normaliser [...,
    n]."""

    output: Tensor
    state: Tensor
    normaliser: Tensor


def window_attention(
    q: Float[Tensor, "*b n m"], k: Float[Tensor, "*b n m"], v: Float[Tensor, "*b n c"], radius: int
) -> Sparse:
    """softmax(q·k/√m) over the keys at distance ≤ radius: 2·radius + 1 of them, fewer at the ends.

    Cut into blocks of `radius` tokens, each block looks at itself and its two neighbours: 3·radius candidates a query.
    Time and memory are O(n · radius · (m + c)).  [Vaswani et al. 2017, §4: restricted]
    """
    _check_one_sequence(q, k, v)
    checks.positive_int("radius", radius)
    n = q.shape[-2]
    radius = min(radius, n)
    q, k, v = (_blocks(x, radius) for x in (q * q.shape[-1] ** -0.5, k, v))  # [..., n/r, r, m]
    k, v = _with_neighbours(k), _with_neighbours(v)  # [..., n/r, 3r, m]
    scores = q @ k.mT  # [..., n/r, r, 3r]
    weights = _softmax(scores, _window_mask(n, radius, q.device))
    return Sparse(*(_rows(x, n) for x in (weights @ v, weights, scores)))


def _window_mask(n: int, radius: int, device: torch.device | None = None) -> Tensor:
    """[n/r, r, 3r]: which candidates each query of a block may look at. Small pieces first, for the time it takes."""
    query = torch.arange(radius, 2 * radius, device=device)[:, None]  # places counted from the block before
    place = torch.arange(3 * radius, device=device)
    start = torch.arange(-radius, n - radius, radius, device=device)[:, None, None]  # [n/r, 1, 1]
    return ((query - place).abs() <= radius) & (start + place >= 0) & (start + place < n)


def window_keys(n: int, radius: int) -> Int[Tensor, "n c"]:
    """Which key each of the c = 3·min(radius, n) candidates of `window_attention` is; -1 where the query may not
    look."""
    checks.positive_ints(n=n, radius=radius)
    radius = min(radius, n)
    block = (torch.arange(n) // radius)[:, None]
    key = (block - 1) * radius + torch.arange(3 * radius)  # [n, 3r], from the block before on
    return torch.where(_rows(_window_mask(n, radius), n), key, -1)


def strided_attention(
    q: Float[Tensor, "*b n m"], k: Float[Tensor, "*b n m"], v: Float[Tensor, "*b n c"], stride: int
) -> Sparse:
    """softmax(q·k/√m) over the query's own block of `stride` tokens and the first token of every other block.

    `stride` + n/stride candidates a query, fewest at stride = √n: then time and memory are O(n √n (m + c)). Two layers
    lead from any token to any other, by way of a first token.  [Child et al. 2019, §4.3: "fixed", here without a causal
    mask]
    """
    _check_one_sequence(q, k, v)
    checks.positive_int("stride", stride)
    n = q.shape[-2]
    stride = min(stride, n)
    q, k, v = (_blocks(x, stride) for x in (q * q.shape[-1] ** -0.5, k, v))  # [..., n/s, s, m]
    first_k, first_v = k[..., 0, :], v[..., 0, :]  # [..., n/s, m]
    within = q @ k.mT  # [..., n/s, s, s]
    across = q.flatten(-3, -2) @ first_k.mT  # [..., n, n/s]
    scores = torch.cat([within, across.unflatten(-2, q.shape[-3:-1])], -1)  # [..., n/s, s, s + n/s]
    weights = _softmax(scores, _strided_mask(n, stride, q.device))
    own, others = weights.split([stride, first_k.shape[-2]], -1)
    output = own @ v + (others.flatten(-3, -2) @ first_v).unflatten(-2, q.shape[-3:-1])
    return Sparse(*(_rows(x, n) for x in (output, weights, scores)))


def _strided_mask(n: int, stride: int, device: torch.device | None = None) -> Tensor:
    """[n/s, 1, s + n/s]: the tokens of the own block, and the first tokens of the others."""
    block = torch.arange(-(-n // stride), device=device)
    within = block[:, None] * stride + torch.arange(stride, device=device) < n  # [n/s, s]
    across = block != block[:, None]  # [n/s, n/s]: the first token of the own block stands in `within` already
    return torch.cat([within, across], -1).unsqueeze(1)


def strided_keys(n: int, stride: int) -> Int[Tensor, "n c"]:
    """Which key each of the c = s + ⌈n/s⌉ candidates of `strided_attention` is, s = min(stride, n); -1 where it may not
    look."""
    checks.positive_ints(n=n, stride=stride)
    stride = min(stride, n)
    block = torch.arange(n) // stride
    own = block[:, None] * stride + torch.arange(stride)  # [n, s]
    firsts = torch.arange(0, n, stride).expand(n, -1)  # [n, n/s]
    return torch.where(_strided_mask(n, stride)[block, 0], torch.cat([own, firsts], -1), -1)


def spread(weights: Float[Tensor, "*b n c"], keys: Int[Tensor, "n c"]) -> Float[Tensor, "*b n n"]:
    """The [n, n] matrix that sparse weights stand for: entry (i, keys[i, a]) is weights[i, a], the others are 0.

    `keys` comes from `window_keys` or `strided_keys`. For pictures and tests: it forms the matrix that the layers
    avoid.
    """
    checks.array("weights", weights, 2, "[..., n, c]")
    shape, takes = list(weights.shape[-2:]), "a tensor of int64, of the shape of one weight matrix"
    if not isinstance(keys, Tensor) or keys.dtype != torch.int64 or list(keys.shape) != shape:
        got = f"{keys.dtype} of shape {list(keys.shape)}" if isinstance(keys, Tensor) else type(keys).__name__
        checks.fail("keys", f"{takes}, {shape}", got)
    n = weights.shape[-2]
    checks.within("keys", keys, -1, n - 1)
    target = torch.where(keys < 0, n, keys).expand(weights.shape)  # column n is for what no one may look at
    return weights.new_zeros(*weights.shape[:-1], n + 1).scatter_add(-1, target, weights)[..., :n]


class _Positive(torch.autograd.Function):
    """φ by its own exponential, which `F.elu(x) + 1` rounds away far below 0. Like elu it keeps x alone."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return torch.where(x > 0, x + 1, x.exp())

    @staticmethod
    def backward(ctx, pull):
        return pull * ctx.saved_tensors[0].exp().clamp(max=1)


def positive(x: Float[Tensor, "*b m"]) -> Float[Tensor, "*b m"]:
    """φ(x) = elu(x) + 1, entry by entry: x + 1 above 0 and e^x below, > 0 as far as the type reaches.  [Katharopoulos
    et al. 2020, §3.2]"""
    checks.array("x", x, 1, "[..., m]")
    return _Positive.apply(x)


def linear_attention(q: Float[Tensor, "*b n m"], k: Float[Tensor, "*b s m"], v: Float[Tensor, "*b s c"]) -> Linear:
    """Weights φ(q)·φ(k) over their sum: by associativity φ(Q) (φ(K)ᵀ V), n·m·c operations and no weight is ever formed.

    No scale: φ of a long vector is long. ValueError where the sum is no number > 0.  [Katharopoulos et al. 2020, §3.2]
    """
    _check_keys(q, k, v)
    q, k = positive(q), positive(k)
    state = k.mT @ v  # [..., m, s] [..., s, c] → [..., m, c]
    normaliser = (q @ k.sum(-2).unsqueeze(-1)).squeeze(-1)  # [..., n]
    checks.finite("log Σ φ(q)·φ(k)", normaliser.detach().log())
    return Linear((q @ state) / normaliser.unsqueeze(-1), state, normaliser)


def linear_weights(q: Float[Tensor, "*b n m"], k: Float[Tensor, "*b s m"]) -> Float[Tensor, "*b n s"]:
    """The weights that linear attention never forms, written out: φ(q_i)·φ(k_j) over its sum over j; quadratic, to
    compare."""
    _check_keys(q, k, k)
    products = positive(q) @ positive(k).mT  # [..., n, s]
    checks.finite("log Σ φ(q)·φ(k)", products.detach().sum(-1).log())
    return products / products.sum(-1, keepdim=True)


def convolve(
    x: Float[Tensor, "*b n d"], W: Float[Tensor, "k d c"], b: Float[Tensor, " c"] | None = None, *, dilation: int = 1
) -> Float[Tensor, "*b n c"]:
    """y_i = Σ_a x_{i + (a - (k-1)/2) · dilation} W[a] + b: one linear map a place in a window of k tokens, zeros
    outside.

    k is odd, so that the window has a middle. O(k n d c) operations.
    """
    checks.array("x", x, 2, "[..., n, d]")
    checks.array("W", W, 3, "[k, d, c]")
    if W.ndim != 3 or W.shape[0] % 2 == 0:
        checks.fail("W", "a tensor [k, d, c] with odd k", f"shape {list(W.shape)}")
    checks.size("W", W, 1, x.shape[-1], "the width d of x")
    checks.positive_int("dilation", dilation)
    if b is not None:
        checks.array("b", b, 1, "[c]")
        checks.size("b", b, 0, W.shape[2], "the last size c of W")
    checks.finite("x", x)
    along = x.mT.reshape(-1, x.shape[-1], x.shape[-2])  # [b, d, n]: conv1d has the tokens last
    kernel = W.permute(2, 1, 0)  # [c, d, k]
    y = F.conv1d(along, kernel, b, padding=(W.shape[0] - 1) // 2 * dilation, dilation=dilation)
    return y.mT.reshape(*x.shape[:-1], W.shape[2])


def _blocks(x: Tensor, size: int) -> Tensor:
    """[..., n, m] → [..., ⌈n/size⌉, size, m], the last block filled up with zeros."""
    n = x.shape[-2]
    padded = x if n % size == 0 else F.pad(x, (0, 0, 0, -n % size))
    return padded.unflatten(-2, (-1, size))


def _softmax(scores: Tensor, mask: Tensor) -> Tensor:
    """`attention.softmax` without its last product, which is for queries that may look nowhere: here each sees
    itself."""
    checks.finite("scores", scores)
    hidden = mask.to(scores.dtype).log_()  # 0 where looking is allowed, else minus infinity
    return torch.softmax(scores + hidden, -1)


def _with_neighbours(blocks: Tensor) -> Tensor:
    """[..., B, r, m] → [..., B, 3r, m]: each block between the one before and the one after, zeros at the ends."""
    around = F.pad(blocks, (0, 0, 0, 0, 1, 1))  # [..., B + 2, r, m]
    return torch.cat([around[..., :-2, :, :], blocks, around[..., 2:, :, :]], -2)


def _rows(blocks: Tensor, n: int) -> Tensor:
    """[..., ⌈n/size⌉, size, c] → [..., n, c]."""
    return blocks.flatten(-3, -2)[..., :n, :]


def _check_one_sequence(q: Tensor, k: Tensor, v: Tensor) -> None:
    check_qkv(q, k, v)
    checks.size("k", k, -2, q.shape[-2], "the number n of queries: each token asks and is asked")


def _check_keys(q: Tensor, k: Tensor, v: Tensor) -> None:
    check_qkv(q, k, v)
    checks.some("k", k, -2, "the number s of keys")
