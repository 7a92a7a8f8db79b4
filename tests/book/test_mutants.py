"""The list of mutants names what there is, and the command tells a mutant that is killed from one that survives, and
both from a faulty one."""

from collections import Counter

import pytest

from tools.suite import mutants
from tools.suite.mutants import FAULTY, KILLED, SURVIVED, Mutant

LISTED = mutants.listed()
CODE = "def largest(a, b):\n    return a if a > b else b\n"
TEST = "from small import largest\n\n\ndef test_largest():\n    assert largest(1, 2) == 2 and largest(2, 1) == 2\n"


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "small.py").write_text(CODE)
    (tmp_path / "test_small.py").write_text(TEST)
    return tmp_path


def mutant(old, new, tests="test_small.py", survives=""):
    return Mutant("one", "an example", "small.py", old, new, tests, survives)


def test_every_text_stands_once_and_every_test_is_there():
    assert mutants.problems(LISTED) == []


def test_the_list_covers_library_extension_and_page():
    assert len(LISTED) >= 60 and all(each.means for each in LISTED)
    kinds = Counter((each.file.split("/")[0], each.file.rpartition(".")[2]) for each in LISTED)
    assert min(kinds["course_lib", "py"], kinds["course_lib", "js"], kinds["book", "py"] + kinds["book", "js"]) >= 12


def test_at_most_one_in_twenty_survives():
    assert 20 * sum(bool(each.survives) for each in LISTED) <= len(LISTED)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "verdict"),
    [
        ("a > b", "a < b", KILLED),
        ("a > b", "a >= b", SURVIVED),  # of two equal numbers either is the largest: no test can tell
        ("a > b", "a > c", FAULTY),
        ("a > b", "a > > b", FAULTY),
    ],
)
def test_a_mutant_is_judged_by_its_tests(old, new, verdict, tree):
    assert mutants.tried(mutant(old, new), tree, {"test_small.py": 10.0})[0] == verdict
    assert (tree / "small.py").read_text() == CODE


@pytest.mark.slow
def test_what_does_not_end_is_killed(tree, monkeypatch):
    monkeypatch.setattr(mutants, "PATIENCE", (0, 2))
    assert mutants.tried(mutant("return a", "while True: pass\n    return a"), tree, {"test_small.py": 1.0}) == (
        KILLED,
        "",
    )


@pytest.mark.slow
def test_tests_that_fail_anyway_tell_nothing(tree):
    assert mutants.tried(mutant("a > b", "a < b", "test_small.py -k nothing_like_that"), tree, {})[0] == FAULTY


def test_only_what_is_told_may_happen():
    told, untold = mutant("", "", survives="there is no telling"), mutant("", "")
    assert [mutants.expected(untold, each) for each in (KILLED, SURVIVED, FAULTY)] == [True, False, False]
    assert [mutants.expected(told, each) for each in (KILLED, SURVIVED, FAULTY)] == [False, True, False]


def test_what_is_wrong_with_a_list_is_said(tree):
    good = mutant("a > b", "a < b")
    assert mutants.problems([good], tree) == []
    wrong = [good, mutant("a", "c"), mutant("b > a", "c"), mutant("a > b", "a > b", "tests/gone.py::test_it -k x")]
    said = "\n".join(mutants.problems(wrong, tree))
    for words in (
        "once in small.py, got 4 times",
        "got 0 times",
        "new must differ",
        "there is no tests/gone.py",
        "an id must be used once",
    ):
        assert words in said
