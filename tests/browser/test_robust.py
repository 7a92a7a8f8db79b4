"""Every widget of the book in a real Chromium: its controls at their ends and in a hurry, two of it on a page, phone
and dark, odd addresses, a hidden tab, a browser that lacks things; and by keyboard, with targets for a finger, with
words that follow."""

import threading
from pathlib import Path
from urllib.parse import urlencode
from zlib import crc32

import pytest

from course_lib import widgets as course_widgets
from tests.shared.malformed import MALFORMED
from tests.shared.pages import context_of, drawn, lettered, opened, stands
from tests.shared.workbench import bench, name_of, widgets

pytestmark = pytest.mark.browser
ALL = {name_of(state): state for state in widgets()}
MONKEY = Path(__file__).with_name("monkey.js")
# The book's own style of a page is not there: what is wider than a phone is the widget itself.
OVERFLOW = "document.documentElement.scrollWidth - innerWidth"
SPACING = (
    "* { line-height: 1.5 !important; letter-spacing: .12em !important; word-spacing: .16em !important }"  # WCAG 1.4.12
)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Writes a page with these widgets and gives its address."""
    from tools.book.serve import server

    folder = tmp_path_factory.mktemp("robust")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()

    def written(name, states):
        if not (folder / name).exists():
            bench(folder / name, states)
        return f"http://127.0.0.1:{pages.server_port}/{name}/page.html"

    yield written
    pages.shutdown()


def let_loose(page):
    """Bring every widget near, so that it starts, wait for its first picture, and load the monkey."""
    for box in page.locator(".course-widget").all():
        box.scroll_into_view_if_needed()
        box.locator(".course-ui, .course-exercise").first.wait_for()
    page.wait_for_function("!document.querySelector('.course-widget [aria-busy=true]')")
    page.add_script_tag(path=str(MONKEY))


def walk_by_tab(page):
    """Press Tab from above the first widget until it is left: the stops, in order."""
    page.evaluate("monkey.before(0)")
    stops = []
    while len(stops) < 500:
        page.keyboard.press("Tab")
        here = page.evaluate("monkey.focus(0)")
        if here is None:
            return stops
        stops.append(here)
    raise AssertionError(f"the keyboard does not come out: {stops[-3:]}")


def twice(name):
    """A widget and its twin; of a card one with a name of its own, for cards of one name keep one record."""
    state = ALL[name]
    return [state, state | {"spec": state["spec"] | {"id": "twin"}} if "spec" in state else state]


# One of each family: what a monkey finds in another is mostly the shell's. All of them weekly.
LOOSE = [
    "attention_by_hand",
    "attention_explorer",
    "decoding-translator",
    "exercise",
    "journey",
    "source_trainer",
    "study_table",
    "surface",
]


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name in LOOSE else pytest.mark.weekly) for name in ALL]
)
def test_a_widget_survives_a_monkey_and_its_twin_does_not_care(browser, site, name):
    with opened(browser, site(name, twice(name))) as (page, troubles):
        let_loose(page)
        twin = stands(page, "monkey.text(1)", 500)  # it has started
        ids = page.evaluate("[...document.querySelectorAll('[id]')].map(node => node.id)")
        assert len(ids) == len(set(ids))
        assert page.evaluate("monkey.shared()") == []  # names of radio groups
        assert page.evaluate("monkey.ends(0)") == []
        page.set_viewport_size({"width": 320, "height": 800})
        assert page.evaluate("monkey.walk(0, 60, 1)") == []
        nodes = page.evaluate("monkey.count(0)")
        assert page.evaluate("monkey.long(0)") == []
        lettered(page, 32)
        page.set_viewport_size({"width": 375, "height": 800})
        drawn(page)
        assert page.evaluate("monkey.faults(0)") == []
        page.set_viewport_size({"width": 100, "height": 800})  # no picture minds that its labels take all its room
        drawn(page)
        lettered(page, 16)
        page.set_viewport_size({"width": 1280, "height": 800})
        assert page.evaluate("monkey.walk(0, 60, 2)") == []
        assert page.evaluate("monkey.walk(0, 60, 1)") == []  # the same changes again: not many more nodes
        assert page.evaluate("monkey.count(0)") < 3 * nodes + 3000
        assert page.evaluate("monkey.text(1)") == twin
        assert page.evaluate("monkey.faults(1)") == []
        assert troubles == []


@pytest.mark.parametrize("name", ALL)
def test_a_widget_is_worked_by_keyboard_and_finger_and_tells_it(browser, site, name):
    with opened(browser, site(name, twice(name)), width=640) as (page, troubles):
        let_loose(page)
        assert page.evaluate("monkey.hurried(0, 1)") == []
        wanted = page.evaluate("monkey.stops(0)")
        stops = walk_by_tab(page)
        places = [stop["place"] for stop in stops]
        assert places == sorted(places) and len(set(places)) == len(places)  # the order of the page, each once
        assert len(places) >= wanted
        assert [stop["name"] for stop in stops if not stop["seen"]] == []
        page.set_viewport_size({"width": 375, "height": 800})
        assert page.evaluate("monkey.small(0)") == []
        page.add_style_tag(content=SPACING)
        assert page.evaluate(OVERFLOW) <= 0
        must = not name.startswith(
            ("decoding", "translate")
        )  # a dial at its other end may give the same translation: nothing to tell
        if not name.startswith(
            "exercise_prediction"
        ):  # it tells what is committed, and nothing of a choice that is not (test_predictions.py)
            told = page.evaluate("must => monkey.drag(0, must)", must)
            assert told["during"] <= 2 and told["changed"], told
            assert told["says"] or not must, told
        assert troubles == []


PLAYED = [
    "descent",
    "translate",
    "measure_playground",
    "approximation_builder",
    "gaussian_attention",
    "decoding-translator",
    "attention_explorer",
    "source_trainer",
    "translator_trainer",
    "chain_trainer",
]


@pytest.mark.parametrize("name", PLAYED)
def test_a_page_that_nobody_sees_stands_still(browser, site, name):
    """Play or training waits while the tab is hidden, and goes on where it stood."""
    step = (
        "(({ layers, corrections, step }) => layers ?? corrections ?? "
        "step)(document.querySelector('.course-ui').dataset)"
    )
    slow = (
        {"speed": 30.0} if "speed" in ALL[name] else {}
    )  # as fast as possible, a run may be over before a busy page draws its first step
    with opened(browser, site(f"{name}-slow", [ALL[name] | slow] * 2)) as (page, troubles):
        let_loose(page)
        first = page.locator(".course-widget").first
        before = page.evaluate(step)
        first.locator(".course-button").filter(has_text="Play").or_(
            first.get_by_role("button", name="Train", exact=True)
        ).first.click()
        page.wait_for_function(
            f"x => ({step}) !== x && (monkey.hide(true), true)", arg=before
        )  # hidden at its first step: none may be left later
        stood = stands(page, step)  # for longer than any pace
        page.evaluate("monkey.hide(false)")
        page.wait_for_function(f"x => ({step}) !== x", arg=stood)
        assert troubles == []


ODD = [
    "",
    "nan",
    "1e999",
    "-1e999",
    "-3",
    "constructor",
    "__proto__",
    "9" * 3000,
    "1,2,3",
    "0.1.2",
    "%00<b>",
    "nil",
    "on",
    ",,,",
    "🙂",
]


@pytest.mark.parametrize("odd", range(0, len(ODD), 5))
def test_an_odd_address_is_ignored_or_clamped(browser, site, odd):
    """Every setting of every widget gets one of five odd texts, and there is a setting that no widget knows."""
    states = [state | {"address": f"w{i}"} for i, state in enumerate(ALL.values())]
    asked = {
        f"w{i}.{trait}": ODD[odd + (i + k) % 5]
        for i, state in enumerate(states)
        for k, trait in enumerate(sorted(state))
    }
    short = {
        key: text for key, text in asked.items() if len(text) < 100 or crc32(key.encode()) % 40 == 0
    }  # servers take 64 kB
    with opened(browser, f"{site('all', states)}?{urlencode(short | {'w0.unknown': 'x', '.': '1', 'w1': '2'})}") as (
        page,
        troubles,
    ):
        let_loose(page)
        assert [page.evaluate("i => monkey.faults(i)", i) for i in range(len(states))] == [[]] * len(states)
        assert page.locator("[role=alert]:visible").count() == 0
        assert page.get_by_text("could not start").count() == 0
        assert troubles == []


def settings_of(state: dict) -> set[str]:
    """The settings that the front end checks by their declaration; the others are the author's words and numbers."""
    known = getattr(getattr(course_widgets, state["_anywidget_id"].rsplit(".", 1)[1]), "_settings", {})
    return {name for name, each in known.items() if each["kind"] != "own"}


