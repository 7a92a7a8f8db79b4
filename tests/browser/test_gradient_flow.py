"""Gradients through time in a real Chromium, on a page of its own: dials, words and keys, by keyboard, against the
cells in PyTorch."""

from urllib.parse import urlsplit

import numpy as np

from course_lib.widgets import GradientFlow
from tests.shared.pages import drawn, rested
from tests.shared.widget_alone import alone, button, holds, settled, slider, spoken, words
from tests.widgets.test_gradient_flow import STATE, expected

visit = alone(lambda: [GradientFlow()])


def flow(page):
    return page.locator(".gfl").first


def dial(page, name):
    return slider(flow(page), name)


def pick(page, name):
    flow(page).get_by_role("radio", name=name, exact=True).focus()
    page.keyboard.press("Space")
    drawn(page)
    settled(flow(page))  # another cell's graph may have to come first


def settings(page):
    """The widget's settings as its attributes tell them."""
    words = {name: flow(page).get_attribute(f"data-{name}") for name in STATE}
    return {
        name: type(STATE[name])(float(text)) if not isinstance(STATE[name], str) else text
        for name, text in words.items()
    }


def numbers(page, name):
    return np.array([float(word) for word in flow(page).get_attribute(f"data-{name}").split()])


def test_the_page_shows_the_gradients_of_the_cell_in_pytorch(visit):
    with visit() as page:
        for cell in ("RNN", "LSTM", "GRU"):
            pick(page, cell)
            holds(flow(page), cell=cell.lower())  # its graph may still be on the way
            state = settings(page)
            want = expected(state)
            np.testing.assert_allclose(numbers(page, "norms"), want["norms"].detach().numpy(), rtol=3e-3)
            np.testing.assert_allclose(numbers(page, "parts"), want["parts"].detach().numpy(), rtol=3e-3)
        assert state["cell"] == "gru"


def test_keys_turn_the_dials_and_only_dials_that_act_are_shown(visit):
    with visit() as page:
        pick(page, "RNN")
        pick(page, "identity")
        pick(page, "orthogonal")
        assert (
            not dial(page, "draw").is_visible()
            and not dial(page, "input").is_visible()
            and not dial(page, "bias").is_visible()
        )
        dial(page, "scale").focus()
        page.keyboard.press("End")
        drawn(page)
        norms = numbers(page, "norms")
        np.testing.assert_allclose(norms, 2.0 ** np.arange(len(norms) - 1, -1, -1), rtol=1e-3)
        pick(page, "tanh")
        assert dial(page, "draw").is_visible() and dial(page, "input").is_visible()
        before = numbers(page, "norms")
        dial(page, "draw").focus()
        page.keyboard.press("ArrowRight")
        drawn(page)
        assert not np.allclose(numbers(page, "norms"), before, rtol=1e-3)


def test_the_mark_moves_by_keys_and_its_words_are_spoken(visit):
    with visit() as page:
        face = flow(page).locator(".gfl-face")
        assert spoken(flow(page)) == ""
        face.focus()
        page.keyboard.press("End")
        page.keyboard.press("ArrowLeft")
        page.keyboard.press("ArrowLeft")
        rested(page)
        assert face.get_attribute("aria-valuenow") == "2"
        told = words(flow(page))
        assert "2 steps back" in told and spoken(flow(page)) == told == face.get_attribute("aria-valuetext")
        page.keyboard.press("Home")
        drawn(page)
        assert face.get_attribute("aria-valuenow") == flow(page).get_attribute("data-length")
        box = face.bounding_box()
        page.mouse.click(box["x"] + box["width"] - 14, box["y"] + 60)
        drawn(page)
        assert face.get_attribute("aria-valuenow") == "0"


def test_the_first_task_surprises_and_is_asked_only_where_it_can_be_done(visit):
    with visit() as page:
        task = flow(page).locator(".course-task")
        assert task.is_visible() and task.locator("sub").inner_text() == "s"
        left = []
        for key in ("Home", "End"):
            dial(page, "input").focus()
            page.keyboard.press(key)
            drawn(page)
            left.append(numbers(page, "norms")[-31])
            assert "The bound allows 1." in words(flow(page))
        assert left[0] > 0.1 and left[1] < 1e-9
        pick(page, "identity")
        assert task.is_hidden()


def test_clipping_keeps_the_shares_and_the_address_keeps_the_view(visit):
    with visit() as page:
        pick(page, "gradient by the weights, clipped")
        dial(page, "clip").focus()
        page.keyboard.press("Home")
        drawn(page)
        assert "clipped to 0.001" in words(flow(page)) and "W_s" not in flow(page).inner_text()
        assert "gradient by W s of length" in flow(page).locator(".gfl-face").get_attribute("aria-valuetext")
        page.keyboard.press("End")
        rested(page)
        assert "Clipping does nothing." in words(flow(page))
        link, shown, told = page.url, settings(page), words(flow(page))
    with visit(urlsplit(link).query) as page:
        assert settings(page) == shown and words(flow(page)) == told
        button(flow(page), "reset").press("Enter")
        rested(page)
        assert "flow." not in page.url and flow(page).get_attribute("data-view") == "states"
