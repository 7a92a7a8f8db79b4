"""Chapter 4's page on the worked example: its numbers, recomputed from the printed matrices or read from its table of models."""

import math
from functools import cache

import numpy as np

from course_lib.memoryless import Sizes, count, replay, shapes
from course_lib.published import example
from course_lib.results import load

from . import claim

PRINTED = example()
PARAMETERS = ("E", "P", "W_O", "w_o", "W_3", "w_3")  # that the document prints
MAPS = "QKV"  # whose W and w follow from X and their result


def table() -> dict:
    return load("worked_example")["runs"]


# ---- Step by step
@cache
def steps() -> dict[str, replay.Step]:
    return replay.steps(PRINTED)


@claim("R5.steps")
def steps_that_agree() -> int:
    return sum(step.agrees for step in steps().values())


@claim("R5.largest", rtol=0.01)
def largest_share_of_an_agreeing_step() -> float:
    return max(step.share for step in steps().values() if step.agrees)


@claim("R-E16.rows")
def rows_of_table_1() -> int:
    """All are shapes of learnables; none is a setting of training."""
    return len(shapes(Sizes(4, 8, 4, 4, 16)))


def biased(bias: np.ndarray) -> float:
    """Deviation of A W_O + bias from the printed A_O, as a share of what rounding allows."""
    product = replay.printed(PRINTED["A"]) @ replay.printed(PRINTED["W_O"])
    return replay.Step(product + replay.printed(bias), replay.printed(PRINTED["A_O"])).share


@claim("R-E17.bias", rtol=0.01)
def share_with_the_printed_bias() -> float:
    return biased(PRINTED["w_o"])


@claim("R-E18.share", rtol=0.01)
def share_of_the_misprinted_error() -> float:
    return steps()["e"].share


@cache
def readings() -> dict[tuple[bool, bool, bool, bool], replay.Step]:
    return replay.readings(PRINTED)


@claim("R-E8.readings")
def readings_that_agree() -> int:
    return sum(step.agrees for step in readings().values())


@claim("R-E8.share", rtol=0.01)
def best_other_reading() -> float:
    return min(step.share for step in readings().values() if not step.agrees)


def mean_of_the_values() -> float:
    """Deviation of the plain mean of V from the printed A, as a share of the bound of the right formula."""
    V, A = replay.printed(PRINTED["V"]), replay.printed(PRINTED["A"])
    mean = replay.Ball(np.tile(V.value.mean(0), (8, 1)), np.tile(V.radius.mean(0), (8, 1)))
    return replay.Step(mean, A).share


@claim("R-E10.z-share", rtol=0.01)
def flatness_of_z() -> float:
    smallest, allowed = replay.flatness(PRINTED["Z"])
    return smallest / allowed


@claim("R-E10.y-share", rtol=0.01)
def flatness_of_y() -> float:
    smallest, allowed = replay.flatness(PRINTED["Y"])
    return smallest / allowed


# ---- What is not printed
@cache
def recovered(name: str) -> replay.Recovered:
    return replay.recover(PRINTED["X"], PRINTED[name])


@claim("R5.recovered", rtol=0.01)
def largest_radius_of_a_recovered_map() -> float:
    return max(recovered(name).W.radius.max() for name in MAPS)


@claim("R-E14.recovered", rtol=0.01)
def largest_entry_of_w_k() -> float:
    return float(np.abs(recovered("K").w.value).max())


@claim("R-E14.radius", rtol=0.01)
def largest_radius_of_w_k() -> float:
    return float(recovered("K").w.radius.max())


def numbers_printed() -> int:
    return sum(PRINTED[name].size for name in PARAMETERS)


def numbers_recovered() -> int:
    return sum(recovered(name).W.value.size + recovered(name).w.value.size for name in MAPS) + sum(part.size for part in replay.layer_norm(PRINTED["Z"]))


@claim("R5.lost")
def numbers_lost() -> int:
    return count(Sizes(4, 8, 4, 4, 16)) - numbers_printed() - numbers_recovered()


# ---- Marks of training
@claim("R5.spare")
def sum_of_squares_of_the_spare_row() -> float:
    """In units of the default spread, 0.01."""
    return float(((PRINTED["E"][-1] / 0.01) ** 2).sum())


@claim("R5.spare-chance")
def chance_of_so_large_a_spare_row() -> float:
    half = sum_of_squares_of_the_spare_row() / 2
    return math.exp(-half) * (1 + half)


def lengths_of_p() -> np.ndarray:
    return np.linalg.norm(PRINTED["P"], axis=1)


@claim("R-E24.length")
def last_row_of_p_over_the_next_largest() -> float:
    return float(lengths_of_p()[-1] / lengths_of_p()[:-1].max())


@claim("R-E24.length-first")
def first_row_of_p_over_the_median() -> float:
    return float(lengths_of_p()[0] / np.median(lengths_of_p()))


def size_of_the_attention_output() -> float:
    return replay.traits(PRINTED)["|Y|/|X|"]


# ---- Models trained again
TRAITS = ("E", "P, last row", "P, other rows", "w_o", "w_3", "weights", "|Y|/|X|", "rows of Z", "error", "last loss")


def theirs() -> dict[str, float]:
    return replay.traits(PRINTED) | {"last loss": float(PRINTED["mean_loss_last10pct"])}


def traits_outside(setting: str) -> int:
    """Traits in which the printed model lies beyond every model of this setting."""
    below = {name: np.array(table()[setting][name]) < theirs()[name] for name in TRAITS}
    return sum(bool(less.all() or not less.any()) for less in below.values())


@claim("R-E25.matrices")
def traits_outside_at_95() -> int:
    return traits_outside("1500, 0.95")


@claim("R-E25.matrices-default")
def traits_outside_at_999() -> int:
    return traits_outside("1500, 0.999")


@claim("R-E25.matrices-ratio")
def models_with_a_larger_ratio() -> int:
    """Models in which P's last row over E, by size, is as large as in the printed one."""
    run = table()["1500, 0.95"]
    return int((np.array(run["P, last row"]) / np.array(run["E"]) >= theirs()["P, last row"] / theirs()["E"]).sum())


@claim("R5.lucky")
def models_as_near_as_the_printed_one() -> float:
    return float((np.array(table()["1500, 0.95"]["error"]) <= 0.39).mean())


@claim("R5.median")
def median_error() -> float:
    return float(np.median(table()["1500, 0.95"]["error"]))


@claim("R5.last-loss")
def models_with_a_smaller_last_loss() -> float:
    return float((np.array(table()["1500, 0.95"]["last loss"]) < float(PRINTED["mean_loss_last10pct"])).mean())