def strange(state: dict, turn: int) -> dict:
    """The state with something else in place of each setting and of its name in the address."""
    changed = sorted({*settings_of(state), "address"} & set(state))
    return state | {name: MALFORMED[(turn + i) % len(MALFORMED)] for i, name in enumerate(changed)}


@pytest.mark.parametrize("turn", range(0, len(MALFORMED), 4))
def test_what_a_stranger_stored_in_a_notebook_runs_nothing_and_is_told(browser, site, turn):
    """A setting that makes no sense: the widget begins with its own, and says so. What its author gives makes no sense:
    a sentence."""
    states = list(ALL.values())
    with opened(browser, site(f"strange-{turn}", [strange(state, turn) for state in states])) as (page, troubles):
        told = "box => /begins with its own values|could not start|^(?:Exercise|Predict)/.test(box.innerText)"
        for state, box in zip(states, page.locator(".course-widget").all(), strict=True):
            box.scroll_into_view_if_needed()
            if settings_of(state) or "spec" in state:
                page.wait_for_function(told, arg=box.element_handle())
        page.add_script_tag(path=str(MONKEY))
        faults = [fault for i in range(len(states)) for fault in page.evaluate("i => monkey.faults(i)", i)]
        assert [fault for fault in faults if "could not start" not in fault] == []
        assert page.get_by_text("begins with its own values").count() >= 14
        assert page.evaluate("globalThis.ran") is None
        assert len(troubles) == page.get_by_text("could not start").count()  # each is told where it happened


