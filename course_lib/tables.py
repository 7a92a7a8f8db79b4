"""A table in a notebook: cells with heads on the page, aligned text where there is no page, the same bytes each
time."""

import html
from collections.abc import Mapping, Sequence
from typing import Any

FIGURE, POINT = "\N{FIGURE SPACE}", "\N{PUNCTUATION SPACE}"  # as wide as a digit, as a decimal point


class Table:
    """Columns of equal length under their heads; the first one names the rows.

    form: how numbers are written, a format for all or one a head (".2f"). units: head → unit, shown beside the head.
    mark: head → number of the row whose entry stands out; `note` says what for. A column of numbers stands right, by
    the decimal point; None is a dash.
    Mathematics is Unicode: no formula is set in a cell. ValueError where columns differ in length, a head is unknown or
    a note has no mark.
    """

    def __init__(
        self,
        caption: str,
        columns: Mapping[str, Sequence[Any]],
        *,
        form: str | Mapping[str, str] = "",
        units: Mapping[str, str] | None = None,
        mark: Mapping[str, int] | None = None,
        note: str = "",
    ) -> None:
        lengths = {head: len(values) for head, values in columns.items()}
        if len(set(lengths.values())) != 1:
            raise ValueError(f"columns must have the same length, got {lengths}")
        if note and not mark:
            raise ValueError(f"note must say what an entry marked by `mark` stands out for, got {note!r} and no mark")
        self.caption, self.heads, self.note = caption, list(columns), note
        self.units, self.mark = dict(units or {}), dict(mark or {})
        forms = {head: form for head in columns} if isinstance(form, str) else form
        for name, heads in (("form", forms), ("units", self.units), ("mark", self.mark)):
            if unknown := set(heads) - set(columns):
                raise ValueError(f"{name} must name heads of columns ({', '.join(columns)}), got {sorted(unknown)}")
        self.numbers = {head for head, values in columns.items() if not any(isinstance(value, str) for value in values)}
        self.cells = {
            head: [written(value, forms.get(head, "")) for value in values] for head, values in columns.items()
        }

    def _by_the_point(self, head: str, digit: str, point: str) -> list[str]:
        """A column's entries; behind numbers there is as much room as puts their points below each other."""
        cells = self.cells[head]
        if head not in self.numbers:
            return cells
        ends = [cell.partition(".")[2] if "." in cell else None for cell in cells]
        longest = max((len(end) for end in ends if end is not None), default=None)
        if longest is None:
            return cells
        room = [point + digit * longest if end is None else digit * (longest - len(end)) for end in ends]
        return [cell + more for cell, more in zip(cells, room, strict=True)]

    def _head(self, head: str) -> str:
        return f"{head} [{self.units[head]}]" if head in self.units else head

    def __repr__(self) -> str:
        columns = []
        for head in self.heads:
            cells = [
                ("*" if self.mark.get(head) == row else "") + cell
                for row, cell in enumerate(self._by_the_point(head, " ", " "))
            ]
            column = [self._head(head), *cells]
            wide = max(map(len, column))
            columns.append([cell.rjust(wide) if head in self.numbers else cell.ljust(wide) for cell in column])
        lines = ["  ".join(row).rstrip() for row in zip(*columns, strict=True)]
        lines.insert(1, "─" * max(map(len, lines)))
        return "\n".join([self.caption, *lines, *([f"* {self.note}"] if self.note else [])])

    def _repr_html_(self) -> str:
        """Alignment is written into the cells, for where the book's style is not; so is how narrow a column of long
        texts may get, which the style wraps."""
        columns = [self._by_the_point(head, FIGURE, POINT) for head in self.heads]
        sides = [
            "right"
            if head in self.numbers
            else "left;min-width:9em"
            if max(map(len, column), default=0) > 18
            else "left"
            for head, column in zip(self.heads, columns, strict=True)
        ]

        def cell(kind: str, side: str, text: str) -> str:
            return f'<{kind} style="text-align:{side}">{text}</{kind.split()[0]}>'

        heads = "".join(
            cell('th scope="col"', side, html.escape(self._head(head)))
            for head, side in zip(self.heads, sides, strict=True)
        )
        rows = ""
        for row, entries in enumerate(zip(*columns, strict=True)):
            texts = [
                f"<strong>{html.escape(entry)}</strong>" if self.mark.get(head) == row else html.escape(entry)
                for head, entry in zip(self.heads, entries, strict=True)
            ]
            kinds = ['th scope="row"', *["td"] * (len(texts) - 1)]
            rows += "<tr>" + "".join(map(cell, kinds, sides, texts)) + "</tr>\n"
        caption = html.escape(self.caption)
        note = f"<p><strong>Bold</strong>: {html.escape(self.note)}</p>" if self.note else ""
        return (
            f'<div class="course-table" role="region" tabindex="0" aria-label="{caption}"><table>\n'
            f"<caption>{caption}</caption>\n"
            f"<thead><tr>{heads}</tr></thead>\n<tbody>\n{rows}</tbody></table>{note}</div>"
        )


def written(value: Any, form: str) -> str:
    """A cell's text. Numbers have a true minus sign; one number in a tensor or array is a number."""
    if value is None or isinstance(value, str):
        return "–" if value is None else value
    number = value.item() if hasattr(value, "item") else value
    return format(number, form).replace("-", "\N{MINUS SIGN}")
