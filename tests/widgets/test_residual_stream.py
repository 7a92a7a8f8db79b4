"""ResidualStream: what its four views show and say, against the study's table; a provider that answers later shows the
same."""

import math

import numpy as np
import pytest

from course_lib.results import load
from course_lib.widgets import ResidualStream
from tests.shared.graph_node import GLUE, call, exports, js

ROWS = load("residual_stream")["pairs"]
START = {"row": 0, "view": "lens", "side": "A", "fill": "mean", "source": "A", "layer": 20, "token": 3, "part": 10}
FACT, NULL = 0, 3


PAGE = exports("residual_stream", "looks", "provider")


def looks(*cases):
    return call(*(PAGE.look(PAGE.stored(ROWS[state["row"]]), state) for state in (START | case for case in cases)))


def grid(seen):
    return np.array(seen["numbers"]).reshape(len(seen["rows"]), seen["columns"])


def test_a_provider_that_answers_later_shows_the_same_and_is_asked_nothing_else():
    views = {"lens": ["lens"], "written": ["contributions"], "erased": ["erase", "contributions"], "patched": ["patch"]}
    for view, questions in views.items():
        for row in (FACT, NULL):
            state, asked, provider = START | {"view": view, "row": row}, js().Object(), PAGE.stored(ROWS[row])
            at_once, later, count = call(
                PAGE.look(provider, state),
                PAGE.look(GLUE.later(provider, ["lens", "contributions", "erase", "patch"], asked), state),
                asked,
            )
            assert at_once == later and sorted(count) == sorted(questions)


def test_the_lens_shows_the_share_of_the_true_next_word():
    (seen,) = looks({"side": "B", "token": 4, "layer": 30})
    table = ROWS[FACT]["lens"]["B"]
    assert (grid(seen) == np.array(table["next"]).T).all()
    assert seen["value"] == table["next"][30][4] == pytest.approx(math.exp(ROWS[FACT]["log p"][1]), abs=1e-3)
    assert (
        seen["beside"][-1] == "Rome"
        and "“Rome” 0.38" in seen["told"]
        and "The word that fits, “Rome”, has 0.38" in seen["told"]
    )


def test_where_the_word_should_not_matter_both_sentences_ask_for_the_same():
    lens, erased = looks(
        {"row": NULL, "side": "B", "token": 7, "layer": 30}, {"row": NULL, "side": "B", "view": "erased"}
    )
    assert (
        lens["value"] > 0.5
        and "The word that fits, “Paris”" in lens["told"]
        and erased["ends"][0].startswith("log p of Paris")
    )


def test_direct_contributions_add_up_to_the_difference():
    for i, row in enumerate(ROWS):
        for side, D in zip("AB", row["D"], strict=False):
            (seen,) = looks({"row": i, "view": "written", "side": side, "part": 9, "layer": 23})
            parts = grid(seen)
            assert row["written"][side]["start"] + parts[9].sum() + parts[10].sum() == pytest.approx(D, abs=0.01)
            np.testing.assert_allclose(parts[9], parts[:9].sum(0))
            assert seen["value"] == pytest.approx(sum(row["written"][side]["parts"][23][:9]))
            assert "the difference itself is" in seen["told"]


def test_erasure_is_told_beside_what_was_written_and_what_other_heads_cost():
    dear, cheap = looks(
        {"view": "erased", "part": 4, "layer": 23}, {"view": "erased", "fill": "zero", "part": 10, "layer": 0}
    )
    row = ROWS[FACT]
    assert dear["value"] == pytest.approx(row["erased"]["A"]["mean"]["log p"][23][4] - row["log p"][0])
    assert "No other of the 270 heads costs more" in dear["told"] and "Directly it had written 3.01" in dear["told"]
    assert cheap["value"] < -10 and "nothing in place of the feed-forward layer 0" in cheap["told"]
    assert grid(cheap).shape == (11, 30)


def test_patching_is_measured_from_b_to_a_and_stands_beside_the_third_sentence():
    last = len(ROWS[FACT]["tokens"][0]) - 1
    start, end, third = looks(
        {"view": "patched", "layer": 0},
        {"view": "patched", "layer": 30, "token": last},
        {"view": "patched", "layer": 0, "source": "C"},
    )
    assert start["value"] == pytest.approx(1, abs=1e-3) and end["value"] == pytest.approx(1, abs=1e-3)
    DA, DB, DC = ROWS[FACT]["D"]
    assert third["value"] == pytest.approx((DC - DB) / (DA - DB), abs=1e-3)
    assert (
        "The same row from Japan: 0.61 of the way" in start["told"]
        and "The same row from France: 1.00 of the way" in third["told"]
    )
    assert third["rows"][3] == "Japan → Italy"


def test_where_nothing_is_to_be_moved_the_change_is_in_nats():
    (seen,) = looks({"row": NULL, "view": "patched", "layer": 0, "token": 1})
    assert seen["value"] == pytest.approx(ROWS[NULL]["D"][0] - ROWS[NULL]["D"][1], abs=2e-3)
    assert "a change of" in seen["told"] and "of the way" not in seen["told"] and seen["ends"] == ["−1 nat", "+1 nat"]


def test_a_cell_that_the_pair_or_the_view_has_not_is_the_last_one():
    states = [
        START | case for case in ({"token": 15}, {"view": "written", "layer": 30}, {"view": "patched", "layer": 30})
    ]
    assert call(*(PAGE.cellOf(PAGE.stored(ROWS[0]), state) for state in states)) == [[4, 20], [10, 29], [3, 30]]


def test_rows_are_recorded_pairs():
    for rows in ([], [*ROWS, ROWS[0]], [{"tokens": []}]):
        with pytest.raises(ValueError, match="rows"):
            ResidualStream(rows)
    with pytest.raises(ValueError, match="pair"):
        ResidualStream(ROWS[:2], pair=2)
