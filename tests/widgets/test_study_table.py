"""StudyTable: which rows it shows, in which order, and its sentence; and the two studies that it is given, against sums
of their own."""

import json
from collections import Counter

import numpy as np
import pytest

from course_lib import published
from course_lib.ablation import VARIANTS, column, side_by_side
from course_lib.widgets import StudyTable
from course_lib.widgets.study_table import configurations, variants
from tests.shared.graph_node import call, js

ROWS = [  # name, kind, value in one view and in the other, verdict in both
    ("base", "", 0.0, 0.0, "", ""), ("a", "x", 3.0, 1.0, "up", "down"), ("b", "x", -1.0, None, "down", None),
    ("c", "y", 3.0, 2.0, "up", "up"), ("d", "y", None, -4.0, "same", "same"), ("e", 2, 0.5, 0.5, "same", "down"),
]  # fmt: skip


PAGE = js("study_table/rows.js")


def small() -> dict:
    """Six rows: two with equal values, one without a value, and one that the second view lacks."""

    def line(name, value, verdict):
        cells = [name, ["–" if value is None else f"{value:.1f}", value], ""]
        return {
            "cells": cells,
            "verdict": verdict,
            "dots": [1.0, 2.0],
            "middle": 1.5,
            "band": [0.5, 2.5],
            "published": value,
            "said": f"picture of {name}",
        }

    lines = [
        {
            "has": {"kind": kind},
            "views": {"one": line(name, one, its), **({} if other is None else {"two": line(name, other, theirs)})},
        }
        for name, kind, one, other, its, theirs in ROWS
    ]
    return {
        "noun": "row", "legend": "view", "views": {"one": ["first", "metres"], "two": ["second", "miles"]},
        "key": ["runs", "range"],
        "columns": [["name", "row", "row", "name"], ["value", "Δ", "change", "theirs"], ["", "", "the picture",
        "picture"]],
        "filters": {"kind": {"legend": "Kind", "options": [["x", "x"], ["y", "y"], [2, 2]]},
        "verdict": {"legend": "Verdict", "options": [["up", "up"], ["down", "down"]]}},
        "verdicts": {"up": ["goes up", "go up"], "down": ["goes down", "go down"], "same": ["stays", "stay"]},
        "lines": [lines[0] | {"first": True}, *lines[1:]],
    }  # fmt: skip


def blob(widget):
    return json.loads(widget._data[widget.data_keys["study"]])


@pytest.mark.parametrize(
    ("state", "lines", "words"),
    [
        ({}, "abcde", "5 rows: 2 go up, 1 goes down, 2 stay."),
        ({"sort": "-printed"}, "edcba", "5 rows: 2 go up, 1 goes down, 2 stay."),
        ({"sort": "value"}, "beacd", None),  # equal ones keep their order, what has no value comes last
        ({"sort": "-value"}, "acebd", None),
        ({"sort": "-name"}, "edcba", None),
        ({"show": {"kind": "x"}}, "ab", "2 rows: 1 goes up, 1 goes down."),
        ({"show": {"kind": 2}}, "e", "1 row: 1 stays."),
        ({"show": {"kind": "y", "verdict": "down"}}, "", "No rows."),
        ({"view": "two", "sort": "value"}, "deac", "4 rows (1 more was not run so): 1 goes up, 2 go down, 1 stays."),
        ({"view": "two", "show": {"verdict": "up"}}, "c", "1 row (1 more was not run so): 1 goes up."),
    ],
)
def test_rows_are_filtered_sorted_and_counted(state, lines, words):
    study = blob(StudyTable(small()))
    shown = PAGE.shown(study, {"view": "one", "show": {}, "sort": "printed", **state})
    found, said = call(shown, PAGE.words(study, shown))
    assert (
        found["first"]["cells"][0] == "base"
        and "".join(each["cells"][0] for each in found["lines"]) == lines
        and words in (None, said)
    )


