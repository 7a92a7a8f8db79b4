"""The explorer in a browser, on a page of its own: it trains by keyboard with PyTorch's losses, and keeps its head when pushed."""

import re

import pytest

from course_lib.graphs.explorer import Run, Settings
from course_lib.widgets import AttentionExplorer
from tests.shared.pages import context_of, opened, stands
from tests.shared.widget_page import widget_page
from tests.shared.widgets import hide, is_busy, number, press, reaches, served, slider  # noqa: F401  (is_busy: other tests still ask for it here)

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return widget_page(tmp_path_factory.mktemp("explorer"), [AttentionExplorer()]).parent


@pytest.fixture(scope="module")
def page_of(folder):
    with served(folder) as address:
        yield address


def explorer(page, index=0):
    return page.locator(".aex").nth(index)


def test_steps_by_keyboard_have_pytorchs_losses(browser, page_of):
    run = Run(Settings(d=8, m=8, h=1))
    with opened(browser, f"{page_of}?explorer.d=8&explorer.m=8&explorer.h=1") as (page, troubles):
        widget = explorer(page)
        for step in range(1, 9):
            press(widget, "Step")
            reaches(widget, "step", f"x === '{step}'")
            assert number(widget, "loss") == pytest.approx(run.step(), abs=1e-4)
        assert number(widget, "accuracy") == pytest.approx(run.accuracy(), abs=0.01)
        assert troubles == []


def test_a_trained_run_is_there_and_another_one_learns(browser, folder):
    with opened(browser, f"{(folder / 'page.html').as_uri()}?explorer.speed=max") as (page, troubles):
        widget = explorer(page)
        assert widget.get_attribute("data-stored") == "true" and number(widget, "accuracy") > 0.95
        press(widget, "Train")
        reaches(widget, "stored", "x !== 'true'")
        reaches(widget, "accuracy", "+x > 0.95")
        assert widget.get_attribute("data-where") == "worker"
        slider(widget, "speed").press("Home")  # a step a second: the run must not end before all of this has been looked at
        # dark and light while it trains, and a hidden tab that rests
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        hide(page, True)
        step = stands(page, "document.querySelector('.aex').dataset.step")
        hide(page, False)
        reaches(widget, "step", f"+x > {step}")
        press(widget, "Pause")
        reaches(widget, "playing", "x === 'false'")
        # back to a moment already passed
        slider(widget, "moment").press("Home")
        reaches(widget, "step", "x === '0'")
        assert number(widget, "accuracy") < 0.5
        assert troubles == []


def test_a_hopeless_rate_ends_in_words(browser, page_of):
    with opened(browser, f"{page_of}?explorer.rate=1&explorer.norm=none&explorer.residual=0&explorer.speed=max") as (page, troubles):
        widget = explorer(page)
        press(widget, "Train")
        offer = widget.get_by_role("button", name=re.compile("Start again with"))
        offer.wait_for()
        assert "NaN" not in widget.inner_text()
        offer.press("Enter")
        reaches(widget, "step", "+x < 50")
        assert troubles == []


@pytest.mark.parametrize(
    "dials",
    ["d=4&explorer.m=1&explorer.h=1", "d=64&explorer.m=32&explorer.h=8&explorer.layers=2", "positions=sinusoidal&explorer.norm=post&explorer.task=numbers",
     "positions=none&explorer.norm=none&explorer.residual=0&explorer.causal=0&explorer.scaled=0"],
)  # fmt: skip
def test_every_dial_at_its_extremes_steps(browser, page_of, dials):
    with opened(browser, f"{page_of}?explorer.{dials}") as (page, troubles):
        widget = explorer(page)
        press(widget, "Step")
        reaches(widget, "step", "x === '1'")
        assert 0 < number(widget, "loss") < 50
        assert troubles == []


def test_rapid_changes_end_where_they_should(browser, page_of):
    with opened(browser, page_of) as (page, troubles):
        widget = explorer(page)
        slider(widget, "width d").focus()
        for _ in range(12):
            page.keyboard.press("ArrowLeft")
        press(widget, "Step")
        reaches(widget, "step", "x === '1'")
        run = Run(Settings(d=8))
        assert number(widget, "loss") == pytest.approx(run.step(), abs=1e-4)
        page.wait_for_url("**explorer.d=8*")  # the address follows at its own pace
        assert troubles == []


def test_two_explorers_on_a_page_do_not_disturb_each_other(browser, page_of):
    marker = re.compile(r'(<script type="application/vnd.jupyter.widget-view\+json">.*?</script>)', re.S)
    context = context_of(browser)
    page = context.new_page()

    def twice(route):
        reply = route.fetch()
        route.fulfill(response=reply, body=marker.sub(r"\1\1", reply.text(), count=1))

    page.route("**/page.html", twice)
    page.goto(page_of)
    page.wait_for_selector("html[data-course-ready]")
    first, second = explorer(page, 0), explorer(page, 1)
    press(first, "Step")
    reaches(first, "step", "x === '1'")
    assert second.get_attribute("data-step") == "150"
    press(second, "Reset")
    reaches(second, "step", "x === '0'")
    context.close()
