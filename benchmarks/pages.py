"""What the published pages weigh and how fast they answer. `make benchmarks`

    page weight       bytes, gzipped as a server would send them, of every file fetched before the first interaction
    slider to paint   from an `input` event to the end of the handler, and on to drawing and layout; median of many events
    build time        cold (from nothing) and warm (nothing changed)

Bars: at most 400 kB a page; handler and drawing together at most 8 ms in the median.
"""

import gzip
import shutil
import statistics
import sys
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import unquote, urlparse

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests")]

from build import build  # noqa: E402
from pages import listed  # noqa: E402
from serve import server  # noqa: E402

from conftest import CHROMIUM_NAMES, QUIET  # noqa: E402

LIMIT_KB, LIMIT_MS = 400, 8
# the work alone: requestAnimationFrame callbacks are collected and run at once, so that waiting for a frame is not counted
COUNTED = """(events) => {
  const slider = document.querySelector(".abh .course-slider input"), times = [], wait = window.requestAnimationFrame;
  let queue = [];
  window.requestAnimationFrame = (callback) => queue.push(callback);
  for (let i = 0; i < events; i++) {
    slider.value = +slider.min + (i % 50) / 50 * (slider.max - slider.min);
    const begun = performance.now();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
    const now = queue; queue = [];
    now.forEach((callback) => callback(begun));
    document.querySelector(".abh").getBoundingClientRect();
    times.push(performance.now() - begun);
  }
  window.requestAnimationFrame = wait;
  return times;
}"""


def weight(folder: Path, urls: set[str]) -> int:
    """Bytes of the files behind the urls: text gzipped, fonts and images as they are."""
    total = 0
    for url in urls:
        path = folder / unquote(urlparse(url).path).lstrip("/")
        path = path / "index.html" if path.is_dir() else path
        data = path.read_bytes()
        total += len(data) if path.suffix in {".woff2", ".png"} else len(gzip.compress(data, 6, mtime=0))
    return total


def main() -> int:
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cold", "warm"):
            begun = time.perf_counter()
            html = build(Path(folder))
            times[name] = time.perf_counter() - begun
        pages = server(html)
        threading.Thread(target=pages.serve_forever, daemon=True).start()
        home = f"http://127.0.0.1:{pages.server_port}/"
        over = False
        with sync_playwright() as playwright:
            path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)))
            chromium = playwright.chromium.launch(executable_path=path, args=QUIET)
            print(f"{'page':<48} kB gzipped before interaction")
            for page_path in listed():
                page, urls = chromium.new_page(viewport={"width": 1280, "height": 900}), set()
                page.on("requestfinished", lambda request, urls=urls: urls.add(request.url) if request.url.startswith(home) else None)
                page.goto(home + page_path)
                page.wait_for_timeout(1500)
                kilobytes = weight(html, urls) / 1000
                over |= kilobytes > LIMIT_KB
                print(f"{page_path:<48} {kilobytes:6.0f}{'  over the bar' if kilobytes > LIMIT_KB else ''}")
                page.close()
            page = chromium.new_page(viewport={"width": 1280, "height": 900})
            page.goto(home + "chapters/03_transformer/06_temperature.html")
            page.wait_for_selector("html[data-course-ready]")
            counted = page.evaluate(COUNTED, 300)[50:]
            median = statistics.median(counted)
            over |= median > LIMIT_MS
            print(f"slider to paint: median {median:.1f} ms, 95th percentile {statistics.quantiles(counted, n=20)[-1]:.1f} ms (bar {LIMIT_MS} ms)")
            chromium.close()
        pages.shutdown()
    print(f"build: cold {times['cold']:.1f} s, warm {times['warm']:.1f} s")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
