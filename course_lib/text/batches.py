"""Sequences of unequal length as one tensor: padding, and batches of sequences that are about as long.

Lengths are kept beside the padded tensor; `course_lib.attention.padding_mask(lengths, n)` makes the mask of them.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Int
from torch import Tensor

from course_lib import checks

from .vocabulary import END, PAD, START, Vocabulary


class Padded(NamedTuple):
    """tokens [b, n], filled up with PAD behind each sequence; lengths [b], before filling. Both int64."""

    tokens: Int[Tensor, "b n"]
    lengths: Int[Tensor, " b"]


class PairBatch(NamedTuple):
    """A batch of sequence pairs, int64, PAD behind each.

    source [b, s] with its lengths. target [b, n] is what a decoder reads, START y₁ … y_k; answers [b, n] is what it
    should say at each place, y₁ … y_k END. target_lengths (k + 1) counts either. rows: which pairs they are.
    """

    source: Int[Tensor, "b s"]
    source_lengths: Int[Tensor, " b"]
    target: Int[Tensor, "b n"]
    target_lengths: Int[Tensor, " b"]
    answers: Int[Tensor, "b n"]
    rows: tuple[int, ...]


class RowBatch(NamedTuple):
    """A batch of sequences for a language model, int64: tokens [b, n] is START x₁ … x_k, answers [b, n] x₁ … x_k
    END."""

    tokens: Int[Tensor, "b n"]
    lengths: Int[Tensor, " b"]
    answers: Int[Tensor, "b n"]
    rows: tuple[int, ...]


def pad(sequences: Sequence[Sequence[int]]) -> Padded:
    """Write the sequences below each other, each filled up with PAD to the longest.

    Raises ValueError where there is no sequence, where one is empty, and where one holds PAD (its length would be
    lost).
    """
    if not len(sequences):
        checks.fail("sequences", "one sequence or more", "none")
    for i, sequence in enumerate(sequences):
        if not len(sequence):
            checks.fail("sequences", "sequences of one token or more", f"none in sequence {i}")
        if PAD in sequence:
            checks.fail("sequences", f"without the number {PAD}, which means padding", f"it in sequence {i}")
    n = max(map(len, sequences))
    tokens = torch.tensor([[*sequence, *[PAD] * (n - len(sequence))] for sequence in sequences])
    return Padded(tokens, torch.tensor([len(sequence) for sequence in sequences]))


class _Buckets:
    """Batch number `step`, of `size` rows about equally long: a function of (seed, step) alone, so training can resume.

    Each pass over the rows takes every row once: rows in random order, sorted by length within windows of `window`
    batches, cut, and the batches shuffled. Only a last batch of a pass can be smaller.
    """

    def __init__(self, lengths: Sequence[int], size: int, seed: int, window: int = 50):
        checks.positive_int("size", size)
        if not len(lengths):
            checks.fail("rows", "one or more", "none")
        self.lengths, self.size, self.seed, self.window = lengths, size, seed, window
        self.per_pass = -(-len(lengths) // size)
        self._known: tuple[int, list[list[int]]] = (-1, [])

    def __call__(self, step: int) -> list[int]:
        checks.whole("step", step, 0)
        turn, place = divmod(step, self.per_pass)
        if self._known[0] != turn:
            self._known = (turn, self._cut(turn))
        return self._known[1][place]

    def _cut(self, turn: int) -> list[list[int]]:
        # one stream for each pass: seeds 0, 1, 2 … of neighbouring runs must not share passes
        generator = torch.Generator().manual_seed(int(self.seed * 1_000_003 + turn))
        order = torch.randperm(len(self.lengths), generator=generator).tolist()
        batches = []
        for first in range(0, len(order), self.size * self.window):
            rows = sorted(order[first : first + self.size * self.window], key=self.lengths.__getitem__)
            batches += [rows[i : i + self.size] for i in range(0, len(rows), self.size)]
        return [batches[i] for i in torch.randperm(len(batches), generator=generator).tolist()]


class Pairs:
    """Encoded sentence pairs, served in batches: `pairs.batch_at(step)`.

    source, target: for each pair the token numbers, without START and END (added here, to the target only). size: pairs
    a batch. seed: the order. Two calls with one step give one batch, whatever was asked for in between.
    """

    def __init__(self, source: Sequence[Sequence[int]], target: Sequence[Sequence[int]], size: int, seed: int = 0):
        if len(source) != len(target):
            checks.fail("target", f"as long as source, {len(source)}", len(target))
        self.source, self.target = source, target
        self._rows = _Buckets([max(len(a), len(b)) for a, b in zip(source, target, strict=True)], size, seed)
        self.steps_per_pass = self._rows.per_pass

    @classmethod
    def of_words(
        cls,
        pairs: Sequence[tuple[Sequence[str], Sequence[str]]],
        source: Vocabulary,
        target: Vocabulary,
        size: int,
        seed: int = 0,
    ) -> "Pairs":
        """Sentence pairs in words, encoded by the two vocabularies."""
        return cls([source.encode(pair[0]) for pair in pairs], [target.encode(pair[1]) for pair in pairs], size, seed)

    def __len__(self) -> int:
        return len(self.source)

    def batch_at(self, step: int) -> PairBatch:
        return self.batch_of(self._rows(step))

    def batch_of(self, rows: Sequence[int]) -> PairBatch:
        """The pairs with these numbers, in this order: for validation and tests."""
        source = pad([self.source[i] for i in rows])
        target = pad([[START, *self.target[i]] for i in rows])
        answers = pad([[*self.target[i], END] for i in rows])
        return PairBatch(*source, *target, answers.tokens, tuple(rows))


class Rows:
    """Encoded sequences for a language model, served in batches: `rows.batch_at(step)`. See `Pairs`."""

    def __init__(self, sequences: Sequence[Sequence[int]], size: int, seed: int = 0):
        self.sequences = sequences
        self._rows = _Buckets([len(sequence) for sequence in sequences], size, seed)
        self.steps_per_pass = self._rows.per_pass

    def __len__(self) -> int:
        return len(self.sequences)

    def batch_at(self, step: int) -> RowBatch:
        return self.batch_of(self._rows(step))

    def batch_of(self, rows: Sequence[int]) -> RowBatch:
        """The sequences with these numbers, in this order."""
        tokens = pad([[START, *self.sequences[i]] for i in rows])
        return RowBatch(*tokens, pad([[*self.sequences[i], END] for i in rows]).tokens, tuple(rows))
