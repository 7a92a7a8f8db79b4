"""The recurrent translators in training: the page graphs of single steps with their vector–Jacobian products.

A step goes forwards, and back: from the gradient by what it hands on to those by what it was given. Loops over time are
the page's (course_lib/widgets/runtime/unrolled.js): it joins copies of the steps to one graph, forwards and back
through time, so that one small graph serves every length. Names, gates and parts of matrices are those of
`course_lib.graphs.recurrent`.
"""

from collections.abc import Callable
from functools import partial

import torch
from torch import Tensor
from torch.func import vjp

from course_lib.graphs.gradients import _Plain
from course_lib.graphs.recurrent import FIRST, SCORE, STEP, _traced, _with
from course_lib.graphs.training import masked_cross_entropy
from course_lib.recurrent.cells import CELLS, LSTMState
from course_lib.recurrent.decoder import AttentiveDecoder, AttentiveState, FixedState, RecurrentDecoder
from course_lib.recurrent.encoder import RecurrentEncoded

STATE = ("b", "r")
FIXED = ("token", "target")  # no gradient is asked for by these


def encode_step(cell: str) -> dict:
    """One step of the encoder: token [b, source_vocab], s [b, r] (LSTM: also c); E_source, W_x, W_s, b, GRU also
    b_n."""
    module = CELLS[cell](1, 1)

    def step(token: Tensor, E_source: Tensor, **given: Tensor) -> dict:
        module.r = given["s"].shape[-1]
        state, weights = _state(given)
        return _parts(_with(module, weights, lambda module: module(token @ E_source, state)))

    shapes = {
        "token": ("b", "source_vocab"),
        **_carried(cell),
        "E_source": ("source_vocab", "d"),
        "W_x": ("d", module.gates, "r"),
    }
    return _both_ways(f"encode_{cell}", step, shapes | _cell(cell), _carried(cell))


def begin_step(attentive: bool) -> dict:
    """The decoder before its first step, from C [b, r] and, with attention, H [b, s, r]: s [b, r], keys [b, s, m]."""
    if not attentive:
        decoder = RecurrentDecoder(1, 1, 1).eval()
        return _both_ways(
            "begin",
            lambda C, **w: {"s": _with(decoder, w, lambda decoder: decoder.first(C))},
            {"C": STATE} | FIRST,
            {"s": STATE},
        )
    decoder = AttentiveDecoder(1, 1, 1, score_width=1).eval()

    def begin(C: Tensor, H: Tensor, **weights: Tensor) -> dict:
        state = _with(decoder, weights, lambda decoder: decoder.start(RecurrentEncoded(H, C)))
        return {"s": state.s, "keys": state.keys}

    shapes = {"C": STATE, "H": ("b", "s", "r")} | FIRST | {"score.W_k": SCORE["score.W_k"]}
    return _both_ways("begin_attentive", begin, shapes, {"s": STATE, "keys": ("b", "s", "m")})


def decode_step(cell: str, attentive: bool) -> dict:
    """One step of the decoder, and its loss.

    Inputs: token and target [b, vocab], one-hot: the letter read, and the one to be written; s (and c); C [b, r], or
    with attention H [b, s, r] and keys [b, s, m]; E_target and the decoder's parameters. Outputs: s (and c), the loss
    in nats, logits [b, vocab], weights [b, s].
    """
    decoder = (
        AttentiveDecoder(1, 1, 1, score_width=1, cell=cell) if attentive else RecurrentDecoder(1, 1, 1, cell=cell)
    ).eval()

    def step(token: Tensor, target: Tensor, E_target: Tensor, **given: Tensor) -> dict:
        decoder.cell.r = given["s"].shape[-1]
        s, weights = _state(given)
        if attentive:
            H, keys = weights.pop("H"), weights.pop("keys")
            mask = H.new_ones(H.shape[:2], dtype=torch.bool)
            before = AttentiveState(s, H[:, 0], mask, H, keys, mask)  # of the last step's C and weights nothing is read
        else:
            before = FixedState(s, weights.pop("C"))
        logits, after = _with(decoder, weights, lambda decoder: decoder.step(token @ E_target, before))
        seen = {"weights": after.weights} if attentive else {}
        return _parts(after.s) | {"loss": masked_cross_entropy(logits, target), "logits": logits} | seen

    source = {"H": ("b", "s", "r"), "keys": ("b", "s", "m")} if attentive else {"C": STATE}
    score = {name: SCORE[name] for name in ("score.W_q", "score.w")} if attentive else {}
    gates = {f"cell.W_x.{part}": (rows, decoder.cell.gates, "r") for part, rows in (("y", "d"), ("C", "r"))}
    own = {name: shape for name, shape in STEP.items() if not name.startswith("cell.")}
    shapes = {
        "token": ("b", "vocab"),
        "target": ("b", "vocab"),
        **_carried(cell),
        **source,
        "E_target": ("vocab", "d"),
        **gates,
    }
    shapes |= {f"cell.{name}": shape for name, shape in _cell(cell).items()} | own | score
    return _both_ways(f"decode_{cell}" + "_attentive" * attentive, step, shapes, _carried(cell) | {"loss": ()})


TRANSLATORS = {
    "begin": partial(begin_step, False),
    "begin_attentive": partial(begin_step, True),
    **{f"encode_{cell}": partial(encode_step, cell) for cell in CELLS},
    **{
        f"decode_{cell}" + "_attentive" * attentive: partial(decode_step, cell, attentive)
        for cell in CELLS
        for attentive in (False, True)
    },
}


def _both_ways(name: str, step: Callable[..., dict], shapes: dict, handed_on: dict) -> dict:
    """The graph of `step` and back: after.<output> [its shape] for what is `handed_on`; gradient.<input> for all but
    FIXED."""

    def both(**given: Tensor) -> dict:
        def forwards(moving: dict[str, Tensor]) -> tuple[dict, dict]:
            result = step(**moving, **{key: given[key] for key in FIXED if key in given})
            return {key: result[key] for key in handed_on}, result

        with _Plain():
            _, back, result = vjp(forwards, {key: given[key] for key in shapes if key not in FIXED}, has_aux=True)
            (gradients,) = back({key: given[f"after.{key}"] for key in handed_on})
        return result | {f"gradient.{key}": gradient for key, gradient in gradients.items()}

    return _traced(name, both, shapes | {f"after.{key}": shape for key, shape in handed_on.items()})


def _carried(cell: str) -> dict:
    return dict.fromkeys(("s", "c") if cell == "lstm" else ("s",), STATE)


def _cell(cell: str) -> dict:
    gates = CELLS[cell].gates
    return {"W_s": ("r", gates, "r"), "b": (gates, "r")} | ({"b_n": ("r",)} if cell == "gru" else {})


def _state(given: dict[str, Tensor]) -> tuple[Tensor | LSTMState, dict[str, Tensor]]:
    """The cell's state, and what else is given."""
    state = LSTMState(given["s"], given["c"]) if "c" in given else given["s"]
    return state, {name: tensor for name, tensor in given.items() if name not in ("s", "c")}


def _parts(state: Tensor | LSTMState) -> dict[str, Tensor]:
    return state._asdict() if isinstance(state, LSTMState) else {"s": state}
