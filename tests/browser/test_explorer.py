"""The explorer in the published page: it trains by keyboard with PyTorch's losses, and keeps its head when pushed."""

import re

import pytest
from playwright.sync_api import expect

from course_lib.graphs.explorer import Run, Settings
from tests.shared.pages import HANG, context_of, drawn, opened, stands

pytestmark = pytest.mark.browser
PAGE = "chapters/03_transformer/09_explorer.html"


def explorer(page, index=0):
    return page.locator(".aex").nth(index)


def is_busy(widget, busy):
    """Wait until the picture of the widget's settings is still to come, or is there."""
    expect(widget).to_have_attribute("aria-busy", str(busy).lower())


def reaches(widget, name, test, milliseconds=HANG):
    """Wait until the widget's data-<name> passes a test, written in JavaScript of x."""
    widget.evaluate(
        """(root, [name, test, ms]) => new Promise((done, fail) => {
             const passes = new Function("x", `return ${test}`), end = Date.now() + ms;
             const look = () => passes(root.dataset[name]) ? done()
               : Date.now() > end ? fail(Error(`${name} stayed ${root.dataset[name]}, wanted ${test}`)) : setTimeout(look, 20);
             look();
           })""",
        [name, test, milliseconds],
    )


def press(widget, name):
    widget.get_by_role("button", name=name, exact=True).press("Enter")
    drawn(widget.page)


def test_steps_by_keyboard_have_pytorchs_losses(browser, site):
    run = Run(Settings(d=8, m=8, h=1))
    with opened(browser, f"{site}{PAGE}?explorer.d=8&explorer.m=8&explorer.h=1") as (page, troubles):
        widget = explorer(page)
        for step in range(1, 9):
            press(widget, "Step")
            reaches(widget, "step", f"x === '{step}'")
            assert float(widget.get_attribute("data-loss")) == pytest.approx(run.step(), abs=1e-4)
        assert float(widget.get_attribute("data-accuracy")) == pytest.approx(run.accuracy(), abs=0.01)
        assert troubles == []


def test_a_trained_run_is_there_and_another_one_learns(browser, book):
    with opened(browser, f"{(book / PAGE).as_uri()}?explorer.speed=max") as (page, troubles):
        widget = explorer(page)
        assert widget.get_attribute("data-stored") == "true" and float(widget.get_attribute("data-accuracy")) > 0.95
        press(widget, "Train")
        reaches(widget, "stored", "x !== 'true'")
        reaches(widget, "accuracy", "+x > 0.95")
        assert widget.get_attribute("data-where") == "worker"
        speed = widget.locator(".aex-transport .course-slider").filter(has_text="speed").locator("input")
        speed.press("Home")  # a step a second: the run must not end before all of this has been looked at
        # dark and light while it trains, and a hidden tab that rests
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        page.evaluate("Object.defineProperty(document, 'hidden', { value: true, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))")
        step = stands(page, "document.querySelector('.aex').dataset.step")
        page.evaluate("Object.defineProperty(document, 'hidden', { value: false, configurable: true }); document.dispatchEvent(new Event('visibilitychange'))")
        reaches(widget, "step", f"+x > {step}")
        press(widget, "Pause")
        reaches(widget, "playing", "x === 'false'")
        # back to a moment already passed
        moment = widget.locator(".aex-transport .course-slider").filter(has_text="moment").locator("input")
        moment.focus()
        page.keyboard.press("Home")
        reaches(widget, "step", "x === '0'")
        assert float(widget.get_attribute("data-accuracy")) < 0.5
        assert troubles == []


def test_a_hopeless_rate_ends_in_words(browser, site):
    with opened(browser, f"{site}{PAGE}?explorer.rate=1&explorer.norm=none&explorer.residual=0&explorer.speed=max") as (page, troubles):
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
def test_every_dial_at_its_extremes_steps(browser, site, dials):
    with opened(browser, f"{site}{PAGE}?explorer.{dials}") as (page, troubles):
        widget = explorer(page)
        press(widget, "Step")
        reaches(widget, "step", "x === '1'")
        assert 0 < float(widget.get_attribute("data-loss")) < 50
        assert troubles == []


def test_rapid_changes_end_where_they_should(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        widget = explorer(page)
        slider = widget.locator(".course-slider").filter(has_text="width d").locator("input")
        slider.focus()
        for _ in range(12):
            page.keyboard.press("ArrowLeft")
        press(widget, "Step")
        reaches(widget, "step", "x === '1'")
        run = Run(Settings(d=8))
        assert float(widget.get_attribute("data-loss")) == pytest.approx(run.step(), abs=1e-4)
        page.wait_for_url("**explorer.d=8*")  # the address follows at its own pace
        assert troubles == []


def test_two_explorers_on_a_page_do_not_disturb_each_other(browser, site):
    marker = re.compile(r'(<script type="application/vnd.jupyter.widget-view\+json">.*?</script>)', re.S)
    context = context_of(browser)
    page = context.new_page()

    def twice(route):
        reply = route.fetch()
        route.fulfill(response=reply, body=marker.sub(r"\1\1", reply.text(), count=1))

    page.route("**/09_explorer.html", twice)
    page.goto(site + PAGE)
    page.wait_for_selector("html[data-course-ready]")
    first, second = explorer(page, 0), explorer(page, 1)
    press(first, "Step")
    reaches(first, "step", "x === '1'")
    assert second.get_attribute("data-step") == "150"
    press(second, "Reset")
    reaches(second, "step", "x === '0'")
    context.close()
