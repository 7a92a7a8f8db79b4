"""The lab that opens a real model: its checks know right from wrong, its instruments are the study's and the course's, both notebooks agree."""

import numpy as np
import torch

from course_lib.decoding import restrict
from course_lib.results import load
from tests.shared.lab_notebook import ROOT, EveryLab
from tools.notebooks import make as notebooks


class TestLab(EveryLab):
    name, left_out = "open_model", r"\bask\(|installed\("
    exercises = ("worth", "copy_score", "nucleus", "erased", "way")
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
