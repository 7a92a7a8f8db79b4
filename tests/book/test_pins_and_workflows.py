"""New pins are read, compared and written as they should be, each has its line on age and upkeep; and workflows name only what exists."""

import re
from datetime import date
from pathlib import Path

import pytest
import yaml

from tools.environments import pins, upkeep

ROOT = Path(__file__).resolve().parents[2]

OLD = "# The tested set.\nargon2-cffi-bindings==1.0\nJinja2==3.1.0\nPyYAML==6.0\ntorch==2.13.0\n"
FOUND = "jinja2==3.2.0\npyyaml==6.0\ntorch==2.13.0+cpu\nargon2-cffi-bindings==1.0\nmarkupsafe==3.0.4 ; python_version < '4'\n"


def test_a_file_keeps_its_comments_spelling_and_order():
    new = pins.rewritten(OLD, pins.pins(FOUND))
    assert new == "# The tested set.\nargon2-cffi-bindings==1.0\nJinja2==3.2.0\nmarkupsafe==3.0.4\nPyYAML==6.0\ntorch==2.13.0\n"
    assert pins.rewritten(OLD, pins.pins(OLD)) == OLD


def test_the_table_names_what_changes_and_what_is_new():
    assert pins.changed(pins.pins(OLD), pins.pins(FOUND)) == [("Jinja2", "3.1.0", "3.2.0"), ("markupsafe", "–", "3.0.4")]  # +cpu is no change
    assert pins.table([("Jinja2", "3.1.0", "3.2.0")]) == "package  old    new\nJinja2   3.1.0  3.2.0"


def test_what_is_held_is_asked_for_at_its_version_and_the_rest_never_goes_back():
    asked = pins.asked(OLD, ["numpy>=1.26"])
    assert "torch==2.13.0" in asked and "Jinja2>=3.1.0" in asked and asked[-1] == "numpy>=1.26"


def test_what_is_held_is_what_the_files_pin():
    pinned = {}
    for name in (*pins.SETS, *pins.ALONE):
        pinned |= pins.pins((ROOT / name).read_text(encoding="utf-8"))
    for name, (version, why) in pins.HELD.items():
        assert why and "==" + pinned[name][1] == version, name


@pytest.mark.parametrize("name", [*pins.SETS, *pins.ALONE])
def test_a_file_written_with_its_own_pins_is_itself(name):
    text = (ROOT / name).read_text(encoding="utf-8")
    assert pins.rewritten(text, pins.pins(text)) == text


# --------------------------------------------------------------------------------------------------------------- upkeep
LOCK = """
[[package]]
name = "old-one"
version = "1.0"
sdist = { url = "a", upload-time = "2020-05-02T10:00:00Z" }
wheels = [{ url = "b", upload-time = "2020-05-01T10:00:00.123Z" }, { url = "c" }]
[[package]]
name = "here"
version = "0"
"""


def test_a_release_is_dated_by_its_first_file():
    assert upkeep.releases(LOCK) == {"old-one": upkeep.Release("1.0", date(2020, 5, 1))}


def test_an_old_package_needs_a_verdict_and_is_told_from_one_that_is_only_pinned_low():
    old, new = upkeep.Release("1.0", date(2020, 5, 1)), upkeep.Release("2.0", date(2026, 1, 1))
    shown = upkeep.text([upkeep.Row("nobodys", old, old, ()), upkeep.Row("held", old, new, ("a", "b", "c", "d", "e"))], date(2026, 2, 1))
    assert "## Old: 1" in shown and "| nobodys | 1.0, 2020-05-01 | the same | – | **no verdict** |" in shown
    assert "| held | 1.0, 2020-05-01 | 2.0, 2026-01-01 | a, b, c, d and 1 more |" in shown


def test_the_table_has_every_pin_as_it_is_and_no_reason_is_left_over():
    found = dict(re.findall(r"^\| ([\w.-]+) \| ([^ ,]+), \d{4}-\d\d-\d\d \|", upkeep.TABLE.read_text(encoding="utf-8"), re.M))
    pinned = {key: pin for name in upkeep.FILES for key, pin in pins.pins((ROOT / name).read_text(encoding="utf-8")).items()}
    assert found == {name: version for name, version in pinned.values()}, "make upkeep"
    assert set(upkeep.VERDICTS) <= set(pinned) and "no verdict" not in upkeep.TABLE.read_text(encoding="utf-8")


# ------------------------------------------------------------------------------------------------------------ workflows
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
KEPT = ("actions/", "astral-sh/setup-uv")  # who looks after the actions we use


def steps(path: Path) -> list[dict]:
    return [step for job in yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.stem)
def test_a_workflow_names_what_there_is(path):
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M))
    for step in steps(path):
        assert step.get("uses", "actions/").startswith(KEPT), step
        run = step.get("run", "")
        named = set(re.findall(r"\bmake ([\w-]+)", run))
        assert named <= targets, named - targets
        for file in re.findall(r"(?:^|\s)((?:\.ci|tests|binder|requirements)[\w./-]*)", run):
            assert (ROOT / file).exists(), file
        for module in re.findall(r"-m (tools[\w.]*)", run):
            assert (ROOT / f"{module.replace('.', '/')}.py").exists(), module


