"""Slides: each page of a chapter as a deck beside it, PAGE_slides.html, made from the built page's own sections by one template.

What can be shown goes onto a slide: headings, short sentences, formulas, theorems, tables, figures, live figures, predictions, code. What
is said goes into the speaker's notes: the paragraphs, and what was found. Proofs, exercises and folds stay in the page. A slide holds one
thing that needs room, or several small ones. No page of the book loads any of it, and without scripts a deck is one long handout.
"""

import json
import re
from copy import deepcopy
from pathlib import Path
from typing import NamedTuple

from lxml import html
from lxml.html import builder

from . import timetable
from .live import STATE, VIEW

HERE = Path(__file__).parent
HEADINGS = ("h1", "h2", "h3", "h4")
LEFT_OUT = {"Sources", "Exercises", "Can you skip this page?"}  # sections: references, cards, a test for readers
SHORT, VERDICT, LISTED = 260, 420, 700  # letters: a paragraph, a verdict and a list that a slide can hold
ROOM = 3  # small things on one slide
UNUSED = re.compile(r"print\.css|copybutton|togglebutton|thebe|ledger\.css|reference\.css|navigation\.css|mystnb-toggle")
SCRIPTS = (
    "vendor/reveal/reveal.js",
    "vendor/reveal/notes.js",
    "course/figures.js",
    "course/host.js",
    "course/records.js",
    "course/practice.js",
    "course/diagram.js",
    "course/slides.js",
)


class Slide:
    """One slide: its heading, what it shows, what is said to it."""

    def __init__(self, heading: str, anchor: str = "") -> None:
        self.heading, self.anchor, self.small, self.full = heading, anchor, 0, False
        self.shown: list = []
        self.notes: list = []


class Deck(NamedTuple):
    title: str
    lead: str  # what the page promises
    said: list  # what it needs and how long it takes
    stacks: list[list[Slide]]  # a stack a section


def classes(node) -> set[str]:
    return set((node.get("class") or "").split())


def words(node) -> str:
    """Its text once: a formula is in the page as MathML and as boxes."""
    found: list[str] = []

    def walk(each) -> None:
        if isinstance(each.tag, str) and each.tag != "script" and each.get("class") != "katex-mathml":
            found.append(each.text or "")
            for child in each:
                walk(child)
                found.append(child.tail or "")

    walk(node)
    return " ".join("".join(found).split())


def heading_of(section) -> str:
    found = next((child for child in section if child.tag in HEADINGS), None)
    return words(found).rstrip("#").strip() if found is not None else ""


def widget_names(node, state: dict) -> list[str]:
    """The classes of the widgets that are shown in a node."""
    ids = [
        json.loads(script.text)["model_id"]
        for script in node.iter("script")
        if script.get("type") == "application/vnd.jupyter.widget-view+json"
    ]
    return [state.get(each, {}).get("state", {}).get("_anywidget_id", "").split(".")[-1] for each in ids]


