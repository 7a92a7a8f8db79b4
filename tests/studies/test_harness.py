"""The harness of all studies: it goes on where it stopped, writes whole tables, and says in a sentence what cannot
be."""

import errno
import json
import os
from dataclasses import replace
from pathlib import Path

import pytest

from course_lib import results
from course_lib.results.journal import Journal
from course_lib.results.study import Part, Study
from course_lib.results.tables import store

ROOT = Path(__file__).resolve().parents[2]
WANTED = [(name, seed) for seed in range(2) for name in ("a", "b")]


def row(name, seed):
    return {"name": name, "seed": seed, "size": 0.1 * seed, "list": [1, "√"]}


ROWS = [row(*each) for each in WANTED]


def study(run=row, wanted=WANTED, **more):
    return Study(
        "toy",
        {"settings": {"steps": 3, "rates": (0.1, 0.2)}},
        {"rows": Part(run, wanted, key=("name", "seed"))},
        minutes=8,
        **more,
    )


def main(run=row, wanted=WANTED):
    """The exit status of the study's command."""
    return study(run, wanted).main(argv=[])


def stops_after(count, made):
    """A run that Ctrl-C ends after so many rows."""

    def run(*arguments):
        if len(made) == count:
            raise KeyboardInterrupt
        made.append(arguments)
        return row(*arguments)

    return run


def files(folder):
    return sorted(path.name for path in folder.parents[1].rglob("*") if path.is_file())


# ---- what is kept
def test_interrupted_then_resumed_is_the_uninterrupted_byte_for_byte(folder, capsys):
    assert main() == 0
    whole = study().path.read_bytes()
    assert json.loads(whole) == {
        "command": "python studies/toy.py",
        "settings": {"steps": 3, "rates": [0.1, 0.2]},
        "rows": ROWS,
    }
    assert whole.count(b"\n") == 13 and files(folder) == ["toy.json"]  # a row a line; the working file is gone
    study().path.unlink()
    capsys.readouterr()

    first, second = [], []
    assert main(stops_after(3, first)) == 130
    said = capsys.readouterr().err
    assert said.startswith(
        "4 runs: about 8 minutes of one core. Interrupt when you like (Ctrl-C): finished runs are kept"
    )
    assert "a, 0: 1 of 4, about" in said and "interrupted: finished runs are kept" in said
    assert files(folder) == ["toy.jsonl"]  # no half table
    assert main(stops_after(9, second)) == 0
    assert "4 runs, 3 there, 1 to go: about 2 minutes of one core" in capsys.readouterr().err
    assert first + second == WANTED and study().path.read_bytes() == whole
    assert main(stops_after(0, [])) == 0 and study().path.read_bytes() == whole  # nothing is left to do
    assert "nothing to do: 4 runs there" in capsys.readouterr().err


def test_what_is_to_go_is_told_by_what_each_run_costs(folder, capsys):
    """Seed 1 costs three times as much as seed 0: both of its runs are six of the eight minutes."""
    uneven = Part(stops_after(2, []), WANTED, key=("name", "seed"), effort=lambda name, seed: 1 + 2 * seed)
    assert replace(study(), parts={"rows": uneven}).main(argv=[]) == 130
    assert capsys.readouterr().err.startswith("4 runs: about 8 minutes of one core.")
    assert replace(study(), parts={"rows": replace(uneven, run=row)}).main(argv=[]) == 0
    assert "4 runs, 2 there, 2 to go: about 6 minutes of one core" in capsys.readouterr().err


def test_other_settings_and_force_begin_anew(folder, capsys):
    made = []
    assert main() == 0
    changed = replace(study(stops_after(9, made)), head={"settings": {"steps": 4}})
    assert changed.main(argv=[]) == 0 and made == WANTED and results.load("toy")["settings"] == {"steps": 4}
    made.clear()
    assert changed.main(argv=["--force"]) == 0 and made == WANTED

    assert main(stops_after(1, [])) == 130
    before = study().working.read_bytes()
    made.clear()
    assert changed.main(argv=[]) == 2 and not made  # an interrupted run is not thrown away unasked
    assert f"error: settings must be those of {study().working}: its steps is 3, got 4" in capsys.readouterr().err
    assert study().working.read_bytes() == before
    assert changed.main(argv=["--force"]) == 0 and made == WANTED


