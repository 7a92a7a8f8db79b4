"""What a search must find first, and the list of all live figures: both are read from the pages."""

import json

import pytest
from course_book import live_figures, navigation, search_entries
from course_book.symbols import spoken
from docutils import nodes
from docutils.utils import new_document

from tests.shared.pages import ROOT, listed
from tests.shared.widget_page import VIEW

NOTEBOOKS = [path for page in listed() if (ROOT / (path := page.removesuffix(".html") + ".ipynb")).exists()]


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        (r"Why divide by $\sqrt{m}$?", "Why divide by √m?"),
        (r"\tau and W_Q", "τ and W_Q"),
        (r"\mathrm{softmax}(\Gamma)", "softmax(Γ)"),
    ],
)
def test_a_formula_is_written_as_one_types_it(tex, text):
    assert spoken(tex) == text


def test_a_widgets_name_is_said_in_words():
    assert navigation.in_words("AttentionByHand") == "attention by hand"
    assert {"AttentionByHand", "StudyTable"} <= navigation.widgets() and not {
        "CourseWidget",
        "ExerciseWidget",
    } & navigation.widgets()


def page(*parts: nodes.Node) -> nodes.document:
    document = new_document("page")
    document += nodes.section("", nodes.title("", "A page"), *parts, ids=["a-page"])
    return document


def test_pages_sections_theorems_and_folds_are_named():
    fold = nodes.container(
        "",
        nodes.rubric("", "What we found", ids=["here-what-we-found"]),
        nodes.paragraph("", "It is hidden."),
        design_component="dropdown",
        has_title=True,
    )
    theorem = nodes.admonition(
        "", nodes.title("", "(A name)"), nodes.paragraph("", "Let it be."), ids=["thm-a"], realtype="theorem"
    )
    found = search_entries.named(
        page(
            nodes.paragraph("", "What the page says, in a long enough sentence."),
            nodes.section("", nodes.title("", "Part"), theorem, fold, ids=["part"]),
        ),
        "labs/a",
    )
    assert found == [
        ["lab", ["A page", "lab"], "A page", "", "What the page says, in a long enough sentence."],
        ["section", ["Part"], "Part", "part", ""],
        ["theorem", ["A name"], "A name", "thm-a", "Let it be."],
        ["fold", [], "What we found", "here-what-we-found", "It is hidden."],
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=str)
def test_each_cell_that_shows_a_live_figure_has_its_question(path):
    for cell in json.loads((ROOT / path).read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] != "code":
            continue
        called = [name for name in live_figures.CALL.findall("".join(cell["source"])) if name in navigation.widgets()]
        shown = called and any(VIEW in output.get("data", {}) for output in cell["outputs"])
        asked = cell["metadata"].get("question", "")
        assert bool(shown) == bool(asked), called
        assert not asked or (asked.endswith("?") and len(asked) < 125)


def test_every_entry_leads_to_a_place(book):
    delivered = (book / "_static/data/finds.js").read_text(encoding="utf-8")
    entries = json.loads(json.loads("[" + delivered.removeprefix("__course.deliver(").removesuffix(")") + "]")[1])
    kinds = {kind for kind, *_ in entries}
    assert {"page", "lab", "reference", "section", "theorem", "fold", "symbol", "term", "live figure"} <= kinds
    texts = {}
    for _, names, title, address, *_ in entries:
        path, _, place = address.partition("#")
        texts.setdefault(path, (book / path).read_text(encoding="utf-8"))
        assert title and all(names) and (not place or f'id="{place}"' in texts[path]), address


def test_all_live_figures_are_listed_with_question_and_settings(book):
    text = (book / "book/live.html").read_text(encoding="utf-8").partition("<article")[2].partition("</article>")[0]
    assert text.count('class="course-live-where"') == text.count("?</p>") > 50
    assert "explorer.html?explorer.positions=none#explorer-widget" in text
