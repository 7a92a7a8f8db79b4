"""One step of a recurrent network, s_t = f(s_{t-1}, x_t): the plain, the LSTM and the GRU cell, each as its equations.

Every cell splits its step in two: `read` is the part x_t W_x + b, which needs no state and can be taken for all steps
at once, `step` the rest. Rows are sequences, maps act from the right. The gates stand side by side in PyTorch's order,
and the equations are PyTorch's: `nn.RNNCell`, `nn.LSTMCell`, `nn.GRUCell` with W_x, W_s transposed and their two biases
added.
"""

from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.attention import padding_mask
from course_lib.parameters import Parameters

ACTIVATIONS = {"tanh": torch.tanh, "relu": torch.relu, "sigmoid": torch.sigmoid, "identity": lambda x: x}


class LSTMState(NamedTuple):
    """What an LSTM carries on: the state s that others see and the memory c that it keeps to itself, [b, r] both."""

    s: Tensor
    c: Tensor


State = Tensor | LSTMState


class Cell(nn.Module):
    """The parameters that all cells share: W_x [d, g·r], W_s [r, g·r] and b [g·r], for g gates.

    All are uniform between ±1/√r, as in PyTorch; `drawn`, see `Parameters`, in this order.
    """

    gates = 1

    def __init__(self, d: int, r: int, **drawn: Any) -> None:
        super().__init__()
        checks.positive_ints(d=d, r=r)
        self.r, new = r, Parameters(**drawn)
        self.W_x, self.W_s = (new.uniform(rows, self.gates * r, fan_in=r) for rows in (d, r))
        self.b = new.uniform(self.gates * r, fan_in=r)

    def start(self, b: int) -> State:
        """The state of b sequences before their first token: zeros."""
        checks.positive_int("b", b)
        return self.b.new_zeros(b, self.r)

    def read(self, x: Float[Tensor, "*b d"]) -> Float[Tensor, "*b gr"]:
        """x W_x + b: what the step takes from the input, for one step or for all of them."""
        checks.array("x", x, 1, "[..., d]")
        checks.size("x", x, -1, self.W_x.shape[0], "the width d of the cell's input")
        return x @ self.W_x + self.b

    def opened(self, read: Float[Tensor, "b gr"], state: State) -> dict[str, Tensor]:
        """All that a step computes, name → [b, r], in the order in which the equations stand: gates, proposal, memory,
        state."""
        raise NotImplementedError

    def step(self, read: Float[Tensor, "b gr"], state: State) -> State:
        """The next state, from `read(x)` and the state before."""
        return self.opened(read, state)["s"]

    def forward(self, x: Float[Tensor, "b d"], state: State) -> State:
        """f(state, x): one step."""
        return self.step(self.read(x), state)

    def visible(self, state: State) -> Float[Tensor, "b r"]:
        """The part s of the state that other layers see."""
        return state


class RNNCell(Cell):
    """The plain cell: s_t = f(x_t W_x + s_{t-1} W_s + b), with f tanh, relu, sigmoid or identity.  [Elman 1990]"""

    def __init__(self, d: int, r: int, *, activation: str = "tanh", **drawn: Any) -> None:
        checks.one_of("activation", activation, tuple(ACTIVATIONS))
        super().__init__(d, r, **drawn)
        self.activation = activation

    def opened(self, read: Float[Tensor, "b r"], state: Float[Tensor, "b r"]) -> dict[str, Tensor]:
        return {"s": ACTIVATIONS[self.activation](read + state @ self.W_s)}


class LSTMCell(Cell):
    """Long short-term memory: a memory c that is kept, written and shown through three gates.  [Hochreiter &
    Schmidhuber 1997]

    i, f, o = σ(…) (input, forget, output gate) and g = tanh(…), each … = x W_x + s W_s + b with its own columns, in the
    order i, f, g, o. Then c_t = f ⊙ c_{t-1} + i ⊙ g and s_t = o ⊙ tanh(c_t). The forget gate is that of Gers et al.
    2000.
    """

    gates = 4

    def start(self, b: int) -> LSTMState:
        return LSTMState(super().start(b), super().start(b))

    def opened(self, read: Float[Tensor, "b 4r"], state: LSTMState) -> dict[str, Tensor]:
        i, f, g, o = (read + state.s @ self.W_s).chunk(4, -1)
        f = torch.sigmoid(f)
        kept = f * state.c
        i, g = torch.sigmoid(i), torch.tanh(g)
        c = kept + i * g
        o = torch.sigmoid(o)
        return {"forget": f, "input": i, "proposal": g, "c": c, "output": o, "s": o * torch.tanh(c)}

    def step(self, read: Float[Tensor, "b 4r"], state: LSTMState) -> LSTMState:
        opened = self.opened(read, state)
        return LSTMState(opened["s"], opened["c"])

    def visible(self, state: LSTMState) -> Float[Tensor, "b r"]:
        return state.s


