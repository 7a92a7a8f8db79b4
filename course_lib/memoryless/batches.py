"""Training data of many models: each its own sequences in its own order, both from its seed alone."""

from collections.abc import Sequence

import numpy as np
import torch
from jaxtyping import Int
from torch import Tensor

from course_lib import checks
from course_lib.sources import Markov, Memoryless

FRESH = 500  # batches drawn at a time where no sequence is seen twice


class Batches:
    """`at(update)` gives tokens [S, b, n] and the words that follow them [S, b], for update 0, 1, ….

    Each of the S models owns `sequences` sequences of n + 1 words from `source`, drawn once, and goes through them in a
    new order each epoch; what does not fill a batch is left out, as published. None: every batch is new. What an update
    gets depends on seeds and update alone, so that a resumed run sees what the whole run would have seen.
    """

    def __init__(self, source: Memoryless | Markov, seeds: Sequence[int], n: int, batch: int, sequences: int | None):
        checks.positive_ints(n=n, batch=batch)
        if sequences is not None:
            checks.positive_int("sequences", sequences)
            if sequences < batch:
                checks.fail("sequences", f"at least batch = {batch}", sequences)
        self.source, self.seeds, self.n, self.batch, self.sequences = source, list(seeds), n, batch, sequences
        self.an_epoch = FRESH if sequences is None else sequences // batch  # updates
        self.epoch, self.words = -1, self._draw(0) if sequences is not None else None

    def at(self, update: int) -> tuple[Int[Tensor, "S b n"], Int[Tensor, "S b"]]:
        epoch, step = divmod(update, self.an_epoch)
        if epoch != self.epoch:
            self._turn_to(epoch)
        rows = self.order[:, step * self.batch : (step + 1) * self.batch]  # [S, b]
        words = self.words.reshape(-1, self.n + 1)[rows].long()  # [S, b, n + 1]
        return words[..., :-1], words[..., -1]

    def _turn_to(self, epoch: int) -> None:
        self.epoch = epoch
        if self.sequences is None:
            self.words = self._draw(epoch)
        count = self.words.shape[1]
        orders = [
            np.arange(count) if self.sequences is None else np.random.default_rng([seed, 1, epoch]).permutation(count)
            for seed in self.seeds
        ]
        starts = count * np.arange(len(self.seeds))[:, None]  # rows of model s begin here once the models are joined
        self.order = torch.from_numpy(np.stack(orders) + starts)

    def _draw(self, part: int) -> Tensor:
        count = FRESH * self.batch if self.sequences is None else self.sequences
        drawn = [self.source.sample(count, self.n + 1, np.random.default_rng([seed, 0, part])) for seed in self.seeds]
        return torch.from_numpy(np.stack(drawn))  # [S, count, n + 1]
