"""AblationTable in a real Chromium, on a page of its own: filter and sort by keyboard, on a phone."""


from course_lib.widgets import AblationTable
from tests.shared.pages import rested
from tests.shared.widget_alone import alone, holds
from tests.widgets.test_ablation_table import PRINTED, STATE, blob, study, values

visit = alone(lambda: [AblationTable(study())])


def lines(page):
    """The cells of the rows shown, as texts; the base first."""
    return page.locator(".abl tbody tr").evaluate_all("rows => rows.map(row => [...row.cells].map(cell => cell.textContent))")


def wanted(measure="ppl"):
    data = blob(AblationTable(study()))
    return [values(row, data["base"], measure) for row in data["rows"]]


def test_every_row_and_its_picture_are_there(visit):
    with visit() as page:
        rows = lines(page)
        assert [row[1] for row in rows] == [each[1] for each in PRINTED] and [row[0] for row in rows][1:] == [each[0] for each in PRINTED][1:]
        pictures = page.locator(".cmp-picture")
        assert pictures.count() == 15 and pictures.nth(1).locator("circle").count() == 5
        assert pictures.nth(0).get_attribute("aria-label").startswith("our 5 seeds from −") and page.locator(".cmp-published").count() == 13  # the base and the last have none
        for row, told in zip(rows[1:], wanted(), strict=True):
            assert (row[5], row[10]) == (f"{told['our_change']:+.1f} %".replace("-", "−"), f"{told['ours']:.2f}")
        same = sum(row["verdict"] == "same" for row in wanted())
        assert page.locator(".cmp-words").inner_text().startswith(f"By perplexity, of 14 variants, {same} go")
        assert page.locator("tr[data-verdict=same]").count() == same


def test_filter_sort_and_measure_by_keyboard(visit):
    with visit() as page:
        page.get_by_role("group", name="Group of variants").get_by_role("radio", name="all").focus()
        page.keyboard.press("ArrowRight")
        holds(page.locator(".abl"), group="A", rows=4)
        page.keyboard.press("ArrowLeft")
        holds(page.locator(".abl"), group="all", rows=14)
        page.get_by_role("button", name="sort by our change").press("Enter")
        holds(page.locator(".abl"), sort="our_change")
        order = [row["variant"] for row in sorted(wanted(), key=lambda row: row["our_change"])]
        assert [line[1] for line in lines(page)] == ["base", *order]  # the base stays on top
        assert page.locator("th[data-key=our_change]").get_attribute("aria-sort") == "ascending"
        page.get_by_role("button", name="sort by our change").press("Space")
        holds(page.locator(".abl"), sort="-our_change")
        assert [line[1] for line in lines(page)] == ["base", *order[::-1]]
        assert page.locator("th[data-key=our_change]").get_attribute("aria-sort") == "descending" and page.locator("th[aria-sort=none]").count() == 12
        page.get_by_role("group", name="Measure").get_by_role("radio", name="BLEU").press("Space")
        page.get_by_role("group", name="Verdict").get_by_role("radio", name="opposite").press("Space")
        holds(page.locator(".abl"), measure="bleu", verdict="opposite")
        opposite = [row["variant"] for row in sorted(wanted("bleu"), key=lambda row: -row["our_change"]) if row["verdict"] == "opposite"]
        assert [line[1] for line in lines(page)] == ["base", *opposite]
        sentence = page.locator(".cmp-words").inner_text()
        assert sentence.startswith(f"By BLEU, of 14 variants, {len(opposite)} go")
        rested(page)
        assert page.locator(".abl [role=status]").inner_text() == sentence
        page.wait_for_url("**ablation.sort=-our_change**")
        page.get_by_role("button", name="reset").press("Enter")
        holds(page.locator(".abl"), **STATE, rows=14)


def test_on_a_phone_what_does_not_fit_scrolls_and_the_variants_name_stays(visit):
    with visit(width=375) as page:
        box = page.locator(".cmp-scroll")
        box.focus()
        page.keyboard.press("ArrowRight")
        page.wait_for_function("document.querySelector('.cmp-scroll').scrollLeft > 0")
        name = page.locator(".abl tbody .abl-variant").nth(2).bounding_box()
        assert name["x"] >= box.bounding_box()["x"] - 1
