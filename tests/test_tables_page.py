"""The page on the tables: its claims, counted another way; and what the page says of its own stored numbers."""

import csv
from pathlib import Path

import numpy as np
import pytest
from claims import tables as page

from course_lib import published, results
from course_lib.sources import cross_entropy

ROOT = Path(__file__).resolve().parents[1]


def stored(budget, beta2=0.95):
    studies = results.load("memoryless_study")["studies"]
    return next(s for s in studies if (s["settings"]["budget"], s["settings"]["beta2"]) == (budget, beta2))


def test_every_row_was_run_again():  # R4
    assert page.configurations_rerun() == 72 and page.models_rerun() == 72 * 16
    for row, printed in zip(stored(1500)["rows"], published.rows(), strict=True):
        assert (row["v"], row["n"], row["d"], row["m"], row["r"]) == printed[1:6]
        p = 100 * published.P[row["v"]]
        for q, err, loss in zip(row["q"], row["err"], row["loss"], strict=True):
            assert abs(np.array(q) - p).max() == pytest.approx(err, abs=2e-4)  # err and H follow from q in ours too
            assert cross_entropy(p / 100, np.array(q) / 100, tolerance=1e-5) == pytest.approx(loss, abs=5e-6)
            assert loss >= cross_entropy(p / 100, p / 100) - 1e-6


def test_the_counts_of_places():  # R4
    under = over = above = 0
    for row, printed in zip(stored(1500)["rows"], published.rows(), strict=True):
        under += printed.error < min(row["err"])
        over += printed.error > max(row["err"])
        above += printed.error > sum(sorted(row["err"])[7:9]) / 2
    assert (page.published_below_all_of_ours(), page.published_above_all_of_ours(), page.published_above_our_median()) == (under, over, above)


def test_the_72_published_errors_pass_for_draws_of_ours():  # R4
    """The page's verdict, and the same by another test: a chi-square of three groups of places by simulation."""
    assert page.p_of_the_72_places() > 0.05
    groups = [range(6), range(6, 11), range(11, 17)]
    expected = np.array([6, 5, 6]) * 72 / 17

    def chi_square(places):
        return sum((np.isin(places, list(group)).sum(-1) - e) ** 2 / e for group, e in zip(groups, expected, strict=True))

    drawn = chi_square(np.random.default_rng(0).integers(0, 17, (2000, 72)))
    assert (drawn >= chi_square(page.places())).mean() > 0.05
    published_errors, ours = page.errors("1500")
    assert page.p_value(page.place(1.5 * published_errors, ours), 16, np.random.default_rng(0)) < 0.05  # it would have noticed
    assert page.p_value(page.place(published_errors / 1.5, ours), 16, np.random.default_rng(0)) < 0.05


def test_the_distance_by_hand():  # R4
    places = page.places()
    assert page.distance_of_the_72_places() == pytest.approx(max(abs((places <= k).mean() - (k + 1) / 17) for k in range(17)))


def test_the_first_row_is_a_broad_lottery():  # R4
    errors = stored(1500)["rows"][0]["err"]
    assert page.median_of_the_first_row() == pytest.approx(np.median(errors))
    assert max(errors) > 10 * min(errors)


def test_the_readings_share_their_configurations():  # R-E6
    shapes = page.same()
    assert len(shapes) == 12
    medians = {b: np.median([row["err"] for row in stored(b)["rows"] if tuple(row[k] for k in "vndmr") in shapes], axis=None) for b in (8000, 24000)}
    flat = np.concatenate([row["err"] for row in stored(1500)["rows"] if tuple(row[k] for k in "vndmr") in shapes])
    assert page.median_error_after_1500() == pytest.approx(np.median(flat))
    assert page.median_error_after_8000() == pytest.approx(medians[8000])
    assert page.median_error_after_24000() == pytest.approx(medians[24000])


def test_the_published_median_is_between_the_readings():  # R-E6
    of_them = [printed.error for printed in published.rows() if tuple(printed[1:6]) in page.same()]
    assert page.median_of_the_published_errors() == pytest.approx(np.median(of_them))
    assert page.median_error_after_24000() < np.median(of_them) < 1.1 * page.median_error_after_1500()


def test_no_reading_is_refuted_and_two_rows_make_the_lead():  # R-E6
    for key in page.READINGS:
        found = page.places(key, page.same())
        assert page.p_value(found, 16 if key == "1500" else 8, np.random.default_rng(0)) > 0.05
    for key, lead in (("8000", page.log_likelihood_of_8000_over_1500()), ("24000", page.log_likelihood_of_24000_over_1500())):
        decisive = 0.0
        for v, error in ((2, 3.95), (4, 5.25)):
            chosen = [s for s in page.same() if s[0] == v]
            at = np.array([error])
            theirs, ours = (page.log_density(at, page.errors(k, chosen)[1][:, :8].ravel())[0] for k in (key, "1500"))
            decisive += theirs - ours
        assert lead < 0 < lead - decisive


def test_sixteen_times_the_updates_do_not_divide_the_error_by_four():  # R-E6
    assert page.median_error_after_24000() > page.median_error_after_1500() / 2.5


def test_the_range_remembers_the_budget():  # R-E6
    for v in (2, 4, 8):
        assert page.median_range("1500", v) > 2 * page.median_range("24000", v)
    assert page.median_range_after_1500() == page.median_range("1500", 8) and page.median_range_after_24000() == page.median_range("24000", 8)


def test_the_likelihood_is_a_sum_over_published_errors():  # R-E6
    """By a plain loop over kernels, for one reading against another."""
    total = {"1500": 0.0, "8000": 0.0}
    for key in total:
        for v in (2, 4, 8):
            pool = np.sqrt(np.concatenate([page.studies()[key][s]["err"][:8] for s in page.same() if s[0] == v]))
            width = 0.9 * pool.std(ddof=1) * len(pool) ** -0.2
            for shape in (s for s in page.same() if s[0] == v):
                z = (np.sqrt(page.printed()[shape]) - pool) / width
                total[key] += np.log(np.exp(-(z**2) / 2).mean() / width)
    assert page.log_likelihood_of_8000_over_1500() == pytest.approx(total["8000"] - total["1500"], rel=1e-6)


def test_no_row_has_width_four():  # R-E5
    with open(ROOT / "course_lib/published/tables.csv", encoding="utf-8") as file:
        widths = {int(row["d"]) for row in csv.DictReader(file)}
    assert widths == {8, 16, 32, 64, 128} and page.least_width_in_the_tables() == 8 and page.different_widths_in_the_tables() == 5
