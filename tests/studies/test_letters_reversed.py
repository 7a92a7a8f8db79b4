"""The small translators of five seeds: the stored runs begin as the code says, and what the page says of them holds in every seed."""

import pytest

from course_lib.graphs.translator_run import TranslatorRun, floor
from course_lib.results import load
from studies import letters_reversed as study

TABLE = load("letters_reversed")
ROWS = {model: [row for row in TABLE["rows"] if row["model"] == model] for model in study.MODELS}


@pytest.mark.parametrize("model", study.MODELS)
def test_a_run_begins_as_it_is_stored(model):
    for row in ROWS[model][:2]:
        run = TranslatorRun(study.settings(model, row["seed"]))
        assert [run.step() for _ in range(study.FIRST)] == pytest.approx(row["first"], abs=1e-3)


def test_all_seeds_are_there_and_none_is_below_the_floor():
    assert [[row["seed"] for row in rows] for rows in ROWS.values()] == [list(study.SEEDS)] * len(ROWS)
    assert all(min(row["exact"]) > floor(TABLE["settings"]["noise"]) for row in TABLE["rows"])


def test_at_equal_updates_attention_is_nearer_to_the_floor_in_every_seed_and_a_wider_vector_than_a_narrow_one():
    last = {model: [row["exact"][-1] for row in rows] for model, rows in ROWS.items()}
    assert max(last["attention"]) < min(last["one vector, r = 32"]) and max(last["one vector, r = 32"]) < min(last["one vector"])
