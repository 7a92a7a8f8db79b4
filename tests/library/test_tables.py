"""A table as text and as cells: heads, points below each other, marks, and nothing that differs from run to run."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest
import torch

from course_lib.tables import FIGURE, POINT, Table

SCORES = {"word": ["the", "old", "<b>"], "score": torch.tensor([-1.234, 10.5, 3.0]), "n": [1, None, 20]}


def scores(**more):
    return Table(
        "Scores",
        SCORES,
        **{"form": {"score": ".2f"}, "units": {"score": "nats"}, "mark": {"score": 1}, "note": "the largest", **more},
    )


def test_as_text_columns_stand_below_each_other():
    assert repr(scores()).split("\n") == [
        "Scores",
        "word  score [nats]   n",
        "──────────────────────",
        "the          −1.23   1",
        "old         *10.50   –",
        "<b>           3.00  20",
        "* the largest",
    ]


def test_as_cells_heads_have_scope_and_nothing_is_markup_that_was_given():
    table = ElementTree.fromstring(scores()._repr_html_()).find("table")
    assert table.find("caption").text == "Scores"
    assert [(each.get("scope"), each.text) for each in table.iter("th")] == [
        ("col", "word"), ("col", "score [nats]"), ("col", "n"), ("row", "the"), ("row", "old"), ("row", "<b>"),
    ]  # fmt: skip
    assert [each.text for each in table.iter("strong")] == ["10.50"]
    assert {each.get("style") for each in table.iter("td")} == {"text-align:right"}


@pytest.mark.parametrize("values", [np.array([1.5, 12.25, 7.0]), [1.5, 12.25, 7]])
def test_points_stand_below_each_other_whatever_the_digits(values):
    cells = [
        each.text
        for each in ElementTree.fromstring(Table("t", {"row": ["a", "b", "c"], "x": values})._repr_html_()).iter("td")
    ]
    ends = [len(cell) - (cell.index(".") if "." in cell else cell.index(POINT)) for cell in cells]
    assert len(set(ends)) == 1 and cells[0] == f"1.5{FIGURE}"


def test_the_same_bytes_each_time():
    assert scores()._repr_html_() == scores()._repr_html_() and "0x" not in repr(scores())


@pytest.mark.parametrize(
    ("columns", "more", "named"),
    [
        ({"a": [1], "b": [1, 2]}, {}, "same length"),
        ({"a": [1]}, {"form": {"z": ""}}, "form.*'z'"),
        ({"a": [1]}, {"mark": {"z": 0}}, "mark.*'z'"),
        ({"a": [1]}, {"units": {"z": "s"}}, "units.*'z'"),
        ({"a": [1]}, {"note": "the best"}, "note.*'the best'"),
    ],
)
def test_an_authors_slip_is_named(columns, more, named):
    with pytest.raises(ValueError, match=named):
        Table("t", columns, **more)
