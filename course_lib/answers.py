"""What a reader gives, read and compared (typed text, or what the reader's function returned), and the verdict on it.

`widgets/static/exercise_number.js` is the twin of `parse_number`, `close` and `figure`; shared test vectors hold them together.
Nothing is ever evaluated.
"""

import math
import re
from dataclasses import dataclass
from typing import Any

# A decimal point or a decimal comma, ASCII digits only, so that Python and JavaScript read the same texts.
_DECIMAL = r"[+-]?(?:[0-9]+(?:[.,][0-9]*)?|[.,][0-9]+)(?:[eE][+-]?[0-9]{1,3})?"
_NUMBER = re.compile(rf"({_DECIMAL})(?: */ *({_DECIMAL}))?")
THOUSANDS = re.compile(r"[+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+(?![0-9])")
SPACES = " \t\n\r\u00a0\u202f"

_FOR_EXAMPLE = "write something like 0.25, 1/4, −2 or 1e-3."
_EMPTY = f"There is no answer yet: {_FOR_EXAMPLE}"
_UNREAD = f"That is no number I can read: {_FOR_EXAMPLE}"
COMMA = "A comma before three digits can be read in two ways: leave it out, or write a decimal point."
_ZERO = "A fraction needs a denominator other than 0."
LARGE = "That number is too large to read."


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


def parse_number(text: str) -> float:
    """The number a reader typed: 0.25, .25, 2,5 (a decimal comma), −2, 1e-3, or a fraction 1/4 of two such numbers.

    "1,000" is refused because it can be read in two ways; "0,125" and "12,5" cannot. Raises ValueError in words meant
    for the reader.
    """
    text = text.strip(SPACES).replace("−", "-").replace("–", "-")
    if not text:
        raise ValueError(_EMPTY)
    found = _NUMBER.fullmatch(text) if len(text) <= 40 else None
    if found is None:
        raise ValueError(COMMA if THOUSANDS.match(text) else _UNREAD)
    parts = [part for part in found.groups() if part is not None]
    if any(THOUSANDS.match(part) for part in parts):
        raise ValueError(COMMA)
    numbers = [float(part.replace(",", ".")) for part in parts]
    if len(numbers) == 2 and numbers[1] == 0:
        raise ValueError(_ZERO)
    value = numbers[0] if len(numbers) == 1 else numbers[0] / numbers[1]
    if not math.isfinite(value):
        raise ValueError(LARGE)
    return value


def close(x: float, answer: float, tolerance: float) -> bool:
    """|x − answer| ≤ tolerance, edge included: the slack forgives only that 0.71 − 0.7 is a little over 0.01 in floats."""
    return math.isfinite(x) and abs(x - answer) <= tolerance * (1 + 1e-9) + 1e-12 * max(abs(x), abs(answer))


def read(answer: Any) -> float:
    """A finite number from a text or anything that is one number (NumPy and torch scalars too); ValueError in words."""
    if isinstance(answer, str):
        return parse_number(answer)
    try:
        value = float(answer) if not isinstance(answer, bool) and answer is not None else math.nan
    except (TypeError, ValueError, RuntimeError, OverflowError):  # RuntimeError: torch, for more than one element
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(_UNREAD)
    return value


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


def leaves(value: Any) -> list[Any]:
    """The entries of a nested answer, unread: texts stay texts."""
    if not isinstance(value, str) and hasattr(value, "tolist"):
        value = value.tolist()
    return [leaf for part in value for leaf in leaves(part)] if isinstance(value, list | tuple) else [value]


def same(a: tuple, b: tuple, tolerance: float) -> bool:
    """Whether two (shape, entries) agree, entry by entry within the tolerance; NaN agrees with nothing."""
    return tuple(a[0]) == tuple(b[0]) and all(close(x, y, tolerance) for x, y in zip(a[1], b[1], strict=True))


def show(value: Any) -> str:
    """An argument or a result as the reader would type it, with at most 6 significant digits."""
    if not isinstance(value, int | float | str) and hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(show, value))}]"
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def figure(x: float) -> str:
    """A result with at most 6 significant digits, in one way in both languages: 0.25, 1.5e-7, −3."""
    mantissa, exponent = f"{x:.5e}".split("e")
    text = f"{x + 0.0:.6g}" if -4 <= int(exponent) < 6 else f"{float(mantissa):.6g}e{int(exponent)}"
    return "0" if x == 0 else text.replace("-", "−")


def finite(name: str, value: Any) -> float:
    """An author's number, checked; ValueError names the argument."""
    try:
        return read(value)
    except ValueError:
        raise ValueError(f"{name} must be a finite number, got {value!r}") from None


def tolerance(name: str, value: Any) -> float:
    """An author's tolerance, checked: finite and ≥ 0."""
    value = finite(name, value)
    if value < 0:
        raise ValueError(f"{name} must be ≥ 0, got {value}")
    return value
