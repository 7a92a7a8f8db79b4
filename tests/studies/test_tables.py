"""Every study: its table is whole, made with the settings in the code, by the command that bears its name."""

import json
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from course_lib import results
from course_lib.results.tables import text

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(path.stem for path in (ROOT / "studies").glob("*.py") if path.stem != "__init__")
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


def test_every_table_has_its_study():
    made = {study.name for name in MODULES if name != SEVERAL for study in studies_in(name)} | {SEVERAL}
    assert made == {path.stem for path in results.HERE.glob("*.json")}
    with pytest.raises(ValueError, match=r"name must be one of .*fact_probe.*, got 'nothing'"):
        results.load("nothing")


def test_a_command_works_from_any_folder(tmp_path):
    done = subprocess.run([sys.executable, str(ROOT / "studies" / "large_spectra.py"), "--help"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "python studies/large_spectra.py" in done.stdout
