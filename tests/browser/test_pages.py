"""The published pages in a real Chromium: quiet, self-contained, accessible, and alive by keyboard."""

import pytest
import torch

from course_lib.attention import attend, causal_mask
from tests.shared.barriers import COLOURS, barriers, judged, plain
from tests.shared.pages import (
    complete,
    context_of,
    drawn,
    in_scheme,
    lettered,
    listed,
    of_all,
    opened,
    scroll_through,
    started,
)
from tests.shared.vitals import LIMIT_ASKED, LIMIT_KB, MORE_ASKED, weight

pytestmark = pytest.mark.browser
PAGES = listed()
# How far the page scrolls sideways; the buttons that are behind something; texts whose lines hold fewer than twenty
# letters.
FITS = """() => {
  const shown = (all) => [...document.querySelectorAll(all)].filter((node) => node.checkVisibility() &&
    node.clientWidth);
  const covered = (node) => {
    const { left, right, top, bottom } = node.getBoundingClientRect();
    return !node.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
  };
  const narrow = (node) => node.clientWidth < 9 * parseFloat(getComputedStyle(node).fontSize);
  return [
    document.documentElement.scrollWidth - innerWidth,
    shown(".bd-header-article button:not(.dropdown-item)").filter(covered).map((node) => node.title || node.ariaLabel),
    shown(".bd-article section > p:not(:is(.proof, .course-widget) *)").filter(narrow).map((node) => node.textContent),
  ];
}"""
LOOKS: set[str] = set()  # of the texts that axe has judged on this worker's pages
HAND = "chapters/03_transformer/attention.html"
SHORT = "chapters/03_transformer/scale.html"


@pytest.mark.parametrize("page_path", PAGES)
def test_a_page_is_light_and_quiet_and_fits_a_phone(browser, book, page_path):
    """One visit, from a folder, which forbids more than a server does: bytes before the first interaction, then every
    figure, and the width; with letters of 200 % there and on a desk, what fits."""
    asked = set()
    with opened(browser, (book / page_path).as_uri(), scheme="dark", width=375, wait=False, asked=asked) as (
        page,
        troubles,
    ):
        started(page)
        page.wait_for_timeout(100)
        files = {url.removeprefix(book.as_uri()) for url in asked if url.startswith(book.as_uri())}
        assert (
            5 < len(files) <= LIMIT_ASKED + MORE_ASKED.get(page_path, 0)
            and 100_000 < weight(book, files) <= LIMIT_KB * 1000
        )  # the theme, fonts and scripts are in it
        complete(page)
        scroll_through(page)
        assert page.locator(".course-widget:not([data-ready]):not([data-needs=kernel])").count() == 0
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
        lettered(page, 32)
        for width in (375, 1366, 1280):
            page.set_viewport_size({"width": width, "height": 900})
            drawn(page)
            assert page.evaluate(FITS) == [0, [], []], width
        assert troubles == []


@pytest.mark.parametrize("page_path", of_all(PAGES))
def test_a_page_is_accessible_in_dark_and_in_light(browser, book, page_path):
    """Axe on a desk. Widgets and cards are asked on pages of their own, too: test_alone.py, test_exercise.py."""
    with opened(browser, (book / page_path).as_uri(), scheme="dark") as (page, troubles):
        scroll_through(page)
        page.evaluate("scrollTo(0, 0)")  # what lies under the fixed head is no target there
        drawn(page)
        assert troubles == []
        plain(page, LOOKS)
        assert barriers(page) == []
        in_scheme(page, "light")
        assert barriers(page, COLOURS) == []
        LOOKS.update(judged(page))


@pytest.mark.parametrize("page_path", [SHORT, "labs/transformer.html"])
def test_formulas_figures_and_code_can_be_read(browser, site, page_path):
    """Whole pages, in light and in dark: nothing is made plain for axe."""
    with opened(browser, site + page_path) as (page, _):
        scroll_through(page)
        assert page.locator(".highlight span[class]").count() > 100 and page.locator(".katex-html *").count() > 100
        assert barriers(page) == []
        in_scheme(page, "dark")
        assert barriers(page, COLOURS) == []


def test_a_page_made_plain_still_shows_each_pale_text(browser):
    """Of texts that look alike some are judged. These look like those before but for their colour, their ground, or
    what shines through."""
    usual, pale = (
        "<p>It can be read.</p>" * 9,
        ["<p style='color: #aaa'>", "<div style='background: #444'><p>", "<div style='opacity: 0.3'><p>"],
    )
    with context_of(browser) as context:
        page = context.new_page()
        page.set_content(
            f"<html lang=en><title>.</title><body style='color: #333; background: "
            f"#fff'><main>{usual}{''.join(f'{each}It cannot.</p></div>' for each in pale)}"
        )
        plain(page)
        assert [rule for rule, _ in barriers(page)] == ["color-contrast"] * 3
        page.evaluate("document.body.style.background = '#888'")
        assert len(barriers(page, COLOURS)) == 3  # of each rule at most three are named


