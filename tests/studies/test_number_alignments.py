"""Where a small model looks when numbers change places: the study's grammar, and the start of a stored training made
again."""

import random

import pytest

from course_lib.results import load
from studies import number_alignments as study


def test_it_knows_which_words_cross():
    pair = study.number_words(400, random.Random(3), digits=6)
    pair = next(each for each in pair if "und" in each.target)
    ones = "ein zwei drei vier fünf sechs sieben acht neun"
    german = dict(zip(ones.split(), study.ONES, strict=True))
    for i, j in study.crossing_words(pair)[::2]:
        assert german[pair.target[i]] == pair.source[j]
    known, unseen = study.numbers()
    assert not {pair.source for pair in known} & {pair.source for pair in unseen}
    assert not set(study.SHOWN) & {" ".join(pair.source) for pair in known}


def test_the_start_of_a_training_is_made_again():
    table = load("number_alignments")
    known, unseen = study.numbers()
    model, losses = study.trained(known, 0, until=study.EARLY)
    for step in (1, study.EARLY):
        assert losses[step - 1] == pytest.approx(table["rows"][0][f"loss of step {step}"], rel=0.02)
    short = study.row(0, model, known, unseen[:20])
    assert (
        short["exact"] < 0.2 and short["both"] < 0.9 and short["pairs"] > 10
    )  # the study measures what training makes
