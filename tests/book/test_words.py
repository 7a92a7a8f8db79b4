"""Words that a reader has before her: what counts as which, and no page has more than its line allows."""

import pytest

from tools.book import words

PAGE = """<html><body><nav>not here</nav><article class="bd-article"><h1>One title<a class="headerlink">#</a></h1>
<p>Three plain words <span class="math"><span class="katex">x y</span></span> and co-workers' two</p>
<details><summary>Proof, open</summary><p>folded up</p><table><tr><td>no</td></tr></table></details>
<div class="admonition dropdown"><p class="admonition-title">A title</p><p>inside it</p></div>
<figure class="course-figure"><figcaption>what is drawn</figcaption></figure>
<figure class="course-diagram"><svg><text>box</text></svg><figcaption>its key</figcaption></figure>
<div class="cell"><div class="highlight"><pre>code = 1</pre></div><div class="cell_output">out put</div></div></article>
<script type="application/vnd.jupyter.widget-state+json">{"state": {"a": {"state": {"spec": {"id": "never", "question":
"how many?", "options": [{"text": "two", "reason": "Yes."}],
"hints": ["look", "again"]}}}, "b": {"state": {}}}}</script>
</body></html>"""


def test_each_word_is_of_one_kind():
    found = words.counted(PAGE)
    assert found == {"open": 2 + 3 + 3 + 2 + 2, "folded": 2 + 2, "captions": 3, "diagrams": 3, "cards": 2 + 2 + 2}
    assert set(words.counted("<p>nothing</p>").values()) == {0}


def test_a_page_that_grows_has_no_line_or_is_gone_is_told():
    found = {"a": {"open": 5}, "b": {"open": 2}}
    assert words.beyond(found, {"a": 5, "b": 2}) == []
    assert [each.split(":")[0] for each in words.beyond(found, {"a": 4, "c": 9})] == ["a", "b", "c"]


def test_budgets_only_fall(tmp_path, monkeypatch):
    monkeypatch.setattr(words, "BUDGETS", tmp_path / "budgets.yml")
    words.write({"a": {"open": 5}, "b": {"open": 7}}, {"a": 9, "b": 6})
    assert words.budgets() == {"a": 5, "b": 6}


@pytest.mark.book
def test_no_page_has_more_words_than_its_line_allows(book):
    assert words.beyond(words.pages(book), words.budgets()) == []
