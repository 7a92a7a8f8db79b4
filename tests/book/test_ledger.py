"""The ledger holds together: every row there, every number recorded by the test it names, every test real; its labels are the build's to find."""

import ast
import json
import re
from pathlib import Path

import pytest
import yaml
from course_book import ledger

from tests.shared.record import Recorder

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def rows():
    return ledger.load()


def decides(function: ast.FunctionDef) -> bool:
    """Does it assert something, itself or by a helper that is called so, and is it run?"""
    if any(re.search(r"mark\.(skip\b|xfail)", ast.unparse(each)) for each in function.decorator_list):
        return False
    called = [getattr(node.func, "attr", getattr(node.func, "id", "")) for node in ast.walk(function) if isinstance(node, ast.Call)]
    return any(isinstance(node, ast.Assert) for node in ast.walk(function)) or any(re.match("assert|check|raises$", name) for name in called)


@pytest.fixture(scope="module")
def functions() -> dict[str, set[str]]:
    """The ids that each test which decides something records, "tests/x.py::test_y" → ids. (One inside another is not collected.)"""
    found = {}
    for path in ROOT.glob("tests/**/test_*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and decides(node):
                takes = any(each.arg == "record" for each in node.args.args)
                calls = [each for each in ast.walk(node) if isinstance(each, ast.Call) and getattr(each.func, "id", "") == "record"]
                found[f"{path.relative_to(ROOT).as_posix()}::{node.name}"] = {ast.literal_eval(call.args[0]) for call in calls if takes}
    return found


def test_every_row_is_there(rows):
    ids = ledger.load_syllabus()
    assert len(ids) == len(set(ids)) == 79
    errata = ledger.load_errata()
    assert {letter: sum(name.startswith(letter) for name in errata) for letter in "RGLPS"} == {
        "R": 30, "G": 49, "L": 21, "P": 7, "S": 6,
    }  # fmt: skip
    assert list(rows) == [*ids, *errata]


def test_every_number_is_recorded_by_the_test_it_names(rows, functions):
    claims = [claim for row in rows.values() for claim in row.claims]
    assert [claim.test for claim in claims if claim.test not in functions] == []
    numbers = {claim.id: claim.test for claim in claims if not claim.qualitative}
    assert [name for name, test in numbers.items() if name not in functions[test]] == []
    assert {(name, test) for test, names in functions.items() for name in names} - set(numbers.items()) == set()


def test_every_stored_number_is_of_the_ledger(rows):
    assert set(ledger.load_values()) == set(ledger.numbers())


def test_writing_the_values_again_changes_no_byte(tmp_path):
    copy = tmp_path / "values.json"
    ledger.write_values(ledger.load_values(), copy)
    assert copy.read_bytes() == ledger.VALUES.read_bytes()


STORED = {"a": 9, "b": 1.0, "c": 1.0, "d": 0.0}


@pytest.mark.parametrize(("name", "value", "rtol"), [("a", 9, 1e-3), ("b", 1.0005, 1e-3), ("c", 1.04, 0.05), ("d", 0.0, 1e-3)])
def test_a_number_within_its_tolerance_is_kept(name, value, rtol):
    recorder = Recorder(STORED, STORED)
    assert recorder(name, value, rtol) == value and recorder.found == {name: STORED[name]}


@pytest.mark.parametrize(("name", "value"), [("a", 8), ("c", 1.04), ("d", 1e-9), ("e", 2.0)])
def test_a_number_that_moved_fails_its_test(name, value):
    with pytest.raises(pytest.fail.Exception, match=f"{name} was .* run `make ledger`"):
        Recorder([*STORED, "e"], STORED)(name, value)


def test_make_ledger_collects_what_moved():
    recorder = Recorder([*STORED, "e"], STORED, writing=True)
    assert [recorder(name, value) for name, value in (("a", 8), ("b", 1.0005), ("e", 1 / 3))] == [8, 1.0005, 1 / 3]
    assert recorder.found == {"a": 8, "b": 1.0, "e": 0.3333}
    with pytest.raises(pytest.fail.Exception, match=r"e was 0\.3333 and is 0\.4"):  # two values in one run
        recorder("e", 0.4)


def test_an_unknown_id_fails():
    with pytest.raises(pytest.fail.Exception, match="'f' is the id of no number"):
        Recorder(STORED, STORED)("f", 1.0)


@pytest.mark.parametrize("value", [True, "8", float("nan"), None])
def test_a_value_is_a_finite_number(value):
    with pytest.raises(ValueError, match="finite int or float"):
        Recorder(STORED, STORED)("a", value)


def test_errata_are_split_into_written_and_right():
    entry = ledger.load_errata()["R-E17"]
    assert entry == ("R-E17", "T", "confirmed", "§3.2", "bias written **w_0**", "**w_o**.", "", "read")
    right = ledger.load_errata()["R-E1"]
    assert (right.severity, right.verdict) == ("", "confirmed") and right.remark.startswith("Found right")


@pytest.mark.parametrize("line", ["- **7** something", "- **R-E7** [T] no verdict", "- **R-E7** [T, maybe] no such verdict", "- **R-E7** bare"])
def test_what_is_no_entry_is_named(line):
    with pytest.raises(ValueError, match="not an entry"):
        ledger.parse_erratum(line)


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
        (lambda raw: raw["R-E1"]["claims"][0].update(label=None), "R-E1.rows: its row is done and it lacks label"),
        (lambda raw: raw["R-E1"]["claims"][0].update(test="tests/x.py"), "R-E1.rows: test must read"),
        (lambda raw: raw["R-E1"]["claims"][0].update(id="R-E1.other"), "R-E1.other: .* lacks number of ours"),
        (lambda raw: raw["R-E1"].update(claims=[], state="open"), "R-E1.rows: has a number in .* and no claim"),
        (lambda raw: raw["R-E1"]["claims"][0].update(ours=72), r"R-E1.rows: unknown keys \['ours'\]"),
        (lambda raw: raw["R-E1"]["claims"].extend({"id": f"R-E1.{k}", "text": "x"} for k in range(3)), "R-E1: has more than 3 numbers that no source prints"),
    ],
)
def test_a_fault_is_named(tmp_path, change, message):
    with pytest.raises(ValueError, match=message):
        ledger.load(damaged(tmp_path, change))
