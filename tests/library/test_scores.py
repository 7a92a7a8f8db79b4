"""The six scores against their formulas, entry by entry."""

import math

import pytest
import torch

from course_lib.scores import SCORES, Additive, Score, make
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, seeded


def formula(name, score, q, k):
    """One query and one key, with sums written out."""
    dot = math.fsum((q * k).tolist()) if len(q) == len(k) else None
    if name == "dot":
        return dot
    if name == "scaled_dot":
        return dot / math.sqrt(len(q))
    if name == "cosine":
        return dot / math.sqrt(math.fsum((q * q).tolist())) / math.sqrt(math.fsum((k * k).tolist()))
    if name == "multiplicative":
        return math.fsum((q[i] * score.W[i, j] * k[j]).item() for i in range(len(q)) for j in range(len(k)))
    if name == "reduced_rank":
        W = score.U @ score.V.T
        return math.fsum((q[i] * W[i, j] * k[j]).item() for i in range(len(q)) for j in range(len(k)))
    hidden = [math.tanh((q @ score.W_q[:, a]).item() + (k @ score.W_k[:, a]).item()) for a in range(score.w.shape[0])]
    return math.fsum(hidden[a] * score.w[a].item() for a in range(len(hidden)))


@pytest.mark.parametrize("name", SCORES)
def test_a_score_is_its_formula(name):
    width = {"m": 3} if name in ("additive", "reduced_rank") else {}
    d_k = 5 if name in ("additive", "multiplicative", "reduced_rank") else 4
    score = make(name, 4, d_k, **width, **F64)
    q, k = normal(2, 3, 4), normal(2, 6, d_k, seed=1)
    given = score(q, k)
    assert given.shape == (2, 3, 6)
    assert torch.equal(given, score.compare(q, score.keys(k)))
    for b in range(2):
        for i in range(3):
            for j in range(6):
                assert given[b, i, j].item() == pytest.approx(formula(name, score, q[b, i], k[b, j]), abs=1e-12)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float64], ids=str)
def test_a_zero_vector_has_cosine_zero(dtype):
    assert not make("cosine", 3, 3)(torch.zeros(1, 3, dtype=dtype), torch.ones(2, 3, dtype=dtype)).any()


@pytest.mark.parametrize("length", [1e-12, 5e-9, 2e-8])
def test_a_vector_shorter_than_1e8th_counts_as_that_long(length):
    q, k = normal(1, 3), normal(2, 3, seed=1)
    q, k = (each / each.norm(dim=-1, keepdim=True) for each in (q, k))
    expected = (q @ k.mT) * min(1, length / 1e-8)
    for short in (make("cosine", 3, 3)(q, length * k), make("cosine", 3, 3)(length * q, k)):
        torch.testing.assert_close(short, expected, rtol=1e-12, atol=0)


def test_a_generator_decides_the_parameters():
    again = [Additive(3, 4, 5, generator=seeded(7)).W_k for _ in range(2)]
    assert torch.equal(*again)
    assert not torch.equal(again[0], Additive(3, 4, 5).W_k)


test_errors_name_the_argument = named(
    (lambda: make("dot", 3, 4), "d_q must be the width 4 of the keys"),
    (lambda: make("dot", 3, 3, m=2), "m must be None for the score 'dot'"),
    (lambda: make("additive", 3, 3), "m must be the inner width"),
)


def test_a_score_must_compare():
    with pytest.raises(NotImplementedError):
        Score()(torch.zeros(1, 2), torch.zeros(1, 2))
