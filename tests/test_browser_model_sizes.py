"""ModelSizes in a real Chromium, on a page of its own: keyboard, the menu of printed rows, address, phone, dark, accessible."""

import threading

import pytest
from barriers import barriers
from pages import opened, rested
from test_browser_explorer import reaches
from widget_page import widget_page

from course_lib.memoryless import Sizes, count, shapes
from course_lib.published import rows
from course_lib.widgets import ModelSizes

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a served page with two widgets: the worked example's model, and the largest of the tables."""
    from serve import server

    folder = tmp_path_factory.mktemp("sizes")
    widget_page(folder, [ModelSizes(), ModelSizes(8, 128, 128, 128, 512, address="large")], "Sizes")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def first(page):
    return page.locator(".siz").first


def slider(widget, name):
    return widget.locator(".course-slider").filter(has_text=name).locator("input")


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


def test_sliders_by_keyboard_and_reset(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = first(page)
        drawn(widget, Sizes(4, 8, 4, 4, 16))
        assert "Of all, 8 (2.5 %) never learn: the 4 of wₖ and the 4 in the last row of E." in told(widget)
        slider(widget, "attention width").press("End")
        reaches(widget, "m", "x === '512'")
        slider(widget, "attention width").press("ArrowLeft")
        reaches(widget, "m", "x === '448'")
        drawn(widget, Sizes(4, 8, 4, 448, 16))
        assert "No printed row has these sizes" in widget.locator(".siz-printed").inner_text()
        rested(page)
        assert widget.locator("[role=status]").inner_text() == f"{told(widget)} {widget.locator('.siz-printed').inner_text()}"
        widget.get_by_role("button", name="reset").press("Enter")
        reaches(widget, "m", "x === '4'")
        assert "prints 316" in widget.locator(".siz-printed").inner_text()
        assert troubles == []


def test_every_printed_row_in_the_menu_has_its_count(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = first(page)
        menu = widget.get_by_label("a printed row")
        assert menu.locator("option").count() == 73
        for i in range(0, 72, 7):
            menu.select_option(str(i))
            reaches(widget, "count", f"x === '{rows()[i].learnables}'")
            assert f"of Table {rows()[i].table} prints {rows()[i].learnables:,}" in widget.locator(".siz-printed").inner_text()
            assert "the same." in widget.locator(".siz-printed").inner_text()
        slider(widget, "words").press("ArrowRight")
        page.wait_for_function("menu => menu.value === ''", arg=menu.element_handle())
        assert troubles == []


def test_shares_are_those_of_python(browser, address):
    with opened(browser, address) as (page, troubles):
        second, (v, n, d, m, r) = page.locator(".siz").nth(1), (8, 128, 128, 128, 512)
        drawn(second, Sizes(v, n, d, m, r))
        parts = dict(second.locator("tr[data-part]").evaluate_all("all => all.map(x => [x.dataset.part, Number(x.dataset.count)])"))
        assert parts["forward"] == 2 * d * r + r + d and sum(parts.values()) == 216_840
        assert second.get_by_label("a printed row").input_value() == "71"
        assert troubles == []


def test_the_address_brings_the_sizes_back(browser, address):
    with opened(browser, f"{address}?sizes.v=2&sizes.n=16&sizes.d=8&large.r=10") as (page, troubles):
        widget = first(page)
        assert widget.get_attribute("data-count") == "630" and page.locator(".siz").nth(1).get_attribute("data-r") == "10"
        slider(widget, "feed-forward").press("ArrowRight")
        page.wait_for_url("**sizes.r=20*")
        assert troubles == []
    with opened(browser, f"{address}?sizes.v=0&sizes.n=4.5&sizes.d=x&sizes.m=513&sizes.r=") as (page, troubles):
        assert first(page).get_attribute("data-count") == "316"  # what is no size is left alone
        assert troubles == []


def test_on_a_phone_everything_fits_with_large_targets(browser, address):
    with opened(browser, f"{address}?sizes.n=512&sizes.d=512&sizes.r=2048", width=375) as (page, troubles):
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        drawn(first(page), Sizes(4, 512, 512, 4, 2048))
        sizes = first(page).locator("button, input, select").evaluate_all("all => all.map(x => x.getBoundingClientRect()).map(b => Math.min(b.width, b.height))")
        assert min(sizes) >= 24
        assert troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser, address, scheme):
    with opened(browser, address, scheme=scheme) as (page, troubles):
        page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        page.wait_for_function("scheme => document.querySelector('.siz').dataset.courseTheme === scheme", arg=scheme)
        assert barriers(page, context=".siz") == []
        assert first(page).locator(".siz-item svg:not([aria-hidden=true])").count() == 0
        assert "W Q 4 × 4 = 16".replace(" ", "") in first(page).locator('[data-key="W_Q"]').inner_text().replace(" ", "").replace("\n", "")
        assert troubles == []
