"""In every widget a dial and the picture that it changes are seen together, and the first task stands above them in one
line.

The parts are found by their classes (shell/layout.js); where they stand is drawing/ui.css's doing.
"""

import threading
from functools import cache

import pytest

from tests.shared.pages import ROOT, drawn, opened
from tests.shared.workbench import bench, stored

pytestmark = pytest.mark.browser
VIEWS = {
    1280: (720, 696),
    1200: (720, 616),
    375: (700, 343),
}  # width of a window: its height, and a widget's width in the book
MOST = 0.5  # of a phone's height, for a picture that stays
STYLE = "".join(
    line
    for name in ("type", "course")
    for line in (ROOT / f"book/_ext/course_book/static/{name}.css").open()
    if not line.startswith("@font-face")
)
AS_IN_THE_BOOK = """
  html { --pst-font-family-base: system-ui, sans-serif; --bar: 48px; scroll-padding-top: calc(var(--bar) + 8px) }
  @media (max-width: 768px) { html { --bar: 56px } }
  body { margin: 0 !important; padding: 0 0 700px !important; max-width: none !important } main { margin: 0 auto; \
width: var(--column) }
  h1 { height: 600px } .bar { position: sticky; top: 0; height: var(--bar); background: #eee; z-index: 1020 }
"""
FIND = """() => {
  const root = document.querySelector(".course-ui"), bar = document.querySelector(".bar");
  const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done,
    20))));
  const seen = (part) => part.checkVisibility() && !part.disabled && part.getBoundingClientRect().width > 0;
  const all = (kind) => [...root.querySelectorAll(kind)].filter(seen);
  const name = (part) => part.closest("label")?.textContent.trim() || part.ariaLabel || part.textContent;
  const sign = (part) => part.localName === "canvas" ? part.toDataURL() : part.outerHTML;
  const pictureOf = (dial) => dial.closest(".course-sides")?.querySelector(":scope > .course-picture");
  function share(part) {
    const { top, bottom, height } = part.getBoundingClientRect();
    return Math.max(0, Math.min(innerHeight, bottom) - Math.max(bar.offsetHeight, top)) / height;
  }
  /** Does something else lie over the middle of a part, or is it out of sight? */
  function covered(part) {
    const { left, top, width, height } = part.getBoundingClientRect();
    if (part.closest(".course-picture > :first-child")) return top + height / 2 < bar.offsetHeight ||
      top + height / 2 > innerHeight;
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    return !found || !(part.contains(found) || found.contains(part) || part.closest("label, svg")?.contains(found));
  }
  globalThis.layout = {
    dials: () => all("input[type=range], .course-dial"),
    /** Turns every dial a little; gives those that change pictures, but none in their own. */
    async turned() {
      for (const box of all("input[role=switch]:not(:checked)")) box.click();
      await frame();
      const astray = [];
      for (let k = 0; k < layout.dials().length; k++) {
        const dial = layout.dials()[k];
        const pictures = all("canvas, svg, table").filter((each) => each !== dial &&
          !each.closest("label, .course-dial"));
        const before = new Map(pictures.map((each) => [each, sign(each)])), own = pictureOf(dial)?.outerHTML;
        dial.focus();
        if (dial.matches("input")) {
          const [low, high] = [Number(dial.min), Number(dial.max)], by = (high - low) / 10;
          dial.value = Number(dial.value) + (Number(dial.value) + by > high ? -by : by);
          dial.dispatchEvent(new Event("input", { bubbles: true }));
          dial.dispatchEvent(new Event("change", { bubbles: true }));
        } else dial.dispatchEvent(new KeyboardEvent("keydown", { key: "PageUp", bubbles: true }));
        for (await frame(); root.ariaBusy === "true"; ) await frame();
        const changed = pictures.filter((each) => !each.isConnected || sign(each) !== before.get(each));
        const inside = pictureOf(dial)?.outerHTML !== own || changed.some((each) =>
          each.closest(".course-picture") === pictureOf(dial));
        if (changed.length && !inside) astray.push(name(dial));
      }
      return astray;
    },
    /** Each dial that is reached while less than half of its picture is in view, or while it is behind something. */
    apart: () => layout.dials().flatMap((dial) => {
      dial.focus();
      const first = pictureOf(dial)?.firstElementChild;
      if (!first) return [`${name(dial)} has no picture`];
      const part = first.checkVisibility() ? share(first) : 1;
      return part < 0.5 ? [`${name(dial)}: ${part}`] : covered(dial) ? [`${name(dial)} is covered`] : [];
    }),
    /** What the keyboard comes to behind something, on its way through the page. */
    hidden(back) {
      const stops = all("a[href], button, input, select, summary, [tabindex='0']").filter((each) => each.tabIndex >= 0);
      document.activeElement.blur();
      scrollTo(0, back ? document.body.scrollHeight : 0);
      return (back ? stops.reverse() : stops).filter((part) => (part.focus(), covered(part))).map(name);
    },
    wide: () => all(".course-sides, .course-sides > *").filter((each) =>
      each.scrollWidth > each.clientWidth + 1).map((each) => each.className),
    tall: () => Math.max(0, ...all(".course-picture > :first-child").filter((each) =>
      getComputedStyle(each).position === "sticky").map((each) => each.getBoundingClientRect().height)),
    lines: () => all(".course-task").map((each) => (each.clientHeight - 11) / \
parseFloat(getComputedStyle(each).lineHeight)),
    below: () => all(".course-task").some((each) => each.compareDocumentPosition(root.querySelector(".course-picture, \
.jny-sides")) & 2),
  };
}"""