def test_a_link_holds_what_the_study_has():
    asked = [
        ("view", "two"),
        ("view", "three"),
        ("sort", "-value"),
        ("sort", "other"),
        ("show", "kind:2,verdict:up"),
        ("show", ""),
        ("show", "kind:z"),
        ("show", "x"),
        ("show", "constructor:x"),
    ]
    codecs = PAGE.codecs(blob(StudyTable(small())))
    got = call(*(codecs[name].read(text) for name, text in asked))
    assert got == ["two", None, "-value", None, {"kind": 2, "verdict": "up"}, {}, None, None, None]
    for (name, text), value in zip(asked, got, strict=True):
        assert value is None or call(codecs[name].write(value)) == [text]


def test_the_scale_holds_all_and_its_numbers_are_apart():
    scale = blob(StudyTable(small()))["scales"]
    assert scale == {
        "one": {"low": -1, "high": 3, "ticks": [-1, 0, 1]},
        "two": {"low": -4, "high": 2.5, "ticks": [-1, 0, 1]},
    }


# ---- the two studies
def test_changes_are_from_the_base():
    study = variants.compared(side_by_side())
    names = [key for key, *_ in study["columns"]]
    base = np.mean(column("base", "nats"))
    for line in study["lines"][1:]:
        row = dict(zip(names, line["views"]["ppl"]["cells"], strict=True))
        assert row["our_change"][1] == pytest.approx(
            100 * (np.exp(np.mean(column(row["variant"], "nats")) - base) - 1), abs=0.02
        )  # of means of nats
        points = dict(zip(names, line["views"]["bleu"]["cells"], strict=True))
        assert points["our_change"][1] == pytest.approx(
            np.mean(column(row["variant"], "bleu")) - np.mean(column("base", "bleu")), abs=1e-4
        )
    first = dict(zip(names, study["lines"][1]["views"]["ppl"]["cells"], strict=True))
    assert (
        first["change"] == ["+7.5 %", pytest.approx(100 * (5.29 / 4.92 - 1), abs=1e-4)] and study["lines"][0]["first"]
    )
    assert [line["views"]["ppl"]["cells"][1] for line in study["lines"]] == list(VARIANTS)
    counted = Counter(line["views"]["bleu"]["verdict"] for line in study["lines"][1:])
    assert counted == Counter(variants.VERDICTS[row["verdict"]["bleu"]][0] for row in side_by_side()[1:])
    assert set(counted) <= set(study["verdicts"])
    assert (
        study["lines"][1]["views"]["ppl"]["said"].endswith("; published +7.5 %")
        and "published nothing" in study["lines"][-2]["views"]["ppl"]["said"]
    )


def test_numbers_are_written_with_sign_and_unit():
    assert [variants.signed("ppl", x) for x in (7.52, -0.04, 0.04, None)] == [
        "+7.5 %",
        "0.0 %",
        "0.0 %",
        "–",
    ] and variants.signed("bleu", -1.26) == "−1.3"
    assert [variants.size(x) for x in (65_000_000, 1_250_000, 412_345, 12, None)] == [
        "65 M",
        "1.2 M",
        "412 k",
        "12",
        "–",
    ]


def test_where_a_printed_error_falls():
    rows = {(row.v, row.n, row.d, row.m, row.r): row for row in published.rows()}
    drawn = {
        shape: [*np.random.default_rng(i).gamma(2, 1.5, 15).round(2), row.error if i % 5 == 0 else 3.0]
        for i, (shape, row) in enumerate(rows.items())
    }
    study = configurations.compared(rows, {"1500": ("1,500", drawn), "8000": ("8,000", dict(list(drawn.items())[:9]))})
    assert [sum(key in line["views"] for line in study["lines"]) for key in ("1500", "8000")] == [72, 9]
    for line, (shape, row) in zip(study["lines"], rows.items(), strict=True):
        view, ours = line["views"]["1500"], np.array(drawn[shape])
        below = (ours < row.error).sum() + (ours == row.error).sum() / 2
        assert view["cells"][-1] == [f"{below:g}/16", below / 16] and view["cells"][-2][1] == pytest.approx(
            np.median(ours), abs=1e-4
        )
        assert view["verdict"] == (
            "under"
            if row.error < ours.min()
            else "over"
            if row.error > ours.max()
            else "lower"
            if row.error < np.median(ours)
            else "upper"
        )
        assert view["band"] == pytest.approx(np.quantile(ours, [0.25, 0.75]).tolist(), abs=1e-4) and view[
            "dots"
        ] == sorted(ours)
