"""Positions in a real Chromium, on a page of its own: PyTorch's numbers by keyboard, by pointer."""

import torch

from course_lib.transformer import sinusoidal
from course_lib.widgets import Positions
from tests.shared.widget_alone import alone, button, holds, slider

BITS, FULL = 0, 1
visit = alone(
    lambda: [
        Positions(16, 8, kind="binary", base=16, position=7, pair=0, address="bits"),
        Positions(48, 32, position=12, pair=3),
    ]
)


def widget(page, index):
    return page.locator(".pos").nth(index)


def row(root):
    """The chosen position's numbers as the clocks show them."""
    texts = root.locator(".pos-clock:visible").evaluate_all("buttons => buttons.map(button => button.dataset.values)")
    return torch.tensor([float(x) for text in texts for x in text.split()], dtype=torch.float64)


def dots(root):
    return torch.tensor(
        [float(x) for x in root.locator(".pos-curve").get_attribute("data-values").split()], dtype=torch.float64
    )


def agrees(root, n, d, position, base=10_000.0):
    P = sinusoidal(n, d, base=base, dtype=torch.float64)
    torch.testing.assert_close(row(root), P[position], rtol=0, atol=1e-9)
    torch.testing.assert_close(dots(root), P @ P[position], rtol=0, atol=1e-9)


def test_the_numbers_are_pytorchs_and_follow_the_keyboard(visit):
    with visit() as page:
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
        assert button(root, "one position on").is_disabled()
        page.keyboard.press("ArrowDown")  # there is nothing below the last row
        holds(root, position=47)
        button(root, "one position back").press("Enter")
        holds(root, position=46)
        root.locator(".pos-clock").nth(7).press("Enter")
        holds(root, pair=7)
        assert "Pair 7 turns" in root.locator(".pos-words").inner_text()


def test_a_shorter_text_keeps_the_choice_inside(visit):
    with visit() as page:
        root = widget(page, FULL)
        for name in ("tokens n", "width d"):
            slider(root, name).press("Home")
        holds(root, n=2, d=2, position=1, pair=0)
        agrees(root, 2, 2, 1)


def test_binary_counting_and_back(visit):
    with visit() as page:
        root = widget(page, BITS)
        assert row(root).tolist() == [1, 1, 1, 0, 0, 0, 0, 0]
        assert "4 bits change" in root.locator(".pos-words").inner_text()
        button(root, "one position on").press("Enter")
        holds(root, position=8)
        assert row(root).tolist() == [0, 0, 0, 1, 0, 0, 0, 0]
        root.locator("input[type=radio]").first.focus()
        page.keyboard.press("Space")
        holds(root, kind="sinusoidal")
        agrees(root, 16, 8, 8, base=16)


def test_a_click_chooses_row_and_pair(visit):
    with visit(width=375) as page:
        root = widget(page, FULL)
        face = root.locator(".pos-map")
        face.scroll_into_view_if_needed()
        box = face.bounding_box()
        face.click(position={"x": box["width"] * 4.5 / 16, "y": box["height"] * 30.5 / 48})
        holds(root, position=30, pair=4)
