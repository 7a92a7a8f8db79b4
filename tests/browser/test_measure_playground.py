"""MeasurePlayground in a real Chromium, on a page of its own: pointer, keyboard, weights, splitting, blur, layers."""

import numpy as np

from course_lib.incontext import gamma
from course_lib.widgets import MeasurePlayground
from tests.shared.pages import drawn, rested
from tests.shared.widget_alone import alone, button, drag, fact, reaches, slider, spoken, words
from tests.shared.widget_alone import settled as come
from tests.widgets.test_measure_playground import DEFAULT, EYE, FIVE, MINUS, TURN, composed, grid, heads, measure

visit = alone(lambda: [MeasurePlayground()])


def settled(page, *setting):
    return come(page.locator(".mea"), *setting)


def text_of(tokens):
    """Tokens as a link has them."""
    return ",".join(f"{x:g}" for x in np.ravel(tokens))


def tokens_of(widget):
    return np.reshape([float(part) for part in widget.get_attribute("data-tokens").split(",")], (-1, 3)).tolist()


def focused(page):
    return page.evaluate("document.activeElement.getAttribute('aria-label')")


def token(widget, k):
    return widget.get_by_role("slider", name=f"token {k} of")


def shown(x):
    return f"{float(f'{x:.3g}'):g}".replace("-", "−")


def expected(**more):
    """The facts as the page should print them, by course_lib.incontext."""
    state = DEFAULT | more
    mu, layer = measure(state), composed(state)
    landed, after = layer(mu, grid()), mu.push(lambda atoms: layer(mu, atoms))

    def told(measure):
        mean = measure.weights @ measure.atoms
        return mean, np.sqrt(measure.weights @ ((measure.atoms - mean) ** 2).sum(1))

    (m0, s0), (m1, s1) = told(mu), told(after)
    point = "({}, {})".format
    return [
        f"{point(*map(shown, m0))} → {point(*map(shown, m1))}",
        f"{shown(s0)} → {shown(s1)}",
        shown(np.linalg.norm(landed - grid(), axis=1).max()),
    ]


def facts(widget):
    return [fact(widget, name) for name in ("mean of the measure", "its spread", "largest move")]


def stretch(**more):
    """The largest norm of a layer's derivative over the tokens, by small steps through course_lib.incontext."""
    state = DEFAULT | more
    mu, layer = measure(state), heads(state)
    steps = [gamma(mu, mu.atoms + u, layer) - gamma(mu, mu.atoms - u, layer) for u in 1e-5 * np.eye(2)]
    return max(np.linalg.norm(J, 2) for J in np.stack(steps, 1) / 2e-5)


def test_the_stretch_is_told_and_long_facts_stay_in_their_card(visit):
    with visit() as page:
        widget = settled(page, "layers", "1")
        assert fact(widget, "largest stretch") == shown(stretch())
        slider(widget, "scale").fill("2")
        slider(widget, "layers passed").fill("6")
        settled(page, "layers", "6")
        drawn(page)
        assert fact(widget, "largest stretch") == shown(stretch(scale=2.0))
        for width in (1280, 375):
            page.set_viewport_size({"width": width, "height": 720})
            out = (
                "dl => [...dl.querySelectorAll('dd')].filter(dd => dd.getBoundingClientRect().right > "
                "dl.getBoundingClientRect().right + 0.5).length"
            )
            assert widget.locator(".course-facts").evaluate(out) == 0


def test_layers_have_pythons_numbers(visit):  # B4
    with visit() as page:
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
        assert spoken(widget).startswith("After 3 layers, each looking at the measure of the start")
        button(widget, "Reset").press("Enter")
        settled(page, "layers", "1")
        assert facts(widget) == expected()


def test_tokens_by_keyboard(visit):  # B4
    with visit() as page:
        widget = settled(page)
        first = token(widget, 1)
        first.focus()
        first.press("ArrowRight")
        first.press("Shift+ArrowUp")
        first.press("+")
        tokens = [[-1.4, 1.0, 1.25], *FIVE[1:]]
        settled(page, "tokens", text_of(tokens))
        assert facts(widget) == expected(tokens=tokens)
        first.press("PageDown")
        drawn(page)
        assert focused(page).startswith("token 2 of 5")
        page.keyboard.press("Delete")
        tokens.pop(1)
        settled(page, "tokens", text_of(tokens))
        assert focused(page).startswith("token 2 of 4")
        assert facts(widget) == expected(tokens=tokens)
        page.keyboard.press("-")
        reaches(widget, "tokens", "x.split(',')[5] === '1.6'")
        assert widget.locator(".course-handle[tabindex='0']").count() == 1
        button(widget, "Add a token").press("Enter")
        reaches(widget, "tokens", "x.split(',').length === 15")
        assert focused(page).startswith("token 5 of 5")
        for _ in range(4):
            page.keyboard.press("Delete")
        reaches(widget, "tokens", "x.split(',').length === 3")
        page.keyboard.press("Delete")  # the last one stays
        drawn(page)
        assert widget.locator(".course-handle").count() == 1
        assert button(widget, "Remove").is_disabled()


def test_tokens_by_pointer(visit):  # B4
    with visit() as page:
        widget = settled(page)
        widget.scroll_into_view_if_needed()
        drag(page, token(widget, 3).locator(".course-knob"), 40, 30)
        reaches(widget, "tokens", "Number(x.split(',')[6]) > 1.3 && Number(x.split(',')[7]) < -0.7")
        assert widget.get_attribute("data-chosen") == "2"
        tokens = tokens_of(widget)
        settled(page)
        assert facts(widget) == expected(tokens=tokens) and tokens[2][2] == 2
        plane = widget.locator(".course-plane").bounding_box()
        page.mouse.dblclick(plane["x"] + 30, plane["y"] + 30)
        reaches(widget, "tokens", "x.split(',').length === 18")
        assert widget.locator(".course-handle").count() == 6


def test_a_split_token_leaves_the_field_and_says_so(visit):  # B4
    with visit() as page:
        widget = settled(page)
        before = fact(widget, "largest move")
        button(widget, "Split in two").press("Enter")
        settled(page, "tokens", text_of([[-1.5, 0.5, 0.5], [-1.5, 0.5, 0.5], *FIVE[1:]]))
        assert words(widget).startswith(
            "Token 1 is now two tokens of weight 0.5 in one place. The field has not changed: the largest "
            "change on the grid is "
        )
        assert fact(widget, "largest move") == before
        rested(page)
        assert spoken(widget).startswith("Token 1 is now two tokens")


def test_blur_presets_and_heads(visit):  # B4
    with visit() as page:
        widget = settled(page)
        slider(widget, "blur").press("End")
        settled(page, "blur", "1.5")
        layer, mu = heads(DEFAULT), measure(DEFAULT)
        linear = 1.5**2 * sum(C @ M for C, M in zip(layer.scoring, layer.writing, strict=True))
        most = np.linalg.norm(gamma(mu, grid(), layer) + grid() @ linear - grid(), axis=1).max()
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
        assert facts(widget) == expected(
            tokens=[[-1, -0.5, 3], [1.5, 1, 1]], heads=[[EYE, MINUS], [EYE, TURN]], scale=0.5, step=0.3
        )
