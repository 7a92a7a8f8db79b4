"""Two decoders: one is given the same context vector at every step, one looks for its context anew.

Both: s_t = f(s_{t-1}, [y_{t-1}, C_t]) and logits tanh([s_t, C_t, y_{t-1}] W_r + b_r) U + b_U, with y_{t-1} the vector
of the token before. The first state is s_0 = tanh(C W_0 + b_0). Bahdanau et al. read out through a maxout, here it is a
tanh.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float
from torch import Tensor, nn

from course_lib import checks
from course_lib.attention import softmax
from course_lib.parameters import Parameters
from course_lib.recurrent.cells import CELLS, LSTMState, State, unroll
from course_lib.recurrent.encoder import RecurrentEncoded
from course_lib.scores import WITH_WIDTH, Score, make


class FixedState(NamedTuple):
    """Between two steps: the decoder's state s, and the context C [b, r], which never changes."""

    s: State
    C: Float[Tensor, "b r"]


class AttentiveState(NamedTuple):
    """Between two steps: the state s, the context and the weights [b, s] of the last step, and what can be looked
    at."""

    s: State
    C: Float[Tensor, "b r"]
    weights: Float[Tensor, "b s"]
    H: Float[Tensor, "b s r"]
    keys: Float[Tensor, "b s _"]
    mask: Bool[Tensor, "b s"]


class Looked(NamedTuple):
    """One look: scores and weights [b, s], and their average C [b, r] of the states."""

    C: Float[Tensor, "b r"]
    weights: Float[Tensor, "b s"]
    scores: Float[Tensor, "b s"]


class RecurrentDecoded(NamedTuple):
    """logits [b, n, vocab]; weights [b, n, s], or None where there is nothing to look at."""

    logits: Float[Tensor, "b n vocab"]
    weights: Float[Tensor, "b n s"] | None


class RecurrentDecoder(nn.Module):
    """The decoder of RNNencdec: C_t is the encoder's last state at every step.  [Cho et al. 2014]

    d: width of a token's vector; r: width of its states and of the encoder's. `dropout` on the hidden layer of the
    read-out, in train mode. `drawn`, see `Parameters`: cell, W_0, W_r, U, each normal with variance 1/(number of
    inputs) but the cell's.
    """

    def __init__(self, vocab: int, d: int, r: int, *, cell: str = "gru", dropout: float = 0.0, **drawn: Any) -> None:
        super().__init__()
        checks.positive_int("vocab", vocab)
        checks.one_of("cell", cell, tuple(CELLS))
        new = Parameters(**drawn)
        self.cell = CELLS[cell](d + r, r, **new.drawn())
        self.W_0, self.b_0 = new.normal(r, r), new.zeros(r)
        self.W_r, self.b_r = new.normal(r + r + d, r), new.zeros(r)
        self.U, self.b_U = new.normal(r, vocab), new.zeros(vocab)
        self.dropout = nn.Dropout(dropout)

    def first(self, C: Float[Tensor, "b r"]) -> State:
        """s_0 = tanh(C W_0 + b_0); the memory of an LSTM begins empty."""
        checks.size("C", C, -1, self.W_0.shape[0], "the width r of the encoder's states")
        s = torch.tanh(C @ self.W_0 + self.b_0)
        state = self.cell.start(C.shape[0])
        return LSTMState(s, state.c) if isinstance(state, LSTMState) else s

    def start(self, encoded: RecurrentEncoded, mask: Bool[Tensor, "b s"] | None = None) -> FixedState:
        """The state before the first step."""
        return FixedState(self.first(encoded.C), encoded.C)

    def step(self, y: Float[Tensor, "b d"], state: FixedState) -> tuple[Float[Tensor, "b vocab"], FixedState]:
        """One step: logits after the token with vector y, and the next state."""
        s = self.cell(torch.cat([y, state.C], -1), state.s)
        return self.read_out(self.cell.visible(s), state.C, y), state._replace(s=s)

    def forward(
        self, y: Float[Tensor, "b n d"], encoded: RecurrentEncoded, mask: Bool[Tensor, "b s"] | None = None
    ) -> RecurrentDecoded:
        """All steps at once, the right token before each given: teacher forcing."""
        C = encoded.C[:, None].expand(-1, y.shape[1], -1)  # [b, n, r]
        states, _ = unroll(self.cell, torch.cat([y, C], -1), state=self.first(encoded.C))
        return RecurrentDecoded(self.read_out(states, C, y), None)

    def read_out(
        self, s: Float[Tensor, "*b r"], C: Float[Tensor, "*b r"], y: Float[Tensor, "*b d"]
    ) -> Float[Tensor, "*b vocab"]:
        hidden = torch.tanh(torch.cat([s, C, y], -1) @ self.W_r + self.b_r)
        return self.dropout(hidden) @ self.U + self.b_U


