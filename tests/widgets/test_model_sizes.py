"""ModelSizes: its JavaScript counts as Python does, over the 72 printed rows and beyond; what it refuses."""

import re

import pytest

from course_lib.memoryless import Sizes, count, shapes
from course_lib.published import rows
from course_lib.widgets import ModelSizes
from tests.shared.graph_node import call, js

PRINTED = [[row.v, row.n, row.d, row.m, row.r, row.learnables] for row in rows()]
OTHERS = [(4, 8, 4, 4, 16), (1, 1, 1, 1, 1), (64, 512, 512, 512, 2048), (5, 7, 11, 13, 17), (3, 100, 2, 9, 1)]
CASES = [Sizes(*row[:5]) for row in PRINTED] + [Sizes(*sizes) for sizes in OTHERS]
ROOM = 300
SLIDERS, WORDS = js("model_sizes/controls.js"), js("model_sizes/words.js")


@pytest.fixture(scope="module")
def page():
    stops = {name: SLIDERS.stops(name) for name in "vndmr"}
    nearest = [stops["n"][SLIDERS.nearest(stops["n"], x)] for x in (1, 9, 10, 600, 10000)]
    return counted(PRINTED, CASES, stops=stops, nearest=nearest, places=[WORDS.place(i) for i in range(len(PRINTED))])


def counted(rows, cases, **more):
    page = js("model_sizes/count.js")

    def asked(sizes):
        sizes = sizes._asdict()
        parts = page.learnables(sizes)
        return {
            "parts": parts, "untrained": parts.map(page.untrained), "unit": js("model_sizes/block.js").unit(parts,
            ROOM), "count": page.count(sizes),
            "row": page.rowOf(sizes, rows), "words": WORDS.words(sizes), "verdict": WORDS.verdict(sizes, rows),
            "shares": page.shares(sizes),
        }  # fmt: skip

    (found,) = call({"agreeing": page.agreeing(rows), "cases": [asked(sizes) for sizes in cases], **more})
    for case in found["cases"]:
        parts = case["parts"]
        case["shapes"] = {
            each["key"]: [each["columns"]] if each.get("vector") else [each["rows"], each["columns"]] for each in parts
        }
        case["untrained"] = dict(zip(case["shapes"], case["untrained"], strict=True))
        case["widest"], case["tallest"] = (max(each[side] for each in parts) for side in ("columns", "rows"))
    return found


@pytest.mark.parametrize("i", range(len(CASES)))
def test_the_page_counts_as_python_does(page, i):  # R1, R-E1
    answer, sizes = page["cases"][i], CASES[i]
    assert {name: tuple(shape) for name, shape in answer["shapes"].items()} == shapes(sizes)
    assert list(answer["shapes"]) == list(shapes(sizes))
    assert answer["count"] == count(sizes)
    assert sum(part["count"] for part in answer["shares"]) == count(sizes)
    assert sum(part["share"] for part in answer["shares"]) == pytest.approx(1)
    assert f"has {count(sizes):,} numbers" in answer["words"]
    if i < 72:
        assert answer["count"] == PRINTED[i][5]


def test_the_parts_are_those_of_table_1(page):
    v, n, d, m, r = 5, 7, 11, 13, 17
    parts = {part["key"]: part["count"] for part in page["cases"][CASES.index((v, n, d, m, r))]["shares"]}
    assert parts == {
        "words": (v + 1) * d, "places": n * d, "attention": 4 * d * m + 3 * m + d, "forward": 2 * d * r + r + d,
        "norms": 4 * d, "readout": d * v + v,
    }  # fmt: skip


def test_a_row_is_found_by_its_sizes(page):
    assert page["agreeing"] == 72
    for i, row in enumerate(rows()):
        assert page["cases"][i]["row"] == i and page["places"][i]["table"] == row.table
        table, row_in_it = page["places"][i]["table"], page["places"][i]["row"]
        assert page["cases"][i]["verdict"].startswith(
            f"Row {row_in_it} of Table {table} prints {row.learnables:,}; computed: {row.learnables:,}, the same."
        )
    example, other = page["cases"][72], page["cases"][75]
    assert example["row"] == other["row"] == -1
    assert "prints 316" in example["verdict"] and "No printed row" in other["verdict"]
    assert other["verdict"].endswith("Of the 72 printed rows, 72 have the count computed here.")


def test_what_never_learns_is_w_k_and_the_last_row_of_e(page):  # R-E14, whose own test differentiates
    for sizes, answer in zip(CASES, page["cases"], strict=True):
        assert {name: lost for name, lost in answer["untrained"].items() if lost} == {"E": sizes.d, "w_k": sizes.m}


def test_the_share_that_never_learns_is_no_zero(page):
    for sizes, answer in zip(CASES, page["cases"], strict=True):
        said = re.search(r"\(([\d.]+) %\) never learn", answer["words"])[1]
        half = 0.5 * 10.0 ** -len(said.partition(".")[2])
        assert float(said) > 0 and float(said) == pytest.approx(
            100 * (sizes.m + sizes.d) / count(sizes), abs=1.01 * half
        )


def test_a_wrong_printed_count_would_be_told():
    wrong = [[*row[:5], row[5] + (i == 3)] for i, row in enumerate(PRINTED)]
    answer = counted(wrong, CASES[3:4])
    assert answer["agreeing"] == 71
    assert "not the same" in answer["cases"][0]["verdict"]


def test_one_scale_fits_all_rectangles(page):
    for answer in page["cases"]:
        assert answer["widest"] * answer["unit"] <= ROOM + 1e-9 and answer["tallest"] * answer["unit"] <= 132 + 1e-9
        assert answer["unit"] <= 11


def test_sliders_stop_at_every_printed_size(page):
    assert ModelSizes().published == PRINTED
    for k, name in enumerate("vndmr"):
        stops = page["stops"][name]
        assert stops == sorted(set(stops)) and stops[0] == 1
        assert {row[k] for row in PRINTED} <= set(stops)
        assert stops[-1] == (64, 512, 512, 512, 2048)[k]
    assert page["nearest"] == [1, 8, 10, 512, 512]