POOR = """
delete globalThis.OffscreenCanvas; delete globalThis.IntersectionObserver;
globalThis.Worker = class { constructor() { throw Error("no workers here"); } };
for (const name of ["localStorage", "sessionStorage"]) Object.defineProperty(globalThis, name, { get() {
  throw new DOMException("forbidden", "SecurityError"); } });
const context = HTMLCanvasElement.prototype.getContext;
HTMLCanvasElement.prototype.getContext = function (kind, ...rest) { return /webgl|webgpu/.test(kind) ? null :
  context.call(this, kind, ...rest); };
history.replaceState = () => { throw new DOMException("forbidden", "SecurityError"); };
"""
# What begins and ends before the test looks has played, too.
PLAYED_BY_ITSELF = """
const pause = () => [...document.querySelectorAll("button")].some((each) => each.textContent.trim() === "Pause");
new MutationObserver(() => { globalThis.played ||= pause(); }).observe(document, { childList: true,
  characterData: true, subtree: true });
"""


def test_a_poor_browser_is_enough_and_nothing_moves_by_itself(browser, site):
    """No worker, storage, WebGL, observer, nor an address that may be written; and with motion allowed nothing begins
    to play."""
    states = [state | {"address": f"w{i}"} for i, state in enumerate(ALL.values())]
    address = site("all", states)
    context = context_of(browser, viewport={"width": 800, "height": 900})
    page, troubles = context.new_page(), []
    page.on("pageerror", lambda error: troubles.append(str(error)))
    page.add_init_script(POOR + PLAYED_BY_ITSELF)
    page.goto(address)
    page.wait_for_selector("html[data-course-ready]")
    let_loose(page)
    stands(page, "[...document.querySelectorAll('.course-widget')].map(box => box.innerText).join('|')", 1500)
    assert not page.evaluate("globalThis.played")
    # in all of them at once: a change of the theme, a hidden tab is everybody's
    wrong = page.evaluate(
        "count => Promise.all(Array.from({ length: count }, (_, i) => monkey.walk(i, 12, 3)))", len(states)
    )
    assert wrong == [[]] * len(states)
    assert [page.evaluate("i => monkey.faults(i)", i) for i in range(len(states))] == [[]] * len(states)
    assert page.locator("[role=alert]:visible").count() == 0
    assert troubles == []
    context.close()