class GRUCell(Cell):
    """Gated recurrent unit: the next state lies between the old one and a proposal, entry by entry.  [Cho et al. 2014]

    κ, z = σ(…) (reset and update gate) with … = x W_x + s W_s + b, in the order κ, z, proposal. The proposal is
    tanh(x W_x + b + κ ⊙ (s W_s + b_n)) and s_t = (1 - z) ⊙ proposal + z ⊙ s_{t-1}. This is PyTorch's form: Cho et al.
    reset the state before the product with W_s, not after it, and Bahdanau et al. exchange z and 1 - z as well.
    """

    gates = 3

    def __init__(self, d: int, r: int, **drawn: Any) -> None:
        new = Parameters(**drawn)
        super().__init__(d, r, **new.drawn())
        self.b_n = new.uniform(r, fan_in=r)

    def opened(self, read: Float[Tensor, "b 3r"], state: Float[Tensor, "b r"]) -> dict[str, Tensor]:
        x_gates, x_proposal = read.split([2 * self.r, self.r], -1)
        s_gates, s_proposal = (state @ self.W_s).split([2 * self.r, self.r], -1)
        reset, z = torch.sigmoid(x_gates + s_gates).chunk(2, -1)
        proposal = torch.tanh(x_proposal + reset * (s_proposal + self.b_n))
        s = torch.lerp(proposal, state, z)  # proposal + z (state - proposal)
        return {"reset": reset, "proposal": proposal, "update": z, "s": s}


CELLS: dict[str, type[Cell]] = {"rnn": RNNCell, "lstm": LSTMCell, "gru": GRUCell}


class Unrolled(NamedTuple):
    """states [b, n, r]: what each step showed, zeros over the padding; last: the state after a sequence's last
    token."""

    states: Float[Tensor, "b n r"]
    last: State


def unroll(
    cell: Cell,
    x: Float[Tensor, "b n d"],
    lengths: Int[Tensor, " b"] | None = None,
    state: State | None = None,
    *,
    backwards: bool = False,
) -> Unrolled:
    """Run the cell along the sequences, from the first token to the last, or `backwards` from the last to the first.

    `lengths` says how many tokens of each sequence are no padding; over the padding behind them a state stays as it is,
    so padding changes nothing. `state` is where to begin, zeros unless given. ValueError for a length outside 1 … n.
    """
    checks.array("x", x, 3, "[b, n, d]")
    checks.some("x", x, 1, "the number n of tokens")
    live = None if lengths is None else token_mask(lengths, x)  # [b, n]
    state = cell.start(x.shape[0]) if state is None else state
    reads = cell.read(x).unbind(1)  # n of [b, g·r]: one product for all steps
    # A step at which every sequence has a token needs no choice between the states.
    choose = [False] * len(reads) if live is None else (~live.all(0)).tolist()
    shown: list[Tensor] = [x] * len(reads)
    steps = range(len(reads))
    for t in reversed(steps) if backwards else steps:
        after = cell.step(reads[t], state)
        state = _where(live[:, t, None], after, state) if choose[t] else after
        shown[t] = cell.visible(state)
    states = torch.stack(shown, 1)
    return Unrolled(states if live is None else states * live[..., None], state)


def token_mask(lengths: Int[Tensor, " b"], x: Float[Tensor, "b n d"]) -> Bool[Tensor, "b n"]:
    """True where a sequence has a token, false over its padding; every sequence has one token at least."""
    live = padding_mask(lengths, x.shape[1]).squeeze(1)
    checks.size("lengths", lengths, 0, x.shape[0], "the number b of sequences")
    checks.within("lengths", lengths, 1, x.shape[1])
    return live


def _where(live: Tensor, after: State, before: State) -> State:
    if isinstance(after, LSTMState):
        return LSTMState(*(torch.where(live, new, old) for new, old in zip(after, before, strict=True)))
    return torch.where(live, after, before)