class Reader:
    """Walks through a page's sections and deals what they hold out to slides."""

    def __init__(self, state: dict) -> None:
        self.state, self.stacks = state, []

    # ---- where something goes
    @property
    def slide(self) -> Slide:
        return self.stacks[-1][-1]

    def show(self, node, full: bool) -> None:
        """On the slide that is open, or on a new one of the same heading where there is no room."""
        now = self.slide
        beside = 1 if full or now.full else ROOM - 1  # small things that may be there already
        if (full and now.full) or now.small > beside or (now.full and now.small == beside):
            self.stacks[-1].append(Slide(now.heading))
        self.slide.shown.append(deepcopy(node))
        self.slide.full |= full
        self.slide.small += not full

    def say(self, node) -> None:
        self.slide.notes.append(deepcopy(node))

    # ---- what it is
    def section(self, node, level: int) -> None:
        heading = heading_of(node)
        if heading in LEFT_OUT:
            return
        slide = Slide(heading, next((each.get("id") for each in node if each.tag == "span" and each.get("id")), node.get("id", "")))
        if level <= 2:
            self.stacks.append([slide])
        else:
            self.stacks[-1].append(slide)
        for child in node:
            self.take(child, level, evidence=False)

    def take(self, node, level: int, evidence: bool) -> None:
        kinds = classes(node)
        if not isinstance(node.tag, str) or node.tag in (*HEADINGS, "span", "script"):
            return
        if node.tag == "section":
            self.section(node, level + 1)
        elif "course-evidence" in kinds:
            for child in node:
                self.take(child, level, evidence=True)
        elif "cell" in kinds:
            self.cell(node, kinds, evidence)
        elif node.tag == "p":
            self.paragraph(node, kinds)
        elif "proof" in kinds:
            self.show(node, full=len(words(node)) > SHORT)
        elif "admonition" in kinds or node.tag in ("ul", "ol", "dl", "blockquote"):
            if len(words(node)) <= LISTED:
                self.show(node, full=False)
            else:
                self.say(node)
        elif node.tag == "details":
            if "What we found" in words(node)[:20]:
                self.say(unfolded(node))
        elif "math" in kinds:
            self.show(node, full=False)
        elif node.tag in ("figure", "table", "img") or kinds & {
            "course-scroll",
            "pst-scrollable-table-container",
            "course-figure",
            "table-wrapper",
        }:
            self.show(node, full=True)

    def paragraph(self, node, kinds: set[str]) -> None:
        text, first = words(node), next(iter(node), None)
        run_in = words(first) if first is not None and first.tag == "strong" and not (node.text or "").strip() else ""
        point = run_in if run_in.endswith((".", "?", ":")) else ""  # a heading run in, no term
        short = len(text) <= VERDICT if "verdict" in kinds else len(text) <= SHORT and not self.slide.full
        if short or point == "Try.":
            self.show(node, full=False)
            return
        if point:
            self.show(builder.P(builder.STRONG(point), builder.CLASS("slide-point")), full=False)
        self.say(node)

    def cell(self, node, kinds: set[str], evidence: bool) -> None:
        inputs = [child for child in node if "cell_input" in classes(child)]
        outputs = [child for child in node if "cell_output" in classes(child)]
        names = widget_names(node, self.state)
        if "tag_hide-cell" in kinds or "ExerciseWidget" in names:
            return
        hidden = kinds & {"tag_hide-input", "tag_remove-input"}
        kept = outputs if hidden else inputs + outputs
        if not any(words(each) or each.xpath(".//script|.//img|.//svg") for each in kept):
            return
        box = builder.DIV(*[deepcopy(each) for each in kept])
        box.set("class", f"cell docutils container{' tag_predict' if 'tag_predict' in kinds else ''}")
        self.show(builder.DIV(box, builder.CLASS("course-evidence")) if evidence else box, full=True)


def unfolded(details):
    """A fold's content without its handle."""
    copy = deepcopy(details)
    for summary in copy.findall("summary"):
        copy.remove(summary)
    copy.tag, copy.attrib["class"] = "div", "slide-found"
    copy.attrib.pop("id", None)
    return copy


def read(page, state: dict) -> Deck:
    """The deck of a built page. ValueError where it has no article with a heading."""
    top = next(iter(page.xpath('//article[contains(@class, "bd-article")]/section')), None)
    if top is None or not heading_of(top):
        raise ValueError("no article with a heading")
    reader = Reader(state)
    lead, said = "", []
    for part in top.xpath('./div[contains(@class, "tip")]/p[strong]'):
        text = words(part)
        if text.startswith(("You will learn", "Goal")):
            lead = re.sub(r"^(You will learn|Goal)\W*", "", text)
        else:
            said.append(deepcopy(part))
    for box in top.xpath('./div[contains(@class, "tip")] | ./details'):
        box.drop_tree()
    reader.section(top, 1)
    stacks = [[slide for slide in stack if slide.shown or slide.notes] for stack in reader.stacks]
    return Deck(heading_of(top), lead[:1].upper() + lead[1:], said, [stack for stack in stacks if stack])


# ------------------------------------------------------------------------------------------------------------ writing
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
    app.connect("build-finished", publish, priority=900)
