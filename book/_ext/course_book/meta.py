"""What a search engine shows of a page, and a link to it where it is shared: description and Open Graph tags.

The description is what the page's frame promises ("You will learn", a lab's "Goal"), or else its first paragraph. A picture needs an
absolute address, so it is named where the site's own is known: the chapter's (covers.py), or the title page's. So is each page's one address,
and the list of all of them, sitemap.xml.
"""

import html
import re
import shutil
from pathlib import Path

from docutils import nodes

from tools.repository import Repository

from . import covers
from .symbols import spoken

LONGEST = 200  # characters; search engines show about 160
PICTURE = ("book/images/title.png", "Five words as points in a plane, each looking at the others: attention by hand.")
PROMISES = ("You will learn", "Goal")


def shortened(text: str) -> str:
    """At most LONGEST characters: whole sentences if one fits, else whole words."""
    text = " ".join(text.split())
    if len(text) <= LONGEST:
        return text
    cut = text[: LONGEST + 1]
    end = max(cut.rfind(f"{mark} ") for mark in ".?!")
    return cut[: end + 1] if end > LONGEST / 3 else cut[: LONGEST - 1].rsplit(" ", 1)[0].rstrip(",;:") + " …"


def words_of(paragraph: nodes.paragraph) -> str:
    """Its text, formulas as one types them."""
    return spoken(paragraph.astext())


def description(doctree: nodes.document) -> str:
    """The frame's promise, else the first paragraph that stands in a section itself, else ""."""
    for paragraph in doctree.findall(nodes.paragraph):
        first = paragraph.children[0] if paragraph.children else None
        if isinstance(first, nodes.strong) and first.astext().rstrip(":") in PROMISES:
            said = words_of(paragraph)[len(first.astext()) :].lstrip(": ")
            return shortened(said[:1].upper() + said[1:])
    plain = (each for each in doctree.findall(nodes.paragraph) if isinstance(each.parent, nodes.section))
    return next((shortened(words_of(each)) for each in plain if len(each.astext()) > 40), "")


def site() -> str:
    repository = Repository.from_environment()
    return repository.pages if repository.known else ""


def picture(page: str) -> tuple[str, str]:
    """The file of a page's card, and what it shows."""
    cover = covers.of(page)
    return (f"book/images/{cover.card.name}", cover.words) if cover else PICTURE


def tags(title: str, said: str, book: str, site: str, page: str) -> str:
    """The tags of a page; `site` is the public address with its "/" at the end, or ""."""
    named = {"og:type": "article", "og:site_name": book, "og:title": title, "og:description": said}
    found = [f'<meta name="description" content="{html.escape(said)}"/>'] if said else []
    if site:
        file, words = picture(page)
        named |= {"og:url": f"{site}{page}.html", "og:image": f"{site}_static/{file.rsplit('/', 1)[-1]}", "og:image:alt": words}
        found.append(f'<link rel="canonical" href="{site}{page}.html"/>')
    found += [f'<meta property="{name}" content="{html.escape(value)}"/>' for name, value in named.items() if value]
    return "\n".join([*found, f'<meta name="twitter:card" content="{"summary_large_image" if site else "summary"}"/>'])


def sitemap(site: str, pages: list[str]) -> str:
    """All pages' addresses, as search engines read them."""
    rows = "\n".join(f"<url><loc>{html.escape(f'{site}{page}.html')}</loc></url>" for page in sorted(pages))
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{rows}\n</urlset>\n'


def add(app, pagename, templatename, context, doctree):
    title = re.sub(r"<[^>]+>", "", context.get("title") or app.config.html_title)
    found = tags(html.unescape(title), description(doctree) if doctree else "", app.config.html_title, site(), pagename)
    context["metatags"] = f"{context.get('metatags', '')}\n{found}"


def publish(app, exception):
    if exception is None and app.builder.format == "html" and site():
        for file in {PICTURE[0], *(f"book/images/{cover.card.name}" for cover in covers.covers().values())}:
            shutil.copy(Path(app.srcdir) / file, Path(app.outdir) / "_static")
        (Path(app.outdir) / "sitemap.xml").write_text(sitemap(site(), list(app.env.found_docs)), encoding="utf-8")


def setup(app):
    app.connect("build-finished", publish)
    app.connect("html-page-context", add)
