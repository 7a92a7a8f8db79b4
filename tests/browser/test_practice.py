"""Practice in a real Chromium: a question comes back when its time is over, and what the reader did stays in the
browser."""

import json
import re
from contextlib import contextmanager

import pytest
from course_book import practice

from tests.browser.test_cards import FILL
from tests.shared.barriers import barriers
from tests.shared.pages import glided, opened

pytestmark = pytest.mark.browser
FIRST, LATER, PROGRESS = (
    "chapters/01_encoder_decoder/neurons.html",
    "chapters/02_attention/bottleneck.html",
    "book/progress.html",
)
QUESTION = "A network has 3 inputs, hidden layers of 5 and 4"  # neuron-count, on FIRST; its answer is 54
# The day is set by the test, and it is noon when it begins: midnight does not come in between.
TRAVEL = """{
  const now = Date.now.bind(Date), begun = BEGUN, noon = new Date(begun).setHours(12, 0, 0, 0);
  Date.now = () => noon + now() - begun + 864e5 * Number(localStorage.getItem("test.days") ?? 0);
}"""
DENIED = (
    "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('denied', 'SecurityError'); } });"
)
KEPT = (
    "Object.fromEntries(Object.entries(localStorage).filter(([key]) => "
    "/^course\\.(exercise|recall)\\./.test(key)).sort())"
)


@contextmanager
def reader(browser, address, script=TRAVEL, **more):
    """A page whose clock the test can set: `travel(page, days)`, then go on."""
    with opened(browser, address, fresh=True, **more) as (page, troubles):
        page.context.add_init_script(script.replace("BEGUN", str(page.evaluate("Date.now()"))))
        page.reload()
        yield page, troubles


def travel(page, days, address):
    page.evaluate("days => localStorage.setItem('test.days', days)", str(days))
    page.goto(address)


def answer(card, text):
    card.locator("input[type=text]").fill(text)
    card.get_by_role("button", name="Check").press("Enter")


def unfolded(page):
    page.locator(".course-recall > summary").press("Enter")
    page.wait_for_selector(".course-recall[data-ready]")
    return page.locator(".course-recall-question")


def solve(page):
    answer(page.locator(".course-exercise").filter(has_text=QUESTION), "54")


def violations(page):
    glided(page)
    return barriers(page, None, [[".course-recall"], [".course-progress"], [".course-tally"]])


def test_a_question_comes_back_when_its_time_is_over(browser, site):
    with reader(browser, site + FIRST) as (page, troubles):
        line = page.locator(".course-tally span")
        total = len(line.locator("xpath=..").get_attribute("data-ids").split())
        assert line.inner_text() == f"0 of {total} solved on this page"
        solve(page)
        page.wait_for_function(f"document.querySelector('.course-tally').innerText.startsWith('1 of {total} solved')")

        travel(page, 0, site + LATER)
        assert "Nothing is due today" in page.locator(".course-recall-state").inner_text()
        travel(page, 1, site + LATER)
        assert page.locator(".course-recall-state").inner_text().startswith("1 due today")
        cards = unfolded(page)
        assert cards.count() == 3 and QUESTION in cards.first.inner_text()
        assert "Box 1, last answered yesterday" in cards.first.inner_text()
        assert "1 of these is due" in page.locator(".course-recall-why").inner_text()
        assert cards.first.locator("input").input_value() == ""  # blank, though its page has the answer
        answer(cards.first, "2")
        said = cards.first.locator(".course-recall-next")
        assert said.inner_text() == "It comes back tomorrow, in box 1."
        answer(cards.first, "54")
        assert "was not due" in said.inner_text()

        travel(page, 2, site + LATER)
        answer(unfolded(page).first, "54")
        assert page.locator(".course-recall-next").first.inner_text() == "It comes back in 3 days, in box 2."
        travel(page, 5, site + LATER)
        assert "1 due today" in page.locator(".course-recall-state").inner_text()
        page.goto(site + PROGRESS)
        page.wait_for_selector(".course-progress[data-ready]")
        assert "1 question due today" in page.locator(".course-progress-due").inner_text()
        assert page.locator(".course-progress-recall tbody tr").nth(1).inner_text().split() == [
            "Box",
            "2",
            "after",
            "3",
            "days",
            "1",
        ]
        assert page.locator(".course-progress-all").inner_text().startswith("1 of ")
        assert (
            page.locator(".course-progress-next")
            .inner_text()
            .endswith("solved. Next: Losses, and how to go down them.")
        )
        assert page.locator("tr[data-next] a").get_attribute("href").endswith("/losses_and_descent.html")
        assert re.search(
            r"\b1 of \d+ solved", page.locator(".course-progress-part").filter(has_text="1 · Encoder").inner_text()
        )
        assert troubles == []


