"""AblationTable in a real Chromium, on a page of its own: filter and sort by keyboard, from the address, on a phone, accessible."""

import threading

import pytest
from barriers import barriers
from pages import opened, rested
from test_ablation_table import PRINTED, STATE, blob, study, values
from widget_page import widget_page

from course_lib.widgets import AblationTable

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """The address of a served page with one table of drawn numbers."""
    from serve import server

    folder = tmp_path_factory.mktemp("ablation")
    widget_page(folder, [AblationTable(study())], "Ablation")
    pages = server(folder)
    threading.Thread(target=pages.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{pages.server_port}/page.html"
    pages.shutdown()


def holds(page, **state):
    for name, value in state.items():
        page.wait_for_function("([name, value]) => document.querySelector('.abl').dataset[name] === value", arg=[name, str(value)])


def lines(page):
    """The cells of the rows shown, as texts; the base first."""
    return page.locator(".abl tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")


def wanted(measure="ppl"):
    data = blob(AblationTable(study()))
    return [values(row, data["base"], measure) for row in data["rows"]]


def test_every_row_and_its_picture_are_there(browser, address):
    with opened(browser, address) as (page, troubles):
        rows = lines(page)
        assert [row[1] for row in rows] == [each[1] for each in PRINTED] and [row[0] for row in rows][1:] == [each[0] for each in PRINTED][1:]
        pictures = page.locator(".abl-picture")
        assert pictures.count() == 15 and pictures.nth(1).locator("circle").count() == 5
        assert pictures.nth(0).get_attribute("aria-label").startswith("our 5 seeds from −") and page.locator(".abl-published").count() == 13  # the base and the last have none
        for i, row in enumerate(wanted(), 1):
            change, text = row["our_change"], f"{row['our_change']:+.1f} %".replace("-", "−")
            assert rows[i][5] == text and rows[i][9] == f"{row['ours']:.2f}", rows[i]
            scale = pictures.nth(i).evaluate("x => { const at = q => parseFloat(x.querySelector(q).getAttribute('x1')); return [at('.abl-zero'), at('.abl-mean')]; }")
            assert (scale[1] > scale[0]) == (change > 0)
        same = sum(row["verdict"] == "same" for row in wanted())
        assert page.locator(".abl-words").inner_text().startswith(f"By perplexity, of 14 variants, {same} go")
        assert page.locator("tr[data-verdict=same]").count() == same
        assert troubles == []


def test_filter_sort_and_measure_by_keyboard(browser, address):
    with opened(browser, address) as (page, troubles):
        page.get_by_role("group", name="Group of variants").get_by_role("radio", name="all").focus()
        page.keyboard.press("ArrowRight")
        holds(page, group="A", rows=4)
        page.keyboard.press("ArrowLeft")
        holds(page, group="all", rows=14)
        page.get_by_role("button", name="sort by our change").press("Enter")
        holds(page, sort="our_change")
        order = [row["variant"] for row in sorted(wanted(), key=lambda row: row["our_change"])]
        assert [line[1] for line in lines(page)] == ["base", *order]  # the base stays on top
        assert page.locator("th[data-key=our_change]").get_attribute("aria-sort") == "ascending"
        page.get_by_role("button", name="sort by our change").press("Space")
        holds(page, sort="-our_change")
        assert [line[1] for line in lines(page)] == ["base", *order[::-1]]
        assert page.locator("th[data-key=our_change]").get_attribute("aria-sort") == "descending" and page.locator("th[aria-sort=none]").count() == 11
        page.get_by_role("group", name="Measure").get_by_role("radio", name="BLEU").press("Space")
        page.get_by_role("group", name="Verdict").get_by_role("radio", name="opposite").press("Space")
        holds(page, measure="bleu", verdict="opposite")
        opposite = [row["variant"] for row in sorted(wanted("bleu"), key=lambda row: -row["our_change"]) if row["verdict"] == "opposite"]
        assert [line[1] for line in lines(page)] == ["base", *opposite]
        sentence = page.locator(".abl-words").inner_text()
        assert sentence.startswith(f"By BLEU, of 14 variants, {len(opposite)} go")
        rested(page)
        assert page.locator(".abl [role=status]").inner_text() == sentence
        page.wait_for_url("**ablation.sort=-our_change**")
        page.get_by_role("button", name="reset").press("Enter")
        holds(page, **STATE, rows=14)
        assert troubles == []


def test_the_address_brings_the_table_back(browser, address):
    with opened(browser, f"{address}?ablation.group=C&ablation.measure=bleu&ablation.sort=-published&ablation.verdict=all") as (page, troubles):
        holds(page, group="C", measure="bleu", sort="-published", rows=4)
        assert [line[1] for line in lines(page)] == ["base", "d_ff = 4096", "8 layers", "d = 256", "2 layers"]
        assert troubles == []
    with opened(browser, f"{address}?ablation.group=Z&ablation.measure=x&ablation.sort=up&ablation.verdict=") as (page, troubles):
        holds(page, **STATE, rows=14)  # what is no setting is left alone
        assert troubles == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 375), ("dark", 1280)])
def test_it_fits_a_phone_and_is_accessible(browser, address, scheme, width):
    with opened(browser, address, scheme=scheme, width=width) as (page, troubles):
        page.evaluate("theme => document.documentElement.dataset.theme = theme", scheme)
        page.wait_for_selector(f".abl[data-course-theme={scheme}]")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        box = page.locator(".abl-scroll")
        box.focus()
        page.keyboard.press("ArrowRight")  # what does not fit scrolls inside its own box, the variant's name stays
        if width == 375:
            page.wait_for_function("document.querySelector('.abl-scroll').scrollLeft > 0")
        name = page.locator(".abl tbody .abl-variant").nth(2).bounding_box()
        assert name["x"] >= box.bounding_box()["x"] - 1
        heights = page.locator(".abl .course-choice label, .abl button:visible").evaluate_all("all => all.map(x => x.getBoundingClientRect().height)")
        assert min(heights) >= 24
        assert barriers(page, context=".abl") == []
        assert troubles == []
