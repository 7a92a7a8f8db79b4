"""Chapter 2's page on the six scores: what each can never do, what each costs, and the stored study of what each gets right (L2.3)."""

import math
from functools import cache

import torch
from torch import Tensor

from course_lib.results import load
from course_lib.scores import Additive, Cosine, Dot, Multiplicative, ReducedRank, Score, make

from . import claim, rounding

F64 = {"dtype": torch.float64}


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def random(*shape: int, seed: int = 0) -> Tensor:
    return torch.randn(*shape, generator=seeded(seed), **F64)


# --- what a score can never do ----------------------------------------------------------------------------------------


@claim("L2.3.bound")
def most_that_a_cosine_gives_to_one_of_twelve() -> float:
    q = random(1, 48)
    return Cosine()(q, torch.cat([q, (-q).expand(11, -1)])).softmax(-1).max().item()


def largest_of_twelve(score: Score, width: int, rows: int = 2000) -> float:
    q, k = random(rows, 1, width), random(rows, 12, width, seed=1)
    return score(q, k).softmax(-1).amax(-1).mean().item()


@claim("L2.3.saturated", rtol=0.01)
def largest_of_twelve_weights_by_the_dot_product_at_width_256() -> float:
    return largest_of_twelve(Dot(), 256)


@torch.no_grad()
def middle(score: Score, q: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Weights of two keys and of the one halfway, [..., 1, 3], in the order on the line."""
    return score(q, torch.stack([first, (first + last) / 2, last], -2)).softmax(-1)


@claim("L2.3.middle")
def middle_weight_minus_the_geometric_mean_of_the_ends() -> float:
    score = Multiplicative(5, 6, generator=seeded(), **F64)
    A = middle(score, random(100, 1, 5), random(100, 6, seed=1), random(100, 6, seed=2))
    return rounding((A[..., 1] - (A[..., 0] * A[..., 2]).sqrt()).abs().max().item())


def hill() -> Additive:
    """The proof's example: keys (1, y) score tanh(y + 1) − tanh(y − 1)."""
    score = Additive(2, 2, 2, **F64)
    for name, value in (("W_q", [[1.0, -1.0], [0.0, 0.0]]), ("W_k", [[0.0, 0.0], [1.0, 1.0]]), ("w", [1.0, -1.0])):
        getattr(score, name).data = torch.tensor(value, **F64)
    return score


@claim("L2.3.hill")
@torch.no_grad()
def lead_of_the_middle_key_in_the_additive_example() -> float:
    q, k = torch.tensor([[1.0, 0.0]], **F64), torch.tensor([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]], **F64)
    ends, top = hill()(q, k)[0, ::2], hill()(q, k)[0, 1]
    return (top - ends.max()).item()


class Linear(Additive):
    """The additive score without its tanh."""

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return ((q @ self.W_q).unsqueeze(-2) + keys.unsqueeze(-3)) @ self.w


@torch.no_grad()
def apart(kind: type[Additive], factor: float = 1.0, rows: int = 500) -> float:
    """Mean distance between the weights that two queries give the same keys."""
    score = kind(48, 48, 16, generator=seeded(2), **F64)
    score.W_q *= factor
    score.W_k *= factor
    A = score(random(rows, 2, 48), random(rows, 12, 48, seed=1)).softmax(-1)
    return ((A[:, 0] - A[:, 1]).abs().sum(-1) / 2).mean().item()


@claim("L2.3.deaf")
def distance_between_two_queries_weights_without_tanh() -> float:
    return rounding(apart(Linear))


@claim("L2.3.small", rtol=0.05)
def distance_between_two_queries_weights_with_small_matrices_over_full_ones() -> float:
    return apart(Additive, 0.1) / apart(Additive)


def best_of_rank(W: Tensor, m: int) -> ReducedRank:
    """The reduced-rank score nearest to q W kᵀ, from the singular value decomposition."""
    left, values, right = torch.linalg.svd(W, full_matrices=False)
    score = ReducedRank(*W.shape, m, **F64)
    score.U.data, score.V.data = left[:, :m] * values[:m], right[:m].T
    return score


