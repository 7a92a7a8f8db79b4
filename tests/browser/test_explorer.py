"""The explorer in a browser, on a page of its own: it trains by keyboard with PyTorch's losses, and keeps its head when
pushed."""

import re

import pytest
from playwright.sync_api import expect

from course_lib.graphs.explorer import Run, Settings
from course_lib.widgets import AttentionExplorer
from tests.shared.widget_alone import alone, holds, number, press, reaches, served, slider

visit = alone(lambda: [AttentionExplorer()])


def explorer(page):
    return page.locator(".aex")


def test_steps_by_keyboard_have_pytorchs_losses(visit):
    run = Run(Settings(d=8, m=8, h=1))
    with visit("explorer.d=8&explorer.m=8&explorer.h=1") as page:
        widget = explorer(page)
        for step in range(1, 9):
            press(widget, "Step")
            holds(widget, step=step)
            assert number(widget, "loss") == pytest.approx(run.step(), abs=1e-4)
        assert number(widget, "accuracy") == pytest.approx(run.accuracy(), abs=0.01)


def test_a_trained_run_is_there_and_another_one_learns(visit):
    with visit("explorer.speed=max", from_file=True) as page:
        widget = explorer(page)
        assert widget.get_attribute("data-stored") == "true" and number(widget, "accuracy") > 0.95
        press(widget, "Train")
        reaches(widget, "stored", "x !== 'true'")
        reaches(widget, "accuracy", "+x > 0.95")
        assert widget.get_attribute("data-where") == "worker"
        slider(widget, "speed").press(
            "Home"
        )  # a step a second: the run must not end before all of this has been looked at
        page.evaluate("document.documentElement.dataset.theme = 'dark'")  # drawn anew while it trains
        press(widget, "Pause")
        holds(widget, playing="false")
        # back to a moment already passed
        slider(widget, "moment").press("Home")
        holds(widget, step="0")
        assert number(widget, "accuracy") < 0.5


def test_a_hopeless_rate_ends_in_words(visit):
    with visit("explorer.rate=1&explorer.norm=none&explorer.residual=0&explorer.speed=max") as page:
        widget = explorer(page)
        press(widget, "Train")
        offer = widget.get_by_role("button", name=re.compile("Start again with"))
        offer.wait_for()
        assert "NaN" not in widget.inner_text()
        offer.press("Enter")
        reaches(widget, "step", "+x < 50")


def test_a_step_asked_for_before_the_new_run_is_there_is_made_by_it(visit):
    """The run of the first change is under way when the second change asks for another: the step belongs to that
    one."""
    with visit() as page:
        widget = explorer(page)
        press(widget, "Step")
        holds(widget, step="1")
        widget.evaluate(
            """async (root, [name, label]) => {
          const dial = [...root.querySelectorAll(".course-slider")].find((each) =>
            each.textContent.includes(name)).querySelector("input");
          for (const place of [1, 0]) {
            dial.value = Number(dial.min) + place;
            dial.dispatchEvent(new Event("input", { bubbles: true }));
            for (let i = 0; i < 3; i += 1) await new Promise((done) => setTimeout(done));
          }
          [...root.querySelectorAll("button")].find((button) => button.textContent.trim() === label).click();
        }""",
            ["width d", "Step"],
        )
        page.wait_for_function(
            "root => root.dataset.step === '1' && root.ariaBusy === 'false'", arg=widget.element_handle()
        )
        assert number(widget, "loss") == pytest.approx(Run(Settings(d=4)).step(), abs=1e-4)


def test_a_map_that_is_gone_is_compared_with_no_more(visit):
    """A head is chosen from a menu that a smaller model replaces in the meantime: the menu then has no value."""
    with visit() as page:
        widget = explorer(page)
        other = widget.get_by_label("compare with")
        other.select_option(index=1)
        expect(widget.locator(".aex-pair")).to_be_visible()
        other.evaluate("menu => { menu.value = '7.7'; menu.dispatchEvent(new Event('change', { bubbles: true })); }")
        expect(widget.locator(".aex-pair")).to_have_count(0)
        expect(other).to_have_value("none")
        assert "NaN" not in widget.inner_text()


def test_rapid_changes_end_where_they_should(visit):
    with visit() as page:
        widget = explorer(page)
        slider(widget, "width d").focus()
        for _ in range(12):
            page.keyboard.press("ArrowLeft")
        press(widget, "Step")
        holds(widget, step="1")
        run = Run(Settings(d=8))
        assert number(widget, "loss") == pytest.approx(run.step(), abs=1e-4)
        page.wait_for_url("**explorer.d=8*")  # the address follows at its own pace


