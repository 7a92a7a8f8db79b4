"""One step of each recurrent cell: with its vector–Jacobian product, for going back through time, and opened, with its
gates."""

import torch
from torch import Tensor
from torch._decomp import core_aten_decompositions
from torch.func import vjp
from torch.fx.experimental.proxy_tensor import decompose
from torch.overrides import TorchFunctionMode

from course_lib.graphs.trace import GRADIENTS, acting, trace
from course_lib.recurrent.cells import ACTIVATIONS, CELLS, LSTMState, RNNCell

# kind of step → cell and activation; a gated cell has its own activations
STEPS = {**{f"rnn_{name}": ("rnn", name) for name in ACTIVATIONS}, "gru": ("gru", None), "lstm": ("lstm", None)}


def gradient_step(kind: str) -> dict:
    """The step of `kind`, a key of STEPS, and what it does to gradients, as a page graph.

    Inputs: s [b, r] (LSTM: also c), the state before; read [b, g, r] = x W_x + b, gate by gate; W_s [r, g, r], GRU also
    b_n [r]; after.s [b, r] (LSTM: also after.c), a gradient by the state after. Outputs: s (and c), the state after;
    before.s (and before.c) [b, r], the gradient by the state before, row by row; gradient [r, g, r], that by W_s,
    summed over the batch.
    """
    name, activation = STEPS[kind]
    cell = RNNCell(1, 1, activation=activation) if activation else CELLS[name](1, 1)
    parts = ("s", "c") if name == "lstm" else ("s",)
    weights = {"W_s": ("r", cell.gates, "r")} | ({"b_n": ("r",)} if name == "gru" else {})

    def step(**given: Tensor) -> dict:
        r = given["s"].shape[-1]
        cell.r = r  # a symbol here: the graph fits any width

        def after(W_s: Tensor, *state: Tensor) -> tuple[Tensor, ...]:
            before = LSTMState(*state) if len(state) == 2 else state[0]
            parameters = {key: given[key] for key in weights} | {"W_s": W_s.flatten(1)}
            result = acting(cell, parameters, lambda cell: cell.step(given["read"].flatten(1), before))
            return tuple(result) if isinstance(result, LSTMState) else (result,)

        with decompose(DECOMPOSED), _Plain():
            result, back = vjp(after, given["W_s"], *(given[part] for part in parts))
            by_weights, *by_state = back(tuple(given[f"after.{part}"] for part in parts))
        before = {f"before.{part}": gradient for part, gradient in zip(parts, by_state, strict=True)}
        return dict(zip(parts, result, strict=True)) | before | {"gradient": by_weights}

    states, gradients = ({f"{prefix}{part}": ("b", "r") for part in parts} for prefix in ("", "after."))
    return trace(f"gradient_{kind}", step, states | {"read": ("b", cell.gates, "r")} | weights | gradients)


def open_step(name: str) -> dict:
    """One step of the cell `name`, a key of CELLS, with all that it computes on the way.

    Inputs: x [b, d], the token's vector; s [b, r] (LSTM: also c), the state before; W_x [d, g, r], W_s [r, g, r], b [g,
    r], GRU also b_n [r]. Outputs, each [b, r], by their names in `Cell.opened`: gates and proposal, the memory c and
    the state s.
    """
    cell = CELLS[name](1, 1)
    parts = ("s", "c") if name == "lstm" else ("s",)

    def step(**given: Tensor) -> dict:
        cell.r = given["s"].shape[-1]
        state = LSTMState(given["s"], given["c"]) if name == "lstm" else given["s"]
        flat = {key: given[key].reshape(*given[key].shape[:-2], cell.gates * cell.r) for key in ("W_x", "W_s", "b")}
        parameters = flat | {key: given[key] for key in ("b_n",) if key in given}
        with decompose(DECOMPOSED), _Plain():
            return acting(cell, parameters, lambda cell: cell.opened(cell.read(given["x"]), state))

    weights = {"W_x": ("d", cell.gates, "r"), "W_s": ("r", cell.gates, "r"), "b": (cell.gates, "r")} | (
        {"b_n": ("r",)} if name == "gru" else {}
    )
    return trace(f"cell_{name}", step, {"x": ("b", "d")} | {part: ("b", "r") for part in parts} | weights)


class _Plain(TorchFunctionMode):
    """lerp as arithmetic: its own derivative fills tensors in place, which a page graph cannot do."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.lerp:
            start, end, weight = args
            return start + weight * (end - start)
        return func(*args, **(kwargs or {}))


def _slices(x: Tensor, sizes: list, dim: int = 0) -> list[Tensor]:
    ends = [sum(sizes[: i + 1]) for i in range(len(sizes))]
    return [x.narrow(dim, end - size, size) for size, end in zip(sizes, ends, strict=True)]


# The gates stand side by side and are cut apart: graph.js has slices for that.
DECOMPOSED = (
    dict(core_aten_decompositions().items())
    | GRADIENTS
    | {
        torch.ops.aten.split_with_sizes.default: _slices,
        torch.ops.aten.split.Tensor: lambda x, size, dim=0: _slices(x, [size] * (x.shape[dim] // size), dim),
    }
)
