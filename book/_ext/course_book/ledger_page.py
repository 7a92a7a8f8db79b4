"""Directives for the pages that are made from the ledger's data.

    {ledger} 3          the syllabus rows of chapter 3 (1 to 6, or "book" for what belongs to no chapter)
    {ledger} errata     the errata as rows
    {ledger} summary    one sentence with the counts
    {ledger} scoreboard the counts by document and chapter, and where we differ most
    {ledger} filters    the form that filters the rows below it
    {errata} R          the errata of one source, with our numbers

Each row is an anchor `ledger-<id>` or `erratum-<id>`, and a label, so that a page may write {ref}`R-E7 <erratum-R-E7>`.
"""

import re

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective

from . import ledger as data
from . import scoreboard as board
from .agreement import mark
from .tables import fold, number, paragraph, scroll_box, table, typeset, with_unit

log = logging.getLogger(__name__)
SEVERITY = {"S": "substantive", "T": "typo", "A": "ambiguity", "C": "claim to test", "": "found right, or remark"}
PLURAL = {1: "One number", 2: "Two numbers", 3: "Three numbers"}


def ours(claim: data.Claim) -> str:
    return "shown, no number" if claim.qualitative else with_unit(number(claim.ours), claim.unit)


def printed(claim: data.Claim) -> str:
    return "—" if claim.source is None else with_unit(typeset(str(claim.source)), claim.unit)


def label_of(words: str, kind: str) -> nodes.inline:
    return nodes.inline("", words, classes=["course-mark", f"course-{kind}"])


def with_mark(claim: data.Claim) -> nodes.paragraph:
    """Our number, and whether it agrees where the document's digits decide."""
    found = mark(claim)
    return paragraph(nodes.Text(ours(claim)), *([nodes.Text(" "), label_of(found.words, found.kind)] if found else []))


def verdict(erratum: data.Erratum) -> nodes.inline:
    return label_of(f"erratum: {erratum.verdict}" if erratum.severity else erratum.verdict, erratum.verdict)


def place(claim: data.Claim) -> nodes.Node:
    """A link that is filled in when all labels are known."""
    return nodes.Text("—") if claim.label is None else nodes.reference("", "", internal=True, refuri="", course_label=claim.label)


def test_name(claim: data.Claim) -> list[nodes.literal]:
    return [nodes.literal("", claim.test.partition("::")[2], classes=["course-test"])] if claim.test else []


def to_label(words: str, label: str) -> addnodes.pending_xref:
    return addnodes.pending_xref(
        "", nodes.inline("", words), refdomain="std", reftype="ref", refexplicit=True, reftarget=label.lower(), refwarn=True
    )


def scoreboard(rows: dict[str, data.Row], errata: dict[str, data.Erratum]) -> list[nodes.Node]:
    """Tables of counts, by document and by chapter, with links that filter; and the largest differences."""
    made = []
    total = [f"**{each}**" for each in board.count(list(rows.values()), errata).values()]
    for key, label, names in (("source", "Source", board.SOURCES), ("chapter", "Chapter", board.CHAPTERS)):
        counted = board.lines(rows, errata, key, names)
        cells = [
            [nodes.reference("", f"{value} · {name}" if key == "source" else name, refuri=f"?ledger.{key}={value}", internal=True)]
            + [str(each) for each in numbers.values()]
            for value, name, numbers in counted
        ]
        box = table([label, *counted[0][2]], [*cells, ["**all**", *total]], f"Counts by {key}")
        box["classes"].append("course-board")
        made.append(box)
    worst = nodes.bullet_list()
    for row, claim in board.farthest(rows):
        why = [nodes.Text(" Why: "), to_label("the erratum", f"erratum-{row.id}"), nodes.Text(".")] if row.is_erratum else []
        words = f" · {claim.text}: printed {printed(claim)}, ours {ours(claim)}."
        worst += nodes.list_item("", paragraph(to_label(row.id, f"ledger-{row.id}"), nodes.Text(words), *why))
    return [*made, paragraph("Printed numbers and ours are farthest apart here:"), worst]


class _FromData(SphinxDirective):
    required_arguments = 1

    def note_data(self) -> None:
        for path in (data.LEDGER, data.VALUES, data.ERRATA, data.SYLLABUS):
            self.env.note_dependency(str(path))

    def label(self, anchor: str, title: str) -> None:
        standard = self.env.get_domain("std")
        standard.anonlabels[anchor.lower()] = (self.env.docname, anchor)
        standard.labels[anchor.lower()] = (self.env.docname, anchor, title)


