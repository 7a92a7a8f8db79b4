"""The top of the ledger: how sources and we agree, by document and by chapter, where they part most, and the filters."""

import math
from collections import Counter

from docutils import nodes

from .agreement import PLAIN, mark
from .ledger import VERDICTS, Claim, Erratum, Row

SOURCES = {"L": "Lavezzi", "P": "Peri", "S": "2017 summary", "R": "Sandron", "G": "Ponti", "B": "our own"}
CHAPTERS = {**{str(number): f"Chapter {number}" for number in range(1, 7)}, "book": "The whole book"}
WORST = 5  # differences that are named


def facts(row: Row) -> dict[str, str]:
    """What the ledger can be filtered by: the document, the chapter, the state."""
    source = "G" if row.id.startswith("GA") else row.id[0]
    return {"source": source, "chapter": str(row.chapter or "book"), "state": row.state}


def count(rows: list[Row], errata: dict[str, Erratum]) -> dict[str, int]:
    """Of some rows: how much their sources print, how ours compares with it, and the verdicts on their errata."""
    claims = [claim for row in rows for claim in row.claims if claim.source is not None]
    marks = Counter(found.kind if (found := mark(claim)) else "" for claim in claims)
    verdicts = Counter(errata[row.id].verdict for row in rows if row.is_erratum)
    return {
        "printed": len(claims),
        "agree": marks["agrees"],
        "differ": marks["differs"],
        "undecided": marks["apart"] + marks[""],
        **{f"errata {verdict}" if verdict == VERDICTS[0] else verdict: verdicts[verdict] for verdict in VERDICTS},
    }


def lines(rows: dict[str, Row], errata: dict[str, Erratum], key: str, names: dict[str, str]) -> list[tuple[str, str, dict[str, int]]]:
    """(value of the filter, its name, its counts) for each document or chapter."""
    return [(value, name, count([row for row in rows.values() if facts(row)[key] == value], errata)) for value, name in names.items()]


def farthest(rows: dict[str, Row]) -> list[tuple[Row, Claim]]:
    """The numbers that differ by the largest factors from the printed ones, the largest first."""
    found = []
    for row in rows.values():
        for claim in row.claims:
            differs = (mark(claim) or ("",))[0] == "differs" and PLAIN.fullmatch(str(claim.source))
            if differs and claim.ours * float(claim.source) > 0:
                found.append((abs(math.log(claim.ours / float(claim.source))), row, claim))
    return [(row, claim) for _, row, claim in sorted(found, key=lambda each: -each[0])[:WORST]]


def filters() -> nodes.raw:
    """The form, hidden until a script can answer it; without one all rows are shown."""

    def choice(key: str, label: str, names: dict[str, str]) -> str:
        options = "".join(f'<option value="{value}">{text}</option>' for value, text in names.items())
        return f'<label>{label} <select name="{key}"><option value="">all</option>{options}</select></label>'

    sources = {letter: f"{letter} · {name}" for letter, name in SOURCES.items()}
    marks = {"agrees": "agrees", "differs": "differs", "apart": "not compared", **{each: f"erratum: {each}" for each in VERDICTS}}
    return nodes.raw(
        "",
        '<form class="course-filters" aria-label="Filter the ledger" hidden>'
        + choice("source", "Source", sources)
        + choice("chapter", "Chapter", CHAPTERS)
        + choice("state", "State", {"done": "done", "open": "open"})
        + choice("mark", "Mark", marks)
        + '<label class="course-find">Find <input type="search" name="text" autocomplete="off"></label>'
        '<button type="reset">Show all</button><output role="status" aria-live="polite"></output></form>',
        format="html",
    )
