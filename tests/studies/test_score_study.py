"""The translator with each score: the beginning of stored trainings made again, and the shares by length against the whole."""

import pytest

from course_lib.results import load
from studies import score_study as study

TABLE = load("score_study")


@pytest.mark.parametrize(("variant", "seed"), [("dot", 0), ("multiplicative", 1), ("cosine × 8", 2), ("no attention", 0)])
def test_trainings_begin_as_stored(variant, seed):
    row = next(row for row in TABLE["rows"] if (row["variant"], row["seed"]) == (variant, seed))
    model, losses = study.trained(variant, seed, until=study.FIRST)
    assert losses == pytest.approx(row["first"], abs=1e-3)
    score = getattr(model.decoder, "score", None)
    assert row["score_parameters"] == (sum(each.numel() for each in score.parameters()) if score else 0)
