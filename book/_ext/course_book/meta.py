"""What a search engine shows of a page, and a link to it where it is shared: description and Open Graph tags.

The description is what the page's frame promises ("You will learn", a lab's "Goal"), or else its first paragraph.
(`sphinxext-opengraph` takes the first 200 letters instead: all 93 pages end within a sentence, 65 with their list of
symbols, 32 have LaTeX.) The picture needs an absolute address, so it is named where the site's own is known. A page's
one address and sitemap.xml come from Sphinx and `sphinx-sitemap`.
"""

import html
import re
import shutil
from pathlib import Path

from docutils import nodes

from tools.repository import ROOT

from .symbols import spoken

LONGEST = 200  # characters; search engines show about 160
PICTURE, SHOWS = (
    ROOT / "book/images/title.png",
    "Five words as points in a plane, each looking at the others: attention by hand.",
)
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


def tags(title: str, said: str, book: str, site: str, page: str) -> str:
    """The tags of a page; `site` is the public address with its "/" at the end, or ""."""
    named = {"og:type": "article", "og:site_name": book, "og:title": title, "og:description": said}
    if site:
        named |= {"og:url": f"{site}{page}.html", "og:image": f"{site}_static/{PICTURE.name}", "og:image:alt": SHOWS}
    found = [f'<meta name="description" content="{html.escape(said)}"/>'] if said else []
    found += [f'<meta property="{name}" content="{html.escape(value)}"/>' for name, value in named.items() if value]
    return "\n".join([*found, f'<meta name="twitter:card" content="{"summary_large_image" if site else "summary"}"/>'])


def add(app, pagename, templatename, context, doctree):
    title = re.sub(r"<[^>]+>", "", context.get("title") or app.config.html_title)
    found = tags(
        html.unescape(title),
        description(doctree) if doctree else "",
        app.config.html_title,
        app.config.html_baseurl,
        pagename,
    )
    context["metatags"] = f"{context.get('metatags', '')}\n{found}"


def publish(app, exception):
    if exception is None and app.builder.format == "html" and app.config.html_baseurl:
        shutil.copy(PICTURE, Path(app.outdir) / "_static")


def setup(app):
    app.connect("build-finished", publish)
    app.connect("html-page-context", add)
