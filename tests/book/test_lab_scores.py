"""The lab that invents a score: its checks know right from wrong, its examination refuses what is no score, both notebooks agree."""

import json
import re

import pytest
import torch

from course_lib.scores import SCORES
from tests.shared.lab_notebook import ROOT, EveryLab
from tests.shared.seeded import seeded


class TestLab(EveryLab):
    name, left_out = "attention_scores", r"number_words\(|trained\(|\bask\(|interactive\(|plots\.|watch\(|known\[0|sorted\(shares"
    exercises = ("cosine", "multiplicative", "additive")
    lines, fallbacks = 5, 4


def kind(compare, parameters=True):
    """A class of scores with two matrices, or none, and this `compare(score, q, keys)`."""
    from course_lib.scores import Score

    class Kind(Score):
        def __init__(self, d_q, d_k, m, generator):
            super().__init__()
            if parameters:
                self.U = torch.nn.Parameter(torch.randn(d_q, m, generator=generator))
                self.V = torch.nn.Parameter(torch.randn(d_k, m, generator=generator))

    Kind.compare = compare
    return Kind


REFUSED = {
    "your turn": (lambda self, q, k: ..., "Your turn"),
    "nothing": (lambda self, q, k: None, "must return a tensor, got a NoneType"),
    "shape": (lambda self, q, k: (q @ self.U).sum(-1) + (k @ self.V).sum(), "must give"),
    "not finite": (lambda self, q, k: ((q @ self.U) @ (k @ self.V).mT) / 0, "not finite"),
    "not this key alone": (lambda self, q, k: ((q @ self.U) @ (k @ self.V).mT).softmax(-1), "this key alone"),
    "deaf": (lambda self, q, k: (q @ self.U).sum(-1, keepdim=True) + (k @ self.V).sum(-1).unsqueeze(-2), "a(q) + b(k)"),
    "blind to the query": (lambda self, q, k: 0 * q.sum(-1, keepdim=True) + (k @ self.V).sum(-1).unsqueeze(-2), "a(q) + b(k)"),
    "detached": (lambda self, q, k: (q @ self.U) @ (k @ self.V).detach().mT, "reaches k"),
    "unused": (lambda self, q, k: q[..., :2] @ k[..., :2].mT, "reaches U"),
    "stops": (lambda self, q, k: q @ k.mT, "stopped with"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_score_is_refused_with_its_reason(lab, name, capsys):
    compare, message = REFUSED[name]
    assert message in lab["examine"](kind(compare))
    course = object()
    assert lab["examined"](course)(kind(compare)) is course
    assert "the course's MyScore" in capsys.readouterr().out


def test_scores_of_several_kinds_pass_the_examination(lab):
    assert lab["examine"](lab["MyScore"]) is None and lab["examine"](lab["CourseScore"]) is None
    assert lab["examine"](lab["Pattern"]) is None and lab["examine"](lab["kinds"]["additive"]) is None
    assert lab["examine"](kind(lambda self, q, k: torch.cdist(q @ self.U, k @ self.V).neg())) is None
    assert lab["examine"](kind(lambda self, q, k: q[..., :2] @ k[..., :2].mT, parameters=False)) is None
    assert "a(q) + b(k)" in lab["examine"](lab["kinds"]["deaf"])
    assert len(SCORES) == 6  # the lab speaks of a score beside these


def test_the_distance_is_a_reduced_rank_score_with_a_fine(lab):
    """What the choice below step 4 says: the query's own length cancels, the key's does not."""
    score = lab["CourseScore"](6, 5, 4, seeded())
    q, k = torch.randn(3, 6, generator=seeded(1)), torch.randn(7, 5, generator=seeded(2))
    a, b = q @ score.U, k @ score.V
    weights = score(q, k).softmax(-1)
    torch.testing.assert_close(weights, (2 * a @ b.T - b.square().sum(-1)).softmax(-1))
    assert not torch.allclose(weights, (2 * a @ b.T).softmax(-1))


def test_the_lab_says_what_the_training_found():
    cells = json.loads((ROOT / f"labs/solutions/{TestLab.name}.ipynb").read_text(encoding="utf-8"))["cells"]
    text = "".join("".join(output.get("data", {}).get("text/plain", "")) for cell in cells for output in cell.get("outputs", []))
    table = re.search(r"Right on held-out numbers after 150 steps\n(.*)", text, re.S)[1]
    found = {name: [float(share) for share in row] for name, *row in re.findall(r"^\*?(yours|additive|dot) +([\d.]+) +([\d.]+|–)", table.replace("–", "0"), re.M)}
    assert all(mine > theirs for mine, theirs in zip(found["yours"], found["additive"], strict=True))  # ahead in both seeds
    assert found["dot"][0] > found["yours"][0]
    deaf = float(re.search(r"^\*?deaf +([\d.]+)", table, re.M)[1])
    assert 0.2 < deaf < 0.5 and deaf < found["additive"][0]
