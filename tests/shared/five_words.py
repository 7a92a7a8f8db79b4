"""Chapter 3's pages on attention, heads and masks: their five words, and what the errata record of them too."""

import math

import torch

from course_lib.attention import MultiHeadAttention, attend, causal_mask, softmax
from tests.shared.record import rounding
from tests.shared.seeded import F64, seeded

X = torch.tensor([[-0.3, -0.4], [-1.7, 0.2], [1.6, 0.3], [0.5, 1.6], [1.2, -1.4]], **F64)
CARPENTER, HAMMER, TOOL = 1, 2, 3  # of: the, carpenter, hammer, tool, nail


def symmetric_scores() -> torch.Tensor:
    projected = X @ torch.tensor([[0.9, 0.4], [-0.3, 0.7]], **F64)
    return projected @ projected.T


def move_of_the_first_four(mask: str) -> float:
    """Largest distance that an output of the first four words moves by when the fifth word is replaced."""
    changed = X.clone()
    changed[-1] = torch.tensor([2.0, 1.0])

    def output(x):
        if mask == "after":
            return (softmax(x @ x.T / math.sqrt(2)) * causal_mask(5)) @ x
        return attend(x, x, x, causal_mask(5) if mask == "before" else None).output

    return rounding((output(changed) - output(X))[:-1].norm(dim=-1).max().item())


def rows_of_a_cross_attention() -> int:
    generator = seeded()
    written, read = (torch.randn(n, 8, generator=generator, **F64) for n in (3, 7))
    return MultiHeadAttention(8, 4, 2, generator=generator, **F64)(written, read).output.shape[0]
