"""Ways into the book: the index, the list from Italian, the version at the foot of each page.

The index is made from what the pages say, so that it cannot name what is not there:
    terms       of the glossary, at the section where each is introduced, and their Italian words
    theorems    by their titles, under theorem, lemma, proposition, …
    widgets     where a cell shows one, all under "widget"
    people      where their work is cited, from book/references.bib
    symbols     the rows of the notation table
The same entries are what the search finds first.
"""

import json
import re
import unicodedata
from functools import cache
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from pybtex.database import parse_file
from pybtex.richtext import Text
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import course_lib.widgets

from .symbols import anchor

ROOT = Path(__file__).resolve().parents[3]
GLOSSARY = ROOT / "book/glossary.md"
BIBLIOGRAPHY = ROOT / "book/references.bib"
ENTRY = re.compile(
    r"^(?P<term>\S.*)\n  (?P<meaning>.+)\n\n  Italian: (?P<italian>.+)\. See \{(?:prf:)?ref\}`(?:[^`<]+ <(?=.+>`))?(?P<place>[\w-]+)>?`\.?$", re.M
)
WORD = re.compile(r"\*([^*]+)\*(?: \(([LPSRG, ]+)\))?")
WIDGET = re.compile(r"^(?:\w+ = )?([A-Z]\w+)\(", re.M)


class Term(NamedTuple):
    """A glossary entry. `italian` lists its Italian words, each with the letters of the documents that use it."""

    name: str
    meaning: str
    italian: list[tuple[str, str]]
    place: str  # a label of the section, or theorem, where it is introduced


def terms(text: str | None = None) -> list[Term]:
    """The entries of the glossary, in its order. Raises ValueError for an entry without Italian word or place."""
    body = (text or GLOSSARY.read_text(encoding="utf-8")).split("```{glossary}\n")[1].split("\n```")[0]
    found = [Term(each["term"], each["meaning"], WORD.findall(each["italian"]), each["place"]) for each in ENTRY.finditer(body)]
    heads = re.findall(r"^\S.*$", body, re.M)
    wrong = [head for head in heads if head not in {each.name for each in found}]
    if wrong:
        raise ValueError(f"glossary.md: an entry takes a meaning and a line 'Italian: *…*. See {{ref}}`…`.', not so: {wrong}")
    return found


@cache
def people() -> dict[str, list[str]]:
    """Bibliography key → names as an index sorts them, "Bahdanau, Dzmitry": up to three, of more the first."""
    found = {}
    for key, entry in parse_file(str(BIBLIOGRAPHY)).entries.items():
        authors = entry.persons.get("author") or entry.persons.get("editor") or []
        listed = authors if len(authors) <= 3 else authors[:1]
        names = [" ".join([*each.prelast_names, *each.last_names]) + (f", {' '.join(each.first_names)}" if each.first_names else "") for each in listed]
        found[key] = [str(Text.from_latex(name)) for name in names]
    return found


def widgets() -> set[str]:
    """The classes that a cell may show; an exercise is no entry."""
    return {name for name in dir(course_lib.widgets) if name not in {"CourseWidget", "ExerciseWidget"} and name[0].isupper()}


def in_words(name: str) -> str:
    """AttentionByHand → attention by hand."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).lower()


def section_id(node: nodes.Node) -> str:
    """The id of the section around a node: the label that its author gave, if there is one."""
    while node is not None and not (isinstance(node, nodes.section) and node["ids"]):
        node = node.parent
    return node["ids"][-1] if node is not None else ""


def clean(value: str) -> str:
    """A title without the sign that would make it two entries."""
    return value.replace(";", ",").strip()


def without_brackets(title: str) -> str:
    """A theorem's title without the brackets around all of it: (Universality (Cybenko)) keeps those of the name."""
    title = title.strip()
    return title[1:-1].strip() if title.startswith("(") and title.endswith(")") else title