def test_a_new_reader_gets_the_same_three_all_day_and_another_on_request(browser, book):
    """From a folder, by keyboard, on a phone; no question is fetched before the box is opened, and then from earlier
    parts only."""
    earlier = {part["key"] for part in practice.before(LATER.removesuffix(".html"))}
    fetched = []
    with reader(browser, (book / LATER).as_uri(), width=375) as (page, troubles):
        page.on(
            "request",
            lambda request: fetched.extend(key for key, _, _ in practice.pools().values() if key in request.url),
        )
        page.reload()
        page.wait_for_selector("html[data-course-ready]")
        assert fetched == []
        drawn = [card.get_attribute("data-question") for card in unfolded(page).all()]
        assert len(set(drawn)) == 3 and fetched and set(fetched) <= earlier
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        page.get_by_role("button", name="Another").press("Enter")
        page.wait_for_function("document.querySelectorAll('.course-recall-question').length === 4")
        assert page.evaluate("document.activeElement.className") == "course-recall-question"
        page.reload()
        assert [card.get_attribute("data-question") for card in unfolded(page).all()] == drawn
        page.locator(".course-recall-question > p a").first.click()
        page.wait_for_function(
            "decodeURIComponent(location.hash).length > 1 && document.getElementById(location.hash.slice(1)) !== null"
        )
        assert troubles == []


def test_progress_goes_out_and_comes_back(browser, site, tmp_path):
    with reader(browser, site + FIRST) as (page, troubles):
        solve(page)
        travel(page, 1, site + LATER)
        answer(unfolded(page).first, "54")
        page.evaluate("localStorage.removeItem('course.exercise.recall.neuron-count')")  # a box's card is no progress
        page.goto(site + PROGRESS)
        page.wait_for_selector(".course-progress[data-ready]")
        before, requests = page.evaluate(KEPT), []
        page.on("request", lambda request: requests.append(request.url))
        with page.expect_download() as download:
            page.get_by_role("button", name="Export").press("Enter")
        path = tmp_path / download.value.suggested_filename
        download.value.save_as(path)
        file = json.loads(path.read_text())
        assert file["version"] == 1 and set(file["exercises"]) == set(file["recall"]) == {"neuron-count"}

        erase, said = page.get_by_role("button", name="Erase…"), page.locator(".course-progress-said")
        page.once("dialog", lambda dialog: dialog.dismiss())
        erase.press("Enter")
        assert page.evaluate(KEPT) == before
        page.once("dialog", lambda dialog: dialog.accept())
        erase.press("Enter")
        assert page.evaluate(KEPT) == {} and "Erased" in said.inner_text()
        assert page.evaluate("localStorage.getItem('test.days')") == "1"  # what is not the course's stays
        assert page.locator(".course-progress-all").inner_text().startswith("0 of ")

        page.locator("input[type=file]").set_input_files(path)
        page.wait_for_function("document.querySelector('.course-progress-said').innerText.includes('Taken')")
        assert {key: json.loads(text) for key, text in page.evaluate(KEPT).items()} == {
            key: json.loads(text) for key, text in before.items()
        }
        path.write_text(json.dumps({**file, "exercises": {"<b>no</b>": file["exercises"]["neuron-count"]}}))
        page.locator("input[type=file]").set_input_files(path)
        page.wait_for_function(
            "document.querySelector('.course-progress-said').innerText.includes('no sense here: 1 record')"
        )
        assert len(page.evaluate(KEPT)) == 2
        assert [url for url in requests if not url.startswith("blob:")] == [] and troubles == []


