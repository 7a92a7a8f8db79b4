"""A short formula to derive: checked by its values at random points, so that every equivalent form is right."""

import math
import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..answers import Verdict, figure, finite
from ..formula import CONSTANTS, FUNCTIONS, NoValue, key, parse, symbol, value
from .base import Exercise, filled

POINTS = 8
RELATIVE, ABSOLUTE = 1e-6, 1e-9  # the learner's form may round otherwise than the author's
NEAR = 0.02  # relative: as near as a rounded constant comes
Values = list[float | None]  # at the points; None where there is none


@dataclass(frozen=True, kw_only=True)
class Formula(Exercise):
    """Derive a formula in `variables`: name → (low, high), or a `range` for whole numbers; `answer` is the author's.

    Points are drawn from the open intervals once, by the exercise's id, and travel with the question. `left` is what the
    formula is equal to, shown before the field. A mistake is a pair (wrong formula, hint that helps); it must differ from
    the answer and from every other mistake at some point. The grammar is told in `course_lib.formula`.
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
        expected = self._values(self._own("answer", self.answer))
        if None in expected:
            at = self._at(expected.index(None))
            raise ValueError(f"answer must have a finite value at every point, got none at {at} ({self.id})")
        object.__setattr__(self, "expected", tuple(expected))
        mistakes, wrong = [(text, filled(f"hint of mistake {text!r}", hint)) for text, hint in self.mistakes], []
        for text, _ in mistakes:
            values = self._values(self._own("a mistake", text))
            if any(_same(values, other) for other in (expected, *wrong)):
                raise ValueError(f"mistake {text!r} is the same as the answer or as an earlier mistake ({self.id})")
            wrong.append(values)
        object.__setattr__(self, "mistakes", tuple(mistakes))
        object.__setattr__(self, "wrong", tuple(wrong))

    # --------------------------------------------------------------------------------------------- the author's input
    def _checked(self) -> dict[str, Sequence[float]]:
        if not isinstance(self.variables, Mapping) or not 1 <= len(self.variables) <= 6:
            raise ValueError(f"variables must be 1 to 6 names with their intervals, got {self.variables!r} ({self.id})")
        taken = {*FUNCTIONS, *CONSTANTS, "log", "logistic"}
        result: dict[str, Sequence[float]] = {}
        for name, ends in self.variables.items():
            if not (isinstance(name, str) and re.fullmatch("[A-Za-z]+(_[A-Za-z0-9]+)?", name)) or key(name) in taken:
                raise ValueError(f"a variable's name must be Latin letters, and perhaps _ and an index, that no other name has, got {name!r} ({self.id})")
            taken.add(key(name))
            if isinstance(ends, range):
                if len(ends) < 2:
                    raise ValueError(f"the range of {name} must hold two numbers or more, got {ends} ({self.id})")
                result[name] = ends
                continue
            if not isinstance(ends, list | tuple) or len(ends) != 2:
                raise ValueError(f"the interval of {name} must be (low, high) or a range, got {ends!r} ({self.id})")
            low, high = (finite(f"an end of {name}", end) for end in ends)
            if low >= high:
                raise ValueError(f"the interval of {name} must have low < high, got {ends!r} ({self.id})")
            result[name] = (low, high)
        return result

    def _drawn(self) -> tuple[tuple[float, ...], ...]:
        chance = random.Random(self.id)
        return tuple(tuple(_draw(ends, chance) for ends in self.variables.values()) for _ in range(POINTS))

    def _own(self, name: str, text: str) -> tuple:
        try:
            return parse(filled(name, text), self.variables)
        except ValueError as problem:
            raise ValueError(f"{name} {text!r} cannot be read: {problem} ({self.id})") from None

    # ------------------------------------------------------------------------------------------------------ checking
    def _value(self, tree: tuple, index: int) -> float:
        return value(tree, dict(zip(self.variables, self.points[index], strict=True)))

    def _values(self, tree: tuple) -> Values:
        def one(index: int) -> float | None:
            try:
                return self._value(tree, index)
            except NoValue:
                return None

        return [one(index) for index in range(POINTS)]

    def _at(self, index: int) -> str:
        return ", ".join(f"{symbol(name)} = {figure(x)}" for name, x in zip(self.variables, self.points[index], strict=True))

    def check(self, answer: str) -> Verdict:
        """A formula as text. One that cannot be read is no attempt; a wrong one is told at which point, and its hint."""
        try:
            tree = parse(answer if isinstance(answer, str) else "", self.variables)
        except ValueError as problem:
            return Verdict(False, str(problem), counts=False)
        got, expected = self._values(tree), self.expected
        if _same(got, expected):
            return Verdict(True, f"Right: the same as `{self.answer}` at {POINTS} random points.")
        hint = next((hint for (_, hint), values in zip(self.mistakes, self.wrong, strict=True) if _same(got, values)), None)
        return Verdict(False, hint or _guess(got, expected), self._failing(tree, got))

    def _failing(self, tree: tuple, got: Values) -> str:
        index = next(i for i, (x, wanted) in enumerate(zip(got, self.expected, strict=True)) if not _close(x, wanted))
        at, wanted = self._at(index), figure(self.expected[index])
        try:
            given = figure(self._value(tree, index))
        except NoValue as none:
            return f"At {at} your formula has no value, for {none.part} {none.why}; expected {wanted}."
        if given == wanted:
            return f"At {at} your formula differs from {wanted} beyond the digits shown."
        return f"At {at} your formula gives {given}, expected {wanted}."

    def spec(self) -> dict[str, Any]:
        wrong = [{"text": text, "hint": hint, "values": values} for (text, hint), values in zip(self.mistakes, self.wrong, strict=True)]
        given = {"left": self.left, "names": list(self.variables), "points": [list(point) for point in self.points]}
        return {**self.common("formula"), **given, "answer": self.answer, "expected": list(self.expected), "mistakes": wrong}


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


def _guess(got: Values, expected: Sequence[float]) -> str:
    """What can be said of a wrong formula that is none of the mistakes."""
    if None in got:
        return "Not yet: your formula has no value where the answer has one."
    if _same([-x for x in got], expected):
        return "The size is right, the sign is not."
    if 0 not in expected and 0 not in got:
        factor = got[0] / expected[0]
        if factor and _same([x / factor for x in got], expected):
            return f"Nearly: everywhere yours is {figure(factor)} times the answer."
        if _same([1 / x for x in got], expected):
            return "That is the reciprocal: what stands above the line belongs below."
    gap = got[0] - expected[0]
    if _same([x - gap for x in got], expected):
        return f"Nearly: everywhere yours is the answer {'+' if gap > 0 else '−'} {figure(abs(gap))}."
    if all(abs(x - wanted) <= NEAR * abs(wanted) for x, wanted in zip(got, expected, strict=True)):
        return "Close everywhere, but not the same: write exact numbers, 1/3 rather than 0.33."
    return "Not yet. A hint may help."
