"""Attention by hand, on a page of its own: maps that are turned from the start, typed numbers, and a word where one is
not taken."""

import pytest
from playwright.sync_api import expect

from course_lib.widgets import AttentionByHand
from course_lib.widgets.attention_by_hand import rotation
from tests.shared.widget_alone import alone, assert_it_fits_a_phone, assert_it_is_accessible, button, in_scheme

pytestmark = pytest.mark.browser
visit = alone(lambda: [AttentionByHand(W_Q=rotation(90))])


def by_hand(page):
    return page.locator(".abh")


def turned(root):
    return root.locator(".abh-map-Q .abh-turned")


def test_the_queries_stay_turned_where_nothing_else_is_said_and_after_a_reset(visit):
    with visit() as page:
        root = by_hand(page)
        expect(turned(root)).to_have_text("turn 90°")
        root.get_by_role("slider", name="W Q, angle").press("ArrowRight")
        expect(turned(root)).not_to_have_text("turn 90°")
        button(root, "reset").press("Enter")
        expect(turned(root)).to_have_text("turn 90°")
    with visit("hand.W_Q=60,1.5") as page:
        expect(turned(by_hand(page))).to_have_text("turn 60°")


def test_a_number_that_is_not_taken_is_put_back_and_told_why(visit):
    with visit() as page:
        root = by_hand(page)
        root.locator("summary").click()
        field = root.get_by_label("hammer, first entry")
        said = root.locator("fieldset").first.locator(".course-problem")
        field.fill("99")
        expect(said).to_have_text("Only numbers from −3 to 3 are taken: it stays 1.60.")
        expect(field).to_have_attribute("aria-invalid", "true")
        field.press("Tab")
        expect(field).to_have_value("1.6")
        expect(field).to_have_attribute("aria-invalid", "false")
        field.fill("-2.5")
        expect(said).to_be_empty()
        expect(root.get_by_role("slider", name="hammer")).to_have_attribute("aria-valuenow", "-2.5")


def test_two_numbers_typed_before_the_next_picture_both_count(visit):
    with visit() as page:
        root = by_hand(page)
        root.locator("summary").click()
        root.evaluate("""root => {
            for (const [place, value] of [["first", -2], ["second", 0.5]]) {
                const field = root.querySelector(`[aria-label="hammer, ${place} entry"]`);
                field.value = value;
                field.dispatchEvent(new Event("input"));
            }
        }""")
        expect(root.get_by_role("slider", name="hammer")).to_have_attribute("aria-valuenow", "-2")
        assert [root.get_by_label(f"hammer, {place} entry").input_value() for place in ("first", "second")] == [
            "-2",
            "0.5",
        ]  # as drawn


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_is_accessible_and_fits_a_phone_with_its_fields_open(visit, scheme):
    with visit(width=375) as page:
        in_scheme(page, ".abh", scheme)
        root = by_hand(page)
        root.locator("summary").click()
        root.get_by_label("W Q, first row, first entry").fill("99")
        expect(root.locator(".course-problem", has_text="−10 to 10")).to_be_visible()
        assert_it_is_accessible(page, ".abh")
        assert_it_fits_a_phone(page, root)
