"""The book on paper: nothing cut, text, numbers, outline and links in place; two pages here, all by `make pdf`."""

import io

import pytest
from pypdf import PdfReader

from tests.shared.pages import ROOT
from tools.book import pdf
from tools.book.printing import CUT, DRAW, ONCE, STYLE, WIDTH, printer

pytestmark = pytest.mark.browser
SCALE, HEAT = "chapters/03_transformer/scale.html", "chapters/03_transformer/temperature.html"


@pytest.fixture(scope="module")
def file(book, browser, tmp_path_factory):
    """Two pages bound: the file, and the printed pages with what would be cut."""
    with printer(book, browser) as (home, chromium):
        sheets, faults = pdf.printed(book, chromium, home, {"Two pages": [SCALE, HEAT]})
        path = tmp_path_factory.mktemp("pdf") / "two.pdf"
        pdf.bind(chromium, home, sheets).write(path)
    assert faults == []
    return PdfReader(path), sheets


def test_the_pages_text_is_there_with_its_proofs_without_code_exercises_and_navigation(file):
    reader, _ = file
    text = " ".join(page.extract_text() for page in reader.pages)
    assert "Why divide by" in text and "Proof" in text and "Each term" in text  # the proof was folded on the screen
    assert "Theorem" in text and "Shown as it begins" in text
    assert not any(
        word in text
        for word in ("Exercises", "Check", "import ", "Show code", "Previous", "Skip to main content", "Ctrl + K")
    )


def test_every_page_but_the_first_has_its_number(file):
    reader, _ = file
    for number, page in enumerate(reader.pages[1:], start=2):
        assert page.extract_text().rstrip().endswith(str(number)) or f"\n{number}" in page.extract_text()


def test_contents_and_outline_lead_to_the_pages(file):
    reader, sheets = file
    begins = [sheet.begins for sheet in sheets]
    lines = [note.get_object()["/Dest"] for note in reader.pages[1]["/Annots"]]
    numbers = {page.indirect_reference.idnum: number for number, page in enumerate(reader.pages)}
    assert [numbers[leads_to(line)] for line in lines] == begins
    part = next(each for each in reader.outline if isinstance(each, list))
    assert [reader.get_destination_page_number(each) for each in part if not isinstance(each, list)] == begins
    assert str(begins[1] + 1) in reader.pages[1].extract_text()


def leads_to(destination):
    """The object number of the page that an explicit destination names (indexing would give the page itself)."""
    return list.__getitem__(destination, 0).idnum


def test_no_link_leads_to_the_machine_that_printed(file):
    reader, _ = file
    addresses, targets = [], []
    for page in reader.pages:
        for note in page.get("/Annots", ()):
            note = note.get_object()
            addresses += [str(note["/A"]["/URI"])] if "/A" in note and "/URI" in note["/A"] else []
            targets += [leads_to(note["/Dest"])] if "/Dest" in note else []
    assert not any("127.0.0.1" in each or each.startswith("file:") for each in addresses)
    reader.stream.seek(0)
    assert (
        rb"127\0560" not in reader.stream.read()
    )  # nor in what no page shows any more: pypdf writes a full stop as \056
    own = {page.indirect_reference.idnum for page in reader.pages}
    assert len(targets) >= 3 and set(targets) <= own  # two in the contents, one from page to page


def test_a_widget_is_shown_once(browser):
    page = browser.new_page()
    page.set_content(
        "<article>"
        + "".join(
            f'<div class="course-widget" data-widget="{name}">{name}</div>'
            for name in ("Cell", "ExerciseWidget", "Fit", "Fit")
        )
    )
    assert page.evaluate(ONCE, {"Cell": "Recurrence"}) == ["Fit"]
    assert page.locator("p").all_inner_texts() == [
        "The widget that stands here, with settings of its own, is shown in “Recurrence”.",
        "The widget that stands here, with settings of its own, is shown above.",
    ]  # fmt: skip
    assert page.locator(".course-widget").all_inner_texts() == ["Fit"]
    page.close()


def test_a_widget_across_both_columns_is_not_made_as_narrow_as_one(browser):
    page = browser.new_page()
    widget = '<div class="cell_output"><div class="course-widget" style="width: 790px">Fit</div></div>'
    page.set_content(f'<style>{STYLE}</style><article class="bd-article" style="width: 800px">{widget}</article>')
    page.add_script_tag(path=ROOT / "book/_ext/course_book/static/print.js")
    assert (
        page.evaluate("__coursePrint.fit(800)") == []
        and page.locator(".course-widget").evaluate("box => box.style.zoom") == ""
    )
    page.close()


def test_numbering_leaves_the_pages_packed(file):
    reader, sheets = file
    parts = sum(sheet.reader.stream.seek(0, io.SEEK_END) for sheet in sheets)
    assert reader.stream.seek(0, io.SEEK_END) < 1.3 * parts + 100_000
    assert all(any("/Filter" in each.get_object() for each in page["/Contents"]) for page in reader.pages[1:])


def test_printing_waits_for_a_widget_that_is_not_drawn(browser):
    page = browser.new_page()
    page.set_content('<div class="course-widget"><div aria-busy="true">Getting the model …</div></div>')
    page.evaluate("""() => {
        const box = document.querySelector(".course-widget"), root = box.firstChild;
        box.scrollIntoView = () => setTimeout(() => { root.textContent = "drawn"; root.ariaBusy = "false"; }, 400);
    }""")
    page.evaluate(DRAW)
    assert page.inner_text(".course-widget") == "drawn"
    page.close()


def fitted(browser, article, read, style=""):
    """What `read`, in JavaScript, finds on a page with this article after it was fitted to the paper."""
    page = browser.new_page(viewport={"width": WIDTH, "height": 600})
    page.set_content(f'<style>{style}</style><body style="margin:0"><article class="bd-article">{article}</article>')
    page.add_script_tag(path=ROOT / "book" / "_ext" / "course_book" / "static" / "print.js")
    page.evaluate("width => __coursePrint.fit(width)", WIDTH)
    found = page.evaluate(read)
    page.close()
    return found


def test_printed_tables_keep_their_columns_and_lines_without_end_wrap(browser):
    lines = "".join(f'<div class="cell_output"><pre>{"word " * count}</pre></div>' for count in (3, 24, 90))
    letters = (
        "() => [...document.querySelectorAll('pre')].map((el) => el.getClientRects()[0].height / "
        "parseFloat(getComputedStyle(el).fontSize))"
    )
    short, table, long = fitted(
        browser, lines, letters, "pre { font: 8.5pt monospace; white-space: pre-wrap !important }"
    )
    assert (
        short == pytest.approx(table, abs=0.4) and long > 2.5 * table
    )  # heights in letters: one line, one line, several


def test_a_widget_that_nearly_fits_on_a_page_does(browser):
    boxes = "".join(
        f'<div class="course-widget"><div style="height:{height}px"></div></div>' for height in (500, 1300, 3000)
    )
    heights = "() => [...document.querySelectorAll('.course-widget')].map((box) => box.getBoundingClientRect().height)"
    assert fitted(browser, boxes, heights) == pytest.approx([500, 900, 3000], abs=1)


def test_what_is_cut_is_found(browser):
    page = browser.new_page(viewport={"width": WIDTH, "height": 600})
    page.set_content(
        f'<body style="margin:0"><article class="bd-article"><p>fine</p><table><td '
        f'style="min-width:{WIDTH + 90}px">wide</table></article>'
    )
    found = page.evaluate(CUT, WIDTH)
    page.close()
    assert len(found) == 1 and found[0].startswith("table.") and "beyond the paper" in found[0]
