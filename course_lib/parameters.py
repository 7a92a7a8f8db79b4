"""How the parameters of a module begin: who draws them, and of which type they are."""

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Makes parameters of `dtype`, on the generator's device; `generator` draws them, in the order in which they are
    asked for.

    A module takes both as `**drawn`. None is a new generator seeded with 0, and torch's default type.
    """

    generator: torch.Generator | None = None
    dtype: torch.dtype | None = None

    def __post_init__(self) -> None:
        if self.generator is None:
            object.__setattr__(self, "generator", torch.Generator().manual_seed(0))

    def drawn(self) -> dict[str, Any]:
        """The two, for a part of the module."""
        return {"generator": self.generator, "dtype": self.dtype}

    @property
    def like(self) -> dict[str, Any]:
        """Type and device, for what is not drawn."""
        return {"dtype": self.dtype, "device": self.generator.device}

    def normal(self, *shape: int, fan_in: int | None = None) -> nn.Parameter:
        """Of variance 1/fan_in; fan_in, the number of inputs, is the first size unless given."""
        draw = torch.randn(*shape, generator=self.generator, **self.like)
        return nn.Parameter(draw / (shape[0] if fan_in is None else fan_in) ** 0.5)

    def uniform(self, *shape: int, fan_in: int) -> nn.Parameter:
        """Between ±1/√fan_in, PyTorch's choice for linear and recurrent layers."""
        return nn.Parameter((2 * torch.rand(*shape, generator=self.generator, **self.like) - 1) / fan_in**0.5)

    def zeros(self, *shape: int) -> nn.Parameter:
        return nn.Parameter(torch.zeros(*shape, **self.like))
