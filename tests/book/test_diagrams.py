"""Diagrams: what the layout promises of every one of the book, and what it refuses."""

import json
import re
from itertools import combinations, pairwise

import pytest
from course_book.diagrams import sizes
from course_book.grid import NARROW, Diagram

from course_lib.shipped import translator
from tools.repository import ROOT

STORED = {path.stem: path.read_text() for path in sorted((ROOT / "book/data/diagrams").glob("*.txt"))}
SOURCES = STORED | {
    title: "\n".join(line for line in body.split("\n") if not line.startswith(":name:")).strip()
    for path in sorted((ROOT / "chapters").rglob("*.myst.md"))
    for title, body in re.findall(r"^```\{diagram\} (.+?)\n(.*?)^```$", path.read_text(), re.S | re.M)
    if ":from:" not in body
}
SMALL = """
. c
a b
---
token a=x_1 b=x_2
state c=s
---
First. :: a->b
Then. :: b->c{w}
---
-> what is read
"""


@pytest.mark.parametrize("title", SOURCES)
def test_boxes_lie_apart_and_arrows_end_at_their_boxes(title):
    diagram = Diagram(SOURCES[title])
    for grid in diagram.grids:
        boxes = diagram.places(grid)
        for one, other in combinations(boxes.values(), 2):
            assert one.right < other.left or other.right < one.left or one.bottom < other.top or other.bottom < one.top
        for arrow, way in zip(diagram.arrows, diagram.ways(boxes), strict=True):
            for (x, y), name in ((way[0], arrow.start), (way[-1], arrow.end)):
                box = boxes[name]
                on_side = min(abs(x - box.left), abs(x - box.right)) < 1 and box.top <= y <= box.bottom
                assert on_side or (min(abs(y - box.top), abs(y - box.bottom)) < 1 and box.left <= x <= box.right), (
                    arrow,
                    box,
                )
            if arrow.line != ".>":
                assert all(x0 == x1 or y0 == y1 for (x0, y0), (x1, y1) in pairwise(way)), arrow
        assert diagram.size(boxes)[0] <= (NARROW if grid is diagram.grids[-1] else 700)


@pytest.mark.parametrize("title", SOURCES)
def test_arrows_that_meet_at_a_side_do_not_lie_on_each_other(title):
    diagram = Diagram(SOURCES[title])
    for grid in diagram.grids:
        ends = [
            tuple(map(round, way[-1]))
            for arrow, way in zip(diagram.arrows, diagram.ways(diagram.places(grid)), strict=True)
            if arrow.line != ".>"
        ]
        assert len(set(ends)) == len(ends)


def test_a_label_lies_within_the_picture():
    diagram = Diagram(SMALL)
    wide = Diagram(SMALL.replace("{w}", "{a long label}"))
    sizes = [each.size(each.places(each.grids[0]))[0] for each in (diagram, wide)]
    assert sizes[1] > sizes[0] + 60


def test_each_step_draws_something_and_says_it():
    for title, source in SOURCES.items():
        diagram = Diagram(source)
        drawn = {arrow.step for arrow in diagram.arrows} | set(diagram.born.values())
        assert drawn == set(range(1, len(diagram.steps) + 1)) and all(step for step in diagram.steps), title


def test_a_picture_is_described_and_its_indices_are_set():
    svg = Diagram(SMALL).pictures("A & B", "steps")
    assert 'aria-label="A &amp; B" aria-describedby="steps"' in svg and svg.count("<svg") == 1
    assert re.search(r'>x<tspan dy="4" font-size="72%">1</tspan>', svg) and ">w</text>" in svg
    assert 'data-step="2"' in svg and "what is read" in Diagram(SMALL).key()


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("a b", "a z", "in a grid or among the boxes only: b, z"),
        ("token", "taken", "a box is one of .*got 'taken'"),
        ("a->b", "a->q", "names 'q'"),
        ("\n---\nFirst", "\nFirst", "got 3 parts|among the boxes|a box is one of"),
        (". c\na b", "a c b", "from a to b runs through c"),
        ("b=x_2", "b='a label that is far too long for the screen of a phone'", "at most 340 pixels"),
    ],
)
def test_what_is_wrong_is_named(old, new, named):
    with pytest.raises(ValueError, match=named):
        Diagram(SMALL.replace(old, new, 1)).pictures("t", "steps")


def test_a_part_of_a_stored_picture_lights_its_boxes_and_pales_the_others():
    diagram = Diagram(STORED["transformer"])
    small = diagram.svg(diagram.grids[-1], "part", "", lit={"cross", "stock"})
    assert small.count("course-dg-pale") == len(diagram.kind) - 2 and "aria-describedby" not in small
    lit = re.findall(r'class="course-dg-box course-dg-\w+" data-name="(\w+)"', small)
    assert sorted(lit) == ["cross", "stock"]


def test_every_part_that_a_page_lights_is_there():
    asked = [
        (path.stem, *found)
        for path in sorted((ROOT / "chapters").rglob("*.myst.md"))
        for found in re.findall(r"[:`]\{part\} (\w+) (.+)", path.read_text())
    ]
    assert len(asked) > 10
    assert [each for each in asked if not set(each[2].split()) <= set(Diagram(STORED[each[1]]).kind)] == []


def test_the_chapters_picture_has_the_sizes_of_the_model_below_it():
    given = json.loads(
        sizes(
            re.search(
                r":from: transformer\n:sizes: (.+)", (ROOT / "chapters/03_transformer/journey.myst.md").read_text()
            )[1]
        )
    )
    model, _, target, _ = translator()
    h, d, m = model.encoder.blocks[0].attention.W_Q.shape
    assert given == {"s": 8, "n": 3, "d": d, "h": h, "m": m, "v": len(target)}


@pytest.mark.parametrize("text", ["", "n", "n=0", "n=x", "nn=3", "n=3 =4"])
def test_a_size_is_a_letter_and_a_whole_number(text):
    with pytest.raises(ValueError, match="sizes must be letters with whole numbers"):
        sizes(text)
