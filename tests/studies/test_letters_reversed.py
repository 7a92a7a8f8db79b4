"""The small translators of five seeds: what the page says of the stored runs holds in every seed."""

from course_lib.graphs.translator_run import floor
from course_lib.results import load
from studies import letters_reversed as study

TABLE = load("letters_reversed")
ROWS = {model: [row for row in TABLE["rows"] if row["model"] == model] for model in study.MODELS}


def test_all_seeds_are_there_and_none_is_below_the_floor():
    assert [[row["seed"] for row in rows] for rows in ROWS.values()] == [list(study.SEEDS)] * len(ROWS)
    assert all(min(row["exact"]) > floor(TABLE["settings"]["noise"]) for row in TABLE["rows"])


def test_at_equal_updates_attention_is_nearer_to_the_floor_in_every_seed_and_a_wider_vector_than_a_narrow_one():
    last = {model: [row["exact"][-1] for row in rows] for model, rows in ROWS.items()}
    assert max(last["attention"]) < min(last["one vector, r = 32"]) and max(last["one vector, r = 32"]) < min(
        last["one vector"]
    )
