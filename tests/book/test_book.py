"""The built book: strict, self-contained, with its anchors."""

import posixpath
import re
import sys
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlparse

import pytest

from tests.shared.pages import listed
from tools.repository import BEGIN, ROOT, Repository, with_address

pytestmark = pytest.mark.book
ASSET = re.compile(r'<(?:script|link|img|iframe)\b[^>]*?\b(?:src|href)="([^"]+)"')


def test_every_page_is_built(book):
    assert [page for page in listed() if not (book / page).exists()] == []
    assert (book / "404.html").exists()


def test_pages_load_nothing_from_outside(book):
    for path in book.rglob("*.html"):
        # the browser only follows rel=canonical and the like when asked to
        assets = [url for url in ASSET.findall(path.read_text()) if urlparse(url).netloc]
        assert assets == [], path


def test_every_key_in_a_page_has_its_file(book):
    data, code = book / "_static/data", cache(Path.read_text)
    seen = 0
    for path in book.rglob("*.html"):
        text = path.read_text()
        named = "".join(re.findall(r'"data_keys":\{([^}]*)\}', text))  # a widget may name several
        styles = dict(
            re.findall(r'"_css": ?"course:(\w{16})"[^}]*?"_esm": ?"course:(\w{16})"', text)
        )  # a front end's style stands in its file
        styles |= {
            style: code for code, style in re.findall(r'"_esm": ?"course:(\w{16})", ?"_css": ?"course:(\w{16})"', text)
        }
        for key in re.findall(r'"course:([0-9a-f]{16})"', text) + re.findall(r':"([0-9a-f]{16})"', named):
            assert f'deliver("{key}"' in code(data / f"{styles.get(key, key)}.js")
            seen += 1
    assert seen > 30


def test_widget_code_is_not_repeated_in_pages(book):
    for page in listed():
        assert (
            "AbortController" not in (book / page).read_text() and "__course.deliver" not in (book / page).read_text()
        )


PROSE = re.compile(r"(?:\b[a-z]{3,}\b[ ,]+){2}[a-z]{3,}\b")  # three words of a sentence
NAMED = re.compile(r"\\(?:text|mathrm|operatorname|textit|textbf|mathit|begin|end)\s*\{[^}]*\}")


def swallowed(page: str) -> list[str]:
    """Formulas of a page that hold prose, and prose that shows a dollar: `$$` beside a line of text pairs up
    wrongly."""
    formulas = re.findall(r'<annotation encoding="application/x-tex">(.*?)</annotation>', page, re.S)
    text = re.sub(r"<(script|pre|code|style|annotation)\b.*?</\1>", "", page, flags=re.S)
    return [tex for tex in formulas if PROSE.search(NAMED.sub("", tex))] + re.findall(
        r".{,30}\$.{,30}", re.sub(r"<[^>]+>", "", text)
    )


def test_no_formula_swallows_the_text_beside_it(book):
    assert (
        swallowed('<annotation encoding="application/x-tex"> and one key gets this </annotation><p>it costs $5</p>')
        != []
    )
    assert {page: found for page in listed() if (found := swallowed((book / page).read_text()))} == {}


BOX = re.compile(
    r'<div class="proof (?!proof)[^"]*" id="([^"]+)">.*?<span class="caption-number">(\w+) ([\d.]+) ', re.S
)
LINK = re.compile(
    r'<a class="reference internal" '
    r'href="([^"#]*)#([^"]+)">(?:Theorem|Lemma|Definition|Proposition|Corollary|Remark|Example) ([\d.]+)</a>'
)


