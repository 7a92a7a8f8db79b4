"""What a visit to a page costs: bytes, first paint, the moment everything answers, and how much the layout jumps.

For tests (bytes and jumps, which do not depend on the machine) and for `benchmarks/pages.py` (times too).
"""

import gzip
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from urllib.parse import unquote, urlparse

from tests.shared.pages import context_of

LIMIT_KB = 400  # gzipped, before the first interaction
LIMIT_ASKED = 25  # requests before the first interaction; a kind of card brings its own script
MORE_ASKED = {"chapters/02_attention/bottleneck.html": 8}  # its two translators and their sentences come one by one
LIMIT_SHIFT = 0.1  # cumulative layout shift over a whole visit, scrolled through; the web's own bar
LIMIT_PAINT, LIMIT_READY = 1000, 2000  # milliseconds, for the benchmark
SQUEEZED = {".woff2", ".png"}

# Runs before the page's own scripts. Shifts are summed over the whole visit, those after a reader's own input apart:
# stricter than the published measure, which takes the worst five seconds.
OBSERVE = """
window.__vitals = { shift: 0, shifts: [], ready: null };
const seen = (type, act) => new PerformanceObserver((list) => list.getEntries().forEach(act)).observe({ type,
  buffered: true });
seen("layout-shift", (entry) => {
  if (entry.hadRecentInput) return;
  __vitals.shift += entry.value;
  __vitals.shifts.push([Math.round(entry.startTime), entry.value.toFixed(3), ...entry.sources.slice(0,
    3).map((source) => {
    const node = source.node?.nodeType === 1 ? source.node : source.node?.parentElement;
    return node ? `${node.tagName}.${node.className} \
${source.previousRect.y}+${source.previousRect.height}→${source.currentRect.y}+${source.currentRect.height}` : "gone";
  })]);
});
new MutationObserver((_, watcher) => {
  if (!document.documentElement?.dataset.courseReady) return;
  __vitals.ready = performance.now();
  watcher.disconnect();
}).observe(document, { attributes: true, subtree: true, attributeFilter: ["data-course-ready"] });
"""
READ = """() => {
  const paint = performance.getEntriesByName("first-contentful-paint")[0]?.startTime ?? null;
  const load = performance.getEntriesByType("navigation")[0].loadEventEnd;
  return { paint, ready: __vitals.ready ?? load, shift: __vitals.shift, shifts: __vitals.shifts };
}"""
# as a reader who turns the page: a screen at a time, with time to draw
SCROLL = """async (pause) => {
  const wait = (ms) => new Promise((done) => setTimeout(done, ms));
  for (let top = 0; top < document.documentElement.scrollHeight; top += innerHeight * 0.8) { scrollTo({ top,
    behavior: "instant" }); await wait(pause); }
  await wait(pause);
}"""


@cache
def bytes_sent(path: Path) -> int:
    """The size of a file as a server sends it: text gzipped, fonts and pictures as they are."""
    data = path.read_bytes()
    return len(data) if path.suffix in SQUEEZED else len(gzip.compress(data, 6, mtime=0))


def weight(folder: Path, urls: set[str]) -> int:
    """Bytes sent for the urls, which lie below the served `folder`."""
    total = 0
    for url in urls:
        path = folder / unquote(urlparse(url).path).lstrip("/")
        total += bytes_sent(path / "index.html" if path.is_dir() else path)
    return total


@contextmanager
def visited(
    browser, home: str, page_path: str, *, width: int = 1280, height: int = 900, routes: dict | None = None, before=None
):
    """A page that is loaded and alive, and the set of addresses below `home` that it fetched (it grows while open).
    `before(page)` comes first."""
    context = context_of(browser, viewport={"width": width, "height": height}, reduced_motion="reduce")
    context.add_init_script(OBSERVE)
    page, urls = context.new_page(), set()
    for pattern, act in (routes or {}).items():
        page.route(pattern, act)
    page.on("request", lambda request: urls.add(request.url) if request.url.startswith(home) else None)
    try:
        if before:
            before(page)
        page.goto(home + page_path)
        if page.locator("script[type='application/vnd.jupyter.widget-view+json']").count():
            page.wait_for_selector("html[data-course-ready]")
        yield page, urls
    finally:
        context.close()


def vitals(page, *, scroll: bool = False, pause: int = 150) -> dict:
    """`paint` and `ready` in milliseconds since the visit began, `shift` summed, `shifts` with what moved."""
    if scroll:
        page.evaluate(SCROLL, pause)
    page.wait_for_timeout(pause)
    return page.evaluate(READ)
