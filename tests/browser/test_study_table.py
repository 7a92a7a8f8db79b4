"""StudyTable in a real Chromium, on a page of its own: filter and sort by keyboard, from the address, on a phone."""

import pytest

from course_lib.widgets import StudyTable
from tests.shared.widget_alone import alone, holds
from tests.widgets.test_study_table import READINGS, blob, study

pytestmark = pytest.mark.browser
visit = alone(lambda: [StudyTable(study(), READINGS)])


def lines(page):
    """The cells of the rows shown, as texts."""
    return page.locator(".sty tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")


def test_every_row_and_its_strip_are_there(visit):
    with visit() as page:
        rows = blob(StudyTable(study(), READINGS))["rows"]
        assert [line[:4] for line in lines(page)] == [[str(row[name]) for name in "vndm"] for row in rows]
        strips = page.locator(".cmp-picture")
        assert strips.count() == 72
        assert strips.nth(7).get_attribute("aria-label").startswith(f"published {rows[7]['published']:.2f}; ours from {min(rows[7]['ours']['1500']):.2f} to")
        assert strips.nth(7).locator("circle").count() == 16
        assert page.locator(".cmp-words").inner_text().startswith("72 configurations.")


def test_filter_sort_and_reading_by_keyboard(visit):
    with visit() as page:
        page.get_by_role("group", name="Show v").get_by_role("radio", name="all").focus()
        page.keyboard.press("ArrowRight")
        page.keyboard.press("ArrowRight")
        holds(page.locator(".sty"), v=4, rows=24)
        page.get_by_role("button", name="sort by published error").press("Enter")
        holds(page.locator(".sty"), sort="published")
        errors = [float(line[7]) for line in lines(page)]
        assert errors == sorted(errors) and {line[0] for line in lines(page)} == {"4"}
        assert page.locator("th[data-key=published]").get_attribute("aria-sort") == "ascending"
        page.get_by_role("button", name="sort by published error").press("Space")
        holds(page.locator(".sty"), sort="-published")
        assert [float(line[7]) for line in lines(page)] == errors[::-1]
        page.get_by_role("group", name="Updates in all").get_by_role("radio", name="8,000").focus()
        page.keyboard.press("Space")
        holds(page.locator(".sty"), reading="8000", rows=6)
        assert "18 of 24 were not run" in page.locator(".cmp-words").inner_text()
        page.wait_for_url("**study.v=4**")
        page.get_by_role("button", name="reset").press("Enter")
        holds(page.locator(".sty"), v=0, sort="printed", reading="1500", rows=72)


def test_the_address_brings_the_table_back(visit):
    with visit("study.v=8&study.n=16&study.reading=8000") as page:
        holds(page.locator(".sty"), v=8, n=16, reading="8000", rows=6)
    with visit("study.v=3&study.n=x&study.reading=9") as page:
        holds(page.locator(".sty"), v=0, n=0, reading="1500", rows=72)  # what the study does not have is left alone


@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_of_a_row_is_hidden_to_the_right(visit, width):
    with visit(width=width) as page:
        box = page.locator(".cmp-scroll").evaluate("box => [box.scrollWidth, box.clientWidth]")
        assert box[0] <= box[1]
