"""Descent in a real Chromium, on a page of its own: by keyboard, with Python's numbers, from the address, on a phone, accessible."""

import threading

import pytest
from barriers import barriers
from pages import drawn, glided, opened, pausing, rested, stands
from test_browser_explorer import reaches
from widget_page import widget_page

from course_lib.descent import SURFACES, descend
from course_lib.graphs.random import Generator
from course_lib.widgets import Descent

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a served page with two widgets: gradient descent on two minima, and SGD in the bowl, ten steps on."""
    from serve import server

    folder = tmp_path_factory.mktemp("descent")
    widget_page(folder, [Descent(), Descent("bowl", "sgd", batch=4, seed=3, step=10, view="map", address="bowl")], "Descent")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def first(page):
    return page.locator(".dsc").first


def slider(widget, name):
    return widget.locator(".course-slider").filter(has_text=name).locator("input")


def told(widget):
    return widget.locator(".srf-words").inner_text()


def at(widget):
    return [float(part) for part in widget.get_attribute("data-at").split(",")]


def picture(page):
    drawn(page)
    return first(page).locator("canvas").evaluate("canvas => canvas.toDataURL()")


def test_steps_by_keyboard_are_those_of_python(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = first(page)
        assert told(widget).startswith("At the start: loss 1.95, on the shallow minimum's side")
        widget.get_by_role("button", name="One step").focus()
        for step in range(1, 4):
            page.keyboard.press("Enter")
            reaches(widget, "step", f"x === '{step}'")
        run = descend("two minima", rate=0.1, steps=500, generators=[Generator(0)])
        assert at(widget) == pytest.approx(run.positions[0, 3].tolist(), rel=1e-12)
        slider(widget, "steps taken").focus()
        page.keyboard.press("End")
        reaches(widget, "step", "x === '500'")
        assert at(widget) == pytest.approx(run.positions[0, -1].tolist(), abs=1e-12)
        assert told(widget) == "After 500 steps of gradient descent: loss 0.532, in the shallow minimum."
        assert widget.get_by_role("button", name="Play").is_disabled()
        rested(page)
        assert widget.locator("[role=status]").inner_text() == told(widget)  # spoken too
        widget.get_by_role("button", name="Back to the start").press("Enter")
        reaches(widget, "step", "x === '0'")
        assert troubles == []


def test_every_control_changes_the_run_or_is_not_there(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = first(page)
        slider(widget, "steps taken").focus()
        for _ in range(6):
            page.keyboard.press("PageUp")
        drawn(page)
        assert not slider(widget, "samples a step").is_visible() and not widget.get_by_label("seed of the noise").is_visible()
        widget.get_by_label("optimiser").select_option("sgd")
        reaches(widget, "optimiser", "x === 'sgd'")
        seen = [widget.get_attribute("data-at")]

        def moved():
            drawn(page)
            now = widget.get_attribute("data-at")
            assert now not in seen
            seen.append(now)

        for name, key in (("samples a step", "ArrowRight"), ("learning rate", "ArrowRight"), ("decay of the rate", "ArrowRight"), ("start, x", "ArrowLeft"), ("start, y", "ArrowDown")):
            slider(widget, name).press(key)
            moved()
        widget.get_by_label("seed of the noise").fill("5")
        page.keyboard.press("Tab")
        moved()
        for rule in ("momentum", "adagrad", "rmsprop", "adadelta", "adam"):
            widget.get_by_label("optimiser").select_option(rule)
            moved()
        for name in ("valley", "bowl", "saddle"):
            widget.get_by_role("radio", name=name).focus()
            page.keyboard.press("Space")
            moved()
        assert widget.get_attribute("data-start") == "{},{:g}".format(*SURFACES["saddle"].start)
        slider(widget, "samples a step").press("End")
        drawn(page)
        assert not widget.get_by_label("seed of the noise").is_visible()  # no noise, no seed
        assert troubles == []


def test_the_surface_turns_and_the_start_moves_by_keyboard_and_click(browser, address):
    with opened(browser, address) as (page, troubles):
        widget, before = first(page), picture(page)
        face = widget.locator(".srf-face")
        face.focus()
        for key in ("ArrowLeft", "ArrowUp", "Shift+ArrowLeft", "Shift+ArrowDown"):
            page.keyboard.press(key)
        drawn(page)
        assert [widget.get_attribute(f"data-{name}") for name in ("azimuth", "elevation", "start")] == ["-30", "45", "1.7,1.3"]
        assert slider(widget, "turn").input_value() == "-30" and slider(widget, "start, x").input_value() == "1.7"
        assert picture(page) != before and "arrow keys turn it, with Shift they move the start" in face.get_attribute("aria-label")
        face.scroll_into_view_if_needed()
        box = face.bounding_box()
        page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 0.55 * box["height"])
        drawn(page)
        start = [float(part) for part in widget.get_attribute("data-start").split(",")]
        assert start != [1.7, 1.3] and at(widget) == start
        assert troubles == []


def test_play_pauses_and_walks_to_the_end(browser, address):
    with opened(browser, f"{address}?descent.step=0") as (page, troubles):
        play = first(page).locator(".dsc-play")
        paused = pausing(page, ".dsc", "data.step > 0")
        play.press("Enter")
        assert paused() == stands(page, "document.querySelector('.dsc').dataset.step") != "500"
        assert play.inner_text() == "Play" and troubles == []
    with opened(browser, f"{address}?descent.step=440") as (page, troubles):
        widget, play = first(page), first(page).locator(".dsc-play")
        play.press("Enter")
        reaches(widget, "step", "x === '500'")
        widget.locator(".dsc-play", has_text="Play").wait_for()
        assert play.inner_text() == "Play" and play.is_disabled()
        assert troubles == []


def test_the_address_leads_back_and_reset_to_the_author(browser, address):
    link = f"{address}?descent.surface=valley&descent.optimiser=adam&descent.rate=0.316&descent.step=74&descent.start=-1,1.2&descent.view=map"
    with opened(browser, link) as (page, troubles):
        widget = first(page)
        assert [widget.get_attribute(f"data-{name}") for name in ("surface", "rate", "step", "start", "view")] == ["valley", "0.316", "74", "-1,1.2", "map"]
        assert not slider(widget, "turn").is_visible()
        run = descend("valley", "adam", rate=0.316, steps=74, batch=1, start=(-1, 1.2), generators=[Generator(0)])
        assert at(widget) == pytest.approx(run.positions[0, -1].tolist(), abs=1e-12)
        slider(widget, "learning rate").press("ArrowLeft")
        rested(page)
        assert "descent.rate=0.282" in page.url and "descent.surface=valley" in page.url
        widget.get_by_role("button", name="Reset").press("Enter")
        rested(page)
        assert "?" not in page.url and widget.get_attribute("data-surface") == "two minima"
        assert troubles == []
    with opened(browser, f"{address}?descent.surface=hill&descent.step=-1&descent.start=9,9&descent.batch=3&descent.seed=7") as (page, troubles):
        widget = first(page)
        assert [widget.get_attribute(f"data-{name}") for name in ("surface", "step", "start", "batch", "seed")] == ["two minima", "0", "1.8,1.4", "1", "7"]
        assert troubles == []


def test_a_run_that_diverges_is_told(browser, address):
    with opened(browser, f"{address}?descent.surface=bowl&descent.rate=1.1&descent.start=-1.6,1.5&descent.step=1") as (page, troubles):
        widget = first(page)
        widget.get_by_role("button", name="One step").press("Enter")
        rested(page)
        assert told(widget).startswith("Step 2 of gradient descent leads out of the picture: the run has diverged")
        assert widget.get_by_role("button", name="Play").is_disabled() and widget.locator("[role=status]").inner_text() == told(widget)
        assert troubles == []


def test_the_second_widget_keeps_to_itself(browser, address):
    with opened(browser, address) as (page, troubles):
        second = page.locator(".dsc").nth(1)
        run = descend("bowl", rate=0.1, steps=10, batch=4, generators=[Generator(3)])
        assert [float(part) for part in second.get_attribute("data-at").split(",")] == pytest.approx(run.positions[0, -1].tolist(), rel=1e-12)
        assert "(0.625 epochs)" in told(second) and first(page).get_attribute("data-step") == "0"
        assert troubles == []


def test_on_a_phone_everything_fits_with_large_targets(browser, address):
    with opened(browser, address, width=375) as (page, _):
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        first(page).get_by_label("optimiser").select_option("sgd")
        drawn(page)
        sizes = first(page).evaluate(
            """root => [...root.querySelectorAll("button, select, .course-choice label, input:not([type=radio]), summary")]
                 .filter(node => node.offsetParent).map(node => node.getBoundingClientRect()).map(({width, height}) => Math.min(width, height))"""
        )
        assert len(sizes) > 16 and min(sizes) >= 24


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_barrier_in_light_and_dark(browser, address, scheme):
    with opened(browser, address, scheme=scheme) as (page, troubles):
        page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        glided(page)
        assert barriers(page) == []
        assert troubles == []


def test_dark_and_light_are_drawn_anew(browser, address):
    with opened(browser, address) as (page, _):
        light = picture(page)
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        assert picture(page) != light
