"""What every kind of card has to hold: its controls at their ends, two tabs at once, a browser that keeps nothing
more."""

import random

import pytest

from course_lib.exercises import Case, Control, Factor, FalseLine, Function, Line
from course_lib.widgets import predict
from course_lib.widgets.exercise import ask
from tests.browser.test_exercise import HINTS, arrange, choice, formula, sketch, value
from tests.browser.test_predictions import KINDS as PREDICTIONS
from tests.shared.pages import started
from tests.shared.widget_alone import served

MORE = {"hints": HINTS, "solution": "…"}
HALF = Function(
    id="half", question="Halve.", starter="def half(x):\n    ...", cases=[Case([3], 1.5), Case([5], 2.5)], **MORE
)
FALSE = FalseLine(
    id="line", question="Which?", lines=[Line("a", "a"), Line("b", "b", false=True), Line("c", "c")], **MORE
)
FAIR = Control(
    id="fair",
    question="Fixed?",
    factors=[Factor("x", True, "x"), Factor("y", False, "y"), Factor("z", True, "z")],
    **MORE,
)
EXERCISES = [value(), choice(), formula(), arrange(), sketch(), HALF, FALSE, FAIR]
CARDS = {each.spec()["kind"]: ask(each) for each in EXERCISES} | {
    kind: predict(each) for kind, each in PREDICTIONS.items()
}

CONTROLS = "[...document.querySelectorAll('form :is(input, .course-order button, circle, .course-key)')]"
# Each control at the ends, and those beside them, is used twice, as far as it lets itself.
EDGES = f"""() => {{
  for (const k of [-1, 0, -1, 0, 1, -2, 0]) {{
    const control = {CONTROLS}.at(k);
    if (!control) continue;
    for (const key of ["Home", "End", "ArrowUp", "ArrowLeft"])
      if (control.matches("circle")) control.dispatchEvent(new KeyboardEvent("keydown", {{ key, bubbles: true }}));
    if (control.matches("[type=text]:enabled")) control.value = "1";
    control.click?.();
    control.dispatchEvent(new Event("input", {{ bubbles: true }}));
  }}
}}"""
STANDS = f"""() => [document.querySelector(".course-order, .course-mine")?.outerHTML, {CONTROLS}.map((each) =>
  [each.value, each.checked, each.getAttribute("disabled"), each.getAttribute("aria-valuenow")])]"""


def kept(page):
    """The one record of the page's card, or None."""
    return page.evaluate(
        "JSON.parse(Object.entries(localStorage).find(([key]) => key.startsWith('course.'))?.[1] ?? 'null')"
    )


def press(page, name):
    page.get_by_role("button", name=name).press("Enter")


@pytest.mark.parametrize("kind", CARDS)
def test_a_card_holds_at_its_ends_twice_after_starting_again_and_after_a_reload(browser, tmp_path, kind):
    foretold = kind in PREDICTIONS
    name = "That is my prediction" if foretold else "Check"
    with served(browser, tmp_path, [CARDS[kind]]) as visit, visit() as page:
        for _ in range(2):
            before = page.evaluate(STANDS)
            page.evaluate(EDGES)
            given = page.evaluate(STANDS)
            press(page, name)
            record = kept(page)
            assert record["answer"] is not None and (foretold or record["tried"] == 1)
            if kind in ("order", "arrange"):
                assert record["answer"] == page.locator(".course-order li span").all_inner_texts()
                assert len({*record["answer"]}) == len(record["answer"])
            if foretold:
                page.evaluate(EDGES)  # what is committed stands
            assert page.evaluate(STANDS) == given and kept(page) == record
            page.reload()
            started(page)
            assert page.evaluate(STANDS) == given and kept(page) == record
            press(page, "Start again")
            assert kept(page) is None and page.evaluate(STANDS) == (given if foretold else before)
            assert page.evaluate("document.activeElement.closest('form') !== null")


# ------------------------------------------------------------------------------------------------ two tabs
# as a tab is that the browser has put to sleep
DEAF = "addEventListener('storage', (event) => event.stopImmediatePropagation(), true)"


# What a card shows of its record: the badge, how many hints, and what may be done.
SHOWN = """JSON.stringify([document.querySelector(".course-badge").textContent,
  document.querySelectorAll(".course-hints li").length,
  [...document.querySelectorAll("button")].filter((each) => each.checkVisibility()).map((each) => each.textContent)])"""
STORED = "JSON.stringify(Object.entries(localStorage))"


def reaches(page, what, value):
    """Wait until a tab, perhaps of another process and not in sight, has come to the same."""
    page.wait_for_function(f"value => {what} === value", arg=value, polling=20)


