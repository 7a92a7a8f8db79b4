"""The encoder: a sequence of vectors becomes a state for each token, and one vector for the whole."""

from typing import Any, NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.parameters import Parameters
from course_lib.recurrent.cells import CELLS, unroll


class RecurrentEncoded(NamedTuple):
    """H [b, s, r]: a state for each token, zeros over the padding. C [b, r]: the context vector, the last state."""

    H: Float[Tensor, "b s r"]
    C: Float[Tensor, "b r"]


class RecurrentEncoder(nn.Module):
    """s_j = f(s_{j-1}, x_j) along the tokens; `bidirectional` runs a second cell from the end.  [Schuster & Paliwal
    1997]

    Then row j of H holds the two states at token j side by side, each r/2 wide: what came before and what comes after.
    C holds the last state of each. cell: "rnn", "gru" or "lstm". `drawn`, see `Parameters`: the cells, forwards first.
    """

    def __init__(self, d: int, r: int, *, cell: str = "gru", bidirectional: bool = True, **drawn: Any) -> None:
        super().__init__()
        checks.one_of("cell", cell, tuple(CELLS))
        checks.positive_int("r", r)
        if bidirectional and r % 2:
            checks.fail("r", "even, half of it for each direction", r)
        drawn = Parameters(**drawn).drawn()
        width = r // 2 if bidirectional else r
        self.forwards = CELLS[cell](d, width, **drawn)
        self.backwards = CELLS[cell](d, width, **drawn) if bidirectional else None

    def forward(self, x: Float[Tensor, "b s d"], lengths: Int[Tensor, " b"] | None = None) -> RecurrentEncoded:
        there = unroll(self.forwards, x, lengths)
        C = self.forwards.visible(there.last)
        if self.backwards is None:
            return RecurrentEncoded(there.states, C)
        back = unroll(self.backwards, x, lengths, backwards=True)
        H = torch.cat([there.states, back.states], -1)
        return RecurrentEncoded(H, torch.cat([C, self.backwards.visible(back.last)], -1))
