"""The town model as a function of its weights: what it pays for an answer, what it writes, and a training of some of
them.

Both parts of `after_pretraining` train it. Its weights are given by name, {name: tensor}, so that a training of a few
of them, or of a change of low rank, needs no model of its own, and the model that the course ships is left as it is. At
the end of the file its maps stand as matrices, with what a low rank leaves of one.
"""

from collections.abc import Callable, Sequence
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.func import functional_call

from course_lib.checks import trusted
from course_lib.shipped import town_model
from course_lib.text.corpora import towns
from course_lib.text.vocabulary import END, START

LONGEST, HELD_OUT = 30, 500  # letters of an answer; names that the town model has not seen
IGNORED = -100  # a target that nothing is paid for
Weights = dict[str, Tensor]
Exchange = tuple[list[int], list[int]]  # the tokens of a prompt and of its answer


@cache
def split() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names that the town model was trained on, and those that it has never seen."""
    names = towns()
    order = torch.randperm(len(names), generator=torch.Generator().manual_seed(0)).tolist()
    return tuple(names[i] for i in order[HELD_OUT:]), tuple(names[i] for i in order[:HELD_OUT])


def old() -> list[Exchange]:
    """Names that the model has never seen, without a request."""
    return [([START], [*encoded(name), END]) for name in split()[1]]


def base() -> Weights:
    """The weights that the course ships: where every training starts, and what forgetting is measured from."""
    return {name: W.detach() for name, W in town_model().model.named_parameters()}


def encoded(text: str) -> list[int]:
    """A text as the model reads it, a number for each letter."""
    return town_model().vocabulary.encode(list(text))


def spelled(tokens: Sequence[int]) -> str:
    """The letters of tokens; the inverse of `encoded`."""
    return "".join(town_model().vocabulary.decode(tokens))


def padded(exchanges: Sequence[Exchange], masked: bool = True) -> tuple[Tensor, Tensor]:
    """Tokens and targets [b, n]. Targets behind an answer, and where masked those inside a prompt, are IGNORED."""
    n = max(len(prompt) + len(answer) for prompt, answer in exchanges)
    rows, targets = torch.zeros(len(exchanges), n, dtype=torch.long), torch.full((len(exchanges), n), IGNORED)
    for row, target, (prompt, answer) in zip(rows, targets, exchanges, strict=True):
        whole, first = [*prompt, *answer], len(prompt) if masked else 1
        row[: len(whole)] = torch.tensor(whole)
        target[first : len(whole)] = row[first : len(whole)]
    return rows[:, :-1], targets[:, 1:]


def logits(weights: Weights, tokens: Tensor) -> Tensor:
    """Logits [b, n, letters] of the model with these weights at tokens [b, n]."""
    with trusted():
        return functional_call(town_model().model, weights, (tokens,)).logits


def loss(weights: Weights, exchanges: Sequence[Exchange], masked: bool = True) -> Tensor:
    """Mean nats a letter of the answers, the end counted."""
    tokens, targets = padded(exchanges, masked)
    return F.cross_entropy(logits(weights, tokens).flatten(0, 1), targets.flatten(), ignore_index=IGNORED)


@torch.no_grad()
def nats(weights: Weights, exchanges: Sequence[Exchange]) -> float:
    """The loss as a number, where nothing is trained."""
    return loss(weights, exchanges).item()


def log_probs(weights: Weights, exchanges: Sequence[Exchange]) -> Tensor:
    """log π(answer | prompt) of each [b], in nats."""
    tokens, targets = padded(exchanges)
    return -F.cross_entropy(
        logits(weights, tokens).transpose(1, 2), targets, ignore_index=IGNORED, reduction="none"
    ).sum(1)


class Stepper(nn.Module):
    """The model's `step` as a forward pass, for `functional_call`."""

    def __init__(self) -> None:
        super().__init__()
        self.model = town_model().model

    def forward(self, tokens: Tensor, state: tuple) -> tuple[Tensor, tuple]:
        return self.model.step(tokens, state)


@torch.no_grad()
def written(weights: Weights, prompts: Tensor, draws: torch.Generator) -> list[list[int]]:
    """An answer to each prompt [b, n], drawn at temperature 1, without its END; at most LONGEST letters."""
    stepper, named = Stepper(), {f"model.{name}": W for name, W in weights.items()}
    state, drawn = town_model().model.start(len(prompts)), []
    over = torch.zeros(len(prompts), dtype=torch.bool)
    with trusted():
        for tokens in prompts.T:
            out, state = functional_call(stepper, named, (tokens, state))
        while not over.all() and len(drawn) < LONGEST:
            tokens = torch.multinomial(out.softmax(-1), 1, generator=draws)[:, 0]
            drawn.append(torch.where(over, END, tokens))
            over = over | (drawn[-1] == END)
            out, state = functional_call(stepper, named, (drawn[-1], state))
    return [row[: row.index(END)] if END in row else row for row in torch.stack(drawn, 1).tolist()]


def trained(
    free: list[Tensor], weights: Callable[[], Weights], rate: float, steps: int, step_loss: Callable[[Weights], Tensor]
) -> tuple[Weights, list[float]]:
    """`steps` updates of Adam on the tensors that are free; `weights()` makes the model's of them. The weights, and the
    losses."""
    optimiser, losses = torch.optim.Adam(free, lr=rate), []
    for _ in range(steps):
        now = step_loss(weights())
        optimiser.zero_grad()
        now.backward()
        optimiser.step()
        losses.append(now.item())
    return {name: W.detach() for name, W in weights().items()}, losses


def matrices() -> list[str]:
    """The names of the 18 maps of the blocks: all weights but the embedding's, gains, shifts and biases."""
    return [name for name, W in base().items() if W.ndim >= 2 and "embedding" not in name]


def flat(name: str, W: Tensor) -> Tensor:
    """A map of a block as the matrix [inputs, outputs] that it is, the heads side by side."""
    return W.transpose(0, 1).flatten(1) if name[-3:] in ("W_Q", "W_K", "W_V") else W.reshape(-1, W.shape[-1])


def unflat(name: str, M: Tensor, like: Tensor) -> Tensor:
    """The inverse of `flat`."""
    return M.view(len(M), len(like), -1).transpose(0, 1) if name[-3:] in ("W_Q", "W_K", "W_V") else M.view(like.shape)


def cut(M: Tensor, rank: int) -> Tensor:
    """The best approximation of M by a matrix of this rank."""
    U, s, V = torch.linalg.svd(M, full_matrices=False)
    return U[:, :rank] * s[:rank] @ V[:rank]


def share(M: Tensor, rank: int) -> float:
    """The `rank` largest singular values' part of the sum of squares."""
    squares = torch.linalg.svdvals(M).square()
    return (squares[:rank].sum() / squares.sum()).item()
