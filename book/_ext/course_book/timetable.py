"""What pages say of themselves: what each needs, and how long it takes; made from their own frames, so that nothing can
disagree with them.

    {prerequisites}         which chapter needs which, and how long each takes, as a drawing and in words

A page's frame is the admonition at its top, "You will learn", "You need" and "It takes"; a lab says "Goal".
"""

import html
import os
import re
from collections import defaultdict
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

from tools.book import contents

ROOT = Path(__file__).resolve().parents[3]

HOME = "book"  # where the pages with this directive lie: their links start there
LINK = re.compile(r"\]\(([^)#:\s]+)(#[^)\s]*)?\)")
REF = re.compile(r"\{ref\}`(?:[^`<]*<)?([\w-]+)>?`")
LABEL = re.compile(r"^\(([\w-]+)\)=$", re.M)
PART = re.compile(r"\*\*(You need|It takes)\*\*:?\s*(.+?)(?=\n\n|\n```)", re.S)
WIDE, HIGH, GAP = 196, 52, 26  # of a box of the drawing, and the gap between two
NBSP = "\N{NO-BREAK SPACE}"


class Page(NamedTuple):
    """A page's frame; its need in MyST with links that hold from the book's front matter."""

    path: str  # below the root, without suffix
    title: str
    need: str
    takes: str


def page(path: str) -> Page:
    text = contents.text(path)
    parts = {name: " ".join(body.split()) for name, body in PART.findall(text)}

    def moved(match: re.Match) -> str:
        target = os.path.normpath(os.path.join(os.path.dirname(path), match[1]))
        return f"]({os.path.relpath(target, HOME)}{match[2] or ''})"

    takes = re.split(r"[.,;]", parts["It takes"])[0].removeprefix("about ")
    title = re.search(r"^# (.+)$", text, re.M)[1]
    return Page(path, title, LINK.sub(moved, parts["You need"]), takes)


def parts() -> dict[str, list[Page]]:
    """Pages with a frame, by the caption of their part of the table of contents."""
    framed = {
        part: [page(path) for path in paths if path.startswith(("chapters/", "labs/"))]
        for part, paths in contents.parts().items()
    }
    return {part: pages for part, pages in framed.items() if pages}


@cache
def labels() -> dict[str, str]:
    """Label → the path of the page in which it stands."""
    pages = [path for path in contents.pages() if path.startswith(("chapters/", "labs/"))]
    return {label: path for path in pages for label in LABEL.findall(contents.text(path))}


def wants(need: str) -> list[str]:
    """The paths that a "You need" names, by a link or by a label."""
    linked = [os.path.normpath(os.path.join(HOME, target)) for target, _ in LINK.findall(need)]
    return [*linked, *(labels()[label] for label in REF.findall(need) if label in labels())]


def asking(pages: dict[str, list[Page]]) -> dict[str, dict[str, set[str]]]:
    """Part → each other part that its pages name under "You need" → the paths of these pages."""
    home = {each.path: part for part, listed in pages.items() for each in listed}
    found = defaultdict(lambda: defaultdict(set))
    for part, listed in pages.items():
        for each in listed:
            for target in wants(each.need):
                other = home.get(target)
                if other and other != part:
                    found[part][other].add(each.path)
    return found


def needed(pages: dict[str, list[Page]]) -> dict[str, set[str]]:
    """Part → the other parts that its pages name under "You need"."""
    return defaultdict(set, {part: set(others) for part, others in asking(pages).items()})


def minutes(takes: str) -> float:
    numbers = [int(number) for number in re.findall(r"\d+", takes)]
    return sum(numbers) / len(numbers)


def in_hours(hours: float) -> str:
    """To half an hour: 1 hour, 1.5 hours."""
    half = round(2 * hours) / 2
    return f"{half:g} {'hour' if half == 1 else 'hours'}"


class _FromPages(SphinxDirective):
    def pages(self) -> dict[str, list[Page]]:
        found = parts()
        for path in (contents.TOC, *(ROOT / f"{each.path}.myst.md" for listed in found.values() for each in listed)):
            self.env.note_dependency(str(path))
        return found

    def markdown(self, lines: list[str]) -> list[nodes.Node]:
        box = nodes.container()
        self.state.nested_parse(StringList(lines, source=self.env.docname), self.content_offset, box)
        return box.children


