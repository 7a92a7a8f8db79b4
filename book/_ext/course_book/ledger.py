"""The ledger's data: what a source prints or claims, and the number we measured beside it. This module alone reads them.

    book/ledger.yml                by hand: rows, claims, what a source prints, label of the place, test
    book/data/errata.md            by hand: the errata's text and verdicts (one list)
    book/data/ledger_values.json   by `make ledger` only: our number for each claim, recorded by the test that the claim names
"""

import json
import math
import re
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import yaml

ROOT = Path(__file__).resolve().parents[3]
LEDGER = ROOT / "book/ledger.yml"
VALUES = ROOT / "book/data/ledger_values.json"
ERRATA = ROOT / "book/data/errata.md"
SYLLABUS = ROOT / "book/data/syllabus_ids.txt"

DIGITS = 4  # significant digits stored and shown
OWN = 3  # numbers of our own that a row may have beside those of a source
VERDICTS = ("confirmed", "refuted", "half", "open")
ROW_KEYS = {"title", "chapter", "state", "claims"}
CLAIM_KEYS = {"id", "text", "source", "unit", "label", "test", "qualitative"}
TEST = re.compile(r"^tests/[\w/]+\.py::test_\w+$")


class Erratum(NamedTuple):
    """One entry of errata.md. `severity` is S, T, A, C or empty, `verdict` one of VERDICTS; `written` and `right` are empty where the
    entry is one remark."""

    id: str
    severity: str
    verdict: str
    place: str
    written: str
    right: str
    remark: str
    check: str


@dataclass(frozen=True)
class Claim:
    """One statement of a row. `ours` is None until recorded; `qualitative` claims have no number, only a test."""

    id: str
    text: str
    source: str | float | None
    unit: str
    label: str | None
    test: str | None
    qualitative: bool
    ours: float | int | None

    @property
    def own(self) -> bool:
        """A number that no source prints."""
        return self.source is None and not self.qualitative


@dataclass(frozen=True)
class Row:
    """One row; `chapter` is 1 to 6, or None for what belongs to the whole book."""

    id: str
    title: str
    chapter: int | None
    state: str
    claims: tuple[Claim, ...]

    @property
    def is_erratum(self) -> bool:
        return "-E" in self.id


def parse_erratum(line: str) -> Erratum:
    """Split "- **R-E17** [T, confirmed] place — written → right *check: how*"; a line without an arrow is one remark."""
    match = re.match(rf"- \*\*([A-Z]-E\d+)\*\* \[(?:([STAC]), )?({'|'.join(VERDICTS)})\] (.+?)(?: \*check: (.+)\*)?$", line)
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


def load_errata(path: Path = ERRATA) -> dict[str, Erratum]:
    """Every entry by id, in the order of the file."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [parse_erratum(line) for line in lines if line.startswith("- **")]
    doubles = {e.id for e in found if sum(other.id == e.id for other in found) > 1}
    if doubles:
        raise ValueError(f"{path.name}: these ids stand twice: {sorted(doubles)}")
    return {e.id: e for e in found}


def load_syllabus(path: Path = SYLLABUS) -> list[str]:
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line.strip() for line in lines if line.strip() and not line.startswith("#")]


def load_values(path: Path = VALUES) -> dict[str, float | int]:
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


def numbers(path: Path = LEDGER) -> dict[str, str]:
    """The claims that have a number, by id: the test that records it. Nothing else is read or checked."""
    rows = yaml.safe_load(path.read_text(encoding="utf-8")).values()
    return {claim["id"]: claim["test"] for row in rows for claim in row["claims"] if not claim.get("qualitative")}


def load(path: Path = LEDGER, values: dict | None = None) -> dict[str, Row]:
    """The rows by id, in the file's order, with our numbers looked up. Raises ValueError with every fault it finds."""
    raw = yaml.safe_load(path.read_text(encoding="utf-8"))
    values = load_values() if values is None else values
    errata, rows, faults = load_errata(), {}, []
    for name, row in raw.items():
        extra = set(row) - ROW_KEYS
        if extra:
            faults.append(f"{name}: unknown keys {sorted(extra)}, it takes {sorted(ROW_KEYS)}")
        # an erratum's words live in errata.md alone
        title = row.get("title") or (errata[name].place if name in errata else "")
        if not title and name not in errata:
            faults.append(f"{name}: title is missing")
        state = row.get("state", "done")
        if state not in ("open", "done"):
            faults.append(f"{name}: state must be open or done, got {state!r}")
        if row.get("chapter") not in (None, 1, 2, 3, 4, 5, 6):
            faults.append(f"{name}: chapter must be 1 to 6 or null, got {row.get('chapter')!r}")
        claims = tuple(_claim(name, claim, values, faults) for claim in row.get("claims") or [])
        rows[name] = Row(name, title, row.get("chapter"), state, claims)
    faults += _faults(rows, values, list(errata))
    if faults:
        raise ValueError(f"{path.name}:\n  " + "\n  ".join(faults))
    return rows


