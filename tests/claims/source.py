"""Chapter 4's page on the source: its floor, its noise, its two rulers, and what counting achieves."""

import csv
import math
from functools import cache

import numpy as np

from course_lib import published
from course_lib.published import P, rows
from course_lib.sources import counted, counting_error, divergence, entropy, largest_error

from . import claim

LABELS = 8000  # Table 2, read as 8,000 sequences with one label each
WORKED = 4  # the vocabulary of the worked example, whose last losses the source reports


@claim("R3.entropy_2")
def entropy_of_two_words() -> float:
    return entropy(P[2])


@claim("R3.entropy_4")
def entropy_of_four_words() -> float:
    return entropy(P[4])


@claim("R3.entropy_8")
def entropy_of_eight_words() -> float:
    return entropy(P[8])


@claim("R3.bits_4")
def bits_of_four_words() -> float:
    return entropy(P[4], unit="bits")


@claim("R3.gap")
def what_five_points_cost() -> float:
    return 1000 * divergence(P[2], [0.7, 0.3])


@claim("R3.below")
def published_models_below_the_floor() -> int:
    return sum(row.loss < entropy(P[row.v]) for row in rows())


def spread(v: int) -> float:
    """Standard deviation, in nats, of the loss of one token under the perfect model."""
    p = P[v]
    return math.sqrt((p * np.log(p) ** 2).sum() - entropy(p) ** 2)


@claim("R3.noise")
def noise_of_a_batch() -> float:
    return 1000 * spread(2) / 4


@claim("R3.batches")
def batches_below_the_floor() -> float:
    return sum(math.comb(16, k) * 0.25**k * 0.75 ** (16 - k) for k in range(4))


@claim("R3.last_tenth")
def noise_of_the_last_tenth() -> float:
    return 1000 * spread(WORKED) / math.sqrt(150 * 16)


@claim("R3.bounds")
def rows_within_the_bounds() -> int:
    inside = 0
    for row in rows():
        p, D = P[row.v], divergence(P[row.v], row.q)
        inside += 2 * largest_error(p, row.q) ** 2 <= D <= ((p - row.q) ** 2 / row.q).sum()
    return int(inside)


@claim("R3.counting", rtol=0.03)
def price_of_counting_measured() -> float:
    """Thousandths of a nat, 8 words."""
    return 1000 * divergence(P[8], counted(P[8], LABELS, np.random.default_rng(0), 20_000)).mean()


@cache
def typical_error(v: int, count: int = LABELS) -> float:
    return 100 * counting_error(P[v], count, np.random.default_rng(v), 20_000)


@claim("R3.error_2", rtol=0.03)
def error_of_counting_two_words() -> float:
    return typical_error(2)


@claim("R3.error_4", rtol=0.03)
def error_of_counting_four_words() -> float:
    return typical_error(4)


@claim("R3.error_8", rtol=0.03)
def error_of_counting_eight_words() -> float:
    return typical_error(8)


@claim("R3.error_all_2", rtol=0.03)
def error_of_counting_all_tokens() -> float:
    return typical_error(2, LABELS * 17)


@claim("R3.as_good")
def published_models_as_good_as_counting() -> int:
    return sum(row.error <= typical_error(row.v) for row in rows())


def worth(v: int) -> float:
    """How many counted tokens cost as much as the mean published row of v words."""
    return (v - 1) / (2 * np.mean([divergence(P[v], row.q) for row in rows() if row.v == v]))


@claim("R3.worth_2")
def worth_of_two_words() -> float:
    return worth(2)


@claim("R3.worth_4")
def worth_of_four_words() -> float:
    return worth(4)


@claim("R3.worth_8")
def worth_of_eight_words() -> float:
    return worth(8)


def decimals(percentage: float) -> int:
    """How many decimals a number in per cent needs."""
    return next(k for k in range(10) if abs(percentage - round(percentage, k)) < 1e-9)


@claim("R-E4.header")
def decimals_of_p() -> int:
    return max(decimals(100 * each) for each in P[8])


@claim("R-E4.rows")
def decimals_of_q() -> int:
    with (published.HERE / "tables.csv").open(encoding="utf-8") as file:
        return max(len(row[f"q{i}"].partition(".")[2]) for row in csv.DictReader(file) for i in range(1, 9) if row["v"] == "8")


@claim("R-E4.cost")
def least_error_that_rounding_makes() -> float:
    """Percentage points: what is left of max|p − q| where q is p, rounded to two decimals."""
    return float(abs(np.round(100 * P[8] + 1e-9, 2) - 100 * P[8]).max())
