"""What a learner's function returned, compared and shown, and the verdict on it.

What is typed is read in the card: `widgets/exercise/typed_number.js`; `number.js` there takes the same tolerances.
"""

import math
from dataclasses import dataclass
from typing import Any

Outcome = tuple[tuple[int, ...], list[float]] | str  # what a function comes to: shape and entries, or its error


@dataclass(frozen=True)
class Verdict:
    """What a check found: `message` may carry marks, `detail` is preformatted text (for a function: the failing case).

    `counts` is False where the answer could not be read: that is no attempt.
    """

    correct: bool
    message: str
    detail: str = ""
    counts: bool = True

    def __str__(self) -> str:
        """The sign says in text what the page says in colour."""
        text = f"{'✓' if self.correct else '✗' if self.counts else '?'} {self.message}"
        return f"{text}\n{self.detail}" if self.detail else text

    def _repr_markdown_(self) -> str:
        head = f"**{'✓' if self.correct else '✗' if self.counts else '?'}** {self.message}".replace("\n", "  \n")
        return f"{head}\n\n```text\n{self.detail}\n```" if self.detail else head


def close(x: float, answer: float, tolerance: float) -> bool:
    """|x − answer| ≤ tolerance, edge included: the slack forgives only that 0.71 − 0.7 is a little over 0.01 in
    floats."""
    return math.isfinite(x) and abs(x - answer) <= tolerance * (1 + 1e-9) + 1e-12 * max(abs(x), abs(answer))


def numbers(value: Any) -> tuple[tuple[int, ...], list[float]]:
    """Shape and entries, row by row, of a number, a nested list, an array or a tensor; true is 1.

    Raises ValueError where an entry is no number or the lists are not rectangular.
    """
    if not isinstance(value, int | float) and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, int | float):
        return (), [float(value)]
    if not isinstance(value, list | tuple):
        raise ValueError(f"a {type(value).__name__} is no number")
    parts = [numbers(part) for part in value]
    shapes = {shape for shape, _ in parts}
    if len(shapes) > 1:
        raise ValueError("the rows of a list differ in length")
    return (len(parts), *(shapes.pop() if shapes else ())), [x for _, flat in parts for x in flat]


def nest(shape: tuple[int, ...], flat: list[float]) -> Any:
    """The inverse of `numbers`: a float, or nested tuples."""
    if not shape:
        return flat[0]
    step = len(flat) // shape[0] if shape[0] else 0
    return tuple(nest(shape[1:], flat[i * step : (i + 1) * step]) for i in range(shape[0]))


def same(a: tuple, b: tuple, tolerance: float) -> bool:
    """Whether two (shape, entries) agree, entry by entry within the tolerance; NaN agrees with nothing."""
    return tuple(a[0]) == tuple(b[0]) and all(close(x, y, tolerance) for x, y in zip(a[1], b[1], strict=True))


def alike(a: Outcome, b: Outcome, tolerance: float) -> bool:
    """Whether two functions came to the same: the same numbers, NaN and infinity too, or an error with the same
    words."""
    if isinstance(a, str) or isinstance(b, str):
        return a == b
    pair = lambda x, y: close(x, y, tolerance) if math.isfinite(y) else x == y or (x != x and y != y)
    return a[0] == b[0] and all(map(pair, a[1], b[1]))


def show(value: Any) -> str:
    """An argument or a result as the reader would type it, with at most 6 significant digits."""
    if not isinstance(value, int | float | str) and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(show, value))}]"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def finite_number(name: str, value: Any) -> float:
    """An author's number, checked: finite, of Python, NumPy or torch. ValueError names the argument."""
    try:
        number = math.nan if isinstance(value, str | bool) else float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):  # RuntimeError: torch, for more than one element
        number = math.nan
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number, got {value!r}")
    return number


def tolerance(name: str, value: Any) -> float:
    """An author's tolerance, checked: finite and ≥ 0."""
    value = finite_number(name, value)
    if value < 0:
        raise ValueError(f"{name} must be ≥ 0, got {value}")
    return value
