"""The fit in a browser, on a page of its own: by keyboard, with PyTorch's errors, back to the step that a validation
set chooses."""

import pytest

from course_lib.widgets import Fit
from tests.shared.fit_run import FitRun
from tests.shared.pages import rested
from tests.shared.widget_alone import alone, button, holds, number, plays, press, reaches, settled, slider

visit = alone(lambda: [Fit()])


def fit(page):
    return settled(page.locator(".fit"))


def test_steps_by_keyboard_have_pytorchs_errors(visit):
    with visit("fit.width=3&fit.points=12&fit.seed=4") as page:
        widget, run = fit(page), FitRun(3, 12, 4)
        for step in (10, 20, 30):
            press(widget, "Ten steps")
            settled(widget, "step", step)
            for _ in range(10):
                run.step()
            for kind in run.points:
                assert number(widget, kind) == pytest.approx(run.error(kind).item(), rel=1e-3)
        page.wait_for_url("**fit.step=30*")
        rested(page)
        assert widget.locator("[role=status]").inner_text() == widget.locator(".fit-words").inner_text()


def test_it_is_trained_overfits_and_goes_back(visit):
    with visit() as page:
        widget = fit(page)
        played = plays(page, ".fit")
        press(widget, "Train")
        played()
        page.evaluate("document.documentElement.dataset.theme = 'dark'")  # drawn anew while it trains
        holds(widget, step=5000)
        settled(widget)
        assert "It overfits" in widget.locator(".fit-words").inner_text()
        end = {kind: number(widget, kind) for kind in ("training", "validation", "test")}
        assert end["training"] < 0.05 and end["test"] > 0.3
        press(widget, "Lowest validation error")
        reaches(widget, "step", "+x > 0 && +x < 1000")
        settled(widget)
        assert (
            number(widget, "validation") < end["validation"]
            and number(widget, "test") < end["test"] / 2
            and number(widget, "training") > end["training"]
        )


def test_what_is_turned_ends_the_playing_and_keeps_the_step(visit):
    with visit("fit.step=300") as page:
        widget = fit(page)
        before = number(widget, "test")
        press(widget, "Go on")
        slider(widget, "hidden neurons").press("ArrowLeft")
        holds(widget, playing="false", width=7)
        settled(widget)
        assert int(widget.get_attribute("data-step")) >= 300 and number(widget, "test") != before
        press(widget, "New points")
        settled(widget, "seed", 6)
        press(widget, "reset")
        settled(widget, "step", 0)
        assert button(widget, "Back to the start").is_disabled() and widget.get_attribute("data-width") == "8"
