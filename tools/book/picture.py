"""The README's picture: a screenshot of the built title page. `python -m tools.book.picture` after `make html`."""

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.conftest import CHROMIUM_NAMES, QUIET

ROOT = Path(__file__).resolve().parents[2]

if __name__ == "__main__":
    with sync_playwright() as playwright:
        path = next(filter(None, map(shutil.which, CHROMIUM_NAMES)))
        page = playwright.chromium.launch(executable_path=path, args=QUIET).new_page(viewport={"width": 1280, "height": 1080})
        page.goto((ROOT / "_build/html/book/index.html").as_uri())
        page.wait_for_selector("html[data-course-ready]")
        page.screenshot(path=ROOT / "book/images/title.png")
