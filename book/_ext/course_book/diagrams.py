"""`{diagram}`: boxes and arrows from a few lines of text (grid.py says which), drawn step by step where scripts run.

    ```{diagram} A title
    :name: its-address

The steps stand below as a list, in MyST: it describes the picture to who does not see it, and on paper.
"""

from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from .grid import Diagram

logger = logging.getLogger(__name__)


class DiagramDirective(SphinxDirective):
    has_content = True
    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"name": directives.unchanged_required}

    def run(self) -> list[nodes.Node]:
        title, name = self.arguments[0], nodes.make_id(self.options.get("name", self.arguments[0]))
        try:
            diagram = Diagram("\n".join(self.content))
            pictures = diagram.pictures(title, f"{name}-steps")
        except ValueError as wrong:
            logger.warning(f"diagram {title!r}: {wrong}", location=self.get_location(), type="course", subtype="diagram")
            return []
        steps = nodes.enumerated_list(ids=[f"{name}-steps"])
        for step in diagram.steps:
            text, _ = self.state.inline_text(step, self.lineno)
            steps += nodes.list_item("", nodes.paragraph("", "", *text))
        begin = f'<figure class="course-diagram" id="{name}">{pictures}<figcaption><strong>{title}</strong>{diagram.key()}'
        return [nodes.raw("", begin, format="html"), steps, nodes.raw("", "</figcaption></figure>", format="html")]


def scripts(app, pagename, templatename, context, doctree):
    if 'class="course-diagram"' in context.get("body", ""):
        app.add_css_file("course/diagram.css")
        app.add_js_file("course/diagram.js", defer="defer", priority=750)


def setup(app):
    app.add_directive("diagram", DiagramDirective)
    app.connect("html-page-context", scripts)
