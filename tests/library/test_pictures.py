"""Pictures without a script: every point where a linear scale puts it, names told apart without colour, and what is
refused."""

import re

import numpy as np
import pytest

from course_lib.pictures import HEIGHT, PAD, WIDTH, Picture


def made():
    path = [[0.0, 0.0], [1.0, 2.0], [2.0, 4.0]]
    return Picture(
        "T < 1",
        description='say "so"',
        paths={"a": [path]},
        dots={"b": np.array([[2.0, 0.0]]), "c": np.array([[0.0, 4.0]])},
        like={"a": "b"},
    )


def test_points_lie_on_one_scale():
    text = made()._repr_html_()
    low, high = (PAD, HEIGHT - PAD), (WIDTH - PAD, PAD)
    assert f"M{low[0]} {low[1]}L{WIDTH / 2:g} {HEIGHT / 2:g}L{high[0]} {high[1]}" in text
    assert f"translate({high[0]} {low[1]})" in text and f"translate({low[0]} {high[1]})" in text


def test_names_have_signs_and_texts_are_escaped():
    text = made()._repr_html_()
    assert "T &lt; 1" in text and "say &quot;so&quot;" in text
    shapes = re.findall(r'<path fill="#\w+" d="([^"]+)"', text)
    assert len(set(shapes)) == 2 and len(shapes) == 4  # two kinds of dots, each drawn and in the key
    colours = made().colours
    assert colours["a"] == colours["b"] != colours["c"]


def test_nothing_to_draw_is_refused():
    with pytest.raises(ValueError, match="paths or dots"):
        Picture("T", description="d")