class Ledger(_FromData):
    def run(self):
        self.note_data()
        rows, errata, which = data.load(), data.load_errata(), self.arguments[0]
        if which == "summary":
            return [summary(rows, errata)]
        if which in ("scoreboard", "filters"):
            return scoreboard(rows, errata) if which == "scoreboard" else [board.filters()]
        wanted = {
            "errata": lambda row: row.is_erratum,
            "book": lambda row: not row.is_erratum and row.chapter is None,
        }.get(which, lambda row: not row.is_erratum and str(row.chapter) == which)
        chosen = [row for row in rows.values() if wanted(row)]
        if not chosen:
            raise self.error(f"ledger takes 1 to 6, book, errata, summary, scoreboard or filters, got {which!r}")
        return [self.rows(chosen, errata, f"Ledger, {which}")]

    def rows(self, chosen: list[data.Row], errata: dict[str, data.Erratum], label: str) -> scroll_box:
        """A line for each row, below it a line for each claim that a source makes, and one fold with our own numbers."""
        cells, anchors, classes = [], [], []
        for row in chosen:
            anchor = f"ledger-{row.id}"
            self.label(anchor, row.id)
            lines = [[self.head(row, errata)]]
            lines += [
                [[claim.text, *test_name(claim)], printed(claim), with_mark(claim), place(claim)]
                for claim in row.claims
                if not claim.own
            ]
            own = [claim for claim in row.claims if claim.own]
            lines += [[own_numbers(own)]] if own else []
            cells += lines
            anchors += [anchor] + [""] * (len(lines) - 1)
            of_row = [f"course-{key}-{value}".lower() for key, value in board.facts(row).items()]  # what static/ledger.js filters by
            classes += [[*of_row, "course-row"]] + [of_row] * (len(lines) - 1)
        box = table(["Claim, and its test", "Source", "Ours", "Where"], cells, label, anchors)
        box["classes"].append("course-ledger")
        for line, names in zip(next(box.findall(nodes.tbody)).children, classes, strict=True):
            line["classes"] += names
        return box

    def head(self, row: data.Row, errata: dict[str, data.Erratum]) -> nodes.paragraph:
        state = "" if row.state == "done" else f" · {row.state}"
        if not row.is_erratum:
            return paragraph(nodes.strong("", row.id), nodes.Text(f" · {row.title}{state}"))
        erratum = errata[row.id]
        name = nodes.strong("", "", to_label(row.id, f"erratum-{row.id}"))
        title = f" · {SEVERITY[erratum.severity]}{f' · {erratum.place}' if erratum.place else ''}{state} "
        return paragraph(name, title, verdict(erratum))


def own_numbers(claims: list[data.Claim]) -> fold:
    """What no source prints, each with its place and test."""
    items = nodes.bullet_list()
    for claim in claims:
        words = [nodes.Text(f"{claim.text}: "), nodes.strong("", ours(claim)), nodes.Text(" · "), place(claim), nodes.Text(" ")]
        items += nodes.list_item("", paragraph(*words, *test_name(claim)))
    return fold("", items, summary=f"{PLURAL[len(claims)]} of our own", classes=["course-own"])


def summary(rows: dict[str, data.Row], errata: dict[str, data.Erratum]) -> nodes.paragraph:
    counted = board.count(list(rows.values()), errata)
    verdicts = ", ".join(f"**{sum(each.verdict == kind for each in errata.values())}** {kind}" for kind in data.VERDICTS)
    own = sum(claim.own for row in rows.values() for claim in row.claims)
    return paragraph(
        f"**{counted['printed']}** numbers and sentences of our sources stand beside ours: **{counted['agree']}** agree, "
        f"**{counted['differ']}** differ, **{counted['undecided']}** cannot be compared or decided. Of **{len(errata)}** errata: {verdicts}. "
        f"Folded under the rows are **{own}** numbers of our own."
    )


class Errata(_FromData):
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
        where = f" · {erratum.place}" if erratum.place else ""
        box += paragraph(f"**{erratum.id}** · {SEVERITY[erratum.severity]}{where} ", verdict(erratum))
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


class ResolvePlaces(SphinxPostTransform):
    """Give every link of a claim its address and its page's name, and say so where no page has the label."""

    default_priority = 200

    def run(self, **kwargs):
        places = self.env.get_domain("std").anonlabels
        for link in self.document.findall(nodes.reference):
            label = link.attributes.pop("course_label", None)
            if label is None:
                continue
            if label.lower() not in places:
                log.warning("ledger: %s is no label of the book", label, location=self.env.docname)
                continue
            page, name = places[label.lower()][:2]
            link["refuri"] = f"{self.app.builder.get_relative_uri(self.env.docname, page)}#{name}"
            link += nodes.Text(page.split("/")[-1].replace("_", " "))


ROLES = {"table": "table", "thead": "rowgroup", "tbody": "rowgroup", "tr": "row", "th": "columnheader", "td": "cell"}


def give_roles(app, page: str, template: str, context: dict, doctree) -> None:
    """Say what the ledger's tables are made of: on a phone static/ledger.css shows their lines as cards, and a browser may then forget."""
    if page == "book/ledger" and "body" in context:
        context["body"] = re.sub(rf"<({'|'.join(ROLES)})(?=[ >])", lambda tag: f'{tag[0]} role="{ROLES[tag[1]]}"', context["body"])


def setup(app):
    app.connect("html-page-context", give_roles)
    app.add_css_file("course/ledger.css")
    app.add_js_file("course/ledger.js", defer="defer")
    app.add_directive("ledger", Ledger)
    app.add_directive("errata", Errata)
    app.add_post_transform(ResolvePlaces)
