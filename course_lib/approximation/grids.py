"""A box, a grid on it, and the sets U⁺ and U⁻ of a residual as unions of the grid's cells."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from course_lib import checks


@dataclass(frozen=True, eq=False)
class Grid:
    """Points evenly laid over a box, its faces included. The cell of a point is the box of half-sides `half` around it;
    cells cover the box."""

    box: np.ndarray  # [d, 2]
    shape: tuple[int, ...]  # points on each axis

    @property
    def half(self) -> np.ndarray:
        return (self.box[:, 1] - self.box[:, 0]) / (2 * (np.array(self.shape) - 1))

    @property
    def points(self) -> np.ndarray:
        """[q, d], the last axis fastest."""
        axes = [np.linspace(low, high, size) for (low, high), size in zip(self.box, self.shape, strict=True)]
        return np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1).reshape(-1, len(axes))

    def finer(self) -> "Grid":
        """The same box with every gap halved: the old points are among the new."""
        return Grid(self.box, tuple(2 * size - 1 for size in self.shape))

    def apart(self, A: np.ndarray, B: np.ndarray, gap: int) -> bool:
        """Whether `gap` cells or more lie between the marked cells of A and of B ([q] of bool), diagonals counted."""
        near = A.reshape(self.shape)
        for axis in range(near.ndim):
            near = np.moveaxis(near, axis, 0)
            wide = near.copy()
            for by in range(1, gap + 1):
                wide[by:] |= near[:-by]
                wide[:-by] |= near[by:]
            near = np.moveaxis(wide, 0, axis)
        return not bool((near.reshape(-1) & B).any())


def grid_on(box: object, points: int | tuple[int, ...] | None) -> Grid:
    """The grid of `points` points an axis on `box`: (low, high) in dimension 1, ((low, high), (low, high)) in dimension
    2."""
    try:
        array = np.asarray(box, dtype=np.float64)
    except (TypeError, ValueError):
        checks.fail("box", "(low, high) or two of them", repr(box))
    array = array[None] if array.ndim == 1 else array
    if array.shape not in ((1, 2), (2, 2)):
        checks.fail("box", "(low, high) or two of them", f"shape {list(array.shape)}")
    checks.finite("box", array)
    if not bool((array[:, 0] < array[:, 1]).all()):
        checks.fail("box", "low < high on every axis", array.tolist())
    if points is None:
        points = 513 if len(array) == 1 else 65
    shape = tuple(points) if isinstance(points, tuple) else (points,) * len(array)
    for size in shape:
        checks.positive_int("grid", size)
    if len(shape) != len(array) or min(shape) < 9:
        checks.fail("grid", f"{len(array)} number(s) of points, each 9 or more", repr(points))
    return Grid(array, shape)


def target_on(target: Callable[..., np.ndarray], points: np.ndarray) -> np.ndarray:
    """The target at the rows of `points` [q]: it is called with one array for each coordinate."""
    values = np.asarray(target(*points.T), dtype=np.float64)
    values = np.broadcast_to(values, (len(points),)) if values.ndim == 0 else values
    if values.shape != (len(points),):
        checks.fail(
            "target", f"a function that gives one number a point, shape [{len(points)}]", f"shape {list(values.shape)}"
        )
    checks.finite("target", values)
    return values
