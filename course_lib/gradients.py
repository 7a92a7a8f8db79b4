"""How much of a gradient arrives: the Jacobians ∂s_T/∂s_t along a sequence, their norms, and clipping.

A Jacobian's row i is what entry i of the later state asks of the earlier one: J[i, j] = ∂(s_T)_i / ∂(s_t)_j. A gradient
of the loss by s_T, a row g, therefore arrives at step t as the row g J.
"""

from collections.abc import Iterable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor, nn

from course_lib import checks
from course_lib.recurrent.cells import Cell, LSTMState, State

PARTS = ("s", "c")


def jacobians(cell: Cell, x: Float[Tensor, "b n d"], *, part: str = "s") -> Float[Tensor, "b n+1 r r"]:
    """∂s_n/∂s_t for t = 0 … n, the state before the first token to that after the last (the identity).

    `part` "c" gives ∂c_n/∂c_t, which only an LSTM has. An LSTM carries the pair (s, c): each block is the derivative by
    one of the two while the other is held. One backward pass does it all: r copies of the batch ask for one row each.

    Raises ValueError for an x that is not [b, n, d] with n > 0, and for part "c" of a cell without memory.
    """
    checks.array("x", x, 3, "[b, n, d]")
    checks.some("x", x, 1, "the number n of tokens")
    checks.one_of("part", part, PARTS)
    b, r = len(x), cell.r
    reads = cell.read(x.repeat_interleave(r, 0)).detach().unbind(1)  # n of [b·r, g·r]
    state, states = _leaf(cell.start(b * r)), []
    if part == "c" and not isinstance(state, LSTMState):
        checks.fail("part", "'s' for a cell that carries s alone", repr(part))
    for read in reads:
        states.append(state)
        state = _apart(cell.step(read, state))
    states.append(state)
    asked = [_part(each, part) for each in states]
    rows = torch.eye(r, dtype=x.dtype, device=x.device).repeat(b, 1)  # [b·r, r]: copy i asks for row i
    found = torch.autograd.grad(asked[-1], asked, rows)
    return torch.stack(found, 1).unflatten(0, (b, r)).transpose(1, 2)  # [b, r, n+1, r] → [b, n+1, r, r]


def norms(J: Float[Tensor, "*b r r"]) -> Float[Tensor, "*b"]:
    """The spectral norm of each matrix: the largest factor by which it stretches any vector."""
    checks.array("J", J, 2, "[..., r, r]")
    return torch.linalg.matrix_norm(J, 2)


def scale_recurrent(cell: Cell, scale: float, generator: torch.Generator) -> Cell:
    """Make every gate's block of W_s `scale` times a random orthogonal matrix, in place; the cell is given back."""
    checks.number("scale", scale, positive=True)
    with torch.no_grad():
        for block in cell.W_s.split(cell.r, 1):
            block.copy_(scale * nn.init.orthogonal_(torch.empty_like(block), generator=generator))
    return cell


def total_norm(gradients: Iterable[Tensor]) -> Float[Tensor, ""]:
    """The length of all gradients as one vector."""
    gradients = list(gradients)
    if not gradients:
        checks.fail("gradients", "at least one tensor", "none")
    return torch.stack([g.to(torch.promote_types(g.dtype, torch.float32)).pow(2).sum() for g in gradients]).sum().sqrt()


def clip_norm(gradients: Sequence[Tensor], threshold: float) -> tuple[list[Tensor], Tensor]:
    """The gradients, all shortened by one factor where together they are longer than `threshold`, and their length
    before.

    The direction stays.  [Pascanu et al. 2013, algorithm 1]
    """
    checks.number("threshold", threshold, positive=True)
    length = total_norm(gradients)
    factor = torch.where(length > threshold, threshold / length, 1.0)
    return [gradient * factor for gradient in gradients], length


def clip_values(gradients: Iterable[Tensor], threshold: float) -> list[Tensor]:
    """The gradients with every entry brought into [-threshold, threshold]: this changes the direction."""
    checks.number("threshold", threshold, positive=True)
    return [gradient.clamp(-threshold, threshold) for gradient in gradients]


def _leaf(state: State) -> State:
    if isinstance(state, LSTMState):
        return LSTMState(*(part.requires_grad_() for part in state))
    return state.requires_grad_()


def _apart(state: State) -> State:
    """The same state as nodes of their own: a copy of c is not on the way from c to s, so each is held for the
    other."""
    if isinstance(state, LSTMState):
        return LSTMState(*(part.clone() for part in state))
    return state


def _part(state: State, part: str) -> Tensor:
    return state if not isinstance(state, LSTMState) else getattr(state, part)
