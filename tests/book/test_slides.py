"""Slides are made of a page's own sections: what can be shown is on them, in order, and what is said is in their notes."""

import json
import re
from pathlib import Path

import pytest
from course_book import live, questions, slide_reader, slides, timetable
from lxml import html

ROOT = Path(__file__).resolve().parents[2]
LONG = "Words that go on, and on. " * 20
FORMULA = '<span class="katex"><span class="katex-mathml">s^2</span><span class="katex-html">s2</span></span>'
PAGE = f"""<html><head><link rel="stylesheet" href="../_static/a.css"><link rel="stylesheet" href="../_static/print.css"></head><body><article class="bd-article">
<section id="top"><h1>A page<a class="headerlink" href="#top">#</a></h1>
<div class="tip admonition"><p><strong>You will learn</strong> how it goes.</p><p><strong>It takes</strong> 5 minutes.</p></div>
<section id="first-one"><span id="my-label"></span><h2>First</h2><p>What is {FORMULA}?</p><p>{LONG}</p>
<div class="cell tag_remove-input tag_predict"><div class="cell_output"><script type="application/vnd.jupyter.widget-view+json">{{"model_id": "a"}}</script></div></div>
<div class="course-evidence"><div class="cell tag_evidence"><div class="cell_input">print(1)</div><div class="cell_output">1</div></div><p class="verdict">It is <a href="#thm">one</a>.</p></div>
<details><summary>Proof</summary>by hand</details><details><summary>What we found</summary><p>Much.</p></details>
<section id="deeper"><h3>Deeper</h3><div class="cell tag_hide-input"><div class="cell_input">import this</div></div><table><tr><td>7</td></tr></table></section></section>
<section id="exercises"><h2>Exercises</h2><p>Cards.</p></section></section></article>
<script type="{live.STATE}">{{"state": {{"a": {{"state": {{"_anywidget_id": "x.PredictionWidget"}}}}, "b": {{"state": {{}}}}}}}}</script></body></html>"""


def test_what_is_shown_and_what_is_said():
    page = html.document_fromstring(PAGE)
    deck = slide_reader.read(page, {"a": {"state": {"_anywidget_id": "x.PredictionWidget"}}})
    assert (deck.title, deck.lead, len(deck.stacks)) == ("A page", "How it goes.", 1)
    (stack,) = deck.stacks
    assert [each.heading for each in stack] == ["First", "First", "Deeper"]
    shown = [[slide_reader.words(node) for node in each.shown] for each in stack]
    assert shown == [["What is s2?", ""], ["print(1)1", "It is one."], ["7"]]  # the prediction before its evidence; no imports, no cards
    assert [[slide_reader.words(node)[:5] for node in each.notes] for each in stack] == [["Words"], ["Much."], []]
    with pytest.raises(ValueError, match="no article with a heading"):
        slide_reader.read(html.document_fromstring("<html><body><p>1</p></body></html>"), {})


def test_a_deck_stands_beside_its_page_and_carries_its_own_widgets_only():
    text = slides.written(PAGE, "part/page", "1 · Part", ("other/next", "Next & last"))
    assert 'id="my-label"' in text and 'href="page.html#thm"' in text and "print.css" not in text
    assert 'href="../other/next_slides.html">Next &amp; last<' in text
    (state,) = re.findall(rf'<script type="{re.escape(live.STATE)}">(.*?)</script>', text)
    assert json.loads(state) == {"state": {"a": {"state": {"_anywidget_id": "x.PredictionWidget", "heavy": True}}}}


def test_every_page_of_a_chapter_has_slides_with_all_its_predictions(book):
    asked = {page.path: [each.id for each in page.predictions] for pages in questions.parts(ROOT).values() for page in pages}
    for pages in timetable.parts().values():
        for page in pages:
            path = book / slides.address(page.path)
            assert path.exists() == page.path.startswith("chapters/"), page.path
            if path.exists():
                text = path.read_text(encoding="utf-8")
                assert re.findall(r'data-prediction="([^"]+)"', text) == asked[page.path], page.path
                assert 8 <= text.count("<h2>") <= 60 and 'data-widget="ExerciseWidget"' not in text, page.path
