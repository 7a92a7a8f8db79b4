"""The residual stream on a page of its own: views, cells by keys and pointer, a link."""

import pytest

from course_lib.results import load
from course_lib.widgets import ResidualStream
from tests.shared.widget_alone import alone, holds, number, settled, words

pytestmark = pytest.mark.browser
visit = alone(lambda: [ResidualStream(load("residual_stream")["pairs"])])


def stream(page):
    page.wait_for_selector(".strm[aria-busy=false]")
    return page.locator(".strm")


def test_a_cell_is_chosen_by_keys_and_by_pointer(visit):
    with visit("stream.view=patched") as page:
        root = stream(page)
        face = root.locator(".layer-face")
        face.press("Home")
        holds(root, layer=0, token=4)
        assert number(settled(root), "value") == pytest.approx(1, abs=2e-3)
        for key in ("PageUp", "ArrowRight", "ArrowDown", "ArrowDown"):
            face.press(key)
        holds(root, layer=6, token=5)
        face.press("End")
        holds(root, layer=30)
        assert number(settled(root), "value") == pytest.approx(1, abs=2e-3)
        assert words(root) == face.get_attribute("aria-valuetext").replace("\u00a0", " ")
        box = face.bounding_box()
        page.mouse.click(box["x"] + box["width"] * 15.5 / 31, box["y"] + box["height"] * 3.5 / 5)
        holds(root, layer=15, token=4)
        root.get_by_role("radio", name="C, Japan").press("Space")
        holds(root, source="C")
        assert "Japan" in words(root)


def test_views_and_pairs_follow_a_link(visit):
    with visit("stream.view=erased&stream.pair=3&stream.fill=zero&stream.layer=0&stream.part=10") as page:
        root = stream(page)
        holds(root, view="erased", pair=4 - 1, fill="zero", layer=0, part=10)
        assert "the feed-forward layer 0" in words(root)
        root.get_by_role("radio", name="contributions").press("Space")
        holds(root, view="written")
        root.get_by_role("combobox").select_option("2")
        holds(root, pair=3)
        assert "logit(tea)" in words(root)
