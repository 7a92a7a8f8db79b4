"""What pages made from data are written with: texts with a little markup, numbers in one form, and tables in a box."""

import re

from docutils import nodes

from .agreement import PLAIN

INLINE = re.compile(
    r"\*\*(?P<strong>.+?)\*\*|`(?P<literal>.+?)`|\$(?P<math>.+?)\$|\*(?P<emphasis>[^*\s](?:[^*]*[^*\s])?)\*"
)
MINUS = "\N{MINUS SIGN}"


class scroll_box(nodes.General, nodes.Element):
    """A box of its own for what is wider than a phone; it can be scrolled with the keyboard."""


def visit_scroll_box(self, node):
    self.body.append(
        self.starttag(node, "div", CLASS="course-scroll", tabindex="0", role="region", **{"aria-label": node["label"]})
    )


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


def number(value: float | int) -> str:
    """At most four significant digits: 316, 0.7074, 5.443·10⁻⁵; 15,170 and no power of ten; a count in full: 8000,
    182,852."""
    if isinstance(value, int):
        return typeset(str(value))
    short = f"{value:.4g}".replace("e+", "e")
    return typeset(f"{float(short):.0f}" if 1e4 <= abs(value) < 1e7 else short)


def typeset(value: str) -> str:
    """A number as Python writes it, 182852 or -5.3e-05, as the pages do: 182,852 and −5.3·10⁻⁵. Nothing else is
    changed."""
    if not PLAIN.fullmatch(value):
        return value
    mantissa, e, exponent = value.partition("e")
    power = "·10" + str(int(exponent)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")) if e else ""
    if "." not in mantissa and len(mantissa.strip("-")) > 4:
        mantissa = f"{int(mantissa):,}"
    return mantissa.replace("-", MINUS) + power


def with_unit(value: str, unit: str) -> str:
    """ "3 nats"; a power of ten touches its number, and "under 1 %" has its unit."""
    if not unit or value.endswith("%"):
        return value
    return value + unit if unit.startswith("·") else f"{value} {unit}"


def table(head: list[str], rows: list[list], label: str, anchors: list[str] | None = None) -> scroll_box:
    """A table in its box. A cell is a text, a node, or a list of them, a paragraph each; a line of one cell goes over
    all columns; `anchors` are the rows' ids, "" for none."""
    group = nodes.tgroup(cols=len(head))
    group += [nodes.colspec(colwidth=1) for _ in head]
    header = nodes.row()
    header += [nodes.entry("", paragraph(text)) for text in head]
    group += nodes.thead("", header)
    body = nodes.tbody()
    for cells, anchor in zip(rows, anchors or [""] * len(rows), strict=True):
        row = nodes.row(ids=[anchor] if anchor else [])
        for cell in cells:
            parts = cell if isinstance(cell, list) else [cell]
            row += nodes.entry("", *map(paragraph, parts))
        if len(cells) < len(head):
            row[-1]["morecols"] = len(head) - len(cells)
        body += row
    group += body
    box = scroll_box(label=label)
    box += nodes.table("", group)
    return box


def setup(app):
    plain = (lambda self, node: None, lambda self, node: None)
    app.add_node(
        scroll_box, html=(visit_scroll_box, lambda self, node: self.body.append("</div>\n")), latex=plain, text=plain
    )
