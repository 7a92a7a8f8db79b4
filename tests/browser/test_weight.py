"""The layout of a page does not jump. (What a page weighs is asked in its visit, tests/browser/test_pages.py; times are
`make benchmarks`' to print.)"""

import time

import pytest

from tests.shared.vitals import LIMIT_SHIFT, visited, vitals

pytestmark = pytest.mark.browser
HELD = "chapters/03_transformer/attention.html"
JUMPY = ["book/index.html", "chapters/02_attention/seven_steps.html", HELD, "chapters/03_transformer/explorer.html"]


def late(route):
    """It comes when the page has long been seen."""
    time.sleep(0.4)
    route.continue_()


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("page_path", JUMPY)
def test_a_page_does_not_jump(browser, site, page_path, width):
    """Neither for letters that come late, nor for what is covered late, nor for a figure that starts when it is
    near."""
    with visited(browser, site, page_path, width=width, routes={"**/*.woff2": late, "**/book.js*": late}) as (page, _):
        found = vitals(page, scroll=True, pause=60)
        assert found["shift"] <= LIMIT_SHIFT, found["shifts"]


def test_letters_that_come_late_break_no_line_anew(browser, site):
    """0.002 as it is, 0.05 where they take the stand-in's place as they come."""
    with visited(browser, site, HELD, width=375, routes={"**/*.woff2": late}) as (page, _):
        assert vitals(page)["shift"] <= LIMIT_SHIFT / 3


def test_a_jump_is_measured(browser, site):
    with visited(browser, site, "book/how_to_read.html") as (page, _):
        before = vitals(page)["shift"]
        page.evaluate(
            "document.querySelector('article').prepend(Object.assign(document.createElement('p'), { style: "
            "'height: 500px' }))"
        )
        page.wait_for_function("most => __vitals.shift > most", arg=before + LIMIT_SHIFT)
