"""MeasurePlayground in a real Chromium, on a page of its own: pointer, keyboard, weights, splitting, blur, layers, address, phone, dark, accessible."""

import threading

import numpy as np
import pytest
from barriers import barriers
from pages import drawn, opened, passes, rested
from test_browser_explorer import is_busy, reaches
from test_measure_playground import DEFAULT, EYE, FIVE, MINUS, TURN, composed, heads, measure
from widget_page import widget_page

from course_lib.incontext import gamma
from course_lib.widgets import MeasurePlayground

pytestmark = pytest.mark.browser
GRID = np.stack(np.meshgrid(np.linspace(-3, 3, 30), np.linspace(-3, 3, 30)), -1).reshape(-1, 2)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    from serve import server

    folder = tmp_path_factory.mktemp("measures")
    widget_page(folder, [MeasurePlayground()], "Measures")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def settled(page, name="layers", value=None):
    """Wait until the layers have come and, where asked, a setting is what it should be."""
    widget = page.locator(".mea")
    if value is not None:
        reaches(widget, name, f"x === {value!r}")
    is_busy(widget, False)
    return widget


def slider(widget, name):
    return widget.locator(".course-slider").filter(has_text=name).locator("input").first


def token(widget, k):
    return widget.get_by_role("slider", name=f"token {k} of")


def fact(widget, name):
    return widget.locator(".mea-facts div").filter(has_text=name).locator("dd").inner_text().replace("\u00a0", " ")


def shown(x):
    return f"{float(f'{x:.3g}'):g}".replace("-", "−")


def expected(**more):
    """The facts as the page should print them, by course_lib.incontext."""
    state = DEFAULT | more
    mu, layer = measure(state), composed(state)
    landed, after = layer(mu, GRID), mu.push(lambda atoms: layer(mu, atoms))

    def told(measure):
        mean = measure.weights @ measure.atoms
        return mean, np.sqrt(measure.weights @ ((measure.atoms - mean) ** 2).sum(1))

    (m0, s0), (m1, s1) = told(mu), told(after)
    point = "({}, {})".format
    return [f"{point(*map(shown, m0))} → {point(*map(shown, m1))}", f"{shown(s0)} → {shown(s1)}", shown(np.linalg.norm(landed - GRID, axis=1).max())]


def facts(widget):
    return [fact(widget, name) for name in ("mean of the measure", "its spread", "largest move")]


def test_layers_have_pythons_numbers(browser, address):  # B4
    with opened(browser, address) as (page, troubles):
        widget = settled(page, "layers", "1")
        assert facts(widget) == expected()
        for layers in (2, 3):
            slider(widget, "layers passed").press("ArrowRight")
            settled(page, "layers", str(layers))
            assert facts(widget) == expected(layers=layers)
        widget.get_by_role("radio", name="∘ measure of the start").check()
        settled(page, "pushed", "0")
        assert facts(widget) == expected(layers=3, pushed=False)
        rested(page)
        assert widget.locator("[role=status]").inner_text().startswith("After 3 layers, each looking at the measure of the start")
        widget.get_by_role("button", name="Reset").press("Enter")
        settled(page, "layers", "1")
        assert facts(widget) == expected()
        assert troubles == []


def test_tokens_by_keyboard(browser, address):  # B4
    with opened(browser, address) as (page, troubles):
        widget = settled(page)
        first = token(widget, 1)
        first.focus()
        first.press("ArrowRight")
        first.press("Shift+ArrowUp")
        first.press("+")
        tokens = [[-1.4, 1.0, 1.25], *FIVE[1:]]
        settled(page, "tokens", ",".join(f"{x:g}" for x in np.ravel(tokens)))
        assert facts(widget) == expected(tokens=tokens)
        first.press("PageDown")
        drawn(page)
        assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("token 2 of 5")
        page.keyboard.press("Delete")
        tokens.pop(1)
        settled(page, "tokens", ",".join(f"{x:g}" for x in np.ravel(tokens)))
        assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("token 2 of 4")
        assert facts(widget) == expected(tokens=tokens)
        page.keyboard.press("-")
        reaches(widget, "tokens", "x.split(',')[5] === '1.6'")
        assert widget.locator(".mea-handle[tabindex='0']").count() == 1
        widget.get_by_role("button", name="Add a token").press("Enter")
        reaches(widget, "tokens", "x.split(',').length === 15")
        assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("token 5 of 5")
        for _ in range(4):
            page.keyboard.press("Delete")
        reaches(widget, "tokens", "x.split(',').length === 3")
        page.keyboard.press("Delete")  # the last one stays
        drawn(page)
        assert widget.locator(".mea-handle").count() == 1
        assert widget.get_by_role("button", name="Remove").is_disabled()
        assert troubles == []


