"""The two recurrent translators as page graphs of single steps: recurrence over time is a loop of the page.

One graph reads a source token in one direction, one begins each decoder, one makes a step of it. The modules are those
that were trained (`course_lib.recurrent`, with GRU cells and the additive score); their sizes are free: a graph fits
any.

A cell's gates lie in an axis of their own, W_x [d, 3, r], because r is a symbol here; in memory that is the module's
[d, 3·r]. A matrix that acts on vectors side by side, like the decoder's W_x on [y, C], comes in one part for each of
them: its rows.
"""

from collections.abc import Callable, Mapping

import torch
from torch import Tensor, nn
from torch.fx.experimental.proxy_tensor import decompose

from course_lib.graphs.gradients import DECOMPOSED
from course_lib.graphs.trace import acting, trace
from course_lib.recurrent.cells import GRUCell
from course_lib.recurrent.decoder import AttentiveDecoder, AttentiveState, FixedState, RecurrentDecoder
from course_lib.recurrent.encoder import RecurrentEncoded

CELL = {"W_s": ("r", 3, "r"), "b": (3, "r"), "b_n": ("r",)}
FIRST = {"W_0": ("r", "r"), "b_0": ("r",)}
SCORE = {"score.W_q": ("r", "m"), "score.W_k": ("r", "m"), "score.w": ("m",)}
# What a step reads: the parts of a matrix stand in the order of its rows.
STEP = {
    "cell.W_x.y": ("d", 3, "r"), "cell.W_x.C": ("r", 3, "r"), **{f"cell.{name}": shape for name, shape in CELL.items()},
    "W_r.s": ("r", "r"), "W_r.C": ("r", "r"), "W_r.y": ("d", "r"), "b_r": ("r",), "U": ("r", "vocab"), "b_U": ("vocab",
    ),
}  # fmt: skip


def read_recurrent_token() -> dict:
    """One step of the encoder in one direction: f(s_{j-1}, x_j).

    Inputs: token [b, source_vocab], one-hot; state [b, r], the state at the token before; E_source [source_vocab, d]
    and the cell's W_x [d, 3, r], W_s [r, 3, r], b [3, r], b_n [r]. Output: state [b, r]. Here r is the width of one
    direction.
    """
    cell = GRUCell(1, 1)

    def step(token: Tensor, state: Tensor, E_source: Tensor, **weights: Tensor) -> dict:
        cell.r = state.shape[-1]  # a symbol here: the graph fits any width
        return {"state": _with(cell, weights, lambda cell: cell(token @ E_source, state))}

    shapes = {
        "token": ("b", "source_vocab"),
        "state": ("b", "r"),
        "E_source": ("source_vocab", "d"),
        "W_x": ("d", 3, "r"),
    }
    return _traced("read_recurrent_token", step, shapes | CELL)


def read_rnnencdec_start() -> dict:
    """The fixed decoder before its first step, of one sentence. Inputs: C [1, r]; W_0, b_0. Output: s [1, r]."""
    decoder = RecurrentDecoder(1, 1, 1).eval()

    def start(C: Tensor, **weights: Tensor) -> dict:
        return {"s": _with(decoder, weights, lambda decoder: decoder.first(C))}

    return _traced("read_rnnencdec_start", start, {"C": (1, "r")} | FIRST)


def read_rnnencdec_step() -> dict:
    """One step of the fixed decoder.

    Inputs: token [b, vocab], one-hot, the word before; s and C [b, r]; E_target [vocab, d]; the decoder's parameters as
    in STEP.
    Outputs: s [b, r], the next state; logits and probabilities [b, vocab] of the next word.
    """
    decoder = RecurrentDecoder(1, 1, 1).eval()

    def step(token: Tensor, s: Tensor, C: Tensor, E_target: Tensor, **weights: Tensor) -> dict:
        decoder.cell.r = s.shape[-1]
        logits, state = _with(decoder, weights, lambda decoder: decoder.step(token @ E_target, FixedState(s, C)))
        return {"s": state.s} | _answer(logits)

    shapes = {"token": ("b", "vocab"), "s": ("b", "r"), "C": ("b", "r"), "E_target": ("vocab", "d")}
    return _traced("read_rnnencdec_step", step, shapes | STEP)


