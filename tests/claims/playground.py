"""The numbers of the two live pictures of chapter 5 at their defaults, computed by course_lib.incontext and course_lib.approximation."""

from itertools import islice

import numpy as np

from course_lib import approximation
from course_lib.graphs.random import Generator, normal_quantile
from course_lib.incontext import Heads, Measure, attention, compose, gamma
from course_lib.widgets import MeasurePlayground
from course_lib.widgets.approximation_builder import POINTS, UNITS

from . import claim

COUNTS, DRAWS, BLUR = (10, 30, 100, 300, 1000), 4, 0.5


def grid() -> np.ndarray:
    along = np.linspace(-3, 3, 30)
    return np.stack(np.meshgrid(along, along), -1).reshape(-1, 2)


def default() -> tuple[Measure, Heads]:
    widget = MeasurePlayground()
    tokens = np.array(widget.tokens)
    S, M = np.swapaxes(np.array(widget.heads), 0, 1)
    eye = np.broadcast_to(np.eye(2), S.shape)
    return Measure(tokens[:, :2], tokens[:, 2] / tokens[:, 2].sum()), Heads(S, eye, M, widget.step * eye, scale=widget.scale)


def change_by_a_split() -> float:
    """The largest change of the field on the grid, three layers, when a token is listed as two of half its weight."""
    mu, heads = default()
    layer = attention(heads)
    whole = compose(layer, compose(layer, layer))
    return float(abs(whole(mu.split(0, (0.5, 0.5)), grid()) - whole(mu, grid())).max())


@claim("B4.order")
def gap_between_the_compositions() -> float:
    """The largest distance on the grid between Γ ⋄ Γ and Γ(μ, Γ(μ, ·))."""
    mu, heads = default()
    layer = attention(heads)
    return float(np.linalg.norm(compose(layer, layer)(mu, grid()) - layer(mu, layer(mu, grid())), axis=1).max())


@claim("B4.rate")
def exponent_of_the_error() -> float:
    """a in error ≈ c nᵃ: n tokens drawn from the measure blurred by ½ against its own field, by the closed form; seed 0."""
    mu, heads = default()
    stream = Generator(0)
    linear = BLUR**2 * sum(C @ M for C, M in zip(heads.scoring, heads.writing, strict=True))
    limit, squares = gamma(mu, grid(), heads) + grid() @ linear, []
    for n in COUNTS:
        errors = []
        for _ in range(DRAWS):
            u = stream.uniform(3 * n).reshape(n, 3)
            which = np.searchsorted(np.cumsum(mu.weights), u[:, 0], side="right")
            drawn = Measure(mu.atoms[which] + BLUR * normal_quantile(u[:, 1:]))
            errors.append(((gamma(drawn, grid(), heads) - limit) ** 2).sum(1).mean())
        squares.append(np.mean(errors))
    return float(np.polyfit(np.log(COUNTS), 0.5 * np.log(squares), 1)[0])


def shown(target: str, corrections: int = 7) -> list[approximation.Correction]:
    """The corrections that widgets.ApproximationBuilder shows, with its budgets."""
    f, box = {"sine": (np.sin, (0, 2 * np.pi)), "cusp": (lambda x: np.sqrt(np.abs(x)), (-1, 1))}[target]
    return list(islice(approximation.steps(f, box, max_units=UNITS, max_points=POINTS[1]), corrections))


@claim("G2.5.live.error")
def error_of_sine_after_seven() -> float:
    return shown("sine")[-1].after


@claim("G2.5.live.units")
def units_for_sine() -> int:
    return shown("sine")[-1].network.units


@claim("G2.5.live.factor")
def largest_factor() -> float:
    """Over the first seven corrections of sine and of the cusp; the theorem promises less than 3/4."""
    return max(each.factor for target in ("sine", "cusp") for each in shown(target))
