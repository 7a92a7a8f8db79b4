"""What a prediction is about: cells tagged `evidence` and blocks of class `verdict`, gathered in boxes that evidence.js
covers until the reader has predicted. Without scripts, on paper and in a notebook nothing is covered.

A box belongs to the last cell tagged `predict` before it. Of a cell only the outputs are covered: code is there to be
read.
"""

from docutils import nodes
from sphinx.util import logging

logger = logging.getLogger(__name__)
ASKS, SHOWS = "tag_predict", {"tag_evidence", "verdict"}


def warn(text: str, node: nodes.Node) -> None:
    logger.warning(text, location=node, type="course", subtype="evidence")


def shows(node: nodes.Node) -> bool:
    """A fold is still on its way to its classes here."""
    return isinstance(node, nodes.Element) and bool(SHOWS & {*node["classes"], *node.get("container_classes", [])})


def gather(app, doctree) -> None:
    asking, waiting = None, []
    for node in list(doctree.findall(nodes.Element)):
        if ASKS in node["classes"]:
            if asking is not None and not waiting:
                warn("a prediction without evidence after it: tag cells `evidence`", asking)
            asking, waiting = node, []
        elif shows(node) and not (
            isinstance(node.parent, nodes.Element) and "course-evidence" in node.parent["classes"]
        ):
            if asking is None:
                warn("evidence without a prediction before it: tag the prediction's cell `predict`", node)
                continue
            parent, at = node.parent, node.parent.index(node)
            end = next((i for i in range(at, len(parent)) if not shows(parent[i])), len(parent))
            box = nodes.container("", *parent.children[at:end], classes=["course-evidence"])
            del parent.children[at:end]
            parent.insert(at, box)
            waiting.append(box)
    if asking is not None and not waiting:
        warn("a prediction without evidence after it: tag cells `evidence`", asking)


def scripts(app, pagename, templatename, context, doctree):
    if "course-evidence" in context.get("body", ""):
        app.add_js_file("course/evidence.js", defer="defer", priority=750)


def setup(app):
    app.connect("doctree-read", gather)
    app.connect("html-page-context", scripts)
