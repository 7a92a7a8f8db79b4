"""The positions widget in the published page: PyTorch's numbers by keyboard, by pointer and from the address."""

import pytest
import torch

from course_lib.transformer import sinusoidal
from tests.shared.pages import opened

pytestmark = pytest.mark.browser
PAGE = "chapters/03_transformer/03_positions.html"
BITS, FULL = 0, 1  # the page's two widgets, in order


def widget(page, index):
    return page.locator(".pos").nth(index)


def row(root):
    """The chosen position's numbers as the clocks show them."""
    texts = root.locator(".pos-clock:visible").evaluate_all("buttons => buttons.map(button => button.dataset.values)")
    return torch.tensor([float(x) for text in texts for x in text.split()], dtype=torch.float64)


def dots(root):
    return torch.tensor([float(x) for x in root.locator(".pos-curve").get_attribute("data-values").split()], dtype=torch.float64)


def holds(root, **state):
    for name, value in state.items():
        root.page.wait_for_function("([root, name, value]) => root.dataset[name] === value", arg=[root.element_handle(), name, str(value)])


def agrees(root, n, d, position, base=10_000.0):
    P = sinusoidal(n, d, base=base, dtype=torch.float64)
    torch.testing.assert_close(row(root), P[position], rtol=0, atol=1e-9)
    torch.testing.assert_close(dots(root), P @ P[position], rtol=0, atol=1e-9)


def test_the_numbers_are_pytorchs_and_follow_the_keyboard(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        root = widget(page, FULL)
        agrees(root, 48, 32, 12)
        root.locator(".pos-map").focus()
        for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
            page.keyboard.press(key)
        holds(root, position=14, pair=4)
        agrees(root, 48, 32, 14)
        assert "pair 4" in root.locator(".pos-map").get_attribute("aria-valuetext")
        page.keyboard.press("End")
        holds(root, position=47)
        assert root.get_by_role("button", name="one position on").is_disabled()
        page.keyboard.press("ArrowDown")  # there is nothing below the last row
        holds(root, position=47)
        root.get_by_role("button", name="one position back").press("Enter")
        holds(root, position=46)
        root.locator(".pos-clock").nth(7).press("Enter")
        holds(root, pair=7)
        assert "Pair 7 turns" in root.locator(".pos-words").inner_text()
        root.get_by_role("button", name="reset").press("Enter")
        holds(root, position=12, pair=3)
        assert troubles == []


def test_a_shorter_text_keeps_the_choice_inside(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        root = widget(page, FULL)
        for name in ("tokens n", "width d"):
            slider = root.locator(".course-slider").filter(has_text=name).locator("input")
            slider.focus()
            page.keyboard.press("Home")
        holds(root, n=2, d=2, position=1, pair=0)
        agrees(root, 2, 2, 1)
        assert troubles == []


def test_binary_counting_and_back(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        root = widget(page, BITS)
        assert row(root).tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
        assert "4 bits change" in root.locator(".pos-words").inner_text()
        root.get_by_role("button", name="one position on").press("Enter")
        holds(root, position=8)
        assert row(root).tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
        root.locator("input[type=radio]").first.focus()
        page.keyboard.press("Space")
        holds(root, kind="sinusoidal")
        agrees(root, 16, 8, 8, base=16)
        assert troubles == []


def test_a_click_chooses_row_and_pair(browser, book):
    with opened(browser, (book / PAGE).as_uri(), width=375) as (page, troubles):
        root = widget(page, FULL)
        face = root.locator(".pos-map")
        face.scroll_into_view_if_needed()
        box = face.bounding_box()
        face.click(position={"x": box["width"] * 4.5 / 16, "y": box["height"] * 30.5 / 48})
        holds(root, position=30, pair=4)
        sizes = root.locator("button:visible, input:visible").evaluate_all("all => all.map(x => x.getBoundingClientRect()).map(b => Math.min(b.width, b.height))")
        radio = root.locator(".course-choice label").evaluate_all("all => all.map(x => x.getBoundingClientRect().height)")
        assert min(sizes) >= 24 and min(radio) >= 24
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert troubles == []


def test_the_address_brings_the_setting_back(browser, site):
    with opened(browser, f"{site}{PAGE}?positions.n=64&positions.d=8&positions.base=100&positions.position=40&positions.pair=2") as (page, troubles):
        root = widget(page, FULL)
        agrees(root, 64, 8, 40, base=100)
        root.get_by_role("button", name="one position on").press("Enter")
        page.wait_for_url("**positions.position=41*")
        assert troubles == []
    with opened(browser, f"{site}{PAGE}?positions.n=1&positions.d=7&positions.base=x&positions.kind=other&positions.position=-1") as (page, troubles):
        agrees(widget(page, FULL), 48, 32, 12)  # what is no setting is left alone
        assert troubles == []


def test_dark_repaints_the_matrix(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        pixel = "() => [...document.querySelectorAll('.pos canvas')[0].getContext('2d').getImageData(7, 0, 1, 1).data]"
        light = page.evaluate(pixel)
        page.evaluate("document.documentElement.dataset.theme = 'dark'")
        page.wait_for_function(f"was => String(({pixel})()) !== String(was)", arg=light)
        assert troubles == []