def attempt(page, text, name="Check"):
    page.get_by_label("Your answer").fill(text)
    press(page, name)


def exercise_after(record, act, text):
    record = record or {"tried": 0, "hints": 0, "solved": False, "right": None}
    if act == "hint":
        return {**record, "hints": min(record["hints"] + 1, 3)}
    right = act == "right"
    return {**record, "answer": text, "tried": record["tried"] + 1, "solved": record["solved"] or right, "right": right}


@pytest.mark.parametrize("deaf", [False, True], ids=["hearing", "deaf"])
@pytest.mark.parametrize("kind", ["value", "number"])
def test_two_tabs_are_as_one(browser, tmp_path, kind, deaf):
    """Whatever is done where: the record is what one tab would have kept, and each tab that hears shows it."""
    chance, record = random.Random(7), None
    with served(browser, tmp_path, [CARDS[kind]]) as visit, visit(fresh=True) as first:
        tabs = [first, first.context.new_page()]
        for page in tabs:
            page.add_init_script(DEAF if deaf else "")
            page.goto(first.url)
            started(page)
        blank = first.evaluate(SHOWN)
        third = first.context.new_page()
        third.goto(first.url.replace("page.html", "_static/course/host.js"))
        for step in range(40):
            page, text = tabs[chance.randrange(2)], f"1.5000{step}"
            act = chance.choice(["right", "wrong", "hint", "again", "erase", "reload"])
            visible = lambda name: page.get_by_role("button", name=name).is_visible()  # noqa: B023
            if act == "erase":
                third.evaluate("localStorage.clear()")
                page, record = third, None
            elif act == "reload":
                page.reload()
                started(page)
            elif act == "again":
                if visible("Start again"):
                    press(page, "Start again")
                    record = None
            elif kind == "number":
                if visible("That is my prediction"):
                    attempt(page, text, "That is my prediction")
                    record = record or {"answer": text}  # the first stands: after it, the evidence is seen
            elif act == "hint":
                if page.get_by_role("button", name="hint").get_attribute("aria-disabled") == "false":
                    press(page, "hint")
                    record = exercise_after(record, act, text)
            else:
                text = text if act == "right" else f"7{text}"
                attempt(page, text)
                record = exercise_after(record, act, text)
            for tab in tabs:
                reaches(tab, STORED, page.evaluate(STORED))
            found = kept(first)
            assert (found is None) == (record is None), (step, act)
            assert record is None or {key: found.get(key) for key in record} == record, (step, act)
            shown = blank if record is None else page.evaluate(SHOWN)
            for tab in [] if deaf else tabs:
                reaches(tab, SHOWN, shown)
            assert deaf or first.locator(".course-hints li").count() == (record or {}).get("hints", 0), (step, act)
        if kind == "value" and not deaf:
            field = first.get_by_label("Your answer")
            field.fill("being typed")
            attempt(tabs[1], "70")
            reaches(first, SHOWN, tabs[1].evaluate(SHOWN))
            assert field.input_value() == "being typed"


FILL = """() => { for (let size = 2 ** 23; size; size >>= 1) for (let k = 0; k < 3; k += 1)
  try { localStorage.setItem(`fill.${size}.${k}`, "x".repeat(size)); } catch { break; } }"""
FORBID = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });"
)
LOST = "Your browser does not keep this: its storage is full, or forbidden. It is lost when you leave this page."


@pytest.mark.parametrize("kind", ["value", "number"])
def test_a_card_says_what_the_browser_does_not_keep_and_keeps_it_when_there_is_room(browser, tmp_path, kind):
    name = "Check" if kind == "value" else "That is my prediction"
    with served(browser, tmp_path, [CARDS[kind]]) as visit, visit(fresh=True) as page:
        page.evaluate(FILL)
        attempt(page, "1.5", name)
        assert page.locator(".course-unkept").inner_text() == LOST and kept(page) is None
        page.evaluate("localStorage.clear()")
        if kind == "value":
            press(page, "Hint 1")
            assert page.locator(".course-unkept").inner_text() == "" and (
                kept(page)["solved"],
                kept(page)["hints"],
            ) == (True, 1)
    with served(browser, tmp_path, [CARDS[kind]]) as visit, visit(fresh=True) as page:
        page.add_init_script(FORBID)
        page.reload()
        started(page)
        attempt(page, "1.5", name)
        assert page.locator(".course-unkept").inner_text() == LOST
        press(page, "Start again")
        assert (
            page.locator(".course-unkept").inner_text() == ""
            and page.get_by_role("button", name="Start again").is_hidden()
        )
