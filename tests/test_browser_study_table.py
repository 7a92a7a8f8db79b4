"""StudyTable in a real Chromium, on a page of its own: filter and sort by keyboard, from the address, on a phone, accessible."""

import threading

import pytest
from barriers import barriers
from pages import opened
from test_study_table import READINGS, blob, study
from widget_page import widget_page

from course_lib.widgets import StudyTable

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a served page with one table of drawn errors."""
    from serve import server

    folder = tmp_path_factory.mktemp("study")
    widget_page(folder, [StudyTable(study(), READINGS)], "Study")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def holds(page, **state):
    for name, value in state.items():
        page.wait_for_function("([name, value]) => document.querySelector('.sty').dataset[name] === value", arg=[name, str(value)])


def lines(page):
    """The cells of the rows shown, as texts."""
    return page.locator(".sty tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")


def test_every_row_and_its_strip_are_there(browser, address):
    with opened(browser, address) as (page, troubles):
        rows = blob(StudyTable(study(), READINGS))["rows"]
        assert [line[:4] for line in lines(page)] == [[str(row[name]) for name in "vndm"] for row in rows]
        strips = page.locator(".sty-strip")
        assert strips.count() == 72
        assert strips.nth(7).get_attribute("aria-label").startswith(f"published {rows[7]['published']:.2f}; ours from {min(rows[7]['ours']['1500']):.2f} to")
        assert strips.nth(7).locator("circle").count() == 16
        assert page.locator(".sty-words").inner_text().startswith("72 configurations.")
        assert troubles == []


def test_filter_sort_and_reading_by_keyboard(browser, address):
    with opened(browser, address) as (page, troubles):
        page.get_by_role("group", name="Show v").get_by_role("radio", name="all").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        holds(page, v=4, rows=24)
        page.get_by_role("button", name="sort by published error").press("Enter")
        holds(page, sort="published")
        errors = [float(line[7]) for line in lines(page)]
        assert errors == sorted(errors) and {line[0] for line in lines(page)} == {"4"}
        assert page.locator("th[data-key=published]").get_attribute("aria-sort") == "ascending"
        page.get_by_role("button", name="sort by published error").press("Space")
        holds(page, sort="-published")
        assert [float(line[7]) for line in lines(page)] == errors[::-1]
        page.get_by_role("group", name="Updates in all").get_by_role("radio", name="8,000").focus()
        page.keyboard.press("Space")
        holds(page, reading="8000", rows=6)
        assert "18 of 24 were not run" in page.locator(".sty-words").inner_text()
        page.wait_for_url("**study.v=4**")
        page.get_by_role("button", name="reset").press("Enter")
        holds(page, v=0, sort="printed", reading="1500", rows=72)
        assert troubles == []


def test_the_address_brings_the_table_back(browser, address):
    with opened(browser, f"{address}?study.v=8&study.n=16&study.sort=-place&study.reading=8000") as (page, troubles):
        holds(page, v=8, n=16, sort="-place", reading="8000", rows=6)
        assert troubles == []
    with opened(browser, f"{address}?study.v=3&study.n=x&study.sort=up&study.reading=9") as (page, troubles):
        holds(page, v=0, n=0, sort="printed", reading="1500", rows=72)  # what is no setting is left alone
        assert troubles == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 375), ("dark", 1280)])
def test_it_fits_a_phone_and_is_accessible(browser, address, scheme, width):
    with opened(browser, address, scheme=scheme, width=width) as (page, troubles):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", scheme)
        page.wait_for_selector(f".sty[data-course-theme={scheme}]")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = page.locator(".sty-scroll").evaluate("box => [box.scrollWidth, box.clientWidth]")
        assert box[0] <= box[1]  # nothing of a row is hidden to the right
        heights = page.locator(".sty .course-choice label, .sty button:visible").evaluate_all("all => all.map(x => x.getBoundingClientRect().height)")
        assert min(heights) >= 24
        assert barriers(page) == []
        assert troubles == []
