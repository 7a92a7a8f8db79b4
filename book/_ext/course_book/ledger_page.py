"""Directives for the pages that are made from data: `{ledger}`, `{errata}` and `{symbols}`.

    {ledger} 3          the syllabus rows of chapter 3 (1 to 6, or "book" for what belongs to no chapter)
    {ledger} errata     the errata as rows
    {ledger} summary    one sentence with the counts
    {ledger} scoreboard the counts by document and chapter
    {ledger} filters    the form that filters the rows below it
    {errata} R          the errata of one source, with our numbers
    {symbols}           the symbol table of course_lib

Each row is an anchor `ledger-<id>` or `erratum-<id>`, and a label, so that a page may write {ref}`R-E7 <erratum-R-E7>`.
"""

import re
import sys
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from . import scoreboard as board
from .agreement import PLAIN, mark
from .symbols import anchor as symbol_anchor

ROOT = Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT)]
import ledger as data  # noqa: E402  (tools/ledger.py, not this file: this one is course_book.ledger)

log = logging.getLogger(__name__)
SEVERITY = {"S": "substantive", "T": "typo", "A": "ambiguity", "C": "claim to test", "": "confirmed or remark"}
INLINE = re.compile(r"\*\*(?P<strong>.+?)\*\*|`(?P<literal>.+?)`|\$(?P<math>.+?)\$|\*(?P<emphasis>[^*\s](?:[^*]*[^*\s])?)\*")
MINUS = "\N{MINUS SIGN}"


class scroll_box(nodes.General, nodes.Element):
    """A box of its own for what is wider than a phone; it can be scrolled with the keyboard."""


def visit_scroll_box(self, node):
    self.body.append(
        self.starttag(node, "div", CLASS="course-scroll", tabindex="0", role="region", **{"aria-label": node["label"]})
    )


def depart_scroll_box(self, node):
    self.body.append("</div>\n")


def inline(text: str) -> list[nodes.Node]:
    """**bold**, which may hold the others, *emphasis*, `code` and $formulas$ as nodes; everything else as it stands."""
    found, end = [], 0
    for match in INLINE.finditer(text):
        found.append(nodes.Text(text[end : match.start()]))
        kind, words = match.lastgroup, match[match.lastgroup]
        found.append(nodes.strong("", "", *inline(words)) if kind == "strong" else getattr(nodes, kind)(words, words))
        end = match.end()
    return [node for node in [*found, nodes.Text(text[end:])] if node.astext()]


def paragraph(*parts: nodes.Node | str) -> nodes.paragraph:
    """Texts and nodes as one paragraph; a paragraph as it is."""
    if len(parts) == 1 and isinstance(parts[0], nodes.paragraph):
        return parts[0]
    made = nodes.paragraph()
    for part in parts:
        made += inline(part) if isinstance(part, str) else part
    return made


def number(value: float | int | None) -> str:
    """At most four significant digits: 316, 0.7074, 5.443·10⁻⁵; 15,170 and no power of ten; a count in full: 8000, 182,852."""
    if value is None:
        return "—"
    if isinstance(value, int):
        return typeset(str(value))
    short = f"{value:.4g}".replace("e+", "e")
    return typeset(f"{float(short):.0f}" if 1e4 <= abs(value) < 1e7 else short)


def typeset(value: str) -> str:
    """A number as Python writes it, 182852 or -5.3e-05, as the pages do: 182,852 and −5.3·10⁻⁵. Nothing else is changed."""
    if not PLAIN.fullmatch(value):
        return value
    mantissa, e, exponent = value.partition("e")
    power = "·10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")) if e else ""
    if "." not in mantissa and len(mantissa.strip("-")) > 4:
        mantissa = f"{int(mantissa):,}"
    return mantissa.replace("-", MINUS) + power


def with_unit(value: str, unit: str) -> str:
    """"3 nats"; a power of ten touches its number, and "under 1 %" has its unit."""
    if not unit or value == "—" or value.endswith("%"):
        return value
    return value + unit if unit.startswith("·") else f"{value} {unit}"


def ours(claim: data.Claim) -> str:
    return "shown, no number" if claim.qualitative else with_unit(number(claim.ours), claim.unit)


def with_mark(claim: data.Claim) -> nodes.inline:
    """Our number, and whether it agrees where the document's digits decide."""
    found = mark(claim)
    cell = nodes.inline("", ours(claim))
    if found is not None:
        cell += [nodes.Text(" "), nodes.inline("", found.words, classes=["course-mark", f"course-{found.kind}"])]
    return cell


def facts(row: data.Row) -> dict[str, str]:
    """What the ledger can be filtered by: the document, the chapter, the state."""
    source = "G" if row.id.startswith("GA") else row.id[0]
    return {"source": source, "chapter": str(row.chapter or "book"), "state": row.state}


