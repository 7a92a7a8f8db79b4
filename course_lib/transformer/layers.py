"""The token-wise layers of a block: feed-forward, layer norm, and the way a sublayer is wrapped."""

from typing import Any, Literal

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from course_lib import checks
from course_lib.parameters import Parameters

Norm = Literal["pre", "post", "none"]


class FeedForward(nn.Module):
    """relu(x W_1 + b_1) W_2 + b_2 on every token alone.  [Vaswani et al. 2017, eq. 2]

    W_1 [d, r] and W_2 [r, d] are normal with variance 1/(number of inputs), b_1 [r] and b_2 [d] zero. `drawn`: see
    `Parameters`.
    """

    def __init__(self, d: int, r: int, **drawn: Any) -> None:
        super().__init__()
        checks.positive_ints(d=d, r=r)
        new = Parameters(**drawn)
        self.W_1, self.b_1 = new.normal(d, r), new.zeros(r)
        self.W_2, self.b_2 = new.normal(r, d), new.zeros(d)

    def forward(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
        return self.hidden(x) @ self.W_2 + self.b_2  # [..., r] [r, d] → [..., d]

    def hidden(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b r"]:
        """The r hidden neurons of each token: relu(x W_1 + b_1)."""
        _check_width(x, self.W_1.shape[0])
        return torch.relu(x @ self.W_1 + self.b_1)


class LayerNorm(nn.Module):
    """gain · (x - mean)/√(variance + eps) + bias, with mean and variance over the d entries of each token.

    The variance divides by d, not d - 1. Parameters gain [d], ones, and bias [d], zeros; `like`: their dtype and
    device. [Ba, Kiros & Hinton 2016]
    """

    def __init__(self, d: int, *, eps: float = 1e-5, **like: Any) -> None:
        super().__init__()
        checks.positive_int("d", d)
        checks.number("eps", eps, positive=True)
        self.eps = eps
        self.gain, self.bias = nn.Parameter(torch.ones(d, **like)), nn.Parameter(torch.zeros(d, **like))

    def forward(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
        _check_width(x, self.gain.shape[0])
        # torch's own kernel: one operator instead of nine, in training and in the page's graph.
        return F.layer_norm(x, x.shape[-1:], self.gain, self.bias, self.eps)


class Sublayer(nn.Module):
    """How a sublayer f is wrapped: x + f(norm(x)) ("pre"), norm(x + f(x)) ("post") or x + f(x) ("none").

    Without `residual` the "x +" is left out. f is called between `before` and `after`, so that it can also give its
    maps.

    In training, `dropout` sets each entry of f's answer to 0 with this probability, before x is added, and divides the
    others by 1 - dropout, so that the mean stays. torch's global generator draws, as in `F.dropout`:
    `torch.manual_seed` repeats a run. In `eval()` nothing is dropped and nothing drawn. `like`: dtype and device of the
    norm.  [Vaswani et al. 2017, §5.4]
    """

    def __init__(self, d: int, norm: Norm = "pre", *, residual: bool = True, dropout: float = 0.0, **like: Any) -> None:
        super().__init__()
        checks.one_of("norm", norm, ("pre", "post", "none"))
        checks.number("dropout", dropout)
        if not 0 <= dropout < 1:
            checks.fail("dropout", "a probability, at least 0 and below 1", dropout)
        self.placement, self.residual, self.dropout = norm, residual, dropout
        self.norm = None if norm == "none" else LayerNorm(d, **like)

    def before(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
        """What f receives."""
        return self.norm(x) if self.placement == "pre" else x

    def after(self, x: Float[Tensor, "*b d"], fx: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
        """What goes on, from x and f's answer."""
        y = self.add(x, fx)
        return self.norm(y) if self.placement == "post" else y

    def add(self, x: Float[Tensor, "*b d"], fx: Float[Tensor, "*b d"]) -> Float[Tensor, "*b d"]:
        """The sum alone, as it is before a "post" norm."""
        if self.training and self.dropout:
            fx = F.dropout(fx, self.dropout)
        return x + fx if self.residual else fx


def _check_width(x: Tensor, d: int) -> None:
    checks.array("x", x, 1, "[..., d]")
    checks.size("x", x, -1, d, "the width d of this module")
    checks.finite("x", x)
