"""The ledger: every row of the syllabus and of the errata, with the number a source prints and the number we measured.

Three files, each with one owner:
    book/ledger.yml            by hand: rows, claims, what a source prints, page anchor, test
    book/data/errata.md        by hand: the errata's text (one list, parsed here)
    book/data/ledger_values.json   by this command only: our number for each claim id

    python tools/ledger.py            recompute our numbers (the functions in tests/claims) and write those that changed
    python tools/ledger.py --check    write nothing; fail where a number has moved or the ledger is inconsistent
"""

import argparse
import ast
import json
import math
import os
import re
import sys
from dataclasses import dataclass
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import yaml

from course_lib import long_work
from course_lib.pretrained.files import NotInstalled

ROOT = Path(__file__).resolve().parents[1]
LEDGER = ROOT / "book/ledger.yml"
VALUES = ROOT / "book/data/ledger_values.json"
ERRATA = ROOT / "book/data/errata.md"
SYLLABUS = ROOT / "book/data/syllabus_ids.txt"
CLAIMS = ROOT / "tests/claims"

DIGITS = 4  # significant digits stored and shown
ROW_KEYS = {"title", "chapter", "state", "claims"}
CLAIM_KEYS = {"id", "text", "source", "unit", "anchor", "test", "qualitative"}
ANCHOR = re.compile(r"^[\w./-]+\.html#[\w.-]+$")
TEST = re.compile(r"^tests/[\w/]+\.py::test_\w+$")


class Erratum(NamedTuple):
    """One entry of errata.md. `severity` is S, T, A, C or empty; `written` and `right` are empty where the entry is one remark."""

    id: str
    severity: str
    place: str
    written: str
    right: str
    remark: str
    check: str


