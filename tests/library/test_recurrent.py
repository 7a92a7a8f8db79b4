"""Cells, encoder and decoders against PyTorch's own modules, values and gradients, in float64."""

import math

import pytest
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from course_lib.attention import softmax
from course_lib.decoding import greedy, select
from course_lib.recurrent import (
    CELLS,
    GRUCell,
    LSTMCell,
    RecurrentEncoder,
    RNNCell,
    RNNencdec,
    RNNsearch,
    unroll,
)  # fmt: skip
from course_lib.scores import Dot, Score
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded

THEIRS = {"rnn": (nn.RNNCell, nn.RNN), "lstm": (nn.LSTMCell, nn.LSTM), "gru": (nn.GRUCell, nn.GRU)}
b, n, d, r = 4, 6, 5, 8
LENGTHS = torch.tensor([6, 3, 1, 5])


def biases(cell):
    """PyTorch's two biases: ours is their sum, but for the GRU's proposal, where the second stays inside the reset."""
    second = torch.zeros_like(cell.b)
    if isinstance(cell, GRUCell):
        second[-cell.r :] = cell.b_n
    return cell.b, second


def pour(cell, module, suffix=""):
    """Copy our cell's parameters into PyTorch's module."""
    with torch.no_grad():
        for name, value in zip(
            ("weight_ih", "weight_hh", "bias_ih", "bias_hh"), (cell.W_x.T, cell.W_s.T, *biases(cell)), strict=True
        ):
            getattr(module, name + suffix).copy_(value)
    return module


def poured_encoder(encoder, kind):
    theirs = THEIRS[kind][1](
        d, encoder.forwards.r, batch_first=True, bidirectional=encoder.backwards is not None, **F64
    )
    pour(encoder.forwards, theirs, "_l0")
    return theirs if encoder.backwards is None else pour(encoder.backwards, theirs, "_l0_reverse")


