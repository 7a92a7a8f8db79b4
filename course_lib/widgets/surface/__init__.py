"""One or two height fields, drawn as surfaces that the reader turns, or as maps from above."""

import math
from collections.abc import Mapping, Sequence

import numpy as np
import traitlets

from .. import settings
from ..base import CourseWidget, packed

LARGEST = 81  # points along one side: more would not be seen, and the page draws every one of them anew at each turn
NOWHERE = "finite numbers, or nan where there is no height"


class Surface(CourseWidget):
    """Heights z[i, j] over the point (x[j], y[i]), one field or two side by side that turn together.

    heights: an array [rows, columns], or a mapping of one or two names to arrays of one shape; nan is a hole. From 2 to
    81 points a side, and at least one height in each field. x [columns] and y [rows] increase; by default 0, 1, 2, …

    choices: {name: a sentence about it, …}: a reader goes through several sets of heights, on one scale. Each field
    then is an array [choices, rows, columns], and `choice_name` says what differs.

    paths: points to draw as a line on the surface, [k, 2] with one (x, y) a row inside the ranges of x and y, k ≥ 1;
    one array for the only field, or a mapping from a field's name. The path's height is that of the surface under it.

    title, x_name, y_name, z_name: what is drawn, and along which axes; `description` says in words what there is to
    see, for a reader who cannot see it.

    The reader can change choice, log (if every height is > 0), scale, view, azimuth, elevation, zoom and marker; all
    can be set from Python too.
    """

    address = traitlets.Unicode("surface").tag(sync=True)
    title = traitlets.Unicode("").tag(sync=True)
    description = traitlets.Unicode("").tag(sync=True)
    x_name = traitlets.Unicode("x").tag(sync=True)
    y_name = traitlets.Unicode("y").tag(sync=True)
    z_name = traitlets.Unicode("height").tag(sync=True)

    def __init__(
        self,
        heights: np.ndarray | Sequence | Mapping[str, object],
        x: Sequence[float] | np.ndarray | None = None,
        y: Sequence[float] | np.ndarray | None = None,
        *,
        description: str,
        title: str = "",
        x_name: str = "x",
        y_name: str = "y",
        z_name: str = "height",
        paths: np.ndarray | Sequence | Mapping[str, object] | None = None,
        choices: Mapping[str, str] | None = None,
        choice_name: str = "shown",
        marker: tuple[int, int] | None = None,
        **chosen: object,
    ) -> None:
        said = dict(choices or {"": ""})
        if choices is not None and not (
            isinstance(heights, Mapping) and said and all(len(z) == len(said) for z in heights.values())
        ):
            raise ValueError(
                f"heights must be a mapping of one or two names to arrays with one field for each of the "
                f"{len(said)} choices"
            )
        sets = [
            _fields(heights if choices is None else {name: z[k] for name, z in heights.items()})
            for k in range(len(said))
        ]
        fields, self._choices = sets[0], len(said)
        first = next(iter(fields.values()))
        self._shape, self._positive = first.shape, all(np.nanmin(z) > 0 for each in sets for z in each.values())
        axes = _axis("x", x, self._shape[1]), _axis("y", y, self._shape[0])
        data = {
            "x": _short(axes[0]),
            "y": _short(axes[1]),
            "fields": [{"name": name, "z": _short(z)} for name, z in fields.items()],
            "paths": [_short(path) for path in _paths(paths, list(fields), axes)],
        }
        if choices:
            data["choice_name"], data["choices"] = (
                choice_name,
                [[*each, [_short(z) for z in shown.values()]] for each, shown in zip(said.items(), sets, strict=True)],
            )
        words = {"title": title, "description": description, "x_name": x_name, "y_name": y_name, "z_name": z_name}
        for name, text in words.items():
            if not isinstance(text, str) or (not text.strip() and name != "title"):
                raise ValueError(f"{name} must be a text that is not empty, got {text!r}")
        lowest = np.unravel_index(np.nanargmin(first), self._shape)
        super().__init__(
            blobs={"heights": packed(data)}, **words, marker=lowest if marker is None else marker, **chosen
        )

    def check_log(self, value: object) -> bool:
        if settings.check("log", self._settings["log"], value) and not self._positive:
            raise ValueError("log must be False where a height is ≤ 0, got True")
        return bool(value)

    def check_choice(self, value: object) -> int:
        if not (settings.is_whole(value) and 0 <= value < self._choices):
            raise ValueError(f"choice must be a whole number from 0 to {self._choices - 1}, got {value!r}")
        return int(value)

    def check_marker(self, value: object) -> list[int]:
        rows, columns = self._shape
        whole = isinstance(value, list | tuple) and len(value) == 2 and all(settings.is_whole(part) for part in value)
        if not whole or not (0 <= value[0] < rows and 0 <= value[1] < columns):
            raise ValueError(
                f"marker must be a row from 0 to {rows - 1} and a column from 0 to {columns - 1}, got {value!r}"
            )
        return [int(part) for part in value]


