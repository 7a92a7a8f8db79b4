"""Backpropagation without autograd: the plain recurrent cell along one sequence, forwards and back through time.

The recurrence is s_t = tanh(x_t W_x + s_{t-1} W_s + b), tokens are rows and maps act from the right. `states` goes
forwards, `through_time` goes back; PyTorch's autograd and finite differences give the same gradients, which the tests
hold to 1e-12 and 1e-7.
"""

from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from course_lib import checks


class Gradients(NamedTuple):
    """Derivatives of the summed loss: by each parameter, by the first state, and by what each tanh was given (δ)."""

    W_x: Float[Tensor, "d r"]
    W_s: Float[Tensor, "r r"]
    b: Float[Tensor, " r"]
    s_0: Float[Tensor, " r"]
    delta: Float[Tensor, "n r"]


def states(
    x: Float[Tensor, "n d"],
    W_x: Float[Tensor, "d r"],
    W_s: Float[Tensor, "r r"],
    b: Float[Tensor, " r"],
    s_0: Float[Tensor, " r"],
) -> Float[Tensor, "n1 r"]:
    """The n + 1 states s_0, …, s_n of the plain cell on a sequence of n tokens. Raises ValueError where shapes
    disagree."""
    checks.array("x", x, 2, "[n, d]")
    checks.array("W_x", W_x, 2, "[d, r]")
    checks.size("W_x", W_x, 0, x.shape[-1], "the width d of x")
    r = W_x.shape[1]
    _check_state_map(W_s, r, "the width r of W_x")
    for name, row in (("b", b), ("s_0", s_0)):
        checks.array(name, row, 1, "[r]")
        checks.size(name, row, -1, r, "the width r of W_x")
    s = [s_0]
    for x_t in x:
        s.append(torch.tanh(x_t @ W_x + s[-1] @ W_s + b))
    return torch.stack(s)


# A page shows it in lines of at most 76 characters.
# fmt: off
@torch.no_grad()
def through_time(
    x: Float[Tensor, "n d"],
    s: Float[Tensor, "n1 r"],
    g: Float[Tensor, "n r"],
    W_s: Float[Tensor, "r r"],
) -> Gradients:
    """Gradients of a loss L_1(s_1) + … + L_n(s_n), where g[t - 1] = ∂L_t/∂s_t.

    `s` is what `states` gave; a step without a loss has a row of zeros in `g`. Any stretch of a sequence, with the
    states round it, is a sequence of its own. Raises ValueError where shapes disagree.  [Rumelhart et al. 1986; Werbos
    1990]
    """
    _check(x, s, g, W_s)
    delta, later = torch.zeros_like(g), torch.zeros_like(s[0])
    for t in reversed(range(len(x))):  # from s[t] to s[t + 1]
        delta[t] = (g[t] + later) * (1 - s[t + 1] ** 2)  # through the tanh
        later = delta[t] @ W_s.T  # what the state before answers for
    return Gradients(x.T @ delta, s[:-1].T @ delta, delta.sum(0), later, delta)


# fmt: on


def _check(x: Tensor, s: Tensor, g: Tensor, W_s: Tensor) -> None:
    checks.array("x", x, 2, "[n, d]")
    checks.array("s", s, 2, "[n + 1, r]")
    checks.size("s", s, 0, len(x) + 1, "one state more than the n tokens of x")
    checks.array("g", g, 2, "[n, r]")
    checks.size("g", g, 0, len(x), "the number n of tokens of x")
    checks.size("g", g, 1, s.shape[1], "the width r of s")
    _check_state_map(W_s, s.shape[1], "the width r of s")


def _check_state_map(W_s: Tensor, r: int, meaning: str) -> None:
    checks.array("W_s", W_s, 2, "[r, r]")
    checks.size("W_s", W_s, 0, r, meaning)
    checks.size("W_s", W_s, 1, r, meaning)
