"""The ledger holds together: every row there, every number current, every test and anchor it names real."""

import json
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tools"))
import ledger  # noqa: E402


@pytest.fixture(scope="module")
def rows():
    return ledger.load()


def test_every_row_is_there(rows):
    ids = ledger.load_syllabus()
    assert len(ids) == len(set(ids)) == 77
    errata = ledger.load_errata()
    assert {letter: sum(name.startswith(letter) for name in errata) for letter in "RGLPS"} == {
        "R": 28, "G": 49, "L": 21, "P": 7, "S": 6,
    }  # fmt: skip
    assert list(rows) == [*ids, *errata]
    assert sum(ledger.counts(rows)) == len(rows)


def test_every_named_test_exists(rows):
    assert ledger.missing_tests(rows) == []


def test_numbers_are_current():
    assert ledger.moved(ledger.load_values(), ledger.registered()) == {}


def test_every_computed_number_is_stored_and_used(rows):
    claims = {claim.id for row in rows.values() for claim in row.claims if not claim.qualitative}
    assert set(ledger.load_values()) == set(ledger.registered()) <= claims


def test_writing_the_values_again_changes_no_byte(tmp_path):
    copy = tmp_path / "values.json"
    ledger.write_values(ledger.load_values(), copy)
    assert copy.read_bytes() == ledger.VALUES.read_bytes()


def test_moved_respects_counts_and_tolerance():
    functions = {"a": (lambda: 8, 1e-3), "b": (lambda: 1.0005, 1e-3), "c": (lambda: 1.01, 1e-3), "d": (lambda: 2.0, 1e-3)}
    assert ledger.moved({"a": 9, "b": 1.0, "c": 1.0}, functions) == {"a": 8, "c": 1.01, "d": 2.0}


@pytest.mark.parametrize("value", [True, "8", float("nan"), None])
def test_a_value_is_a_finite_number(value):
    with pytest.raises(ValueError, match="finite int or float"):
        ledger.rounded(value)


def test_errata_are_split_into_written_and_right():
    entry = ledger.load_errata()["R-E17"]
    assert entry == ("R-E17", "T", "§3.2", "bias written **w_0**", "**w_o**.", "", "read")
    assert ledger.load_errata()["R-E1"].remark.startswith("Confirmed")
    with pytest.raises(ValueError, match="not an entry"):
        ledger.parse_erratum("- **7** something")


def damaged(tmp_path, change) -> Path:
    """A copy of the ledger with one fault."""
    raw = yaml.safe_load(ledger.LEDGER.read_text(encoding="utf-8"))
    change(raw)
    path = tmp_path / "ledger.yml"
    path.write_text(json.dumps(raw), encoding="utf-8")  # JSON is YAML
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda raw: raw.pop("S2"), "S2: is in the syllabus or the errata and has no row"),
        (lambda raw: raw.update(Z9={"title": "x", "state": "open"}), "Z9: is a row of neither"),
        (lambda raw: raw["P4"].update(state="finished"), "P4: state must be open or done, got 'finished'"),
        (lambda raw: raw["P4"].update(state="done", claims=[]), "P4: is done and has no claim"),
        (lambda raw: raw["P4"].update(page=3), r"P4: unknown keys \['page'\]"),
        (lambda raw: raw["R-E1"]["claims"][0].update(anchor=None), "R-E1.rows: its row is done and it lacks anchor"),
        (lambda raw: raw["R-E1"]["claims"][0].update(test="tests/x.py"), "R-E1.rows: test must read"),
        (lambda raw: raw["R-E1"]["claims"][0].update(id="R-E1.other"), "R-E1.other: .* lacks number of ours"),
        (lambda raw: raw["R-E1"].update(claims=[], state="open"), "R-E1.rows: has a number in .* and no claim"),
        (lambda raw: raw["R-E1"]["claims"][0].update(ours=72), r"R-E1.rows: unknown keys \['ours'\]"),
    ],
)
def test_a_fault_is_named(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        ledger.load(damaged(tmp_path, change))


def test_missing_anchors_and_tests_are_found(tmp_path, rows):
    page = tmp_path / "book/errata.html"
    page.parent.mkdir()
    ids = {claim.anchor.partition("#")[2] for row in rows.values() for claim in row.claims if claim.anchor}
    page.write_text("".join(f'<div id="{name}"></div>' for name in ids - {"erratum-R-E1"}), encoding="utf-8")
    elsewhere = {claim.id for row in rows.values() for claim in row.claims if claim.anchor and "errata.html" not in claim.anchor}
    missing = {line.partition(":")[0] for line in ledger.missing_anchors(tmp_path, rows)}
    assert missing == {"R-E1.rows"} | elsewhere
    claim = ledger.Claim("x", "x", None, "", None, "tests/test_ledger.py::test_not_here", False, 1)
    assert ledger.missing_tests({"x": ledger.Row("x", "x", 1, "open", (claim,))}) == ["x: tests/test_ledger.py::test_not_here"]
