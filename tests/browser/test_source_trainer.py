"""The source trainer in a browser, on a page of its own: it trains with PyTorch's losses, and keeps its head when
pushed."""

import pytest

from course_lib.widgets import SourceTrainer
from tests.shared.pages import rested
from tests.shared.source_run import SourceRun, SourceSettings
from tests.shared.widget_alone import alone, holds, number, press, reaches, slider

visit = alone(lambda: [SourceTrainer()])


def trainer(page):
    widget = page.locator(".stn")
    reaches(widget, "step", "x !== undefined")
    return widget


def test_steps_by_keyboard_have_pytorchs_losses(visit):
    settings = SourceSettings(p=(0.75, 0.25), n=5, d=6, m=3, r=7, average=0.9, seed=4)
    state = "source.p=0.75,0.25&source.n=5&source.d=6&source.m=3&source.r=7&source.average=0.9&source.seed=4"
    run = SourceRun(settings)
    with visit(f"{state}") as page:
        widget = trainer(page)
        for step in range(1, 7):
            press(widget, "One step")
            holds(widget, step=step)
            assert number(widget, "loss") == pytest.approx(run.step(), abs=1e-5)
        assert number(widget, "exact") == pytest.approx(run.exact_loss(averaged=True), abs=1e-5)


def test_the_smallest_published_model_learns(visit):
    """1,500 updates with their painting, in a page opened from its folder."""
    with visit("source.average=0.99", from_file=True) as page:
        widget = trainer(page)
        press(widget, "Train")
        reaches(widget, "step", "+x > 0")
        page.evaluate("document.documentElement.dataset.theme = 'dark'")  # drawn anew while it trains
        holds(widget, stopped="end")
        assert widget.get_attribute("data-where") == "worker" and widget.get_attribute("data-step") == "1500"
        assert number(widget, "exact") < 1.213 + 0.005 and number(widget, "error") < 0.03
        rested(page)
        words = widget.locator(".trn-status").inner_text()
        assert "All 1500 updates are made" in words and widget.locator("[role=status]").inner_text() == words


def test_pause_reset_and_seed(visit):
    with visit("source.updates=20000&source.speed=100") as page:
        widget = trainer(page)
        press(widget, "Train")
        reaches(widget, "step", "+x > 20")
        press(widget, "Pause")
        holds(widget, playing="false")
        press(widget, "Reset")
        holds(widget, step="0")
        press(widget, "Next seed")
        press(widget, "One step")
        holds(widget, step="1")
        assert number(widget, "loss") == pytest.approx(SourceRun(SourceSettings(seed=2)).step(), abs=1e-5)
        page.wait_for_url("**source.seed=2*")


def test_sliders_keep_the_sum_and_the_switch_makes_a_chain(visit):
    with visit() as page:
        widget = trainer(page)
        share = slider(widget, "p of token 0")
        share.press("End")
        page.wait_for_url("**source.p=1,0,0,0*")
        share.press("Home")
        page.wait_for_url("**source.p=0,0.33334,0.33333,0.33333*")
        widget.get_by_label("source", exact=True).select_option(label="published, 8 tokens")
        widget.get_by_role("switch").check()
        page.wait_for_url("**source.stickiness=0.5*")
        page.wait_for_function(
            "chart => chart.getAttribute('aria-label').includes('entropy rate')",
            arg=widget.locator(".trn-chart").first.element_handle(),
        )
        press(widget, "One step")
        holds(widget, step="1")
        settings = SourceSettings(p=tuple(x / 32 for x in (8, 8, 4, 4, 4, 2, 1, 1)), stickiness=0.5)
        assert number(widget, "loss") == pytest.approx(SourceRun(settings).step(), abs=1e-5)


def test_a_token_that_is_gone_has_no_share_to_move(visit):
    """Quicker than the page draws: two tokens instead of four, and the fourth one's slider, still there, to its end."""
    with visit() as page:
        widget = trainer(page)
        quick = (
            "nodes => nodes.forEach(([node, value]) => { node.value = value; node.dispatchEvent(new Event('input')); })"
        )
        page.evaluate(
            quick,
            [[slider(widget, name).element_handle(), value] for name, value in (("tokens v", 2), ("p of token 3", 1))],
        )
        page.wait_for_url("**source.p=0.75,0.25*")
        press(widget, "One step")
        holds(widget, step="1")
        assert number(widget, "loss") == pytest.approx(SourceRun(SourceSettings(p=(0.75, 0.25))).step(), abs=1e-5)
