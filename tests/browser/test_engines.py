"""The book in Firefox and in WebKitGTK: it draws, trains as in Chromium, takes answers and keys."""

import pytest

from tests.shared.engines import firefox, heard, webkit
from tests.shared.pages import listed, of_all, opened
from tests.shared.workbench import bench, stored, widgets

pytestmark = pytest.mark.engine
EXPLORER, TRAINER = "chapters/03_transformer/explorer.html", "chapters/04_memoryless/training.html"
# Uncover what waits for a prediction, bring everything near, then wait until it is drawn; the page's own clock gives up
# after a minute.
DRAWN = """async () => {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const end = performance.now() + 60_000;
  const settled = async (found) => { while (!found()) { if (performance.now() > end) return false; await pause(50);
    } return true; };
  const marked = document.querySelector("script[type='application/vnd.jupyter.widget-view+json']");
  await settled(() => !marked || document.documentElement.dataset.courseReady ||
    document.querySelector(".course-widget[data-ready]"));
  document.querySelectorAll(".course-cover button:first-of-type").forEach((button) => button.click());
  for (const box of document.querySelectorAll(".course-widget, .course-plotly")) {
    box.scrollIntoView();
    await settled(() => box.dataset.ready || box.dataset.needs === "kernel");
  }
  const left = [...document.querySelectorAll(".course-widget, .course-plotly")].filter((box) => !box.dataset.ready &&
    box.dataset.needs !== "kernel");
  return { left: left.length, wide: document.documentElement.scrollWidth > innerWidth, troubles: window.troubles,
    theme: document.documentElement.dataset.theme };
}"""
# Ten steps by the widget's own button: the losses as it prints them.
TEN_STEPS = """async ([root, name]) => {
  const pause = (ms) => new Promise((done) => setTimeout(done, ms));
  const end = performance.now() + 60_000;
  const until = async (found) => { while (!found()) { if (performance.now() > end) throw Error("it does not step");
    await pause(20); } };
  for (const box of document.querySelectorAll(".course-widget")) {
    if (document.querySelector(root)?.closest(".course-widget").dataset.ready) break;
    box.scrollIntoView();
    await until(() => box.dataset.ready || box.dataset.needs === "kernel");
  }
  const widget = document.querySelector(root);
  widget.scrollIntoView();
  const button = () => [...widget.querySelectorAll("button")].find((each) => each.textContent.trim() === name);
  await until(() => button() && !button().disabled);
  const losses = [];
  for (let step = 1; step <= 10; step++) {
    await until(() => !button().disabled);
    button().click();
    await until(() => widget.dataset.step === String(step) && widget.dataset.loss);
    losses.push(widget.dataset.loss);
  }
  return losses;
}"""


BOTH = [pytest.param(each, id=each.__name__) for each in (firefox, webkit)]


@pytest.fixture(scope="module", params=BOTH)
def engine(request):
    with request.param() as driven:
        yield driven


@pytest.fixture(scope="module")
def pages(book):
    with heard(book) as address:
        yield address


@pytest.mark.parametrize("path", of_all(listed()))
def test_a_page_draws(engine, pages, path):
    dark = listed().index(path) % 2 == 1
    engine.open(pages + path, dark=dark)
    found = engine.evaluate(DRAWN)
    assert found == {"left": 0, "wide": False, "troubles": [], "theme": "dark" if dark else "light"}


@pytest.mark.parametrize(
    ("path", "root", "button"),
    [(f"{EXPLORER}?explorer.d=8&explorer.m=8&explorer.h=1", ".aex", "Step"), (TRAINER, ".stn", "One step")],
    ids=["explorer", "trainer"],
)
def test_ten_steps_give_chromiums_losses(engine, pages, browser, path, root, button):
    engine.open(pages + path)
    losses = engine.evaluate(TEN_STEPS, [root, button])
    with opened(browser, pages + path) as (page, _):
        assert losses == page.evaluate(TEN_STEPS, [root, button])
    assert len(set(losses)) == 10


@pytest.fixture(scope="module")
def workbench(tmp_path_factory):
    folder = tmp_path_factory.mktemp("workbench")
    bench(folder, widgets())
    with heard(folder) as address:
        yield f"{address}page.html"


