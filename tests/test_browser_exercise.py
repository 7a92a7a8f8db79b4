"""An exercise's card by itself in a browser: the widget's module, a model that only holds a spec, no book."""

import json
from contextlib import contextmanager

import pytest

from course_lib.exercises import Value
from course_lib.widgets.base import bundle

pytestmark = pytest.mark.browser
ADDRESS = "http://127.0.0.1:9/"  # answered by the test, not by a server: localStorage needs an origin
START = """spec => {
  window.tries = [];
  document.addEventListener("course:tried", (event) => window.tries.push(event.detail));
  const model = { get: (name) => ({ spec })[name], on() {}, off() {}, send() {} };
  return import("/exercise.js").then((module) => module.default.render({ model, el: document.querySelector("main") })).then(() => true);
}"""
HINTS = ["look", "look again", "nearly"]


def spec(exercise, **more):
    return {**json.loads(json.dumps(exercise.spec())), **more}


@contextmanager
def card(browser, given, *, kept=None, width=1280):
    """The page with one card, rendered as a host without a kernel does it."""
    files = {"": ("text/html", "<!doctype html><html lang='en'><title>card</title><main></main></html>"), "exercise.js": ("text/javascript", bundle("exercise", "js"))}
    context = browser.new_context(viewport={"width": width, "height": 900})
    context.set_default_timeout(20_000)
    page = context.new_page()

    def answer(route):
        kind, body = files.get(route.request.url.removeprefix(ADDRESS), ("text/plain", ""))
        route.fulfill(content_type=f"{kind}; charset=utf-8", body=body)

    page.route("**/*", answer)
    try:
        page.goto(ADDRESS)
        page.add_style_tag(content=bundle("exercise", "css"))
        if kept is not None:
            page.evaluate("([key, record]) => localStorage.setItem(key, JSON.stringify(record))", [f"course.exercise.{given['id']}", kept])
        page.evaluate(START, given)
        yield page
    finally:
        context.close()


def record(page, id):
    return json.loads(page.evaluate("key => localStorage.getItem(key)", f"course.exercise.{id}") or "null")


def value():
    return Value(id="bits", question="Entropy?", answer=1.5, tolerance=0.01, mistakes=[(1.04, "nats: divide by ln 2")], hints=HINTS, solution="1.5")


def attempt(page, text):
    page.get_by_label("Your answer").fill(text)
    page.get_by_role("button", name="Check").click()


def test_a_counted_try_is_recorded_with_its_time_and_told_to_the_page(browser):
    with card(browser, spec(value())) as page:
        before = page.evaluate("Date.now()")
        attempt(page, "what?")
        assert record(page, "bits") is None and page.evaluate("tries") == []  # not read: no attempt
        attempt(page, "1.04")
        first = record(page, "bits")
        assert (first["answer"], first["tried"], first["solved"], first["right"]) == ("1.04", 1, False, False)
        assert before <= first["at"] <= page.evaluate("Date.now()")
        attempt(page, "3/2")
        attempt(page, "9")
        last = record(page, "bits")
        assert (last["tried"], last["solved"], last["right"]) == (3, True, False) and last["at"] >= first["at"]
        assert page.evaluate("tries") == [{"id": "bits", "correct": correct} for correct in (False, True, False)]


def test_a_record_from_before_is_read_and_keeps_its_hints(browser):
    with card(browser, spec(value()), kept={"answer": "1.5", "hints": 1, "tried": 2, "solved": True}) as page:
        assert "✓ solved" in page.inner_text("main") and page.get_by_label("Your answer").input_value() == "1.5"
        page.get_by_role("button", name="Hint 2 of 3").click()
        kept = record(page, "bits")
        assert (kept["hints"], kept["tried"], kept["at"], kept["right"]) == (2, 2, None, None)


def test_an_old_question_asked_again_keeps_its_own_record(browser):
    with card(browser, spec(value(), id="recall.bits")) as page:
        attempt(page, "1.5")
        assert record(page, "recall.bits")["right"] is True and record(page, "bits") is None
