"""How high each widget stands, on a desk and on a phone: the built book keeps so much room for it until it has started.

    python -m tools.book.heights HTML     visit the built book's pages, write book/data/heights.json      (make heights)

Of a widget that stands in several places the median counts. Cards differ too much: course.css keeps a little for each.
"""

import json
import statistics
import sys
from collections import defaultdict
from pathlib import Path

from playwright.sync_api import sync_playwright

from tools.book.printing import QUIET, chromium_path

ROOT = Path(__file__).resolve().parents[2]
STORED = ROOT / "book" / "data" / "heights.json"
WIDTHS = (1200, 375)
BOXES = ".course-widget:not([data-widget=ExerciseWidget], [data-widget=PredictionWidget], [data-needs=kernel])"


def heights(html: Path) -> dict[str, list[int]]:
    """Widget → its height in pixels at each of WIDTHS."""
    found = defaultdict(lambda: tuple([] for _ in WIDTHS))
    pages = [
        path
        for path in sorted(html.glob("chapters/*/*.html"))
        if 'class="course-widget"' in path.read_text(encoding="utf-8")
    ]
    with (
        sync_playwright() as playwright,
        playwright.chromium.launch(executable_path=chromium_path(), args=QUIET) as browser,
    ):
        for path in pages:
            for i, width in enumerate(WIDTHS):
                page = browser.new_page(viewport={"width": width, "height": 900})
                page.goto(path.as_uri())
                for box in page.locator(BOXES).all():
                    box.scroll_into_view_if_needed()
                    page.wait_for_function(
                        "box => box.dataset.ready && !box.querySelector('[aria-busy=true]')", arg=box.element_handle()
                    )
                    found[box.get_attribute("data-widget")][i].append(round(box.bounding_box()["height"]))
                page.close()
    return {name: [round(statistics.median(each)) for each in lists] for name, lists in sorted(found.items())}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    STORED.write_text(json.dumps(heights(Path(sys.argv[1])), indent=1) + "\n", encoding="utf-8")
