"""The ledger holds together: every number said by the test it names; its labels are the build's to find. Errata are
split as they are written."""

import re

import pytest
from course_book import ledger

from tests.shared.record import CLAIMS, agree
from tools.repository import ROOT


def test_every_number_is_said_by_the_test_it_names():
    rows = ledger.load().values()
    assert all(claim.id.startswith(f"{row.id}.") for row in rows for claim in row.claims)
    assert len(CLAIMS) == sum(len(row.claims) for row in rows)  # no id twice
    for claim in CLAIMS.values():
        path, _, name = claim.test.partition("::")
        (body,) = re.findall(rf"^def {name}\(.*?(?=^[\w@#]|\Z)", (ROOT / path).read_text(encoding="utf-8"), re.M | re.S)
        assert f'record("{claim.id}"' in body, claim


def test_every_erratum_is_there():
    errata = ledger.load_errata()
    assert {letter: [f"{letter}-E{k}" in errata for k in range(1, 60)].index(False) for letter in "RGLPS"} == {
        "R": 30, "G": 49, "L": 21, "P": 7, "S": 6,
    }  # fmt: skip
    assert {row.id for row in ledger.load().values() if row.is_erratum} <= set(errata) and len(errata) == 113
    text = ledger.ERRATA.read_text(encoding="utf-8")
    assert [name for name in errata if text.count(f"- **{name}**") != 1] == []


@pytest.mark.parametrize(
    ("ours", "value", "rtol", "same"),
    [
        (9, 9, 1e-3, True),
        (9, 8, 1, False),
        (1.0, 1.0005, 1e-3, True),
        (1.0, 1.04, 0.05, True),
        (1.0, 1.04, 1e-3, False),
        (0.0, 1e-9, 1e-3, False),
    ],
)
def test_a_number_that_moved_is_another(ours, value, rtol, same):
    claim = ledger.Claim("a.b", "a number", 1, ours, "place", "test")
    assert agree(claim, value, rtol) == same


def test_only_the_test_that_a_claim_names_says_its_number(record):
    with pytest.raises(
        AssertionError, match=r"L3\.7\.lead: book/ledger\.yml names tests/studies/test_ablation.py::test_results"
    ):
        record("L3.7.lead", 2.04)
    with pytest.raises(KeyError, match=r"no\.claim"):
        record("no.claim", 1.0)


def test_errata_are_split_into_written_and_right():
    entry = ledger.load_errata()["R-E17"]
    assert entry == ("R-E17", "T", "confirmed", "§3.2", "bias written **w_0**", "**w_o**.", "", "read")
    right = ledger.load_errata()["R-E1"]
    assert (right.severity, right.verdict) == ("", "confirmed") and right.remark.startswith("Found right")


@pytest.mark.parametrize(
    "line",
    ["- **7** something", "- **R-E7** [T] no verdict", "- **R-E7** [T, maybe] no such verdict", "- **R-E7** bare"],
)
def test_what_is_no_entry_is_named(line):
    with pytest.raises(ValueError, match="not an entry"):
        ledger.parse_erratum(line)
