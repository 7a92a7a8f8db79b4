"""Which word came from which: links read off attention weights, how they cross, how sharp they are, and a dictionary to
judge by.

Weights have a row for each target word and a column for each source word. A link is the source place of a target word.
"""

import copy
from collections.abc import Sequence

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from course_lib import checks
from course_lib.scores import Score

HARD = 1e-6  # a temperature at which the largest score takes all, unless two are equal to six decimals
UNSURE = -1


def links(weights: Float[Tensor, "*b n s"]) -> Int[Tensor, "*b n"]:
    """The source place with the largest weight, for each target word: the hard alignment. Of equal ones, the first."""
    checks.array("weights", weights, 2, "[..., n, s]")
    checks.some("weights", weights, -1, "the number s of source words")
    return weights.argmax(-1)


def crossings(places: Sequence[int]) -> int:
    """Pairs of target words whose links cross: the earlier word points to the later place. 0: the alignment is
    monotone."""
    places = [int(place) for place in places]
    return sum(later < earlier for i, earlier in enumerate(places) for later in places[i + 1 :])


def in_order(places: Sequence[int]) -> float:
    """The share of pairs of target words whose links do not cross, from 0 (reversed) to 1 (monotone); 1 for a single
    word."""
    if not len(places):
        checks.fail("places", "one link or more", "none")
    pairs = len(places) * (len(places) - 1) // 2
    return 1 - crossings(places) / pairs if pairs else 1.0


def entropy(weights: Float[Tensor, "*b s"]) -> Float[Tensor, "*b"]:
    """-Σ_j A_j log A_j of each row, in nats: 0 where one word takes all, log s where all share evenly.

    Raises ValueError for a weight below 0 and for a row whose sum is not 1 to 1e-4.
    """
    checks.array("weights", weights, 1, "[..., s]")
    checks.within("weights", weights, 0, 1 + 1e-6)
    checks.within("a row's sum", weights.sum(-1), 1 - 1e-4, 1 + 1e-4)
    return torch.special.entr(weights).sum(-1)


class Tempered(Score):
    """Another score, divided by a temperature: below 1 the softmax is sharper, at `HARD` it is the argmax."""

    def __init__(self, score: Score, temperature: float) -> None:
        super().__init__()
        checks.number("temperature", temperature, positive=True)
        self.score, self.temperature = score, temperature

    def keys(self, k: Tensor) -> Tensor:
        return self.score.keys(k)

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return self.score.compare(q, keys) / self.temperature


def at_temperature(model: nn.Module, temperature: float = HARD) -> nn.Module:
    """A copy of an RNNsearch whose attention has this temperature: by default hard, each context one encoder state.

    Nothing is trained again. Raises ValueError for a model whose decoder has no score.
    """
    if not isinstance(getattr(getattr(model, "decoder", None), "score", None), nn.Module):
        checks.fail("model", "one whose decoder has a score, for example RNNsearch", type(model).__name__)
    changed = copy.deepcopy(model)
    changed.decoder.score = Tempered(changed.decoder.score, temperature)
    return changed


class Dictionary:
    """Chances that a source word is translated by a target word, counted from sentence pairs alone: IBM's model 1.

    Each target word is taken to come from one of its sentence's source words, whichever; `rounds` of expectation
    maximisation find the chances that make the pairs most probable. It knows nothing of order, and nothing of any
    network. chances [source words, target words]: each row sums to 1.  [Brown et al. 1993, §4.2]
    """

    def __init__(self, pairs: Sequence[tuple[Sequence[str], Sequence[str]]], rounds: int = 5) -> None:
        checks.positive_int("rounds", rounds)
        if not len(pairs):
            checks.fail("pairs", "one pair of sentences or more", "none")
        if not all(len(side) for pair in pairs for side in pair[:2]):
            checks.fail("pairs", "of two sentences of one word or more each", "an empty one")
        words = [sorted({word for pair in pairs for word in pair[side]}) for side in (0, 1)]
        self.source, self.target = ({word: i for i, word in enumerate(each)} for each in words)
        rows = [(_numbers(self.source, pair[0]), _numbers(self.target, pair[1])) for pair in pairs]
        self.chances = torch.full((len(self.source), len(self.target)), 1 / len(self.target))
        for _ in range(rounds):
            counts = torch.zeros_like(self.chances)
            for s, t in rows:
                block = self.chances[s[:, None], t]  # [source words, target words] of this pair
                counts.index_put_((s[:, None], t), block / block.sum(0), accumulate=True)
            self.chances = counts / counts.sum(1, keepdim=True)

    def links(self, source: Sequence[str], target: Sequence[str], *, sure: float = 10.0) -> list[int]:
        """For each target word the source place it came from, `UNSURE` where the dictionary cannot tell.

        It can where one place is `sure` times as likely as any other; a word that the source has twice is therefore
        unsure.
        """
        checks.number("sure", sure, positive=True)
        found = []
        for word in target:
            if word not in self.target:
                found.append(UNSURE)
                continue
            column = self.chances[:, self.target[word]].tolist()
            likely = [column[self.source[each]] if each in self.source else 0.0 for each in source]
            order = sorted(range(len(likely)), key=likely.__getitem__, reverse=True)
            second = likely[order[1]] if len(order) > 1 else 0.0
            found.append(order[0] if order and likely[order[0]] > sure * second else UNSURE)
        return found


def _numbers(index: dict[str, int], words: Sequence[str]) -> Tensor:
    return torch.tensor([index[word] for word in words])


def flow(y: Float[Tensor, " c"], x: Float[Tensor, "n d"]) -> Float[Tensor, " n"]:
    """‖∂y/∂x_j‖ for each row j of x: the length (Frobenius norm) of the whole matrix of derivatives.

    y must have been computed from x, with x.requires_grad. Raises ValueError where it was not.
    """
    checks.array("y", y, 1, "[c]")
    checks.array("x", x, 2, "[n, d]")
    if not (x.requires_grad and y.requires_grad):
        checks.fail("y", "computed from an x that requires its gradient", "a y without one")
    rows = torch.autograd.grad(y, x, torch.eye(len(y), dtype=y.dtype), is_grads_batched=True)[0]  # [c, n, d]
    return rows.pow(2).sum((0, 2)).sqrt()
