"""The command behind `make check` and `make test`: every stage runs, its time is told, and one that failed is not forgotten."""

import sys

import pytest

from tools.suite import stages as suite

REPORT = """<testsuites><testsuite>
<testcase classname="tests.test_a" name="test_quick" time="0.1"/><testcase classname="tests.test_a" name="test_slow" time="12.5"/>
</testsuite></testsuites>"""


def python(name, code, report=None):
    return suite.Stage(name, [sys.executable, "-c", code], report)


def test_stages_go_on_after_one_that_failed_and_the_slowest_tests_are_told(tmp_path, capfd):
    report = tmp_path / "unit.xml"
    write = f"import os; assert os.environ['OMP_NUM_THREADS'] == '1'; open({str(report)!r}, 'w').write({REPORT!r})"
    status = suite.run([[python("broken", "raise SystemExit(3)"), python("unit", write, report), python("last", "print('was here')")]])
    said = capfd.readouterr().out
    assert status == 1 and "broken  FAILED" in said and "unit\n" in said and "was here" in said
    assert said.index("12.5 s  tests.test_a::test_slow") < said.index("0.1 s  tests.test_a::test_quick")
    assert suite.run([[python("fine", "")]]) == 0


def test_rows_run_beside_each_other(tmp_path, capfd):
    begun = str(tmp_path / "begun")
    wait = f"import os, time\nend = time.monotonic() + 60\nwhile not os.path.exists({begun!r}) and time.monotonic() < end: time.sleep(0.01)\n"
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
    assert [stage.name for stage in check] == ["lint", "unit"] and "not book" in " ".join(check[1].command)


@pytest.mark.parametrize("asked", [["chekc"], ["check", "more"]])
def test_another_word_is_answered_by_the_usage(asked, monkeypatch):
    import runpy

    monkeypatch.setattr(sys, "argv", ["suite.py", *asked])
    with pytest.raises(SystemExit, match="before each commit"):
        runpy.run_path(suite.__file__, run_name="__main__")