def test_without_storage_the_page_works_and_says_so(browser, site):
    with reader(browser, site + LATER, DENIED) as (page, _):  # the theme, too, asks for storage, and complains
        cards = unfolded(page)
        assert cards.count() == 3 and "does not let this page keep" in page.locator(".course-recall-why").inner_text()
        card = page.locator(".course-widget .course-exercise").filter(has_text="An answer of 6 words is perfect")
        answer(card, "60.65")
        page.wait_for_function("document.querySelector('.course-tally').innerText.startsWith('1 of ')")
        page.goto(site + PROGRESS)
        page.wait_for_selector(".course-progress[data-ready]")
        assert "does not let this page keep anything" in page.locator(".course-progress-all").inner_text()


def test_two_tabs_agree_and_corrupt_records_do_no_harm(browser, site):
    with reader(browser, site + FIRST) as (page, troubles):
        page.evaluate("""() => { localStorage["course.exercise.neuron-count"] = "{broken";
          localStorage["course.recall.neuron-count"] = "[7]";
            localStorage["course.exercise.primer-chain"] = '{"answer":"24","hints":0,"tried":1,"solved":true}'; }""")
        other = page.context.new_page()
        other.goto(site + PROGRESS)
        other.wait_for_selector(".course-progress[data-ready]")
        assert other.locator(".course-progress-all").inner_text().startswith("1 of ")
        assert (
            "1 question due today" in other.locator(".course-progress-due").inner_text()
        )  # nobody knows when it was answered
        solve(page)
        other.wait_for_function("document.querySelector('.course-progress-all').innerText.startsWith('2 of ')")
        other.once("dialog", lambda dialog: dialog.accept())
        other.get_by_role("button", name="Erase…").press("Enter")
        page.wait_for_function("document.querySelector('.course-tally').innerText.startsWith('0 of ')")
        card = page.locator(".course-exercise").filter(has_text=QUESTION)
        assert card.locator(".course-badge").inner_text() == "" and card.locator("input").input_value() == ""
        assert page.evaluate(KEPT) == {} and troubles == []


def test_what_the_browser_does_not_keep_goes_into_a_file(browser, site, tmp_path):
    with reader(browser, site + FIRST) as (page, troubles):
        page.evaluate(FILL)
        solve(page)
        page.wait_for_function(
            "document.querySelector('.course-tally').innerText.startsWith('1 of ')"
        )  # as long as the page
        with page.expect_download() as saved:
            page.get_by_role("button", name="Save your work as a file").press("Enter")
        saved.value.save_as(tmp_path / "progress.json")
        assert page.evaluate(KEPT) == {}
        page.evaluate("localStorage.clear()")
        page.goto(site + PROGRESS)
        page.locator("input[type=file]").set_input_files(tmp_path / "progress.json")
        page.get_by_text("Taken: 1 exercise, 0 predictions").wait_for()
        assert page.locator(".course-progress-all").inner_text().startswith("1 of ") and troubles == []


def test_boxes_are_accessible_in_light_and_dark(browser, site):
    with reader(browser, site + FIRST) as (page, troubles):
        solve(page)
        travel(page, 1, site + PROGRESS)
        page.locator(".course-progress-part > summary").first.press("Enter")
        answer(unfolded(page).first, "54")
        assert troubles == []  # before axe, which asks for style sheets where there are none
        assert violations(page) == []
        page.emulate_media(color_scheme="dark", reduced_motion="reduce")
        page.wait_for_function("document.documentElement.dataset.theme === 'dark'")
        assert violations(page) == []
