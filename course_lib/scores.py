"""How well does a query fit a key? Six scores under one signature: score(q [..., n, d_q], k [..., s, d_k]) → [..., n,
s].

A score may prepare its keys once for many queries: `score(q, k)` is `score.compare(q, score.keys(k))`. A score of your
own is an `nn.Module` with these two methods; subclass `Score`.
"""

from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from course_lib import checks
from course_lib.parameters import Parameters


class Score(nn.Module):
    """What all scores share. A subclass writes `compare`, and `keys` where something can be prepared."""

    def forward(self, q: Float[Tensor, "*b n d_q"], k: Float[Tensor, "*b s d_k"]) -> Float[Tensor, "*b n s"]:
        checks.array("q", q, 2, "[..., n, d_q]")
        checks.array("k", k, 2, "[..., s, d_k]")
        checks.batch("k", k, 2, q, "that of q")
        return self.compare(q, self.keys(k))

    def keys(self, k: Float[Tensor, "*b s d_k"]) -> Float[Tensor, "*b s _"]:
        """What `compare` needs of the keys, computed once."""
        return k

    def compare(self, q: Float[Tensor, "*b n d_q"], keys: Float[Tensor, "*b s _"]) -> Float[Tensor, "*b n s"]:
        raise NotImplementedError


def _same_width(q: Tensor, keys: Tensor) -> None:
    checks.size("q", q, -1, keys.shape[-1], "the width of the keys: this score compares entry by entry")


class Dot(Score):
    """q · k. Query and key have one width.  [Luong et al. 2015]"""

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        _same_width(q, keys)
        return q @ keys.mT


class Cosine(Score):
    """q · k / (‖q‖ ‖k‖), from -1 to 1; a vector shorter than 1e-8 counts as that long.  [Graves et al. 2014]"""

    def keys(self, k: Tensor) -> Tensor:
        return F.normalize(k.to(torch.promote_types(k.dtype, torch.float32)), dim=-1, eps=1e-8).to(k.dtype)

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        _same_width(q, keys)
        return self.keys(q) @ keys.mT


class ScaledDot(Score):
    """q · k / √m for width m: the scores of independent entries then spread equally at every width.  [Vaswani et al.
    2017]"""

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        _same_width(q, keys)
        return (q * q.shape[-1] ** -0.5) @ keys.mT


# The parameters of a score are normal with variance 1/(number of inputs). `drawn`: see `Parameters`.
class Additive(Score):
    """tanh(q W_q + k W_k) · w: a network with one hidden layer of width m.  [Bahdanau et al. 2015, §A.1.2]

    W_q [d_q, m], W_k [d_k, m], w [m]. `keys` takes k W_k, once for all queries.
    """

    def __init__(self, d_q: int, d_k: int, m: int, **drawn: Any) -> None:
        super().__init__()
        checks.positive_ints(d_q=d_q, d_k=d_k, m=m)
        new = Parameters(**drawn)
        self.W_q, self.W_k, self.w = new.normal(d_q, m), new.normal(d_k, m), new.normal(m)

    def keys(self, k: Tensor) -> Tensor:
        return k @ self.W_k

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        together = (q @ self.W_q).unsqueeze(-2) + keys.unsqueeze(-3)  # [..., n, 1, m] + [..., 1, s, m]
        return torch.tanh(together) @ self.w


class Multiplicative(Score):
    """q W kᵀ: any bilinear form, W [d_q, d_k].  [Luong et al. 2015, "general"]"""

    def __init__(self, d_q: int, d_k: int, **drawn: Any) -> None:
        super().__init__()
        checks.positive_ints(d_q=d_q, d_k=d_k)
        self.W = Parameters(**drawn).normal(d_q, d_k)

    def keys(self, k: Tensor) -> Tensor:
        return k @ self.W.T  # [..., s, d_q]

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return q @ keys.mT


class ReducedRank(Score):
    """(q U) · (k V): a multiplicative score whose W = U Vᵀ has rank m or less. U [d_q, m], V [d_k, m]."""

    def __init__(self, d_q: int, d_k: int, m: int, **drawn: Any) -> None:
        super().__init__()
        checks.positive_ints(d_q=d_q, d_k=d_k, m=m)
        new = Parameters(**drawn)
        self.U, self.V = new.normal(d_q, m), new.normal(d_k, m)

    def keys(self, k: Tensor) -> Tensor:
        return k @ self.V

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return (q @ self.U) @ keys.mT


SCORES: dict[str, type[Score]] = {
    "dot": Dot, "cosine": Cosine, "scaled_dot": ScaledDot, "additive": Additive,
    "multiplicative": Multiplicative, "reduced_rank": ReducedRank,
}  # fmt: skip
WITH_WIDTH = ("additive", "reduced_rank")


def make(name: str, d_q: int, d_k: int, *, m: int | None = None, **drawn: Any) -> Score:
    """The score of this name, for queries and keys of these widths; m is the inner width of additive and reduced_rank.

    `generator` and `dtype` are for the parameters of those that have some.
    """
    checks.one_of("name", name, tuple(SCORES))
    if name in WITH_WIDTH:
        if m is None:
            checks.fail("m", f"the inner width, an int > 0, for the score {name!r}", m)
        return SCORES[name](d_q, d_k, m, **drawn)
    if m is not None:
        checks.fail("m", f"None for the score {name!r}, which has no inner width", m)
    if name == "multiplicative":
        return Multiplicative(d_q, d_k, **drawn)
    if d_q != d_k:
        checks.fail("d_q", f"the width {d_k} of the keys for the score {name!r}", d_q)
    return SCORES[name]()