def test_numbers_follow_the_page_and_references_follow_the_numbers(book):
    """Theorems are numbered by chapter and page, as a reader would count them."""
    numbers, links, pages = defaultdict(dict), [], Counter()
    for page in (page for page in listed() if page.startswith("chapters/")):
        text = (book / page).read_text(encoding="utf-8")
        chapter = int(page.split("/")[1][:2])
        pages[chapter] += 1
        for count, (name, _, number) in enumerate(BOX.findall(text), 1):
            assert number == f"{chapter}.{pages[chapter]}.{count}", (page, name)
            numbers[page][name] = number
        links += [
            (posixpath.normpath(posixpath.join(posixpath.dirname(page), target)) if target else page, name, number)
            for target, name, number in LINK.findall(text)
        ]
    assert sum(map(len, numbers.values())) > 90 and len(links) > 30
    assert [link for link in links if numbers[link[0]].get(link[1]) != link[2]] == []


def test_unused_weight_is_left_out(book):
    static = book / "_static"
    assert (
        not list(static.rglob("*.map"))
        and not list(static.rglob("fontawesome.js"))
        and not (static / "locales").exists()
    )
    assert sum(path.stat().st_size for path in static.rglob("*.woff2")) < 400_000


# ------------------------------------------------------------------------------------------------ the public address
# Listens only when somebody has looked and found nobody there: then the file `refused` is written.
LATE = """
import os, socket, sys, time
server = socket.socket(socket.AF_UNIX)
server.bind(sys.argv[1])
for _ in range(6000):
    if os.path.exists("refused"):
        break
    time.sleep(0.01)
server.listen()
for _ in range(2):
    server.accept()
"""


def test_build_waits_for_a_katex_server_that_does_not_listen_yet(tmp_path, monkeypatch):
    from course_book import assets
    from sphinxcontrib import katex

    class Watched(assets.Answering):
        def is_socket(self):
            answers = super().is_socket()
            if self.exists() and not answers:
                (tmp_path / "refused").touch()
            return answers

    def late(socket):
        return [sys.executable, "-c", LATE, str(socket)]

    for name in ("STARTUP_TIMEOUT", "RENDER_TIMEOUT"):
        monkeypatch.setattr(katex, name, getattr(katex, name))  # put back at the end, as what follows
    monkeypatch.setattr(katex.KaTeXServer, "start_server_process", katex.KaTeXServer.start_server_process)
    monkeypatch.setattr(katex.KaTeXServer, "build_command", late)
    monkeypatch.setattr(assets, "Answering", Watched)
    assets.wait_for_katex()
    assert (
        min(katex.STARTUP_TIMEOUT, katex.RENDER_TIMEOUT) >= 60
    )  # five seconds, as the library has it, are few on a busy machine
    process, connection = katex.KaTeXServer.start_server_process(tmp_path, katex.STARTUP_TIMEOUT)
    connection.close()
    assert process.wait(katex.STARTUP_TIMEOUT) == 0 and (tmp_path / "refused").exists()


@pytest.mark.parametrize("wrong", ["http://example.org/a/b", "https://github.com/only", "someone/attention"])
def test_a_wrong_address_is_refused(wrong):
    with pytest.raises(ValueError, match="repository must be empty or https"):
        Repository.from_pyproject(wrong)


def test_readme_follows_the_address():  # that it is the one of the setting: test_files_follow_the_address
    readme = (ROOT / "README.md").read_text()
    changed = with_address(readme, Repository("https://github.com/someone/attention"))
    assert "badge.svg" in changed and changed.split(BEGIN)[0] == readme.split(BEGIN)[0]


@pytest.mark.parametrize(("address", "buttons"), [("", False), ("https://github.com/someone/attention", True)])
def test_the_repositorys_button_follows_the_address(address, buttons, monkeypatch):
    from course_book.address import set_address

    monkeypatch.setenv("COURSE_REPOSITORY", address)
    config = SimpleNamespace(html_theme_options={})
    set_address(None, config)
    assert config.html_theme_options.get("use_repository_button", False) == buttons
    assert config.html_theme_options.get("repository_url", "") == address
    assert (
        getattr(config, "html_baseurl", "") == "https://someone.github.io/attention/" * buttons
    )  # canonical links and the site map follow
