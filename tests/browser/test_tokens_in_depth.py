"""TokensInDepth in a real Chromium, on a page of its own: layers by keyboard, play, dials that matter."""

import numpy as np
import pytest

from course_lib.gaussian import sphere
from course_lib.widgets import TokensInDepth
from tests.shared.pages import rested
from tests.shared.widget_alone import (
    alone,
    button,
    fact,
    holds,
    number,
    pictures,
    plays,
    reaches,
    settled,
    slider,
    spoken,
    words,
)
from tests.widgets.test_tokens_in_depth import path, state

pytestmark = pytest.mark.browser
visit = alone(lambda: [TokensInDepth(n=24)])


def first(page):
    return page.locator(".depth")


def count(**more):
    return int(sphere.groups(path(state(n=24, **more))[-1]).max()) + 1


def test_layers_by_keyboard_are_pythons(visit):
    with visit() as page:
        widget = settled(first(page), "layers", "0")
        dial = slider(widget, "layers passed")
        for layers in (1, 2):
            dial.press("ArrowRight")
            settled(widget, "layers", str(layers))
            assert number(widget, "cosine") == pytest.approx(
                sphere.mean_cosine(path(state(n=24, layers=layers))[-1]), abs=1e-9
            )
        dial.press("End")
        settled(widget, "layers", "500")
        assert fact(widget, "groups") == str(count(layers=500)) and words(widget).startswith(
            "After 500 layers the 24 tokens form"
        )
        rested(page)
        assert spoken(widget) == words(widget)
        slider(widget, "scale").press("Home")
        settled(widget, "beta", "0")
        assert fact(widget, "groups") == str(count(layers=500, beta=0)) == "1"
        button(widget, "Reset").press("Enter")
        settled(widget, "layers", "0")


def test_play_goes_on_and_a_dial_ends_it(visit):
    with visit() as page:
        widget = settled(first(page))
        playing = plays(page, ".depth")
        button(widget, "Play").press("Enter")
        playing()
        reaches(widget, "layers", "Number(x) >= 3")
        slider(widget, "step").press("ArrowRight")
        button(widget, "Play").wait_for()
        holds(widget, step="0.12")


def test_every_choice_is_drawn_and_counted(visit):
    with visit("depth.layers=6") as page:
        widget = settled(first(page), "layers", "6")
        seen = [pictures(widget)]
        for name, more in (
            ("fresh", {"value": "fresh"}),
            ("random", {"look": "random"}),
            ("32", {"d": 32}),
            ("3", {"d": 3}),
        ):
            group = widget.get_by_role(
                "group", name={"look": "Scores", "value": "Values V", "d": "Dimensions d"}[next(iter(more))]
            )
            group.get_by_role("radio", name=name, exact=True).press("Space")
            settled(widget, *(str(part) for pair in more.items() for part in pair))
            assert pictures(widget) not in seen
            seen.append(pictures(widget))
            # with random matrices there is no equation
            assert widget.locator(".course-facts div:visible").count() == 3
        wanted = path(state(n=24, layers=6, d=3, value="fresh", look="random"))[-1]
        assert (
            number(widget, "cosine") == pytest.approx(sphere.mean_cosine(wanted), abs=1e-9)
            and np.isfinite(wanted).all()
        )
        slider(widget, "heads").press("End")
        settled(widget, "heads", "4")
        slider(widget, "seen from").press("ArrowRight")
        settled(widget, "turn", "25")
