"""Random numbers of tests: every draw comes from a generator with a seed of its own."""

import numpy as np
import torch

F64 = {"dtype": torch.float64}


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def normal(*shape: int, seed: int = 0, grad: bool = False) -> torch.Tensor:
    """Independent standard normal numbers, float64."""
    return torch.randn(*shape, generator=seeded(seed), **F64).requires_grad_(grad)
