"""A deck in a real Chromium: from a folder, by keyboard, with a live figure, its notes, and as a handout."""

import pytest

from tests.shared.barriers import barriers
from tests.shared.pages import drawn, opened

pytestmark = pytest.mark.browser
DECK = "chapters/03_transformer/05_temperature_slides.html"
PRESENT = "section.present:not(.stack)"


@pytest.mark.parametrize("scheme, width", [("light", 1200), ("dark", 375)])
def test_slides_are_turned_by_keyboard_and_a_live_figure_keeps_its_keys(browser, book, scheme, width):
    with opened(browser, (book / DECK).as_uri(), wait=False, fresh=True, scheme=scheme, width=width) as (page, troubles):
        page.wait_for_function("globalThis.Reveal?.isReady()")
        page.keyboard.press("ArrowRight")
        dial = page.locator(f"{PRESENT} .course-widget[data-ready] input[type=range]").first
        dial.wait_for()
        place, before = page.evaluate("Reveal.getIndices()"), dial.input_value()
        dial.press("ArrowLeft")
        assert dial.input_value() != before and page.evaluate("Reveal.getIndices()") == place
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        dial.evaluate("dial => dial.blur()")
        page.keyboard.press("ArrowRight")
        page.wait_for_function("document.querySelector('section.present:not(.stack) .katex')")
        drawn(page)
        assert barriers(page, None, [[PRESENT]]) == []
        with page.context.expect_page() as opening:
            page.keyboard.press("s")
        speaker = opening.value
        speaker.wait_for_function("document.querySelector('.speaker-controls-notes .value')?.innerText.startsWith('Sampling')")
        assert troubles == []


def test_a_handout_draws_everything_and_shows_the_notes(browser, book):
    with opened(browser, f"{(book / DECK).as_uri()}?handout", wait=False) as (page, troubles):
        page.wait_for_function("[...document.querySelectorAll('.course-widget, .course-plotly')].every(each => each.dataset.ready)")
        notes = page.locator("aside.notes")
        assert notes.count() > 5 and all(each.is_visible() for each in notes.all())
        assert troubles == []