def test_a_dict_of_rows_and_several_rows_of_one_run(folder):
    parts = {
        "counted": Part(lambda shape: sum(shape), {"[1, 2]": ((1, 2),), "[3]": ((3,),)}),
        "rows": Part(
            lambda shape, name: [{"shape": list(shape), "name": name}, {"shape": list(shape), "name": "mean"}],
            [((1, 2), "x"), ((3,), "x")],
            key=("shape", "name"),
        ),
    }
    many = Study("toy", parts=parts)
    many.grow()
    table = results.load("toy")
    assert table["counted"] == {"[1, 2]": 3, "[3]": 3}
    assert [(row["shape"], row["name"]) for row in table["rows"]] == [
        ([1, 2], "x"),
        ([1, 2], "mean"),
        ([3], "x"),
        ([3], "mean"),
    ]
    assert many.table(many.stored()) == table and set(many.stored()) == set(many.tasks())


def test_a_study_in_one_go_leaves_the_old_table_where_it_is_interrupted(folder, capsys):
    def interrupted():
        raise KeyboardInterrupt

    whole = Study("toy", {"model": "m"}, whole=lambda: {"rows": [1, 2]}, minutes=2)
    assert whole.main(argv=[]) == 0 and results.load("toy") == {
        "command": "python studies/toy.py",
        "model": "m",
        "rows": [1, 2],
    }
    before = whole.path.read_bytes()
    assert replace(whole, whole=interrupted).main(argv=[]) == 130 and whole.path.read_bytes() == before
    said = capsys.readouterr().err
    assert (
        "about 2 minutes of one core" in said
        and "interrupted: it is made in one go: an interruption leaves the stored table as it was" in said
    )


# ---- a working file that is not what it should be
@pytest.fixture
def half(folder):
    """The working file of an interrupted study."""
    assert main(stops_after(3, [])) == 130
    return study().working


@pytest.mark.parametrize("kept", [0, 1, 30, -1])
@pytest.mark.parametrize("number", [0, 3], ids=["head", "row"])
def test_a_line_cut_off_by_a_crash_is_told_and_run_again(half, capsys, number, kept):
    lines = half.read_bytes().splitlines(keepends=True)
    half.write_bytes(b"".join(lines[:number]) + lines[number][:kept])
    made = []
    assert main(stops_after(1, made)) == 130  # and interrupted once more
    assert main(stops_after(9, made)) == 0
    assert made == WANTED[max(0, number - 1) :] and results.load("toy")["rows"] == ROWS
    assert ("cut off" in capsys.readouterr().err) == (kept != 0)


CORRUPT = {
    "no JSON in the middle": (
        lambda lines: [lines[0], lines[1][:60] + b"\n", *lines[2:]],
        "line 2 holds no JSON object",
    ),
    "no study and no end of line": (lambda lines: [b"a shopping list"], "no part of it"),
    "another study": (lambda lines: [lines[0].replace(b"toy", b"boy"), *lines[1:]], "no settings of the study toy"),
    "a foreign last line": (lambda lines: [*lines, b"milk"], "no part of it"),
    "a row twice": (lambda lines: [*lines, lines[1]], "a second result"),
    "a key missing": (lambda lines: [lines[0], lines[1].replace(b'"key"', b'"kay"')], "the keys part, kay, rows"),
    "a row of another key": (
        lambda lines: [lines[0], lines[1].replace(b'"seed": 0', b'"seed": 7')],
        "name, seed are not",
    ),
    "a part that is none": (
        lambda lines: [lines[0], lines[1].replace(b'"part": "rows"', b'"part": "cols"')],
        "a part 'cols'",
    ),
    "no rows": (lambda lines: [lines[0], b'{"part": "rows", "key": ["a", 0], "rows": 7}\n'], "no rows"),
    "bytes that are no text": (lambda lines: [lines[0], b"\xff\xfe\n"], "no JSON object"),
}


