"""A short formula to derive: the page compares values at random points, so that every equivalent form is right."""

import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..answers import finite_number
from .base import Exercise, filled
from .evaluate import CONSTANTS, FUNCTIONS, evaluator

POINTS = 8
RELATIVE, ABSOLUTE = 1e-6, 1e-9  # one form may round otherwise than another; the page takes the same
Values = list[float | None]  # at the points; None where there is none


@dataclass(frozen=True, kw_only=True)
class Formula(Exercise):
    """Derive a formula in `variables`: name → (low, high), or a `range` for whole numbers; `answer` is the author's.

    Points are drawn from the open intervals once, by the exercise's id, and travel with the question. `left` is what
    the formula is equal to, shown before the field. A mistake is a pair (wrong formula, hint that helps); it must
    differ from the answer and from every other mistake at some point. How both are written is told in `evaluate`.
    """

    answer: str
    variables: Mapping[str, Sequence[float]]
    left: str = ""
    mistakes: Sequence[tuple[str, str]] = ()
    points: Sequence[tuple[float, ...]] = field(init=False)
    expected: Sequence[float] = field(init=False)
    wrong: Sequence[Values] = field(init=False)  # the values of each mistake

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "variables", self._checked())
        object.__setattr__(self, "points", self._drawn())
        expected = self._values("answer", self.answer)
        if None in expected:
            at = self._at(expected.index(None))
            raise ValueError(f"answer must have a finite value at every point, got none at {at} ({self.id})")
        object.__setattr__(self, "expected", tuple(expected))
        mistakes, wrong = [(text, filled(f"hint of mistake {text!r}", hint)) for text, hint in self.mistakes], []
        for text, _ in mistakes:
            values = self._values("a mistake", text)
            if any(_same(values, other) for other in (expected, *wrong)):
                raise ValueError(f"mistake {text!r} is the same as the answer or as an earlier mistake ({self.id})")
            wrong.append(values)
        object.__setattr__(self, "mistakes", tuple(mistakes))
        object.__setattr__(self, "wrong", tuple(wrong))

    def _checked(self) -> dict[str, Sequence[float]]:
        if not isinstance(self.variables, Mapping) or not 1 <= len(self.variables) <= 6:
            raise ValueError(f"variables must be 1 to 6 names with their intervals, got {self.variables!r} ({self.id})")
        taken = {
            *FUNCTIONS,
            *CONSTANTS,
            "log",
            "logistic",
        }  # the last two are the page's other names for ln and sigmoid
        result: dict[str, Sequence[float]] = {}
        for name, ends in self.variables.items():
            if not (isinstance(name, str) and re.fullmatch("[A-Za-z]+(_[A-Za-z0-9]+)?", name)) or _key(name) in taken:
                raise ValueError(
                    f"a variable's name must be Latin letters, and perhaps _ and an index, that no other name "
                    f"has, got {name!r} ({self.id})"
                )
            taken.add(_key(name))
            if isinstance(ends, range):
                if len(ends) < 2:
                    raise ValueError(f"the range of {name} must hold two numbers or more, got {ends} ({self.id})")
                result[name] = ends
                continue
            if not isinstance(ends, list | tuple) or len(ends) != 2:
                raise ValueError(f"the interval of {name} must be (low, high) or a range, got {ends!r} ({self.id})")
            low, high = (finite_number(f"an end of {name}", end) for end in ends)
            if low >= high:
                raise ValueError(f"the interval of {name} must have low < high, got {ends!r} ({self.id})")
            result[name] = (low, high)
        return result

    def _drawn(self) -> tuple[tuple[float, ...], ...]:
        chance = random.Random(self.id)
        return tuple(tuple(_draw(ends, chance) for ends in self.variables.values()) for _ in range(POINTS))

    def _values(self, name: str, text: str) -> Values:
        try:
            formula = evaluator(filled(name, text), self.variables)
        except ValueError as problem:
            raise ValueError(f"{name} {text!r} cannot be read: {problem} ({self.id})") from None
        return [formula(dict(zip(self.variables, point, strict=True))) for point in self.points]

    def _at(self, index: int) -> str:
        return ", ".join(f"{name} = {x:g}" for name, x in zip(self.variables, self.points[index], strict=True))

    def spec(self) -> dict[str, Any]:
        wrong = [
            {"text": text, "hint": hint, "values": values}
            for (text, hint), values in zip(self.mistakes, self.wrong, strict=True)
        ]
        given = {"left": self.left, "names": list(self.variables), "points": [list(point) for point in self.points]}
        return {
            **self.common("formula"),
            **given,
            "answer": self.answer,
            "expected": list(self.expected),
            "mistakes": wrong,
        }


def _key(name: str) -> str:
    """What two spellings of a name share in the page: x_1 and x1."""
    return re.sub("_(?=[0-9])", "", name)


def _draw(ends: Sequence[float], chance: random.Random) -> float:
    """A number with few digits inside an interval, so that the failing case can be followed by hand."""
    if isinstance(ends, range):
        return ends[int(chance.random() * len(ends))]
    low, high = ends
    digits = max(0, 2 - math.floor(math.log10(high - low)))
    while True:
        x = round(low + chance.random() * (high - low), digits)
        if low < x < high:
            return x


def _close(x: float | None, wanted: float | None) -> bool:
    if x is None or wanted is None:
        return x is wanted
    return abs(x - wanted) <= RELATIVE * abs(wanted) + ABSOLUTE


def _same(got: Values, wanted: Sequence[float | None]) -> bool:
    return all(map(_close, got, wanted))
