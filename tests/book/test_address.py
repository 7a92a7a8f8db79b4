"""Settings in a page's address: what is read from a link, what a link holds, and the buttons in a text that set
them."""

import json
import re

import pytest
from course_book.dials import WRITTEN

from tests.shared.graph_node import node
from tests.shared.pages import ROOT

AUTHORED = {"row": 2, "share": 0.5, "shown": True}
HAND = {"address": "hand", "values": AUTHORED}


def visited(url, widgets, steps=(), published=True):
    page = {"published": published, "url": url, "widgets": widgets, "steps": list(steps)}
    return node("address.mjs", {"texts": [], "pages": [page]})["pages"][0]


@pytest.mark.parametrize(
    ("codec", "values"),
    [
        (
            {"kind": "number", "takes": [0, 10]},
            {"2.5": 2.5, "0": 0, "10": 10, "1e1": 10, "10.1": None, "-1": None, "": None, " ": None, "x": None},
        ),
        ({"kind": "whole", "takes": [0, 10]}, {"7": 7, "7.0": None, "1e1": None, "11": None, "": None, "-1": None}),
        ({"kind": "flag"}, {"1": True, "0": False, "": None, "true": None, "2": None}),
        (
            {"kind": "numbers", "takes": [-1, 1], "counts": [2, 3]},
            {"0,1": [0, 1], "0,-0.5,1": [0, -0.5, 1], "0": None, "0,2": None, "0,": None, ",,": None, "0,0,0,0": None},
        ),
        (
            {"kind": "whole", "takes": [2, 64], "step": 2},
            {"2": 2, "64": 64, "7": None, "0": None, "66": None, "4.0": None},
        ),
        ({"kind": "whole", "takes": [0, 7], "from": 1}, {"1": 0, "8": 7, "0": None, "9": None}),
        ({"kind": "text", "takes": [1, 5]}, {"a b": "a b", "": None, "  ": None, "longer": None}),
        ({"kind": "text", "takes": [0, 3]}, {"": "", "  ": "  ", "long": None}),
    ],
)
def test_a_text_that_is_no_setting_is_none(codec, values):
    assert (
        dict(zip(values, node("address.mjs", {"texts": [[codec, list(values)]], "pages": []})["texts"][0], strict=True))
        == values
    )


def test_a_link_sets_what_it_names_and_a_wrong_value_is_left():
    (begun,) = visited("/page.html?hand.row=4&hand.shown=0&hand.share=2&hands.row=5&row=6", [HAND])["begun"]
    assert begun == {"row": 4, "share": 0.5, "shown": False}


def test_two_widgets_of_one_name_have_addresses_of_their_own():
    seen = visited(
        "/page.html?hand.row=4&hand-2.row=5", [HAND, HAND, HAND], [(1, {"row": 6}), (2, {"row": 7}), (0, {"row": 8})]
    )
    assert [each["row"] for each in seen["begun"]] == [4, 5, 2]
    assert seen["urls"][-1] == "/page.html?hand.row=8&hand-2.row=6&hand-3.row=7"


def test_only_what_differs_from_the_authors_settings_is_written():
    steps = [(0, {"share": 0.25}), (0, {"row": 3, "shown": False}), (0, {"share": 0.5, "row": 2}), (0, {"shown": True})]
    urls = visited("/page.html?q=a+b&other.row=1#scale", [HAND], steps)["urls"]
    rest = "q=a%20b&other.row=1"
    assert urls == [
        f"/page.html?{rest}&hand.share=0.25#scale",
        f"/page.html?{rest}&hand.share=0.25&hand.row=3&hand.shown=0#scale",
        f"/page.html?{rest}&hand.shown=0#scale",
        f"/page.html?{rest}#scale",
    ]


@pytest.mark.parametrize(("published", "address"), [(False, "hand"), (True, "")])
def test_in_a_notebook_and_without_a_name_the_address_is_left_alone(published, address):
    url = "/page.html?hand.row=4&.row=5"
    seen = visited(url, [HAND | {"address": address}], [(0, {"row": 7})], published)
    assert seen == {"begun": [AUTHORED], "urls": [url]}


# ---- buttons in the text: each names a widget of its page, settings that this widget has, and a place there
USED = re.compile(r"\{dials\}`([^`]+)`")
SOURCES = [
    path
    for folder in ("chapters", "labs", "book")
    for path in sorted((ROOT / folder).rglob("*.md"))
    if "{dials}`" in path.read_text()
]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_a_button_sets_what_its_page_has(source):
    text = source.read_text()
    for used in USED.findall(text):
        _, settings, label = WRITTEN.fullmatch(used).groups()
        assert f"({label})=" in text
        for name, setting, _ in re.findall(r"([\w-]+)\.(\w+)=([^&]+)", settings):
            kind = re.search(rf"""(\w+)\([^)]*address="{name}\"""", text)[1]
            room = re.sub(r"(?<!^)([A-Z])", r"_\1", kind).lower()
            assert setting in json.loads((ROOT / "course_lib" / "widgets" / room / "settings.json").read_text())


def test_there_are_buttons():
    assert SOURCES


@pytest.mark.parametrize("wrong", ["explorer.d=8#w", "Set <explorer.d=8>", "Set <d=8#w>", "Set <explorer.d=8&<b>#w>"])
def test_what_is_no_button_is_refused(wrong):
    assert not WRITTEN.fullmatch(wrong)
