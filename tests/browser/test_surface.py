"""The surface in the published page: turned, marked and read by keyboard, with the stored heights in its words."""

import re

import pytest

from course_lib.results import load
from tests.shared.pages import drawn, opened, rested, small_targets
from tests.shared.room import CONTROLS

pytestmark = pytest.mark.browser
PAGE = "chapters/03_transformer/10_residual_norm.html"
TABLE = load("residual_norm")
HEIGHTS = [TABLE["surfaces"][f"{variant} | 1"]["z"] for variant in ("pre", "no skip")]
MIDDLE = len(HEIGHTS[0]) // 2
PICTURES = "root => [...root.querySelectorAll('canvas')].map(canvas => canvas.toDataURL())"


def surface(page):
    return page.locator(".srf").first


def pictures(page):
    drawn(page)
    return surface(page).evaluate(PICTURES)


def slider(page, name):
    return surface(page).locator(".course-slider").filter(has_text=name).locator("input")


def heights_in(text):
    """The numbers that the marker's sentence gives after "loss"."""
    assert "loss" in text
    return [float(number) for number in re.findall(r"[\d.]+", text.split("loss")[1].rstrip("."))]


def test_arrow_keys_turn_both_surfaces_together(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        widget, before = surface(page), pictures(page)
        azimuth, elevation = (float(widget.get_attribute(f"data-{name}")) for name in ("azimuth", "elevation"))
        widget.locator(".srf-face").nth(1).focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
        after = pictures(page)
        assert float(widget.get_attribute("data-azimuth")) == azimuth + 5 and float(widget.get_attribute("data-elevation")) == elevation + 5
        assert len(before) == 2 and all(old != new for old, new in zip(before, after, strict=True))
        assert slider(page, "turn").input_value() == str(round(azimuth + 5))
        assert troubles == []


def test_the_marker_tells_the_stored_heights(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        widget = surface(page)
        for name, keys in (("marker, α", ["Home"]), ("marker, β", ["End", "ArrowLeft"])):
            slider(page, name).focus()
            for key in keys:
                page.keyboard.press(key)
        rested(page)
        row, column = len(HEIGHTS[0]) - 2, 0
        assert widget.get_attribute("data-marker") == f"{row},{column}"
        words = widget.locator(".srf-words").inner_text()
        assert words.startswith("At α = −1, β = 0.917: loss ")
        assert heights_in(words) == pytest.approx([z[row][column] for z in HEIGHTS], rel=6e-3)
        assert widget.locator("[role=status]").inner_text() == words  # spoken too
        widget.locator(".srf-face").first.focus()
        page.keyboard.press("Shift+ArrowRight")
        drawn(page)
        assert widget.get_attribute("data-marker") == f"{row},{column + 1}"
        widget.get_by_role("button", name="lowest point without skip").press("Enter")
        drawn(page)
        lowest = min((value, i, j) for i, line in enumerate(HEIGHTS[1]) for j, value in enumerate(line))
        assert widget.get_attribute("data-marker") == f"{lowest[1]},{lowest[2]}"
        assert troubles == []


def test_a_drag_turns_and_a_click_marks(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        widget, face = surface(page), surface(page).locator(".srf-face").first
        face.scroll_into_view_if_needed()
        box, azimuth = face.bounding_box(), float(widget.get_attribute("data-azimuth"))
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 40, y + 30, steps=4)
        page.mouse.up()
        drawn(page)
        assert float(widget.get_attribute("data-azimuth")) == pytest.approx(azimuth - 20, abs=1)
        marker = widget.get_attribute("data-marker")
        page.mouse.click(x - box["width"] / 5, y - 10)
        drawn(page)
        assert widget.get_attribute("data-marker") != marker
        assert troubles == []


def test_scales_views_and_the_address(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        widget = surface(page)
        legend = widget.locator(".srf-legend")
        assert legend.nth(0).inner_text() == legend.nth(1).inner_text()
        widget.get_by_role("switch", name="one scale").press("Space")
        drawn(page)
        assert legend.nth(0).inner_text() != legend.nth(1).inner_text()
        painted = pictures(page)
        widget.get_by_role("switch", name="logarithm").press("Space")
        assert pictures(page) != painted
        widget.get_by_role("radio", name="map").focus()
        page.keyboard.press("Space")
        drawn(page)
        assert widget.get_attribute("data-view") == "map" and not slider(page, "turn").is_visible()
        widget.locator(".srf-face").first.focus()
        for key in ("ArrowRight", "ArrowUp", "ArrowUp"):
            page.keyboard.press(key)
        rested(page)
        link = page.url
        shown = {name: widget.get_attribute(f"data-{name}") for name in ("view", "scale", "log", "marker", "azimuth")}
        assert shown["scale"] == "own" and troubles == []
    with opened(browser, link) as (page, troubles):
        assert {name: surface(page).get_attribute(f"data-{name}") for name in shown} == shown
        surface(page).get_by_role("button", name="reset").press("Enter")
        rested(page)
        assert surface(page).get_attribute("data-view") == "surface" and "loss." not in page.url
        assert troubles == []


def test_nonsense_in_the_address_is_passed_over(browser, site):
    address = f"{site}{PAGE}?loss.view=wall&loss.marker=99,1&loss.zoom=9&loss.azimuth=north&loss.elevation=60"
    with opened(browser, address) as (page, troubles):
        widget = surface(page)
        assert [widget.get_attribute(f"data-{name}") for name in ("view", "zoom", "elevation")] == ["surface", "1", "60"]
        assert widget.get_attribute("data-marker") != "99,1"
        assert troubles == []


def test_on_a_phone_the_surfaces_stand_one_above_the_other_with_large_targets(browser, site):
    with opened(browser, site + PAGE, width=375) as (page, _):
        first, second = (surface(page).locator("figure").nth(k).bounding_box() for k in range(2))
        assert second["y"] > first["y"] + first["height"] - 1 and first["x"] + first["width"] <= 375
        assert small_targets(surface(page), ", ".join(f"{kind}:visible" for kind in CONTROLS)) == []


def test_dark_and_light_are_drawn_anew(browser, book):
    with opened(browser, (book / PAGE).as_uri()) as (page, troubles):
        light = pictures(page)
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        assert pictures(page) != light
        assert troubles == []
