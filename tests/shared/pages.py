"""The book's pages, for tests and benchmarks, and a page opened in a browser with an ear to what goes wrong."""

from contextlib import contextmanager
from pathlib import Path
from weakref import WeakKeyDictionary

import pytest

from tools.book import contents

ROOT = Path(__file__).resolve().parents[2]
HANG = 60_000  # milliseconds after which a wait is given up: it only bounds a hang, and does not measure the machine


def listed() -> list[str]:
    """Every page of the table of contents, as a path below the built book."""
    return [f"{page}.html" for page in contents.pages()]


# Pages that stand for all: the title, each family of widgets, of figures and of cards, a lab. What a page's own kind of
# content can break is asked of them in each run, and of every page in the weekly one.
SOME = [
    "book/index.html",
    "chapters/02_attention/bottleneck.html",
    "chapters/03_transformer/journey.html",
    "chapters/03_transformer/explorer.html",
    "chapters/04_memoryless/training.html",
    "chapters/05_universality/measures.html",
    "labs/transformer.html",
]


def of_all(pages: list[str]) -> list:
    """These pages as parameters of a test: those beside `SOME` are for the weekly run."""
    return [pytest.param(page, marks=[] if page in SOME else pytest.mark.weekly) for page in pages]


def context_of(browser, **options):
    """A browser's context of its own, patient with a slow machine."""
    context = browser.new_context(**options)
    context.set_default_timeout(HANG)
    return context


# browser → a page that waits for its next reader: another context each time takes as long as the book's pages take to
# load
KEPT = WeakKeyDictionary()


def stays(*_: object, **__: object) -> None:
    raise AssertionError("this would stay with a page that goes on to the next reader: open it with fresh=True")


@contextmanager
def visitor(browser, scheme: str, width: int, fresh: bool):
    """A blank page of somebody who has never been here, without motion. `fresh`: in a context that nobody has used, and
    nobody will: only there a test may add a script, answer a request or set the clock."""
    page = None if fresh else KEPT.pop(browser, None)
    if page is None:
        page = context_of(
            browser, viewport={"width": width, "height": 900}, color_scheme=scheme, reduced_motion="reduce"
        ).new_page()
    else:
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(media="screen", color_scheme=scheme, reduced_motion="reduce")
    if not fresh:
        page.add_init_script = page.route = stays
    try:
        yield page
        if not fresh:
            clock = page.evaluate("localStorage.clear(), sessionStorage.clear(), String(Date.now)")
            assert "native code" in clock or stays()
            page.goto("about:blank")
            page.mouse.move(-1, -1)  # it would lie on something of the next page
            KEPT[browser] = page
    finally:
        if KEPT.get(browser) is not page:  # fresh, or its test has failed
            page.context.close()


@contextmanager
def listening(page, events: dict):
    """Each event's function is called while this is open."""
    for name, act in events.items():
        page.on(name, act)
    try:
        yield
    finally:
        for name, act in events.items():
            page.remove_listener(name, act)


@contextmanager
def opened(
    browser,
    address: str,
    *,
    scheme: str = "light",
    width: int = 1280,
    wait: bool = True,
    asked: set[str] | None = None,
    fresh: bool = False,
):
    """A page and the list of its troubles: console errors, failed or outside requests. Both grow while it is open; so
    does `asked`, the addresses of all it asked for. Nobody has been there before; `fresh` where what a test does to the
    page's context would stay with it."""
    home, troubles = address.split("/", 3)[:3], []

    def on_request(request):
        if outside(request.url, home):
            troubles.append(f"outside: {request.url}")
        if asked is not None:
            asked.add(request.url)

    events = {
        "console": lambda message: troubles.append(message.text) if message.type == "error" else None,
        "pageerror": lambda error: troubles.append(str(error)),
        # What was on its way when its page was left is aborted: that is nobody's fault.
        "requestfailed": lambda request: (
            troubles.append(f"failed: {request.url}") if request.failure != "net::ERR_ABORTED" else None
        ),
        "request": on_request,
        "response": lambda reply: troubles.append(f"{reply.status}: {reply.url}") if reply.status >= 400 else None,
    }
    with visitor(browser, scheme, width, fresh) as page, listening(page, events):
        page.goto(address)
        if wait:
            started(page)
            complete(page)
        yield page, troubles


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


def outside(url: str, home: list[str]) -> bool:
    scheme = url.split(":", 1)[0]
    return scheme not in {"data", "blob"} and url.split("/", 3)[:3] != home


def scroll_through(page) -> None:
    """Uncover what waits for a prediction, bring every figure near once and wait until it is drawn."""
    page.evaluate("document.querySelectorAll('.course-cover button:first-of-type').forEach(button => button.click())")
    for figure in page.locator(".course-plotly").all():
        figure.scroll_into_view_if_needed()
        page.wait_for_function("box => box.dataset.ready", arg=figure.element_handle())


# ------------------------------------------------------------------------------------- waiting, on any machine
# A page's own clock tells when: what it does later than a wait of fixed length, it does on a slow machine.
FRAMES = (
    "const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => "
    "setTimeout(done))));"
)
PAUSE = 1000  # milliseconds: longer than any widget waits before it speaks or writes the address
RESIZE = 150  # milliseconds: longer than plotly waits before it draws for another width


def drawn(page) -> None:
    """Wait until what was just done is on the screen: a widget draws once, before the next frame."""
    page.evaluate(f"() => {{ {FRAMES} return drawn(); }}")


def rested(page, pause: int = PAUSE) -> None:
    """Wait until the page takes the reader to be at rest: its words are spoken, its address is written.

    By a timer in the page, which cannot ring before the shorter ones that were set before it.
    """
    page.evaluate(
        f"async () => {{ {FRAMES} await drawn(); await new Promise((done) => setTimeout(done, {pause})); await "
        f"drawn(); }}"
    )


def glided(page) -> None:
    """Wait until no colour is on its way to another: one that has come may set out others, which inherit it.

    It asks frame by frame: Chromium may list a transition that is over for ever, and never keep the promise of its end.
    """
    page.evaluate(f"""async () => {{
      {FRAMES}
      const moving = () => document.getAnimations().some((each) => each instanceof CSSTransition &&
        each.playState === "running");
      const end = performance.now() + {HANG};
      for (await drawn(); moving(); await drawn()) if (performance.now() > end) throw Error("colours do not come to \
rest");
    }}""")


def sized(page, width: int) -> None:
    """Make the window so wide, and wait until what depends on its width stands in its place and is drawn anew.

    The theme lets its side bar glide: a figure that is drawn meanwhile has a width of the way, and is told again at the
    end.
    """
    page.set_viewport_size({"width": width, "height": 900})
    glided(page)
    page.evaluate("dispatchEvent(new Event('resize'))")
    rested(page, RESIZE)


def lettered(page, size: int) -> None:
    """Set the browser's own letters, 16 pixels unless its reader wants others; until the page is left."""
    session = page.context.new_cdp_session(page)
    session.send("Page.setFontSizes", {"fontSizes": {"standard": size, "fixed": size * 13 // 16}})
    session.detach()


def in_scheme(page, scheme: str) -> None:
    """Let the reader's system turn light or dark, and wait until the book has followed."""
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.wait_for_function("scheme => document.documentElement.dataset.theme === scheme", arg=scheme)
    glided(page)


def stands(page, value: str, milliseconds: int = 1300):
    """Wait until a value, in JavaScript, has been the same for so long, and give it. One that never stands still
    fails."""
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
