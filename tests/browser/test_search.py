"""What somebody types, and the place that a search names first; the missing page searches too."""

import pytest

from tests.shared.barriers import barriers
from tests.shared.pages import opened

pytestmark = pytest.mark.browser
FIRST = {
    "W_Q": "book/notation.html#symbol-w-q-w-k-w-v",
    "d": "book/notation.html#symbol-d",
    "m": "book/notation.html#symbol-m",
    "√m": "chapters/03_transformer/04_scale.html",
    "τ": "book/notation.html#symbol-tau",
    "Theorem 3.3.2": "chapters/03_transformer/03_attention.html#thm-average",
    "an average stays inside": "chapters/03_transformer/03_attention.html#thm-average",
    "attention explorer": "chapters/03_transformer/09_explorer.html#explorer-widget",
    "lab: invent a score": "labs/02_attention_scores.html",
    "collo di bottiglia": "book/glossary.html#term-bottleneck",
    "It cannot be done Hammer": "book/index.html#attention-by-hand-what-we-found",
    "why divide": "chapters/03_transformer/04_scale.html",
    "S7": "book/ledger.html#ledger-S7",
    "l1.5": "book/ledger.html#ledger-L1.5",
}
WORK = "attention is all you need"  # its place in the bibliography has a number for a name
ASK = """async queries => { const entries = JSON.parse(await __course.load("finds"));
  return Object.fromEntries(queries.map(query => [query, (__course.find(entries, query)[0] ?? [])[3]])); }"""


def test_what_is_named_is_found_first(browser, book):
    """From a folder, as from a stick, where Sphinx's own list fetches its texts in vain."""
    with opened(browser, f"{book.as_uri()}/search.html?q=W_Q", wait=False) as (page, _):
        first = page.locator(".course-finds li a").first
        first.wait_for()
        assert page.evaluate(ASK, list(FIRST)) == FIRST
        assert page.evaluate(ASK, ["xylophone", "", "the"])["xylophone"] is None
        assert page.evaluate(ASK, [WORK])[WORK].startswith("book/bibliography.html#id")
        assert barriers(page, context=[[".course-finds"]]) == []
        first.press("Enter")
        page.wait_for_url("**/book/notation.html#symbol-w-q-w-k-w-v")


@pytest.mark.parametrize("width", [1280, 375])
def test_a_missing_page_searches_from_any_depth(browser, site, width):
    with opened(browser, f"{site}chapters/03_transformer/old/09_temperature.html", width=width, wait=False) as (page, troubles):
        page.locator(".course-finds li a").first.wait_for()
        field = page.get_by_label("Search the course", exact=True)
        assert field.input_value() == "temperature" and "temperature" in page.locator(".course-finds").inner_text().lower()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert barriers(page, context=[["article"]]) == []
        field.fill("beam search")
        field.press("Enter")
        page.wait_for_url("**/search.html?q=beam+search")
        page.locator(".course-finds li a").first.wait_for()
        assert not [trouble for trouble in troubles if not trouble.startswith(("404", "Failed to load resource"))]
        assert all("temperature" in trouble or "status of 404" in trouble for trouble in troubles), troubles


def test_a_word_that_every_object_has_is_a_word_like_others(browser, site):
    with opened(browser, f"{site}search.html?q=constructor", wait=False) as (page, troubles):
        over = "[...document.querySelectorAll('.search-summary')].every(said => /^(Search fin|Your)/.test(said.innerText))"
        page.wait_for_function(f"document.querySelector('.search-summary') && {over}")
        page.evaluate("for (const name of Object.getOwnPropertyNames(Object.prototype)) Search.performSearch(name)")
        page.wait_for_function(over)
        assert troubles == []
