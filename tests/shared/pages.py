"""The book's pages, for tests and benchmarks, and a page opened in a browser with an ear to what goes wrong."""

from contextlib import contextmanager
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
HANG = 60_000  # milliseconds after which a wait is given up: it only bounds a hang, and does not measure the machine


def listed() -> list[str]:
    """Every page of the table of contents, as a path below the built book."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    chapters = [chapter["file"] for part in toc["parts"] for chapter in part["chapters"]]
    return [f"{page}.html" for page in [toc["root"], *chapters]]


def context_of(browser, **options):
    """A browser's context of its own, patient with a slow machine."""
    context = browser.new_context(**options)
    context.set_default_timeout(HANG)
    return context


@contextmanager
def opened(browser, address: str, *, scheme: str = "light", width: int = 1280, wait: bool = True, asked: set[str] | None = None):
    """A page and the list of its troubles: console errors, failed or outside requests. Both grow while it is open; so does `asked`,
    the addresses of all it asked for."""
    context = context_of(browser, viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce")
    page, troubles = context.new_page(), []
    home = address.split("/", 3)[:3]
    page.on("console", lambda message: troubles.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: troubles.append(str(error)))
    # What was on its way when its page was left is aborted: that is nobody's fault.
    page.on("requestfailed", lambda request: troubles.append(f"failed: {request.url}") if request.failure != "net::ERR_ABORTED" else None)
    page.on("request", lambda request: troubles.append(f"outside: {request.url}") if outside(request.url, home) else None)
    if asked is not None:
        page.on("request", lambda request: asked.add(request.url))
    page.on("response", lambda reply: troubles.append(f"{reply.status}: {reply.url}") if reply.status >= 400 else None)
    try:
        page.goto(address)
        if wait:
            started(page)
            complete(page)
        yield page, troubles
    finally:
        context.close()


def started(page) -> None:
    """Wait until the page's widgets answer."""
    if page.locator("script[type='application/vnd.jupyter.widget-view+json']").count():
        page.wait_for_selector("html[data-course-ready]")


def complete(page) -> None:
    """Wait for large data too, which come when their widget comes near."""
    for widget in page.locator(".course-widget[data-waits]").all():
        widget.scroll_into_view_if_needed()
        page.wait_for_function("!document.querySelector('.course-widget[data-waits]')")
        page.evaluate("scrollTo(0, 0)")


def inaccessible(page, scheme: str | None = None, context: str | None = None) -> list:
    """What axe finds wrong, [rule, elements], in one part or all of a page, turned light or dark first where a scheme is given."""
    from axe_playwright_python.sync_playwright import Axe

    if scheme:
        page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
        page.wait_for_function("scheme => [...document.querySelectorAll('.course-ui')].every(root => root.dataset.courseTheme === scheme)", arg=scheme)
    rules = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
    found = Axe().run(page, context=context, options=rules).response["violations"]
    return [(each["id"], [node["html"][:160] for node in each["nodes"]][:3]) for each in found]


def small_targets(widget, kinds: str = "button:visible, input:visible, select:visible") -> list[str]:
    """The targets, by their text, that are smaller than a finger needs: 24 pixels."""
    return widget.locator(kinds).evaluate_all(
        "all => all.filter(node => { const box = node.getBoundingClientRect(); return box.width < 24 || box.height < 24; }).map(node => node.outerHTML.slice(0, 100))"
    )


def outside(url: str, home: list[str]) -> bool:
    scheme = url.split(":", 1)[0]
    return scheme not in {"data", "blob"} and url.split("/", 3)[:3] != home


def scroll_through(page) -> None:
    """Bring every figure near once and wait until it is drawn."""
    for figure in page.locator(".course-plotly").all():
        figure.scroll_into_view_if_needed()
        page.wait_for_function("box => box.dataset.ready", arg=figure.element_handle())


# ------------------------------------------------------------------------------------- waiting, on any machine
# A page's own clock tells when: what it does later than a wait of fixed length, it does on a slow machine.
FRAMES = "const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done))));"
PAUSE = 1000  # milliseconds: longer than any widget waits before it speaks or writes the address


def drawn(page) -> None:
    """Wait until what was just done is on the screen: a widget draws once, before the next frame."""
    page.evaluate(f"() => {{ {FRAMES} return drawn(); }}")


def rested(page) -> None:
    """Wait until the page takes the reader to be at rest: its words are spoken, its address is written.

    By a timer in the page, which cannot ring before the shorter ones that were set before it.
    """
    page.evaluate(f"async () => {{ {FRAMES} await drawn(); await new Promise((done) => setTimeout(done, {PAUSE})); await drawn(); }}")


def glided(page) -> None:
    """Wait until no colour is on its way to another: one that has come may set out others, which inherit it.

    It asks frame by frame: Chromium may list a transition that is over for ever, and never keep the promise of its end.
    """
    page.evaluate(f"""async () => {{
      {FRAMES}
      const moving = () => document.getAnimations().some((each) => each instanceof CSSTransition && each.playState === "running");
      const end = performance.now() + {HANG};
      for (await drawn(); moving(); await drawn()) if (performance.now() > end) throw Error("colours do not come to rest");
    }}""")


def stands(page, value: str, milliseconds: int = 1300):
    """Wait until a value, in JavaScript, has been the same for so long, and give it. One that never stands still fails."""
    return page.evaluate(
        """([value, milliseconds, hang]) => new Promise((done, fail) => {
             const read = new Function(`return ${value}`), end = performance.now() + hang;
             let last = read(), since = performance.now();
             const look = () => {
               const here = read(), now = performance.now();
               if (here !== last) [last, since] = [here, now];
               if (now - since >= milliseconds) done(last);
               else if (now > end) fail(Error(`${value} does not stand still: ${here}`));
               else setTimeout(look, 20);
             };
             look();
           })""",
        [value, milliseconds, HANG],
    )


def passes(page, moment: str):
    """Have the page itself watch for a moment, in JavaScript; gives a function that waits for it and gives its value.

    For what may be over before a test on a slow machine looks. The moment may act, too: `… && (….click(), …)`.
    """
    page.evaluate(
        """moment => {
             const now = new Function(`return ${moment}`), watcher = new MutationObserver(look);
             function look() { if (globalThis.passed = now()) watcher.disconnect(); }
             watcher.observe(document, { attributes: true, childList: true, characterData: true, subtree: true });
             look();
           }""",
        moment,
    )
    return lambda: page.wait_for_function("globalThis.passed").json_value()


def pausing(page, root: str, moment: str):
    """`passes` at the first moment, in JavaScript of `data`, the attributes of the widget `root`, at which it plays; then it is paused."""
    return passes(
        page,
        f"""(root => {{
          const data = root.dataset, pause = [...root.querySelectorAll("button")].find(each => each.textContent === "Pause");
          return pause && ({moment}) && (pause.click(), data.step);
        }})(document.querySelector("{root}"))""",
    )
