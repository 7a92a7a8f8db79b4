"""A chapter's picture: one of its own diagrams, small beside the others on the title page (`{covers}`).
book/data/covers.txt names page and diagram.
"""

import os
import re
from functools import cache
from pathlib import Path
from typing import NamedTuple

import yaml
from docutils import nodes

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
        text = (ROOT / f"{self.page}.myst.md").read_text(encoding="utf-8")
        for block in BLOCK.finditer(text):
            if f":name: {self.name}\n" in block["options"]:
                return block["title"], Diagram(block["body"])
        raise ValueError(f"covers.txt: {self.page} has no diagram {self.name!r}")


@cache
def covers() -> dict[str, Cover]:
    """Chapter's folder → its cover, in the order of the contents."""
    found = {}
    contents = [
        (part["caption"], part["chapters"][0]["file"])
        for part in yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))["parts"]
    ]
    first = {Path(file).parts[1]: (caption, file) for caption, file in contents if file.startswith("chapters/")}
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
