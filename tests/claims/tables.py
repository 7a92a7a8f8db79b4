"""Chapter 4's page on the tables: the published study beside ours, from the stored rows."""

from functools import cache

import numpy as np

from course_lib.memoryless.places import distance, log_density, p_value, place
from course_lib.published import rows
from course_lib.results import load

from . import claim

READINGS = ("1500", "8000", "24000")


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


def errors(key: str, shapes=None) -> tuple[np.ndarray, np.ndarray]:
    """Published errors [rows] and ours [rows, S]."""
    shapes = list(printed()) if shapes is None else shapes
    return np.array([printed()[s] for s in shapes]), np.array([studies()[key][s]["err"] for s in shapes])


def places(key: str = "1500", shapes=None) -> np.ndarray:
    return place(*errors(key, shapes))


def same() -> list[tuple]:
    """The configurations that were run under all three readings."""
    return [s for s in printed() if all(s in studies()[key] for key in READINGS)]


def log_likelihood(key: str, shapes: list[tuple]) -> float:
    total = 0.0
    for v in (2, 4, 8):
        chosen = [s for s in shapes if s[0] == v]
        published, ours = errors(key, chosen)
        total += float(log_density(published, ours[:, :8].ravel()).sum())  # as many models under every reading
    return total


@claim("R4.rows")
def configurations_rerun() -> int:
    return len(studies()["1500"])


@claim("R4.models")
def models_rerun() -> int:
    return sum(len(row["err"]) for row in studies()["1500"].values())


@claim("R4.under")
def published_below_all_of_ours() -> int:
    return int((places() == 0).sum())


@claim("R4.over")
def published_above_all_of_ours() -> int:
    return int((places() == 16).sum())


@claim("R4.above_median")
def published_above_our_median() -> int:
    published, ours = errors("1500")
    return int((published > np.median(ours, axis=1)).sum())


@claim("R4.distance")
def distance_of_the_72_places() -> float:
    return float(distance(places(), 16))


@claim("R4.p", rtol=0.01)
def p_of_the_72_places() -> float:
    return p_value(places(), 16, np.random.default_rng(0))


@claim("R4.first")
def median_of_the_first_row() -> float:
    return float(np.median(studies()["1500"][next(iter(printed()))]["err"]))


@claim("R-E6.median_1500")
def median_error_after_1500() -> float:
    return float(np.median(errors("1500", same())[1]))


@claim("R-E6.median_8000")
def median_error_after_8000() -> float:
    return float(np.median(errors("8000", same())[1]))


@claim("R-E6.median_24000")
def median_error_after_24000() -> float:
    return float(np.median(errors("24000", same())[1]))


@claim("R-E6.published")
def median_of_the_published_errors() -> float:
    return float(np.median(errors("1500", same())[0]))


@claim("R-E6.likelihood_8000", rtol=0.01)
def log_likelihood_of_8000_over_1500() -> float:
    return log_likelihood("8000", same()) - log_likelihood("1500", same())


@claim("R-E6.likelihood_24000", rtol=0.01)
def log_likelihood_of_24000_over_1500() -> float:
    return log_likelihood("24000", same()) - log_likelihood("1500", same())


def median_range(key: str, v: int) -> float:
    return float(np.median([studies()[key][s]["range"] for s in same() if s[0] == v]))


@claim("R-E6.range_1500")
def median_range_after_1500() -> float:
    return median_range("1500", 8)


@claim("R-E6.range_24000")
def median_range_after_24000() -> float:
    return median_range("24000", 8)


@claim("R-E5.least")
def least_width_in_the_tables() -> int:
    return min(row.d for row in rows())


@claim("R-E5.widths")
def different_widths_in_the_tables() -> int:
    return len({row.d for row in rows()})
