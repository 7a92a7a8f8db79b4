"""The way from a page to its notebook, and to a report of an error, in the built book: by keyboard, on a phone, from a
file."""

import json
import re
from urllib.parse import parse_qs, urlparse

import pytest

from tests.shared.pages import context_of, drawn, opened
from tools.book import crossrefs, launch
from tools.notebooks import first_cell
from tools.repository import ROOT, Repository

pytestmark = pytest.mark.browser
LAB = "labs/gaussian_attention"


def markdown(notebook) -> str:
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


@pytest.fixture(scope="module")
def rendered():
    """Every page with code, rendered for a known address."""
    known, found = Repository("https://github.com/Someone/attention"), crossrefs.places()
    pages = [path for path in first_cell.stored() if "solutions" not in path.parts]
    return known.pages, {
        path.relative_to(ROOT).with_suffix("").as_posix(): markdown(launch.rendered(path, known, found))
        for path in pages
    }


def test_the_site_carries_every_notebook(book):
    for path in first_cell.stored():
        assert (book / "_static/notebooks" / path.relative_to(ROOT)).exists()
    assert not (book / "_sources").exists()


def test_theorems_have_the_numbers_of_the_book(book, rendered):
    counted = 0
    for page, text in rendered[1].items():
        built = (book / f"{page}.html").read_text()
        wanted = re.findall(r'admonition-title"><span class="caption-number">(\w+ [\d.]+)', built)
        assert (
            re.findall(r"^\*\*((?:Theorem|Lemma|Proposition|Corollary|Definition) [\d.]+)\*\*", text, re.M) == wanted
        ), page
        counted += len(wanted)
    assert counted > 100


def test_links_into_the_published_book_find_their_place(book, rendered):
    pages, texts = rendered
    seen = {address for text in texts.values() for address in re.findall(rf"\]\({re.escape(pages)}([^)\s]+)", text)}
    for address in seen:
        page, _, place = address.partition("#")
        assert not place or f'id="{place}"' in (book / page).read_text(), address
    assert len(seen) > 100


@pytest.mark.parametrize("width", [375, 1280])
def test_the_button_works_by_keyboard(browser, site, book, width):
    with opened(browser, f"{site}{LAB}.html", width=width, wait=False) as (page, troubles):
        button = page.get_by_role("button", name="Run or download this page")
        button.focus()
        page.keyboard.press("Enter")
        link = page.get_by_role("link", name="Download notebook")
        link.wait_for()
        drawn(page)
        for element in (button, link):
            box = element.bounding_box()
            assert box["x"] >= 0 and box["x"] + box["width"] <= width
        page.keyboard.press("ArrowDown")
        assert page.evaluate("document.activeElement.textContent") in {"Download notebook", "Run in the browser"}
        with page.expect_download() as download:
            link.press("Enter")
        assert download.value.suggested_filename == "gaussian_attention.ipynb"
        assert json.loads(download.value.path().read_text())["cells"][0]["id"] == "course-note"
        assert page.get_by_role("link", name="Open in Colab").count() == 0 or Repository.from_environment().known
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        assert not troubles


@pytest.mark.parametrize("at", ["site", "file"])
def test_a_report_is_filled_in_and_copied(browser, site, book, at):
    start = site if at == "site" else book.as_uri() + "/"
    context = context_of(browser, viewport={"width": 375, "height": 800})
    page = context.new_page()
    try:
        if at == "site":
            context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.goto(f"{start}book/how_to_read.html?explorer.d=8&explorer.h=2&q=x#the-labs")
        page.get_by_role("link", name="Report an error on this page").click()
        page.wait_for_url("**/report.html?*")
        assert "book/how_to_read.html#the-labs" in page.get_by_label("Page and section").input_value()
        page.get_by_label("What stands there").fill("2 + 2 = 5")
        page.get_by_label("What it should be").fill("4")
        text = page.get_by_label("Your report").input_value()
        assert "2 + 2 = 5" in text and f"version {first_cell.version()}" in text and "how_to_read.html#the-labs" in text
        assert "Settings of the figures: explorer.d=8, explorer.h=2\n" in text and re.search(
            r"Browser: Mozilla.*, 375 × 800, light", text
        )
        page.get_by_role("button", name="Copy the report").press("Enter")
        page.get_by_role("status").get_by_text(re.compile("opied")).wait_for()
        if at == "site":
            assert page.evaluate("navigator.clipboard.readText()") == text
        assert page.evaluate("document.documentElement.scrollWidth") <= 375
    finally:
        context.close()


def test_the_section_being_read_is_named(browser, site):
    with opened(browser, f"{site}book/how_to_read.html", wait=False) as (page, _):
        section = page.locator("article section section[id]").nth(1)
        section.locator("h2, h3").first.evaluate("heading => heading.scrollIntoView({behavior: 'instant'})")
        page.wait_for_function("document.querySelector('[data-course-report]').dataset.read")
        link = page.get_by_role("link", name="Report an error on this page")
        link.evaluate("link => link.addEventListener('click', event => event.preventDefault())")
        link.dispatch_event("click")
        place = parse_qs(urlparse(link.get_attribute("href")).query)["page"][0]
        assert place.endswith(f"book/how_to_read.html#{section.get_attribute('id')}")