@pytest.mark.parametrize("kind", CORRUPT)
def test_a_corrupt_file_is_named_and_left_alone(half, capsys, kind):
    change, words = CORRUPT[kind]
    half.write_bytes(b"".join(change(half.read_bytes().splitlines(keepends=True))))
    before = half.read_bytes()
    assert main() == 2
    said = capsys.readouterr().err
    assert words in said and str(half) in said and half.read_bytes() == before


# ---- what the machine refuses
def refusing(number):
    def refuse(*_, **__):
        raise OSError(number, os.strerror(number))

    return refuse


def test_a_read_only_folder_is_a_sentence_before_the_first_run(folder, tmp_path, monkeypatch, capsys):
    made, locked = [], tmp_path / "locked"
    locked.mkdir()
    locked.chmod(0o500)
    if os.access(locked, os.W_OK):  # root may write everywhere: then the refusal is made up
        monkeypatch.setattr(Path, "open", refusing(errno.EACCES))
    assert study(stops_after(9, made)).main(argv=["--out", str(locked / "rows.jsonl")]) == 2 and not made
    assert capsys.readouterr().err == f"error: Permission denied: {locked / 'rows.jsonl'}\n"


def test_a_full_disk_is_a_sentence_and_the_rows_before_are_kept(folder, monkeypatch, capsys):
    made = []

    def run(*arguments):
        if len(made) == 2:
            monkeypatch.setattr("os.fsync", refusing(errno.ENOSPC))
        return stops_after(9, made)(*arguments)

    assert main(run) == 2
    assert f"error: No space left on device: {study().working}\n" in capsys.readouterr().err
    monkeypatch.undo()
    monkeypatch.setattr(results, "HERE", folder)
    assert main(stops_after(9, made)) == 0 and results.load("toy")["rows"] == ROWS


@pytest.mark.parametrize("step", ["open", "replace"])
def test_a_table_that_cannot_be_written_leaves_the_old_one_and_no_part(folder, monkeypatch, capsys, step):
    assert main() == 0
    before = study().path.read_bytes()
    with monkeypatch.context() as full:
        refused, done = refusing(errno.ENOSPC), getattr(Path, step)
        full.setattr(
            Path,
            step,
            lambda path, *given, **named: (refused if path.suffix == ".part" else done)(path, *given, **named),
        )
        assert main(wanted=[*WANTED, ("c", 0)]) == 2
    assert capsys.readouterr().err.endswith(f"error: No space left on device: {study().path}\n")
    assert study().path.read_bytes() == before and files(folder) == ["toy.json", "toy.jsonl"]
    assert main(stops_after(0, []), [*WANTED, ("c", 0)]) == 0  # the row was kept


def test_a_table_names_its_command(tmp_path):
    with pytest.raises(ValueError, match="'command'"):
        store(tmp_path / "toy.json", {"rows": [1]})


def test_a_fault_of_the_code_is_no_sentence(folder):
    def run(*arguments):
        raise ValueError("shapes")

    with pytest.raises(RuntimeError, match=r"\('a', 0\).* has failed: shapes"):
        main(run)


# ---- the journal alone
@pytest.mark.parametrize("settings", [{"d": 8}, {"d": 8, "rate": 0.1, "steps": 3}, {"d": 8, "rate": 0.2}])
def test_a_journal_holds_what_was_added_and_is_refused_to_settings_that_have_come_gone_or_changed(tmp_path, settings):
    path, own = tmp_path / "toy.jsonl", {"settings": {"d": 8, "rate": 0.1}}
    Journal(path, "toy", own).add("rows", (("x", 1), 2), [{"a": float("-inf")}])
    assert Journal(path, "toy", own).found == {("rows", (("x", 1), 2)): [{"a": float("-inf")}]}
    before = path.read_bytes()
    with pytest.raises(ValueError, match=r"its (rate|steps) is .*, got .*; choose another --out"):
        Journal(path, "toy", {"settings": settings})
    assert path.read_bytes() == before
