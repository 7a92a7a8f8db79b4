"""SamplingBars: the recorded probabilities at a temperature, against the whole distribution where the model is
installed; the draws."""

import math

import pytest

from course_lib.pretrained.files import NotInstalled
from course_lib.results import load
from course_lib.widgets import SamplingBars
from studies import next_words
from tests.shared.graph_node import call, js
from tests.shared.optional import missing

ROWS = load("next_words")["distributions"]
TEMPERATURES = (0.1, 0.7, 1, 1.5, 3)


def tempered(cases):
    return call(*(seen(**case) for case in cases))


def seen(text=0, temperature=1, seed=1):
    page = js("sampling_bars/tempered.js")
    found = page.tempered(ROWS[text], temperature)
    drawn = page.draws(found.shares, seed)
    told = page.told({"temperature": temperature, "row": ROWS[text]}, found, drawn)
    return js().Object.assign({"drawn": drawn, "told": told}, found)


def test_temperature_one_is_what_the_study_recorded():
    said = {row["text"]: row["next"] for row in load("next_words")["texts"]}
    for i, row in enumerate(ROWS[:2]):
        (seen,) = tempered([{"text": i}])
        assert seen["shares"][:5] == pytest.approx([p for _, p in said[row["text"]]], rel=0.01)
        assert len(row["top"]) + seen["count"] == 49_152


def test_it_is_the_models_distribution_at_every_temperature():
    try:
        logits = next_words.language_model().read(ROWS[0]["text"]).logits[-1]
    except NotInstalled as reason:
        missing(reason)
    for T, seen in zip(TEMPERATURES, tempered([{"temperature": T} for T in TEMPERATURES]), strict=True):
        p = (logits / T).softmax(-1)
        assert seen["shares"] == pytest.approx(p.topk(next_words.SHOWN).values.tolist(), rel=0.01, abs=1e-4)
        assert seen["others"] == pytest.approx(1 - float(p.topk(next_words.SHOWN).values.sum()), rel=0.01, abs=1e-3)
        entropy = float(-(p * p.clamp_min(1e-30).log()).sum())
        assert seen["places"] == pytest.approx(math.exp(entropy), rel=0.03)


def test_draws_follow_the_shares_and_their_seed():
    answers = tempered([{"seed": seed} for seed in range(1, 301)])
    drawn = [at for seen in answers for at in seen["drawn"]]
    assert len(drawn) == 6000
    assert drawn.count(0) / 6000 == pytest.approx(answers[0]["shares"][0], abs=0.02)
    assert drawn.count(None) / 6000 == pytest.approx(answers[0]["others"], abs=0.02)
    cold, hot = tempered([{"temperature": 0.1}, {"temperature": 3}])
    assert set(cold["drawn"]) == {0} and hot["drawn"].count(None) > 10
    assert "as good as certain" in cold["told"] and "“friend” 20\u00a0×" in cold["told"]
    assert "49,140 pieces that are not shown" in hot["told"]


def test_rows_must_be_alike():
    with pytest.raises(ValueError, match="rows"):
        SamplingBars([ROWS[0], {**ROWS[1], "top": ROWS[1]["top"][:3]}])