def test_tokens_by_pointer(browser, address):  # B4
    with opened(browser, address) as (page, troubles):
        widget = settled(page)
        widget.scroll_into_view_if_needed()
        box = token(widget, 3).locator(".mea-knob").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        page.mouse.down()
        page.mouse.move(x + 20, y + 10)
        page.mouse.move(x + 40, y + 30)
        page.mouse.up()
        reaches(widget, "tokens", "Number(x.split(',')[6]) > 1.3 && Number(x.split(',')[7]) < -0.7")
        assert widget.get_attribute("data-chosen") == "2"
        tokens = np.reshape([float(part) for part in widget.get_attribute("data-tokens").split(",")], (-1, 3)).tolist()
        settled(page)
        assert facts(widget) == expected(tokens=tokens) and tokens[2][2] == 2
        plane = widget.locator(".mea-plane").bounding_box()
        page.mouse.dblclick(plane["x"] + 30, plane["y"] + 30)
        reaches(widget, "tokens", "x.split(',').length === 18")
        assert widget.locator(".mea-handle").count() == 6
        assert troubles == []


def test_a_split_token_leaves_the_field_and_says_so(browser, address):  # B4
    with opened(browser, address) as (page, troubles):
        widget = settled(page)
        before = fact(widget, "largest move")
        widget.get_by_role("button", name="Split in two").press("Enter")
        settled(page, "tokens", ",".join(f"{x:g}" for x in np.ravel([[-1.5, 0.5, 0.5], [-1.5, 0.5, 0.5], *FIVE[1:]])))
        words = widget.locator(".mea-words").inner_text()
        assert words.startswith("Token 1 is now two tokens of weight 0.5 in one place. The field has not changed: the largest change on the grid is ")
        assert fact(widget, "largest move") == before
        rested(page)
        assert widget.locator("[role=status]").inner_text().startswith("Token 1 is now two tokens")
        assert troubles == []


def test_blur_presets_and_heads(browser, address):  # B4
    with opened(browser, address) as (page, troubles):
        widget = settled(page)
        slider(widget, "blur").press("End")
        settled(page, "blur", "1.5")
        layer, mu = heads(DEFAULT), measure(DEFAULT)
        linear = 1.5**2 * sum(C @ M for C, M in zip(layer.scoring, layer.writing, strict=True))
        most = np.linalg.norm(gamma(mu, GRID, layer) + GRID @ linear - GRID, axis=1).max()
        assert fact(widget, "largest move") == shown(most)
        assert "plus the linear map" in widget.locator(".mea-more").inner_text()
        slider(widget, "blur").press("Home")
        widget.get_by_role("combobox", name="layer", exact=True).select_option("consensus")
        widget.get_by_label("start from").select_option("two, unequal")
        settled(page, "tokens", "-1,-0.5,3,1.5,1,1")
        assert facts(widget) == expected(tokens=[[-1, -0.5, 3], [1.5, 1, 1]], heads=[[EYE, MINUS]], scale=0.5, step=0.3)
        widget.get_by_role("radio", name="2 heads").check()
        widget.get_by_label("Head 2, values, W V times W O: preset").select_option("quarter turn")
        settled(page, "heads", "1,0,0,1,-1,0,0,-1,1,0,0,1,0,1,-1,0")
        assert facts(widget) == expected(tokens=[[-1, -0.5, 3], [1.5, 1, 1]], heads=[[EYE, MINUS], [EYE, TURN]], scale=0.5, step=0.3)
        assert troubles == []


