"""The page on the six scores: its theorems by other ways, its count of multiplications, its two stored tables, one run made again."""

import itertools
import json
import math
import re
from statistics import mean

import pytest
import torch
from torch import Tensor
from torch.utils.flop_counter import FlopCounterMode

from course_lib.exercises import Case, Function
from course_lib.results import load
from course_lib.scores import (
    SCORES,
    WITH_WIDTH,
    Additive,
    Cosine,
    Dot,
    Multiplicative,
    ReducedRank,
    Score,
    make,
)
from studies import score_study
from tests.shared.lab_notebook import ROOT, printed, written
from tests.shared.record import largest
from tests.shared.seeded import F64, normal, seeded

PAGE = "chapters/02_attention/03_scores"


class Linear(Additive):
    """The additive score without its tanh."""

    def compare(self, q: Tensor, keys: Tensor) -> Tensor:
        return ((q @ self.W_q).unsqueeze(-2) + keys.unsqueeze(-3)) @ self.w


# ---- what a score can never do


def most_that_a_cosine_gives_to_one_of_twelve() -> float:
    q = normal(1, 48)
    return Cosine()(q, torch.cat([q, (-q).expand(11, -1)])).softmax(-1).max().item()


@pytest.mark.parametrize("n", [2, 12, 50])
def test_no_row_of_bounded_scores_beats_the_bound(n):  # L2.3
    bound = math.exp(2) / (math.exp(2) + n - 1)
    assert torch.rand(20_000, n, generator=seeded(), **F64).mul(2).sub(1).softmax(-1).max() < bound
    corners = torch.full((n, n), -1.0, **F64).fill_diagonal_(1.0)  # every row has one 1
    assert corners.softmax(-1).amax(-1).tolist() == pytest.approx([bound] * n)
    # climbing, from random keys, to the most that a cosine gives: it comes close and not above
    q, k = normal(1, 6), normal(n, 6, seed=n).requires_grad_()
    optimiser = torch.optim.Adam([k], lr=0.05)
    for _ in range(300):
        loss = -Cosine()(q, k).log_softmax(-1)[0, 0]
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    assert 0.98 * bound < math.exp(-loss.item()) <= bound + 1e-9
    if n == 12:
        assert most_that_a_cosine_gives_to_one_of_twelve() == pytest.approx(bound)


def test_the_additive_score_is_bounded_by_what_it_learned():  # L2.3
    score = Additive(4, 5, 7, generator=seeded(), **F64)
    S = score(100 * normal(50, 4), 100 * normal(60, 5, seed=1))
    assert S.abs().max() <= score.w.abs().sum()
    assert S.abs().max() > 0.9 * score.w.abs().sum()


