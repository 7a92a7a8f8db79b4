"""An exercise's card by itself in a browser: the widget's module, a model that only holds a spec, no book."""

import json
from contextlib import contextmanager

import pytest

from course_lib.exercises import Arrange, Case, Choice, Control, Factor, Formula, Function, Option, Sketch, Step, Value
from course_lib.widgets.exercise import ask
from tests.shared.pages import rested, started
from tests.shared.widget_alone import assert_it_fits_a_phone, served

HINTS = ["look", "look again", "nearly"]
LISTEN = "globalThis.tries = []; document.addEventListener('course:tried', ({ detail }) => tries.push(detail));"


@pytest.fixture
def card(browser, tmp_path):
    """card(exercise, …): the page of its card alone; `kept`: what the browser remembers of it, `spec`: what is asked
    otherwise."""

    @contextmanager
    def shown(exercise, *, kept=None, width=1280, **spec):
        widget = ask(exercise)
        widget.spec = widget.spec | spec
        with served(browser, tmp_path, [widget]) as visit, visit(width=width, fresh=True) as page:
            if kept is not None:
                page.evaluate(
                    "([key, record]) => localStorage.setItem(key, JSON.stringify(record))",
                    [f"course.exercise.{exercise.id}", kept],
                )
            page.add_init_script(LISTEN)
            page.reload()
            started(page)
            yield page

    return shown


def record(page, id):
    return json.loads(page.evaluate("key => localStorage.getItem(key)", f"course.exercise.{id}") or "null")


def value():
    return Value(
        id="bits",
        question="Entropy?",
        answer=1.5,
        tolerance=0.01,
        mistakes=[(1.04, "nats: divide by ln 2")],
        hints=HINTS,
        solution="1.5",
    )


def attempt(page, text):
    page.get_by_label("Your answer").fill(text)
    page.get_by_role("button", name="Check").click()


def test_a_counted_try_is_recorded_with_its_time_and_told_to_the_page(card):
    with card(value()) as page:
        page.clock.set_fixed_time(1_700_000_000)  # seconds
        attempt(page, "what?")
        assert record(page, "bits") is None and page.evaluate("tries") == []  # not read: no attempt
        attempt(page, "1.04")
        first = record(page, "bits")
        assert first == {
            "answer": "1.04",
            "hints": 0,
            "tried": 1,
            "solved": False,
            "right": False,
            "at": 1_700_000_000_000,
        }
        page.clock.set_fixed_time(1_700_000_001)
        attempt(page, "3/2")
        attempt(page, "9")
        last = record(page, "bits")
        assert (last["tried"], last["solved"], last["right"], last["at"]) == (3, True, False, 1_700_000_001_000)
        assert page.evaluate("tries") == [{"id": "bits", "correct": correct} for correct in (False, True, False)]


def test_a_record_from_before_is_read_and_keeps_its_hints(card):
    with card(value(), kept={"answer": "1.5", "hints": 1, "tried": 2, "solved": True}) as page:
        assert "✓ solved" in page.inner_text("main") and page.get_by_label("Your answer").input_value() == "1.5"
        page.get_by_role("button", name="Hint 2 of 3").click()
        kept = record(page, "bits")
        assert (kept["hints"], kept["tried"], kept["at"], kept["right"]) == (2, 2, None, None)


def test_an_old_question_asked_again_is_told_and_leaves_nothing(card):
    with card(value(), id="recall.bits", passing=True) as page:
        attempt(page, "1.5")
        assert page.evaluate("tries") == [{"id": "recall.bits", "correct": True}] and "✓ solved" in page.inner_text(
            "main"
        )
        assert page.evaluate("localStorage.length") == 0 and page.locator(".course-unkept").inner_text() == ""


def choice():
    options = [
        Option("by 64", "That is the variance."),
        Option("by 8", "Yes: √64 = 8.", correct=True),
        Option("by 2", "Too little."),
    ]
    return Choice(id="scale", question="How much?", options=options, hints=HINTS, solution="8")


