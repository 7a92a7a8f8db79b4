"""ApproximationBuilder in a real Chromium, on a page of its own: steps, play, drawing, two dimensions, budgets, address, phone, dark, accessible."""

import threading
from itertools import islice

import pytest
from barriers import barriers
from pages import opened, rested
from test_approximation_builder import DEFAULT, corrections
from test_browser_explorer import is_busy, reaches
from widget_page import widget_page

from course_lib.widgets import ApproximationBuilder

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    from serve import server

    folder = tmp_path_factory.mktemp("builder")
    widget_page(folder, [ApproximationBuilder()], "Builder")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def settled(page, name="corrections", value=None):
    """Wait until the corrections have come and, where asked, a setting is what it should be."""
    widget = page.locator(".app")
    if value is not None:
        reaches(widget, name, f"x === {value!r}")
    is_busy(widget, False)
    return widget


def fact(widget, name):
    return widget.locator(".app-facts div").filter(has_text=name).locator("dd").inner_text()


def facts(widget):
    return [fact(widget, name).split(" ")[0] for name in ("largest error", "factor")] + [fact(widget, "hidden units"), fact(widget, "units of this")]


def expected(count, **more):
    """The facts after so many corrections as the page should print them, by course_lib.approximation."""
    last = list(islice(corrections(DEFAULT | more), count))[-1]
    sizes = [" + ".join(map(str, each)) for each in (last.network.sizes[1:-1], last.separator.sizes)]
    return [f"{float(f'{value:.3g}'):g}" for value in (last.after, last.factor)] + sizes


def test_corrections_by_keyboard_are_pythons(browser, address):  # G2.5
    with opened(browser, address) as (page, troubles):
        widget = settled(page, "shown", "1")
        assert facts(widget) == expected(1)
        forward, back = widget.get_by_role("button", name="Correct"), widget.get_by_role("button", name="Back")
        for count in (2, 3):
            forward.press("Enter")
            settled(page, "shown", str(count))
            assert facts(widget) == expected(count)
        rested(page)
        assert widget.locator("[role=status]").inner_text().startswith("Correction 3 of sin x: U⁺ is ")
        for count in (2, 1, 0):
            back.press("Enter")
            settled(page, "shown", str(count))
        assert back.is_disabled() and widget.locator(".app-words").inner_text().startswith("For sin x the start is the constant 0")
        widget.get_by_role("button", name="Reset").press("Enter")
        settled(page, "shown", "1")
        assert facts(widget) == expected(1)
        assert troubles == []


def test_play_ends_below_epsilon(browser, address):  # G2.5
    with opened(browser, f"{address}?builder.eps=0.4&builder.corrections=0") as (page, troubles):
        widget = settled(page, "shown", "0")
        widget.get_by_role("button", name="Play").click()
        settled(page, "shown", "3")  # 0.711, 0.502, 0.354
        assert "That is below ε = 0.4: done." in widget.locator(".app-words").inner_text()
        widget.get_by_role("button", name="Play").wait_for()
        assert widget.get_attribute("data-shown") == "3"
        assert troubles == []


def test_a_function_is_drawn_by_keyboard_and_pointer(browser, address):  # G2.5
    with opened(browser, address) as (page, troubles):
        widget = settled(page)
        assert widget.locator(".app-handle:visible").count() == 0
        widget.get_by_label("the function").select_option("drawn")
        settled(page, "target", "drawn")
        widget.get_by_role("button", name="Correct").click()
        settled(page, "shown", "1")
        assert facts(widget) == expected(1, target="drawn")
        widget.get_by_role("slider", name="height of the polygon at x = 0.00").press("ArrowUp")
        heights = [*DEFAULT["heights"]]
        heights[4] = 0.65
        settled(page, "heights", ",".join(f"{x:g}" for x in heights))
        assert facts(widget) == expected(1, target="drawn", heights=heights)
        knob = widget.get_by_role("slider", name="height of the polygon at x = −1.00")
        knob.scroll_into_view_if_needed()
        box = knob.locator(".app-knob").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x, y - 20)
        page.mouse.move(x + 30, y - 40)
        page.mouse.up()
        reaches(widget, "heights", "Number(x.split(',')[0]) > 0.3")
        settled(page)
        moved = [float(part) for part in widget.get_attribute("data-heights").split(",")]
        assert moved[1:] == heights[1:] and facts(widget) == expected(1, target="drawn", heights=moved)
        assert troubles == []


