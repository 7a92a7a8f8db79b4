"""Beam search: carry the best few sentences along, and commit only at the end."""

import math
from collections.abc import Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from course_lib import checks
from course_lib.decoding.steps import DecodedSequences, State, Step, begin, next_log_probs, rows_in, select


class Hypothesis(NamedTuple):
    """A sentence in the making: its tokens so far (with the end, where it has one), and the row it grew from.

    `parent` counts in the previous step's kept hypotheses. A finished one is its own child: it keeps its tokens.
    """

    tokens: tuple[int, ...]
    log_prob: float
    score: float
    parent: int
    finished: bool


class BeamStep(NamedTuple):
    """One step of the search: what stayed in the beam, best first, and the best of what fell out (at most width²)."""

    kept: tuple[Hypothesis, ...]
    dropped: tuple[Hypothesis, ...]


@torch.no_grad()
def beam(
    step: Step,
    state: State,
    *,
    start: int | Sequence[int],
    end: int,
    longest: int,
    width: int,
    length_power: float = 0.6,
    trace: bool = False,
) -> DecodedSequences:
    """Search for the sentence with the highest score log Pr(sentence)/length^length_power, `width` candidates wide.

    The state has one row: one sentence. Length counts the end token; power 0 ranks by probability, power 1 by nats a
    token. Every step extends each hypothesis by every token and keeps the `width` best by score. A finished sentence
    keeps its place in the beam, unchanged, until better ones push it out; the search ends when all that is kept is
    finished. Of equal scores the one with the better parent, then the lower token id, stays.

    With `trace` the answer's `trace` holds one `BeamStep` a step. Width 1 is `greedy`; a beam as wide as there are
    sentences is exhaustive.  [Graves 2012; Wu et al. 2016, §7, with length^α for their penalty]
    """
    checks.positive_int("width", width)
    checks.number("length_power", length_power)
    if not 0 <= length_power <= 10:  # beyond, the power of a length is more than a number holds
        checks.fail("length_power", "from 0 to 10", length_power)
    if rows_in(state) != 1:
        takes = "the state of one sentence (beam search fills the rows itself; search sentence by sentence)"
        checks.fail("state", takes, f"{rows_in(state)} rows")
    tokens, state = begin(step, state, start, longest)
    kept, choices = [Hypothesis((), 0.0, 0.0, 0, False)], []
    for length in range(1, longest + 1):
        log_probs, state = next_log_probs(step, tokens, state)  # [k, v]
        totals, scores = _extend(kept, log_probs, end, length, length_power)  # [k, v], [k, v]
        order = scores.flatten().argsort(descending=True, stable=True)  # best first; of equals the first
        order = order[scores.flatten()[order] > -math.inf].tolist()
        grown = [
            _grow(kept, i // scores.shape[1], i % scores.shape[1], totals, scores, end)
            for i in order[: width + width**2 if trace else width]
        ]
        kept = grown[:width]
        choices.append(BeamStep(tuple(kept), tuple(grown[width:])))
        if all(hypothesis.finished for hypothesis in kept):
            break
        tokens = torch.tensor([hypothesis.tokens[-1] for hypothesis in kept])  # [k]
        state = select(state, torch.tensor([hypothesis.parent for hypothesis in kept]))
    kept = sorted(kept, key=lambda hypothesis: -hypothesis.score)
    return DecodedSequences(
        [[token for token in hypothesis.tokens if token != end] for hypothesis in kept],
        torch.tensor([hypothesis.log_prob for hypothesis in kept], dtype=totals.dtype),
        torch.tensor([hypothesis.score for hypothesis in kept], dtype=totals.dtype),
        torch.tensor([hypothesis.finished for hypothesis in kept]),
        tuple(choices) if trace else (),
    )


def _extend(kept: list[Hypothesis], log_probs: Tensor, end: int, length: int, power: float) -> tuple[Tensor, Tensor]:
    """Log-probability and score of every hypothesis extended by every token: [k, v] each."""
    totals = log_probs + torch.tensor([each.log_prob for each in kept], dtype=log_probs.dtype)[:, None]  # [k, v]
    scores = totals / length**power
    for row, each in enumerate(kept):
        if each.finished:  # nothing follows the end: the column `end` stands for "stay as you are"
            totals[row], scores[row] = -math.inf, -math.inf
            totals[row, end], scores[row, end] = each.log_prob, each.score
    return totals, scores


def _grow(kept: list[Hypothesis], row: int, token: int, totals: Tensor, scores: Tensor, end: int) -> Hypothesis:
    if kept[row].finished:
        return kept[row]._replace(parent=row)
    tokens = (*kept[row].tokens, token)
    return Hypothesis(tokens, totals[row, token].item(), scores[row, token].item(), row, token == end)
