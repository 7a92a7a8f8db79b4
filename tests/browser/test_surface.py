"""Surface in a real Chromium, on a page of its own: turned, marked and read by keyboard, with its heights in its
words."""

import re

import numpy as np
import pytest

from course_lib.widgets import Surface
from tests.shared.pages import drawn, rested
from tests.shared.widget_alone import alone, data, drag, middle, number, pictures, slider

AXIS = np.linspace(-1, 1, 25)
HEIGHTS = [1 + AXIS[:, None] ** 2 + AXIS**2, 2 + np.abs(AXIS[:, None] - 0.5) + (AXIS + 0.25) ** 2]
SHOWN = ("view", "scale", "log", "marker", "azimuth")
visit = alone(
    lambda: [
        Surface(
            dict(zip(("with skip", "without skip"), HEIGHTS, strict=True)),
            AXIS,
            AXIS,
            x_name="α",
            y_name="β",
            z_name="loss",
            address="loss",
            description="two bowls",
        )
    ]
)


def surface(page):
    return page.locator(".srf")


def heights_in(text):
    """The numbers that the marker's sentence gives after "loss"."""
    assert "loss" in text
    return [float(number) for number in re.findall(r"[\d.]+", text.split("loss")[1].rstrip("."))]


def test_arrow_keys_turn_both_surfaces_together(visit):
    with visit() as page:
        widget = surface(page)
        before = pictures(widget)
        azimuth, elevation = number(widget, "azimuth"), number(widget, "elevation")
        widget.locator(".srf-face").nth(1).focus()
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowUp")
        after = pictures(widget)
        assert number(widget, "azimuth") == azimuth + 5 and number(widget, "elevation") == elevation + 5
        assert len(before) == 2 and all(old != new for old, new in zip(before, after, strict=True))
        assert slider(widget, "turn").input_value() == str(round(azimuth + 5))


def test_the_marker_tells_the_stored_heights(visit):
    with visit() as page:
        widget = surface(page)
        for name, keys in (("marker, α", ["Home"]), ("marker, β", ["End", "ArrowLeft"])):
            slider(widget, name).focus()
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
        lowest = np.unravel_index(HEIGHTS[1].argmin(), HEIGHTS[1].shape)
        assert widget.get_attribute("data-marker") == f"{lowest[0]},{lowest[1]}"


def test_a_drag_turns_and_a_click_marks(visit):
    with visit() as page:
        widget, face = surface(page), surface(page).locator(".srf-face").first
        face.scroll_into_view_if_needed()
        azimuth, (x, y) = number(widget, "azimuth"), middle(face)
        drag(page, face, 40, 30)
        drawn(page)
        assert number(widget, "azimuth") == pytest.approx(azimuth - 20, abs=1)
        marker = widget.get_attribute("data-marker")
        page.mouse.click(x - 70, y - 10)
        drawn(page)
        assert widget.get_attribute("data-marker") != marker


def test_scales_views_and_the_address(visit):
    with visit() as page:
        widget = surface(page)
        legend = widget.locator(".srf-legend")
        assert legend.nth(0).inner_text() == legend.nth(1).inner_text()
        widget.get_by_role("switch", name="one scale").press("Space")
        drawn(page)
        assert legend.nth(0).inner_text() != legend.nth(1).inner_text()
        painted = pictures(widget)
        widget.get_by_role("switch", name="logarithm").press("Space")
        assert pictures(widget) != painted
        widget.get_by_role("radio", name="map").focus()
        page.keyboard.press("Space")
        drawn(page)
        assert widget.get_attribute("data-view") == "map" and not slider(widget, "turn").is_visible()
        widget.locator(".srf-face").first.focus()
        for key in ("ArrowRight", "ArrowUp", "ArrowUp"):
            page.keyboard.press(key)
        rested(page)
        link = page.url
        shown = data(widget, *SHOWN)
        assert "own" in shown
    with visit(link.split("?")[1]) as page:
        assert data(surface(page), *SHOWN) == shown
        surface(page).get_by_role("button", name="reset").press("Enter")
        rested(page)
        assert surface(page).get_attribute("data-view") == "surface" and "loss." not in page.url
