"""What a search must find first, and the list of all live figures: both are read from the pages."""

import json

import pytest
from course_book import finds, live_figures
from course_book.symbols import spoken
from docutils import nodes
from docutils.utils import new_document


@pytest.mark.parametrize(
    ("tex", "text"),
    [(r"Why divide by $\sqrt{m}$?", "Why divide by √m?"), (r"\tau and W_Q", "τ and W_Q"), (r"\mathrm{softmax}(\Gamma)", "softmax(Γ)")],
)
def test_a_formula_is_written_as_one_types_it(tex, text):
    assert spoken(tex) == text


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
    theorem = nodes.admonition("", nodes.title("", "(A name)"), nodes.paragraph("", "Let it be."), ids=["thm-a"], realtype="theorem")
    found = finds.named(
        page(
            nodes.paragraph("", "What the page says, in a long enough sentence."),
            nodes.section("", nodes.title("", "Part"), theorem, fold, ids=["part"]),
        ),
        "labs/01_a",
    )
    assert found == [
        ["lab", ["A page", "lab"], "A page", "", "What the page says, in a long enough sentence."],
        ["section", ["Part"], "Part", "part", ""],
        ["theorem", ["A name"], "A name", "thm-a", "Let it be."],
        ["fold", [], "What we found", "here-what-we-found", "It is hidden."],
    ]


def figure(*above: str, title: str = "Title", below: tuple = ()) -> str:
    cell = nodes.container()
    texts = [nodes.paragraph("", text) for text in above], [nodes.paragraph("", text) for text in below]
    page(
        nodes.paragraph("", "What does the whole page ask?"),
        nodes.section("", nodes.title("", title), *texts[0], cell, *texts[1], ids=["part"]),
    )
    return live_figures.question(cell)


def test_a_figures_question_is_the_one_beside_it():
    assert (
        figure("What came long before it, and why?", "Predict. Look. Which one is the larger of the two?")
        == "Which one is the larger of the two?"
    )
    assert figure("Which?", "It says nothing.", title="How far does the arrow go?") == "How far does the arrow go?"
    assert figure(below=("(2) Take 0.7 of it. (1) Where does it stop?",)) == "Where does it stop?"
    assert figure() == "What does the whole page ask?"


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
    assert text.count('class="course-live-where"') > 50 and text.count("?</p>") > 50
    assert "09_explorer.html?explorer.positions=none#explorer-widget" in text
