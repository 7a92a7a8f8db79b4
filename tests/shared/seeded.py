"""What tests of numbers share: randomness that begins where it is told, and double precision."""

import numpy as np
import torch

F64 = {"dtype": torch.float64}


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def rng(seed=0) -> np.random.Generator:
    return np.random.default_rng(seed)


def random(*shape: int, seed: int = 0) -> torch.Tensor:
    """Normal entries in float64."""
    return torch.randn(*shape, generator=seeded(seed), **F64)
