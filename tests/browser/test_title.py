"""The title page: one screen with the formula, the task and the picture, and a task that can be done by keyboard and by
hand."""

import pytest

from tests.shared.pages import opened

pytestmark = pytest.mark.browser
PAGE = "book/index.html"


@pytest.mark.parametrize(("width", "height"), [(1200, 900), (1280, 720), (390, 844), (375, 700)])
def test_formula_task_and_picture_are_the_first_screen(browser, site, width, height):
    with opened(browser, site + PAGE, width=width) as (page, troubles):
        page.set_viewport_size({"width": width, "height": height})
        page.locator(".abh .course-task").wait_for()
        page.wait_for_function("scrollY === 0")
        for part in (
            "#attention-by-hand > h1",
            ".course-kind",
            ".course-lead",
            "#attention-by-hand > div.math",
            ".abh .course-task",
            ".abh-plane",
        ):
            box = page.locator(part).first.bounding_box()
            assert box["y"] >= 0 and box["y"] + box["height"] <= height, part
        cut = page.locator(".abh-tables tbody th button").evaluate_all(
            "all => all.filter((each) => each.scrollWidth > each.clientWidth).map((each) => each.textContent)"
        )
        assert cut == [] and troubles == []


def test_the_task_is_done_by_keyboard_and_stays_undone_on_hammers_circle(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        task, tool = page.locator(".abh .course-task"), page.get_by_role("slider", name="tool")
        assert "Now: 0.19 at tool, 0.51 at itself" in task.inner_text()
        tool.focus()
        for _ in range(8):
            tool.press("ArrowRight")
        page.wait_for_function("document.querySelector('.abh-now').textContent.includes('0.37 at tool')")
        assert "Done" not in task.inner_text()
        tool.press("ArrowRight")
        page.locator(".abh .course-task.course-done").wait_for()
        page.locator(".abh [role=status]", has_text="hammer looks at tool more than at itself").wait_for(
            state="attached"
        )
        assert page.locator(".abh-border").get_attribute("visibility") == "visible"
        page.get_by_role("button", name="reset").click()
        page.locator(".abh .course-task:not(.course-done)").wait_for()
        page.get_by_text("Type the numbers").click()
        for name, value in (("first", "1.627"), ("second", "0")):  # on hammer's own circle, nearly in its direction
            page.get_by_label(f"tool, {name} entry").fill(value)
        page.wait_for_function("document.querySelector('.abh-now').textContent.includes('Now: 0.38 at tool, 0.39')")
        assert "Done" not in task.inner_text() and troubles == []
