"""The reference of course_lib, and the links to it from the pages' code."""

import re

import pytest
from course_book.reference import homes, imported, plain

from tests.shared.pages import ROOT, listed

pytestmark = pytest.mark.book


def test_what_a_page_imports_is_found_and_what_it_renames_or_reuses_is_not():
    code = ["from course_lib import plots\nfrom course_lib.tables import Table as T, below", "%pip install x\nbelow = 3", "import torch; ls -l"]
    assert imported(code) == {"plots": "course_lib.plots", "T": "course_lib.tables.Table"}
    assert homes("course_lib.memoryless.Ensemble")[0] == "course_lib.memoryless.ensemble.Ensemble" and homes("course_lib.plots") == ["course_lib.plots"]


def test_a_docstring_is_text():
    assert plain("a * b_ |c| `x*y` d") == r"a \* b\_ \|c\| \ ``x*y``\  d" and plain("`x` first").startswith("``x``")


def test_the_pages_code_leads_to_the_reference(book):
    """Every name of course_lib that a page with code shows, but for those that are no part of the reference's modules."""
    anchors = {path.name: set(re.findall(r'id="([^"]+)"', path.read_text(encoding="utf-8"))) for path in (book / "book/reference").glob("*.html")}
    linked, named = 0, 0
    for page in listed():
        source = ROOT / page.replace(".html", ".myst.md")
        if not source.is_file() or not page.startswith(("chapters/", "labs/")):
            continue
        text = (book / page).read_text(encoding="utf-8")
        links = re.findall(r'class="course-name" href="[./]*(?:book/)?reference/(\w+\.html)#([^"]+)"', text)
        assert all(anchor in anchors[file] for file, anchor in links), page
        shown = imported(re.findall(r"```\{code-cell\}[^\n]*\n(.*?)```", re.sub(r"(?m)^---\n(?:.*\n)*?---\n|^:tags:.*\n", "", source.read_text(encoding="utf-8")), re.S))
        shown = {name for name in shown if re.search(rf'<span class="n[a-z]*">{name}</span>', text)}
        reached = {name for name in shown if re.search(rf'class="course-name"[^>]*><span class="n[a-z]*">{name}</span>', text)}
        linked, named = linked + len(reached), named + len(shown)
    assert named > 300 and linked >= 0.95 * named