def _numbers(name: str, value: object, axes: int, takes: str) -> np.ndarray:
    try:
        array = np.asarray(value.detach().cpu() if hasattr(value, "detach") else value, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(f"{name} must be {takes}, got {value!r}") from None
    if array.ndim != axes:
        raise ValueError(f"{name} must be {takes}, got shape {list(array.shape)}")
    return array


def _fields(heights: object) -> dict[str, np.ndarray]:
    named = dict(heights) if isinstance(heights, Mapping) else {"": heights}
    if not 1 <= len(named) <= 2 or not all(isinstance(name, str) for name in named):
        raise ValueError(f"heights must be an array or a mapping of one or two names to arrays, got {list(named)}")
    if isinstance(heights, Mapping) and not all(name.strip() for name in named):
        raise ValueError(f"heights must have names that are not empty, got {list(named)}")
    fields = {name: _numbers("heights", z, 2, "an array [rows, columns] of numbers") for name, z in named.items()}
    shapes = [z.shape for z in fields.values()]
    if len(set(shapes)) > 1:
        raise ValueError(f"heights must be fields of one shape, got shapes {[list(shape) for shape in shapes]}")
    if not all(2 <= side <= LARGEST for side in shapes[0]):
        raise ValueError(f"heights must have 2 to {LARGEST} points a side, got shape {list(shapes[0])}")
    for z in fields.values():
        if np.isinf(z).any() or np.isnan(z).all():
            raise ValueError(f"heights must be {NOWHERE}, got {'inf' if np.isinf(z).any() else 'nothing but nan'}")
    return fields


def _axis(name: str, value: object, count: int) -> np.ndarray:
    axis = np.arange(count, dtype=float) if value is None else _numbers(name, value, 1, f"{count} numbers")
    if len(axis) != count:
        raise ValueError(
            f"{name} must be {count} numbers, one for each {'column' if name == 'x' else 'row'} of heights, "
            f"got {len(axis)}"
        )
    if not (np.isfinite(axis).all() and (np.diff(axis) > 0).all()):
        raise ValueError(f"{name} must be finite and increase, got {axis.tolist()[:5]}")
    return axis


def _paths(paths: object, names: list[str], axes: tuple[np.ndarray, np.ndarray]) -> list[np.ndarray]:
    """One path a field, empty where it has none."""
    if paths is not None and not isinstance(paths, Mapping):
        if len(names) > 1:
            raise ValueError(
                f"paths must be a mapping from {' or '.join(map(repr, names))}, got {type(paths).__name__}"
            )
        paths = {names[0]: paths}
    given = dict(paths or {})
    if unknown := [name for name in given if name not in names]:
        raise ValueError(f"paths must be named as the heights are ({', '.join(map(repr, names))}), got {unknown[0]!r}")
    drawn = []
    for name in names:
        path = _numbers("paths", given[name], 2, "points [k, 2]") if name in given else np.empty((0, 2))
        if path.shape[1] != 2 or (name in given and not len(path)):
            raise ValueError(f"paths must be points [k, 2] with k ≥ 1, got shape {list(path.shape)}")
        for letter, axis, values in zip("xy", axes, path.T, strict=True):
            if not ((values >= axis[0]) & (values <= axis[-1])).all():  # also false for nan
                raise ValueError(
                    f"paths must stay inside the range of {letter}, {axis[0]:g} to {axis[-1]:g}, got "
                    f"{values.tolist()[:5]}"
                )
        drawn.append(path)
    return drawn


def _short(values: np.ndarray) -> list:
    """Nested lists with 5 significant digits; nan becomes None."""
    if values.ndim > 1:
        return [_short(row) for row in values]
    return [None if math.isnan(value) else float(f"{value:.5g}") for value in values]
