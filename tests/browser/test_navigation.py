"""The published ways in: symbols that explain themselves, index, search, glossary."""

import re

import pytest
from course_book import navigation, symbols

from course_lib import SYMBOLS, __version__
from tests.shared.barriers import barriers
from tests.shared.pages import context_of, drawn, listed, opened, rested, started

pytestmark = pytest.mark.browser
ATTENTION = "chapters/03_transformer/attention.html"
# What somebody types, and a page (or its section) that must be among the answers
QUERIES = {
    "softmax": "attention", "perplexity": "next_word", "Bahdanau": "seven_steps", "attenzione": "glossary",
    "An average stays inside": "attention", "universality": "universality", "Vaswani": "ablation",
    "collo di bottiglia": "glossary", "BLEU": "bottleneck",
    "Marchenko": "spectra", "layer normalisation": "residual_norm", "byte-pair encoding": "journey",
    "Kullback": "glossary",
    "cross-entropy": "source", "beam search": "next_word", "push-forward": "measures",
    "teacher forcing": "sequence_to_sequence",
    "entropia incrociata": "glossary", "R-E7": "errata", "Stein": "stays_gaussian", "GRU": "recurrence",
    "positional encoding": "positions", "semicircle": "spectra", "Lavezzi": "bibliography",
}  # fmt: skip


# The page's own search, without drawing its answers
ASK = """queries => Object.fromEntries(queries.map(query =>
  [query, Search._performSearch(...Search._parseQuery(query)).map(answer => answer[0])]))"""


def test_search_finds_what_is_typed(browser, book):
    """From a folder, as from a stick: there the page may not fetch the texts, only ask the index."""
    with opened(browser, f"{book.as_uri()}/search.html?q=softmax", wait=False) as (page, _):
        page.wait_for_selector("#search-results li")
        answers = page.evaluate(ASK, list(QUERIES))
        assert {
            query: found[-5:] for query, found in answers.items() if not any(QUERIES[query] in each for each in found)
        } == {}
        assert page.evaluate(ASK, ["xylophone"]) == {"xylophone": []}


# What somebody types, and the place that a search names first
FIRST = {
    "W_Q": "book/notation.html#symbol-w-q-w-k-w-v",
    "d": "book/notation.html#symbol-d",
    "m": "book/notation.html#symbol-m",
    "√m": "chapters/03_transformer/scale.html",
    "τ": "book/notation.html#symbol-tau",
    "Theorem 3.3.2": "chapters/03_transformer/attention.html#thm-average",
    "an average stays inside": "chapters/03_transformer/attention.html#thm-average",
    "attention explorer": "chapters/03_transformer/explorer.html#explorer-widget",
    "lab: invent a score": "labs/attention_scores.html",
    "collo di bottiglia": "book/glossary.html#term-bottleneck",
    "It cannot be done Hammer": "book/index.html#attention-by-hand-what-we-found",
    "why divide": "chapters/03_transformer/scale.html",
    "L2.5": "book/ledger.html#ledger-L2.5",
    "l1.1": "book/ledger.html#ledger-L1.1",
}
WORK = "attention is all you need"  # its place in the bibliography has a number for a name
BEST = """async queries => { const entries = JSON.parse(await __course.load("finds"));
  return Object.fromEntries(queries.map(query => [query, (__course.find(entries, query)[0] ?? [])[3]])); }"""


def test_what_is_named_is_found_first(browser, book):
    """From a folder, as from a stick, where Sphinx's own list fetches its texts in vain."""
    with opened(browser, f"{book.as_uri()}/search.html?q=W_Q", wait=False) as (page, _):
        first = page.locator(".course-finds li a").first
        first.wait_for()
        assert page.evaluate(BEST, list(FIRST)) == FIRST
        assert page.evaluate(BEST, ["xylophone", "", "the"])["xylophone"] is None
        assert page.evaluate(BEST, [WORK])[WORK].startswith("book/bibliography.html#id")
        assert barriers(page, context=[[".course-finds"]]) == []
        first.press("Enter")
        page.wait_for_url("**/book/notation.html#symbol-w-q-w-k-w-v")


