"""The explorer's questions in six seeds: what the page says of the stored runs holds."""

from course_lib.results import load
from course_lib.tasks import TASKS

TABLE = load("explorer_seeds")


def rows(name, what="right"):
    return [row[what] for row in TABLE["rows"] if row["run"] == name]


def test_one_head_reverses_and_no_positions_stay_near_a_guess_among_six():
    assert min(rows("one head, d = m = 8")) == 1
    assert all(0.25 < share < 0.31 for share in rows("no positions"))


def test_a_head_is_needed_in_four_of_six_seeds_and_at_one_it_does_everything():
    worst = [min(off) for off in rows("default", "off")]
    assert [share < 0.9 for share in worst] == [False, True, True, True, False, True]
    assert worst[2] < 0.2 and min(rows("default")) == 1


def test_without_the_mask_only_the_score_with_the_answers_in_sight_is_perfect():
    assert min(rows("default", "alone")) == min(rows("no mask")) == 1 and max(rows("no mask", "alone")) < 0.95


def test_two_layers_recall_in_four_seeds_and_one_in_none():
    assert max(rows("recall, 1 layer")) < 0.5 and sum(share == 1 for share in rows("recall, 2 layers")) == 4


def test_without_positions_only_the_hundreds_are_guessed():
    guess = 1 / 9 + 8 / 9 / 2
    assert all(abs(first - guess) < 0.12 and set(rest) == {1} for first, *rest in rows("numbers, no positions", "each"))
    assert min(rows("numbers")) == 1


def test_text_comes_near_its_floor_and_never_below():
    gap = TASKS["text"].blind - TASKS["text"].floor
    assert all(0 < row["loss"] - row["source"] < gap / 2 for row in TABLE["text"])
    assert all(abs(row["source"] - TASKS["text"].floor) < 0.03 for row in TABLE["text"])
