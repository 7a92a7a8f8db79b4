"""A diagram of a page, stepped by keyboard; without scripts and on paper all of it is there."""

from functools import partial

import pytest

from tests.shared.barriers import barriers
from tests.shared.pages import context_of, opened

pytestmark = pytest.mark.browser
PAGE, NAME = "chapters/02_attention/seven_steps.html", "diagram-seven-steps"
PALE = "[...figure.querySelectorAll('[data-step]')].filter((part) => getComputedStyle(part).opacity < 1).length"


def test_steps_are_drawn_one_after_the_other_by_keyboard(browser, site):
    with opened(browser, f"{site}{PAGE}", width=375) as (page, troubles):
        figure = page.locator(f"#{NAME}")
        pale = partial(figure.evaluate, f"figure => {PALE}")
        steps = figure.locator("ol > li").all_inner_texts()
        assert len(steps) == 7 and pale() == 0
        next_step, last = figure.get_by_role("button", name="Next step"), None
        next_step.focus()
        for number, said in enumerate(steps, 1):
            page.keyboard.press("Enter")
            assert (
                figure.locator("[role=status]").text_content() == said
                and figure.locator("[aria-current=step]").inner_text() == said
            )
            assert last is None or pale() < last, number
            last = pale()
        assert last == 0 and figure.get_by_role("button", name="Step back").evaluate(
            "button => button === document.activeElement"
        )
        assert figure.locator("svg.course-dg").evaluate("svg => svg.getBoundingClientRect().width <= innerWidth")
        page.keyboard.press("Enter")
        assert pale() > 0
        page.emulate_media(media="print")
        assert pale() == 0 and not figure.get_by_role("button", name="All steps").is_visible()
        page.emulate_media(media="screen")
        assert barriers(page, context=f"#{NAME}") == [] and troubles == []


def test_without_scripts_all_steps_are_there(browser, site):
    with context_of(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(f"{site}{PAGE}")
        assert page.locator(f"#{NAME} ol > li").count() == 7 and page.locator(f"#{NAME} .course-dg-nav").count() == 0


def test_shapes_are_read_in_the_readers_numbers(browser, site):
    with opened(browser, f"{site}chapters/03_transformer/journey.html", width=375) as (page, troubles):
        figure = page.locator("#diagram-journey")
        shapes = lambda: figure.locator(".course-dg-narrow .course-dg-shape, li code").all_text_contents()
        letters = shapes()
        assert "[n, s]" in letters and not any(any(sign.isdigit() for sign in shape) for shape in letters)
        figure.get_by_role("checkbox").focus()
        page.keyboard.press("Space")
        assert "[3, 8]" in shapes() and "[8, 64]" in shapes()
        field = figure.get_by_role("spinbutton", name="size n")
        field.fill("12")
        assert "[12, 8]" in shapes()
        field.fill("0")  # no size: the letter stays
        assert "[n, 8]" in shapes()
        figure.get_by_role("checkbox").press("Space")
        assert shapes() == letters and troubles == []
        assert barriers(page, context="#diagram-journey") == []
