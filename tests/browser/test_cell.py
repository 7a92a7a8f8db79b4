"""The cell that is fed letters, on a page of its own: by buttons, by typing, by keyboard, by pointer."""

import pytest

from course_lib.widgets import Cell
from tests.shared.widget_alone import alone, button, data, holds, settled, slider, words

visit = alone(lambda: [Cell()])


def cell(page):
    return settled(page.locator(".fed"))


def memory(root):
    return [float(x) for x in data(root, "c")[0].split()]


def test_feeding_counts_and_the_gru_does_not(visit):
    with visit() as page:
        root = cell(page)
        for _ in range(3):
            button(root, "feed a").press("Enter")
        holds(root, text="aaabaaa")
        assert memory(root) == pytest.approx([1, 2, 3, 2, 3, 4, 5], abs=0.01) and "The memory says 5.00" in words(root)
        button(root, "take one back").press("Enter")
        holds(root, text="aaabaa")
        root.get_by_role("radio", name="GRU").press("Space")
        holds(root, kind="gru")
        assert max(abs(float(x)) for x in data(root, "s")[0].split()) < 1


def test_letters_are_typed_and_told_one_by_one(visit):
    with visit() as page:
        root = cell(page)
        field = root.get_by_label("Letters to be read")
        field.fill("abx")
        holds(root, text="ab")
        assert "a, b and - only" in root.locator(".course-problem").inner_text()
        root.locator(".fed-face").focus()
        page.keyboard.press("ArrowLeft")
        holds(root, moment=1)
        assert words(root).startswith("Letter 1 is a.")
        box = root.locator(".fed-face").bounding_box()
        root.locator(".fed-face").click(position={"x": box["width"] * 0.32, "y": 30})
        holds(root, moment="end")


def test_a_hand_on_the_gates(visit):
    with visit("cell.by_hand=1&cell.forget=0.5&cell.text=aaa") as page:
        root = cell(page)
        assert memory(root) == pytest.approx([1, 1.5, 1.75], abs=0.01)
        slider(root, "forget gate").press("Home")
        holds(root, forget=0)
        assert memory(root) == pytest.approx([1, 1, 1], abs=0.01)
