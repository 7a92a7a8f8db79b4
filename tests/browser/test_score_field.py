"""The six scores over a plane, on a page of their own: by pointer, by keyboard, by dials."""

from course_lib.widgets import ScoreField
from tests.shared.widget_alone import alone, data, holds, settled, slider, words

visit = alone(lambda: [ScoreField()])


def field(page):
    return settled(page.locator(".scf"))


def test_the_query_by_keyboard_and_by_pointer(visit):
    with visit() as page:
        root = field(page)
        handle = root.get_by_role("slider", name="query: arrow keys move it")
        handle.press("ArrowRight")
        holds(root, x="1.6", y="0.75")
        handle.press("Shift+ArrowUp")
        holds(root, x="1.6", y="1.25")
        box = handle.locator(".course-target").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x - 60, y, steps=4)
        page.mouse.up()
        assert float(data(settled(root), "x")[0]) < 1.3


def test_a_link_a_score_and_its_numbers(visit):
    with visit("scores.score=cosine&scores.x=-2") as page:
        root = field(page)
        holds(root, score="cosine", x="-2")
        assert "rays" in words(root) and "still" in words(root)
        assert not slider(root, "numbers in its matrices").is_visible()
        root.get_by_role("radio", name="additive").press("Space")
        holds(root, score="additive")
        before = words(root)
        slider(root, "numbers in its matrices").press("ArrowRight")
        holds(root, seed=1)
        assert words(root) != before
