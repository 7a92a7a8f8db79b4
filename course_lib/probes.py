"""What can be read off a vector? A logistic read-out is fitted to name a property of a sentence from its context
vector.

What such a probe finds is there, and simply written; what it does not find may still be there in another form.
"""

from collections.abc import Sequence
from typing import NamedTuple

import torch
from jaxtyping import Float, Int
from torch import Tensor

from course_lib import checks
from course_lib.recurrent.models import RecurrentTranslator
from course_lib.text.batches import pad
from course_lib.text.vocabulary import Vocabulary

BATCH = 100


@torch.no_grad()
def contexts(
    model: RecurrentTranslator, vocabulary: Vocabulary, sentences: Sequence[Sequence[str]]
) -> Float[Tensor, "k r"]:
    """The context vector C of each sentence, a list of words, in float64."""
    if not len(sentences):
        checks.fail("sentences", "one sentence or more", "none")
    found = []
    for first in range(0, len(sentences), BATCH):
        tokens, lengths = pad([vocabulary.encode(each) for each in sentences[first : first + BATCH]])
        found.append(model.encode(tokens, lengths).C.double())
    return torch.cat(found)


def guesses(
    X: Float[Tensor, "k r"], labels: Int[Tensor, " k"], Z: Float[Tensor, "j r"], *, penalty: float = 1e-3
) -> Int[Tensor, " j"]:
    """The label that a logistic read-out, fitted to the rows of X, gives each row of Z: the largest logit of [Z, 1] W.

    Softmax regression: W minimises the mean cross-entropy of [X, 1] W + penalty · ‖W‖², by at most 40 steps of L-BFGS,
    with every column of X brought to mean 0 and variance 1 and Z moved with it. Raises ValueError where the shapes
    disagree.
    """
    for name, value in (("X", X), ("Z", Z)):
        checks.array(name, value, 2, "[rows, r]")
    checks.size("labels", labels, 0, len(X), "one label a row of X")
    checks.size("Z", Z, 1, X.shape[1], "the width r of X")
    checks.number("penalty", penalty, positive=True)
    mean, spread = X.mean(0), X.std(0) + 1e-9
    X, Z = (torch.cat([(each - mean) / spread, each.new_ones(len(each), 1)], 1) for each in (X, Z))
    names, wanted = labels.unique(return_inverse=True)
    W = X.new_zeros(X.shape[1], len(names), requires_grad=True)
    optimiser = torch.optim.LBFGS([W], max_iter=40, line_search_fn="strong_wolfe")

    def loss() -> Tensor:
        optimiser.zero_grad()
        value = torch.nn.functional.cross_entropy(X @ W, wanted) + penalty * W.square().sum()
        value.backward()
        return value

    optimiser.step(loss)
    return names[(Z @ W.detach()).argmax(1)]


class Found(NamedTuple):
    """Shares of new sentences whose word is named: by the read-out, and by always saying the commonest word of the
    known ones."""

    read: float
    commonest: float


def read_back(
    X: Float[Tensor, "k r"], known: Int[Tensor, " k"], Z: Float[Tensor, "j r"], new: Int[Tensor, " j"]
) -> Found:
    """How often `guesses`, fitted to X and the words `known`, names the words `new` of the rows of Z; beside it the
    floor."""
    return Found(*((said == new).double().mean().item() for said in (guesses(X, known, Z), known.mode().values)))
