"""The page on the tables: its claims, counted another way; and what the page says of its own stored numbers."""

import csv
from functools import cache

import numpy as np
import pytest

from course_lib import published
from course_lib.memoryless.places import p_value, place
from course_lib.published import rows
from course_lib.results import load
from course_lib.sources import cross_entropy
from tests.shared.seeded import rng
from tools.repository import ROOT


@cache
def studies() -> dict[str, dict[tuple, dict]]:
    """Key of a reading ("1500", …; "1500 0.999" with that β₂) → configuration → stored row."""
    found = {}
    for study in load("memoryless_study")["studies"]:
        settings = study["settings"]
        key = str(settings["budget"]) + ("" if settings["beta2"] == 0.95 else f" {settings['beta2']}")
        found[key] = {tuple(row[name] for name in "vndmr"): row for row in study["rows"]}
    return found


@cache
def printed() -> dict[tuple, float]:
    return {(row.v, row.n, row.d, row.m, row.r): row.error for row in rows()}


def test_every_row_was_run_again(record):  # R4
    assert record("R4.rows", len(studies()["1500"])) == 72
    assert record("R4.models", sum(len(row["err"]) for row in studies()["1500"].values())) == 72 * 16
    assert list(studies()["1500"]) == list(printed())
    for row in studies()["1500"].values():
        p = 100 * published.P[row["v"]]
        for q, err, loss in zip(row["q"], row["err"], row["loss"], strict=True):
            assert abs(np.array(q) - p).max() == pytest.approx(err, abs=2e-4)  # err and H follow from q in ours too
            assert cross_entropy(p / 100, np.array(q) / 100, tolerance=1e-5) == pytest.approx(loss, abs=5e-6)
            assert loss >= cross_entropy(p / 100, p / 100) - 1e-6


def errors(key: str, shapes=None) -> tuple[np.ndarray, np.ndarray]:
    """Published errors [rows] and ours [rows, S]."""
    shapes = list(printed()) if shapes is None else shapes
    return np.array([printed()[s] for s in shapes]), np.array([studies()[key][s]["err"] for s in shapes])


def places_among_ours(key: str = "1500", shapes=None) -> np.ndarray:
    return place(*errors(key, shapes))


def test_the_counts_of_places():  # R4
    published, ours = errors("1500")
    assert int((places_among_ours() == 0).sum()) == (published < ours.min(1)).sum()
    assert int((places_among_ours() == 16).sum()) == (published > ours.max(1)).sum()


def test_the_72_published_errors_pass_for_draws_of_ours():  # R4
    assert p_value(places_among_ours(), 16, rng()) > 0.05
    published_errors, ours = errors("1500")
    assert p_value(place(1.5 * published_errors, ours), 16, rng()) < 0.05  # it would have noticed
    assert p_value(place(published_errors / 1.5, ours), 16, rng()) < 0.05


def test_the_first_row_is_a_broad_lottery(record):  # R4
    errors = studies()["1500"][next(iter(printed()))]["err"]
    assert min(errors) < record("R4.first", np.median(errors)) < max(errors)
    assert max(errors) > 10 * min(errors)


def both() -> list[tuple]:
    """The configurations that were run with 1,500 and with 8,000 updates: all."""
    return list(printed())


def beyond(key: str, shapes: list[tuple]) -> float:
    """How far the mean published error lies above ours, in standard deviations: by drawing one of our models a row,
    many times."""
    published, ours = errors(key, shapes)
    draws = ours[np.arange(len(shapes)), rng().integers(0, ours.shape[1], (4000, len(shapes)))].mean(1)
    uncertain = np.sqrt(draws.var() * (1 + 1 / ours.shape[1]) * ours.shape[1] / (ours.shape[1] - 1))
    return (published.mean() - ours.mean()) / uncertain


def test_the_budget_is_decided():  # R-E6
    assert studies()["8000"].keys() == studies()["1500"].keys() == printed().keys()
    assert all(len(row["err"]) == 16 for row in studies()["8000"].values())
    assert abs(beyond("1500", both())) < 2
    assert beyond("8000", both()) > 4


def test_the_large_shapes_tell_and_the_small_ones_do_not():  # R-E6
    def ratio(shapes):
        return errors("8000", shapes)[1].mean() / errors("1500", shapes)[1].mean()

    assert ratio([shape for shape in both() if shape[2] >= 64]) < 0.65
    assert ratio([shape for shape in both() if shape[2] <= 16]) > 0.65
    large = [shape for shape in both() if shape[2] >= 64]
    assert set(large) < studies()["24000"].keys() and beyond("24000", large) > beyond("8000", large) > 4
    assert abs(beyond("8000", [shape for shape in both() if shape[2] <= 16])) < 3


def test_no_row_has_width_four(record):  # R-E5
    with open(ROOT / "course_lib/published/tables.csv", encoding="utf-8") as file:
        widths = {int(row["d"]) for row in csv.DictReader(file)}
    assert widths == {8, 16, 32, 64, 128}
    assert record("R-E5.least", min(row.d for row in rows())) == 8
    assert record("R-E5.widths", len({row.d for row in rows()})) == 5