def printed(claim: data.Claim) -> str:
    return "—" if claim.source is None else with_unit(typeset(str(claim.source)), claim.unit)


def place(claim: data.Claim) -> nodes.Node:
    """A link whose address is filled in when it is known from which page it is made."""
    if claim.anchor is None:
        return nodes.Text("—")
    page = claim.anchor.partition("#")[0].removesuffix(".html").split("/")[-1]
    return nodes.reference("", page.replace("_", " "), internal=True, refuri="", course_anchor=claim.anchor)


def table(head: list[str], rows: list[list], label: str, anchors: list[str]) -> scroll_box:
    """A table in its box. A cell is a text, a node, or a list of them, a paragraph each; a line of one cell goes over all columns;
    `anchors` are the rows' ids, "" for none."""
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    header = nodes.row()
    header += [nodes.entry("", paragraph(text)) for text in head]
    group += nodes.thead("", header)
    body = nodes.tbody()
    for cells, anchor in zip(rows, anchors, strict=True):
        row = nodes.row(ids=[anchor] if anchor else [])
        row += [nodes.entry("", *map(paragraph, cell if isinstance(cell, list) else [cell])) for cell in cells]
        if len(cells) < len(head):
            row[-1]["morecols"] = len(head) - len(cells)
        body += row
    group += body
    box = scroll_box(label=label)
    box += nodes.table("", group)
    return box


def scoreboard(rows: dict[str, data.Row]) -> list[nodes.Node]:
    """Tables of counts, by document and by chapter, with links that filter."""
    boxes = []
    for key, label, names in (("source", "Source", board.SOURCES), ("chapter", "Chapter", board.CHAPTERS)):
        counted = board.lines(rows, facts, key, names)
        heads = list(counted[0][2])
        cells = [
            [nodes.reference("", f"{value} · {name}" if key == "source" else name, refuri=f"?ledger.{key}={value}", internal=True)]
            + [str(number) for number in numbers.values()]
            for value, name, numbers in counted
        ]
        total = board.count(list(rows.values()))
        cells.append(["**all**", *(f"**{number}**" for number in total.values())])
        box = table([label, *heads], cells, f"Counts by {key}", [""] * len(cells))
        box["classes"].append("course-board")
        boxes.append(box)
    return boxes


class _FromData(SphinxDirective):
    def note_data(self) -> None:
        for path in (data.LEDGER, data.VALUES, data.ERRATA, data.SYLLABUS):
            self.env.note_dependency(str(path))

    def label(self, anchor: str, title: str) -> None:
        standard = self.env.get_domain("std")
        standard.anonlabels[anchor.lower()] = (self.env.docname, anchor)
        standard.labels[anchor.lower()] = (self.env.docname, anchor, title)


class Ledger(_FromData):
    required_arguments = 1

    def run(self):
        self.note_data()
        rows, which = data.load(), self.arguments[0]
        if which == "summary":
            done, open_ = data.counts(rows)
            numbers = sum(claim.ours is not None for row in rows.values() for claim in row.claims)
            return [paragraph(f"**{done}** rows are done, **{open_}** are open; **{numbers}** numbers are kept true by tests.")]
        if which in ("scoreboard", "filters"):
            return scoreboard(rows) if which == "scoreboard" else [board.filters()]
        wanted = {
            "errata": lambda row: row.is_erratum,
            "book": lambda row: not row.is_erratum and row.chapter is None,
        }.get(which, lambda row: not row.is_erratum and str(row.chapter) == which)
        chosen = [row for row in rows.values() if wanted(row)]
        if not chosen:
            raise self.error(f"ledger takes 1 to 6, book, errata, summary, scoreboard or filters, got {which!r}")
        return [self.rows(chosen, f"Ledger, {which}")]

    def rows(self, chosen: list[data.Row], label: str) -> scroll_box:
        errata = data.load_errata()
        cells, anchors, groups = [], [], []
        for row in chosen:
            anchor = f"ledger-{row.id}"
            self.label(anchor, row.id)
            name = nodes.Text(row.id)
            title = row.title
            if row.is_erratum:
                name = addnodes.pending_xref(
                    "", nodes.inline("", row.id), refdomain="std", reftype="ref", refexplicit=True,
                    reftarget=f"erratum-{row.id}".lower(), refwarn=True,
                )  # fmt: skip
                title = title or SEVERITY[errata[row.id].severity]
            # a line of its own for what the claims below it have in common
            cells.append([paragraph(nodes.strong("", "", name), f" · {title} · {row.state}")])
            for claim in row.claims:
                test = [nodes.literal("", claim.test.partition("::")[2], classes=["course-test"])] if claim.test else []
                cells.append([[claim.text, *test], printed(claim), with_mark(claim), place(claim)])
            lines = 1 + len(row.claims)
            anchors += [anchor] + [""] * (lines - 1)
            groups += [row] * lines
        head = ["Claim, and its test", "Source", "Ours", "Where"]
        box = table(head, cells, label, anchors)
        box["classes"].append("course-ledger")
        for line, row in zip(next(box.findall(nodes.tbody)).children, groups, strict=True):
            line["classes"] += [f"course-{key}-{value}".lower() for key, value in facts(row).items()]  # what static/ledger.js filters by
            line["classes"] += ["course-row"] if line["ids"] else []
        return box


