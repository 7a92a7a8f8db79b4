"""The page on the feed-forward layer: what attention cannot do, what a layer stores, where a real model looks it up."""

import sys
from pathlib import Path

import pytest
import torch

from course_lib.pretrained.files import NotInstalled
from course_lib.results import HERE, load, store
from tests.claims import feed_forward as page
from tests.optional import missing

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))
import fact_probe


def test_no_affine_map_tells_exactly_one():
    torch.testing.assert_close(page.best_affine()[:, 0], torch.full((4,), 0.5, dtype=torch.float64))
    g = page.best_affine()[:, 0]
    assert g[0] + g[3] == pytest.approx(g[1] + g[2])


def test_two_neurons_tell_exactly_one():
    with torch.no_grad():
        torch.testing.assert_close(page.two_neurons()(page.CASES)[:, 0], page.EXACTLY_ONE)


def test_feed_forward_never_looks_sideways():
    attention, feed_forward = page.sideways()
    assert attention > 0.1
    assert feed_forward == 0


def test_a_neuron_a_fact():
    layer, keys, values = page.memory(200, 32)
    with torch.no_grad():
        torch.testing.assert_close(layer(keys), values)
        assert ((keys @ layer.W_1 + layer.b_1 > 0).sum(-1) == 1).all()


def test_facts_are_fetched_at_the_name():
    assert page.left("name", "feed-forward") < 0.6 < 0.8 < page.left("after", "feed-forward")
    assert page.left("name", "attention") > 0.8


def test_the_probe_is_the_models():
    """One fact recomputed from the model, in the window that the page speaks about, and untouched."""
    try:
        model = fact_probe.SmolLM.load()
    except NotInstalled as reason:
        missing(reason)
    table = load("fact_probe")
    row = next(row for row in table["facts"] if row["answer"] == "Rome")
    fact = next(fact for fact in fact_probe.FACTS if fact[2].strip() == "Rome")
    whole, attention, feed_forward = fact_probe.probabilities(model, *fact, "name", [5])
    window = table["starts"].index(5)
    stored = (row["whole"], row["name"]["attention"][window], row["name"]["feed-forward"][window])
    assert (whole, attention, feed_forward) == pytest.approx(stored, abs=2e-3)
    for question, again in zip(table["asked"], fact_probe.asked(model), strict=True):
        assert [piece for piece, _ in question["next"]] == [piece for piece, _ in again["next"]]
        assert [p for _, p in again["next"]] == pytest.approx([p for _, p in question["next"]], abs=2e-3)
    assert table["asked"][0]["next"][0][0] == " Kol"


def test_stored_tables_say_what_made_them():
    for path in HERE.glob("*.json"):
        assert load(path.stem)["command"], path.name
    with pytest.raises(ValueError, match="command"):
        store("nothing", {"rows": []})
    with pytest.raises(ValueError, match="fact_probe"):
        load("nothing")