@claim("L2.3.cut")
@torch.no_grad()
def error_of_the_best_rank_8_minus_the_next_singular_value() -> float:
    W = random(20, 30)
    score = best_of_rank(W, 8)
    error = torch.linalg.matrix_norm(W - score.U @ score.V.T, ord=2)
    return rounding((error - torch.linalg.svdvals(W)[8]).item())


# --- what it costs ----------------------------------------------------------------------------------------------------


def parameters(name: str, r: int = 256, m: int = 64) -> int:
    score = make(name, r, r, m=m if name in ("additive", "reduced_rank") else None)
    return sum(parameter.numel() for parameter in score.parameters())


@claim("L2.3.additive_numbers")
def numbers_of_the_additive_score() -> int:
    return parameters("additive")


@claim("L2.3.multiplicative_numbers")
def numbers_of_the_multiplicative_score() -> int:
    return parameters("multiplicative")


@claim("L2.3.reduced_numbers")
def numbers_of_the_reduced_rank_score() -> int:
    return parameters("reduced_rank")


def multiplications(name: str, r: int = 256, m: int = 64, s: int = 16, n: int = 20) -> int:
    """As the page counts them: for each key, each query, each pair."""
    key, query, pair = {
        "dot": (0, 0, r), "cosine": (2 * r, 2 * r, r), "scaled_dot": (0, r, r),
        "additive": (r * m, r * m, m), "multiplicative": (r * r, 0, r), "reduced_rank": (r * m, r * m, m),
    }[name]  # fmt: skip
    return s * key + n * query + s * n * pair


@claim("L2.3.multiplicative_work")
def multiplications_of_the_multiplicative_score() -> int:
    return multiplications("multiplicative")


@claim("L2.3.reduced_work")
def multiplications_of_the_reduced_rank_score() -> int:
    return multiplications("reduced_rank")


def ratio(size: str, score: str, what: str) -> float:
    return next(row[what] for row in load("score_times")["rows"] if (row["size"], row["score"]) == (size, score))


@claim("L2.3.slowest_step", rtol=0.1)
def longest_training_step_over_the_dot_products() -> float:
    return max(row["step"] for row in load("score_times")["rows"])


# --- the stored study -------------------------------------------------------------------------------------------------


@cache
def study() -> dict:
    return load("score_study")


def runs(variant: str, what: str = "exact") -> list:
    return [row[what] for row in study()["rows"] if row["variant"] == variant]


def mean(values: list[float]) -> float:
    return math.fsum(values) / len(values)


@claim("L2.3.dot")
def right_with_dot() -> float:
    return mean(runs("dot"))


@claim("L2.3.cosine")
def right_with_cosine() -> float:
    return mean(runs("cosine"))


@claim("L2.3.scaled")
def right_with_scaled_dot() -> float:
    return mean(runs("scaled_dot"))


@claim("L2.3.additive")
def right_with_additive() -> float:
    return mean(runs("additive"))


@claim("L2.3.multiplicative")
def right_with_multiplicative() -> float:
    return mean(runs("multiplicative"))


@claim("L2.3.reduced")
def right_with_rank_16() -> float:
    return mean(runs("reduced_rank 16"))


@claim("L2.3.none")
def right_without_attention() -> float:
    return mean(runs("no attention"))


@claim("L2.3.longer_cosine")
def right_with_cosine_times_eight() -> float:
    return mean(runs("cosine × 8"))


@claim("L2.3.twice")
def right_with_additive_trained_for_twice_as_long() -> float:
    return mean(runs("additive, twice as long"))


@claim("L2.3.rank_1")
def right_with_rank_1() -> float:
    return mean(runs("reduced_rank 1"))


@claim("L2.3.rank_4")
def right_with_rank_4() -> float:
    return mean(runs("reduced_rank 4"))


@claim("L2.3.rank_8")
def right_with_rank_8() -> float:
    return mean(runs("reduced_rank 8"))


def right_after_cut(m: int) -> float:
    return mean([row[str(m)] for row in runs("multiplicative", "cut")])


@claim("L2.3.cut_4")
def right_with_a_trained_W_cut_to_rank_4() -> float:
    return right_after_cut(4)
