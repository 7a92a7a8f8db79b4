"""Chapter 6's page on iterated attention: growth, lost positivity, the flow, and the law that was there from the start."""

import functools
import re
from pathlib import Path

import numpy as np

from course_lib.gaussian import (
    Gaussian,
    Heads,
    affine,
    first_order,
    flow,
    iterate,
    random_covariance,
    random_heads,
)
from course_lib.results import load

from . import claim, rounding

LARGE, SMALL = (300, 128), (30, 1280)
FINAL = 0.25
BIBLIOGRAPHY = Path(__file__).resolve().parents[2] / "book" / "references.bib"


def rows(kind: str, d: int, m: int) -> list[dict]:
    return [row for row in load("gaussian_iteration")["rows"] if (row["kind"], row["d"], row["m"]) == (kind, d, m)]


def drawn(d: int, m: int, seed: int) -> tuple[np.ndarray, Heads]:
    generator = np.random.default_rng(seed)
    return random_covariance(d, generator), random_heads(d, m, generator=generator)


def digits(size: tuple[int, int]) -> np.ndarray:
    """log10 of the size, [draws, passes + 1]."""
    return np.array([row["log10 size"] for row in rows("growth", *size)])


# --- blow-up ----------------------------------------------------------------------------------------------------------


@claim("G-E30.pass")
def pass_at_which_float64_ends() -> int:
    (only,) = {row["overflow"] for row in rows("growth", *LARGE)}
    return only


@claim("G-E30.draws")
def draws_of_the_large_sizes() -> int:
    return len(rows("growth", *LARGE))


@claim("G3.3.digits")
def digits_after_pass_nine_over_pass_eight() -> float:
    found = digits(LARGE)
    return float(np.median(found[:, 9] / found[:, 8]))


@claim("G3.3.first_order")
def pass_at_which_float64_ends_with_the_first_order_rule() -> int:
    return iterate(*drawn(*LARGE, 0), 10, rule="first_order").overflow


@claim("G3.3.same_pass")
def draws_of_the_small_sizes_that_end_with_the_same_pass() -> int:
    return sum(row["overflow"] == 7 for row in rows("growth", *SMALL))


@claim("G3.3.gpt3")
def width_over_head_width_of_gpt3() -> int:
    return 12288 // 128


def less() -> np.ndarray:
    return np.median(digits(LARGE)[:, 5]) - digits(SMALL)[:, 5]


@claim("G-E29.orders")
def median_orders_of_magnitude_less() -> float:
    return float(np.median(less()))


@claim("G-E29.thirty")
def draws_with_thirty_orders_less_or_more() -> int:
    return int((less() >= 30).sum())


@claim("G-E29.more")
def draws_that_are_larger_not_smaller() -> int:
    return int((less() < 0).sum())


# --- the mean, and the test for convergence ---------------------------------------------------------------------------


@functools.cache
def cloud() -> tuple[Heads, np.ndarray]:
    generator = np.random.default_rng(0)
    heads = random_heads(3, 2, generator=generator)
    return heads, generator.standard_normal((1000, 3)) + np.array([1.0, 2.0, 0.0])


def loop(x: np.ndarray, passes: int, renewed: bool, step: float = 0.1) -> np.ndarray:
    """Source G's loop over samples; `renewed`: with the mean of each pass, not of the start."""
    heads, mean = cloud()[0], x.mean(0)
    for _ in range(passes):
        mean = x.mean(0) if renewed else mean
        A, _ = affine(heads, Gaussian(mean, np.cov(x.T, bias=True)), step=step)
        x = x @ A + step * mean @ heads.writing[0]
    return x


def error_of_the_mean(passes: int, renewed: bool) -> float:
    heads, x = cloud()
    truth = iterate(Gaussian(x.mean(0), np.cov(x.T, bias=True)), heads, passes, step=0.1)
    mean = truth.mean * 10 ** truth.log10_mean[-1]
    return rounding(np.linalg.norm(loop(x, passes, renewed).mean(0) - mean) / np.linalg.norm(mean), 1e-9)


@claim("G-E27.printed")
def error_of_the_mean_as_printed() -> float:
    return error_of_the_mean(10, False)


@claim("G-E27.renewed")
def error_of_the_renewed_mean() -> float:
    return error_of_the_mean(10, True)


@claim("G-E27.covariance")
def difference_of_the_covariances() -> float:
    x = cloud()[1]
    return rounding(abs(np.cov(loop(x, 10, False).T) - np.cov(loop(x, 10, True).T)).max(), 1e-9)


@claim("G-E28.samples")
def norm_of_the_first_change_for_a_thousand_tokens_over_ten() -> float:
    x = cloud()[1]
    few, many = (np.linalg.norm(x[:n] - loop(x[:n], 1, True), 2) for n in (10, 1000))
    return float(many / few)


