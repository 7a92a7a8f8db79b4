"""Print built pages with Chromium: text, figures, theorems and proofs in two columns, without code, predictions and
exercises, each widget once; everything drawn, folded proofs open, nothing wider than the paper. (A reader who prints a
page from the browser gets all of it.)
"""

import json
import os
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools.book.serve import server

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MAC_CHROME = "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"
# Without these Chromium calls home at every start
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync"]  # fmt: skip
PAPER = {
    "format": "A4",
    "margin": {"top": "18mm", "right": "16mm", "bottom": "20mm", "left": "16mm"},
    "print_background": True,
}
SCALE = 0.84  # makes all of a page smaller
WIDTH = int(672 / SCALE)  # CSS pixels between A4's margins, 178 mm at 96 pixels an inch
STYLE = (Path(__file__).parent / "reader.css").read_text(encoding="utf-8")
VIEW = "application/vnd.jupyter.widget-view+json"

# a page of the book does without letters that come late; paper waits for them
LETTERS = """(href) => new Promise((done) => {
  document.head.append(Object.assign(document.createElement("link"), { rel: "stylesheet", href, onload: done,
    onerror: done }));
})"""
DRAW = """async () => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  const drawn = (box) => box.matches(".course-plotly") ? box.dataset.ready : !box.dataset.waits &&
    !box.querySelector("[aria-busy=true]");
  for (const box of document.querySelectorAll(".course-plotly, .course-widget")) {
    box.scrollIntoView({ block: "center", behavior: "instant" });
    for (let i = 0; i < 1200 && !drawn(box); i++) await wait(50);
    if (!drawn(box)) throw Error(`not drawn: ${box.className} ${box.dataset.widget ?? ""}`);
    await wait(60);
  }
  await Promise.all([...document.fonts].map((face) => face.load().catch(() => null)));
  await document.fonts.ready;
}"""
# what was made smaller may draw itself anew: wait until nothing changes any more
STILL = """async () => {
  const seen = () => document.body.innerHTML;
  for (let before = "", same = 0; same < 3; ) {
    await new Promise((done) => setTimeout(done, 50));
    const now = seen();
    same = now === before ? same + 1 : 0;
    before = now;
  }
}"""
# what paper leaves out: exercises, predictions, and widgets that an earlier page shows; returns the names of those that
# stay
ONCE = """(shown) => {
  const drawn = new Set();
  for (const box of [...document.querySelectorAll("article .course-widget")]) {
    const name = box.dataset.widget;
    if (/^(Exercise|Prediction)/.test(name)) box.remove();
    else if (!shown[name] && !drawn.has(name)) drawn.add(name);
    else {
      const line = document.createElement("p");
      line.className = "course-alive";
      const where = shown[name] ? "in “" + shown[name] + "”" : "above";
      line.textContent = "The widget that stands here, with settings of its own, is shown " + where + ".";
      box.replaceWith(line);
    }
  }
  return [...drawn];
}"""
# under a figure that moves, where it moves; `live` is the page's public address or, while there is none, its path in
# the book
LIVE = """(live) => {
  const moves = (box) => box.matches(".course-widget") ? box.dataset.ready &&
    !/^(Exercise|Prediction)/.test(box.dataset.widget)
    : /"(sliders|updatemenus)":/.test(box.textContent);
  for (const box of [...document.querySelectorAll(".course-widget, .course-figure")].filter(moves)) {
    const near = box.closest("section[id]")?.id, address = live + (near ? `#${near}` : "");
    const line = document.createElement("p");
    line.className = "course-alive";
    line.append("Shown as it begins. Move it at ");
    const place = document.createElement(/^https?:/.test(live) ? "a" : "span");
    if (place.tagName === "A") place.href = address;
    place.textContent = address;
    line.append(place);
    box.after(line);
  }
}"""
# what would be cut: it sticks out of the paper, or hides a part of itself
CUT = """(width) => {
  const article = document.querySelector("article.bd-article"),
    edge = article.getBoundingClientRect().left + width + 2, found = [];
  const name = (el) => `${el.tagName.toLowerCase()}.${[...el.classList].join(".")} "${el.textContent.trim().slice(0, \
40)}"`;
  for (const el of article.querySelectorAll("p, pre, table, .katex-display .base, img, svg, canvas, .course-widget, \
.course-figure, .proof, .admonition")) {
    if (el.closest("details:not([open]), .course-hidden, .katex-mathml, [hidden], .main-svg") ||
      !el.getClientRects().length) continue;
    const box = el.getBoundingClientRect();
    if (box.right > edge && box.width > 1) found.push(`${name(el)} ends ${Math.round(box.right - edge)} px beyond the \
paper`);
  }
  for (const el of article.querySelectorAll("pre, .course-scroll, .cell_output, .katex-display, .course-figure"))
    if (getComputedStyle(el).overflowX !== "visible" && el.scrollWidth > el.clientWidth + 2) found.push(`${name(el)} \
hides ${el.scrollWidth - el.clientWidth} px`);
  return found;
}"""


