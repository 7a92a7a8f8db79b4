"""StudyTable in a real Chromium, on a page of its own: filter and sort by keyboard, from the address, on a phone."""

from course_lib.widgets import StudyTable
from tests.shared.pages import rested
from tests.shared.widget_alone import alone, holds
from tests.widgets.test_study_table import small

visit = alone(lambda: [StudyTable(small())])


def lines(page):
    """The names of the rows shown."""
    return page.locator(".sty tbody .sty-name").all_inner_texts()


def test_every_row_and_its_picture_are_there(visit):
    with visit() as page:
        assert lines(page) == ["base", "a", "b", "c", "d", "e"]
        pictures = page.locator("svg.sty-picture")
        assert (
            pictures.count() == 6
            and pictures.nth(2).get_attribute("aria-label") == "picture of b"
            and pictures.nth(2).locator("circle").count() == 2
        )
        assert page.locator(".sty-published").count() == 5  # of d nothing is published
        assert page.locator(".sty-words").inner_text() == "5 rows: 2 go up, 1 goes down, 2 stay."


def test_filter_sort_and_view_by_keyboard(visit):
    with visit() as page:
        root = page.locator(".sty")
        page.get_by_role("group", name="Kind").get_by_role("radio", name="all").focus()
        page.keyboard.press("ArrowRight")
        holds(root, show="kind:x", rows=2)
        page.keyboard.press("ArrowLeft")
        holds(root, show="", rows=5)
        page.get_by_role("button", name="sort by change").press("Enter")
        holds(root, sort="value")
        assert lines(page) == ["base", "b", "e", "a", "c", "d"]  # the first stays on top
        assert page.locator("th[data-key=value]").get_attribute("aria-sort") == "ascending"
        page.get_by_role("button", name="sort by change").press("Space")
        holds(root, sort="-value")
        page.get_by_role("group", name="view").get_by_role("radio", name="second").press("Space")
        holds(root, view="two", rows=4)
        assert lines(page) == ["base", "c", "a", "e", "d"]
        rested(page)
        assert page.locator(".sty [role=status]").inner_text() == page.locator(".sty-words").inner_text()
        page.wait_for_url("**study.view=two**")
        page.get_by_role("button", name="reset").press("Enter")
        holds(root, view="one", show="", sort="printed", rows=5)


def test_the_address_brings_the_table_back(visit):
    with visit("study.view=two&study.show=kind:x") as page:
        holds(page.locator(".sty"), view="two", show="kind:x", rows=1)
    with visit("study.view=three&study.show=kind:z&study.sort=x") as page:
        holds(
            page.locator(".sty"), view="one", show="", sort="printed", rows=5
        )  # what the study does not have is left alone


def test_on_a_phone_the_rows_name_stays(visit):
    with visit(width=240) as page:
        box = page.locator(".sty-scroll")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        name = page.locator(".sty tbody .sty-name").nth(2).bounding_box()
        assert name["x"] >= box.bounding_box()["x"] - 1
