"""Addresses that do not break: what the book has published once, it answers for ever.

book/data/addresses.txt lists every page and every anchor that was ever public; a test compares the built book with it.
book/data/moved.txt says where something has gone, one "old new" a line:
    chapters/a.html chapters/b.html              a page: a small page at the old address leads on
    chapters/a.html#old chapters/a.html#new      an anchor of a page: the new place answers to the old name too
A section that moves to another page leaves its label behind, on the sentence that says where it went.

    python book/_ext/course_book/addresses.py BUILT_BOOK    add what is new to addresses.txt
"""

import html
import posixpath
import re
import sys
from html.parser import HTMLParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
STORED = ROOT / "book/data/addresses.txt"
MOVED = ROOT / "book/data/moved.txt"
NO_PAGES = {"404.html", "genindex.html", "search.html", "prf-prf.html"}  # what Sphinx makes: their insides are not ours to keep
NAMES = "book/reference/"  # its anchors are names of the code, which may be renamed
# Made by machines and different in the next build
PASSING = re.compile(r"^(id\d+|codecell\d+|index-\d+|here-.*|cell-.*|proof-content|[0-9a-f-]{32,}|.*-\d+-\d+|cite.*|footnote.*)$")


class _Ids(HTMLParser):
    """The ids of an article: sections, labels, rows, terms, theorems. What stands in a drawing or a formula is none."""

    def __init__(self):
        super().__init__()
        self.ids, self.depth = [], 0

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        if tag == "article":
            self.depth += 1
        elif self.depth and tag in {"section", "span", "div", "tr", "dt", "li", "p"} and found.get("id"):
            self.ids.append(found["id"])

    def handle_endtag(self, tag):
        self.depth -= tag == "article"


def published(book: Path) -> list[str]:
    """Every address of a built book: page.html and page.html#anchor, sorted."""
    found = []
    for path in sorted(book.rglob("*.html")):
        page = path.relative_to(book).as_posix()
        if page.startswith("_static/") or 'http-equiv="refresh"' in (text := path.read_text(encoding="utf-8"))[:600]:
            continue
        found.append(page)
        if page not in NO_PAGES and not page.startswith(NAMES):
            reader = _Ids()
            reader.feed(text)
            found += [f"{page}#{name}" for name in dict.fromkeys(reader.ids) if not PASSING.match(name)]
    return sorted(found)


def stored() -> list[str]:
    return STORED.read_text(encoding="utf-8").split()


def moved(path: Path = MOVED) -> dict[str, str]:
    """Old address → new one. Raises ValueError for a line that is neither a page's move nor an anchor's on one page."""
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines() if path.exists() else []:
        if not line.strip() or line.startswith("# "):
            continue
        old, _, new = line.strip().partition(" ")
        (page, sign, _), (other, _, name) = old.partition("#"), new.strip().partition("#")
        if not new or not page.endswith(".html") or not other.endswith(".html") or (sign and (page != other or not name)):
            raise ValueError(f"moved.txt: a line reads 'old.html new.html' or 'page.html#old page.html#new', got {line!r}")
        found[old] = new.strip()
    return found


def missing(book: Path) -> list[str]:
    """Stored addresses to which this book has no answer: a page that leads on answers for its anchors too."""
    there = set(published(book))
    pages = {old for old in moved() if "#" not in old and (book / old).exists()}
    return [each for each in stored() if each not in there and each.partition("#")[0] not in pages]


def lead_on(app, exception):
    """Write a page at each address that has moved."""
    if exception is not None or app.builder.format != "html":
        return
    for old, new in moved().items():
        path = Path(app.outdir) / old
        if "#" in old or path.exists():
            continue
        target = html.escape(posixpath.relpath(new, posixpath.dirname(old) or "."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            f'<!doctype html><html lang="en"><meta charset="utf-8"><title>This page has moved</title>\n'
            f'<meta http-equiv="refresh" content="0; url={target}"><p>This page has moved: <a href="{target}">its new address</a>.</p></html>\n',
            encoding="utf-8",
        )


def answer(app, pagename, templatename, context, doctree):
    """Give anchors that have been renamed their old name too."""
    for old, new in moved().items():
        if old.startswith(f"{pagename}.html#") and "body" in context:
            alias, name = old.partition("#")[2], re.escape(new.partition("#")[2])
            context["body"] = re.sub(rf'(<(?:section|span|div|p|h\d)\b[^>]*\bid="{name}")', rf'<span id="{alias}"></span>\1', context["body"], count=1)


def setup(app):
    app.connect("html-page-context", answer)
    app.connect("build-finished", lead_on)


if __name__ == "__main__":
    everything = sorted({*stored(), *published(Path(sys.argv[1]))} if STORED.exists() else published(Path(sys.argv[1])))
    STORED.write_text("\n".join(everything) + "\n", encoding="utf-8")
    print(f"{len(everything)} addresses")
