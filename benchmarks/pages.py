"""What the published pages weigh and how fast they answer. `make benchmarks`

    page weight       bytes, gzipped as a server would send them, of every file fetched before the first interaction
    paint, ready      milliseconds to the first content, and until every widget near the screen answers; medians of
                      three visits
    shift             how much the layout jumps over the last of them, scrolled through (cumulative layout shift)
    slider to paint   from an `input` event to the end of the handler, and on to drawing and layout; median of many
                      events
    build time        cold (from nothing) and warm (nothing changed)

Bars: at most 400 kB a page, 1 s to its first content, 2 s until it answers, 0.1 of shift; handler and drawing together
at most 8 ms in the median.
"""

import statistics
import sys
import tempfile
import time
from pathlib import Path

from tests.shared.pages import listed
from tests.shared.vitals import LIMIT_KB, LIMIT_PAINT, LIMIT_READY, LIMIT_SHIFT, visited, vitals, weight
from tools.book.build import build
from tools.book.printing import printer

LIMIT_MS, VISITS = 8, 3
BARS = {"kB": LIMIT_KB, "paint": LIMIT_PAINT, "ready": LIMIT_READY, "shift": LIMIT_SHIFT}
# the work alone: requestAnimationFrame callbacks are collected and run at once, so that waiting for a frame is not
# counted
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


def costs(chromium, html: Path, home: str, page_path: str) -> dict[str, float]:
    """Medians of three visits to one page, each with an empty cache; the last one is scrolled through."""
    visits = []
    for number in range(1, VISITS + 1):
        with visited(chromium, home, page_path) as (page, urls):
            page.wait_for_timeout(500)
            kilobytes = weight(html, set(urls)) / 1000  # before the reader scrolls
            visits.append({"kB": kilobytes} | vitals(page, scroll=number == VISITS))
    return {name: statistics.median(visit[name] for visit in visits) for name in ("kB", "paint", "ready")} | {
        "shift": visits[-1]["shift"]
    }


def main() -> int:
    times = {}
    with tempfile.TemporaryDirectory() as folder:
        for name in ("cold", "warm"):
            begun = time.perf_counter()
            html = build(Path(folder))
            times[name] = time.perf_counter() - begun
        over = False
        with printer(html) as (home, chromium):
            print(f"{'page':<52}{'kB':>5}{'paint':>8}{'ready':>8}{'shift':>8}")
            for page_path in listed():
                found = costs(chromium, html, home, page_path)
                beyond = [name for name, bar in BARS.items() if found[name] > bar]
                over |= bool(beyond)
                words = f"  over the bar: {', '.join(beyond)}" if beyond else ""
                print(
                    f"{page_path:<52}{found['kB']:5.0f}{found['paint']:8.0f}"
                    f"{found['ready']:8.0f}{found['shift']:8.3f}{words}",
                    flush=True,
                )
            page = chromium.new_page(viewport={"width": 1280, "height": 900})
            page.goto(home + "chapters/03_transformer/temperature.html")
            page.wait_for_selector("html[data-course-ready]")
            counted = page.evaluate(COUNTED, 300)[50:]
            median = statistics.median(counted)
            over |= median > LIMIT_MS
            print(
                f"slider to paint: median {median:.1f} ms, 95th percentile "
                f"{statistics.quantiles(counted, n=20)[-1]:.1f} ms (bar {LIMIT_MS} ms)"
            )
    print(f"build: cold {times['cold']:.1f} s, warm {times['warm']:.1f} s")
    return int(over)


if __name__ == "__main__":
    sys.exit(main())
