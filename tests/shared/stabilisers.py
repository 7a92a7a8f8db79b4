"""Chapter 3's page on the stabilisers: each theorem's number, the stored study, and source S's list (S-E2, S-E3, S-E6)."""

import math
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from course_lib.attention import MultiHeadAttention, attend
from course_lib.results import load
from course_lib.training import cross_entropy
from course_lib.transformer import Block, sinusoidal
from course_lib.transformer.embedding import Embedding
from tests.shared.record import rounding
from tests.shared.seeded import F64, normal, seeded


def place_over_word(d: int, root_d: bool) -> float:
    """Mean length of the library's places over that of its embedded words, as they are added up."""
    layer = Embedding(1000, d, root_d=root_d, positions="none", generator=seeded(), **F64)
    words = layer(torch.arange(1000)[:, None])[:, 0].detach()
    return (sinusoidal(100, d, **F64).norm(dim=1).mean() / words.norm(dim=1).mean()).item()


def dropped(p: float = 0.1, d: int = 16, draws: int = 100_000) -> tuple[Tensor, Tensor, Tensor]:
    """An input x, a read-out w, and the read-outs of many draws of dropout."""
    x, w = normal(2, d)
    kept = torch.rand(draws, d, generator=seeded(1), **F64) >= p
    return x, w, (x * kept / (1 - p)) @ w


def mean_under_dropout_over_the_output_without() -> float:
    x, w, outputs = dropped()
    return (outputs.mean() / (x @ w)).item()


def variance_under_dropout_over_the_theorems() -> float:
    p = 0.1
    x, w, outputs = dropped(p)
    return (outputs.var() / (p / (1 - p) * (w * x).square().sum())).item()


def first_maps(dropout: float, ours: bool) -> Tensor:
    """The first block's weights in training mode: ours, or those of PyTorch's attention layer, [h, n, n]."""
    x = normal(1, 6, 32)
    torch.manual_seed(0)
    with torch.no_grad():
        if ours:
            return Block(32, 8, 4, 64, dropout=dropout, **F64).train()(x).weights[0]
        theirs = nn.MultiheadAttention(32, 4, dropout=dropout, batch_first=True, **F64).train()
        return theirs(x, x, x, average_attn_weights=False)[1][0]


def gap(v: int = 600, smoothing: float = 0.1) -> float:
    return math.log(1 + v * (1 - smoothing) / smoothing)


def smoothed_pull(lead: float, v: int = 600, smoothing: float = 0.1) -> float:
    """The largest derivative of the smoothed loss where the right logit leads all others by `lead`."""
    logits = torch.zeros(1, v, **F64)
    logits[0, 7] = lead
    logits.requires_grad_()
    loss = cross_entropy(logits, torch.tensor([7]), smoothing=smoothing)
    return torch.autograd.grad(loss, logits)[0].abs().max().item()


def plain_loss_at_the_finite_gap() -> float:
    logits = torch.zeros(1, 600, **F64)
    logits[0, 7] = gap()
    return cross_entropy(logits, torch.tensor([7])).item()


def first_move(gradient: float, rate: float = 0.01) -> float:
    """How far Adam's first step moves a parameter, over the rate."""
    parameter = torch.zeros(1, requires_grad=True, **F64)
    optimiser = torch.optim.Adam([parameter], lr=rate, betas=(0.9, 0.98), eps=1e-9)
    parameter.grad = torch.tensor([gradient], **F64)
    optimiser.step()
    return -parameter.item() / rate


@cache
def study() -> dict:
    return load("stabilisers")


def runs(variant: str) -> list[dict]:
    return [row for row in study()["rows"] if row["variant"] == variant]


def nats(variant: str) -> list[float]:
    """Nats a word of the runs that ended; a failed one has none."""
    return [row["nats"] for row in runs(variant) if "nats" in row]


def mean(values: list[float]) -> float:
    return sum(values) / len(values)


def random(*shape: int, seed: int = 0) -> Tensor:
    return normal(*shape, seed=seed)


def scaled_attention_minus_pytorchs() -> float:
    q, k, v = random(5, 8), random(7, 8, seed=1), random(7, 6, seed=2)
    return rounding((attend(q, k, v).output - F.scaled_dot_product_attention(q, k, v)).abs().max().item())


def heads_by_the_formula(x: Tensor, layer: MultiHeadAttention) -> Tensor:
    """Concat(head_1, …, head_h) W^O as S prints it, head by head: [n, d]."""
    heads = []
    for W_Q, W_K, W_V in zip(layer.W_Q, layer.W_K, layer.W_V, strict=True):
        Q, K, V = x @ W_Q, x @ W_K, x @ W_V
        heads.append((Q @ K.T / K.shape[1] ** 0.5).softmax(-1) @ V)
    return torch.cat(heads, -1) @ layer.W_O.flatten(0, 1)  # [n, h·m] @ [h·m, d]


@torch.no_grad()
def concatenated_heads_minus_the_librarys() -> float:
    layer, x = MultiHeadAttention(16, 4, 3, generator=seeded(), **F64), random(5, 16)
    return rounding((heads_by_the_formula(x, layer) - layer(x).output).abs().max().item())


def sinusoids_minus_the_librarys() -> float:
    """PE(pos, 2i) and PE(pos, 2i + 1), entry by entry."""
    n, d = 50, 16
    printed = torch.tensor(
        [[(math.cos if j % 2 else math.sin)(pos / 10000 ** (2 * (j // 2) / d)) for j in range(d)] for pos in range(n)], **F64
    )
    return rounding((printed - sinusoidal(n, d, **F64)).abs().max().item())
