"""The lab that invents a score: its checks know right from wrong, its examination refuses what is no score, both
notebooks agree."""

import json
import re

import pytest
import torch

from course_lib.scores import SCORES
from tests.book.every_lab import EveryLab
from tests.shared.lab_notebook import ROOT
from tests.shared.seeded import seeded

ANSWERS = {
    "cosine": (
        [
            "return (q @ k.mT) / (q.norm(dim=-1)[..., :, None] * k.norm(dim=-1)[..., None, :])",
            "return F.normalize(q, dim=-1) @ F.normalize(k, dim=-1).transpose(-2, -1)",
            (
                "if q.ndim > 2:\n    return torch.stack([cosine(a, b) for a, b in zip(q, k)])\nreturn "
                "torch.tensor([[torch.dot(a, b) / (a.norm() * b.norm()) for b in k] for a in q])"
            ),
            (
                "q, k = q.numpy(), k.numpy()\nlengths = np.linalg.norm(q, axis=-1)[..., None] * np.linalg.norm(k, "
                "axis=-1)[..., None, :]\nreturn q @ np.swapaxes(k, -1, -2) / lengths"
            ),
        ],
        [
            ("return q @ k.mT", "dot product"),
            (" * k.norm(dim=-1)[..., None, :]", "", "The key's is missing"),
            ("q.norm(dim=-1)[..., :, None] * ", "", "The query's is missing"),
            ("return q @ k.mT / (q.norm() * k.norm())", "length of its own"),
            (
                "return q @ k.mT / ((q * q).sum(-1, keepdim=True) * (k * k).sum(-1)[..., None, :])",
                "squares of the lengths",
            ),
            ("return F.normalize(k, dim=-1) @ F.normalize(q, dim=-1).mT", "Your rows are keys"),
        ],
    ),
    "multiplicative": (
        [
            "return q @ (W @ k.mT)",
            "return torch.einsum('...nd,de,...se->...ns', q, W, k)",
            "return np.asarray(q) @ np.asarray(W) @ np.swapaxes(np.asarray(k), -1, -2)",
            (
                "if q.ndim > 2:\n"
                "    return torch.stack([multiplicative(a, b, W) for a, b in zip(q, k)])\n"
                "S = torch.empty(len(q), len(k))\n"
                "for i in range(len(q)):\n"
                "    for j in range(len(k)):\n"
                "        S[i, j] = q[i] @ W @ k[j]\n"
                "return S"
            ),
        ],
        [
            ("W @", "W.T @", "turned round"),
            ("return q @ W @ k", "must be transposed"),
            ("return q @ k.mT", "W is missing"),
            ("return q @ W @ k.mT / k.shape[-1] ** 0.5", "not divided by anything"),
            ("return k @ W.T @ q.mT", "Your rows are keys"),
        ],
    ),
    "additive": (
        [
            "a, b = q @ W_q, k @ W_k\nreturn torch.tanh(a[..., :, None, :] + b[..., None, :, :]) @ w",
            (
                "if q.ndim > 2:\n"
                "    return torch.stack([additive(a, b, W_q, W_k, w) for a, b in zip(q, k)])\n"
                "S = torch.zeros(len(q), len(k))\n"
                "for i, a in enumerate(q):\n"
                "    for j, b in enumerate(k):\n"
                "        S[i, j] = (torch.tanh(a @ W_q + b @ W_k) * w).sum()\n"
                "return S"
            ),
            (
                "a, b = (np.matmul(x, W)[..., None, :] for x, W in ((q.numpy(), W_q.numpy()), (k.numpy(), "
                "W_k.numpy())))\nreturn np.tanh(a + np.swapaxes(b, -3, -2)) @ w.numpy()"
            ),
            (
                "rows = [torch.tanh((q[..., t, :] @ W_q)[..., None, :] + k @ W_k) @ w for t in range(q.shape[-2])]\n"
                "return torch.stack(rows, -2)"
            ),
        ],
        [
            ("torch.tanh", "", "The tanh is missing"),
            (
                "return torch.tanh(a[..., :, None, :] + b[..., None, :, :]) @ w",
                "return torch.tanh((a[..., :, None, :] + b[..., None, :, :]) @ w)",
                "before the product with w",
            ),
            ("] + b", "] - b", "You subtract"),
            (" @ w", ".sum(-1)", "by its entry of w"),
            ("return torch.tanh(q @ W_q + k @ W_k) @ w", "must meet every key"),
            (
                "a[..., :, None, :] + b[..., None, :, :]",
                "a[..., None, :, :] + b[..., :, None, :]",
                "Your rows are keys",
            ),
        ],
    ),
}


class TestLab(EveryLab):
    name, left_out = (
        "attention_scores",
        r"number_words\(|trained\(|\bask\(|interactive\(|plots\.|watch\(|known\[0|sorted\(shares",
    )
    answers = ANSWERS
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
    "blind to the query": (
        lambda self, q, k: 0 * q.sum(-1, keepdim=True) + (k @ self.V).sum(-1).unsqueeze(-2),
        "a(q) + b(k)",
    ),
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
    text = "".join(
        "".join(output.get("data", {}).get("text/plain", "")) for cell in cells for output in cell.get("outputs", [])
    )
    table = re.search(r"Right on held-out numbers after 150 steps\n(.*)", text, re.S)[1]
    found = {
        name: [float(share) for share in row]
        for name, *row in re.findall(r"^\*?(yours|additive|dot) +([\d.]+) +([\d.]+|–)", table.replace("–", "0"), re.M)
    }
    assert all(
        mine > theirs for mine, theirs in zip(found["yours"], found["additive"], strict=True)
    )  # ahead in both seeds
    assert found["dot"][0] > found["yours"][0]
    deaf = float(re.search(r"^\*?deaf +([\d.]+)", table, re.M)[1])
    assert 0.2 < deaf < 0.5 and deaf < found["additive"][0]
