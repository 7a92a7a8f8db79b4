"""Every study: its table is whole, made with the settings in the code, by the command that bears its name; what its
study says is made again."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from course_lib import results
from course_lib.pretrained.files import NotInstalled
from course_lib.results.journal import frozen
from course_lib.results.tables import text
from tests.shared.optional import missing

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in (ROOT / "studies").glob("*.py") if "Study(" in path.read_text(encoding="utf-8"))
SEVERAL = "memoryless_study"  # one table of several working files, which its own test looks at


def studies_in(name):
    module = import_module(f"studies.{name}")
    return getattr(module, "STUDIES", None) or (module.STUDY,)


@pytest.mark.parametrize("name", [name for name in MODULES if name != SEVERAL])
def test_a_table_is_whole_and_made_with_these_settings_by_this_command(name):
    for study in studies_in(name):
        table = results.load(study.name)
        assert {key: table[key] for key in study.title()} == study.title()
        assert table["command"].split()[:2] == ["python", f"studies/{name}.py"] and study.name.startswith(name)
        if study.whole is None:
            assert set(study.stored()) == set(study.tasks())
            assert study.table(study.stored()) == table
        else:
            assert set(table) > set(study.title())
        assert study.path.read_text(encoding="utf-8") == text(table) + "\n"  # a row a line
        json.dumps(table, allow_nan=False)  # and every number is one


AGAIN = [
    (study, again, key)
    for name in MODULES
    if name != SEVERAL
    for study in studies_in(name)
    for again in study.again
    for key in again.keys
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("study", "again", "key"), AGAIN, ids=[f"{study.name}-{again.part}-{key}-{again.of}" for study, again, key in AGAIN]
)
def test_what_is_made_again_is_what_is_stored(study, again, key):
    """A row from nothing, or its beginning, as its study says which and how near."""
    place = (again.part, frozen(key))
    there = study.stored()[place]
    try:
        made = again.run(*study.tasks()[place], *(there[0][name] for name in again.given))
    except NotInstalled as reason:
        missing(reason)
    rows = made if isinstance(made, list) and not isinstance(again.of, str) else [made]
    assert 0 < len(rows) <= len(there)
    for row, stored in zip(rows, there, strict=False):
        if isinstance(again.of, str):
            stored = stored[again.of]
        else:
            row, stored = ({name: each[name] for name in again.of or stored} for each in (row, stored))
        begins(json.loads(json.dumps(row, default=lambda array: array.tolist())), stored, rel=again.rel, abs=again.abs)


def begins(made, stored, **near):
    """The numbers and words made are those stored, as far as they go."""
    if isinstance(made, dict):
        for name in made:
            begins(made[name], stored[name], **near)
    elif isinstance(made, list):
        assert bool(made) == bool(stored) and len(made) <= len(stored)
        for one, other in zip(made, stored, strict=False):
            begins(one, other, **near)
    else:
        assert made == (pytest.approx(stored, **near) if isinstance(stored, int | float) else stored)


def test_every_table_has_its_study():
    made = {study.name for name in MODULES if name != SEVERAL for study in studies_in(name)} | {SEVERAL}
    assert made == {path.stem for path in results.HERE.glob("*.json")}
    with pytest.raises(ValueError, match=r"name must be one of .*fact_probe.*, got 'nothing'"):
        results.load("nothing")


def test_a_command_works_from_any_folder(tmp_path):
    done = subprocess.run(
        [sys.executable, str(ROOT / "studies" / "large_spectra.py"), "--help"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "python studies/large_spectra.py" in done.stdout
