"""Who remembers the first token: rows of the stored study made again."""

import pytest

from course_lib.results import load
from studies import remember_first as study

TABLE = load("remember_first")


@pytest.mark.parametrize("setting", [("rnn, orthogonal", "Adam", 4), ("gru", "SGD", 4)])
def test_a_row_of_the_study_comes_again(setting):
    stored = next(row for row in TABLE["rows"] if (row["cell"], row["optimiser"], row["T"]) == setting)
    again = study.run(*setting)
    assert (again["learned"], again["rate"], again["steps"]) == (stored["learned"], stored["rate"], stored["steps"])
    before, after = zip(again["arrives"], stored["arrives"], strict=True)
    assert before[0] == pytest.approx(before[1], rel=0.02)
    assert after[0] == pytest.approx(after[1], rel=0.7)  # hundreds of steps on, another processor's rounding has been magnified