def test_a_printed_table_can_be_read_in_dark(browser, site):
    """Where text has the very colour of its ground axe gives no verdict, and the theme puts a light ground under such
    output."""
    with opened(browser, f"{site}chapters/02_attention/seven_steps.html", scheme="dark") as (page, troubles):
        scroll_through(page)
        found = page.locator(".course-table").evaluate_all("""tables => tables.map((table) => {
          const grounds = [];
          for (let node = table; node; node = node.parentElement) grounds.push(getComputedStyle(node).backgroundColor);
          return [grounds.find((ground) => ground !== "rgba(0, 0, 0, 0)"),
            getComputedStyle(document.body).backgroundColor, getComputedStyle(table.querySelector("td")).color];
        })""")
        assert len(found) == 3 and all(ground == page_ground != ink for ground, page_ground, ink in found), found
        assert troubles == []


def test_a_caption_has_the_pages_width_and_stays_and_long_texts_wrap(browser, site):
    with opened(browser, f"{site}chapters/03_transformer/next_word.html", width=375) as (page, troubles):
        scroll_through(page)
        narrow, talk = (
            page.locator(".course-table", has_text=words) for words in ("Share of 200 languages", "You are the guard")
        )
        assert (
            narrow.locator("tbody").bounding_box()["width"] < 150
            and narrow.locator("caption").bounding_box()["width"] > 280
        )
        assert (
            talk.evaluate("box => box.scrollWidth <= box.clientWidth")
            and min(cell.bounding_box()["width"] for cell in talk.locator("td").all()) > 120
        )
        wide = page.locator(".course-table", has_text="Held-out sentences")
        wide.evaluate("box => { box.scrollLeft = 120; }")
        edge, caption, body = (
            wide.evaluate(f"box => {of}.getBoundingClientRect().left")
            for of in ("box", "box.querySelector('caption')", "box.querySelector('tbody')")
        )
        assert caption == edge and body == edge - 120
        assert troubles == []


def test_a_drawn_picture_lies_on_the_pages_ground_in_dark(browser, site):
    with opened(browser, f"{site}chapters/05_universality/universality.html", scheme="dark", width=375) as (
        page,
        troubles,
    ):
        scroll_through(page)
        picture = page.locator(".text_html:has(> figure)")
        assert picture.evaluate("node => getComputedStyle(node).backgroundColor") == "rgba(0, 0, 0, 0)"
        assert picture.evaluate("node => node.scrollWidth <= node.clientWidth")  # the longest name in its key breaks
        assert troubles == []


ODD = {  # an address, and where it must lead: what anybody may write, with a % that begins no sign
    "attention%.html": ".course-finds li a",
    "search.html?q=100%": ".search-summary",
    f"{HAND}?hand.row=%#%E0%A4%A": "html[data-course-ready]",
    "book/ledger.html#%": ".course-ledger",
    "book/report.html?page=%&settings=%E0#%": "form.course-report",
    "book/progress.html#%": ".course-progress-all",
}


@pytest.mark.parametrize("address", ODD)
def test_an_address_that_is_none_stops_nothing(browser, site, address):
    with opened(browser, site + address, wait=False) as (page, troubles):
        page.locator(ODD[address]).first.wait_for(state="attached")
        page.evaluate("location.hash = '%ff%'")
        drawn(page)
        told = """link => link.dispatchEvent(new Event("auxclick", { bubbles: true })) &&
          new URL(link.href).searchParams.has("browser")"""
        assert all(page.locator("[data-course-report]").evaluate_all(f"links => links.map({told})"))
        assert [trouble for trouble in troubles if "404" not in trouble] == []


# ------------------------------------------------------------------------------------------------ attention by hand
def numbers(widget, name, columns):
    values = widget.locator(f".abh-table-{name} td[data-value]").evaluate_all(
        "cells => cells.map(cell => +cell.dataset.value)"
    )
    return torch.tensor(values).view(-1, columns)


def state(page, index=0):
    """The index-th AttentionByHand of the page."""
    return page.locator(".abh").nth(index)


def test_attention_by_hand_answers_the_keyboard_with_pytorchs_numbers(browser, site):
    X = torch.tensor([[-0.3, -0.4], [-1.7, 0.2], [1.6, 0.3], [0.5, 1.6], [1.2, -1.4]])
    with opened(browser, site + "chapters/03_transformer/masks.html") as (page, troubles):
        widget = state(page)
        truth = attend(X, X, X, causal_mask(5))
        torch.testing.assert_close(numbers(widget, "weights", 5), truth.weights, atol=1e-5, rtol=0)

        token = widget.locator(".abh-token").nth(2)
        token.focus()
        page.keyboard.press("ArrowRight")
        drawn(page)
        moved = numbers(widget, "outputs", 2)
        assert not torch.allclose(moved[2], truth.output[2], atol=1e-4)
        torch.testing.assert_close(moved[:2], truth.output[:2], atol=1e-5, rtol=0)  # nothing leaks backwards

        switch = widget.locator(".course-toggle input").first
        switch.focus()
        page.keyboard.press("Space")
        drawn(page)
        assert widget.get_attribute("data-causal") in {"false", "0"}
        weights = numbers(widget, "weights", 5)
        assert (weights > 0).all()
        torch.testing.assert_close(weights.sum(-1), torch.ones(5), atol=1e-5, rtol=0)
        assert "looks at" in widget.locator(".abh-words").inner_text()
        assert troubles == []


