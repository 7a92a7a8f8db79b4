"""Directives for the pages that are made from the ledger's data.

    {ledger} claims     what sources print beside ours
    {ledger} errata     the same for what the errata are about
    {ledger} summary    one sentence with the counts
    {errata} R          the errata of one source, with our numbers

Each row is an anchor `ledger-<id>`, each erratum an anchor `erratum-<id>` and a label, so that a page may write
{ref}`R-E7 <erratum-R-E7>`.
"""

from collections import Counter

from docutils import nodes
from sphinx import addnodes
from sphinx.util.docutils import SphinxDirective

from . import ledger as data
from .agreement import mark
from .tables import number, paragraph, scroll_box, table, typeset, with_unit

SEVERITY = {"S": "substantive", "T": "typo", "A": "ambiguity", "C": "claim to test", "": "found right, or remark"}


def ours(claim: data.Claim) -> str:
    return with_unit(number(claim.ours), claim.unit)


def printed(claim: data.Claim) -> str:
    return with_unit(typeset(str(claim.source)), claim.unit)


def label_of(words: str, kind: str) -> nodes.inline:
    return nodes.inline("", words, classes=["course-mark", f"course-{kind}"])


def with_mark(claim: data.Claim) -> nodes.paragraph:
    """Our number, and whether it agrees where the document's digits decide."""
    found = mark(claim)
    return paragraph(nodes.Text(ours(claim)), *([nodes.Text(" "), label_of(found.words, found.kind)] if found else []))


def verdict(erratum: data.Erratum) -> nodes.inline:
    return label_of(f"erratum: {erratum.verdict}" if erratum.severity else erratum.verdict, erratum.verdict)


def to_label(words: str, label: str) -> addnodes.pending_xref:
    return addnodes.pending_xref(
        "",
        nodes.inline("", words),
        refdomain="std",
        reftype="ref",
        refexplicit=True,
        reftarget=label.lower(),
        refwarn=True,
    )


class _FromData(SphinxDirective):
    required_arguments = 1

    def note_data(self) -> None:
        for path in (data.LEDGER, data.ERRATA):
            self.env.note_dependency(str(path))


class Ledger(_FromData):
    def run(self):
        self.note_data()
        rows, errata, which = data.load().values(), data.load_errata(), self.arguments[0]
        if which == "summary":
            return [summary([claim for row in rows for claim in row.claims], list(errata.values()))]
        return [self.rows([row for row in rows if row.is_erratum == (which == "errata")], errata, f"Ledger, {which}")]

    def rows(self, chosen: list[data.Row], errata: dict[str, data.Erratum], label: str) -> scroll_box:
        """A line for each row, and below it a line for each claim."""
        cells, anchors = [], []
        for row in chosen:
            cells.append([self.head(row, errata)])
            for claim in row.claims:
                test = nodes.literal("", claim.test.partition("::")[2], classes=["course-test"])
                cells.append([[claim.text, test], printed(claim), with_mark(claim), to_label(claim.label, claim.label)])
            anchors += [f"ledger-{row.id}", *[""] * len(row.claims)]
        box = table(["Claim, and its test", "Source", "Ours", "Where"], cells, label, anchors)
        box["classes"].append("course-ledger")
        return box

    def head(self, row: data.Row, errata: dict[str, data.Erratum]) -> nodes.paragraph:
        if not row.is_erratum:
            return paragraph(nodes.strong("", row.id), nodes.Text(f" · {row.title}"))
        erratum = errata[row.id]
        name = nodes.strong("", "", to_label(row.id, f"erratum-{row.id}"))
        return paragraph(
            name, f" · {SEVERITY[erratum.severity]}{f' · {erratum.place}' if erratum.place else ''} ", verdict(erratum)
        )


def summary(claims: list[data.Claim], errata: list[data.Erratum]) -> nodes.paragraph:
    marks = Counter(found.kind if (found := mark(claim)) else "apart" for claim in claims)
    verdicts = ", ".join(f"**{sum(each.verdict == kind for each in errata)}** {kind}" for kind in data.VERDICTS)
    return paragraph(
        f"**{len(claims)}** numbers and sentences of our sources stand beside ours: **{marks['agrees']}** agree, "
        f"**{marks['differs']}** differ, **{marks['apart']}** cannot be compared or decided. Of "
        f"**{len(errata)}** errata: {verdicts}."
    )


class Errata(_FromData):
    def run(self):
        self.note_data()
        rows, letter = data.load(), self.arguments[0]
        chosen = [erratum for erratum in data.load_errata().values() if erratum.id.startswith(f"{letter}-")]
        if not chosen:
            raise self.error(f"errata takes the letter of a source, got {letter!r}")
        return [self.entry(erratum, rows[erratum.id].claims if erratum.id in rows else ()) for erratum in chosen]

    def entry(self, erratum: data.Erratum, claims: tuple[data.Claim, ...]) -> nodes.container:
        anchor = f"erratum-{erratum.id}"
        standard = self.env.get_domain("std")
        standard.anonlabels[anchor.lower()] = (self.env.docname, anchor)
        standard.labels[anchor.lower()] = (self.env.docname, anchor, erratum.id)
        box = nodes.container(ids=[anchor], classes=["course-erratum"])
        where = f" · {erratum.place}" if erratum.place else ""
        box += paragraph(f"**{erratum.id}** · {SEVERITY[erratum.severity]}{where} ", verdict(erratum))
        if erratum.remark:
            box += paragraph(erratum.remark)
        else:
            box += paragraph(nodes.emphasis("", "Written: "), erratum.written)
            box += paragraph(nodes.emphasis("", "Right: "), erratum.right)
        if erratum.check:
            box += paragraph(nodes.emphasis("", "How to check: "), erratum.check)
        if claims:
            found = nodes.bullet_list()
            for claim in claims:
                # claim texts may hold | and _ but no markup
                item = paragraph(
                    nodes.Text(f"{claim.text}: "),
                    nodes.strong("", ours(claim)),
                    nodes.Text(f" (the document: {printed(claim)})"),
                )
                found += nodes.list_item("", item)
            box += [paragraph(nodes.emphasis("", "Ours:")), found]
        return box


def setup(app):
    app.add_css_file("course/ledger.css")
    app.add_directive("ledger", Ledger)
    app.add_directive("errata", Errata)