def test_an_option_is_chosen_by_keyboard_and_kept_by_its_text(card):
    with card(choice()) as page:
        letters, texts = zip(
            *(text.splitlines() for text in page.locator(".course-option").all_inner_texts()), strict=True
        )
        assert letters == ("a", "b", "c")
        page.get_by_role("radio").first.press("Space")
        for _ in range(texts.index("by 8")):
            page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        assert page.get_by_role("status").inner_text().split("\n")[-1] == "Yes: √64 = 8."  # not "Right. Yes"
        assert record(page, "scale")["answer"] == "by 8"
        page.reload()
        started(page)
        assert page.get_by_label("by 8").is_checked()


def test_a_letter_in_a_record_from_before_is_the_authors(card):
    with card(choice(), kept={"answer": "b", "tried": 1}) as page:
        assert page.get_by_label("by 8").is_checked() and "√64 = 8" in page.get_by_role("status").inner_text()


def formula():
    mistakes = [("1 - s", "that is only one factor")]
    return Formula(id="slope", question="The slope?", left="ds/dx", answer="s*(1 - s)", variables={"s": (0, 1),
        "sigma_1": (1, 2)}, mistakes=mistakes, hints=HINTS, solution="s(1 − s)")  # fmt: skip


def test_a_formula_is_read_while_it_is_typed_and_judged_with_its_failing_case(card):
    with card(formula(), width=375) as page:
        field, shown = page.get_by_label("ds/dx ="), page.locator(".course-read")
        field.press_sequentially("2 s^2/(1+sqrt(s")
        assert "is not closed" in shown.inner_text()
        field.press_sequentially("))")
        assert shown.locator("mfrac msqrt").count() == 1 and shown.locator("msup").count() == 1
        field.press("Enter")
        said = page.get_by_role("status").inner_text()
        assert "✗" in said and "At s = 0.2" in said and "expected 0.16" in said
        field.fill("s/2s")
        field.press("Enter")
        assert "divided by too" in page.get_by_role("status").inner_text()
        assert record(page, "slope")["tried"] == 1  # what could be read in two ways was no try
        field.fill("1-s")
        field.press("Enter")
        assert "that is only one factor" in page.get_by_role("status").inner_text()
        field.fill("s − s²")
        field.press("Enter")
        assert "✓" in page.get_by_role("status").inner_text() and record(page, "slope")["solved"] is True
        rested(page)
        described = page.locator(f"#{field.get_attribute('aria-describedby')}")
        assert described.inner_text() == "Read as s - s^2"  # told to a screen reader after a pause
        assert_it_fits_a_phone(page, page.locator("main"))


def test_a_formula_can_be_put_together_with_buttons(card):
    with card(formula()) as page:
        for name in ("Insert exp", "Insert σ₁", "Insert ·", "Insert s"):
            page.get_by_role("button", name=name, exact=True).press("Enter")
        assert page.get_by_label("ds/dx =").input_value() == "exp(σ₁*s)"
        page.get_by_label("ds/dx =").select_text()
        page.get_by_role("button", name="Insert sqrt", exact=True).click()
        assert page.get_by_label("ds/dx =").input_value() == "sqrt(exp(σ₁*s))"
        assert page.evaluate("document.activeElement.tagName") == "INPUT"  # a phone's keyboard stays open


def test_the_case_that_failed_is_shown_and_its_value_at_the_second_try(card):
    asked = Function(
        id="half",
        question="Halve.",
        starter="def half(x):\n    ...",
        cases=[Case([3], 1.5), Case([5], 2.5)],
        hints=HINTS,
        solution="return x / 2",
    )
    with card(asked) as page:
        for field, text in zip(page.locator("input").all(), ("1.5", "2"), strict=True):
            field.fill(text)
        page.get_by_role("button", name="Check").click()
        first = page.locator(".course-failing").inner_text()
        assert first.splitlines() == ["call:     half(5)", "given:    2"]
        page.get_by_role("button", name="Check").dblclick()
        assert page.locator(".course-failing").inner_text() == first and record(page, "half")["tried"] == 1
        page.get_by_role("button", name="Hint 1").dblclick()
        assert page.locator(".course-hints li").count() == record(page, "half")["hints"] == 1
        page.locator("input").last.fill("3")
        page.get_by_role("button", name="Check").click()
        assert (
            page.locator(".course-failing").inner_text().splitlines()[2] == "expected: 2.5"
            and record(page, "half")["tried"] == 2
        )