def test_drawn_tokens_and_their_rate(browser, address):  # B4
    with opened(browser, f"{address}?measure.compare=1&measure.blur=0.5") as (page, troubles):
        widget = settled(page)
        assert widget.locator(".mea-chart").is_visible() and "to the power −0.4" in widget.locator(".mea-more").inner_text()
        error = fact(widget, "error of the drawn")
        widget.get_by_role("button", name="another sample").click()
        settled(page, "seed", "1")
        assert fact(widget, "error of the drawn") != error and 0 < float(error) < 1
        assert troubles == []


def test_two_hundred_tokens_follow_the_pointer(browser, address):
    """No bar on the time of a busy machine: a drag of 20 frames ends where it should, and the page drew on the way."""
    with opened(browser, address) as (page, troubles):
        widget = settled(page)
        widget.get_by_label("start from").select_option("three clouds, 200")
        reaches(widget, "tokens", "x.split(',').length === 600")
        settled(page)
        assert widget.locator(".mea-handle").count() == 200 and widget.locator(".mea-handle[tabindex='0']").count() == 1
        slider(widget, "step").evaluate(
            """input => new Promise(done => {
                 let k = 0;
                 const frame = () => { input.value = 0.2 + 0.02 * k; input.dispatchEvent(new Event('input')); ++k <= 20 ? requestAnimationFrame(frame) : done(); };
                 frame();
               })"""
        )
        settled(page, "step", "0.6")
        tokens = np.reshape([float(part) for part in widget.get_attribute("data-tokens").split(",")], (-1, 3)).tolist()
        assert facts(widget)[1:] == expected(tokens=tokens, step=0.6)[1:]
        assert troubles == []


def test_play_glides_and_ends(browser, address):
    with opened(browser, f"{address}?measure.layers=2") as (page, troubles):
        page.emulate_media(reduced_motion="no-preference")
        widget = settled(page, "layers", "2")
        played = passes(page, "[...document.querySelectorAll('.mea button')].some(each => each.textContent === 'Pause')")
        widget.get_by_role("button", name="Play").click()
        played()
        settled(page, "layers", "6")
        widget.get_by_role("button", name="Play").wait_for()
        assert facts(widget) == expected(layers=6)
        assert troubles == []


def test_the_address_brings_the_settings_back(browser, address):
    with opened(browser, f"{address}?measure.tokens=1,0,1,-1,0,2&measure.layers=2&measure.pushed=0") as (page, troubles):
        widget = settled(page, "layers", "2")
        assert facts(widget) == expected(tokens=[[1, 0, 1], [-1, 0, 2]], layers=2, pushed=False)
        slider(widget, "scale").press("Home")
        page.wait_for_url("**measure.scale=0*")
        assert troubles == []
    with opened(browser, f"{address}?measure.tokens=1,0&measure.layers=7&measure.heads=1&measure.blur=x") as (page, troubles):
        assert facts(settled(page, "layers", "1")) == expected()  # what is no setting is left alone
        assert troubles == []


def test_on_a_phone_everything_fits_with_large_targets(browser, address):
    with opened(browser, f"{address}?measure.compare=1", width=375) as (page, troubles):
        widget = settled(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        sizes = widget.locator("button, select, input:not(.course-choice input), .mea-target").evaluate_all(
            "all => all.filter(x => x.checkVisibility()).map(x => (x.closest('.course-toggle') ?? x).getBoundingClientRect()).map(b => Math.min(b.width, b.height))"
        )
        assert min(sizes) >= 24
        assert troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser, address, scheme):
    with opened(browser, f"{address}?measure.compare=1&measure.blur=0.3&measure.layers=2", scheme=scheme) as (page, troubles):
        page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        page.wait_for_function("scheme => document.querySelector('.mea').dataset.courseTheme === scheme", arg=scheme)
        widget = settled(page)
        assert barriers(page, context=".mea") == []
        assert widget.locator("canvas:not([aria-hidden=true])").count() == 0
        assert troubles == []