def the_figure(page, words):
    """The box of the first figure whose data hold these words, drawn."""
    box = page.evaluate_handle(
        (
            "words => [...document.querySelectorAll('.course-plotly')].find(box => "
            "box.querySelector('script').textContent.includes(words))"
        ),
        words,
    ).as_element()
    box.scroll_into_view_if_needed()
    page.wait_for_function("box => box.dataset.ready", arg=box)
    return box


def test_a_maps_numbers_give_way_where_cells_are_narrow(browser, site):
    shown = "box => box.querySelector('[role=img]').data.find(trace => trace.mode === 'text').visible !== false"
    with opened(browser, f"{site}chapters/04_memoryless/two_back.html", width=375) as (page, troubles):
        box = the_figure(page, '"mode":"text"')
        assert not box.evaluate(shown)
        page.set_viewport_size({"width": 1280, "height": 900})
        page.wait_for_function(shown, arg=box)
        assert troubles == []


def test_a_picture_with_equal_scales_ends_where_its_frame_ends(browser, site):
    with opened(browser, f"{site}chapters/03_transformer/embeddings.html", width=375) as (page, troubles):
        scroll_through(page)  # it lies under a prediction
        box = the_figure(page, '"scaleanchor"')
        left, taken = box.evaluate("""box => {
          const picture = box.querySelector("[role=img]"), { _size: size, xaxis } = picture._fullLayout;
          return [picture.getBoundingClientRect().bottom - \
picture.querySelector(".g-xtitle").getBoundingClientRect().bottom, xaxis._length / size.w];
        }""")
        assert 0 <= left < 20 and taken > 0.95  # nothing is left over below, and the frame takes the whole width
        assert troubles == []


def test_a_legend_of_many_lines_takes_nothing_from_the_curves(browser, site):
    heights = []
    for width in (1280, 375):
        with opened(browser, f"{site}chapters/02_attention/self_attention.html", width=width) as (page, _):
            scroll_through(page)  # it lies under a prediction
            box = the_figure(page, '"showlegend":true')
            heights.append(
                box.evaluate(
                    "box => { const { _size, legend } = box.querySelector('[role=img]')._fullLayout; return "
                    "[_size.h, legend._height]; }"
                )
            )
    (wide, _), (narrow, legend) = heights
    assert legend > 60 and narrow > wide - 40


def test_wide_printed_tables_get_smaller_letters(browser, site):
    read = "pre => [parseFloat(getComputedStyle(pre).fontSize), pre.scrollWidth - pre.clientWidth]"
    with opened(browser, f"{site}chapters/06_gaussian_attention/check.html", width=1200) as (page, troubles):
        usual = page.locator(".cell_output .course-flows pre").first.evaluate(read)[0]
        tables = [each.evaluate(read) for each in page.locator(".course-wide-80 pre").all()]
        assert tables and all(10 <= size < usual and beyond <= 0 for size, beyond in tables), tables
        assert troubles == []


def test_on_a_phone_sentences_wrap_and_what_scrolls_fades_where_there_is_more(browser, site):
    at_edges = """box => { const read = (name) => \
parseFloat(getComputedStyle(box).getPropertyValue(`--course-${name}`)); return [read("left"), read("right")]; }"""
    with opened(browser, f"{site}chapters/00_primer/chance.html", width=375) as (page, troubles):
        printed = page.locator(".cell_output .course-flows pre").all()
        assert len(printed) >= 5 and all(each.evaluate("box => box.scrollWidth <= box.clientWidth") for each in printed)
        wide = page.locator(".katex-display .katex-html").first
        assert wide.evaluate("box => box.scrollWidth > box.clientWidth + 50")
        left, right = wide.evaluate(at_edges)
        assert left == 0 and right > 20
        wide.evaluate("box => { box.scrollLeft = box.scrollWidth; }")
        page.wait_for_function(
            f"box => {{ const [left, right] = ({at_edges})(box); return left > 20 && right < 1; }}",
            arg=wide.element_handle(),
        )
        page.set_viewport_size({"width": 950, "height": 800})
        page.wait_for_function("box => box.scrollWidth <= box.clientWidth", arg=wide.element_handle())
        page.wait_for_function(f"box => ({at_edges})(box).every(length => length === 0)", arg=wide.element_handle())
        assert troubles == []