# ------------------------------------------------------------------------------------------------ arguments
def arrange():
    steps = [Step(text, "It uses the one before.") for text in ("one", "two", "three")]
    return Arrange(id="steps", question="In order?", steps=steps, hints=HINTS, solution="one, two, three")


def sketch():
    axes = {"x": [0, 1, 2], "low": 0, "high": 1, "within": 0.05, "x_title": "time", "y_title": "share"}
    return Sketch(
        id="drawn",
        question="Draw it.",
        **axes,
        curve=[0, 0.5, 1],
        mistakes=[([1, 0.5, 0], "the other way")],
        hints=HINTS,
        solution="It rises.",
    )


def told(page):
    return page.locator(".course-result").inner_text()


def test_steps_are_moved_by_keyboard_and_come_back_as_they_were_left(card):
    with card(arrange()) as page:
        for text in ("two", "one"):  # to the top, the last one first
            button = page.get_by_role("button", name=f"Up: {text}")
            while button.is_enabled():
                button.press("Enter")
        order = page.locator(".course-order li span").all_inner_texts()
        assert order == ["one", "two", "three"]
        page.get_by_role("button", name="Down: one").press("Enter")
        page.get_by_role("button", name="Check").press("Enter")
        assert "cannot stand before" in told(page) and record(page, "steps")["answer"] == ["two", "one", "three"]
        page.reload()
        started(page)
        assert page.locator(".course-order li span").all_inner_texts() == ["two", "one", "three"]
        page.get_by_role("button", name="Up: one").press("Enter")
        page.get_by_role("button", name="Check").press("Enter")
        assert "✓" in told(page) and page.evaluate("tries").pop() == {"id": "steps", "correct": True}


def test_a_curve_is_drawn_by_keyboard_and_the_right_one_lies_beside_it_only_then(card):
    with card(sketch()) as page:
        measured, check = page.locator(".course-measured"), page.get_by_role("button", name="Check")
        check.press("Enter")
        assert "move at least one point" in told(page) and record(page, "drawn") is None
        page.get_by_role("slider").nth(0).press("End")
        page.get_by_role("slider").nth(2).press("Home")
        check.press("Enter")
        assert "the other way" in told(page) and not measured.get_attribute("d")
        page.get_by_role("slider").nth(0).press("Home")
        page.get_by_role("slider").nth(2).press("End")
        check.press("Enter")
        assert "✓" in told(page) and measured.get_attribute("d") == page.locator(".course-mine").get_attribute("d")
        page.get_by_role("slider").nth(1).press("ArrowUp")
        assert not measured.get_attribute("d") and told(page) == ""  # another curve, not judged yet
        page.get_by_role("button", name="Show solution").press("Enter")
        assert measured.get_attribute("d")
        page.get_by_role("slider").nth(1).press("End")
        check.press("Enter")
        assert "✗" in told(page) and measured.get_attribute(
            "d"
        )  # the solution is open: its curve stays, whatever is tried


def test_a_control_is_marked_by_keyboard(card):
    factors = [
        Factor("data", True, "two things differ"),
        Factor("updates", True, "longer is better"),
        Factor("loss", False, "that is measured"),
    ]
    with card(Control(id="fair", question="Fixed?", factors=factors, hints=HINTS, solution="data, updates")) as page:
        for text in ("data", "loss"):
            page.get_by_label(text).press("Space")
        page.get_by_role("button", name="Check").press("Enter")
        assert "1 of 3 are marked rightly. updates: longer is better" in told(page)
        for text in ("updates", "loss"):
            page.get_by_label(text).press("Space")
        page.get_by_role("button", name="Check").press("Enter")
        assert "✓" in told(page)


@pytest.mark.parametrize(
    "kept",
    [
        {"answer": 3},
        {"answer": [1, {}, None]},
        {"answer": {"length": 9}},
        {"answer": ["one"] * 3},
        {"answer": [1e400, "x"], "tried": 1},
    ],
)
@pytest.mark.parametrize("exercise", [arrange, sketch])
def test_a_strange_record_of_an_argument_changes_nothing(card, exercise, kept):
    field = "form > :first-child"  # "Start again" stands beside it where a try is on record
    with card(exercise()) as fresh:
        there = fresh.locator(field).inner_text()
    with card(exercise(), kept=kept) as page:
        assert page.locator(field).inner_text() == there and "✓" not in page.inner_text("main")
