"""`{live-figures}`: every live figure of the book with its question, its page, and settings worth a look.

The question stands in the page's source, as the option `question` of the cell that shows the figure; only a cell with
one is listed. The settings are those of the buttons on the page that set the figure's dials (dials.py).
"""

import html
import json
import re
from collections.abc import Iterator
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

from . import navigation

KEY, PAGE = "figures", "book/live"  # of a page's metadata; where the list stands
CALL = re.compile(r"^(?:\w+ = )?([A-Z]\w+)\(", re.M)
ADDRESS = re.compile(r'\baddress="([\w-]+)"')
BUTTON = re.compile(r'<a class="course-dials" href="(\?[^"]+)">([^<]+)</a>')
MOST = 3  # settings of a figure


def shown(doctree: nodes.document, notebook: Path) -> Iterator[dict]:
    """The page's live figures in its order: name, place, question, and settings `[query#label, words]`."""
    if not notebook.exists():
        return
    cells, known = json.loads(notebook.read_text(encoding="utf-8"))["cells"], navigation.widgets()
    buttons = [found.groups() for raw in doctree.findall(nodes.raw) for found in BUTTON.finditer(raw.astext())]
    for cell in doctree.findall(lambda node: getattr(node, "attributes", {}).get("nb_element") == "cell_code"):
        stored = cells[cell["cell_index"]]
        source, question = "".join(stored["source"]), stored["metadata"].get("question")
        if question:
            name = next(each for each in CALL.findall(source) if each in known)
            address = ADDRESS.search(source)
            mine = [
                [html.unescape(href), html.unescape(words)]
                for href, words in buttons
                if address and href.startswith(f"?{address[1]}.")
            ]
            yield {"name": name, "place": navigation.section_id(cell), "question": question, "settings": mine[:MOST]}


def collect(app, doctree) -> None:
    docname = app.env.docname
    app.env.metadata[docname][KEY] = list(shown(doctree, Path(app.srcdir) / f"{docname}.ipynb"))


def of_book(env) -> list[tuple[str, dict]]:
    """Page and figure, in the order of the contents."""
    order = [docname for _, docname in walked(env, env.config.root_doc)]
    return [(docname, figure) for docname in order for figure in env.metadata[docname].get(KEY, [])]


def walked(env, docname: str, depth: int = 0) -> Iterator[tuple[int, str]]:
    yield depth, docname
    for below in env.toctree_includes.get(docname, []):
        if below in env.found_docs:
            yield from walked(env, below, depth + 1)


class live_figures(nodes.General, nodes.Element):
    """Where the list goes, once all pages have been read."""


class LiveFigures(SphinxDirective):
    def run(self):
        return [live_figures()]


def resolve(app, doctree, docname) -> None:
    for node in list(doctree.findall(live_figures)):
        listed = nodes.bullet_list(classes=["course-live"])
        for page, figure in of_book(app.env):
            home = app.builder.get_relative_uri(docname, page)
            link = lambda words, more, home=home: nodes.reference("", words, internal=True, refuri=home + more)
            name = navigation.in_words(figure["name"]).capitalize()
            head = nodes.paragraph(
                "", "", nodes.strong("", "", link(name, f"#{figure['place']}")), nodes.Text(f". {figure['question']}")
            )
            foot = nodes.paragraph(
                "", "", nodes.Text("In "), link(app.env.titles[page].astext(), ""), classes=["course-live-where"]
            )
            for href, words in figure["settings"]:
                foot += [nodes.Text(" · "), link(words, href)]
            listed += nodes.list_item("", head, foot)
        node.replace_self(listed)


def again(app, env) -> list[str]:
    """The list is written anew with every build: any page may have changed it."""
    return [PAGE] if PAGE in env.found_docs else []


def setup(app):
    app.add_node(live_figures)
    app.add_directive("live-figures", LiveFigures)
    app.connect("doctree-read", collect, priority=700)
    app.connect("doctree-resolved", resolve)
    app.connect("env-updated", again)
