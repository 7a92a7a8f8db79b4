"""GaussianAttention in a real Chromium, on a page of its own: keyboard, pointer, play, overflow."""

import numpy as np
from playwright.sync_api import expect

from course_lib.widgets import GaussianAttention
from tests.shared.pages import drawn, rested
from tests.shared.widget_alone import alone, button, drag, fact, middle, plays, reaches, settled, slider, spoken, words
from tests.widgets.test_gaussian_attention import DEFAULT, EYE, errors_of, layers_of

SMALL = 60  # particles: the page's numbers do not depend on how many, its speed on a busy machine does
# the default, and identity matrices with a whole step, at the start
visit = alone(
    lambda: [
        GaussianAttention(n=SMALL),
        GaussianAttention(heads=[[EYE, EYE]], step=1.0, layers=0, n=10, address="wild"),
    ]
)


def first(page):
    return page.locator(".gau").first


def handle(widget, name):
    return widget.get_by_role("slider", name=f"{name} of the start")


def expected(layers, **more):
    """Errors of mean and covariance as the page should print them, by course_lib."""
    *_, last = layers_of(DEFAULT | {"n": SMALL} | more | {"layers": layers})
    return [f"{float(f'{100 * error:.2g}'):g} %" for error in errors_of(last)]


def errors(widget):
    return [fact(widget, "error of the mean"), fact(widget, "error of the covariance")]


def test_layers_by_keyboard_have_pythons_errors(visit):  # B5
    with visit() as page:
        widget = settled(first(page), "layers", "1")
        assert errors(widget) == expected(1) and words(widget).startswith("After 1 layer the closed form")
        for layers in (2, 3):
            slider(widget, "layers passed").press("ArrowRight")
            settled(widget, "layers", str(layers))
            assert errors(widget) == expected(layers)
        rested(page)
        widget.locator("summary").click()
        assert (
            "The solid ellipse, two standard deviations of the closed form, has half axes"
            in widget.locator("details p").inner_text()
        )
        assert spoken(widget) == words(widget) and widget.locator(".gau-table tbody tr").count() == 4
        slider(widget, "step").press("End")
        settled(widget, "step", "1")
        assert errors(widget) == expected(3, step=1.0)
        button(widget, "Reset").press("Enter")
        settled(widget, "layers", "1")
        assert errors(widget) == expected(1)


def test_handles_by_keyboard(visit):
    with visit() as page:
        widget = settled(first(page))
        mean, long, short = (handle(widget, name) for name in ("mean", "first axis", "second axis"))
        for key in ("ArrowRight", "ArrowRight", "Shift+ArrowDown"):
            mean.press(key)
        settled(widget, "mean", "1.2,0")
        long.press("ArrowLeft")
        long.press("ArrowUp")
        settled(widget, "angle", "35")
        settled(widget, "spread", "1.3,0.6")
        short.press("ArrowDown")
        settled(widget, "spread", "1.3,0.5")
        assert (
            long.get_attribute("aria-valuetext") == "35 degrees, length 1.30"
            and short.get_attribute("aria-valuenow") == "0.5"
        )
        assert errors(widget) == expected(1, mean=[1.2, 0.0], angle=35.0, spread=[1.3, 0.5])


def test_handles_by_pointer(visit):
    with visit() as page:
        widget = settled(first(page))
        knobs = {name: handle(widget, name).locator(".course-knob") for name in ("mean", "first axis", "second axis")}

        def pulled(name, right, down):
            drag(page, knobs[name], right, down)
            settled(widget)

        def numbers(name):
            return [float(part) for part in widget.get_attribute(f"data-{name}").split(",")]

        widget.scroll_into_view_if_needed()
        pulled("mean", 40, 30)
        reaches(widget, "mean", "Number(x.split(',')[0]) > 1.2 && Number(x.split(',')[1]) < 0.3")
        mean = numbers("mean")
        pulled("first axis", 20, -60)
        reaches(widget, "angle", "Number(x) > 35")
        assert numbers("mean") == mean
        before = numbers("spread")
        pulled("second axis", *(0.5 * np.subtract(middle(knobs["second axis"]), middle(knobs["mean"]))).tolist())
        reaches(widget, "spread", f"Number(x.split(',')[1]) > {before[1]}")
        after = numbers("spread")
        assert after[0] == before[0]
        settled(widget)
        shown, wanted = (
            [float(text.removesuffix(" %")) for text in each]
            for each in (errors(widget), expected(1, mean=mean, angle=numbers("angle")[0], spread=after))
        )
        assert all(
            abs(a - b) <= 1.01 * 10 ** (np.floor(np.log10(b)) - 1) for a, b in zip(shown, wanted, strict=True)
        )  # where a pointer ends, rounding may fall either way


def test_heads_presets_and_numbers(visit):
    with visit() as page:
        widget = settled(first(page))
        expect(widget.locator(".course-head:visible")).to_have_count(1)
        widget.get_by_role("radio", name="2 heads").check()
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


def test_play_comes_to_overflow_and_tells_it(visit):
    with visit() as page:
        widget = settled(page.locator(".gau").nth(1), "layers", "0")
        assert widget.locator(".course-alarm").is_hidden() and "sampling alone" in words(widget)
        played = plays(page, ".gau")
        button(widget, "Play").click()
        played()
        settled(widget, "layers", "8")
        assert widget.get_attribute("data-shown") == "6" and widget.get_attribute("data-end") == "7"
        assert (
            "The closed form ends here: at layer 7 a number is larger than float64 can hold"
            in widget.locator(".course-alarm").inner_text()
        )
        widget.locator("summary").click()
        text = widget.inner_text()
        assert "NaN" not in text and "Infinity" not in text
        button(widget, "Play").wait_for()


def test_the_cloud_glides_between_layers(visit):
    """With motion allowed: forwards, backwards, and to a new start while it is on its way."""
    with visit() as page:
        page.emulate_media(reduced_motion="no-preference")
        widget = settled(first(page), "layers", "1")
        # the way may be over before it is asked for
        widget.evaluate("""root => new MutationObserver(() => {
          if (root.ariaBusy === "true") root.dataset.glided = "yes";
        }).observe(root, { attributes: true, attributeFilter: ["aria-busy"] })""")
        slider(widget, "layers passed").press("End")
        settled(widget, "layers", "8")
        assert widget.get_attribute("data-glided") == "yes" and errors(widget) == expected(8)
        slider(widget, "layers passed").press("Home")
        slider(widget, "turned by").press("Home")
        settled(widget, "angle", "-180")
        assert errors(widget) == expected(0, angle=-180.0)
        slider(widget, "layers passed").press("ArrowRight")
        settled(widget, "layers", "1")
        assert errors(widget) == expected(1, angle=-180.0)
