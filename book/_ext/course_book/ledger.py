"""The ledger's data: what a source prints or claims, ours beside it, and the errata. This module alone reads them.

book/ledger.yml        by hand: rows and their claims; the test that a claim names holds its number
book/data/errata.md    by hand: the errata's text and verdicts (one list)
"""

import re
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[3]
LEDGER = ROOT / "book/ledger.yml"
ERRATA = ROOT / "book/data/errata.md"
VERDICTS = ("confirmed", "refuted", "half", "open")


class Erratum(NamedTuple):
    """One entry of errata.md. `severity` is S, T, A, C or empty, `verdict` one of VERDICTS; `written` and `right` are
    empty where the entry is one remark."""

    id: str
    severity: str
    verdict: str
    place: str
    written: str
    right: str
    remark: str
    check: str


class Claim(NamedTuple):
    """What a source prints or says, and ours. `label` is the place where a reader sees it; `apart`, if any, why the two
    are not compared."""

    id: str
    text: str
    source: str | float
    ours: float | int
    label: str
    test: str
    unit: str = ""
    apart: str = ""


class Row(NamedTuple):
    """Claims about one thing; an erratum's row has neither title nor chapter."""

    id: str
    title: str
    chapter: int | None
    claims: tuple[Claim, ...]

    @property
    def is_erratum(self) -> bool:
        return "-E" in self.id


def parse_erratum(line: str) -> Erratum:
    """Split "- **R-E17** [T, confirmed] place — written → right *check: how*"; a line without an arrow is one
    remark."""
    match = re.match(
        rf"- \*\*([A-Z]-E\d+)\*\* \[(?:([STAC]), )?({'|'.join(VERDICTS)})\] (.+?)(?: \*check: (.+)\*)?$", line
    )
    if not match:
        raise ValueError(f"errata.md: not an entry: {line[:60]!r}")
    name, severity, verdict, body, check = match.groups(default="")
    place, dash, rest = body.partition(" — ")
    if not dash or "→" in place or len(place) > 70:  # a sentence with a dash in it, no place
        place, rest = "", body
    written, arrow, right = rest.partition(" → ")
    if not arrow or " → " in right:  # several corrections in one entry read better as they stand
        return Erratum(name, severity, verdict, place, "", "", rest, check)
    return Erratum(name, severity, verdict, place, written, right, "", check)


def load_errata() -> dict[str, Erratum]:
    """Every entry by id, in the order of the file."""
    found = [parse_erratum(line) for line in ERRATA.read_text(encoding="utf-8").splitlines() if line.startswith("- **")]
    return {erratum.id: erratum for erratum in found}


def load() -> dict[str, Row]:
    """The rows by id, in the file's order; what all claims of a row share stands with the row."""
    rows = {}
    for name, shared in yaml.safe_load(LEDGER.read_text(encoding="utf-8")).items():
        title, chapter, claims = shared.pop("title", ""), shared.pop("chapter", None), shared.pop("claims")
        rows[name] = Row(name, title, chapter, tuple(Claim(**shared | claim) for claim in claims))
    return rows
