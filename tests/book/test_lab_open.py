"""The lab that opens a real model: its checks know right from wrong, its instruments are the study's and the course's,
both notebooks agree."""

import numpy as np
import torch

from course_lib.decoding import restrict
from course_lib.results import load
from tests.book.every_lab import EveryLab
from tests.shared.lab_notebook import ROOT
from tools.notebooks import make as notebooks

ANSWERS = {
    "worth": (
        [
            "return A.sum(axis=1) ** 2 / np.square(A).sum(axis=1)",
            "found = []\nfor row in A:\n    found.append(sum(row) ** 2 / sum(w * w for w in row))\nreturn found",
            "p = A / A.sum(-1, keepdims=True)\nreturn 1 / np.einsum('ij,ij->i', p, p)",
            "w = torch.from_numpy(A)\nreturn w.sum(-1).square() / w.square().sum(-1)",
        ],
        [
            ("A.sum(axis=1) ** 2", "1", "squared sum"),
            ("A.sum(axis=1) ** 2", "A.sum(axis=1)", "stands squared"),
            ("return np.square(A).sum(axis=1) / A.sum(axis=1) ** 2", "Turned over"),
            ("axis=1", "axis=0", "columns"),
            ("return np.count_nonzero(A, axis=1)", "would count like one of 0.9"),
        ],
    ),
    "copy_score": (
        [
            (
                "total, count = 0, 0\n"
                "for i in range(len(tokens)):\n"
                "    for j in range(i - 1, -1, -1):\n"
                "        if tokens[j] == tokens[i]:\n"
                "            total += A[i, j + 1]\n"
                "            count += 1\n"
                "            break\n"
                "return total / count"
            ),
            (
                "pairs = [(i, max(j for j in range(i) if tokens[j] == tokens[i]) + 1) for i in range(len(tokens)) if "
                "tokens[i] in tokens[:i]]\nreturn np.mean([A[pair] for pair in pairs])"
            ),
            (
                "before = [np.flatnonzero(tokens[:i] == t) for i, t in enumerate(tokens)]\ni = [k for k, b in "
                "enumerate(before) if b.size]\nreturn torch.tensor(A)[i, [before[k][-1] + 1 for k in i]].mean()"
            ),
        ],
        [
            ("A[i, j + 1]", "A[i, j]", "Its follower"),
            ("total / count", "total", "That is the sum"),
            ("total / count", "total / len(tokens)", "in the mean too"),
            ("range(i - 1, -1, -1)", "range(i)", "the first time"),
            ("A[i, j + 1]", "A[j + 1, i]", "exchanged"),
        ],
    ),
    "nucleus": (
        [
            (
                "kept, total = np.zeros_like(p), 0\nfor i in np.argsort(-p, kind='stable'):\n    if total < share - "
                "1e-12:\n        kept[i] = p[i]\n    total += p[i]\nreturn kept / kept.sum()"
            ),
            (
                "order = sorted(range(len(p)), key=lambda i: -p[i])\n"
                "out, total = [0.0] * len(p), 0.0\n"
                "for i in order:\n"
                "    if round(total, 9) >= share:\n"
                "        break\n"
                "    out[i] = p[i]\n"
                "    total += p[i]\n"
                "return [each / total for each in out]"
            ),
            (
                "values, index = torch.tensor(p).sort(descending=True, stable=True)\n"
                "values[values.cumsum(0) - values > share - 1e-9] = 0\n"
                "return torch.zeros(len(p), dtype=torch.float64).scatter(0, index, values / values.sum())"
            ),
        ],
        [
            ("kept / kept.sum()", "kept", "sum to 1 again"),
            ("kept = np.where(p >= 1 - share, p, 0)\nreturn kept / max(kept.sum(), 1e-9)", "not a bound on each"),
            (
                "if total < share - 1e-12:\n        kept[i] = p[i]\n    total += p[i]",
                "total += p[i]\n    if total < share - 1e-12 or not kept.any():\n        kept[i] = p[i]",
                "One too few",
            ),
            ("total < share - 1e-12", "total <= share + 1e-12", "One too many"),
            ("return kept / kept.sum()", "return np.sort(kept / kept.sum())[::-1]", "at its own place"),
            ("return p / p.sum()", "Nothing was cut"),
        ],
    ),
    "erased": (
        [
            "others = np.delete(heads, head, axis=0)\nreturn x + others.sum(axis=0) + mean",
            "heads = heads.copy()\nheads[head] = mean\nreturn x + heads.sum(0)",
            "out = x + mean\nfor i, each in enumerate(heads):\n    if i != head:\n        out = out + each\nreturn out",
            "h = torch.tensor(heads)\nreturn torch.tensor(x) + h.sum(0) - h[head] + torch.tensor(mean)",
        ],
        [
            (" + mean", "", "nothing in the head's place"),
            ("return x + heads.sum(0) + mean", "still adds what it added"),
            ("return x + ", "return ", "residual path is missing"),
            ("return x + heads[head] + mean", "The other heads are gone"),
            ("return x + mean", "All heads are gone"),
            ("np.delete(heads, head, axis=0)", "np.delete(heads, (head - 1) % len(heads), axis=0)", "counted from 0"),
        ],
    ),
    "way": (
        [
            "return (np.array(D) - B) / (A - B)",
            "whole = A - B\nreturn [[(d - B) / whole for d in row] for row in D]",
            "return 1 - (A - D) / (A - B)",
            "return np.interp(0, [0], [0]) + (torch.tensor(D) - B) / (A - B)",
        ],
        [
            (" / (A - B)", "", "the change in nats"),
            ("return D / A", "Measure from B"),
            ("return (D - A) / (B - A)", "Turned round"),
            (" / (A - B)", " / A", "from B to A"),
            ("(A - B)", "(A + B)", "is A − B"),
        ],
    ),
}


class TestLab(EveryLab):
    name, left_out = "open_model", r"\bask\(|installed\("
    answers = ANSWERS
    lines, fallbacks = 8, 5


def test_its_cut_is_the_courses(lab):
    draw = np.random.default_rng(1)
    for share in (0.1, 0.5, 0.9, 1.0):
        p = draw.dirichlet(np.ones(12))
        wanted = restrict(torch.tensor(p).log()[None], top_p=share)[0].numpy()
        np.testing.assert_allclose(lab["nucleus"](p, share), wanted, atol=1e-12)


def test_its_maps_are_the_recorded_ones_and_sum_to_one(lab):
    for row in load("open_model")["sentences"]:
        A = lab["maps"](row)
        n = len(row["tokens"])
        assert A.shape == (30, 9, n, n) and (np.triu(A, 1) == 0).all()
        assert np.abs(A.sum(-1) - 1).max() < 0.005 * n + 1e-9


def test_without_the_weights_the_last_step_shows_what_is_recorded(lab):
    """The last cell, where no package is found."""
    (cell,) = [
        each.source
        for each in notebooks.read(ROOT / f"labs/{TestLab.name}.myst.md", "blank").cells
        if each.cell_type == "code" and "if installed(" in each.source
    ]
    names = dict(lab) | {"installed": lambda *packages: False}
    exec(cell, names)
    np.testing.assert_allclose(names["widest"], lab["last"])