class AttentiveDecoder(RecurrentDecoder):
    """The decoder of RNNsearch: C_t = Σ_j A_tj H_j, with A_t the softmax of the scores of s_{t-1} and H.  [Bahdanau et
    al. 2015]

    score: a name of `course_lib.scores.SCORES`, or a module with that signature. score_width: the inner width of
    additive and reduced_rank, r/2 unless given. Other options as for `RecurrentDecoder`.
    """

    def __init__(
        self, vocab: int, d: int, r: int, *, score: str | Score = "additive", score_width: int | None = None,
        cell: str = "gru", dropout: float = 0.0, **drawn: Any,
    ) -> None:  # fmt: skip
        drawn = Parameters(**drawn).drawn()
        super().__init__(vocab, d, r, cell=cell, dropout=dropout, **drawn)
        if isinstance(score, str):
            m = max(1, r // 2) if score_width is None and score in WITH_WIDTH else score_width
            score = make(score, r, r, m=m, **drawn)
        elif not isinstance(score, nn.Module):
            checks.fail("score", "a name, or a module with keys(k) and compare(q, keys)", repr(score))
        elif score_width is not None:
            checks.fail("score_width", "None beside a module, which has its own widths", score_width)
        self.score = score

    def start(self, encoded: RecurrentEncoded, mask: Bool[Tensor, "b s"] | None = None) -> AttentiveState:
        """The state before the first step; mask is true where the source has a token. No weights yet: zeros."""
        if mask is None:
            mask = encoded.H.new_ones(encoded.H.shape[:2], dtype=torch.bool)
        nowhere = encoded.H.new_zeros(encoded.H.shape[:2])
        s = self.first(encoded.C)
        return AttentiveState(s, encoded.C, nowhere, encoded.H, self.score.keys(encoded.H), mask)

    def look(self, s: Float[Tensor, "b r"], state: AttentiveState) -> Looked:
        """Compare s with the keys and average the states by the weights."""
        scores = self.score.compare(s[:, None], state.keys)  # [b, 1, s]
        weights = softmax(scores, state.mask[:, None])
        return Looked((weights @ state.H)[:, 0], weights[:, 0], scores[:, 0])

    def step(self, y: Float[Tensor, "b d"], state: AttentiveState) -> tuple[Float[Tensor, "b vocab"], AttentiveState]:
        C, weights, _ = self.look(self.cell.visible(state.s), state)
        s = self.cell(torch.cat([y, C], -1), state.s)
        logits = self.read_out(self.cell.visible(s), C, y)
        return logits, state._replace(s=s, C=C, weights=weights)

    def forward(
        self, y: Float[Tensor, "b n d"], encoded: RecurrentEncoded, mask: Bool[Tensor, "b s"] | None = None
    ) -> RecurrentDecoded:
        state = self.start(encoded, mask)
        d = y.shape[-1]
        # The part of the cell's input that is known beforehand, for all steps in one product; the context comes step by
        # step.
        from_y = (y @ self.cell.W_x[:d] + self.cell.b).unbind(1)
        from_C = self.cell.W_x[d:]
        s, seen = state.s, []
        for read in from_y:
            C, weights, _ = self.look(self.cell.visible(s), state)
            s = self.cell.step(read + C @ from_C, s)
            seen.append((self.cell.visible(s), C, weights))
        states, contexts, weights = (torch.stack(each, 1) for each in zip(*seen, strict=True))
        return RecurrentDecoded(self.read_out(states, contexts, y), weights)
