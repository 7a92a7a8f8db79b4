"""ApproximationBuilder in a real Chromium, on a page of its own: steps, play, drawing, two dimensions."""

from itertools import islice

from course_lib.widgets import ApproximationBuilder
from tests.shared.pages import rested
from tests.shared.widget_alone import alone, button, drag, fact, reaches
from tests.shared.widget_alone import settled as come
from tests.widgets.test_approximation_builder import DEFAULT, corrections

visit = alone(lambda: [ApproximationBuilder()])


def settled(page, name="corrections", value=None):
    """Wait until the corrections have come and, where asked, a setting is what it should be."""
    return come(page.locator(".app"), name if value is not None else None, value)


def facts(widget):
    return [fact(widget, name).split(" ")[0] for name in ("largest error", "factor")] + [
        fact(widget, "hidden units"),
        fact(widget, "units of this"),
    ]


def expected(count, **more):
    """The facts after so many corrections as the page should print them, by course_lib.approximation."""
    last = list(islice(corrections(DEFAULT | more), count))[-1]
    sizes = [" + ".join(map(str, each)) for each in (last.network.sizes[1:-1], last.separator.sizes)]
    return [f"{float(f'{value:.3g}'):g}" for value in (last.after, last.factor)] + sizes


def test_corrections_by_keyboard_are_pythons(visit):  # G2.5
    with visit() as page:
        widget = settled(page, "shown", "1")
        assert facts(widget) == expected(1)
        forward, back = button(widget, "Correct"), button(widget, "Back")
        for count in (2, 3):
            forward.press("Enter")
            settled(page, "shown", str(count))
            assert facts(widget) == expected(count)
        rested(page)
        assert widget.locator("[role=status]").inner_text().startswith("Correction 3 of sin x: U⁺ is ")
        for count in (2, 1, 0):
            back.press("Enter")
            settled(page, "shown", str(count))
        assert back.is_disabled() and widget.locator(".course-words").inner_text().startswith(
            "For sin x the start is the constant 0"
        )
        button(widget, "Reset").press("Enter")
        settled(page, "shown", "1")
        assert facts(widget) == expected(1)


def test_play_ends_below_epsilon(visit):  # G2.5
    with visit("builder.eps=0.4&builder.corrections=0") as page:
        widget = settled(page, "shown", "0")
        button(widget, "Play").click()
        settled(page, "shown", "3")  # 0.711, 0.502, 0.354
        assert "That is below ε = 0.4: done." in widget.locator(".course-words").inner_text()
        button(widget, "Play").wait_for()
        assert widget.get_attribute("data-shown") == "3"


def test_a_function_is_drawn_by_keyboard_and_pointer(visit):  # G2.5
    with visit() as page:
        widget = settled(page)
        assert widget.locator(".course-handle:visible").count() == 0
        widget.get_by_label("the function").select_option("drawn")
        settled(page, "target", "drawn")
        button(widget, "Correct").click()
        settled(page, "shown", "1")
        assert facts(widget) == expected(1, target="drawn")
        widget.get_by_role("slider", name="height of the polygon at x = 0.00").press("ArrowUp")
        heights = [*DEFAULT["heights"]]
        heights[4] = 0.65
        settled(page, "heights", ",".join(f"{x:g}" for x in heights))
        assert facts(widget) == expected(1, target="drawn", heights=heights)
        knob = widget.get_by_role("slider", name="height of the polygon at x = −1.00")
        knob.scroll_into_view_if_needed()
        drag(page, knob.locator(".course-knob"), 30, -40)
        reaches(widget, "heights", "Number(x.split(',')[0]) > 0.3")
        settled(page)
        moved = [float(part) for part in widget.get_attribute("data-heights").split(",")]
        assert moved[1:] == heights[1:] and facts(widget) == expected(1, target="drawn", heights=moved)


def test_two_dimensions(visit):  # G2.5
    with visit("builder.target=bump&builder.rule=balanced&builder.corrections=1") as page:
        widget = settled(page, "shown", "1")
        assert widget.locator(".app-map:visible").count() == 3 and widget.locator(".app-graph").is_hidden()
        assert facts(widget) == expected(1, target="bump", rule="balanced")
        assert "cells of the grid" in widget.locator(".course-words").inner_text()
        painted = widget.locator(".app-map canvas").evaluate_all(
            "all => all.map(c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size)"
        )
        assert min(painted) > 5