@pytest.mark.parametrize("name", ["descent", "source_trainer", "attention_explorer"])
def test_a_hopeless_rate_is_told_and_reset_helps(browser, site, name):
    """The largest rate there is: whatever becomes of it, no NaN is shown; where the run ends the words say so; Reset
    begins anew."""
    with opened(browser, site(name, twice(name))) as (page, troubles):
        let_loose(page)
        widget = page.locator(".course-widget").first
        page.evaluate("monkey.unfold(0)")
        page.evaluate(
            "([place, name, rate]) => monkey.choose(place, name, rate)",
            [0, "learning rate", 10 if name == "descent" else 1],
        )
        widget.get_by_role("button", name="Play" if name == "descent" else "Train", exact=True).click()
        page.wait_for_function(
            """(() => {
              const { dataset: { step, stopped }, innerText } = document.querySelector(".course-ui");
              return Number(step) > 20 || (stopped ?? "null") !== "null" || /diverged|ran away/.test(innerText);
            })()"""
        )
        assert page.evaluate("monkey.faults(0)") == []
        if name == "descent":  # Adam bears a rate of 1
            page.wait_for_function("/diverged|ran away/.test(document.querySelector('.course-ui').innerText)")
        widget.get_by_role("button", name="Reset", exact=True).click()
        page.wait_for_function("document.querySelector('.course-ui').dataset.step === '0'")
        assert page.evaluate("monkey.faults(0)") == []
        assert widget.get_by_role("button", name="Pause").count() == 0
        assert troubles == []


def test_high_contrast_keeps_what_is_chosen_and_what_is_drawn(browser, site):
    """Forced colours take every background away: the chosen one of a few must still differ, and a picture must have its
    own ground."""
    states = [state | {"address": f"w{i}"} for i, state in enumerate(ALL.values())]
    context = context_of(
        browser,
        viewport={"width": 800, "height": 900},
        forced_colors="active",
        color_scheme="dark",
        reduced_motion="reduce",
    )
    page = context.new_page()
    page.goto(site("all", states))
    page.wait_for_selector("html[data-course-ready]")
    let_loose(page)
    ground = "node => getComputedStyle(node).backgroundColor"
    # Not only another: a colour that was taken away and a ground that was never there differ, and look alike.
    marked = page.evaluate(f"""() => {{
      const mark = document.body.appendChild(document.createElement("i"));
      mark.style.cssText = "forced-color-adjust: none; background: Highlight";
      return ({ground})(mark);
    }}""")
    for bar in page.locator(".course-choice:visible").all():
        chosen, other = bar.locator("input:checked + span"), bar.locator("input:not(:checked) + span").first
        if chosen.count():
            assert chosen.evaluate(ground) == marked != other.evaluate(ground)
    assert (
        page.evaluate(
            "[...document.querySelectorAll('.course-ui [aria-pressed=true]')].map("
            + ground
            + ").filter(each => each === 'rgba(0, 0, 0, 0)').length"
        )
        == 0
    )
    see_through = "nodes => nodes.map(" + ground + ").map(each => each === 'rgba(0, 0, 0, 0)')"
    assert not any(page.locator(".course-ui canvas").evaluate_all(see_through))
    assert all(page.locator(".course-ui canvas ~ svg").evaluate_all(see_through))  # handles over a picture
    context.close()
