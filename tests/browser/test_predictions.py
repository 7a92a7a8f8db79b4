"""Commit, then see: the evidence of a prediction is covered until the reader has predicted, on the page that is the
model for all."""

import json

import pytest

from course_lib.exercises import Choose, Curve, Idea, Number, Order
from course_lib.widgets import predict
from tests.shared.barriers import barriers
from tests.shared.pages import context_of, drawn, in_scheme, opened, started
from tests.shared.widget_alone import assert_it_fits_a_phone, served

pytestmark = pytest.mark.browser
PAGE = "chapters/02_attention/seven_steps.html"
STATES = "boxes => boxes.map(box => box.dataset.state)"
EVIDENCED = ".tag_evidence > .cell_output, .verdict"  # wherever it stands, in a cover or not
SHOWN = (
    "all => all.map(each => each.checkVisibility({ contentVisibilityAuto: true, visibilityProperty: true }) && "
    "!each.closest('[hidden]'))"
)


def covers(page):
    return page.locator(".course-evidence")


def card(page, number=0):
    return page.locator(".course-prediction").nth(number)


def kept(page, id):
    return json.loads(page.evaluate("id => localStorage.getItem(`course.prediction.${id}`)", id) or "null")


def commit(page, number=0):
    card(page, number).get_by_role("button", name="That is my prediction").press("Enter")
    drawn(page)


