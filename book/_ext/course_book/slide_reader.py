"""What of a page goes onto which slide: its sections, walked through once. slides.py writes the deck.

What can be shown goes onto a slide: headings, short sentences, formulas, theorems, tables, figures, live figures, predictions, code. What
is said goes into the speaker's notes: the paragraphs, and what was found. Proofs, exercises and folds stay in the page. A slide holds one
thing that needs room, or several small ones.
"""

import json
import re
from copy import deepcopy
from typing import NamedTuple

from lxml.html import builder

HEADINGS = ("h1", "h2", "h3", "h4")
LEFT_OUT = {"Sources", "Exercises", "Can you skip this page?"}  # sections: references, cards, a test for readers
SHORT, VERDICT, LISTED = 260, 420, 700  # letters: a paragraph, a verdict and a list that a slide can hold
ROOM = 3  # small things on one slide


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