class Errata(_FromData):
    required_arguments = 1

    def run(self):
        self.note_data()
        rows, letter = data.load(), self.arguments[0]
        chosen = [erratum for erratum in data.load_errata().values() if erratum.id.startswith(f"{letter}-")]
        if not chosen:
            raise self.error(f"errata takes the letter of a source, got {letter!r}")
        return [self.entry(erratum, rows[erratum.id]) for erratum in chosen]

    def entry(self, erratum: data.Erratum, row: data.Row) -> nodes.container:
        anchor = f"erratum-{erratum.id}"
        self.label(anchor, erratum.id)
        box = nodes.container(ids=[anchor], classes=["course-erratum", f"course-{row.state}"])
        head = f"**{erratum.id}** · {SEVERITY[erratum.severity]} · {row.state}"
        box += paragraph(head + (f" · {erratum.place}" if erratum.place else ""))
        if erratum.remark:
            box += paragraph(erratum.remark)
        else:
            box += paragraph(nodes.emphasis("", "Written: "), erratum.written)
            box += paragraph(nodes.emphasis("", "Right: "), erratum.right)
        if erratum.check:
            box += paragraph(nodes.emphasis("", "How to check: "), erratum.check)
        if row.claims:
            found = nodes.bullet_list()
            for claim in row.claims:
                source = "" if claim.source is None else f" (the document: {printed(claim)})"
                # claim texts may hold | and _ but no markup
                item = paragraph(nodes.Text(f"{claim.text}: "), nodes.strong("", ours(claim)), nodes.Text(source))
                found += nodes.list_item("", item)
            box += [paragraph(nodes.emphasis("", "Ours:")), found]
        return box


def one_by_one(symbols: str) -> nodes.paragraph:
    """Each symbol, or shape, as code of its own: a line may end between two, not within one."""
    made = paragraph()
    for part in re.split(r"([;,] )(?![^(\[]*[)\]])", symbols):
        made += nodes.Text(part) if part in (", ", "; ") else nodes.literal("", part)
    return made


class Symbols(SphinxDirective):
    def run(self):
        from course_lib import SYMBOLS
        from course_lib import __file__ as where

        self.env.note_dependency(where)
        letters = ["L", "P", "S", "R", "G"]
        cells = [
            [one_by_one(name), symbol.meaning, one_by_one(symbol.shape) if symbol.shape else "number"]
            + [one_by_one(symbol.sources[letter]) if letter in symbol.sources else "—" for letter in letters]
            for name, symbol in SYMBOLS.items()
        ]
        box = table(["Symbol", "Meaning", "Shape", *letters], cells, "Symbol table", [symbol_anchor(name) for name in SYMBOLS])
        box["classes"].append("course-symbols")
        return [box]


class ResolveAnchors(SphinxPostTransform):
    """Give every link of a claim its address, and say so where the page does not exist."""

    default_priority = 200

    def run(self, **kwargs):
        for link in self.document.findall(nodes.reference):
            anchor = link.attributes.pop("course_anchor", None)
            if anchor is None:
                continue
            page, _, name = anchor.partition("#")
            page = page.removesuffix(".html")
            if page not in self.env.all_docs:
                log.warning("ledger: %s is no page of the book", anchor, location=self.env.docname)
                continue
            link["refuri"] = f"{self.app.builder.get_relative_uri(self.env.docname, page)}#{name}"


ROLES = {"table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "th": "columnheader", "td": "cell"}


def give_roles(app, page: str, template: str, context: dict, doctree) -> None:
    """Say what the ledger's tables are made of: on a phone static/ledger.css shows their lines as cards, and a browser may then forget."""
    if page == "book/ledger" and "body" in context:
        context["body"] = re.sub(rf"<({'|'.join(ROLES)})(?=[ >])", lambda tag: f'{tag[0]} role="{ROLES[tag[1]]}"', context["body"])


def setup(app):
    app.connect("html-page-context", give_roles)
    app.add_css_file("course/ledger.css")
    app.add_js_file("course/ledger.js", defer="defer")
    html = (visit_scroll_box, depart_scroll_box)
    plain = (lambda self, node: None, lambda self, node: None)
    app.add_node(scroll_box, html=html, latex=plain, text=plain)
    app.add_directive("ledger", Ledger)
    app.add_directive("errata", Errata)
    app.add_directive("symbols", Symbols)
    app.add_post_transform(ResolveAnchors)