class Prerequisites(_FromPages):
    def run(self):
        pages = {caption: listed for caption, listed in self.pages().items() if not listed[0].path.startswith("labs/")}
        order, before = list(pages), needed(pages)
        asked = set().union(*before.values())
        drawn = [caption for caption in order if before[caption] or caption in asked]
        hours = {caption: sum(minutes(each.takes) for each in listed) / 60 for caption, listed in pages.items()}
        who = asking(pages)

        def asks(caption: str, other: str) -> str:
            return f"{other} ({len(who[caption][other])} of the {len(pages[caption])} pages here ask for it)"

        def needs(caption: str) -> str:
            asked = [asks(caption, other) for other in sorted(before[caption], key=order.index)]
            return f"{caption} needs {', '.join(asked) or 'nothing before it'}"

        said = {caption: needs(caption) for caption in order}
        for caption in set(order) - set(drawn):
            said[caption] += ", and no page asks for it: it is there for whoever wants it"
        first = {caption: os.path.relpath(listed[0].path, HOME) for caption, listed in pages.items()}
        listed = self.markdown(
            [
                f"- [{caption}]({first[caption]}), about {in_hours(hours[caption])}:{each.removeprefix(caption)}."
                for caption, each in said.items()
            ]
            + [
                "",
                (
                    f"All of them together take about {sum(hours.values()):.0f} hours, without the folded proofs; "
                    f"nobody needs all."
                ),
            ]
        )
        words = "; ".join(said[caption] for caption in drawn) + "."
        under = {caption: f"about {in_hours(hours[caption])}" for caption in drawn}
        return [
            nodes.raw(
                "",
                (
                    f'<figure class="course-graph" aria-label="What needs '
                    f'what">{drawing(drawn, before, words, under)}</figure>'
                ),
                format="html",
            ),
            *listed,
        ]


def drawing(order: list[str], before: dict[str, set[str]], words: str, under: dict[str, str]) -> str:
    """An SVG: the parts in one column, with what stands `under` their names. A line goes straight to the next part; to
    later ones all lines of a part run down beside the column, and a dot marks where one leaves."""
    later = {first: [each for each in order[i + 2 :] if first in before[each]] for i, first in enumerate(order)}
    lanes = {first: 8 + 14 * i for i, first in enumerate(each for each in order if later[each])}
    left = 14 * len(lanes) + 10
    middle = {caption: HIGH / 2 + 2 + i * (HIGH + GAP) for i, caption in enumerate(order)}
    parts = [
        f'<path d="M{left + WIDE / 2} {middle[first] + HIGH / 2}V{middle[after] - HIGH / 2}"/>'
        for first, after in pairwise(order) if first in before[after]
    ]  # fmt: skip
    for first, lane in lanes.items():
        enter = {
            each: middle[each] - HIGH / 2 + 10 + 10 * list(lanes).index(first) for each in later[first]
        }  # lines of two parts do not lie on each other
        ends = "".join(f"M{lane} {y}H{left}" for y in enter.values())
        parts.append(f'<path d="M{left} {middle[first]}H{lane}V{max(enter.values())}{ends}"/>')
        parts += [f'<circle cx="{lane}" cy="{y}" r="3"/>' for y in enter.values()]
    for each, y in middle.items():
        x = left + WIDE / 2
        parts.append(
            f'<rect x="{left}" y="{y - HIGH / 2:.0f}" width="{WIDE}" height="{HIGH}" rx="8"/><text x="{x:.0f}" '
            f'y="{y - 4:.0f}">{html.escape(each)}</text>'
            f'<text x="{x:.0f}" y="{y + 15:.0f}" class="course-graph-time">{html.escape(under[each])}</text>'
        )
    return (
        f'<svg viewBox="0 0 {left + WIDE + 2} {middle[order[-1]] + HIGH / 2 + 2:.0f}" role="img" '
        f'aria-label="{html.escape(words)}">{"".join(parts)}</svg>'
    )


def setup(app):
    app.add_directive("prerequisites", Prerequisites)