def read_rnnsearch_start() -> dict:
    """The attentive decoder before its first step, of one sentence.

    Inputs: H [1, s, r], C [1, r]; W_0, b_0, score.W_k. Outputs: s [1, r]; keys [1, s, m].
    """
    decoder = AttentiveDecoder(1, 1, 1, score_width=1).eval()

    def start(H: Tensor, C: Tensor, **weights: Tensor) -> dict:
        state = _with(decoder, weights, lambda decoder: decoder.start(RecurrentEncoded(H, C)))
        return {"s": state.s, "keys": state.keys}

    shapes = {"H": (1, "s", "r"), "C": (1, "r")} | FIRST | {"score.W_k": SCORE["score.W_k"]}
    return _traced("read_rnnsearch_start", start, shapes)


def read_rnnsearch_step() -> dict:
    """One step of the attentive decoder, with everything it computes on the way.

    Inputs: token [b, vocab], one-hot, the word before; s [b, r]; H [b, s, r] and keys [b, s, m], from the source; mask
    [b, s], 1 = a token and no padding; E_target [vocab, d]; the decoder's parameters as in STEP, score.W_q [r, m] and
    score.w [m]. Outputs: scores and weights [b, s]; C [b, r], the context of this step; s [b, r], the next state;
    logits and probabilities [b, vocab].
    """
    decoder = AttentiveDecoder(1, 1, 1, score_width=1).eval()

    def step(
        token: Tensor, s: Tensor, H: Tensor, keys: Tensor, mask: Tensor, E_target: Tensor, **weights: Tensor
    ) -> dict:
        decoder.cell.r = s.shape[-1]
        before = AttentiveState(s, s, mask, H, keys, mask > 0.5)  # of the last step's C and weights nothing is read
        scores = _with(decoder, weights, lambda decoder: decoder.look(s, before)).scores
        logits, state = _with(decoder, weights, lambda decoder: decoder.step(token @ E_target, before))
        return {"scores": scores, "weights": state.weights, "C": state.C, "s": state.s} | _answer(logits)

    shapes = {
        "token": ("b", "vocab"), "s": ("b", "r"), "H": ("b", "s", "r"), "keys": ("b", "s", "m"), "mask": ("b", "s"),
        "E_target": ("vocab", "d"),
    }  # fmt: skip
    used = {name: SCORE[name] for name in ("score.W_q", "score.w")}
    return _traced("read_rnnsearch_step", step, shapes | STEP | used)


RECURRENT = {
    build.__name__: build
    for build in (
        read_recurrent_token,
        read_rnnencdec_start,
        read_rnnencdec_step,
        read_rnnsearch_start,
        read_rnnsearch_step,
    )
}


def _with(module: nn.Module, weights: Mapping[str, Tensor], act: Callable):
    """act(module), with these weights in it."""
    return acting(module, _joined(weights, getattr(module, "cell", module).gates), act)


def _joined(weights: Mapping[str, Tensor], gates: int) -> dict[str, Tensor]:
    """The module's own parameters: parts below each other, gates beside each other."""
    parts: dict[str, list[Tensor]] = {}
    for name, tensor in weights.items():
        whole = name[:-2] if name.endswith((".s", ".C", ".y")) else name
        gated = whole.split(".")[-1] in ("W_x", "W_s", "b")
        parts.setdefault(whole, []).append(
            tensor.reshape(*tensor.shape[:-2], gates * tensor.shape[-1]) if gated else tensor
        )
    return {name: torch.cat(each) if len(each) > 1 else each[0] for name, each in parts.items()}


def _answer(logits: Tensor) -> dict[str, Tensor]:
    return {"logits": logits, "probabilities": torch.softmax(logits, -1)}


def _traced(name: str, function: Callable, shapes: dict) -> dict:
    def sliced(**tensors: Tensor) -> dict:
        with decompose(DECOMPOSED):
            return function(**tensors)

    return trace(name, sliced, shapes)