@dataclass(frozen=True)
class Claim:
    """One statement of a row. `ours` is None until computed; `qualitative` claims have no number, only a test."""

    id: str
    text: str
    source: str | float | None
    unit: str
    anchor: str | None
    test: str | None
    qualitative: bool
    ours: float | int | None


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
    """Split "- **R-E7** [S] place — written → right *check: how*"; a line without an arrow is one remark."""
    match = re.match(r"- \*\*([A-Z]-E\d+)\*\* (?:\[([STAC])\] )?(.+?)(?: \*check: (.+)\*)?$", line)
    if not match:
        raise ValueError(f"errata.md: not an entry: {line[:60]!r}")
    name, severity, body, check = match.groups(default="")
    place, dash, rest = body.partition(" — ")
    if not dash or "→" in place or len(place) > 70:  # a sentence with a dash in it, no place
        place, rest = "", body
    written, arrow, right = rest.partition(" → ")
    if not arrow or " → " in right:  # several corrections in one entry read better as they stand
        return Erratum(name, severity, place, "", "", rest, check)
    return Erratum(name, severity, place, written, right, "", check)


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
        if row.get("state") not in ("open", "done"):
            faults.append(f"{name}: state must be open or done, got {row.get('state')!r}")
        if row.get("chapter") not in (None, 1, 2, 3, 4, 5, 6):
            faults.append(f"{name}: chapter must be 1 to 6 or null, got {row.get('chapter')!r}")
        claims = tuple(_claim(name, claim, values, faults) for claim in row.get("claims") or [])
        rows[name] = Row(name, title, row.get("chapter"), row.get("state"), claims)
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
    for key, pattern, form in (("anchor", ANCHOR, "page.html#anchor"), ("test", TEST, "tests/test_x.py::test_y")):
        if raw.get(key) is not None and not pattern.match(raw[key]):
            faults.append(f"{name}: {key} must read {form}, got {raw[key]!r}")
    if raw.get("qualitative") and name in values:
        faults.append(f"{name}: is called qualitative and has a number")
    return Claim(
        name, raw.get("text", ""), raw.get("source"), raw.get("unit") or "", raw.get("anchor"), raw.get("test"),
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
        for claim in row.claims if row.state == "done" else ():
            lacks = [key for key in ("anchor", "test") if getattr(claim, key) is None]
            if claim.ours is None and not claim.qualitative:
                lacks.append("number of ours (run `make ledger`)")
            if lacks:
                faults.append(f"{claim.id}: its row is done and it lacks {', '.join(lacks)}")
    return faults


def missing_tests(rows: dict[str, Row]) -> list[str]:
    """Tests that a claim names and no file defines; the files are read, not imported."""
    defined: dict[str, set[str]] = {}
    missing = []
    for claim in (claim for row in rows.values() for claim in row.claims if claim.test):
        path, _, function = claim.test.partition("::")
        if path not in defined:
            file = ROOT / path
            tree = ast.parse(file.read_text(encoding="utf-8")) if file.exists() else ast.Module([], [])
            defined[path] = {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}
        if function not in defined[path]:
            missing.append(f"{claim.id}: {claim.test}")
    return missing


class _Ids(HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids: set[str] = set()

    def handle_starttag(self, tag, attrs):
        self.ids.update(value for key, value in attrs if key == "id" and value)


def missing_anchors(html_root: Path, rows: dict[str, Row] | None = None) -> list[str]:
    """Anchors that a claim names and the built book under `html_root` lacks."""
    pages: dict[str, set[str]] = {}
    missing = []
    for claim in (claim for row in (rows or load()).values() for claim in row.claims if claim.anchor):
        page, _, anchor = claim.anchor.partition("#")
        if page not in pages:
            parser = _Ids()
            if (html_root / page).exists():
                parser.feed((html_root / page).read_text(encoding="utf-8"))
            pages[page] = parser.ids
        if anchor not in pages[page]:
            missing.append(f"{claim.id}: {claim.anchor}")
    return missing


def counts(rows: dict[str, Row]) -> tuple[int, int]:
    """Rows done, rows open."""
    done = sum(row.state == "done" for row in rows.values())
    return done, len(rows) - done


def registered() -> dict:
    """The computing functions by claim id: every module of tests/claims is imported."""
    if str(CLAIMS.parent) not in sys.path:
        sys.path.insert(0, str(CLAIMS.parent))
    for module in sorted(CLAIMS.glob("*.py")):
        if module.stem != "__init__":
            import_module(f"claims.{module.stem}")
    return import_module("claims").REGISTERED


def rounded(value: float | int) -> float | int:
    """The number as it is stored: a count exactly, a measure to four significant digits."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"a claim's function must return a finite int or float, got {value!r}")
    return value if isinstance(value, int) else float(f"{value:.{DIGITS}g}")


def moved(stored: dict[str, float | int], functions: dict) -> dict[str, float | int]:
    """The numbers that are new, or differ from the stored one by more than their tolerance."""
    changes = {}
    for number, (name, (function, rtol)) in enumerate(functions.items(), 1):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(functions)} numbers", end="\n" if number == len(functions) else "", file=sys.stderr, flush=True)
        try:
            new = rounded(function())
        except NotInstalled:  # a real model's number is kept where the model is not; in CI it has to be there
            if name not in stored or os.environ.get("CI"):
                raise
            continue
        old = stored.get(name)
        same = old is not None and (new == old or (isinstance(new, float) and abs(new - old) <= rtol * abs(old)))
        if not same:
            changes[name] = new
    return changes


def write_values(values: dict[str, float | int], path: Path = VALUES) -> None:
    path.write_text(json.dumps(dict(sorted(values.items())), indent=1) + "\n", encoding="utf-8")


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Recompute the numbers of the ledger.")
    parser.add_argument("--check", action="store_true", help="write nothing; fail where something is out of date")
    check = parser.parse_args(argv).check
    functions, stored = registered(), load_values()
    long_work.tell(f"{len(functions)} numbers: about a minute of one core. An interruption leaves the stored ones as they were.")
    changes = moved(stored, functions)
    values = {name: value for name, value in {**stored, **changes}.items() if name in functions}
    rows = load(values=values)
    faults = [f"names a test that does not exist: {item}" for item in missing_tests(rows)]
    stale = [f"has moved: {name}: {stored.get(name)} → {value}" for name, value in changes.items()]
    stale += [f"is no longer computed: {name}" for name in stored if name not in functions]
    if stale and not check:
        write_values(values)
    print(*stale, *faults, sep="\n", end="\n" if stale or faults else "")
    done, open_ = counts(rows)
    print(f"{len(functions)} numbers, {len(stale)} changed; {done} rows done, {open_} open")
    return 1 if faults or (check and stale) else 0


if __name__ == "__main__":
    sys.exit(long_work.interruptible(main, "the stored numbers are as they were"))
