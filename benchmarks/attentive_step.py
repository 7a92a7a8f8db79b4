"""A training step of RNNsearch against the same model from nn.GRU and nn.GRUCell, one thread, in turns.

    python -m benchmarks.attentive_step [BURSTS]      milliseconds and ratio per size (bar: at most 1.2)

A step is forward (teacher forcing, unequal lengths), cross-entropy, backward and Adam. Both models start from the same numbers and
read the same sentences; before any time is taken their losses are compared. The reference is what one would write with PyTorch's
modules: packed bidirectional nn.GRU, nn.GRUCell in a loop, additive attention with the keys prepared once.
"""

import sys

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from benchmarks.turns import linear, loop, race, report, same
from course_lib.checks import trusted
from course_lib.recurrent import RNNsearch
from tests.library.test_recurrent import pour

VOCAB = 400
SIZES = [(64, 128, 15, 64), (64, 128, 30, 64), (64, 64, 20, 32)]  # d, r, words s, batch b
STEPS, WARM_UP, BAR = 3, 2, 1.2


class Reference(nn.Module):
    """RNNsearch from PyTorch's modules, with the numbers of ours."""

    def __init__(self, ours: RNNsearch) -> None:
        super().__init__()
        (vocab, d), r = ours.E_source.shape, ours.decoder.cell.r
        self.source, self.target = (nn.Embedding(vocab, d, _weight=E.detach().clone()) for E in (ours.E_source, ours.E_target))
        self.encoder = nn.GRU(d, r // 2, batch_first=True, bidirectional=True)
        pour(ours.encoder.forwards, self.encoder, "_l0")
        pour(ours.encoder.backwards, self.encoder, "_l0_reverse")
        self.cell = pour(ours.decoder.cell, nn.GRUCell(d + r, r))
        decoder, score = ours.decoder, ours.decoder.score
        self.first = linear(decoder.W_0, decoder.b_0)
        self.query, self.key, self.w = linear(score.W_q), linear(score.W_k), linear(score.w[:, None])
        self.hidden, self.out = linear(decoder.W_r, decoder.b_r), linear(decoder.U, decoder.b_U)

    def forward(self, source: Tensor, target: Tensor, lengths: Tensor) -> Tensor:
        packed = pack_padded_sequence(self.source(source), lengths, batch_first=True, enforce_sorted=False)
        H, last = self.encoder(packed)
        H, _ = pad_packed_sequence(H, batch_first=True, total_length=source.shape[1])
        hidden = torch.arange(source.shape[1]) >= lengths[:, None]  # [b, s]
        s = torch.tanh(self.first(torch.cat([last[0], last[1]], -1)))
        y, keys, seen = self.target(target), self.key(H), []
        for t in range(target.shape[1]):
            scores = self.w(torch.tanh(self.query(s)[:, None] + keys)).squeeze(-1).masked_fill(hidden, -torch.inf)
            C = torch.bmm(scores.softmax(-1)[:, None], H).squeeze(1)
            s = self.cell(torch.cat([y[:, t], C], -1), s)
            seen.append(torch.cat([s, C, y[:, t]], -1))
        return self.out(torch.tanh(self.hidden(torch.stack(seen, 1))))


def measure(d: int, r: int, s: int, b: int, bursts: int) -> tuple[float, float, float]:
    """Median ms of ours and of PyTorch's, and the ratio."""
    generator = torch.Generator().manual_seed(1)
    source = torch.randint(4, VOCAB, (b, s), generator=generator)
    target = torch.randint(4, VOCAB, (b, s + 3), generator=generator)
    lengths = torch.randint(s - 3, s + 1, (b,), generator=generator)
    model = RNNsearch(VOCAB, VOCAB, d, r)
    reference = Reference(model)

    def ours() -> Tensor:
        with trusted():
            return model(source, target[:, :-1], lengths).logits

    steps = loop(model, ours, target[:, 1:]), loop(reference, lambda: reference(source, target[:, :-1], lengths), target[:, 1:])
    same(*steps, WARM_UP)
    return race(*steps, bursts, STEPS)


if __name__ == "__main__":
    sys.exit(report("d r s b", SIZES, measure, int(*sys.argv[1:] or [12]), BAR))
