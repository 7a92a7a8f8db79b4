"""The source trainer in a browser, on a page of its own: it trains with PyTorch's losses, and keeps its head when pushed."""

import pytest

from course_lib.graphs.source_run import SourceRun, SourceSettings
from course_lib.widgets import SourceTrainer
from tests.shared.pages import drawn, opened, rested, stands
from tests.shared.widget_page import widget_page
from tests.shared.widgets import hide, number, press, reaches, served, slider

pytestmark = pytest.mark.browser
SMALL = {"updates": 120, "sequences": 64}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    made = tmp_path_factory.mktemp("trainer")
    widget_page(made, [SourceTrainer(), SourceTrainer([0.5, 0.5], stickiness=0.8, address="chain", **SMALL)])
    return made


@pytest.fixture(scope="module")
def page_of(folder):
    with served(folder) as address:
        yield address


def trainer(page, index=0):
    widget = page.locator(".stn").nth(index)
    reaches(widget, "step", "x !== undefined")
    return widget


def test_steps_by_keyboard_have_pytorchs_losses(browser, page_of):
    settings = SourceSettings(p=(0.75, 0.25), n=5, d=6, m=3, r=7, average=0.9, seed=4)
    state = "source.p=0.75,0.25&source.n=5&source.d=6&source.m=3&source.r=7&source.average=0.9&source.seed=4"
    run = SourceRun(settings)
    with opened(browser, f"{page_of}?{state}") as (page, troubles):
        widget = trainer(page)
        for step in range(1, 7):
            press(widget, "One step")
            reaches(widget, "step", f"x === '{step}'")
            assert number(widget, "loss") == pytest.approx(run.step(), abs=1e-5)
        assert number(widget, "exact") == pytest.approx(run.exact_loss(averaged=True), abs=1e-5)
        assert troubles == []


def test_the_smallest_published_model_learns(browser, folder):
    """1,500 updates with their painting, in a page opened from its folder."""
    with opened(browser, f"{(folder / 'page.html').as_uri()}?source.average=0.99") as (page, troubles):
        widget = trainer(page)
        press(widget, "Train")
        reaches(widget, "step", "+x > 0")
        page.evaluate("document.documentElement.dataset.theme = 'dark'")  # drawn anew while it trains
        reaches(widget, "stopped", "x === 'end'")
        assert widget.get_attribute("data-where") == "worker" and widget.get_attribute("data-step") == "1500"
        assert number(widget, "exact") < 1.213 + 0.005 and number(widget, "error") < 0.03
        rested(page)
        words = widget.locator(".trn-status").inner_text()
        assert "All 1500 updates are made" in words and widget.locator("[role=status]").inner_text() == words
        assert troubles == []


def test_pause_reset_and_seed(browser, page_of):
    with opened(browser, f"{page_of}?source.updates=20000&source.speed=100") as (page, troubles):
        widget = trainer(page)
        press(widget, "Train")
        reaches(widget, "step", "+x > 20")
        hide(page, True)
        step = stands(page, "document.querySelector('.stn').dataset.step")  # a hidden page rests
        hide(page, False)
        reaches(widget, "step", f"+x > {step}")
        press(widget, "Pause")
        reaches(widget, "playing", "x === 'false'")
        press(widget, "Reset")
        reaches(widget, "step", "x === '0'")
        press(widget, "Next seed")
        press(widget, "One step")
        reaches(widget, "step", "x === '1'")
        assert number(widget, "loss") == pytest.approx(SourceRun(SourceSettings(seed=2)).step(), abs=1e-5)
        page.wait_for_url("**source.seed=2*")
        assert troubles == []


def test_sliders_keep_the_sum_and_the_switch_makes_a_chain(browser, page_of):
    with opened(browser, page_of) as (page, troubles):
        widget = trainer(page)
        share = slider(widget, "p of token 0")
        share.press("End")
        page.wait_for_url("**source.p=1,0,0,0*")
        share.press("Home")
        page.wait_for_url("**source.p=0,0.33334,0.33333,0.33333*")
        widget.get_by_label("source", exact=True).select_option(label="published, 8 tokens")
        widget.get_by_role("switch").check()
        page.wait_for_url("**source.stickiness=0.5*")
        page.wait_for_function("chart => chart.getAttribute('aria-label').includes('entropy rate')", arg=widget.locator(".trn-chart").first.element_handle())
        press(widget, "One step")
        reaches(widget, "step", "x === '1'")
        settings = SourceSettings(p=tuple(x / 32 for x in (8, 8, 4, 4, 4, 2, 1, 1)), stickiness=0.5)
        assert number(widget, "loss") == pytest.approx(SourceRun(settings).step(), abs=1e-5)
        assert troubles == []


def test_a_token_that_is_gone_has_no_share_to_move(browser, page_of):
    """Quicker than the page draws: two tokens instead of four, and the fourth one's slider, still there, to its end."""
    with opened(browser, page_of) as (page, troubles):
        widget = trainer(page)
        quick = "nodes => nodes.forEach(([node, value]) => { node.value = value; node.dispatchEvent(new Event('input')); })"
        page.evaluate(quick, [[slider(widget, name).element_handle(), value] for name, value in (("tokens v", 2), ("p of token 3", 1))])
        page.wait_for_url("**source.p=0.75,0.25*")
        press(widget, "One step")
        reaches(widget, "step", "x === '1'")
        assert number(widget, "loss") == pytest.approx(SourceRun(SourceSettings(p=(0.75, 0.25))).step(), abs=1e-5)
        assert troubles == []


def test_a_chain_beside_it_finds_the_rate(browser, page_of):
    with opened(browser, page_of) as (page, troubles):
        widget = trainer(page, 1)
        press(widget, "Train")
        reaches(widget, "stopped", "x === 'end'")
        run = SourceRun(SourceSettings(p=(0.5, 0.5), stickiness=0.8, **SMALL))
        for _ in range(SMALL["updates"]):
            run.step()
        assert number(widget, "exact") == pytest.approx(run.exact_loss(), abs=1e-3)
        assert trainer(page, 0).get_attribute("data-step") == "0"  # the other one is left alone
        assert troubles == []


@pytest.mark.parametrize("state", ["n=1&source.d=2&source.m=1&source.r=1&source.batch=1", "n=128&source.d=128&source.m=128&source.r=512", "rate=1&source.decay=cosine"])
def test_every_dial_at_its_extremes_steps(browser, page_of, state):
    with opened(browser, f"{page_of}?source.{state}") as (page, troubles):
        widget = trainer(page)
        press(widget, "One step")
        reaches(widget, "step", "x === '1'")
        assert 0 < number(widget, "loss") < 50 and "NaN" not in widget.inner_text()
        assert troubles == []


@pytest.mark.parametrize("width", [375, 1280])
def test_nothing_sticks_out(browser, page_of, width):
    with opened(browser, page_of, width=width) as (page, troubles):
        trainer(page)
        for group in page.locator(".trn-group > summary").all()[1:3]:
            group.press("Enter")
        drawn(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert troubles == []
