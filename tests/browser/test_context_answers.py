"""A context of the reader's own, on a page of its own: points by keyboard, by pointer and by buttons, families and
sizes, copies."""

from course_lib.results import load
from course_lib.widgets import ContextAnswers
from tests.shared.made import made
from tests.shared.widget_alone import alone, button, data, holds, settled, slider, words

visit = alone(lambda: [made("ContextAnswers", points=[[-0.5, 0.0], [0.25, 0.0], [0.5, 0.0]])])
LINE = {
    "question": "line",
    "family": "",
    "name": "The network",
    "graph": "in_context_2_4",
    "sizes": {"d": 16, "h": 4, "r": 32},
}
trained = next(row["network"] for row in load("in_context_regression")["rows"] if "network" in row)
lines = alone(
    lambda: [ContextAnswers([LINE | {"numbers": trained}], question="line", points=[[-0.5, 1.0], [0.5, -1.0]])]
)


def widget(page):
    return settled(page.locator(".ctx"))


def point(root, k, many=3):
    return root.get_by_role("slider", name=f"point {k} of {many}: ")


def test_points_by_keyboard(visit):
    with visit() as page:
        root = widget(page)
        before = words(root)
        point(root, 1).press("ArrowRight")
        holds(root, points="-0.45,0,0.25,0,0.5,0")
        assert words(root) != before
        point(root, 1).press("Shift+ArrowLeft")
        holds(root, points="-0.7,0,0.25,0,0.5,0")
        point(root, 1).press("PageDown")
        holds(root, chosen=1)
        point(root, 2).press("Delete")
        holds(root, points="-0.7,0,0.5,0")
        button(root, "Add a point").press("Enter")
        holds(root, points="-0.7,0,0.5,0,-0.1,0", chosen=2)
        point(root, 3).press("Shift+ArrowUp")  # a cloud is a line: up and down do nothing


def test_a_point_by_pointer_and_a_link(visit):
    with visit("context.size=1&context.copies=3") as page:
        root = widget(page)
        holds(root, size="1", copies="3")
        assert "moves the answer by less than 0.00001: the measure is the same." in words(root)
        box = point(root, 3).locator(".course-target").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 40, y - 30, steps=4)
        page.mouse.up()
        moved = data(settled(root), "points")[0].split(",")
        assert float(moved[4]) > 0.55 and moved[5] == "0"


def test_a_line_tilts_with_its_point_and_is_asked_elsewhere(lines):
    with lines() as page:
        root = widget(page)
        point(root, 2, 2).press("Shift+ArrowUp")
        holds(root, points="-0.5,1,0.5,-0.5")
        before = words(root)
        slider(root, "asked at x").press("ArrowLeft")
        holds(root, query="0.45")
        assert "At x = 0.45 the network predicts" in words(root) and words(root) != before
        slider(root, "each point stands in the list").press("ArrowRight")
        holds(root, copies="2")
        assert "which counts 4 observations" in words(root)


def test_families_and_sizes(visit):
    with visit() as page:
        root = widget(page)
        assert words(root).startswith("2 layers from start 1")
        root.get_by_role("radio", name="start 2").press("Space")
        holds(root, family="1")
        slider(root, "depth").press("ArrowRight")
        holds(root, size="1")
        assert words(root).startswith("4 layers from start 2")
