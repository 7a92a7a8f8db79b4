"""`{diagram}`: boxes and arrows from a few lines of text (grid.py says which), drawn step by step where scripts run.

    ```{diagram} A title
    :name: its-address
    :sizes: n=4 d=64

With `sizes`, what is written as a shape, `[n, d]`, at an arrow or as code in a step, can be read in numbers, and the
reader changes these.

The steps stand below as a list, in MyST: it describes the picture to who does not see it, and on paper.
"""

import json
from pathlib import Path
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .grid import Diagram

logger = logging.getLogger(__name__)


STORED = Path(__file__).resolve().parents[2] / "data/diagrams"


def sizes(text: str) -> str:
    """An option's letters and whole numbers, `n=4 d=64`, as JSON. ValueError where it holds anything else."""
    pairs = [pair.partition("=") for pair in text.split()]
    if not pairs or not all(
        letter.isalpha() and len(letter) == 1 and number.isdecimal() and int(number) for letter, _, number in pairs
    ):
        raise ValueError(f"sizes must be letters with whole numbers from 1 on, n=4 d=64, got {text!r}")
    return json.dumps({letter: int(number) for letter, _, number in pairs})


class DiagramDirective(SphinxDirective):
    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "name": directives.unchanged_required,
        "from": directives.unchanged_required,
        "sizes": sizes,
    }

    def run(self) -> list[nodes.Node]:
        title, name = self.arguments[0], nodes.make_id(self.options.get("name", self.arguments[0]))
        try:
            diagram = Diagram(stored(self, self.options["from"]) if "from" in self.options else "\n".join(self.content))
            pictures = diagram.pictures(title, f"{name}-steps")
        except ValueError as wrong:
            logger.warning(
                f"diagram {title!r}: {wrong}", location=self.get_location(), type="course", subtype="diagram"
            )
            return []
        steps = nodes.enumerated_list(ids=[f"{name}-steps"])
        for step in diagram.steps:
            text, _ = self.state.inline_text(step, self.lineno)
            steps += nodes.list_item("", nodes.paragraph("", "", *text))
        dials = f" data-sizes='{self.options['sizes']}'" if "sizes" in self.options else ""
        begin = (
            f'<figure class="course-diagram" '
            f'id="{name}"{dials}>{pictures}<figcaption><strong>{title}</strong>{diagram.key()}'
        )
        return [nodes.raw("", begin, format="html"), steps, nodes.raw("", "</figcaption></figure>", format="html")]


class PartDirective(SphinxDirective):
    """```{part} transformer cross stock: a stored picture, small, in which only these boxes are strong."""

    required_arguments = 1
    optional_arguments = 1
    final_argument_whitespace = True

    def run(self) -> list[nodes.Node]:
        file, named = self.arguments[0], set(self.arguments[1].split())
        try:
            diagram = Diagram(stored(self, file))
            if wrong := named - set(diagram.kind):
                raise ValueError(f"there is no box {', '.join(sorted(wrong))}")
            said = ", ".join(
                dict.fromkeys(" ".join(diagram.label[name]) or "the sum" for name in diagram.kind if name in named)
            )
            picture = diagram.svg(
                diagram.grids[-1], f"Where this stands in the whole picture: {said}", "", " course-dg-small", lit=named
            )
        except ValueError as wrong:
            logger.warning(
                f"part of diagram {file!r}: {wrong}", location=self.get_location(), type="course", subtype="diagram"
            )
            return []
        return [nodes.raw("", f'<figure class="course-diagram course-part">{picture}</figure>', format="html")]


def stored(directive: SphinxDirective, name: str) -> str:
    """The source of book/data/diagrams/NAME.txt; a page that shows it is made again when it changes."""
    path = STORED / f"{name}.txt"
    if not path.exists():
        raise ValueError(
            f"a stored diagram is one of {', '.join(sorted(each.stem for each in STORED.glob('*.txt')))}, got {name!r}"
        )
    directive.env.note_dependency(str(path))
    return path.read_text(encoding="utf-8")


def scripts(app, pagename, templatename, context, doctree):
    if 'class="course-diagram' in context.get("body", ""):
        app.add_css_file("course/diagram.css")
        app.add_js_file("course/diagram.js", defer="defer", priority=750)


def setup(app):
    app.add_directive("diagram", DiagramDirective)
    app.add_directive("part", PartDirective)
    app.connect("html-page-context", scripts)
