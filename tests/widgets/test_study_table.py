"""StudyTable: its JavaScript filters, sorts and counts as NumPy does, and the widget refuses what is no study."""

import json

import numpy as np
import pytest

from course_lib.published import rows as printed
from course_lib.widgets import StudyTable
from tests.shared.graph_node import node
from tests.shared.refusals import refused

READINGS = {"1500": "1,500", "8000": "8,000"}


def study():
    """The printed rows with drawn errors of ours: "8000" only for n = 16, and some errors equal to the printed one."""
    generator, made = np.random.default_rng(0), []
    for i, row in enumerate(printed()):
        ours = {"1500": [*generator.gamma(2, 1.5, 15).round(2), row.error if i % 5 == 0 else 3.0]}
        if row.n == 16:
            ours["8000"] = list(generator.gamma(2, 1.2, 8).round(2))
        sizes = {name: getattr(row, name) for name in ("v", "n", "d", "m", "r", "learnables")}
        made.append({**sizes, "published": row.error, "ours": ours})
    return made


SETTINGS = [
    {"v": 0, "n": 0, "d": 0, "m": 0, "reading": "1500", "sort": "printed", **change}
    for change in (
        {}, {"sort": "-printed"}, {"v": 4}, {"v": 2, "n": 128, "d": 64}, {"m": 4, "sort": "-place"}, {"sort": "published"}, {"reading": "8000", "sort": "-ours"},
        {"reading": "8000", "n": 32}, {"n": 16, "d": 128}, {"sort": "-learnables", "n": 64}, {"sort": "d"}, {"v": 8, "n": 16, "d": 16, "m": 16},
    )
]  # fmt: skip


def blob(widget):
    return json.loads(widget._data[widget.data_keys["study"]])


@pytest.fixture(scope="module")
def page():
    rows = blob(StudyTable(study(), READINGS))["rows"]
    return rows, node("study_table.mjs", {"rows": rows, "settings": SETTINGS, "most": [1, 10, 16.5, 30.5]})


def key_of(row, state):
    name, ours = state["sort"].removeprefix("-"), row["ours"][state["reading"]]
    if name == "ours":
        return np.median(ours)
    if name == "place":
        return np.mean(np.sign(row["published"] - np.array(ours)))
    return 0 if name == "printed" else row[name]


@pytest.mark.parametrize("i", range(len(SETTINGS)))
def test_rows_are_filtered_and_sorted_as_numpy_does(page, i):
    rows, state = page[0], SETTINGS[i]
    kept = [k for k, row in enumerate(rows) if state["reading"] in row["ours"] and all(state[x] in (0, row[x]) for x in "vndm")]
    if state["sort"] == "-printed":
        kept = kept[::-1]
    else:
        kept = sorted(kept, key=lambda k: (-1 if state["sort"][0] == "-" else 1) * key_of(rows[k], state))
    assert page[1]["shown"][i]["indices"] == kept


def test_where_a_published_error_falls(page):
    rows, answer = page
    for k, row in enumerate(rows):
        for reading, ours in row["ours"].items():
            ours = np.array(ours)
            assert answer["below"][k][reading] == (ours < row["published"]).sum() + (ours == row["published"]).sum() / 2
            assert answer["medians"][k][reading] == pytest.approx(np.median(ours))
            assert answer["quartiles"][k][reading] == pytest.approx(np.quantile(ours, [0.25, 0.75]).tolist())


def test_the_words_count(page):
    rows, answer = page
    under = sum(row["published"] < min(row["ours"]["1500"]) for row in rows)
    over = sum(row["published"] > max(row["ours"]["1500"]) for row in rows)
    said = answer["shown"][0]["words"]
    assert said.startswith("72 configurations. ") and f"below all our models in {under}," in said and said.endswith(f"above all of them in {over}.")
    assert "54 of 72 were not run" in answer["shown"][6]["words"]
    assert answer["shown"][7]["words"] == "None of the 15 configurations with n = 32 was run under this reading."
    assert answer["shown"][8]["words"] == "No published configuration has n = 16, d = 128."
    assert answer["shown"][11]["words"].startswith("1 configuration with v = 8, n = 16, d = 16, m = 16. ")


def test_the_scale_is_a_root(page):
    assert page[1]["across"] == [0.5] * 4
    assert page[1]["ticks"] == [[0, 1], [0, 1, 4, 9], [0, 1, 4, 9, 16], [0, 4, 16]]


def test_the_state_holds_a_key_and_the_blob_the_rows():
    widget = StudyTable(study(), READINGS, v=4, sort="-place")
    assert (widget.v, widget.n, widget.reading, widget.sort) == (4, 0, "1500", "-place")
    assert len(blob(widget)["rows"]) == 72 and blob(widget)["readings"] == [["1500", "1,500"], ["8000", "8,000"]]
    assert blob(widget)["rows"][3]["ours"]["1500"] == sorted(round(x, 3) for x in study()[3]["ours"]["1500"])


@pytest.mark.parametrize(("name", "value"), [("v", 3), ("n", True), ("d", "8"), ("m", None), ("reading", "24000")])
def test_what_is_no_setting_is_refused_by_name(name, value):
    refused(lambda **more: StudyTable(study(), READINGS, **more), name, value)


@pytest.mark.parametrize(
    ("key", "value", "name"),
    [("d", 0, r"rows\[0\]\['d'\]"), ("published", float("nan"), r"rows\[0\]\['published'\]"), ("published", None, r"rows\[0\]\['published'\]"),
     ("ours", {"7": [1.0]}, r"rows\[0\]\['ours'\]"), ("ours", {"1500": []}, r"rows\[0\]\['ours'\]\['1500'\]"), ("ours", {"1500": [-1.0]}, r"rows\[0\]\['ours'\]\['1500'\]")],
)  # fmt: skip
def test_a_row_that_is_none_is_refused_by_name(key, value, name):
    with pytest.raises(ValueError, match=f"^{name} must"):
        StudyTable([{**study()[0], key: value}], READINGS)
    for rows, readings, word in (([], READINGS, "rows"), (study(), {}, "readings"), (study(), {"A b": "x"}, "readings")):
        with pytest.raises(ValueError, match=f"^{word} must"):
            StudyTable(rows, readings)
