"""GaussianAttention in a real Chromium, on a page of its own: keyboard, pointer, play, overflow, address, phone, dark, accessible."""

import threading

import numpy as np
import pytest
from barriers import barriers
from pages import drawn, opened, passes, rested
from playwright.sync_api import expect
from test_browser_explorer import is_busy, reaches
from test_gaussian_widget import DEFAULT, EYE, layer, start
from widget_page import widget_page

from course_lib.gaussian import attend_particles, push
from course_lib.widgets import GaussianAttention

pytestmark = pytest.mark.browser
SMALL = 60  # particles: the page's numbers do not depend on how many, its speed on a busy machine does


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a served page with two widgets: the default, and identity matrices with a whole step, at the start."""
    from serve import server

    folder = tmp_path_factory.mktemp("gaussian")
    widget_page(folder, [GaussianAttention(n=SMALL), GaussianAttention(heads=[[EYE, EYE]], step=1.0, layers=0, n=10, address="wild")], "Gaussian")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def first(page):
    return page.locator(".gau").first


def settled(widget, name="layers", value=None):
    """Wait until the particles have come and, where asked, a setting is what it should be."""
    if value is not None:
        reaches(widget, name, f"x === {value!r}")
    is_busy(widget, False)
    return widget


def slider(widget, name):
    return widget.locator(".course-slider").filter(has_text=name).locator("input").first


def handle(widget, name):
    return widget.get_by_role("slider", name=f"{name} of the start")


def told(widget):
    return widget.locator(".gau-words").inner_text().replace("\u00a0", " ")


def fact(widget, name):
    return widget.locator(".gau-facts div").filter(has_text=name).locator("dd").inner_text().replace("\u00a0", " ")


def expected(layers, **more):
    """Errors of mean and covariance as the page should print them, by course_lib."""
    state = DEFAULT | {"n": SMALL} | more
    cloud, x = start(state)
    for _ in range(layers):
        cloud, x = push(cloud, layer(state), step=state["step"]), attend_particles(x, layer(state), step=state["step"]).output
    mean = np.linalg.norm(x.mean(0) - cloud.mean) / np.sqrt(np.trace(cloud.covariance))
    covariance = np.linalg.norm(np.cov(x.T, bias=True) - cloud.covariance) / np.linalg.norm(cloud.covariance)
    return [f"{float(f'{100 * error:.2g}'):g} %" for error in (mean, covariance)]


def errors(widget):
    return [fact(widget, "error of the mean"), fact(widget, "error of the covariance")]


def test_layers_by_keyboard_have_pythons_errors(browser, address):  # B5
    with opened(browser, address) as (page, troubles):
        widget = settled(first(page), "layers", "1")
        assert errors(widget) == expected(1) and told(widget).startswith("After 1 layer the closed form")
        for layers in (2, 3):
            slider(widget, "layers passed").press("ArrowRight")
            settled(widget, "layers", str(layers))
            assert errors(widget) == expected(layers)
        rested(page)
        assert widget.locator("[role=status]").inner_text().replace("\u00a0", " ") == told(widget)
        rows = widget.locator(".gau-table tbody tr")
        assert rows.count() == 4
        slider(widget, "step").press("End")
        settled(widget, "step", "1")
        assert errors(widget) == expected(3, step=1.0)
        widget.get_by_role("button", name="Reset").press("Enter")
        settled(widget, "layers", "1")
        assert errors(widget) == expected(1)
        assert troubles == []


def test_handles_by_keyboard(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = settled(first(page))
        mean, long, short = (handle(widget, name) for name in ("mean", "first axis", "second axis"))
        mean.press("ArrowRight")
        mean.press("ArrowRight")
        mean.press("Shift+ArrowDown")
        settled(widget, "mean", "1.2,0")
        long.press("ArrowLeft")
        long.press("ArrowUp")
        settled(widget, "angle", "35")
        settled(widget, "spread", "1.3,0.6")
        short.press("ArrowDown")
        settled(widget, "spread", "1.3,0.5")
        assert long.get_attribute("aria-valuetext") == "35 degrees, length 1.30" and short.get_attribute("aria-valuenow") == "0.5"
        assert errors(widget) == expected(1, mean=[1.2, 0.0], angle=35.0, spread=[1.3, 0.5])
        assert troubles == []


def test_handles_by_pointer(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = settled(first(page))

        def drag(name, right, down):
            box = handle(widget, name).locator(".gau-knob").bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            page.mouse.move(x, y)
            page.mouse.down()
            page.mouse.move(x + right / 2, y + down / 2)
            page.mouse.move(x + right, y + down)
            page.mouse.up()
            settled(widget)

        widget.scroll_into_view_if_needed()
        drag("mean", 40, 30)
        reaches(widget, "mean", "Number(x.split(',')[0]) > 1.2 && Number(x.split(',')[1]) < 0.3")
        moved = widget.get_attribute("data-mean")
        drag("first axis", 20, -60)
        reaches(widget, "angle", "Number(x) > 35")
        assert widget.get_attribute("data-mean") == moved
        before = widget.get_attribute("data-spread").split(",")
        box, centre = (handle(widget, name).locator(".gau-knob").bounding_box() for name in ("second axis", "mean"))
        drag("second axis", 0.5 * (box["x"] - centre["x"]), 0.5 * (box["y"] - centre["y"]))
        after = widget.get_attribute("data-spread").split(",")
        assert float(after[1]) > float(before[1]) and after[0] == before[0]
        values = [float(part) for part in moved.split(",")], float(widget.get_attribute("data-angle")), [float(part) for part in after]
        assert errors(widget) == expected(1, mean=values[0], angle=values[1], spread=values[2])
        assert troubles == []


def test_heads_presets_and_numbers(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = settled(first(page))
        assert widget.locator(".course-head:visible").count() == 1
        widget.get_by_role("radio", name="2 heads").check()
        settled(widget)
        expect(widget.locator(".course-head:visible")).to_have_count(2)
        widget.get_by_label("Head 2, scores, W Q times W K transposed: preset").select_option("minus identity")
        widget.get_by_label("Head 1, values, W V times W O: row 1, column 2").fill("-0.75")
        settled(widget, "heads", "1,0,0,1,0.4,-0.75,-0.3,0.2,-1,0,0,-1,0,0.5,-0.5,0")
        heads = [[EYE, [[0.4, -0.75], [-0.3, 0.2]]], [[[-1, 0], [0, -1]], [[0, 0.5], [-0.5, 0]]]]
        assert errors(widget) == expected(1, heads=heads)
        field = widget.get_by_label("Head 1, values, W V times W O: row 1, column 1")
        field.fill("7")  # out of range: not taken, and put back when the field is left
        field.press("Tab")
        drawn(page)
        assert field.input_value() == "0.4"
        assert troubles == []


def test_play_comes_to_overflow_and_tells_it(browser, address):
    with opened(browser, address) as (page, troubles):
        widget = settled(page.locator(".gau").nth(1), "layers", "0")
        assert widget.locator(".gau-alarm").is_hidden() and "sampling alone" in told(widget)
        played = passes(page, "[...document.querySelectorAll('.gau button')].some(each => each.textContent === 'Pause')")
        widget.get_by_role("button", name="Play").click()
        played()
        settled(widget, "layers", "8")
        assert widget.get_attribute("data-shown") == "6" and widget.get_attribute("data-end") == "7"
        assert "The closed form ends here: at layer 7 a number is larger than float64 can hold" in widget.locator(".gau-alarm").inner_text()
        widget.locator("summary").click()
        words = widget.inner_text()
        assert "NaN" not in words and "Infinity" not in words
        widget.get_by_role("button", name="Play").wait_for()
        assert troubles == []


def test_the_cloud_glides_between_layers(browser, address):
    """With motion allowed: forwards, backwards, and to a new start while it is on its way."""
    with opened(browser, address) as (page, troubles):
        page.emulate_media(reduced_motion="no-preference")
        widget = settled(first(page), "layers", "1")
        widget.evaluate("""root => new MutationObserver(() => { if (root.ariaBusy === "true") root.dataset.glided = "yes"; })
            .observe(root, { attributes: true, attributeFilter: ["aria-busy"] })""")  # the way may be over before it is asked for
        slider(widget, "layers passed").press("End")
        settled(widget, "layers", "8")
        assert widget.get_attribute("data-glided") == "yes"
        assert errors(widget) == expected(8)
        slider(widget, "layers passed").press("Home")
        slider(widget, "turned by").press("Home")
        settled(widget, "angle", "-180")
        assert errors(widget) == expected(0, angle=-180.0)
        slider(widget, "layers passed").press("ArrowRight")
        settled(widget, "layers", "1")
        assert errors(widget) == expected(1, angle=-180.0)
        assert troubles == []


def test_the_address_brings_the_settings_back(browser, address):
    heads = "1,0,0,1,-0.6,0,0,-0.6"
    with opened(browser, f"{address}?gaussian.heads={heads}&gaussian.layers=2&gaussian.mean=-1,2&gaussian.matched=1&wild.seed=7") as (page, troubles):
        widget = settled(first(page), "layers", "2")
        assert errors(widget) == expected(2, heads=[[EYE, [[-0.6, 0], [0, -0.6]]]], mean=[-1.0, 2.0], matched=True)
        assert page.locator(".gau").nth(1).get_attribute("data-seed") == "7"
        slider(widget, "particles").press("ArrowRight")
        page.wait_for_url("**gaussian.n=70*")
        assert troubles == []
    with opened(browser, f"{address}?gaussian.layers=9&gaussian.mean=5,0&gaussian.heads=1&gaussian.n=0&gaussian.step=x") as (page, troubles):
        widget = settled(first(page), "layers", "1")
        assert errors(widget) == expected(1)  # what is no setting is left alone
        assert troubles == []


def test_what_comes_after_a_long_drag_is_the_last_setting(browser, address):
    """Three heads and eight layers take the page longer than a frame; the slider moves at every frame, and the end counts."""
    heads = [[[[0.3, 0.0], [0.0, 0.3]], [[0.1, 0.1], [-0.1, 0.1]]]] * 3
    with opened(browser, f"{address}?gaussian.heads={','.join(['0.3,0,0,0.3,0.1,0.1,-0.1,0.1'] * 3)}&gaussian.layers=8&gaussian.n=300") as (page, troubles):
        widget = settled(first(page), "layers", "8")
        slider(widget, "mean").evaluate(
            """input => new Promise(done => {
                 let k = 0;
                 const frame = () => { input.value = 1 + 0.05 * k; input.dispatchEvent(new Event('input')); ++k <= 20 ? requestAnimationFrame(frame) : done(); };
                 frame();
               })"""
        )
        settled(widget, "mean", "2,0.5")
        assert errors(widget) == expected(8, heads=heads, n=300, mean=[2.0, 0.5])
        assert troubles == []


def test_on_a_phone_everything_fits_with_large_targets(browser, address):
    heads = ",".join(["1,0,0,1,0.1,0,0,0.1"] * 3)
    with opened(browser, f"{address}?gaussian.heads={heads}", width=375) as (page, troubles):
        widget = settled(first(page))
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
        sizes = widget.locator("button, select, input:not(.course-choice input), .gau-target").evaluate_all(
            "all => all.filter(x => x.checkVisibility()).map(x => (x.closest('.course-toggle') ?? x).getBoundingClientRect()).map(b => Math.min(b.width, b.height))"
        )
        assert min(sizes) >= 24
        assert troubles == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible(browser, address, scheme):
    with opened(browser, address, scheme=scheme) as (page, troubles):
        page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        page.wait_for_function("scheme => document.querySelector('.gau').dataset.courseTheme === scheme", arg=scheme)
        widget = settled(first(page))
        widget.locator("summary").click()
        assert barriers(page, context=".gau") == []
        assert "The solid ellipse, two standard deviations of the closed form, has half axes" in widget.locator("details p").inner_text()
        assert widget.locator("canvas:not([aria-hidden=true])").count() == 0
        assert troubles == []