def test_another_squashing_function_and_rule(browser, address):  # G2.5
    with opened(browser, address) as (page, troubles):
        widget = settled(page)
        widget.get_by_role("radio", name="arctan").check()
        settled(page, "sigma", "arctan")
        widget.get_by_role("radio", name="wider gap").check()
        settled(page, "rule", "balanced")
        widget.get_by_role("button", name="Correct").click()
        settled(page, "shown", "1")
        assert facts(widget) == expected(1, sigma="arctan", rule="balanced") and fact(widget, "factor").endswith("< 0.8")
        assert troubles == []


def test_two_dimensions(browser, address):  # G2.5
    with opened(browser, f"{address}?builder.target=bump&builder.rule=balanced&builder.corrections=1") as (page, troubles):
        widget = settled(page, "shown", "1")
        assert widget.locator(".app-map:visible").count() == 3 and widget.locator(".app-graph").is_hidden()
        assert facts(widget) == expected(1, target="bump", rule="balanced")
        assert "cells of the grid" in widget.locator(".app-words").inner_text()
        painted = widget.locator(".app-map canvas").evaluate_all(
            "all => all.map(c => new Set(c.getContext('2d').getImageData(0, 0, c.width, c.height).data).size)"
        )
        assert min(painted) > 5
        assert troubles == []


def test_what_runs_out_is_told(browser, address):
    with opened(browser, f"{address}?builder.target=drawn&builder.heights=0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5,0.5&builder.corrections=4") as (page, troubles):
        widget = settled(page, "shown", "0")
        assert "nothing is left to correct" in widget.locator(".app-alarm").inner_text()
        assert widget.get_by_role("button", name="Correct").is_disabled() and widget.get_by_role("button", name="Play").is_disabled()
        assert "NaN" not in widget.inner_text() and "Infinity" not in widget.inner_text()
        assert troubles == []


def test_the_address_brings_the_settings_back(browser, address):
    with opened(browser, f"{address}?builder.target=cusp&builder.corrections=2&builder.eps=0.05") as (page, troubles):
        widget = settled(page, "shown", "2")
        assert facts(widget) == expected(2, target="cusp") and "(ε = 0.05)" in fact(widget, "largest error")
        widget.get_by_role("button", name="Correct").click()
        page.wait_for_url("**builder.corrections=3*")
        assert troubles == []
    with opened(browser, f"{address}?builder.target=x&builder.heights=1&builder.sigma=tanh&builder.corrections=99") as (page, troubles):
        assert facts(settled(page, "shown", "1")) == expected(1)  # what is no setting is left alone
        assert troubles == []


def test_on_a_phone_everything_fits_with_large_targets(browser, address):
    with opened(browser, f"{address}?builder.target=drawn", width=375) as (page, troubles):
        widget = settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        sizes = widget.locator("button, select, input:not(.course-choice input), .app-target").evaluate_all(
            "all => all.filter(x => x.checkVisibility()).map(x => x.getBoundingClientRect()).map(b => Math.min(b.width, b.height))"
        )
        assert min(sizes) >= 24
        assert troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser, address, scheme):
    with opened(browser, f"{address}?builder.target=drawn&builder.corrections=2", scheme=scheme) as (page, troubles):
        page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        page.wait_for_function("scheme => document.querySelector('.app').dataset.courseTheme === scheme", arg=scheme)
        widget = settled(page)
        assert barriers(page, context=".app") == []
        assert widget.locator("canvas:not([aria-hidden=true])").count() == 0
        assert troubles == []
