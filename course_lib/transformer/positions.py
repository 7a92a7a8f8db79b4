"""Where a token stands: a vector to add to it (fixed sinusoids, a learned table), a turn of queries and keys, or a bias
of scores."""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib import checks
from course_lib.parameters import Parameters


def sinusoidal(
    n: int,
    d: int,
    *,
    base: float = 10_000.0,
    dtype: torch.dtype | None = None,
    device: torch.device | str | None = None,
) -> Float[Tensor, "n d"]:
    """Positions 0 … n-1: P[p, 2i] = sin(p ω_i) and P[p, 2i+1] = cos(p ω_i), with ω_i = base^(-2i/d) radians per token.

    Sine and cosine come in pairs, so d is even: going k tokens on is then the same rotation at every position. `dtype`
    is torch's default unless given.  [Vaswani et al. 2017, §3.5]
    """
    checks.positive_ints(n=n, d=d)
    if d % 2:
        checks.fail("d", "even (each sine has its cosine)", d)
    checks.number("base", base, positive=True)
    # In float64 whatever the result's type: at position 1000 a float32 angle is already off in the fifth decimal.
    position = torch.arange(n, dtype=torch.float64, device=device)  # [n]
    frequency = base ** (-torch.arange(0, d, 2, dtype=torch.float64, device=device) / d)  # [d/2]
    angle = position[:, None] * frequency  # [n, d/2]
    pairs = torch.stack([angle.sin(), angle.cos()], dim=-1)  # [n, d/2, 2]
    return pairs.flatten(-2).to(dtype or torch.get_default_dtype())  # [n, d]


class LearnedPositions(nn.Module):
    """A table P [longest, d] of trainable positions, normal with variance 1/d. `drawn`: see `Parameters`."""

    def __init__(self, longest: int, d: int, **drawn: Any) -> None:
        super().__init__()
        checks.positive_ints(longest=longest, d=d)
        self.P = Parameters(**drawn).normal(longest, d, fan_in=d)

    def forward(self, n: int) -> Float[Tensor, "n d"]:
        """Give the first n positions, like `sinusoidal(n, d)`. Raises ValueError where the table is shorter than n."""
        checks.positive_int("n", n)
        if n > self.P.shape[0]:
            checks.fail("n", f"at most {self.P.shape[0]}, the longest sequence this table knows", n)
        return self.P[:n]  # [n, d]


class Turn(NamedTuple):
    """Rotary positions: row p of x [..., n, m] times the rotation R_p, the pairs of entries 2i and 2i + 1 by the angle
    p ω_i.

    cos, sin [n, m] and the quarter turn of each pair [m, m]; of an odd m the last entry is not turned.  [Su et al.
    2021]
    """

    cos: Tensor
    sin: Tensor
    quarter: Tensor

    def __call__(self, x: Float[Tensor, "*b n m"]) -> Float[Tensor, "*b n m"]:
        return x * self.cos + (x @ self.quarter) * self.sin


def rotary(n: int, m: int, *, base: float = 10_000.0, dtype: torch.dtype | None = None) -> Turn:
    """The turns of places 0 … n-1, with ω_i = base^(-2i/m) radians a place: after them q·k knows places by their
    distance only."""
    checks.positive_ints(n=n, m=m)
    checks.number("base", base, positive=True)
    pairs, dtype = m // 2, dtype or torch.get_default_dtype()
    speeds = base ** (-2 * torch.arange(pairs, dtype=torch.float64) / m)  # [m/2]
    angle = torch.zeros(n, m, dtype=torch.float64)
    angle[:, : 2 * pairs] = (torch.arange(n)[:, None] * speeds).repeat_interleave(2, -1)
    quarter = torch.zeros(m, m, dtype=torch.float64)
    first = 2 * torch.arange(pairs)
    quarter[first + 1, first], quarter[first, first + 1] = 1, -1  # (a, b) becomes (b, -a), as in `sinusoidal`
    return Turn(*(part.to(dtype) for part in (angle.cos(), angle.sin(), quarter)))


def alibi(n: int, h: int, *, dtype: torch.dtype | None = None) -> Float[Tensor, "h n n"]:
    """A bias of scores that falls with the distance, -2^(-8i/h) |p - p'| in head i = 1 … h.  [Press et al. 2022]"""
    checks.positive_ints(n=n, h=h)
    place = torch.arange(n, dtype=torch.float64)
    fall = 2.0 ** (-8 * torch.arange(1, h + 1, dtype=torch.float64) / h)  # [h]
    return (-fall[:, None, None] * (place[:, None] - place).abs()).to(dtype or torch.get_default_dtype())
