"""Where a model keeps a fact: stored rows asked again, and the means put together another way."""

import pytest

from course_lib.results import load
from studies import fact_probe

TABLE = load("fact_probe")


@pytest.mark.parametrize("fill", fact_probe.FILLS)
def test_the_probe_is_the_models(model, fill):
    """One fact and its control recomputed, in the window that the page speaks about, and untouched."""
    row = next(row for row in TABLE["facts"] if row["answer"] == "Rome")
    name, rest, word, answer = next(fact for fact in fact_probe.FACTS if fact[3].strip() == "Rome")
    window = TABLE["starts"].index(5)
    for stored, asked in ((row, (name, rest + word, answer)), (row["control"], (name, rest, word))):
        again = fact_probe.log_probabilities(model, *asked, "name", fill, [5])
        assert again == pytest.approx(
            [stored["whole"], *(stored[fill]["name"][part][window] for part in fact_probe.PARTS)], abs=5e-3
        )
    assert len(model.layers) == fact_probe.LAYERS


def test_the_name_that_the_page_asks_for():
    assert TABLE["asked"][0]["next"][0][0] == " Kol"
