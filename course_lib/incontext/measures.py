"""Probability measures with finitely many atoms: what attention sees of its tokens, in space and in space and time.

A set of n tokens is the measure with weight 1/n on each. A density is a measure too, on the nodes of a quadrature rule
(`quadrature`). Nothing here depends on the order of the atoms or on whether one atom is listed in two parts.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from course_lib import checks
from course_lib.heads import read_only

ROUNDING = 1e-9  # how far from 1 the sum of the weights may be


@dataclass(frozen=True, eq=False)
class Measure:
    """Weights [n] ≥ 0 with sum 1 on atoms [n, d]; weights 1/n unless given.

    Kept as read-only float64 copies. Raises ValueError for no atoms, weights that are negative or do not sum to 1 up to
    rounding, lengths that do not match and entries that are not finite.
    """

    atoms: Float[np.ndarray, "n d"]
    weights: Float[np.ndarray, " n"] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "atoms", _atoms(self.atoms))
        object.__setattr__(self, "weights", _weights(self.weights, len(self.atoms)))

    def __len__(self) -> int:
        return len(self.atoms)

    @property
    def d(self) -> int:
        return self.atoms.shape[1]

    def integral(self, f: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        """∫ f dμ for an f that takes atoms [n, d] to [n, ...]. Raises ValueError for other shapes."""
        return np.tensordot(self.weights, _values(f(self.atoms), len(self)), axes=1)

    def push(self, f: Callable[[np.ndarray], np.ndarray]) -> "Measure":
        """The push-forward f_♯ μ: f takes the atoms [n, d] to [n, d'], and every weight stays with its atom."""
        return Measure(_values(f(self.atoms), len(self)), self.weights)

    def split(self, atom: int, shares: Sequence[float]) -> "Measure":
        """The same measure with one atom listed once for each share of its weight; shares ≥ 0 with sum 1."""
        if not 0 <= atom < len(self):
            checks.fail("atom", f"the number of one of the {len(self)} atoms, from 0", repr(atom))
        shares = _weights(shares, len(shares), "shares")
        kept = np.arange(len(self)) != atom
        again = np.repeat(self.atoms[atom][None], len(shares), 0)
        return Measure(
            np.concatenate([self.atoms[kept], again]), np.concatenate([self.weights[kept], self.weights[atom] * shares])
        )

    def sample(self, n: int, generator: np.random.Generator) -> Float[np.ndarray, "n d"]:
        """n independent tokens with this distribution."""
        checks.positive_int("n", n)
        return self.atoms[generator.choice(len(self), n, p=self.weights / self.weights.sum())]


@dataclass(frozen=True, eq=False)
class SpaceTime:
    """Weights [n] on atoms [n, d], each with a time [n]: what masked attention sees. Order and distances of the times
    are free.

    Raises ValueError as `Measure` does, and for times that do not match the atoms.
    """

    atoms: Float[np.ndarray, "n d"]
    times: Float[np.ndarray, " n"]
    weights: Float[np.ndarray, " n"] | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "atoms", _atoms(self.atoms))
        object.__setattr__(self, "times", read_only("times", self.times, 1, "[n]"))
        checks.size("times", self.times, 0, len(self.atoms), "the number n of atoms")
        object.__setattr__(self, "weights", _weights(self.weights, len(self.atoms)))

    def __len__(self) -> int:
        return len(self.atoms)

    @property
    def d(self) -> int:
        return self.atoms.shape[1]

    @property
    def space(self) -> Measure:
        """The same tokens with their times forgotten."""
        return Measure(self.atoms, self.weights)

    def push(self, f: Callable[[np.ndarray, np.ndarray], np.ndarray]) -> "SpaceTime":
        """(f, identity)_♯ μ: f takes atoms [n, d] and times [n] to new atoms [n, d']; every atom keeps its time and
        weight."""
        return SpaceTime(_values(f(self.atoms, self.times), len(self)), self.times, self.weights)


def _atoms(value: object) -> np.ndarray:
    if np.ndim(value) == 2 and len(value) == 0:
        checks.fail("atoms", "one atom or more", "none")
    return read_only("atoms", value, 2, "[n, d]")


def _weights(value: object, n: int, name: str = "weights") -> np.ndarray:
    if n < 1:
        checks.fail(name, "one number or more", "none")
    weights = read_only(name, np.full(n, 1 / n) if value is None else value, 1, "[n]")
    checks.size(name, weights, 0, n, "one for each")
    if (weights < 0).any():
        checks.fail(name, "0 or more in every entry", f"{weights.min():.6g}")
    if abs(weights.sum() - 1) > ROUNDING:
        checks.fail(name, "of sum 1", f"a sum of {weights.sum():.12g}")
    return weights


def _values(values: object, n: int) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim < 1 or len(array) != n:
        checks.fail(
            "the values of f", f"an array with an entry for each of the {n} atoms", f"shape {list(array.shape)}"
        )
    return array