@pytest.mark.parametrize("width", [1280, 375])
def test_a_missing_page_searches_from_any_depth(browser, site, width):
    with opened(browser, f"{site}chapters/03_transformer/old/temperature.html", width=width, wait=False) as (
        page,
        troubles,
    ):
        page.locator(".course-finds li a").first.wait_for()
        field = page.get_by_label("Search the course", exact=True)
        assert (
            field.input_value() == "temperature" and "temperature" in page.locator(".course-finds").inner_text().lower()
        )
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
        over = (
            "[...document.querySelectorAll('.search-summary')].every(said => /^(Search fin|Your)/.test(said.innerText))"
        )
        page.wait_for_function(f"document.querySelector('.search-summary') && {over}")
        page.evaluate("for (const name of Object.getOwnPropertyNames(Object.prototype)) Search.performSearch(name)")
        page.wait_for_function(over)
        assert troubles == []


def test_a_symbol_says_what_it_means(browser, site):
    with opened(browser, site + ATTENTION) as (page, troubles):
        tip = page.locator(".course-symbol-tip")
        symbol = page.locator(
            "p .course-is-symbol-w-q-w-k-w-v .base:visible"
        ).first  # a formula may go over two lines, a piece of it does not
        symbol.hover()
        tip.wait_for()
        assert "queries, keys and values" in tip.inner_text() and "[h, d, m]" in tip.inner_text()
        tip.hover()  # the pointer may rest on it
        rested(page)  # longer than it stays where no pointer is
        assert tip.is_visible()
        page.keyboard.press("Escape")
        assert tip.is_hidden()
        symbol.hover(position={"x": 1, "y": 1})
        page.mouse.move(5, 5)
        tip.wait_for(state="hidden")
        symbol.click()  # as a tap does
        tip.wait_for()
        page.locator("article h1").first.click()
        tip.wait_for(state="hidden")
        # by keyboard: one stop, the box
        summary = page.locator(".course-symbols-here summary")
        summary.press("Enter")
        box = page.locator(".course-symbols-here")
        assert "the maps from tokens to queries, keys and values" in box.inner_text()
        links = box.locator("a").evaluate_all("links => links.map(link => link.href)")
        assert len(links) >= 8 and page.locator(".course-symbol[tabindex]").count() == 0
        page.goto(links[0])
        assert page.evaluate("document.querySelector(location.hash) !== null")
        assert troubles == []


