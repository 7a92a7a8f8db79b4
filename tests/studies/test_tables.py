"""Every study: its table is whole, made with the settings in the code, by the command that bears its name; and it goes on where it stopped."""

import json
import subprocess
import sys
from dataclasses import replace
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


@pytest.mark.parametrize("name", [name for name in MODULES if name != SEVERAL])
def test_a_study_that_was_stopped_goes_on_to_the_stored_table(name, tmp_path, monkeypatch):
    """With the stored rows in place of runs: half of them are in the working file."""
    for study in studies_in(name):
        if study.whole is not None:
            continue
        tasks, found, stored = study.tasks(), study.stored(), study.path.read_bytes()
        half, made = list(tasks)[: len(tasks) // 2], []
        rows = {(part, arguments): found[part, key] for (part, key), arguments in tasks.items()}

        def again(part, *arguments, rows=rows, made=made):
            made.append((part, arguments))
            return json.loads(json.dumps(rows[part, arguments]))

        parts = {part: replace(each, run=lambda *arguments, part=part, again=again: again(part, *arguments)) for part, each in study.parts.items()}
        with monkeypatch.context() as elsewhere:
            elsewhere.setattr(results, "HERE", tmp_path / "course_lib" / "results")
            results.HERE.mkdir(parents=True, exist_ok=True)
            journal = study.journal()
            for part, key in half:
                journal.add(part, key, found[part, key])
            replace(study, parts=parts).grow()
            assert study.path.read_bytes() == stored and not study.working.exists()
        assert made == [(part, tasks[part, key]) for part, key in tasks if (part, key) not in half]


def test_a_command_works_from_any_folder(tmp_path):
    done = subprocess.run([sys.executable, str(ROOT / "studies" / "large_spectra.py"), "--help"], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "python studies/large_spectra.py" in done.stdout
