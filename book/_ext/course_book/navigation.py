"""Ways into the book: the index, the list from Italian, the version at the foot of each page.

The index has the glossary's terms, which Sphinx puts there, their Italian words, and theorems by their titles. Symbols
are in the notation table, live figures in a list of their own (live_figures.py), people in the bibliography; the search
finds them all.
"""

import re
from pathlib import Path
from typing import NamedTuple

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import course_lib.widgets

ROOT = Path(__file__).resolve().parents[3]
GLOSSARY = ROOT / "book/glossary.md"
ENTRY = re.compile(
    (
        r"^(?P<term>\S.*)\n  (?P<meaning>.+)\n\n  Italian: (?P<italian>.+)\. See \{(?:prf:)?ref\}`(?:[^`<]+ "
        r"<(?=.+>`))?(?P<place>[\w-]+)>?`\.?$"
    ),
    re.M,
)
WORD = re.compile(r"\*([^*]+)\*(?: \(([LPSRG, ]+)\))?")


class Term(NamedTuple):
    """A glossary entry. `italian` lists its Italian words, each with the letters of the documents that use it."""

    name: str
    meaning: str
    italian: list[tuple[str, str]]
    place: str  # a label of the section, or theorem, where it is introduced


def terms(text: str | None = None) -> list[Term]:
    """The entries of the glossary, in its order. Raises ValueError for an entry without Italian word or place."""
    body = (text or GLOSSARY.read_text(encoding="utf-8")).split("```{glossary}\n")[1].split("\n```")[0]
    found = [
        Term(each["term"], each["meaning"], WORD.findall(each["italian"]), each["place"])
        for each in ENTRY.finditer(body)
    ]
    heads = re.findall(r"^\S.*$", body, re.M)
    wrong = [head for head in heads if head not in {each.name for each in found}]
    if wrong:
        raise ValueError(
            f"glossary.md: an entry takes a meaning and a line 'Italian: *…*. See {{ref}}`…`.', not so: {wrong}"
        )
    return found


def widgets() -> set[str]:
    """The classes that a cell may show; an exercise is no entry."""
    return {
        name for name in dir(course_lib.widgets) if name not in {"CourseWidget", "ExerciseWidget"} and name[0].isupper()
    }


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


class TheoremsInIndex(SphinxTransform):
    """Put the page's theorems into the index, before Sphinx collects it."""

    default_priority = 820

    def apply(self, **kwargs):
        entries = []
        for node in self.document.findall(lambda node: "realtype" in getattr(node, "attributes", {})):
            title = without_brackets(next(node.findall(nodes.title)).astext())
            if title and node["ids"]:
                entries.append(("single", f"{node['realtype']}; {clean(title)}", node["ids"][0], "", None))
        if entries:
            self.document.insert(0, addnodes.index(entries=entries, inline=False))


class Italian(SphinxDirective):
    """`{italian}`: the glossary the other way round, from the Italian word to the English entry."""

    def run(self):
        self.env.note_dependency(str(GLOSSARY))
        words = sorted(
            ((word, letters, term.name) for term in terms() for word, letters in term.italian),
            key=lambda row: row[0].lower(),
        )
        listed, entries = nodes.bullet_list(classes=["course-italian"]), []
        for number, (word, letters, name) in enumerate(words):
            place = f"italian-{nodes.make_id(word)}"
            known = {each for item in listed for each in item["ids"]}
            place = f"{place}-{number}" if place in known else place  # one word, two entries
            link = addnodes.pending_xref(
                "", nodes.inline("", name), refdomain="std", reftype="term", reftarget=name, refexplicit=True,
                refwarn=True, refdoc=self.env.docname
            )  # fmt: skip
            italian = nodes.emphasis("", word, language="it", classes=["course-it"])
            item = nodes.list_item(
                "",
                nodes.paragraph("", "", italian, nodes.Text(f" ({letters}) → " if letters else " → "), link),
                ids=[place],
            )
            listed += item
            if word.lower() != name.lower():
                entries.append(("single", clean(word), place, "", None))
        return [addnodes.index(entries=entries, inline=False), listed]


def footer(app, config):
    """Which book is this? The footer says."""
    from course_lib import __version__

    words = f'<p class="course-version">Version {__version__}.</p>'
    config.html_theme_options["extra_footer"] = words


def setup(app):
    app.add_transform(TheoremsInIndex)
    app.add_directive("italian", Italian)
    app.connect("config-inited", footer, priority=900)