def test_a_button_of_the_text_sets_the_dials_in_place_and_a_link_to_it_elsewhere(visit):
    query = "explorer.causal=0&explorer.h=1"
    with visit("explorer.task=copy&explorer.seed=3&other.a=1") as page:
        widget = explorer(page)
        page.evaluate("globalThis.same = 'page'")
        page.evaluate(
            (
                "query => document.body.insertAdjacentHTML('beforeend', `<p id=w>The model</p><a "
                "class=course-dials href='?${query}#w'>Set</a>`)"
            ),
            query,
        )
        page.get_by_text("Set", exact=True).press(" ")
        holds(widget, step="0")
        for name, value in {"causal mask": False, "scale": True}.items():
            expect(widget.get_by_role("switch", name=name)).to_be_checked(checked=value)
        assert slider(widget, "heads").input_value() == "1"
        expect(widget.get_by_role("radio", name="reverse")).to_be_checked()  # what it does not name goes back
        page.wait_for_function("query => location.href.endsWith(`?other.a=1&${query}#w`)", arg=query)
        assert page.evaluate("same") == "page" and page.evaluate("document.activeElement.id") == "w"
    with visit(f"{query}#w") as page:
        expect(explorer(page).get_by_role("switch", name="causal mask")).not_to_be_checked()


def test_a_button_of_the_text_counts_before_the_data_has_come(browser, tmp_path):
    widget = AttentionExplorer()
    late = f"**/{widget.data_keys['tasks']}.js"
    with served(browser, tmp_path, [widget]) as visit, visit(fresh=True) as page:
        page.route(late, lambda _: None)
        page.reload()
        page.wait_for_selector("html[data-course-ready]")
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', '<a class=course-dials href=?explorer.task=copy#w>Set</a>')"
        )
        page.get_by_text("Set", exact=True).press(" ")
        page.unroute(late)  # and it comes
        expect(explorer(page).get_by_role("radio", name="copy")).to_be_checked()
        expect(explorer(page)).to_have_attribute("data-step", "0")


def test_recall_by_a_link_opens_at_its_first_question_and_keeps_the_answer_to_the_reader(visit):
    with visit("explorer.task=recall") as page:
        widget = explorer(page)
        chosen = widget.locator(".aex-rows [aria-pressed=true]").first
        expect(chosen).to_have_attribute("aria-label", re.compile("^place 9,"))
        assert (
            "No answer is asked for here" not in widget.inner_text()
            and "layer" not in widget.locator(".aex-about").inner_text()
        )
        page.evaluate(
            "document.body.insertAdjacentHTML('beforeend', `<p id=w>The model</p><a class=course-dials "
            "href='?explorer.seed=2#w'>Set</a>`)"
        )
        page.get_by_text("Set", exact=True).press(" ")
        expect(chosen).to_have_attribute("aria-label", "place 7, arrow")
    with visit("explorer.task=recall&explorer.row=3") as page:
        expect(explorer(page).locator(".aex-rows [aria-pressed=true]").first).to_have_attribute(
            "aria-label", re.compile("^place 3,")
        )


def test_text_has_its_floors_and_no_right_or_wrong(visit):
    with visit("explorer.task=text&explorer.d=8&explorer.speed=max") as page:
        widget = explorer(page)
        run = Run(Settings(task="text", d=8))
        for step in range(1, 4):
            press(widget, "Step")
            holds(widget, step=step)
            assert number(widget, "loss") == pytest.approx(run.step(), abs=1e-4)
        assert "floor 1.26" in widget.inner_text() and "without looking 1.52" in widget.inner_text()
        answer = widget.locator(".aex-answer")
        expect(answer).to_contain_text("likeliest letter")
        assert "✗" not in answer.inner_text()
        field = widget.get_by_label("your own input")
        field.fill("oria.oria.ox")
        widget.get_by_role("button", name="Ask").click()
        expect(widget.locator(".aex-question .course-problem")).to_contain_text("like san.torino.a")


def test_no_seed_is_put_back_with_a_word(visit):
    with visit() as page:
        widget = explorer(page)
        field = widget.get_by_label("seed")
        field.fill("99999")
        field.press("Tab")
        expect(widget.get_by_text("A seed is a whole number from 0 to 9999: it stays 1.")).to_be_visible()
        expect(field).to_have_value("1")
        field.fill("2")
        field.press("Tab")
        page.wait_for_url("**explorer.seed=2*")
        expect(widget.get_by_text("A seed is a whole number")).to_have_count(0)
