"""Descent in a real Chromium, on a page of its own: by keyboard, with Python's numbers."""

import pytest

from course_lib.descent import SURFACES, descend
from course_lib.graphs.random import Generator
from course_lib.widgets import Descent
from tests.shared.pages import drawn, rested
from tests.shared.widget_alone import alone, button, data, holds, pictures, slider

visit = alone(lambda: [Descent()])
others = alone(
    lambda: [
        Descent("saddle", rate=0.05, start=[1.8, 0.1], address="saddle"),
        Descent("bowl", rate=0.1, start=[0, 1.5], step=14, address="trained"),
    ]
)


def first(page):
    return page.locator(".dsc")


def told(widget):
    return widget.locator(".srf-words").inner_text()


def at(widget):
    return [float(part) for part in widget.get_attribute("data-at").split(",")]


def test_steps_by_keyboard_are_those_of_python(visit):
    with visit() as page:
        widget = first(page)
        assert told(widget).startswith("At the start: loss 1.95, on the shallow minimum's side")
        button(widget, "One step").focus()
        for step in range(1, 4):
            page.keyboard.press("Enter")
            holds(widget, step=step)
        run = descend("two minima", rate=0.1, steps=500, generators=[Generator(0)])
        assert at(widget) == pytest.approx(run.positions[0, 3].tolist(), rel=1e-12)
        slider(widget, "steps taken").focus()
        page.keyboard.press("End")
        holds(widget, step="500")
        assert at(widget) == pytest.approx(run.positions[0, -1].tolist(), abs=1e-12)
        assert told(widget) == "After 500 steps of gradient descent: loss 0.532, in the shallow minimum."
        assert button(widget, "Play").is_disabled()
        rested(page)
        assert widget.locator(".course-hidden[role=status]").inner_text() == told(widget)  # spoken too
        button(widget, "Back to the start").press("Enter")
        holds(widget, step="0")


def test_the_first_task_is_one_of_its_surface(others):  # and it can be done by keyboard
    with others() as page:
        saddle, bowl = first(page).all()
        assert "start that stands still" in saddle.inner_text() and "largest rate" in bowl.inner_text()
        for y, loss in ((0.1, 0.027), (0.0, 0.527)):
            run = descend("saddle", rate=0.05, steps=40, start=[1.8, y], generators=[Generator(0)])
            assert run.heights[0, 40] == pytest.approx(loss, abs=1e-3)
        slider(saddle, "start, y").focus()
        page.keyboard.press("ArrowLeft")
        holds(saddle, start="1.8,0")
        button(saddle, "One step").focus()
        for step in range(1, 6):
            page.keyboard.press("Enter")
            holds(saddle, step=step)
        assert at(saddle) == pytest.approx(run.positions[0, 5].tolist(), rel=1e-12)
        assert at(bowl)[1] == pytest.approx(1.5 * 0.9**14, rel=1e-12)


def test_every_control_changes_the_run_or_is_not_there(visit):
    with visit() as page:
        widget = first(page)
        slider(widget, "steps taken").focus()
        for _ in range(6):
            page.keyboard.press("PageUp")
        drawn(page)
        assert (
            not slider(widget, "samples a step").is_visible()
            and not widget.get_by_label("seed of the noise").is_visible()
        )
        widget.get_by_label("optimiser").select_option("sgd")
        holds(widget, optimiser="sgd")
        seen = [widget.get_attribute("data-at")]

        def moved():
            drawn(page)
            now = widget.get_attribute("data-at")
            assert now not in seen
            seen.append(now)

        for name, key in (
            ("samples a step", "ArrowRight"),
            ("learning rate", "ArrowRight"),
            ("decay of the rate", "ArrowRight"),
            ("start, x", "ArrowLeft"),
            ("start, y", "ArrowDown"),
        ):
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


def test_the_surface_turns_and_the_start_moves_by_keyboard_and_click(visit):
    with visit("descent.view=surface") as page:
        widget = first(page)
        before = pictures(widget)
        face = widget.locator(".srf-face")
        face.focus()
        for key in ("ArrowLeft", "ArrowUp", "Shift+ArrowLeft", "Shift+ArrowDown"):
            page.keyboard.press(key)
        drawn(page)
        assert data(widget, "azimuth", "elevation", "start") == ["-30", "45", "1.7,1.3"]
        assert slider(widget, "turn").input_value() == "-30" and slider(widget, "start, x").input_value() == "1.7"
        assert pictures(
            widget
        ) != before and "arrow keys turn it, with Shift they move the start" in face.get_attribute("aria-label")
        widget.get_by_role("radio", name="map").check(force=True)
        holds(widget, view="map")
        face.scroll_into_view_if_needed()
        box = face.bounding_box()
        page.mouse.click(box["x"] + 0.4 * box["width"], box["y"] + 0.55 * box["height"])
        drawn(page)
        start = [float(part) for part in widget.get_attribute("data-start").split(",")]
        assert start != [1.7, 1.3] and at(widget) == start


def test_a_rate_is_typed(visit):
    with visit("descent.surface=valley&descent.start=-1.8,-0.4&descent.step=500") as page:
        widget = first(page)
        field = widget.get_by_label("learning rate, typed")
        lost = []
        for text, rate in (("0,12", 0.12), ("0.125", 0.125), ("0.13", 0.13)):
            field.fill(text)
            field.press("Enter")
            holds(widget, rate=rate)
            lost.append("diverged" in told(widget))
        assert lost == [False, False, True]  # the edge is 2/16
        field.fill("fast")
        field.press("Tab")
        assert (
            "from 0.001 to 10" in widget.locator(".course-problem").inner_text()
            and field.get_attribute("aria-invalid") == "true"
        )
        slider(widget, "learning rate").press("ArrowLeft")
        holds(widget, rate=0.116)
        assert field.input_value() == "0.116" and widget.locator(".course-problem").inner_text() == ""


def test_what_is_turned_while_it_plays_ends_the_playing(visit):
    with visit() as page:
        widget, play = first(page), first(page).locator(".dsc-play")
        play.press("Enter")
        holds(widget, step="25")
        slider(widget, "learning rate").press("ArrowRight")
        widget.locator(".dsc-play", has_text="Play").wait_for()


def test_play_walks_to_the_end(visit):
    with visit("descent.step=440") as page:
        widget, play = first(page), first(page).locator(".dsc-play")
        play.press("Enter")
        holds(widget, step="500")
        widget.locator(".dsc-play", has_text="Play").wait_for()
        assert play.inner_text() == "Play" and play.is_disabled()


def test_a_run_that_diverges_is_told(visit):
    with visit("descent.surface=bowl&descent.rate=1.1&descent.start=-1.6,1.5&descent.step=1") as page:
        widget = first(page)
        button(widget, "One step").press("Enter")
        rested(page)
        assert told(widget).startswith("Step 2 of gradient descent leads out of the picture: the run has diverged")
        assert button(widget, "Play").is_disabled() and widget.locator(
            ".course-hidden[role=status]"
        ).inner_text() == told(widget)