class IndexEntries(SphinxTransform):
    """Put the page's entries into it, before Sphinx collects them."""

    default_priority = 820

    def apply(self, **kwargs):
        entries = [*self.theorems(), *self.cited(), *self.shown(), *self.introduced()]
        if entries and self.document.children:
            unique = dict.fromkeys(("single", value, target, "", None) for value, target in entries if target)
            self.document.insert(0, addnodes.index(entries=list(unique), inline=False))

    def theorems(self):
        for node in self.document.findall(lambda node: "realtype" in getattr(node, "attributes", {})):
            title = without_brackets(next(node.findall(nodes.title)).astext())
            if title and node["ids"]:
                yield f"{node['realtype']}; {clean(title)}", node["ids"][0]

    def cited(self):
        for node in self.document.findall(addnodes.pending_xref):
            if node.get("refdomain") == "cite":
                for key in node["reftarget"].split(","):
                    for name in people().get(key.strip(), []):
                        yield name, section_id(node)

    def shown(self):
        path = Path(self.document["source"])
        if path.suffix != ".ipynb":
            return
        cells, known = json.loads(path.read_text(encoding="utf-8"))["cells"], widgets()
        for node in self.document.findall(lambda node: getattr(node, "attributes", {}).get("nb_element") == "cell_code"):
            source = "".join(cells[node["cell_index"]]["source"])  # the page may hide it
            for name in WIDGET.findall(source):
                if name in known:
                    yield f"widget; {in_words(name)}", section_id(node)

    def introduced(self):
        here = {each for node in self.document.findall(nodes.Element) for each in node["ids"]}
        for term in terms():
            if term.place in here:
                yield term.name, term.place


class Italian(SphinxDirective):
    """`{italian}`: the glossary the other way round, from the Italian word to the English entry."""

    def run(self):
        self.env.note_dependency(str(GLOSSARY))
        words = sorted(((word, letters, term.name) for term in terms() for word, letters in term.italian), key=lambda row: row[0].lower())
        listed, entries = nodes.bullet_list(classes=["course-italian"]), []
        for number, (word, letters, name) in enumerate(words):
            place = f"italian-{nodes.make_id(word)}"
            known = {each for item in listed for each in item["ids"]}
            place = f"{place}-{number}" if place in known else place  # one word, two entries
            link = addnodes.pending_xref(
                "", nodes.inline("", name), refdomain="std", reftype="term", reftarget=name, refexplicit=True, refwarn=True, refdoc=self.env.docname
            )  # fmt: skip
            italian = nodes.emphasis("", word, language="it", classes=["course-it"])
            item = nodes.list_item("", nodes.paragraph("", "", italian, nodes.Text(f" ({letters}) → " if letters else " → "), link), ids=[place])
            listed += item
            if word.lower() != name.lower():
                entries.append(("single", clean(word), place, "", None))
        return [addnodes.index(entries=entries, inline=False), listed]


class SymbolEntries(SphinxTransform):
    """The rows of the notation table, symbol by symbol."""

    default_priority = 821

    def apply(self, **kwargs):
        if self.env.docname != "book/notation":
            return
        from course_lib import SYMBOLS

        entries = [
            ("single", clean(each), anchor(name), "", None) for name in SYMBOLS for each in (name.split(", ") if "(" not in name else [name])
        ]
        self.document.insert(0, addnodes.index(entries=entries, inline=False))


def greek_together(app, page: str, template: str, context: dict, doctree) -> None:
    """In the index one heading for all Greek letters: a capital Β looks like a second B."""
    if "genindexentries" not in context:  # the table of contents has a page of this name too
        return
    groups = list(zip(context["genindexentries"], context["genindexcounts"], strict=True))
    greek = [each for each in groups if unicodedata.name(each[0][0][0], "").startswith("GREEK")]
    if greek:
        groups = [each for each in groups if each not in greek]
        groups.append((("Greek", [entry for (_, entries), _ in greek for entry in entries]), sum(count for _, count in greek)))
    context["genindexentries"], context["genindexcounts"] = map(list, zip(*groups, strict=True))


def footer(app, config):
    """Which book is this? The footer says."""
    from course_lib import __version__

    words = f'<p class="course-version">Version {__version__}.</p>'
    config.html_theme_options["extra_footer"] = words


def setup(app):
    app.add_transform(IndexEntries)
    app.add_transform(SymbolEntries)
    app.add_directive("italian", Italian)
    app.connect("html-page-context", greek_together)
    app.connect("config-inited", footer, priority=900)
