"""Decoders that commit to each token as it comes: the most probable one, or one drawn by lot."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib import checks
from course_lib.decoding.steps import DecodedSequences, State, Step, begin, next_log_probs

ROUNDING = 1e-6  # as a share: float32 probabilities do not sum more exactly than this


def greedy(step: Step, state: State, *, start: int | Sequence[int], end: int, longest: int) -> DecodedSequences:
    """Take the most probable token at every step (of equals, the lower id), for each row of the state."""
    return _one_by_one(step, state, start, end, longest, lambda log_probs: log_probs.argmax(-1))


def sample(
    step: Step,
    state: State,
    *,
    start: int | Sequence[int],
    end: int,
    longest: int,
    generator: torch.Generator,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
) -> DecodedSequences:
    """Draw every token from `restrict`'s probabilities, for each row of the state.

    `log_prob` stays what the model itself gives to the drawn sequence: temperature and cuts do not change it.
    """
    _check_cuts(temperature, top_k, top_p)

    def draw(log_probs: Tensor) -> Tensor:
        chances = restrict(log_probs, temperature=temperature, top_k=top_k, top_p=top_p)  # [b, v]
        return torch.multinomial(chances, 1, generator=generator).squeeze(-1)  # [b]

    return _one_by_one(step, state, start, end, longest, draw)


@torch.no_grad()
def _one_by_one(
    step: Step,
    state: State,
    start: int | Sequence[int],
    end: int,
    longest: int,
    choose: Callable[[Float[Tensor, "b v"]], Int[Tensor, " b"]],
) -> DecodedSequences:
    tokens, state = begin(step, state, start, longest)
    finished = torch.zeros(len(tokens), dtype=torch.bool)  # [b]
    log_prob, chosen = 0.0, []
    for _ in range(longest):
        log_probs, state = next_log_probs(step, tokens, state)  # [b, v]
        # A finished row runs on until the others are done: what it says then is cut below, and counts for nothing.
        tokens = choose(log_probs)  # [b]
        gained = log_probs.gather(-1, tokens[:, None]).squeeze(-1)  # [b]
        log_prob = log_prob + torch.where(finished, 0.0, gained)
        chosen.append(tokens)
        finished = finished | (tokens == end)
        if finished.all():
            break
    rows = torch.stack(chosen, 1).tolist()  # [b, steps]
    rows = [row[: row.index(end)] if end in row else row for row in rows]
    return DecodedSequences(rows, log_prob, log_prob, finished)


def restrict(
    logits: Float[Tensor, "*b v"], *, temperature: float = 1.0, top_k: int | None = None, top_p: float | None = None
) -> Float[Tensor, "*b v"]:
    """Turn logits into the probabilities to draw from: softmax(logits/temperature), cut to a few tokens, and
    renormalised.

    First `top_k` keeps the k most probable tokens (all, where k ≥ v); of equal ones the lower id. Then `top_p` keeps,
    of what is left, the fewest tokens whose probabilities sum to p or more, from the most probable down; of equal ones
    the lower id; a sum within a millionth of p counts as p, so that 3 of 10 equal tokens are 0.3. [Fan, Lewis & Dauphin
    2018; Holtzman et al. 2020]

    Raises ValueError for a temperature ≤ 0 (call `greedy` for 0), k < 1 or p outside (0, 1].
    """
    _check_cuts(temperature, top_k, top_p)
    checks.array("logits", logits, 1, "[..., v]")
    checks.some("logits", logits, -1, "the vocabulary size v")
    largest = logits.amax(-1, keepdim=True)  # [..., 1]
    checks.finite("the largest logit", largest)
    # The largest is taken away first, in double precision: a temperature of 1e-300 gives 1 and 0, one of 1e300 no nan.
    chances = torch.softmax((logits.double() - largest) / temperature, -1).to(logits.dtype)  # [..., v]
    if top_k is None and top_p is None:
        return chances
    # Sorted by logit: chances that temperature has rounded to 0 would be ties. Stable, so that equals keep their order.
    order = logits.argsort(dim=-1, descending=True, stable=True)  # [..., v]
    ranked = chances.gather(-1, order)
    if top_k is not None:
        ranked = ranked * (torch.arange(ranked.shape[-1], device=ranked.device) < top_k)
        ranked = ranked / ranked.sum(-1, keepdim=True)
    if top_p is not None and top_p < 1:  # at p = 1 everything stays, however the sum is rounded
        before = ranked.cumsum(-1, dtype=torch.float64) - ranked  # what the more probable ones already hold
        ranked = ranked * (before < top_p * (1 - ROUNDING))
        ranked = ranked / ranked.sum(-1, keepdim=True)
    return torch.zeros_like(chances).scatter(-1, order, ranked)


def _check_cuts(temperature: float, top_k: int | None, top_p: float | None) -> None:
    checks.number("temperature", temperature, positive=True)
    if top_k is not None:
        checks.positive_int("top_k", top_k)
    if top_p is not None:
        checks.number("top_p", top_p)
        if not 0 < top_p <= 1:
            checks.fail("top_p", "above 0 and at most 1, the share of the probability to keep (1: all)", repr(top_p))
