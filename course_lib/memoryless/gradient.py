"""The loss of many models at once, and its gradient by hand: one batched product where S models would need S.

Only the last row reaches the loss, so there is one query a sequence. And no key or value is ever formed: with u = W_K
q,

    q · k_j = u · E[x_j] + u · P_j + a number that is the same for every j (which a softmax does not see),
    Σ_j a_j v_j = (Σ_w c_w E[w] + Σ_j a_j P_j) W_V + w_v,   c_w = the weight that all places of word w get together,

so a sequence costs (v + n) d and not n d m. E and P lie one below the other, and both sums are one product with EP [v +
1 + n, d].
"""

from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib.memoryless.model import EPS

_norm, _norm_back = torch.native_layer_norm, torch.ops.aten.native_layer_norm_backward
_softmax_back = torch.ops.aten._softmax_backward_data


class Forward(NamedTuple):
    """What the backward pass needs again; [S, b, …]. `a` [S, b, n] is the last row of the attention weights."""

    logits: Tensor
    x: Tensor
    q: Tensor
    u: Tensor
    a: Tensor
    c: Tensor
    g: Tensor
    o: Tensor
    sum_1: Tensor
    norm_1: tuple[Tensor, Tensor, Tensor]
    N: Tensor
    hidden: Tensor
    sum_2: Tensor
    norm_2: tuple[Tensor, Tensor, Tensor]
    Z: Tensor


def forward(p: dict[str, Tensor], tokens: Int[Tensor, "S b n"], factor: float) -> Forward:
    """The logits [S, b, v] and what led to them. `p` holds the parameters by name with S in front, and EP [S, v + 1 +
    n, d]."""
    EP, words = p["EP"], p["E"].shape[1]
    d = EP.shape[-1]
    x = _rows(EP, tokens[..., -1]) + EP[:, -1:]  # [S, b, d]: the last word at the last place
    q = torch.baddbmm(p["w_q"], x, p["W_Q"])  # [S, b, m]
    u = torch.bmm(q, p["W_K"].mT)  # [S, b, d]
    meets = torch.bmm(u, EP.mT)  # [S, b, v + 1 + n]
    scores = meets[..., :words].gather(2, tokens).add_(meets[..., words:])
    a = torch.softmax(scores.mul_(factor), -1)  # [S, b, n]
    c = _by_row(a, tokens, words)  # [S, b, v + 1 + n]
    g = torch.bmm(c, EP)  # [S, b, d]
    o = torch.baddbmm(p["w_v"], g, p["W_V"])  # [S, b, m]
    sum_1 = torch.baddbmm(p["w_o"], o, p["W_O"]).add_(x)
    norm_1 = _norm(sum_1, [d], None, None, EPS)
    N = torch.addcmul(p["beta_1"], norm_1[0], p["gamma_1"])
    hidden = torch.baddbmm(p["w_1"], N, p["W_1"]).relu_()  # [S, b, r]
    sum_2 = torch.baddbmm(p["w_2"], hidden, p["W_2"]).add_(N)
    norm_2 = _norm(sum_2, [d], None, None, EPS)
    Z = torch.addcmul(p["beta_2"], norm_2[0], p["gamma_2"])
    logits = torch.baddbmm(p["w_3"], Z, p["W_3"])  # [S, b, v]
    return Forward(logits, x, q, u, a, c, g, o, sum_1, norm_1, N, hidden, sum_2, norm_2, Z)


def backward(
    p: dict[str, Tensor],
    into: dict[str, Tensor],
    tokens: Int[Tensor, "S b n"],
    f: Forward,
    logits: Float[Tensor, "S b v"],
    factor: float,
) -> None:
    """Write the gradient of every parameter into `into`, from that of the logits. w_k and row v of E keep what they
    hold."""
    EP, words = p["EP"], p["E"].shape[1]
    Z = _through(f.Z, logits, p, into, "3")
    sum_2 = _through_norm(Z, f.sum_2, f.norm_2, p, into, "2")
    hidden = _through(f.hidden, sum_2, p, into, "2")
    hidden = torch.ops.aten.threshold_backward(hidden, f.hidden, 0)
    N = _through(f.N, hidden, p, into, "1").add_(sum_2)
    sum_1 = _through_norm(N, f.sum_1, f.norm_1, p, into, "1")
    o = _through(f.o, sum_1, p, into, "O")
    g = _through(f.g, o, p, into, "V")

    c = torch.bmm(g, EP.mT)  # [S, b, v + 1 + n]
    a = c[..., :words].gather(2, tokens).add_(c[..., words:])
    scores = _softmax_back(a, f.a, -1, f.a.dtype).mul_(factor)
    meets = _by_row(scores, tokens, words)
    u = torch.bmm(meets, EP)  # [S, b, d]
    torch.bmm(u.mT, f.q, out=into["W_K"])
    x = _through(f.x, torch.bmm(u, p["W_K"]), p, into, "Q").add_(sum_1)

    torch.bmm(f.c.mT, g, out=into["EP"])
    into["EP"].baddbmm_(meets.mT, f.u)
    _add_rows(into["EP"], tokens[..., -1], x)
    into["EP"][:, -1].add_(x.sum(1))


def _through(below: Tensor, above: Tensor, p: dict[str, Tensor], into: dict[str, Tensor], name: str) -> Tensor:
    """Back through below W + w: the gradients of W and w from `above`, and that of `below`."""
    torch.bmm(below.mT, above, out=into[f"W_{name}"])
    torch.sum(above, 1, keepdim=True, out=into[f"w_{name.lower()}"])
    return torch.bmm(above, p[f"W_{name}"].mT)


def _through_norm(
    above: Tensor, x: Tensor, norm: tuple[Tensor, ...], p: dict[str, Tensor], into: dict[str, Tensor], name: str
) -> Tensor:
    standard, mean, spread = norm
    torch.sum(above * standard, 1, keepdim=True, out=into[f"gamma_{name}"])
    torch.sum(above, 1, keepdim=True, out=into[f"beta_{name}"])
    return _norm_back(above * p[f"gamma_{name}"], x, [x.shape[-1]], mean, spread, None, None, [True, False, False])[0]


def _by_row(weights: Tensor, tokens: Tensor, words: int) -> Tensor:
    """What each row of EP gets of weights [S, b, n]: a word's row that of all its places, a place's row its own."""
    sums = weights.new_zeros((*weights.shape[:2], words + weights.shape[2]))
    sums[..., words:] = weights
    return sums.scatter_add_(2, tokens, weights)


def _rows(EP: Tensor, words: Int[Tensor, "S b"]) -> Tensor:
    return EP.flatten(0, 1)[_flat(EP, words)]


def _add_rows(EP: Tensor, words: Int[Tensor, "S b"], rows: Tensor) -> None:
    EP.view(-1, EP.shape[-1]).index_add_(0, _flat(EP, words).flatten(), rows.flatten(0, 1))


def _flat(EP: Tensor, words: Int[Tensor, "S b"]) -> Tensor:
    """Where the words' rows are when the models' matrices lie one below the other."""
    return words + torch.arange(0, EP.shape[0] * EP.shape[1], EP.shape[1])[:, None]
