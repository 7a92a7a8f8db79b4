"""Source P's claims to test: how wide embeddings are, and what a layer norm without γ, β and ε lacks (P-E6)."""

import torch
from torch import Tensor

from course_lib.transformer.layers import LayerNorm
from tests.shared.seeded import F64


def printed(x: Tensor) -> Tensor:
    """Section 6 as printed: mean and standard deviation of the vector, and no γ, β, ε."""
    return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0)


@torch.no_grad()
def nan_entries_of_a_constant_token_with_epsilon() -> int:
    return int(LayerNorm(8, **F64)(torch.full((1, 8), 0.5, **F64)).isnan().sum())


@torch.no_grad()
def mean_of_a_normalised_token_with_beta() -> float:
    """With β = 3 in every entry the mean is 3; without β it is 0 whatever the token."""
    norm = LayerNorm(8, **F64)
    norm.bias.fill_(3.0)
    return norm(torch.arange(8, **F64)[None]).mean().item()
