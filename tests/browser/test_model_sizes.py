"""ModelSizes in a real Chromium, on a page of its own: keyboard, the menu of printed rows."""

import pytest

from course_lib.memoryless import Sizes, count, shapes
from course_lib.published import rows
from course_lib.widgets import ModelSizes
from tests.shared.pages import rested
from tests.shared.widget_alone import alone, button, holds, slider

# the worked example's model, and the largest of the tables
visit = alone(lambda: [ModelSizes(), ModelSizes(8, 128, 128, 128, 512, address="large")])


def first(page):
    return page.locator(".siz").first


def told(widget):
    return widget.locator(".siz-words").inner_text()


def drawn(widget, sizes):
    """Every rectangle has Python's shape at the widget's one scale, and its caption Python's count."""
    unit = float(widget.locator(".siz-block").get_attribute("data-unit"))
    for name, shape in shapes(sizes).items():
        item = widget.locator(f'.siz-item[data-key="{name}"]')
        down, across = shape if len(shape) == 2 else (1, *shape)
        assert int(item.get_attribute("data-count")) == down * across
        box = item.locator("svg").bounding_box()
        assert (box["width"], box["height"]) == pytest.approx((max(2, across * unit), max(2, down * unit)), abs=0.1)
    assert told(widget).startswith(f"The model has {count(sizes):,} numbers to learn.")


def test_sliders_by_keyboard_and_reset(visit):
    with visit() as page:
        widget = first(page)
        drawn(widget, Sizes(4, 8, 4, 4, 16))
        assert "Of all, 8 (2.5 %) never learn: the 4 of wₖ and the 4 in the last row of E." in told(widget)
        slider(widget, "attention width").press("End")
        holds(widget, m="512")
        slider(widget, "attention width").press("ArrowLeft")
        holds(widget, m="448")
        drawn(widget, Sizes(4, 8, 4, 448, 16))
        assert "No printed row has these sizes" in widget.locator(".siz-printed").inner_text()
        rested(page)
        assert (
            widget.locator("[role=status]").inner_text()
            == f"{told(widget)} {widget.locator('.siz-printed').inner_text()}"
        )
        button(widget, "reset").press("Enter")
        holds(widget, m="4")
        assert "prints 316" in widget.locator(".siz-printed").inner_text()


def test_every_printed_row_in_the_menu_has_its_count(visit):
    with visit() as page:
        widget, second = first(page), page.locator(".siz").nth(1)
        drawn(second, Sizes(8, 128, 128, 128, 512))
        assert second.get_by_label("a printed row").input_value() == "71"
        menu = widget.get_by_label("a printed row")
        assert menu.locator("option").count() == 73
        for i in range(0, 72, 7):
            menu.select_option(str(i))
            holds(widget, count=rows()[i].learnables)
            assert (
                f"of Table {rows()[i].table} prints {rows()[i].learnables:,}"
                in widget.locator(".siz-printed").inner_text()
            )
            assert "the same." in widget.locator(".siz-printed").inner_text()
        slider(widget, "words").press("ArrowRight")
        page.wait_for_function("menu => menu.value === ''", arg=menu.element_handle())
