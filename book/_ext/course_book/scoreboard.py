"""The top of the ledger: what is counted, by document and by chapter, and the filters (alive in static/ledger.js)."""

from collections import Counter

from docutils import nodes

from .agreement import mark

SOURCES = {"L": "Lavezzi", "P": "Peri", "S": "the 2017 summary", "R": "Sandron", "G": "Ponti", "B": "beyond every source"}
CHAPTERS = {**{str(number): f"Chapter {number}" for number in range(1, 7)}, "book": "The whole book"}


def count(rows: list) -> dict[str, int]:
    """Of some rows: how many are done and open, how many numbers are ours, and how they compare with printed ones."""
    claims = [claim for row in rows for claim in row.claims]
    marks = Counter(found.kind for found in map(mark, claims) if found)
    return {
        "rows": len(rows),
        "done": sum(row.state == "done" for row in rows),
        "open": sum(row.state == "open" for row in rows),
        "our numbers": sum(claim.ours is not None for claim in claims),
        "printed ones": sum(claim.source is not None for claim in claims),
        "agree": marks["agrees"],
        "differ": marks["differs"],
    }


def lines(rows: dict, facts, key: str, names: dict[str, str]) -> list[tuple[str, str, dict[str, int]]]:
    """(value of the filter, its name, its counts) for each document or chapter."""
    return [(value, name, count([row for row in rows.values() if facts(row)[key].lower() == value.lower()])) for value, name in names.items()]


def filters() -> nodes.raw:
    """The form, hidden until a script can answer it; without one all rows are shown."""

    def choice(key: str, label: str, names: dict[str, str]) -> str:
        options = "".join(f'<option value="{value}">{text}</option>' for value, text in names.items())
        return f'<label>{label} <select name="{key}"><option value="">all</option>{options}</select></label>'

    sources = {letter: f"{letter} · {name}" for letter, name in SOURCES.items()}
    return nodes.raw(
        "",
        '<form class="course-filters" aria-label="Filter the ledger" hidden>'
        + choice("source", "Source", sources)
        + choice("chapter", "Chapter", CHAPTERS)
        + choice("state", "State", {"done": "done", "open": "open"})
        + choice("mark", "Comparison", {"agrees": "agrees", "differs": "differs", "apart": "not compared"})
        + '<label class="course-find">Find <input type="search" name="text" autocomplete="off"></label>'
        '<button type="reset">Show all</button><output role="status" aria-live="polite"></output></form>',
        format="html",
    )
