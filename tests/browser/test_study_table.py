"""StudyTable in a real Chromium, on a page of its own: filter and sort by keyboard, from the address, on a phone."""

import pytest

from course_lib.widgets import StudyTable
from tests.shared.widget_alone import alone, holds
from tests.widgets.test_study_table import READINGS, blob, study

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