def _claim(row: str, raw: dict, values: dict, faults: list[str]) -> Claim:
    name = raw.get("id", "")
    extra = set(raw) - CLAIM_KEYS
    if extra:
        faults.append(f"{name or row}: unknown keys {sorted(extra)}, a claim takes {sorted(CLAIM_KEYS)}")
    if not str(name).startswith(f"{row}."):
        faults.append(f"{row}: a claim's id must begin with '{row}.', got {name!r}")
    if not raw.get("text"):
        faults.append(f"{name}: text is missing")
    if raw.get("test") is not None and not TEST.match(raw["test"]):
        faults.append(f"{name}: test must read tests/test_x.py::test_y, got {raw['test']!r}")
    if raw.get("qualitative") and name in values:
        faults.append(f"{name}: is called qualitative and has a number")
    return Claim(
        name, raw.get("text", ""), raw.get("source"), raw.get("unit") or "", raw.get("label"), raw.get("test"),
        bool(raw.get("qualitative")), values.get(name),
    )  # fmt: skip


def _faults(rows: dict[str, Row], values: dict, errata: list[str]) -> list[str]:
    """What no single row can tell: ids missing or twice, numbers without a claim, rows called done too early."""
    faults = []
    expected = load_syllabus() + errata
    faults += [f"{name}: is in the syllabus or the errata and has no row" for name in expected if name not in rows]
    faults += [f"{name}: is a row of neither the syllabus nor the errata" for name in rows if name not in expected]
    ids = [claim.id for row in rows.values() for claim in row.claims]
    faults += [f"{name}: stands twice" for name in sorted({i for i in ids if ids.count(i) > 1})]
    faults += [f"{name}: has a number in {VALUES.name} and no claim" for name in values if name not in ids]
    for row in rows.values():
        if row.state == "done" and not row.claims:
            faults.append(f"{row.id}: is done and has no claim")
        if sum(claim.own for claim in row.claims) > OWN:
            faults.append(f"{row.id}: has more than {OWN} numbers that no source prints")
        for claim in row.claims if row.state == "done" else ():
            lacks = [key for key in ("label", "test") if getattr(claim, key) is None]
            if claim.ours is None and not claim.qualitative:
                lacks.append("number of ours (run `make ledger`)")
            if lacks:
                faults.append(f"{claim.id}: its row is done and it lacks {', '.join(lacks)}")
    return faults


def rounded(value: float | int) -> float | int:
    """The number as it is stored: a count exactly, a measure to four significant digits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"the ledger takes a finite int or float, got {value!r}")
    return value if isinstance(value, int) else float(f"{value:.{DIGITS}g}")


def moved(stored: float | int | None, new: float | int, rtol: float) -> bool:
    """Is `new` (rounded) another number than the stored one? A count must be equal, a measure agree within `rtol`."""
    if stored is None:
        return True
    return new != stored and not (isinstance(new, float) and abs(new - stored) <= rtol * abs(stored))


def write_values(values: dict[str, float | int], path: Path = VALUES) -> None:
    path.write_text(json.dumps(dict(sorted(values.items())), indent=1) + "\n", encoding="utf-8")
