"""A number in German words, on a page of its own: by typing, step by step, with the right words, with a beam."""

from playwright.sync_api import expect

from course_lib.widgets import NumberWriter
from tests.shared.widget_alone import alone, button, data, holds, settled, slider

visit = alone(lambda: [NumberWriter()])


def writer(page):
    return settled(page.locator(".num"))


def tells(root, text):
    """Wait until the words say so: they follow the picture by a frame or two."""
    expect(root.locator(".course-words")).to_contain_text(text)


def test_a_number_is_written_word_by_word(visit):
    with visit() as page:
        root = writer(page)
        field = root.get_by_label("A number from 1 to 999999")
        field.fill("54")
        holds(root, number=54, moment=1)
        assert root.locator(".num-card").count() == 1
        button(root, "one word on").press("Enter")
        holds(root, moment=2)
        button(root, "to the end").press("Enter")
        holds(root, said="vier und fünfzig ⟨end⟩")
        assert "fifty four" in root.locator(".num-source").inner_text()
        tells(root, "without a mistake")
        root.locator(".num-card").nth(0).press("Enter")
        tells(root, "Step 1:")
        field.fill("0")
        assert "A whole number from 1 to 999,999" in root.locator(".course-problem").inner_text()


def test_right_words_and_a_beam(visit):
    with visit("number.number=101201&number.moment=20&number.width=3") as page:
        root = writer(page)
        assert root.locator(".num-list li").count() == 3
        tells(root, "A beam of 3 likes best: ein hundert ein")
        root.get_by_role("radio", name="the right words").press("Space")
        holds(root, reads="right")
        tells(root, "Told the right word each time")
        slider(root, "beam width").press("Home")
        holds(root, width=1)
        assert not root.locator(".num-beam").is_visible() and data(root, "reads") == ["right"]
