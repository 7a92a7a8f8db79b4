"""The rows of a matrix, on a page of its own: by arrow keys and by dragging."""

import pytest

from course_lib.widgets import MatrixRows
from tests.shared.widget_alone import alone, button, holds, words

pytestmark = pytest.mark.browser
visit = alone(lambda: [MatrixRows()])


def rows(page):
    return page.locator(".rws")


def test_the_circle_becomes_a_line_by_keyboard(visit):
    with visit("rows.first=1,0&rows.second=0,0.2") as page:
        root = rows(page)
        root.get_by_role("slider", name="row 2").focus()
        for _ in range(2):
            page.keyboard.press("ArrowDown")
        holds(root, second="0,0", rank=1, area=0)
        assert root.locator(".course-task").inner_text().startswith("Done") and "The rank is 1" in words(root)
        button(root, "a quarter turn").press("Enter")
        holds(root, first="0,1", second="-1,0", rank=2, area=1)
        root.get_by_role("slider", name="x", exact=True).press("Shift+ArrowRight")
        holds(root, point="1.5,-1", image="1,1.5")


def test_a_row_is_dragged(visit):
    with visit("rows.first=1,0&rows.second=0,1") as page:
        root = rows(page)
        handle = root.get_by_role("slider", name="row 1")
        box, face = handle.bounding_box(), root.locator(".course-plane").bounding_box()
        x, y, unit = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, face["height"] / 4.8
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + unit * 0.5, y - unit * 1.5, steps=5)
        page.mouse.up()
        holds(root, first="1.5,1.5")
