"""MatrixRows: area, stretch, rank and image against NumPy, and what it says of each."""

import numpy as np
import pytest

from tests.shared.graph_node import call, js

MOVED = js("matrix_rows/moved.js")


def test_what_it_shows_is_numpys():
    generator = np.random.default_rng(0)
    drawn = generator.integers(-20, 21, (60, 3, 2)) / 10
    flat = [[[1, 0.5], [-1, -0.5], [1, 1]], [[0, 0], [0.3, -0.2], [2, 1]], [[0.1, 0.3], [0.2, 0.6], [0, 1]]]
    cases = [*drawn.tolist(), *flat, [[0, 0], [0, 0], [1, 2]], [[0, 1], [-1, 0], [1, 0]]]
    answers = call(*(MOVED.seen(dict(zip(("first", "second", "point"), case, strict=True))) for case in cases))
    for (first, second, point), seen in zip(cases, answers, strict=True):
        W = np.array([first, second])
        assert seen["area"] == pytest.approx(abs(np.linalg.det(W)), abs=1e-9)
        assert seen["turned"] == (np.linalg.det(W) < -1e-9)
        np.testing.assert_allclose(seen["stretch"], np.linalg.svd(W, compute_uv=False), atol=1e-9)
        assert seen["rank"] == np.linalg.matrix_rank(W, tol=1e-9)
        np.testing.assert_allclose(seen["image"], np.array(point) @ W, atol=1e-12)


def test_it_says_what_it_shows():
    asked = [([1, 0.5], [-1, -0.5]), ([0, 0], [0, 0]), ([0, 1], [1, 0]), ([0, 1], [-1, 0])]
    states = [{"first": a, "second": b, "point": [1, 1]} for a, b in asked]
    line, nothing, over, turn = call(*(MOVED.told(state, MOVED.seen(state)) for state in states))
    assert "The rank is 1" in line and "goes to the origin" in nothing and "turned over" in over
    assert (
        "turned over" not in turn
        and "whatever its direction" in turn
        and "(1.00, 1.00) goes to 1.00 · row 1 + 1.00 · row 2 = (−1.00, 1.00)" in turn
    )