@cache
def richest() -> dict[str, dict]:
    """Of each class the widget of the book with the most dials and a task; of Decoding both faces."""
    dials = {}
    for name, states in stored().items():
        for state in states if name not in ("ExerciseWidget", "PredictionWidget") else []:
            face = f"{state['bundle']} {state.get('model', '')}".strip()
            dials.setdefault(face, []).append(state)
    return {
        face: max(states, key=lambda state: (len(state.get("controls") or []), bool(state.get("goal"))))
        for face, states in dials.items()
    }


@pytest.fixture(scope="module")
def benches(tmp_path_factory):
    from tools.book.serve import server

    folder = tmp_path_factory.mktemp("layout")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield folder, f"http://127.0.0.1:{pages.server_port}"
    pages.shutdown()


def framed(page, width):
    height, column = VIEWS[width]
    page.set_viewport_size({"width": width, "height": height})
    page.evaluate("column => document.documentElement.style.setProperty('--column', `${column}px`)", column)
    drawn(page)


@pytest.mark.parametrize("face", sorted(richest()))
def test_a_dial_and_its_picture_are_seen_together(browser, benches, face):
    folder, address = benches
    room = face.replace(" ", "_")
    bench(folder / room, [richest()[face]])
    with opened(browser, f"{address}/{room}/page.html", wait=False) as (page, _):
        page.add_style_tag(content=STYLE + AS_IN_THE_BOOK)
        page.evaluate(
            "document.querySelector('main').className = 'bd-article', "
            "document.body.prepend(Object.assign(document.createElement('div'), { className: 'bar' }))"
        )
        framed(page, 1280)
        page.locator(".course-widget").scroll_into_view_if_needed()
        page.wait_for_selector(".course-ui:not([aria-busy=true]) :is(button, input)")
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        page.evaluate(FIND)
        assert page.evaluate("layout.turned()") == []
        for width in VIEWS:
            framed(page, width)
            assert page.evaluate("layout.apart()") == [], width
            assert [page.evaluate("back => layout.hidden(back)", back) for back in (False, True)] == [[], []], width
            assert page.evaluate("layout.wide()") == [], width
            assert all(lines < (1.5 if width > 375 else 3.5) for lines in page.evaluate("layout.lines()")), width
        assert page.evaluate("layout.tall()") <= MOST * VIEWS[375][0]
        assert not page.evaluate("layout.below()")


def test_the_bench_has_the_book_s_widths(browser, site):
    with opened(browser, f"{site}chapters/03_transformer/explorer.html", wait=False) as (page, _):
        for width, (height, column) in VIEWS.items():
            page.set_viewport_size({"width": width, "height": height})
            bar, head, found = page.evaluate("""() => {
              const widget = document.querySelector(".course-widget");
              return [document.querySelector(".bd-header-article").offsetHeight,
                getComputedStyle(widget).getPropertyValue("--course-head"), widget.clientWidth];
            }""")
            assert found == column and bar == 16 * float(head.removesuffix("rem")) == (48 if width > 768 else 56)