@pytest.mark.parametrize("without", [pytest.param("none", id="letters"), pytest.param("woff2", id="no-letters")])
def test_a_symbol_is_explained_by_touch_on_a_phone(browser, site, without):
    """Also where neither letters nor icons came: then every button has its size all the same."""
    context = context_of(browser, viewport={"width": 375, "height": 700}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.route(f"**/*.{without}*", lambda route: route.abort())
    page.goto(site + ATTENTION)
    sizes = page.locator(".bd-header-article .btn:visible").evaluate_all(
        "all => all.map(each => each.getBoundingClientRect().width)"
    )
    assert len(sizes) >= 4 and min(sizes) >= 24
    page.locator(
        "p .course-is-symbol-w-q-w-k-w-v .base:visible"
    ).first.tap()  # the drawn piece: the first box of the whole is a hidden pixel
    tip = page.locator(".course-symbol-tip")
    tip.wait_for()  # the click of a tap comes after the finger
    place = tip.bounding_box()
    assert place["x"] >= 0 and place["x"] + place["width"] <= 375
    context.close()


# ----------------------------------------------------------------------------------------------------- the built pages
def test_letters_of_theorems_are_not_explained(book):
    """'Let P be a permutation matrix': there the table's P would be wrong."""
    text = (book / ATTENTION).read_text()
    assert (
        'class="course-symbol course-is-symbol-capital-q math"'
        not in re.search(r'id="thm-symmetric".*?</section>', text, re.S)[0]
    )
    marked = {name for page in listed() for name in re.findall(r"course-is-(symbol-[\w-]+)", (book / page).read_text())}
    assert len(marked) > 35 and marked <= {symbols.anchor(name) for name in SYMBOLS}
    notation = (book / "book/notation.html").read_text()
    assert all(f'id="{symbols.anchor(name)}"' in notation for name in SYMBOLS)


def test_the_index_has_terms_and_theorems(book):
    text = (book / "genindex.html").read_text()
    links = dict.fromkeys(re.findall(r'<a href="([^"]+)">', text))
    for name in ("perplexity", "perplessità", "An average stays inside", "Hessian"):
        assert name in text, name
    assert sum(link.startswith(("chapters/", "book/", "labs/")) for link in links) > 500
    ids = {}
    for link in links:
        page, _, anchor = link.partition("#")
        if page and anchor:
            ids.setdefault(page, set(re.findall(r'\bid="([^"]+)"', (book / page).read_text())))
            assert anchor in ids[page], link


def test_every_entry_of_the_glossary_leads_to_its_place(book):
    text = (book / "book/glossary.html").read_text()
    terms = navigation.terms()
    assert len(re.findall(r"<p>Italian: ", text)) == len(terms)
    for place in {term.place for term in terms}:
        assert re.search(rf'href="\.\./chapters/[^"]+#{place}"', text), place
    assert sum(len(term.italian) for term in terms) == len(re.findall(r'id="italian-', text))


def test_the_footer_names_the_version(book):
    assert f"Version {__version__}." in (book / ATTENTION).read_text()


@pytest.mark.parametrize("fold", ["l22-learning-proof", "sources-for-readers-of-the-sources"])
def test_a_link_to_a_fold_opens_it(browser, site, fold):
    with opened(browser, f"{site}chapters/02_attention/seven_steps.html#{fold}", fresh=True) as (page, troubles):
        page.wait_for_function("id => document.getElementById(id).open", arg=fold)
        assert page.locator("details.sd-dropdown[open]").count() == 1
        page.evaluate("location.hash = 'l22-watch-what-we-found'")
        page.wait_for_function("document.getElementById('l22-watch-what-we-found').open")
        assert troubles == []


ARRIVED = """id => {
  const { top } = document.getElementById(id).getBoundingClientRect(), root = document.scrollingElement;
  const end = root.scrollTop + innerHeight > root.scrollHeight - 2;
  return Math.abs(top - parseFloat(getComputedStyle(root).scrollPaddingTop)) < 2 || (end && top < innerHeight);
}"""
GROW = "for (const box of document.querySelectorAll('.course-widget')) box.style.paddingTop = '500px'"


@pytest.mark.parametrize("width", [1280, 375])
@pytest.mark.parametrize("page_path", ["chapters/05_universality/context", "chapters/03_transformer/positions"])
def test_a_link_ends_at_its_place_whatever_grows_above_until_the_reader_moves(browser, site, page_path, width):
    """At the end of a page, which cards and figures fill after the browser has gone there."""
    with opened(browser, f"{site}{page_path}.html#sources", fresh=True, width=width, wait=False) as (page, troubles):
        started(page)
        drawn(page)
        assert page.evaluate(ARRIVED, "sources")
        page.evaluate("document.querySelector('#pst-secondary-sidebar a[href=\"#exercises\"]').click()")
        page.evaluate(GROW)
        drawn(page)
        assert page.evaluate(ARRIVED, "exercises")
        page.mouse.move(600 if width > 600 else 200, 450)
        page.mouse.wheel(0, -300)
        page.wait_for_function(f"!({ARRIVED})('exercises')")
        page.evaluate(GROW.replace("500", "600"))
        drawn(page)
        assert not page.evaluate(ARRIVED, "exercises") and troubles == []
