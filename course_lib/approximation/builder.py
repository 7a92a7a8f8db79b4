"""Theorem 2.2 as an algorithm: correct the network until it is near enough.  [Ponti 2025, §2.2.1; Monico 2024]

The proof is by contradiction: were the best possible error α > 0, a network with error below 4α/3 could be corrected to
one below α. Read forwards it is a loop. α is not the unknown infimum but ¾ of the error E that the network has now; the
correction f ← f − α H + α/2 leaves an error below ¾ E; after k corrections it is below (3/4)ᵏ of the first one. What
the proof asserts and an algorithm must find, the finite covers, `guard` and `separate` find.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from course_lib import checks
from course_lib.approximation.grids import Grid, grid_on, target_on
from course_lib.approximation.network import FourLayerNetwork, assemble
from course_lib.approximation.separators import Separator, TooMany, separate
from course_lib.approximation.squash import Squashing, check_squashing, logistic

APART = 3  # cells that must lie between U⁺ and U⁻, so that σ has room to rise
MAX_POINTS = {1: 2**17 + 1, 2: 513**2}


@dataclass(frozen=True)
class Rule:
    """The numbers of one correction, as shares of the error E: U⁺ = {e ≥ threshold E}, f ← f − gain E (H − ½), H within
    `eps` of 0 and 1.

    The defaults are the proof's: α/3, α and 1/6 with α = ¾ E.
    """

    threshold: float = 1 / 4
    gain: float = 3 / 4
    eps: float = 1 / 6

    def __post_init__(self) -> None:
        for name in ("threshold", "gain", "eps"):
            checks.number(name, getattr(self, name), positive=True)
        if self.factor >= 1:
            checks.fail("threshold, gain, eps", "numbers whose factor is below 1", f"factor {self.factor:.3f}")

    @property
    def factor(self) -> float:
        """What a correction leaves of the error: on U⁺ and U⁻ below 1 − gain (½ − eps), elsewhere below threshold +
        gain/2."""
        return max(1 - self.gain * (0.5 - self.eps), self.threshold + self.gain / 2)


def balanced(threshold: float, eps: float = 1 / 6) -> Rule:
    """The rule whose gain makes the two bounds equal: gain (1 − threshold)/(1 − eps), the best for this threshold and
    eps."""
    return Rule(threshold, (1 - threshold) / (1 - eps), eps)


PROOF = Rule()


@dataclass(frozen=True, eq=False)
class Correction:
    """One correction: what it saw and what it did. Errors are maxima over `grid`; `positive`, `negative` mark U⁺ and U⁻
    on it [q]."""

    number: int
    grid: Grid
    residual: np.ndarray  # f − T before, [q]
    before: float
    after: float
    rule: Rule
    gain: float  # α: what H is multiplied by
    positive: np.ndarray
    negative: np.ndarray
    separator: Separator
    network: FourLayerNetwork  # after the correction

    @property
    def factor(self) -> float:
        return self.after / self.before


@dataclass(frozen=True, eq=False)
class Built:
    """The network, the errors (the first constant's, then after every correction, each a maximum over that correction's
    grid), the corrections."""

    network: FourLayerNetwork
    errors: list[float]
    corrections: list[Correction]
    grid: Grid
    target: Callable[..., np.ndarray]

    def bound(self, modulus: float | Callable[[float], float]) -> float:
        """A bound of |network − target| on the whole box, not only at the grid's points.

        `modulus`: how much the target can change over a distance r: its slope L, for L r, or a function of r. Over each
        cell the network is enclosed by interval arithmetic.
        """
        points, half = self.grid.points, self.grid.half
        radius = float(np.sqrt((half**2).sum()))
        change = float(modulus(radius)) if callable(modulus) else float(modulus) * radius
        low, high = self.grid.box[:, 0], self.grid.box[:, 1]
        below, above = self.network.enclose(np.maximum(points - half, low), np.minimum(points + half, high))
        values = target_on(self.target, points)
        return float(max((above - values).max(), (values - below).max()) + change)


class BudgetError(ValueError):
    """A budget ran out before the error was below ε. `best` is what was built so far, a whole network."""

    def __init__(self, reason: str, best: Built) -> None:
        super().__init__(
            f"{reason}; the best network so far has error {best.errors[-1]:.3g} and {best.network.units} units "
            f"(in .best)"
        )
        self.best = best


def steps(
    target: Callable[..., np.ndarray],
    box: object,
    *,
    sigma: Squashing = logistic,
    rule: Rule = PROOF,
    grid: int | tuple[int, ...] | None = None,
    start: float | None = None,
    as_proof: bool = False,
    max_units: int = 20_000,
    max_points: int | None = None,
) -> Iterator[Correction]:
    """Correct without end, one `Correction` at a time; `build` stops it.

    `target` is called with one array a coordinate. `start`: the constant to begin from, None for the middle of the
    target's range. `grid`: points an axis at first (513; 65 × 65); it is refined whenever fewer than 3 cells lie
    between U⁺ and U⁻. `as_proof`: see `separate`. Raises BudgetError where that would take more than `max_points`
    points (131,073; 513 × 513) or the network more than `max_units` units.
    """
    check_squashing(sigma)
    checks.positive_int("max_units", max_units)
    mesh = grid_on(box, grid)
    dimension = len(mesh.shape)
    limit = MAX_POINTS[dimension] if max_points is None else max_points
    values = target_on(target, mesh.points)
    start = 0.5 * float(values.max() + values.min()) if start is None else start
    checks.number("start", start)
    outputs = np.full(len(values), float(start))
    gains: list[float] = []
    separators: list[Separator] = []
    done: list[Correction] = []
    network = assemble(start, gains, separators, dimension=dimension, sigma=sigma)

    def best(error: float) -> Built:
        errors = [done[0].before, *(each.after for each in done)] if done else [error]
        return Built(network, errors, list(done), mesh, target)

    while True:
        residual = outputs - values
        before = float(np.abs(residual).max())
        if before == 0:
            return
        positive, negative = residual >= rule.threshold * before, residual <= -rule.threshold * before
        if not mesh.apart(positive, negative, APART):
            fine = mesh.finer()
            if int(np.prod(fine.shape)) > limit:
                raise BudgetError(
                    (
                        f"U⁺ and U⁻ are nearer than {APART} cells on {int(np.prod(mesh.shape))} points, and "
                        f"max_points is {limit}"
                    ),
                    best(before),
                )
            mesh = fine
            values = target_on(target, mesh.points)
            outputs = network(mesh.points)
            continue
        points = mesh.points
        used = network.units
        try:
            found = separate(
                points[positive],
                points[negative],
                rule.eps,
                half=mesh.half,
                as_proof=as_proof,
                max_units=max_units - used,
                sigma=sigma,
            )
        except TooMany:
            raise BudgetError(
                f"correction {len(done) + 1} needs more than max_units = {max_units} units", best(before)
            ) from None
        gain = rule.gain * before
        gains.append(gain)
        separators.append(found)
        outputs = outputs - gain * (found(points) - 0.5)
        network = assemble(start, gains, separators, dimension=dimension, sigma=sigma)
        after = float(np.abs(outputs - values).max())
        done.append(
            Correction(len(done) + 1, mesh, residual, before, after, rule, gain, positive, negative, found, network)
        )
        yield done[-1]


def build(
    target: Callable[..., np.ndarray],
    box: object,
    eps: float,
    *,
    sigma: Squashing = logistic,
    rule: Rule = PROOF,
    grid: int | tuple[int, ...] | None = None,
    max_units: int = 20_000,
    max_points: int | None = None,
    max_steps: int = 60,
) -> Built:
    """A network of four layers whose error, the maximum over the last grid, is below `eps`. Arguments: see `steps`.

    Raises BudgetError, with the best network, where `max_steps` corrections, `max_units` units or `max_points` grid
    points do not suffice.
    """
    checks.number("eps", eps, positive=True)
    checks.positive_int("max_steps", max_steps)
    mesh = grid_on(box, grid)
    values = target_on(target, mesh.points)
    constant = 0.5 * float(values.max() + values.min())
    errors = [float(np.abs(values - constant).max())]
    network = assemble(constant, [], [], dimension=len(mesh.shape), sigma=sigma)
    corrections: list[Correction] = []
    if errors[-1] >= eps:
        for each in steps(target, box, sigma=sigma, rule=rule, grid=grid, max_units=max_units, max_points=max_points):
            corrections.append(each)
            errors.append(each.after)
            network, mesh = each.network, each.grid
            if each.after < eps or len(corrections) == max_steps:
                break
    built = Built(network, errors, corrections, mesh, target)
    if errors[-1] >= eps:
        raise BudgetError(f"max_steps = {max_steps} corrections are not enough for eps = {eps}", built)
    return built
