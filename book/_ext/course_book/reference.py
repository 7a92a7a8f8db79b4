"""The reference: `course_lib`, module by module, written from its source (public reads it), with each definition's code
in a fold.

A page of it lists modules; a package stands for its modules too:

    ```{modules}
    attention
    recurrent
    ```

The docstrings are plain text: a paragraph is a paragraph, what stands between backticks is code, and leads to its own
entry where it has one; indented lines keep their form. (autodoc takes 20 s of a build for what takes one here, reads
Markdown's backticks as titles of books, and puts a thousand lines into the index.) The entries are found by the book's
search, behind its pages: static/finder.js.
"""

import re
from functools import cache
from pathlib import Path

from docutils import nodes
from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import PythonLexer
from sphinx.domains import Domain, ObjType
from sphinx.util.docutils import SphinxDirective

from .public import Entry, Module, defined, modules

ROOT = Path(__file__).resolve().parents[3]
PAGES = ROOT / "book/reference"
LISTED = re.compile(r"```\{modules\}\n(.*?)```", re.S)
LEXER, FORMATTER = PythonLexer(stripnl=False), HtmlFormatter(nowrap=True)


def expanded(listed: str) -> list[str]:
    """The modules of a list, by their full names: after each package its modules, in the order in which it imports
    them."""
    found = []
    for word in listed.split():
        name = word if word == "course_lib" else f"course_lib.{word}"
        known = modules()
        if name not in known:
            raise ValueError(f"{{modules}}: course_lib has no module {word!r}")
        below = [each for each in known if each.startswith(f"{name}.")] if word != "course_lib" else []
        first = [path.rpartition(".")[0] for path in known[name].names.values()]
        found += [name, *sorted(below, key=lambda each: (first.index(each) if each in first else len(first), each))]
    return found


@cache
def pages() -> dict[str, str]:
    """Module → the page of the book that has it. ValueError where two pages have it."""
    found = {}
    for path in sorted(PAGES.glob("*.md")):
        for listed in LISTED.findall(path.read_text(encoding="utf-8")):
            for name in expanded(listed):
                if name in found:
                    raise ValueError(f"{path.name}: {name} is in the reference already, in {found[name]}")
                found[name] = f"book/reference/{path.stem}"
    return found


def place(path: str) -> tuple[str, str] | None:
    """The page and the anchor of what is imported as `path`, by any of its names; None for what the reference does not
    have."""
    full = defined(path)
    home = full
    while home and home not in pages():
        home = home.rpartition(".")[0]
    return (pages()[home], full) if full and home else None


class source(nodes.Element):
    """A definition's code, folded. It is no text of the page: the search does not look into it."""


def visit_source(self, node):
    shown = highlight(node["code"], LEXER, FORMATTER)
    self.body.append(
        f'<details class="course-source"><summary>Code<span class="course-unseen"> of {node["name"]}</span></summary>'
        f'<div class="highlight"><pre>{shown}</pre></div></details>'
    )


class Modules(SphinxDirective):
    has_content = True

    def run(self):
        self.known, made = modules(), []
        for name in expanded("\n".join(self.content)):
            section = self.module(self.known[name])
            if made and made[-1]["ids"] != ["course_lib"] and name.startswith(f"{made[-1]['ids'][0]}."):
                made[-1] += section
            else:
                made.append(section)
        return made

    def module(self, module: Module) -> nodes.section:
        self.names = module.names
        self.env.note_dependency(str(ROOT / module.path))
        title = nodes.title("", module.name.removeprefix("course_lib."))
        made = nodes.section("", title, ids=[module.name], names=[module.name], classes=["course-module"])
        made["support_smartquotes"] = False  # a docstring's X' and "..." stay what they are
        made += self.text(module.text)
        made += nodes.paragraph(
            "", "", nodes.Text("File "), nodes.literal("", str(module.path)), classes=["course-file"]
        )
        if module.entries:
            made += self.entries(module.entries, module.name)
        return made

    def entries(self, listed: list[Entry], owner: str) -> nodes.definition_list:
        made = nodes.definition_list(classes=["course-api"])
        for entry in listed:
            said = nodes.definition("", *self.text(entry.text))
            if entry.within:
                said += self.entries(entry.within, f"{owner}.{entry.name}")
            if entry.code:
                said += source(code=entry.code, name=entry.name)
            made += nodes.definition_list_item("", self.signature(entry, owner), said)
        return made

    def signature(self, entry: Entry, owner: str) -> nodes.term:
        made = nodes.term(ids=[f"{owner}.{name}" for name in entry.names])
        if entry.kind == "class":
            made += nodes.inline("", "class ", classes=["course-kind"])
        begin = ", ".join(entry.names)
        begin = begin if entry.signature.startswith(begin) else entry.name
        made += nodes.strong("", begin)
        rest, last = entry.signature.removeprefix(begin), 0
        for word in re.finditer(r'"[^"]*"|[A-Z]\w*', rest):
            link = None if word[0][0] == '"' else self.link(word[0], nodes.Text(word[0]), but=f"{owner}.{entry.name}")
            if link is not None:
                made += [nodes.Text(rest[last : word.start()]), link]
                last = word.end()
        made += nodes.Text(rest[last:])
        return made

    def link(self, words: str, shown: nodes.Node, but: str = "") -> nodes.reference | None:
        """To the entry of what a name, or names with dots between them, stand for in this module."""
        first, dot, rest = words.partition(".")
        at = self.names.get(first) and place(f"{self.names[first]}{dot}{rest}")
        if not at or at[1] == but:
            return None
        uri = self.env.app.builder.get_relative_uri(self.env.docname, at[0])
        return nodes.reference("", "", shown, internal=True, refuri=f"{uri}#{at[1]}")

    def text(self, text: str) -> list[nodes.Node]:
        made = []
        for block in filter(str.strip, re.split(r"\n\s*\n", text)):
            if "\n    " in f"\n{block}":
                made.append(nodes.literal_block("", block, language="none"))
            elif block.startswith("- "):
                listed = [nodes.list_item("", self.line(each[2:])) for each in re.split(r"\n(?=- )", block)]
                made.append(nodes.bullet_list("", *listed))
            else:
                made.append(self.line(block))
        return made

    def line(self, text: str) -> nodes.paragraph:
        made = nodes.paragraph()
        for i, part in enumerate(re.split(r"`+([^`]+)`+", re.sub(r"\s*\n\s*", " ", text))):
            if i % 2:
                code = nodes.literal("", part)
                made += self.link(part.removesuffix("()"), code) or code
            elif part:
                made += nodes.Text(part)
        return made


class Names(Domain):
    """For the search alone: every public name with its anchor, under its own name without its module's, which would
    answer for all of them."""

    name, label = "course", "course_lib"
    object_types = {"name": ObjType("in course_lib")}  # noqa: RUF012

    def get_objects(self):
        met = set()
        for module, page in pages().items():
            for entry in modules()[module].entries:
                for name in entry.names:
                    shown = name if name not in met else f"{module.rpartition('.')[2]}.{name}"
                    met.add(name)
                    yield shown, shown, "name", page, f"{module}.{name}", 2

    def resolve_any_xref(self, *arguments):
        return []

    def merge_domaindata(self, docnames, otherdata):
        """It has no data of its own."""


def setup(app):
    app.add_node(source, html=(visit_source, lambda self, node: None))
    app.add_directive("modules", Modules)
    app.add_domain(Names)
    app.add_css_file("course/reference.css")
