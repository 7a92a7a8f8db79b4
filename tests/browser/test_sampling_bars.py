"""What a real model says next, on a page of its own: temperature, text and draws by keyboard."""

import pytest

from course_lib.results import load
from course_lib.widgets import SamplingBars
from tests.shared.widget_alone import alone, button, holds, reaches, words

pytestmark = pytest.mark.browser
visit = alone(lambda: [SamplingBars(load("next_words")["distributions"])])


def bars(page):
    page.wait_for_selector(".spb[aria-busy=false]")
    return page.locator(".spb")


def test_temperature_text_and_draws_by_keyboard(visit):
    with visit() as page:
        root = bars(page)
        dial = root.get_by_role("slider", name="temperature")
        before = float(root.get_attribute("data-first"))
        dial.press("PageDown")
        reaches(root, "first", f"Number(x) > {before}")
        assert "“friend”" in words(root)
        drawn = root.get_attribute("data-drawn")
        button(root, "draw again").press("Enter")
        reaches(root, "drawn", f"x !== '{drawn}'")
        holds(root, seed=3)
        root.get_by_role("combobox").select_option("3")
        holds(root, text=4)
        assert "Paris" in words(root)
