"""Where the book's labels lead: titles, numbers of theorems, and works cited, read from the pages' sources.

Sphinx knows all this while it builds; a notebook that is rendered outside of the book needs it too
(tools/book/launch.py).
"""

import os
import re
from dataclasses import dataclass, field
from functools import cache
from urllib.parse import quote

import yaml
from docutils.nodes import make_id
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.mdit import create_md_parser
from pybtex.database import parse_file

from tools.book import contents
from tools.repository import ROOT, Repository

CONFIG = yaml.safe_load((ROOT / "_config.yml").read_text())
FENCE = re.compile(r"\{([^}]+)\}[ \t]*(.*)", re.S)
OPTION = re.compile(r":([\w-]+):[ \t]*(.*)")
ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")


@cache
def parser(inline: bool = True):
    """The Markdown parser of the book, with the extensions that _config.yml names; without `inline` it finds blocks
    only."""
    extensions = set(CONFIG["parse"]["myst_enable_extensions"])
    made = create_md_parser(MdParserConfig(enable_extensions=extensions, dmath_double_inline=True), RendererHTML)
    return made if inline else made.disable(["inline", "text_join"])


@dataclass(frozen=True)
class Directive:
    """A fence like ```{name} argument, taken apart."""

    name: str
    argument: str
    options: dict[str, str]
    body: str

    @classmethod
    def of(cls, token) -> "Directive | None":
        """None where the token is no directive."""
        found = FENCE.match(token.info.strip()) if token.type in {"fence", "colon_fence"} else None
        if not found:
            return None
        lines, options = token.content.rstrip("\n").split("\n"), {}
        if lines[0].strip() == "---":
            end = lines.index("---", 1)
            options, lines = (
                {key: str(value) for key, value in yaml.safe_load("\n".join(lines[1:end])).items()},
                lines[end + 1 :],
            )
        while lines and (option := OPTION.match(lines[0])):
            options[option[1]] = option[2].strip()
            lines = lines[1:]
        return cls(found[1], found[2].strip(), options, "\n".join(lines).strip("\n"))


@dataclass(frozen=True)
class Target:
    """A labelled place: its page, its id there, and the words by which a reference without words of its own names
    it."""

    page: str
    id: str
    words: str
    heading: bool = False


def place(page: str) -> tuple[int, ...]:
    """A page's chapter and its number there, with which its theorems' numbers begin: "chapters/02_attention/scores" →
    (2, 3)."""
    return contents.places().get(page, ())


@dataclass
class Places:
    """Every label of the book, and the pages with code, which are rendered."""

    targets: dict[str, Target] = field(default_factory=dict)
    titles: dict[str, str] = field(default_factory=dict)
    rendered: set[str] = field(default_factory=set)
    theorems: int = 0  # of the page being read

    def read(self, page: str, text: str) -> None:
        """Take in one page: its theorems, of whatever kind, are counted within it."""
        self.theorems = 0
        self._walk(page, text)

    def _walk(self, page: str, text: str) -> None:
        waiting: list[str] = []
        tokens = parser(inline=False).parse(text)
        for number, token in enumerate(tokens):
            directive = Directive.of(token)
            if token.type == "myst_target":
                waiting.append(token.content)
            elif token.type == "heading_open":
                title = tokens[number + 1].content
                self.titles.setdefault(page, title)
                self._label(waiting, page, title, heading=True)
            elif directive:
                self._directive(waiting, page, directive)
            if token.type != "myst_target":
                waiting = []

    def _label(self, labels: list[str], page: str, words: str, heading: bool = False) -> None:
        for label in labels:
            self.targets[label] = Target(page, make_id(label), words, heading)

    def _directive(self, waiting: list[str], page: str, directive: Directive) -> None:
        kind, label, title = directive.name, directive.options.get("label"), directive.argument
        if kind.startswith("prf:") and kind != "prf:proof" and "nonumber" not in directive.options:
            self.theorems += 1
            words = f"{kind[4:].capitalize()} {'.'.join(map(str, (*place(page), self.theorems)))}"
            if label:
                self.targets[label] = Target(page, label, words)
        self._label([*waiting, *filter(None, [directive.options.get("name")])], page, title)
        if kind not in {"code-cell", "code", "code-block", "math", "raw"}:
            self._walk(page, directive.body)


@cache
def places() -> Places:
    """The whole book, in the order of its table of contents."""
    found = Places()
    for page in contents.pages():
        found.read(page, contents.text(page))
        if contents.has_notebook(page):
            found.rendered.add(page)
    return found


# ---------------------------------------------------------------------------------------------------------------- links
@dataclass(frozen=True)
class Links:
    """Addresses for one rendered notebook: into the published book where it is known, else to the notebooks beside
    it."""

    places: Places
    repository: Repository
    page: str  # the notebook itself, without suffix

    def to(self, page: str, target: Target | None = None) -> str:
        """Empty where there is nothing to lead to: a page without code, of a book whose address is not known."""
        if self.repository.known:
            return f"{self.repository.pages}{page}.html" + (f"#{target.id}" if target else "")
        if page == self.page:
            plain = target and target.heading and not re.search(r"[$`*_{}\[\]<>\\]", target.words)
            return "#" + quote(target.words.replace(" ", "-")) if plain else ""
        if page not in self.places.rendered:
            return ""
        return quote(os.path.relpath(f"{page}.ipynb", os.path.dirname(self.page)))


def linked(words: str, address: str, title: str = "") -> str:
    """Markdown for a link; the words alone where there is no address."""
    title = f' "{title}"' if title else ""
    return f"[{words}]({address}{title})" if address else words


# ------------------------------------------------------------------------------------------------------------ citations
@cache
def works() -> dict:
    return parse_file(ROOT / CONFIG["bibtex_bibfiles"][0]).entries


def cited(key: str, bibliography: str, in_brackets: bool) -> str:
    """A work as author and year, with a link to its text where that is free, else to the bibliography (may be
    empty)."""
    entry = works()[key]
    names = [
        " ".join(str(part) for part in (*person.rich_prelast_names, *person.rich_last_names))
        for person in entry.persons["author"]
    ]
    names = [name for name in names if name != "others"] + ["others"] * ("others" in names)
    who = (
        names[0]
        if len(names) == 1
        else f"{names[0]} and {names[1]}"
        if len(names) == 2 and names[1] != "others"
        else f"{names[0]} et al."
    )
    year = entry.fields.get("year", "undated")
    arxiv = ARXIV.search(entry.fields.get("note", "") + entry.fields.get("eprint", ""))
    address = f"https://arxiv.org/abs/{arxiv[1]}" if arxiv else bibliography
    return linked(f"{who}, {year}" if in_brackets else f"{who} ({year})", address)
