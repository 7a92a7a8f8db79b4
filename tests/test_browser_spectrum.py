"""Spectrum in a real Chromium, on a page of its own: keyboard, NumPy's numbers, address, phone, dark, accessible."""

import threading

import numpy as np
import pytest
from barriers import barriers
from pages import opened, rested
from test_browser_explorer import is_busy, reaches
from test_spectrum_widget import DEFAULT, drawn
from widget_page import widget_page

from course_lib.spectra import Ensemble, law_distance
from course_lib.widgets import Spectrum

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a served page with two widgets: a symmetric normal matrix, and one that is not symmetric with a mean."""
    from serve import server

    folder = tmp_path_factory.mktemp("spectrum")
    widget_page(folder, [Spectrum(60), Spectrum(60, "uniform", "general", address="disc")], "Spectrum")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def first(page):
    return page.locator(".spc").first


def settled(widget, name=None, value=None):
    if name is not None:
        reaches(widget, name, f"x === {value!r}")
    is_busy(widget, False)
    return widget


def slider(widget, name):
    return widget.locator(".course-slider").filter(has_text=name).locator("input")


def told(widget):
    return widget.locator(".spc-words").inner_text().replace("\u00a0", " ")


def gap(widget):
    return float(widget.get_attribute("data-gap"))


def test_settings_by_keyboard_give_numpys_spectrum(browser, address):  # G3.1
    with opened(browser, address) as (page, troubles):
        widget = settled(first(page), "n", "60")
        assert gap(widget) == pytest.approx(law_distance(np.linalg.eigvalsh(drawn(DEFAULT)), Ensemble(60).law), abs=1e-7)
        slider(widget, "size").press("ArrowRight")
        settled(widget, "n", "70")
        widget.get_by_role("radio", name="symmetric", exact=True).press("ArrowRight")  # the next: not symmetric
        settled(widget, "form", "general")
        state = DEFAULT | {"n": 70, "form": "general"}
        sizes = np.abs(np.linalg.eigvals(drawn(state)))
        assert gap(widget) == pytest.approx(law_distance(sizes, Ensemble(70, form="general").law), abs=1e-7)
        assert widget.get_attribute("data-plane") == "true"
        widget.get_by_role("radio", name="singular values").press("Space")
        settled(widget, "values", "singular")
        assert gap(widget) == pytest.approx(law_distance(np.linalg.svd(drawn(state), compute_uv=False), Ensemble(70, form="general").singular_law), abs=1e-7)
        rested(page)
        assert widget.locator("[role=status]").inner_text().replace("\u00a0", " ") == told(widget)
        widget.get_by_role("button", name="reset").press("Enter")
        settled(widget, "n", "60")
        settled(widget, "form", "symmetric")
        assert troubles == []


def test_the_outlier_comes_with_the_mean_and_goes_with_it(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = settled(page.locator(".spc").nth(1))
        largest = np.abs(np.linalg.eigvals(drawn(DEFAULT | {"entries": "uniform", "form": "general"}))).max()
        assert float(widget.get_attribute("data-largest")) == pytest.approx(largest)
        predicted = widget.locator(".spc-facts div").filter(has_text="predicted, nμ/√n")
        assert predicted.locator("dd").inner_text() == f"{30 / 60**0.5:.4g}" and f"stands apart at {largest:.4g}" in told(widget)
        widget.get_by_role("switch", name="subtract the mean").press("Space")
        settled(widget, "centre", "1")
        assert predicted.is_hidden() and "stands apart" not in told(widget)
        widget.get_by_role("radio", name="N(0, 1)").check()
        settled(widget, "entries", "gaussian")
        assert widget.get_by_role("switch").count() == 0  # nothing to subtract
        assert troubles == []


def test_the_largest_matrix_comes_in_pieces_between_which_others_have_their_turn(browser, address):
    """By a clock that goes 1 ms on at every look: how many pieces there are is then the work's own affair, and not the processor's."""
    with opened(browser, f"{address}?disc.n=300") as (page, troubles):
        widget = settled(page.locator(".spc").nth(1), "n", "300")
        turns = widget.evaluate(
            """root => new Promise(done => {
                 let time = performance.now(), count = 0;
                 performance.now = () => ++time;
                 [...root.querySelectorAll('button')].find(x => x.textContent === 'another matrix').click();
                 const turn = () => { count++; root.dataset.seed !== '1' ? setTimeout(turn) : done(count); };
                 turn();
               })"""
        )
        assert turns >= 20  # about a hundred; in one piece, three
        assert settled(widget, "seed", "1").get_attribute("data-n") == "300"
        assert troubles == []


def test_the_address_brings_the_settings_back(browser, address):
    asked = "spectrum.entries=uniform&spectrum.form=product&spectrum.divisor=full&spectrum.seed=3&disc.n=50"
    with opened(browser, f"{address}?{asked}") as (page, troubles):
        widget = settled(first(page), "form", "product")
        values = np.linalg.eigvalsh(drawn(DEFAULT | {"entries": "uniform", "form": "product", "divisor": "full", "seed": 3}))
        assert float(widget.get_attribute("data-largest")) == pytest.approx(values[-1])
        assert settled(page.locator(".spc").nth(1)).get_attribute("data-n") == "50"
        widget.get_by_role("button", name="another matrix").click()
        page.wait_for_url("**spectrum.seed=4*")
        assert troubles == []
    with opened(browser, f"{address}?spectrum.n=5&spectrum.form=x&spectrum.values=&spectrum.seed=-1") as (page, troubles):
        assert settled(first(page)).get_attribute("data-n") == "60"  # what is no setting is left alone
        assert troubles == []


def test_on_a_phone_everything_fits_with_large_targets(browser, address):
    with opened(browser, f"{address}?spectrum.entries=uniform&spectrum.values=singular", width=375) as (page, troubles):
        widget = settled(first(page))
        settled(page.locator(".spc").nth(1))
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        sizes = widget.locator("button, .course-choice label, .course-toggle, .course-slider input, .spc-seed input").evaluate_all(
            "all => all.map(x => x.getBoundingClientRect()).map(b => Math.min(b.width, b.height))"
        )
        assert min(sizes) >= 24
        assert troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser, address, scheme):
    with opened(browser, address, scheme=scheme) as (page, troubles):
        page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        page.wait_for_function("scheme => document.querySelector('.spc').dataset.courseTheme === scheme", arg=scheme)
        for k in (0, 1):
            settled(page.locator(".spc").nth(k))
        assert barriers(page, context=".spc") == []
        assert page.locator(".spc canvas:not([aria-hidden=true])").count() == 0
        assert troubles == []
