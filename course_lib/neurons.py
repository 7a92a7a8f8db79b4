"""A neuron, a layer, a network: weighted sums with a bend behind them; the usual bends (activations) and their
derivatives.

Samples are rows: X is [n, d], W is [d, r] and acts from the right, b is [r]. A network of widths (d, r_1, …, r_ℓ, c)
has ℓ hidden layers with an activation and a last layer without one, as `nn.Linear` layers with the activation between
them.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib import checks
from course_lib.parameters import Parameters


class Activation(NamedTuple):
    """A function of one number, applied entry by entry; its derivative; the largest size of that derivative.

    At a jump or a kink the derivative is the one from the left, as in PyTorch.
    """

    f: Callable[[Tensor], Tensor]
    slope: Callable[[Tensor], Tensor]
    steepest: float


def sigmoid_slope(z: Tensor) -> Tensor:
    """σ'(z) = σ(z) (1 - σ(z))."""
    s = torch.sigmoid(z)
    return s * (1 - s)


def tanh_slope(z: Tensor) -> Tensor:
    """1 - tanh²(z)."""
    return 1 - torch.tanh(z) ** 2


def normal_share(z: Tensor) -> Tensor:
    """Φ(z): the share of a standard normal variable that lies below z."""
    return 0.5 * (1 + torch.erf(z / math.sqrt(2)))


def gelu_slope(z: Tensor) -> Tensor:
    """Φ(z) + z φ(z), with φ = Φ' the normal density."""
    return normal_share(z) + z * torch.exp(-(z**2) / 2) / math.sqrt(2 * math.pi)


LEAK = 0.01  # the slope of the leaky ReLU below 0  [Maas et al. 2013]
ACTIVATIONS: dict[str, Activation] = {
    "identity": Activation(lambda z: z, torch.ones_like, 1.0),
    "step": Activation(lambda z: (z > 0).to(z.dtype), torch.zeros_like, 0.0),
    "sigmoid": Activation(torch.sigmoid, sigmoid_slope, 0.25),
    "tanh": Activation(torch.tanh, tanh_slope, 1.0),
    "relu": Activation(torch.relu, lambda z: (z > 0).to(z.dtype), 1.0),
    "leaky relu": Activation(lambda z: torch.where(z > 0, z, LEAK * z), lambda z: torch.where(z > 0, torch.ones_like(z),
    LEAK), 1.0),
    # GELU'' = φ(z) (2 - z²), so the slope is largest at √2.  [Hendrycks & Gimpel 2016, with Φ itself, not its
    # approximation]
    "gelu": Activation(lambda z: z * normal_share(z), gelu_slope,
    0.5 * (1 + math.erf(1)) + math.exp(-1) / math.sqrt(math.pi)),
}  # fmt: skip


def layer(X: Float[Tensor, "*k n d"], W: Float[Tensor, "*k d r"], b: Float[Tensor, "*k #n r"],
    activation: str = "identity") -> Float[Tensor, "*k n r"]:  # fmt: skip
    """f(X W + b): r neurons on n samples at once. Column j of W and entry j of b belong to neuron j.

    Axes in front run over several layers side by side, each with its own W [k, d, r] and b [k, 1, r].
    """
    for name, value, axes, layout in (("X", X, 2, "[..., n, d]"), ("W", W, 2, "[..., d, r]"), ("b", b, 1, "[..., r]")):
        checks.array(name, value, axes, layout)
    checks.size("W", W, -2, X.shape[-1], "the width d of X")
    checks.size("b", b, -1, W.shape[-1], "the number r of neurons in W")
    checks.one_of("activation", activation, tuple(ACTIVATIONS))
    return ACTIVATIONS[activation].f(X @ W + b)


class Network(nn.Module):
    """Layers one behind the other: the hidden ones with `activation`, the last one without.

    widths: (d, r_1, …, r_ℓ, c), at least two; ℓ = 0 hidden layers make one affine map. `W[i]` is [widths[i], widths[i +
    1]], `b[i]` is [widths[i + 1]], both uniform between ±1/√widths[i], PyTorch's choice. `drawn`, see `Parameters`:
    W[0], b[0], W[1], ….
    """

    def __init__(self, widths: Sequence[int], activation: str = "tanh", **drawn: Any) -> None:
        super().__init__()
        if len(widths) < 2:
            checks.fail("widths", "two ints > 0 or more, from the input's to the output's", list(widths))
        for width in widths:
            checks.positive_int("widths", width)
        checks.one_of("activation", activation, tuple(ACTIVATIONS))
        self.widths, self.activation = tuple(widths), activation
        new, self.W, self.b = Parameters(**drawn), nn.ParameterList(), nn.ParameterList()
        for d, r in itertools.pairwise(self.widths):
            self.W.append(new.uniform(d, r, fan_in=d))
            self.b.append(new.uniform(r, fan_in=d))

    def states(self, X: Float[Tensor, "n d"]) -> list[Float[Tensor, "n _"]]:
        """What every layer answers, from the first hidden one to the output [n, c]. Nothing in a network is out of
        sight."""
        names = [self.activation] * (len(self.W) - 1) + ["identity"]
        answers = []
        for W, b, name in zip(self.W, self.b, names, strict=True):
            X = layer(X, W, b, name)
            answers.append(X)
        return answers

    def forward(self, X: Float[Tensor, "n d"]) -> Float[Tensor, "n c"]:
        return self.states(X)[-1]


def count(widths: Sequence[int]) -> int:
    """How many numbers a network of these widths learns: (d + 1) r for each layer, one more than d for the bias."""
    return sum((d + 1) * r for d, r in itertools.pairwise(widths))


def collapse(network: Network) -> tuple[Float[Tensor, "d c"], Float[Tensor, " c"]]:
    """The one W, b of a network without activation: its layers multiplied out.

    Raises ValueError for any other network: it has no such pair.
    """
    if network.activation != "identity" and len(network.W) > 1:
        checks.fail("network", "without activation ('identity')", repr(network.activation))
    W, b = network.W[0], network.b[0]
    for W_next, b_next in zip(network.W[1:], network.b[1:], strict=True):
        W, b = W @ W_next, b @ W_next + b_next
    return W, b