def test_every_widget_draws_and_follows_the_keys(engine, workbench):
    engine.open(workbench)
    found = engine.evaluate(DRAWN)
    assert (found["left"], found["troubles"]) == (0, [])
    count = engine.evaluate("() => document.querySelectorAll('.course-widget').length")
    assert count == len(widgets())
    moved = 0
    for index in range(count):
        before = engine.evaluate(
            """(index) => {
              const dial = \
[...document.querySelectorAll(".course-widget")][index].querySelector("input[type=range]:not([disabled])");
              if (!dial || !dial.checkVisibility()) return null;
              dial.scrollIntoView({ block: "center" });
              dial.focus();
              return [dial.value, dial.value === dial.max ? "ArrowLeft" : "ArrowRight"];
            }""",
            index,
        )
        if before is None:
            continue
        engine.press(before[1])
        assert engine.evaluate("() => document.activeElement.value") != before[0], index
        moved += 1
    assert moved >= 12
    assert engine.evaluate("() => troubles") == []


def exercises() -> dict[str, dict]:
    """Kind → the state of the book's first exercise of this kind."""
    first = {}
    for state in stored()["ExerciseWidget"]:
        first.setdefault(state["spec"]["kind"], state)
    return first


def typed(spec: dict) -> list[str]:
    """What a reader writes into the card's fields: a function's values are worked out by hand, case by case."""
    if spec["kind"] == "function":
        return [", ".join(map(str, case["expected"])) for case in spec["cases"]]
    return [str(spec["answer"])]


FIELDS = """([index, field]) => {
  const card = document.querySelectorAll(".course-widget")[index];
  const there = [...card.querySelectorAll("input, textarea, button, [role=slider]")].filter((each) =>
    each.type !== "button" && each.checkVisibility());
  const buttons = [...card.querySelectorAll("button")];
  const named = (each) => each.value === field || each.getAttribute("aria-label") === field;
  const chosen = field === "check" ? buttons.find((each) => each.textContent === "Check")
    : typeof field === "string" ? there.find(named) ?? buttons.find(named) : there[field];
  chosen.scrollIntoView({ block: "center" });
  chosen.focus();
  return document.activeElement === chosen;
}"""
MOVES = """([index, text]) => [...document.querySelectorAll(".course-widget")[index].querySelectorAll("button")]
  .some((each) => each.getAttribute("aria-label") === `Up: ${text}` && !each.disabled)"""
VERDICT = """async (index) => {
  const card = document.querySelectorAll(".course-widget")[index], end = performance.now() + 60_000;
  while (!/[✓✗]/.test(card.innerText) && performance.now() < end) await new Promise((done) => setTimeout(done, 20));
  return card.innerText;
}"""


def test_an_exercise_of_each_kind_is_answered_by_keyboard(engine, tmp_path):
    states = exercises()
    assert set(states) == {"choice", "value", "formula", "function", "arrange", "false_line", "control", "sketch"}
    bench(tmp_path, list(states.values()))
    with heard(tmp_path) as address:
        engine.open(f"{address}page.html")
        assert engine.evaluate(DRAWN)["left"] == 0
        for index, (kind, state) in enumerate(states.items()):
            fill(engine, index, state["spec"])
            assert engine.evaluate(FIELDS, [index, "check"])
            engine.press("Enter")
            assert "✓" in engine.evaluate(VERDICT, index), kind
        assert engine.evaluate("() => troubles") == []


def fill(engine, index: int, spec: dict) -> None:
    """Give the right answer by keyboard."""

    def press(field, *keys):
        for key in keys:
            assert engine.evaluate(FIELDS, [index, field]), field
            engine.press(key)

    if spec["kind"] in ("choice", "false_line", "control"):
        for option in spec["options"]:
            if option["correct"]:
                press(option["text"], " ")
    elif spec["kind"] == "arrange":
        for step in reversed(spec["steps"]):
            for _ in range(len(spec["steps"]) - 1):  # up to the top: there its button does nothing more
                if engine.evaluate(MOVES, [index, step["text"]]):
                    press(f"Up: {step['text']}", "Enter")
    elif spec["kind"] == "sketch":
        step = (spec["high"] - spec["low"]) / 50
        for number, height in enumerate(spec["curve"]):
            press(number, "Home", *["ArrowUp"] * round((height - spec["low"]) / step))
    else:
        for number, text in enumerate(typed(spec)):
            assert engine.evaluate(FIELDS, [index, number])
            engine.type(text)
