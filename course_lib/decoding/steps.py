"""What every decoder needs: the state as a nest of tensors, one checked step, and the form of the answer."""

from collections.abc import Callable, Iterator, Sequence
from numbers import Integral
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from course_lib import checks

State = Any  # a nest of tuples, NamedTuples, lists and dicts of tensors; None where there is nothing to keep
Step = Callable[[Tensor, State], tuple[Tensor, State]]


class DecodedSequences(NamedTuple):
    """Sequences that a decoder found: one for each row of the batch, or, for `beam`, of one source and best first.

    `log_prob` is what the model gives to the sequence, in nats, end token included where it was reached; `score` is
    what the decoder ranked by. A sequence that is not `finished` was cut at `longest`.
    """

    tokens: list[list[int]]
    log_prob: Float[Tensor, " b"]
    score: Float[Tensor, " b"]
    finished: Bool[Tensor, " b"]
    trace: tuple = ()


def select(state: State, rows: Int[Tensor, " k"]) -> State:
    """Keep these rows of every tensor in the state, in this order; a row may come twice, as in a beam."""
    if state is None:
        return None
    if isinstance(state, Tensor):
        return state[rows]
    if isinstance(state, dict):
        return {key: select(each, rows) for key, each in state.items()}
    if isinstance(state, tuple | list):
        parts = [select(each, rows) for each in state]
        return type(state)(*parts) if hasattr(state, "_fields") else type(state)(parts)
    return checks.fail("state", "a nest of tuples, lists and dicts of tensors", f"a {type(state).__name__} in it")


def _tensors(state: State) -> Iterator[Tensor]:
    if isinstance(state, Tensor):
        yield state
    elif isinstance(state, dict):
        for each in state.values():
            yield from _tensors(each)
    elif isinstance(state, tuple | list):
        for each in state:
            yield from _tensors(each)


def rows_in(state: State) -> int:
    """The batch size b, read off the state."""
    sizes = {tensor.shape[0] if tensor.ndim else None for tensor in _tensors(state)}
    if len(sizes) != 1 or None in sizes:
        got = "none" if not sizes else "first axes of sizes " + ", ".join(map(str, sorted(sizes, key=str)))
        checks.fail("state", "a nest of tensors that share their first axis, one row a sequence", got)
    return sizes.pop()


def next_log_probs(step: Step, tokens: Int[Tensor, " b"], state: State) -> tuple[Float[Tensor, "b v"], State]:
    """One step, its logits turned into log-probabilities. A logit may be -inf (never), none nan, and not all -inf."""
    logits, state = step(tokens, state)
    checks.array("the step's logits", logits, 2, "[b, v]")
    checks.size("the step's logits", logits, 0, len(tokens), "one row a sequence")
    checks.finite("log Σ exp of the step's logits", logits.logsumexp(-1))
    return torch.log_softmax(logits, -1), state


def begin(step: Step, state: State, start: int | Sequence[int], longest: int) -> tuple[Int[Tensor, " b"], State]:
    """Check what every decoder takes, feed all of `start` but its last token, and give that token for each row."""
    checks.positive_int("longest", longest)
    fed = [start] if isinstance(start, Integral) else list(start)
    if not fed:
        checks.fail("start", "a token, or a list of one token or more", "an empty list")
    b = rows_in(state)
    for token in fed[:-1]:
        _, state = step(torch.full((b,), token), state)
    return torch.full((b,), fed[-1]), state
