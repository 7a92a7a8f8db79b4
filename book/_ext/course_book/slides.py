"""Slides: each page of a chapter as a deck beside it, PAGE_slides.html, made from the built page's own sections by one template.

slide_reader says what goes onto which slide. No page of the book loads any of this, and without scripts a deck is one long handout.
"""

import json
import re
from copy import deepcopy
from pathlib import Path

from lxml import html

from . import timetable
from .live import STATE, VIEW
from .slide_reader import Slide, read

HERE = Path(__file__).parent
UNUSED = re.compile(r"print\.css|copybutton|togglebutton|thebe|ledger\.css|reference\.css|navigation\.css|mystnb-toggle")
SCRIPTS = (
    "vendor/reveal/reveal.js",
    "vendor/reveal/notes.js",
    "course/host.js",  # first of ours: the others ask it where things lie
    "course/figures.js",
    "course/memory.js",
    "course/records.js",
    "course/practice.js",
    "course/diagram.js",
    "course/slides.js",
)


def rendered(nodes: list, page: str) -> str:
    """HTML of a slide's parts. Links within the page lead to the page: here is another one."""
    for node in nodes:
        node.tail = None
        for link in node.xpath(".//a[@href]"):
            if link.get("href").startswith(("#", "?")):
                link.set("href", f"{page}{link.get('href')}")
            link.attrib.pop("class", None)
        for mark in node.xpath(
            './/a[@title="Link to this heading" or @title="Link to this image" or @title="Link to this code"] | .//span[@id and not(node())]'
        ):
            mark.drop_tree()
        for each in node.xpath('.//*[contains(@class, "course-widget")]'):
            each.set("data-prevent-swipe", "")
    return "".join(html.tostring(node, encoding="unicode") for node in nodes)


def section_html(slide: Slide, page: str, seen: set[str]) -> str:
    name = f' id="{slide.anchor}"' if slide.anchor and slide.anchor not in seen else ""
    seen.add(slide.anchor)
    notes = f'<aside class="notes">{rendered(slide.notes, page)}</aside>' if slide.notes else ""
    body = rendered(slide.shown, page)
    kind = ' class="slide-heading"' if not body else ""
    return f"<section{name}{kind}><h2>{html_text(slide.heading)}</h2>{body}{notes}</section>"


def html_text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")


def used(state: dict, deck: str) -> dict:
    """The state of the widgets that the deck shows; each waits until its slide is near (host.js)."""
    names, waiting = set(), [json.loads(each)["model_id"] for each in VIEW.findall(deck)]
    while waiting:
        name = waiting.pop()
        if name in state and name not in names:
            names.add(name)
            waiting += re.findall(r"IPY_MODEL_([0-9a-f]{32})", json.dumps(state[name]))
    kept = {name: deepcopy(model) for name, model in state.items() if name in names}
    for model in kept.values():
        model["state"]["heavy"] = True
    return {"state": kept}


def written(source: str, path: str, part: str, after: tuple[str, str] | None) -> str:
    """The deck's page. `source` is the built page's HTML, `path` its path without suffix, `after` the next page's path and title."""
    page = html.document_fromstring(source, parser=html.HTMLParser(encoding="utf-8"))
    stored = page.xpath(f'//script[@type="{STATE}"]')
    state = json.loads(stored[0].text)["state"] if stored else {}
    deck, name = read(page, state), f"{path.rsplit('/', 1)[-1]}.html"
    root = "../" * path.count("/")
    styles = [link for link in page.xpath('//head/link[@rel="stylesheet"]') if not UNUSED.search(link.get("href"))]
    seen: set[str] = set()
    stacks = "".join(f"<section>{''.join(section_html(slide, name, seen) for slide in stack)}</section>" for stack in deck.stacks)
    onward = (
        f'<p>Next: <a href="{Path(after[0]).name if Path(after[0]).parent == Path(path).parent else root + after[0]}_slides.html">{html_text(after[1])}</a></p>'
        if after
        else ""
    )
    body = (
        f'<section id="title"><p class="slide-part">{html_text(part)}</p><h1>{html_text(deck.title)}</h1><p class="slide-lead">{html_text(deck.lead)}</p>'
        f'<p class="slide-ways"><a href="{name}">The page</a> <a href="?handout">Handout, to print</a> <span class="slide-keys">Keys: → next, Esc overview, S speaker’s view, ? all</span></p>'
        f'<aside class="notes">{rendered(deck.said, name)}</aside></section>{stacks}'
        f'<section id="end"><h2>To try</h2><p>The exercises are at the end of <a href="{name}#exercises">the page</a>, each with three hints and a solution.</p>{onward}</section>'
    )
    kept = json.dumps(used(state, body), separators=(",", ":")).replace("</", "<\\/")
    links = "".join(f'<link rel="stylesheet" href="{link.get("href")}">' for link in styles)
    more = "".join(f'<link rel="stylesheet" href="{root}_static/{each}">' for each in ("vendor/reveal/reveal.css", "course/slides.css"))
    scripts = "".join(f'<script defer src="{root}_static/{each}"></script>' for each in SCRIPTS)
    early = (HERE / "static" / "slides_early.js").read_text(encoding="utf-8")
    return (
        f'<!DOCTYPE html>\n<html lang="en" data-content_root="{root}" data-theme="light"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<meta name="robots" content="noindex"><title>Slides: {html_text(deck.title)}</title><script>{early}</script>{links}{more}{scripts}'
        f'<script type="{STATE}">{kept}</script></head><body class="course-slides"><div class="reveal"><div class="slides bd-article">{body}</div></div></body></html>\n'
    )


def address(path: str) -> str:
    return f"{path}_slides.html"


def publish(app, exception) -> None:
    if exception is not None or app.builder.format != "html":
        return
    out = Path(app.outdir)
    for caption, pages in timetable.parts().items():
        if pages[0].path.startswith("chapters/"):
            for page, after in zip(pages, [*pages[1:], None], strict=True):
                text = (out / f"{page.path}.html").read_text(encoding="utf-8")
                (out / address(page.path)).write_text(
                    written(text, page.path, caption, after and (after.path, after.title)), encoding="utf-8"
                )


def setup(app):
    app.connect("build-finished", publish, priority=960)  # when the pages are as they will be