# --- positivity -------------------------------------------------------------------------------------------------------


@claim("G-E31.after_25")
def most_negative_eigenvalue_of_all_draws() -> float:
    return min(row["after 25"][0] for size in (LARGE, SMALL) for row in rows("negative", *size))


@claim("G-E31.step")
def step_needed_at_the_large_sizes() -> float:
    return float(np.median([row["step needed"] for row in rows("negative", *LARGE)]))


@claim("G-E31.pass")
def pass_needed_at_the_large_sizes() -> float:
    return float(np.median([row["first below"] for row in rows("negative", *LARGE)]))


@claim("G3.3.negative")
def draws_negative_in_the_first_pass() -> int:
    return sum(row["first negative"] == 1 for row in rows("negative", *LARGE))


@claim("G3.3.congruence")
def draws_ever_negative_by_the_congruence() -> int:
    return sum(row["congruence negative"] is not None for size in (LARGE, SMALL) for row in rows("negative", *size))


def flat_share(step: float) -> float:
    """Smallest eigenvalue over the size after one first-order step on a cloud without extent in one direction, over ε²."""
    start, heads = drawn(12, 5, 0)
    values, vectors = np.linalg.eigh(start)
    values[0] = 0
    after = np.linalg.eigvalsh(first_order((vectors * values) @ vectors.T, heads, step=step))
    return float(after[0] / after[-1] / step**2)


@claim("G3.3.flat", rtol=1e-2)
def a_flat_cloud_over_the_square_of_the_step() -> float:
    return flat_share(1e-3)


# --- the flow ---------------------------------------------------------------------------------------------------------


def flow_errors(rule: str, passes: int) -> float:
    """Median relative distance to the flow at time 0.25, five draws of d = 30, m = 13."""
    found = []
    for seed in range(5):
        start, heads = drawn(30, 13, seed)
        (goal,) = flow(start, heads, [FINAL])
        path = iterate(start, heads, passes, step=FINAL / passes, rule=rule)
        found.append(np.linalg.norm(path.covariance * 10 ** path.log10_size[-1] - goal) / np.linalg.norm(goal))
    return float(np.median(found))


@claim("G3.3.flow_congruence")
def distance_of_the_congruence_to_the_flow() -> float:
    return flow_errors("congruence", 25)


@claim("G3.3.flow_first_order")
def distance_of_the_first_order_rule_to_the_flow() -> float:
    return flow_errors("first_order", 25)


def on_a_line(seed: int, d: int = 30, m: int = 13) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    heads = random_heads(d, m, generator=generator)
    return heads.scoring[0], heads.writing[0], d**0.25 * generator.standard_normal(d)


def stops(seed: int) -> bool:
    C, M, v = on_a_line(seed)
    values, vectors = np.linalg.eig(M.T)
    s = np.sign(v @ C @ v) * np.linspace(0, 60, 3001)
    turned = (np.exp(np.outer(s, values)) * np.linalg.solve(vectors, v) @ vectors.T).real
    q = np.einsum("si,si->s", turned @ C, turned)
    return bool((q * q[0] < 0).any())


def explodes(seed: int, step: float, passes: int = 400) -> bool:
    C, M, v = on_a_line(seed)
    for _ in range(passes):
        v = v + step * (v @ C @ v) * (v @ M)
        if abs(v).max() > 1e100:
            return True
    return False


@claim("G3.3.line_stops")
def clouds_on_a_line_whose_flow_stops() -> int:
    return sum(map(stops, range(40)))


@claim("G3.3.line_explodes")
def clouds_on_a_line_whose_layers_explode() -> int:
    return sum(explodes(seed, 1.0) for seed in range(40))


# --- the law ----------------------------------------------------------------------------------------------------------


def wide() -> list[dict]:
    return [row for row in load("gaussian_iteration")["rows"] if row["kind"] == "wide"]


@claim("G-E33.change")
def change_of_the_covariance_in_per_cent() -> float:
    return 100 * max(row["change"] for row in wide())


@claim("G-E33.to_start")
def distance_of_the_end_to_the_start() -> float:
    return max(row["to the start"] for row in wide())


@claim("G-E33.start_law")
def distance_of_the_start_to_its_law() -> float:
    return max(row["start to its law"] for row in wide())


@claim("G-E33.later")
def distance_to_the_law_when_the_largest_is_tenfold() -> float:
    return float(np.median([row["course"][-1][4] for row in rows("longer", 128, 16)]))


# --- the papers that the thesis quotes ------------------------------------------------------------------------------------


@claim("G-E45.authors")
def authors_of_attention_is_all_you_need() -> float:
    entry = next(line for line in BIBLIOGRAPHY.read_text(encoding="utf-8").splitlines() if line.startswith("@inproceedings{vaswani2017"))
    return float(len(re.search(r"author = \{(.*?)\}, title", entry)[1].split(" and ")))
