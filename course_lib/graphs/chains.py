"""Chains that the context reveals: the source, what can be predicted of it, and an attention-only model as a page
graph.

Every sequence has its own transition matrix. Twin: widgets/chain_trainer/run.js, number for number.
"""

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor
from torch.func import grad_and_value

from course_lib.graphs.random import Generator
from course_lib.graphs.trace import trace

PSEUDO = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0)  # tried for the unigram line, times the prior's count


def draw(random: Generator, b: int, n: int, v: int, prior: float, order: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Tokens [b, n + 1], the first `order` uniform, and the chance of each next token [b, n, v], by the row's own
    matrix.

    The rows of a matrix are Dirichlet with counts `prior`, a multiple of ½: squares of 2·prior normal numbers, added up
    and shared.
    """
    squares = random.normal(b * v**order * v * round(2 * prior)).reshape(b, v**order, v, -1) ** 2
    T = squares.sum(-1)
    T /= T.sum(-1, keepdims=True)
    u = random.uniform(b * (n + 1)).reshape(b, n + 1)
    tokens, truth, rows = (u * v).astype(np.int64), np.full((b, n, v), 1 / v), np.arange(b)
    for t in range(order - 1, n):
        truth[:, t] = T[rows, contexts(tokens[:, : t + 1], v, order)[:, -1]]
        tokens[:, t + 1] = np.minimum((u[:, t + 1, None] > truth[:, t].cumsum(-1)).sum(-1), v - 1)
    return tokens, truth


def contexts(tokens: np.ndarray, v: int, order: int) -> np.ndarray:
    """[b, n] → [b, n + 1 - order]: the last `order` tokens at each place as one number."""
    n = tokens.shape[1] + 1 - order
    return (
        sum(tokens[:, k : k + n] * v ** (order - 1 - k) for k in range(order))
        if order
        else np.zeros((len(tokens), n), int)
    )


def counted(tokens: np.ndarray, v: int, pseudo: float, order: int) -> np.ndarray:
    """tokens [b, n + 1] → [b, n, v]: (count + pseudo)/(total + v·pseudo) of what followed the last `order` tokens
    before; else 1/v."""
    b, n = tokens.shape[0], tokens.shape[1] - 1
    q, counts, rows = np.full((b, n, v), 1 / v), np.full((b, v**order, v), float(pseudo)), np.arange(b)
    context = contexts(tokens, v, order)
    for t in range(max(order - 1, 0), n):
        if t >= order:
            counts[rows, context[:, t - order], tokens[:, t]] += 1
        now = counts[rows, context[:, t - order + 1]]
        q[:, t] = now / now.sum(-1, keepdims=True)
    return q


def read(
    p: dict[str, Tensor], tokens: Tensor, shift: Tensor, mask: Tensor, scale: Tensor | float
) -> tuple[Tensor, list[Tensor]]:
    """Logits [..., b, n, v] and each layer's weights [..., b, h, n, n] of tokens [..., b, n, words], one-hot; attention
    and nothing else.

    A score is q·k·scale plus a number B[head, distance]; shift [n, n, n] is 1 at [j, j - i, i]; mask [n, n] is 1 where
    looking is allowed.
    """
    x, maps = tokens @ p["E"].unsqueeze(-3), []
    for layer in range(sum(name.startswith("Q") for name in p)):
        q, k, value = (x.unsqueeze(-3) @ p[f"{name}{layer}"].unsqueeze(-4) for name in "QKV")  # [..., b, h, n, m]
        near = (p[f"B{layer}"][..., None, None, :] @ shift).squeeze(-2).unsqueeze(-4)  # [..., 1, h, n, n]
        A = (q @ k.mT * scale + near).masked_fill(mask < 0.5, -torch.inf).softmax(-1)
        x = x + (A @ value @ p[f"O{layer}"].unsqueeze(-4)).sum(-3)
        maps.append(A)
    return x @ p["U"].unsqueeze(-3), maps


def shapes(layers: int) -> dict[str, tuple[str, ...]]:
    """The parameters' shapes in names of sizes, by name."""
    each = {"Q": ("h", "d", "m"), "K": ("h", "d", "m"), "V": ("h", "d", "m"), "O": ("h", "m", "d"), "B": ("h", "n")}
    return {
        "E": ("words", "d"),
        **{f"{name}{i}": shape for i in range(layers) for name, shape in each.items()},
        "U": ("d", "v"),
    }


def chain_step(layers: int) -> dict:
    """Loss, logits, maps and all gradients as a page graph; targets [b, n, v] one-hot, zeros where nothing is asked."""

    def step(tokens, targets, shift, mask, scale, **parameters):
        def loss(parameters):
            logits, maps = read(parameters, tokens, shift, mask, scale)
            return -(F.log_softmax(logits, -1) * targets).sum() / targets.sum(), (logits, maps)

        gradients, (value, (logits, maps)) = grad_and_value(loss, has_aux=True)(parameters)
        looked = {f"weights.{i}": A for i, A in enumerate(maps)}
        return {"loss": value, "logits": logits, **looked, **{f"gradient.{name}": g for name, g in gradients.items()}}

    inputs = {
        "tokens": ("b", "n", "words"),
        "targets": ("b", "n", "v"),
        "shift": ("n", "n", "n"),
        "mask": ("n", "n"),
        "scale": (),
    }
    return trace(f"chains_{layers}", step, inputs | shapes(layers))