@torch.no_grad()
def middle(score: Score, q: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """Weights of two keys and of the one halfway, [..., 1, 3], in the order on the line."""
    return score(q, torch.stack([first, (first + last) / 2, last], -2)).softmax(-1)


@pytest.mark.parametrize("name", ["dot", "scaled_dot", "multiplicative", "reduced_rank"])
def test_a_linear_score_never_prefers_the_middle(name):  # L2.3
    score = make(name, 6, 6, m=3 if name in WITH_WIDTH else None, generator=seeded(), **F64)
    A = middle(score, normal(400, 1, 6), normal(400, 6, seed=1), normal(400, 6, seed=2))[:, 0]
    assert (A[:, 1] <= A[:, ::2].amax(-1)).all()
    torch.testing.assert_close(A[:, 1].square(), A[:, 0] * A[:, 2])


@torch.no_grad()
def test_cosine_and_additive_can_prefer_the_middle():  # L2.3
    q, k = torch.tensor([[1.0, 0.0]], **F64), torch.tensor([[1.0, -1.0], [1.0, 0.0], [1.0, 1.0]], **F64)
    hill = Additive(2, 2, 2, **F64)  # the proof's example: keys (1, y) score tanh(y + 1) − tanh(y − 1)
    for name, value in (("W_q", [[1.0, -1.0], [0.0, 0.0]]), ("W_k", [[0.0, 0.0], [1.0, 1.0]]), ("w", [1.0, -1.0])):
        getattr(hill, name).data = torch.tensor(value, **F64)
    leads = [(S[1] - S[::2].max()).item() for S in (Cosine()(q, k)[0], hill(q, k)[0])]
    assert leads[0] > 0 and leads[1] == pytest.approx(2 * math.tanh(1) - math.tanh(2))


@torch.no_grad()
def apart(kind: type[Additive], factor: float = 1.0, rows: int = 500) -> float:
    """Mean distance between the weights that two queries give the same keys."""
    score = kind(48, 48, 16, generator=seeded(2), **F64)
    score.W_q *= factor
    score.W_k *= factor
    A = score(normal(rows, 2, 48), normal(rows, 12, 48, seed=1)).softmax(-1)
    return ((A[:, 0] - A[:, 1]).abs().sum(-1) / 2).mean().item()


def test_without_tanh_the_query_is_forgotten():  # L2.3
    q, k = normal(9, 48), normal(12, 48, seed=1)
    score = Linear(48, 48, 16, generator=seeded(2), **F64)
    by_key_alone = (k @ score.W_k @ score.w).softmax(-1)  # what the theorem leaves over
    torch.testing.assert_close(score(q, k).softmax(-1), by_key_alone.expand(9, -1))
    assert apart(Linear) < 1e-12
    assert apart(Additive) > 0.05
    # tanh x = x − x³/3 …: the part that mixes query and key is of third order in the matrices, and the softmax sees only it
    assert apart(Additive, 0.02) / apart(Additive, 0.01) == pytest.approx(8, rel=0.05)
    assert apart(Additive, 0.1) / apart(Additive) < 0.02


def test_the_best_low_rank_misses_by_the_next_singular_value():  # L2.3
    W = normal(20, 30)
    left, values, right = torch.linalg.svd(W)
    for m in (1, 8, 19):
        best = ReducedRank(20, 30, m, **F64)
        best.U.data, best.V.data = left[:, :m] * values[:m], right[:m].T.clone()
        assert largest(torch.linalg.matrix_norm(W - best.U @ best.V.T, ord=2) - values[m]) == 0
        worst = best(left[:, m][None], right[m][None])  # there W says σ, the best B nothing
        assert largest(worst) == 0
        # no other pair of matrices does better: gradient descent on U and V from the best, and from elsewhere
        for start in (best, ReducedRank(20, 30, m, generator=seeded(5), **F64)):
            optimiser = torch.optim.Adam(start.parameters(), lr=0.01)
            for _ in range(60):
                error = torch.linalg.matrix_norm(W - start.U @ start.V.T, ord=2)
                assert error > values[m] - 1e-9
                optimiser.zero_grad()
                error.backward()
                optimiser.step()


def test_only_a_symmetric_W_does_not_care_who_asks():  # L2.3
    x, y = normal(1, 4), normal(1, 4, seed=1)
    score = Multiplicative(4, 4, generator=seeded(), **F64)
    assert not torch.allclose(score(x, y), score(y, x))
    score.W.data = score.W.data + score.W.data.T
    torch.testing.assert_close(score(x, y), score(y, x))
    score.W.data = torch.eye(4, **F64)
    torch.testing.assert_close(score(x, y), Dot()(x, y))


# ---- what a score costs


def multiplications(name: str, r: int = 256, m: int = 64, s: int = 16, n: int = 20) -> int:
    """As the page counts them: for each key, each query, each pair."""
    key, query, pair = {
        "dot": (0, 0, r), "cosine": (2 * r, 2 * r, r), "scaled_dot": (0, r, r),
        "additive": (r * m, r * m, m), "multiplicative": (r * r, 0, r), "reduced_rank": (r * m, r * m, m),
    }[name]  # fmt: skip
    return s * key + n * query + s * n * pair


@pytest.mark.parametrize("name", ["dot", "scaled_dot", "multiplicative", "reduced_rank", "cosine", "additive"])
def test_the_multiplications_are_those_of_the_matrix_products(name):  # L2.3
    r, m, s, n = 32, 8, 5, 7
    score = make(name, r, r, m=m if name in WITH_WIDTH else None)
    with FlopCounterMode(display=False) as counter, torch.no_grad():
        score(torch.randn(1, n, r, generator=seeded()), torch.randn(1, s, r, generator=seeded(1)))
    # lengths and scalings are no matrix product, nor is the additive score's last step with one vector
    beside = {"cosine": 2 * r * (s + n), "scaled_dot": r * n, "additive": s * n * m}.get(name, 0)
    counted = counter.get_total_flops() // 2
    assert counted in (multiplications(name, r, m, s, n) - beside, multiplications(name, r, m, s, n))


def test_the_page_prints_what_a_score_holds_and_multiplies():  # L2.3
    scores = {name: make(name, 256, 256, m=64 if name in WITH_WIDTH else None) for name in SCORES}
    held = {name: sum(parameter.numel() for parameter in score.parameters()) for name, score in scores.items()}
    rows = re.findall(r"^(\w+) +([\d,]+) +(?:[\d,]+ +){3}([\d,]+)$", printed(PAGE), re.M)
    found = {name: [int(number.replace(",", "")) for number in numbers] for name, *numbers in rows}
    assert found == {name: [held[name], multiplications(name)] for name in SCORES}
    assert multiplications("multiplicative") > multiplications("reduced_rank")


# ---- the study


def runs(variant: str, what: str = "exact") -> list:
    return [row[what] for row in load("score_study")["rows"] if row["variant"] == variant]


def test_four_scores_are_level_and_two_fall_behind(record):  # L2.3: in every seed, not on average
    first = ("dot", "multiplicative", "additive", "reduced_rank 16")
    assert record("L2.3.dot", mean(runs("dot"))) > 0.86
    for one, other in itertools.combinations(first, 2):  # their seeds overlap
        assert min(runs(one)) <= max(runs(other)) and min(runs(other)) <= max(runs(one)), (one, other)
    assert all(0.86 < share < 0.95 for variant in first for share in runs(variant))
    assert max(runs("scaled_dot")) < min(share for variant in first for share in runs(variant))
    assert max(runs("cosine")) < min(runs("scaled_dot"))
    gained = [a - b for a, b in zip(runs("cosine"), runs("no attention"), strict=True)]
    assert all(0 < gain < 0.1 for gain in gained)  # hardly better than no attention
    assert record("L2.3.cosine", mean(runs("cosine"))) < 0.5 < mean(runs("scaled_dot"))
    assert record("L2.3.none", mean(runs("no attention"))) < mean(runs("cosine"))
    # they look at nothing in particular: even the most a cosine could give, at the mean length, is not reached
    assert max(runs("cosine", "largest")) < 0.2 < max(runs("scaled_dot", "largest")) < 0.35 < 0.5 < min(runs("additive", "largest"))


def test_bounded_scores_fail_where_the_words_are_many():  # L2.3
    long = [row[-1] for row in runs("cosine", "by_length")]
    assert max(long) < 0.05 and min(row[-1] for row in runs("dot", "by_length")) > 0.9
    assert all(row[1] > row[-1] + 0.5 for row in runs("scaled_dot", "by_length"))


def test_another_bound_and_more_steps_repair_them():  # L2.3
    assert min(runs("cosine × 8")) > max(runs("cosine")) + 0.4
    assert mean(runs("cosine × 8")) == pytest.approx(mean(runs("dot")), abs=0.02)
    others = [share for variant in score_study.VARIANTS if variant != "additive, twice as long" for share in runs(variant)]
    assert min(runs("additive, twice as long")) > max(others)
    assert mean(runs("additive, twice as long")) > mean(runs("additive")) + 0.05


def right_after_cut(m: int) -> float:
    return mean([row[str(m)] for row in runs("multiplicative", "cut")])


def test_rank_eight_is_enough_and_learning_it_is_not_cutting_to_it():  # L2.3
    full, low = runs("multiplicative"), {m: runs(f"reduced_rank {m}") for m in score_study.RANKS}
    assert sum(min(full) <= share <= max(full) for share in low[8]) == 2
    assert all(share < whole for share, whole in zip(low[4], full, strict=True))
    assert mean(runs("reduced_rank 1")) < mean(runs("reduced_rank 4")) - 0.3 and mean(runs("reduced_rank 4")) < mean(runs("reduced_rank 8"))
    assert all(cut["4"] < share - 0.2 for cut, share in zip(runs("multiplicative", "cut"), low[4], strict=True))
    assert right_after_cut(4) < 0.6
    for values in runs("multiplicative", "singular"):
        assert len(values) == 48 and values == sorted(values, reverse=True) and values[4] > values[0] / 2
    assert runs("reduced_rank 8", "score_parameters") == [2 * 48 * 8] * 3


# ---- the page itself
def test_the_page_prints_the_study():  # L2.3
    text = printed(PAGE)
    assert re.search(rf"^cosine × 8 .* mean {mean(runs('cosine × 8')):.2f} ", text, re.M)
    assert re.search(rf"^scaled dot .* mean {mean(runs('scaled_dot')):.2f} ", text, re.M)
    for m in score_study.RANKS:
        line = next(line for line in text.splitlines() if re.match(rf" *{m} +{96 * m} ", line))
        assert re.findall(r"mean ([\d.]+)", line) == [f"{mean(runs(f'reduced_rank {m}')):.2f}", f"{right_after_cut(m):.2f}"]
    assert f"n = 12: at most {most_that_a_cosine_gives_to_one_of_twelve():.2f}" in text
    assert "without tanh: 0.000" in text


def test_the_function_that_the_page_asks_for():
    cells = json.loads((ROOT / f"{PAGE}.ipynb").read_text(encoding="utf-8"))["cells"]
    source = next(code for cell in cells if 'id="scores-saves"' in (code := "".join(cell["source"])))
    asked = eval(source.strip().removeprefix("ask"), {"Case": Case, "Function": Function})
    largest_rank = written(asked, asked.solution, {})
    assert asked.check(largest_rank).correct
    for d_q, d_k in itertools.product((3, 7, 48, 50), (5, 48, 96)):  # by counting
        assert largest_rank(d_q, d_k) == max(m for m in range(200) if m * (d_q + d_k) < d_q * d_k)
