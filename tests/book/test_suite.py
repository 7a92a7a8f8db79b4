"""The command behind `make check` and `make test`: every stage runs, its time is told, and one that failed is not
forgotten."""

import subprocess
import sys

import pytest

from tools.suite import stages as suite

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_quick" time="0.1"/>
<testcase classname="tests.test_a" name="test_slow" time="12.5"><failure message="no"/></testcase>
<testcase classname="tests.test_b" name="test_broken" time="0.2"><error message="no"/></testcase>
</testsuite></testsuites>"""
# Works for a second of a core in a process whose parent has ended, so that nobody but the first process would wait for
# it.
ORPHAN = """
import os, time
if os.fork() == 0:
    if os.fork() == 0:
        os.setsid()
        while time.process_time() < 1: pass
    os._exit(0)
os.wait()
"""


def python(name, code, report=None):
    return suite.Stage(name, [sys.executable, "-c", code], report)


def test_stages_go_on_after_one_that_failed_and_the_slowest_tests_are_told(tmp_path, capfd):
    report = tmp_path / "unit.xml"
    write = f"import os; assert os.environ['OMP_NUM_THREADS'] == '1'; open({str(report)!r}, 'w').write({REPORT!r})"
    fails = f"{write}; raise SystemExit(1)"
    status = suite.run(
        [[python("broken", "raise SystemExit(3)"), python("unit", fails, report), python("last", "print('was here')")]]
    )
    said = capfd.readouterr().out
    assert status == 1 and "broken  FAILED" in said and "last\n" in said and "was here" in said
    assert said.endswith("\nfailed\nbroken\nunit: tests.test_a::test_slow\nunit: tests.test_b::test_broken\n")
    assert said.index("12.5 s  tests.test_a::test_slow") < said.index("0.1 s  tests.test_a::test_quick")
    assert suite.run([[python("fine", "")]]) == 0


def test_what_a_stage_took_counts_processes_that_nobody_waited_for(tmp_path):
    report = tmp_path / "seconds"
    for code, status, least in ((ORPHAN, 0, 0.9), ("raise SystemExit(7)", 7, 0.0)):
        ended = subprocess.run(
            [sys.executable, "-m", "tools.suite.counted", report, sys.executable, "-c", code], cwd=suite.ROOT
        )
        assert ended.returncode == status and float(report.read_text()) >= least


def test_a_stage_is_run_in_its_own_environment(capfd):
    told = python("played", "import os; print('plays', os.environ['OPENBLAS_CORETYPE'], os.environ['OMP_NUM_THREADS'])")
    assert suite.run([[told._replace(environment={"OPENBLAS_CORETYPE": "Nehalem"})]]) == 0
    assert "plays Nehalem 1" in capfd.readouterr().out


def test_all_notebooks_and_unit_tests_are_played_on_three_processors_and_a_sample_in_each_run(tmp_path):
    [row] = suite.stages("processors", tmp_path)
    notebooks, units = ([stage for stage in row if stage.name.startswith(kind)] for kind in ("notebooks", "unit"))
    assert [each.environment for each in units] == [suite.OLDEST, suite.AVX2, {}]
    assert [each.environment for each in notebooks] == [suite.OLDEST, suite.AVX2, {}, {"COURSE_MOVE_LAST_BITS": "1"}]
    assert all(set(suite.NOTEBOOKS) <= set(each.command) for each in notebooks)
    [sample] = [stage for row in suite.stages("", tmp_path) for stage in row if stage.name == "processors"]
    assert sample.environment == suite.OLDEST and all((suite.ROOT / path).is_file() for path in suite.SAMPLE)


def test_rows_run_beside_each_other(tmp_path, capfd):
    begun = str(tmp_path / "begun")
    wait = (
        f"import os, time\nend = time.monotonic() + 60\nwhile not os.path.exists({begun!r}) and "
        f"time.monotonic() < end: time.sleep(0.01)\n"
    )
    slow = python("slow", f"{wait}print('heard', os.path.exists({begun!r})); raise SystemExit(1)")
    assert suite.run([[slow, python("after", "")], [python("quick", f"open({begun!r}, 'w')")]]) == 1
    said = capfd.readouterr().out
    assert "heard True" in said and "slow  FAILED" in said and "after  FAILED" not in said


def test_the_book_is_built_once_and_no_check_waits_for_it(tmp_path):
    rows, [check] = suite.stages("", tmp_path), suite.stages("check", tmp_path)
    whole = [stage for row in rows for stage in row]
    assert sum("tools.book.build" in stage.command for stage in whole) == 1
    built = [argument for stage in whole for argument in stage.command if argument.startswith("--book=")]
    assert len(built) == 2 and len(set(built)) == 1
    for row in rows:  # it has ended before anybody needs it
        there = False
        for stage in row:
            there = there or stage.name == "build"
            assert there or not any(a.startswith("--book=") for a in stage.command), stage.name
    assert [stage.name for stage in check] == ["lint", "size", "unit"] and "not book" in " ".join(check[2].command)


@pytest.mark.parametrize("asked", [["chekc"], ["check", "more"]])
def test_another_word_is_answered_by_the_usage(asked, monkeypatch):
    import runpy

    monkeypatch.setattr(sys, "argv", ["suite.py", *asked])
    with pytest.raises(SystemExit, match="before each commit"):
        runpy.run_path(suite.__file__, run_name="__main__")
