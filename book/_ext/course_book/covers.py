"""A chapter's picture: one of its own diagrams, small beside the others on the title page (`{covers}`).
book/data/covers.txt names page and diagram.
"""

import os
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docutils import nodes

from tools.book import contents
from tools.repository import ROOT

from .grid import Diagram
from .timetable import HOME, _FromPages

LIST = ROOT / "book/data/covers.txt"
BLOCK = re.compile(r"^```\{diagram\} (?P<title>.+)\n(?P<options>(?::\w+:.*\n)*)(?P<body>(?:.*\n)*?)```$", re.M)


class Cover(NamedTuple):
    """The picture of a chapter: its title, the page and the name of the diagram, and the chapter's first page."""

    chapter: str
    page: str
    name: str
    first: str

    def diagram(self) -> tuple[str, Diagram]:
        """Its title, and itself. ValueError where the page has none of that name."""
        for block in BLOCK.finditer(contents.text(self.page)):
            if f":name: {self.name}\n" in block["options"]:
                return block["title"], Diagram(block["body"])
        raise ValueError(f"covers.txt: {self.page} has no diagram {self.name!r}")


@cache
def covers() -> dict[str, Cover]:
    """Chapter's folder → its cover, in the order of the contents."""
    found = {}
    begin = [(caption, pages[0]) for caption, pages in contents.parts().items()]
    first = {Path(page).parts[1]: (caption, page) for caption, page in begin if page.startswith("chapters/")}
    for line in LIST.read_text(encoding="utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            page, name = line.split()
            folder = Path(page).parts[1]
            caption, start = first[folder]
            found[folder] = Cover(caption, page, name, start)
    return found


class Covers(_FromPages):
    """`{covers}`: the chapters as pictures, each a link to the chapter's first page."""

    def run(self) -> list[nodes.Node]:
        self.pages()
        items = []
        for cover in covers().values():
            title, diagram = cover.diagram()
            picture = diagram.svg(diagram.grids[-1], title, "", " course-dg-small")
            items.append(
                f'<li><a href="{os.path.relpath(cover.first, HOME)}.html"><span '
                f'class="course-diagram">{picture}</span><span>{cover.chapter}</span></a></li>'
            )
        return [nodes.raw("", f'<ul class="course-covers">{"".join(items)}</ul>', format="html")]


def setup(app):
    app.add_directive("covers", Covers)
    app.connect("builder-inited", lambda app: covers.cache_clear())