def chromium_path() -> str:
    """Where a Chromium or Chrome of this system is. FileNotFoundError says what to install."""
    wanted = [os.environ.get("COURSE_CHROMIUM"), *map(shutil.which, NAMES), MAC_CHROME]
    path = next((each for each in wanted if each and Path(each).exists()), None)
    if path is None:
        raise FileNotFoundError("no Chromium found: install the package chromium (or Google Chrome)")
    return path


@contextmanager
def printer(book: Path, chromium=None):
    """The address of the served book and a Chromium; one that is given is used and left open."""
    pages = server(book)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    home = f"http://127.0.0.1:{pages.server_port}/"
    try:
        if chromium is not None:
            yield home, chromium
            return
        with sync_playwright() as playwright:
            own = playwright.chromium.launch(executable_path=chromium_path(), args=QUIET)
            yield home, own
            own.close()
    finally:
        pages.shutdown()


def print_page(chromium, home: str, path: str, live: str, shown: dict[str, str]) -> tuple[bytes, list[str]]:
    """The page as PDF, and what would be cut on paper: [] where everything fits.

    shown: widget → the title of the page that shows it; what this page shows is put in.
    """
    context = chromium.new_context(
        viewport={"width": WIDTH, "height": 1000}, color_scheme="light", reduced_motion="reduce"
    )
    context.add_init_script(
        "localStorage.setItem('course.cover', JSON.stringify('never'))"
    )  # on paper nothing is covered, and all is drawn
    context.add_init_script(
        f"addEventListener('DOMContentLoaded', () => "
        f"document.head.append(Object.assign(document.createElement('style'), {{ textContent: "
        f"{json.dumps(STYLE)} }})))"
    )
    page = context.new_page()
    page.set_default_timeout(60_000)
    page.emulate_media(
        media="print", color_scheme="light", reduced_motion="reduce"
    )  # before anything is drawn: a figure keeps the width that it found
    try:
        page.goto(home + path)
        page.evaluate(LETTERS, f"{home}_static/course/letters_folder.css")
        if page.locator(f"script[type='{VIEW}']").count():
            page.wait_for_selector("html[data-course-ready]")
        shown |= dict.fromkeys(page.evaluate(ONCE, shown), page.title().split(" — ")[0].strip())
        page.evaluate(DRAW)
        page.evaluate(LIVE, live)
        page.evaluate("() => __coursePrint.open()")
        page.evaluate(STILL)
        faults = page.evaluate("width => __coursePrint.fit(width)", WIDTH)
        page.evaluate(STILL)
        faults += page.evaluate(CUT, WIDTH)
        return page.pdf(**PAPER, scale=SCALE, outline=True, tagged=True), faults
    finally:
        context.close()


def print_html(chromium, html: str, **paper) -> bytes:
    """Any HTML as PDF: title page, contents, the page numbers to be stamped on the others."""
    context = chromium.new_context()
    page = context.new_page()
    try:
        page.set_content(html)
        return page.pdf(**(PAPER | paper))
    finally:
        context.close()
