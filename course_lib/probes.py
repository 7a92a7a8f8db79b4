"""What can be read off a vector? A linear read-out is fitted to name a property of a sentence from its context vector.

What such a probe finds is there, and simply written; what it does not find may still be there in another form.
"""

from collections.abc import Sequence

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
    X: Float[Tensor, "k r"], labels: Int[Tensor, " k"], Z: Float[Tensor, "j r"], *, penalty: float = 0.01
) -> Int[Tensor, " j"]:
    """The label that a linear read-out, fitted to the rows of X, gives each row of Z.

    Ridge regression: W minimises ‖[X, 1] W - Y‖² + penalty · ‖W‖², with Y the labels as rows of zeros and a one. The guess is
    the largest entry of [Z, 1] W. Raises ValueError where the shapes disagree.
    """
    for name, value in (("X", X), ("Z", Z)):
        checks.array(name, value, 2, "[rows, r]")
    checks.size("labels", labels, 0, len(X), "one label a row of X")
    checks.size("Z", Z, 1, X.shape[1], "the width r of X")
    checks.number("penalty", penalty, positive=True)
    X, Z = (torch.cat([each, each.new_ones(len(each), 1)], 1) for each in (X, Z))
    Y = torch.nn.functional.one_hot(labels).to(X.dtype)
    W = torch.linalg.solve(X.T @ X + penalty * torch.eye(X.shape[1], dtype=X.dtype), X.T @ Y)
    return (Z @ W).argmax(1)
