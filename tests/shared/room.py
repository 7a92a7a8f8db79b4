"""A widget's page in a browser: served on this machine, its root's attributes, its theme, its barriers, its targets for a finger."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from axe_playwright_python.sync_playwright import Axe

from tests.shared.pages import glided
from tests.shared.widget_page import widget_page

WCAG = {"runOnly": {"type": "tag", "values": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}}
# The shorter side of all that a finger may want to meet; what is hidden wants nothing.
SIDES = "all => all.filter(x => x.checkVisibility()).map(x => x.getBoundingClientRect()).map(({ width, height }) => Math.min(width, height))"


@contextmanager
def served(folder: Path, *widgets: object) -> Iterator[str]:
    """The address of a page with these widgets."""
    from tools.book.serve import server

    widget_page(folder, list(widgets))
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def holds(page, root: str, **state: object) -> None:
    """Wait until the widget's root has these attributes."""
    for name, value in state.items():
        asked = [root, name, str(value)]
        page.wait_for_function("([root, name, value]) => document.querySelector(root).dataset[name] === value", arg=asked)


def barriers(page, scheme: str, root: str = ".course-ui") -> list:
    """What axe finds in a light or dark page."""
    page.evaluate("scheme => { document.documentElement.dataset.theme = scheme }", scheme)
    page.wait_for_selector(f"{root}[data-course-theme={scheme}]")
    glided(page)
    found = Axe().run(page, context=root, options=WCAG).response["violations"]
    return [(each["id"], each["nodes"][0]["html"][:80]) for each in found]
