"""The page on the six scores: its count of multiplications, by PyTorch's counter and as it is printed, and the numbers
of its study."""

import re
from statistics import mean

import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course_lib.results import load
from course_lib.scores import SCORES, WITH_WIDTH, make
from tests.shared.lab_notebook import tables
from tests.shared.seeded import seeded

PAGE = "chapters/02_attention/scores"


def multiplications(name: str, r: int = 256, m: int = 64, s: int = 16, n: int = 20) -> int:
    """As the page counts them: for each key, each query, each pair."""
    key, query, pair = {
        "dot": (0, 0, r), "cosine": (2 * r, 2 * r, r), "scaled_dot": (0, r, r),
        "additive": (r * m, r * m, m), "multiplicative": (r * r, 0, r), "reduced_rank": (r * m, r * m, m),
    }[name]  # fmt: skip
    return s * key + n * query + s * n * pair


@pytest.mark.parametrize("name", SCORES)
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
    rows = re.findall(r"^(\w+) +([\d,]+) +(?:[\d,]+ +){3}([\d,]+)$", tables(PAGE), re.M)
    found = {name: [int(number.replace(",", "")) for number in numbers] for name, *numbers in rows}
    assert found == {name: [held[name], multiplications(name)] for name in SCORES}


def runs(variant: str) -> list[float]:
    return [row["exact"] for row in load("score_study")["rows"] if row["variant"] == variant]


def test_four_scores_are_level_and_two_fall_behind():  # L2.3: in every seed, not on average
    first = ("dot", "multiplicative", "additive", "reduced_rank 16")
    assert mean(runs("dot")) > 0.86
    assert max(runs("scaled_dot")) < min(share for variant in first for share in runs(variant))
    assert max(runs("cosine")) < min(runs("scaled_dot"))
    assert mean(runs("cosine")) < 0.5 < mean(runs("scaled_dot"))
    assert mean(runs("no attention")) < mean(runs("cosine"))