def test_no_output_is_seen_before_the_commitment_on_it_and_each_opens_its_own(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        assert (
            covers(page).count() >= 6
            and set(covers(page).evaluate_all(STATES)) == {"covered"}
            and not any(page.locator(EVIDENCED).evaluate_all(SHOWN))
        )
        assert page.locator(".course-evidence .cell_input").first.is_visible()  # code is there to be read
        for scheme in ("light", "dark"):
            in_scheme(page, scheme)
            assert barriers(page, context=[[".course-evidence"], [".course-prediction"]]) == []
        first = card(page)
        commit(page)
        assert "Choose one first" in first.inner_text() and kept(page, "seven-look") is None
        first.locator("label").filter(has_text="white").locator("input").focus()
        page.keyboard.press("Space")
        first.get_by_label("How sure").select_option("80")
        commit(page)
        page.keyboard.press("Enter")  # once more, which undoes nothing
        assert covers(page).evaluate_all(STATES)[:4] == ["open", "open", "open", "covered"]
        said = first.locator("[role=status]").inner_text()
        assert (
            "It is otherwise: house." in said
            and "colours behind their nouns" in said
            and "wherever that stands" in said
        )
        record = kept(page, "seven-look")
        assert {**record, "at": 0} == {"answer": "white", "sure": 80, "right": False, "seen": False, "at": 0}
        page.reload()
        started(page)
        assert (
            covers(page).evaluate_all(STATES)[:4] == ["open", "open", "open", "covered"]
            and "It is otherwise: house." in card(page).inner_text()
        )
        card(page).get_by_role("button", name="Start again").press("Enter")
        assert covers(page).evaluate_all(STATES)[:4] == ["covered"] * 4 and kept(page, "seven-look") is None
        assert troubles == []


def test_nothing_is_seen_while_the_script_that_covers_is_on_its_way_and_all_is_if_it_never_comes(browser, site):
    with opened(browser, "about:blank", wait=False, fresh=True) as (page, _):
        page.route("**/book.js*", lambda route: route.abort())
        page.add_init_script(
            "addEventListener('DOMContentLoaded', () => "
            "document.head.append(Object.assign(document.createElement('style'), { textContent: '* { "
            "animation-play-state: paused !important }' })))"
        )
        page.goto(site + PAGE)
        assert covers(page).count() >= 6 and not any(page.locator(EVIDENCED).evaluate_all(SHOWN))
        page.evaluate("document.getAnimations().forEach(each => each.finish())")  # eight seconds later
        assert all(page.locator(EVIDENCED).evaluate_all(SHOWN))


def test_what_was_looked_at_first_does_not_count_and_never_is_remembered(browser, site):
    with opened(browser, site + PAGE) as (page, troubles):
        covers(page).nth(4).get_by_role("button", name="Show it").press("Enter")
        assert covers(page).evaluate_all(STATES)[3:6] == ["covered", "open", "covered"]
        assert page.evaluate("document.activeElement.matches('.course-evidence')")
        card(page, 2).get_by_label("Your answer").fill("1.2")
        commit(page, 2)
        assert kept(page, "seven-times")["seen"] is True and "It is as you said." in card(page, 2).inner_text()
        card(page, 3).get_by_role("button", name="Show me").press("Enter")
        assert covers(page).last.evaluate("box => box.dataset.state") == "open" and kept(page, "seven-bag") is None
        covers(page).nth(0).get_by_role("button", name="Never cover").press("Enter")
        assert "covered" not in covers(page).evaluate_all(STATES)
        page.reload()
        started(page)
        assert (
            set(covers(page).evaluate_all(STATES)) == {"open"}
            and all(page.locator(EVIDENCED).evaluate_all(SHOWN))
            and troubles == []
        )


def test_a_link_a_search_and_a_find_open_what_they_lead_to(browser, site):
    with opened(browser, site + PAGE + "#thm-set") as (page, _):
        assert covers(page).evaluate_all(STATES)[5] == "open" and covers(page).evaluate_all(STATES)[0] == "covered"
        assert abs(page.evaluate("document.getElementById('thm-set').getBoundingClientRect().top")) < 400
        covers(page).first.locator(".cell_output").evaluate(
            "part => part.dispatchEvent(new Event('beforematch', { bubbles: true }))"
        )  # as the browser's own search does
        assert covers(page).evaluate_all(STATES)[:4] == ["open", "open", "open", "covered"]
    with opened(browser, site + PAGE + "?highlight=softmax") as (page, _):
        assert set(covers(page).evaluate_all(STATES)) == {"open"}
    with opened(browser, site + PAGE + "#:~:text=sum%201.000") as (
        page,
        _,
    ):  # the browser looks for the words when it has time
        page.wait_for_function("document.querySelector('.course-evidence').dataset.state !== 'covered'")


def test_without_scripts_on_paper_and_in_an_older_browser_nothing_is_lost(browser, site):
    with context_of(browser, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(site + PAGE)
        assert page.locator(".course-evidence pre").first.is_visible()
    with context_of(browser) as context:
        page = context.new_page()
        page.add_init_script("for (const kind of [HTMLElement, Element]) delete kind.prototype.onbeforematch")
        page.goto(site + PAGE + "#thm-set")
        started(page)
        assert covers(page).evaluate_all(STATES)[0] == "covered" and not any(
            covers(page)
            .first.locator(".cell_output")
            .evaluate_all("parts => parts.map(part => part.checkVisibility({ visibilityProperty: true }))")
        )
        assert page.locator("#thm-set").is_visible()
        page.emulate_media(media="print")
        assert (
            covers(page)
            .first.locator(".cell_output")
            .evaluate(
                "part => part.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: true }) && "
                "getComputedStyle(part).contentVisibility"
            )
            == "visible"
        )


def test_the_record_is_told_goes_out_and_comes_back(browser, site, tmp_path):
    with opened(browser, site + PAGE, fresh=True) as (page, troubles):
        card(page).locator("label").filter(has_text="house").locator("input").check()
        card(page).get_by_label("How sure").select_option("90")
        commit(page)
        covers(page).nth(4).get_by_role("button", name="Show it").press("Enter")
        card(page, 2).get_by_label("Your answer").fill("1.2")
        commit(page, 2)  # seen before: it does not count
        page.goto(site + "book/progress.html")
        told = page.locator(".course-progress-foretold")
        told.get_by_text("1 prediction made before the evidence, 1 right.").wait_for()
        assert told.locator("tbody tr").inner_text().split() == ["90", "%", "1", "1", "(100", "%)"]
        assert barriers(page, context=[[".course-progress-foretold"]]) == []
        with page.expect_download() as saved:
            page.get_by_role("button", name="Export").click()
        saved.value.save_as(tmp_path / "progress.json")
        page.evaluate("localStorage.clear()")
        page.reload()
        told.get_by_text("No prediction is made yet").wait_for()
        page.locator("input[type=file]").set_input_files(tmp_path / "progress.json")
        told.get_by_text("1 prediction made before the evidence, 1 right.").wait_for()
        assert troubles == []


# ------------------------------------------------------------------------------------------------ each kind by itself
EVIDENCE = """evidence => {
  const cell = document.querySelector(".course-prediction").closest(".course-widget");
  cell.classList.add("tag_predict");
  const box = Object.assign(document.createElement("div"), { className: "course-evidence" });
  box.innerHTML = "<div class=cell_output><pre></pre><div class=course-plotly><script type='application/json'>\
</script></div></div>";
  box.querySelector("pre").textContent = evidence.text;
  box.querySelector("script").textContent = JSON.stringify({ data: evidence.lines });
  cell.after(box);
}"""
KINDS = {
    "choose": Choose(id="one", question="Which?", ideas=[Idea("A", "a", "A"), Idea("B", "b", "B")], read="best: (.)"),
    "number": Number(id="two", question="How many?", read=r"(\d+) words", within=1),
    "order": Order(
        id="three",
        question="In which order?",
        things=[("low", r"low (\d)"), ("high", r"high (\d)"), ("middle", r"middle (\d)")],
        reason="So.",
    ),
    "curve": Curve(
        id="four",
        question="Draw it.",
        x=[1, 2, 3],
        low=0,
        high=10,
        within=0.5,
        x_title="s",
        y_title="shift",
        read="measured",
        reason="It rises.",
    ),
}
TRUTH = {
    "text": "best: B, 12 words; low 1, high 3, middle 2",
    "lines": [{"name": "measured", "x": [1, 3], "y": [5, 7]}],
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_is_made_by_keyboard_and_compared_with_the_evidence(browser, tmp_path, kind):
    with served(browser, tmp_path, [predict(KINDS[kind])]) as visit, visit() as page:
        page.evaluate(EVIDENCE, TRUTH)
        if kind == "choose":
            card(page).locator("input[value=B]").focus()
            page.keyboard.press("Space")
        elif kind == "number":
            card(page).get_by_label("Your answer").focus()
            page.keyboard.type("12")
        elif kind == "order":
            wanted = ["high", "middle", "low"]
            while (now := card(page).locator("li span").all_inner_texts()) != wanted:
                wrong = next(text for text, want in zip(now, wanted, strict=True) if text != want)
                card(page).get_by_role("button", name=f"Down: {wrong}").press("Enter")
        else:
            page.locator(".course-curve circle").first.focus()
            for key in ("ArrowRight", *["ArrowUp"] * 5, "ArrowRight", "PageUp"):
                page.keyboard.press(key)
            assert page.locator(".course-curve circle").evaluate_all(
                "all => all.map(each => +each.getAttribute('aria-valuenow'))"
            ) == [5, 6, 7]
        commit(page)
        assert "It is as you said." in card(page).inner_text()
        if kind == "curve":
            assert page.locator(".course-measured").get_attribute("d") == page.locator(".course-mine").get_attribute(
                "d"
            )
        page.set_viewport_size({"width": 375, "height": 800})
        if kind != "choose":  # there the whole line is the target
            assert_it_fits_a_phone(page, card(page))


def test_a_curve_is_drawn_with_the_pointer(browser, tmp_path):
    with served(browser, tmp_path, [predict(KINDS["curve"])]) as visit, visit() as page:
        page.evaluate(EVIDENCE, TRUTH)
        place = page.locator(".course-curve").bounding_box()
        at = lambda across, down: (place["x"] + across * place["width"], place["y"] + down * place["height"])
        page.mouse.move(*at(0.11, 0.8))
        page.mouse.down()
        page.mouse.move(*at(0.96, 0.1))
        page.mouse.up()
        heights = page.locator(".course-curve circle").evaluate_all(
            "all => all.map(each => +each.getAttribute('aria-valuenow'))"
        )
        assert heights == sorted(heights) and heights[0] < 2 and heights[2] > 8  # the places between have their share
        commit(page)
        assert "Dashed: what is measured." in card(page).inner_text() and "off by" in card(page).inner_text()
        assert kept(page, "four")["answer"] == pytest.approx(heights)