def same_gradients(cell, module, suffix=""):
    torch.testing.assert_close(cell.W_x.grad, getattr(module, "weight_ih" + suffix).grad.T, rtol=0, atol=1e-10)
    torch.testing.assert_close(cell.W_s.grad, getattr(module, "weight_hh" + suffix).grad.T, rtol=0, atol=1e-10)
    torch.testing.assert_close(cell.b.grad, getattr(module, "bias_ih" + suffix).grad, rtol=0, atol=1e-10)
    if isinstance(cell, GRUCell):
        second = getattr(module, "bias_hh" + suffix).grad[-cell.r :]
        torch.testing.assert_close(cell.b_n.grad, second, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", CELLS)
def test_a_cell_starts_within_pytorchs_bounds(kind):
    """All parameters are uniform between ±1/√r, whatever the width of the input."""
    ours, theirs = CELLS[kind](400, 25, generator=seeded()), THEIRS[kind][0](400, 25)
    assert 0.99 / 5 < theirs.weight_ih.abs().max() <= 1 / 5  # of 10,000 numbers and more
    for parameter in ours.parameters():
        assert 0.8 / 5 < parameter.abs().max() <= 1 / 5
        assert abs(parameter.mean()) < 4 * 0.2 / math.sqrt(3 * parameter.numel())


def test_other_activations_by_hand():
    x, s = normal(b, d), normal(b, r, seed=2)
    for activation, f in (
        ("relu", lambda z: z.clamp(min=0)),
        ("sigmoid", lambda z: 1 / (1 + (-z).exp())),
        ("identity", lambda z: z),
    ):
        cell = RNNCell(d, r, activation=activation, generator=seeded(), **F64)
        torch.testing.assert_close(cell(x, s), f(x @ cell.W_x + s @ cell.W_s + cell.b), rtol=0, atol=1e-12)


@pytest.mark.parametrize("bidirectional", [True, False])
@pytest.mark.parametrize("kind", CELLS)
def test_the_encoder_is_pytorchs_packed_layer(kind, bidirectional):
    encoder = RecurrentEncoder(d, r, cell=kind, bidirectional=bidirectional, generator=seeded(), **F64)
    theirs = poured_encoder(encoder, kind)
    x = normal(b, n, d)
    packed = pack_padded_sequence(x, LENGTHS, batch_first=True, enforce_sorted=False)
    H, last = theirs(packed)
    H, _ = pad_packed_sequence(H, batch_first=True)
    last = last[0] if kind == "lstm" else last
    C = torch.cat(list(last), -1)
    ours = encoder(x, LENGTHS)
    torch.testing.assert_close(ours.H, H, rtol=0, atol=1e-10)
    torch.testing.assert_close(ours.C, C, rtol=0, atol=1e-10)
    (ours.H.square().sum() + ours.C.sin().sum()).backward()
    (H.square().sum() + C.sin().sum()).backward()
    same_gradients(encoder.forwards, theirs, "_l0")
    if bidirectional:
        same_gradients(encoder.backwards, theirs, "_l0_reverse")


MODELS = {
    "RNNencdec": lambda **options: RNNencdec(11, 13, d, r, generator=seeded(), **F64, **options),
    "RNNsearch": lambda **options: RNNsearch(11, 13, d, r, generator=seeded(), **F64, **options),
}
SOURCE = torch.randint(4, 11, (b, n), generator=seeded(5))
TARGET = torch.randint(4, 13, (b, 4), generator=seeded(6))


class ByPyTorch(nn.Module):
    """The two models written a second time, from PyTorch's packed layer and cell, with loops over rows and
    positions."""

    def __init__(self, ours, kind):
        super().__init__()
        self.ours, self.kind, self.encoder = ours, kind, poured_encoder(ours.encoder, kind)
        self.cell = pour(ours.decoder.cell, THEIRS[kind][0](d + r, r, **F64))

    def forward(self, source, target, lengths):
        ours, decoder = self.ours, self.ours.decoder
        x = ours.E_source[source]
        H, last = self.encoder(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
        last = last[0] if self.kind == "lstm" else last  # the pair of state and memory
        H, _ = pad_packed_sequence(H, batch_first=True)
        rows = []
        for i in range(len(source)):
            C = torch.cat([last[0, i], last[1, i]])
            s, memory, logits = torch.tanh(C @ decoder.W_0 + decoder.b_0), torch.zeros(r, **F64), []
            for t in range(target.shape[1]):
                if hasattr(decoder, "score"):
                    score = decoder.score
                    seen = [torch.tanh(s @ score.W_q + H[i, j] @ score.W_k) @ score.w for j in range(int(lengths[i]))]
                    weights = torch.stack(seen).exp() / torch.stack(seen).exp().sum()
                    C = sum(weights[j] * H[i, j] for j in range(len(seen)))
                y = ours.E_target[target[i, t]]
                read = torch.cat([y, C])
                if self.kind == "lstm":
                    s, memory = self.cell(read, (s, memory))
                else:
                    s = self.cell(read, s)
                hidden = torch.tanh(torch.cat([s, C, y]) @ decoder.W_r + decoder.b_r)
                logits.append(hidden @ decoder.U + decoder.b_U)
            rows.append(torch.stack(logits))
        return torch.stack(rows)


@pytest.mark.parametrize("kind", CELLS)
@pytest.mark.parametrize("name", MODELS)
def test_a_model_is_its_equations(name, kind):
    ours = MODELS[name](cell=kind)
    theirs = ByPyTorch(MODELS[name](cell=kind), kind)
    answer, expected = ours(SOURCE, TARGET, LENGTHS).logits, theirs(SOURCE, TARGET, LENGTHS)
    torch.testing.assert_close(answer, expected, rtol=0, atol=1e-10)
    (answer**2).sum().backward()
    (expected**2).sum().backward()
    same_gradients(ours.encoder.forwards, theirs.encoder, "_l0")
    same_gradients(ours.encoder.backwards, theirs.encoder, "_l0_reverse")
    same_gradients(ours.decoder.cell, theirs.cell)
    for part in ("E_source", "E_target", "decoder.W_0", "decoder.W_r", "decoder.U", "decoder.b_U"):
        torch.testing.assert_close(
            ours.get_parameter(part).grad, theirs.ours.get_parameter(part).grad, rtol=0, atol=1e-10
        )
    if name == "RNNsearch":
        for part in ("W_q", "W_k", "w"):
            part = f"decoder.score.{part}"
            torch.testing.assert_close(
                ours.get_parameter(part).grad, theirs.ours.get_parameter(part).grad, rtol=0, atol=1e-10
            )


@pytest.mark.parametrize("cell", CELLS)
@pytest.mark.parametrize("name", MODELS)
def test_steps_give_what_the_forward_gives(name, cell):
    model = MODELS[name](cell=cell)
    forward, state = model(SOURCE, TARGET, LENGTHS), model.start(SOURCE, LENGTHS)
    for t in range(TARGET.shape[1]):
        logits, state = model.step(TARGET[:, t], state)
        torch.testing.assert_close(logits, forward.logits[:, t], rtol=0, atol=1e-12)
        if name == "RNNsearch":
            torch.testing.assert_close(state.weights, forward.weights[:, t], rtol=0, atol=1e-12)
            torch.testing.assert_close((state.weights[..., None] * state.H).sum(1), state.C, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", MODELS)
def test_a_state_can_be_selected_as_a_beam_does(name):
    model = MODELS[name]()
    rows = torch.tensor([2, 2, 0])
    state = model.start(SOURCE, LENGTHS)
    logits, _ = model.step(TARGET[rows, 0], select(state, rows))
    torch.testing.assert_close(logits, model.step(TARGET[:, 0], state)[0][rows], rtol=0, atol=1e-12)
    decoded = greedy(model.step, state, start=1, end=2, longest=5)
    assert len(decoded.tokens) == b


class Distance(Score):
    def compare(self, q, keys):
        return -(q[..., :, None, :] - keys[..., None, :, :]).square().sum(-1)


def test_a_score_of_ones_own():
    model = MODELS["RNNsearch"](score=Distance())
    state = model.start(SOURCE)
    looked = model.decoder.look(state.s, state)
    expected = softmax(-(state.s[:, None] - state.H).square().sum(-1))
    torch.testing.assert_close(looked.weights, expected, rtol=0, atol=1e-12)
    assert isinstance(MODELS["RNNsearch"](score="dot").decoder.score, Dot)


def test_dropout_acts_in_training_only():
    model = MODELS["RNNsearch"](dropout=0.5)
    assert torch.equal(model(SOURCE, TARGET).logits, model(SOURCE, TARGET).logits) is False
    model.eval()
    assert torch.equal(model(SOURCE, TARGET).logits, MODELS["RNNsearch"]().eval()(SOURCE, TARGET).logits)


test_errors_name_the_argument = named(
    (lambda: RecurrentEncoder(3, 5), "r must be even, half of it for each direction, got 5"),
    (lambda: unroll(LSTMCell(3, 4), torch.zeros(2, 0, 3)), "x must be of size > 0 .the number n of tokens"),
    (lambda: unroll(LSTMCell(3, 4), torch.zeros(2, 5, 3), torch.tensor([0, 5])), "lengths must be from 1 to 5"),
    (lambda: MODELS["RNNsearch"](score=3), "score must be a name, or a module"),
    (lambda: MODELS["RNNsearch"](score=Dot(), score_width=3), "score_width must be None"),
    (lambda: MODELS["RNNencdec"]()(SOURCE, TARGET[:2]), "target must be of size 4"),
)  # fmt: skip
