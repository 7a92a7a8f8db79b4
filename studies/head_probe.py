"""Which heads of a real language model copy, and what is lost without them: two measures, removals, and a control.

    python studies/head_probe.py          (needs requirements-models.txt; about a minute of one core)

A random sequence of pieces is written twice. A head's copy score is its mean weight, in the second copy, on the piece that
followed the last time; its previous-token score is its mean weight on the piece before. The heads with the highest copy scores
are then taken away (W_O = 0), against six random groups of other heads from the upper half, and against single previous-token
heads: nats a piece in both copies for each. [after Olsson et al. 2022]
"""

import sys
from typing import Any

import torch
from torch import Tensor

from course_lib.pretrained.smollm import SmolLM
from course_lib.results.study import Study

SEED, N, B, REMOVED, GROUPS, SINGLE = 0, 24, 4, 6, 6, 3
PIECES = (1000, 20_000)  # common enough to be words, rare enough to be no marks
Head = tuple[int, int]  # layer, head; both count from 0


def sequences(generator: torch.Generator) -> Tensor:
    """B random sequences of N pieces, each written twice: [B, 2N]."""
    once = torch.randint(*PIECES, (B, N), generator=generator)
    return torch.cat([once, once], 1)


@torch.no_grad()
def losses(model: SmolLM, twice: Tensor) -> tuple[float, float, Tensor]:
    """Nats a piece in the first copy and in the second (without its first piece), and the weights [layers, h, b, 2n, 2n]."""
    b, n = twice.shape[0], twice.shape[1] // 2
    hidden, weights, _ = model.forward(twice, model.start(b))
    log_p = model.unembed(hidden[-1]).log_softmax(-1)
    nats = -log_p[:, :-1].gather(-1, twice[:, 1:, None])[..., 0]  # [b, 2n − 1]
    return nats[:, : n - 1].mean().item(), nats[:, n:].mean().item(), torch.stack(weights).transpose(1, 2)


def scores(A: Tensor) -> dict[str, Tensor]:
    """Three scores from 0 to 1 of every head, [layers, h] each."""
    n = A.shape[-1] // 2
    every, second = torch.arange(1, 2 * n), torch.arange(n, 2 * n)
    return {
        "previous token": A[..., every, every - 1].mean((2, 3)),
        "first token": A[..., every, 0].mean((2, 3)),
        "copy": A[..., second, second - n + 1].mean((2, 3)),
    }


def highest(score: Tensor, count: int) -> list[Head]:
    order = score.flatten().argsort(descending=True)[:count]
    return [divmod(k, score.shape[1]) for k in order.tolist()]


def without(model: SmolLM, heads: list[Head]) -> SmolLM:
    """The same model with these heads' outputs erased."""
    layers = list(model.layers)
    for layer, head in heads:
        W_O = layers[layer].W_O.clone()
        W_O[head] = 0
        layers[layer] = layers[layer]._replace(W_O=W_O)
    return SmolLM(model.E, layers, model.norm, model.base, model.epsilon, model.tokenizer)


def groups(found: dict[str, Tensor], generator: torch.Generator) -> dict[str, list[Head]]:
    """The removals: the copy heads, groups of others from the upper half, single previous-token heads."""
    layers, h = found["copy"].shape
    copiers = highest(found["copy"], REMOVED)
    made = {"nothing": [], "copy heads": copiers}
    pool = [k for k in range(layers // 2 * h, layers * h) if divmod(k, h) not in copiers]
    for trial in range(GROUPS):
        pick = torch.randperm(len(pool), generator=generator)[:REMOVED].tolist()
        made[f"others {trial + 1}"] = [divmod(pool[k], h) for k in pick]
    return made | {f"{layer}.{head}": [(layer, head)] for layer, head in highest(found["previous token"], SINGLE)}


def row(model: SmolLM, twice: Tensor, name: str, heads: list[Head]) -> dict[str, Any]:
    first, second, _ = losses(without(model, heads), twice)
    return {"without": name, "heads": [f"{a}.{b}" for a, b in heads], "first": round(first, 3), "second": round(second, 3)}


def table() -> dict[str, Any]:
    model, generator = SmolLM.load(), torch.Generator().manual_seed(SEED)
    twice = sequences(generator)
    found = scores(losses(model, twice)[2])
    summary = {
        name: {"above 0.5": int((score > 0.5).sum()), "highest": f"{a}.{b}", "score": round(score[a, b].item(), 3)}
        for name, score in found.items()
        for a, b in highest(score, 1)
    }
    settings = {"n": N, "b": B, "pieces": PIECES, "seed": SEED, "heads": found["copy"].numel()}
    rows = [row(model, twice, name, heads) for name, heads in groups(found, generator).items()]
    return {"settings": settings, "scores": summary, "rows": rows}


STUDY = Study("head_probe", {"model": "SmolLM2-135M-Instruct"}, whole=table, minutes=1)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
