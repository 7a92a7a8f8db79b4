"""Where a model keeps a fact: one row of the stored table asked again."""

import pytest

from course_lib.pretrained.files import NotInstalled
from course_lib.results import load
from studies import fact_probe
from tests.shared.optional import missing


def test_the_probe_is_the_models():
    """One fact recomputed from the model, in the window that the page speaks about, and untouched."""
    try:
        model = fact_probe.language_model()
    except NotInstalled as reason:
        missing(reason)
    table = load("fact_probe")
    row = next(row for row in table["facts"] if row["answer"] == "Rome")
    fact = next(fact for fact in fact_probe.FACTS if fact[2].strip() == "Rome")
    whole, attention, feed_forward = fact_probe.probabilities(model, *fact, "name", [5])
    assert len(model.layers) == fact_probe.LAYERS
    window = table["starts"].index(5)
    stored = (row["whole"], row["name"]["attention"][window], row["name"]["feed-forward"][window])
    assert (whole, attention, feed_forward) == pytest.approx(stored, abs=2e-3)
    for question, again in zip(table["asked"], map(fact_probe.asked, fact_probe.ASKED), strict=True):
        assert [piece for piece, _ in question["next"]] == [piece for piece, _ in again["next"]]
        assert [p for _, p in again["next"]] == pytest.approx([p for _, p in question["next"]], abs=2e-3)
    assert table["asked"][0]["next"][0][0] == " Kol"
