"""Exercises that ask for the argument: put its steps in order, find the false line, say what a control holds fixed,
sketch a curve."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from ..answers import finite_number, tolerance
from .base import Exercise, axes, differ, filled


@dataclass(frozen=True)
class Step:
    """A step of an argument. It uses the steps `after`, numbered from 1 as they stand right (None: the one before it);
    `why` says how."""

    text: str
    why: str
    after: Sequence[int] | None = None


@dataclass(frozen=True, kw_only=True)
class Arrange(Exercise):
    """Three to eight steps to be put in order. Right is every order in which each step comes after those that it
    uses."""

    steps: Sequence[Step]

    def __post_init__(self) -> None:
        super().__post_init__()
        differ("steps", [step.text for step in self.steps], 3, self.id)
        for number, step in enumerate(self.steps, 1):
            filled(f"why of step {number}", step.why)
            if any(used not in range(1, number) for used in self._uses(number)):
                raise ValueError(
                    f"after of step {number} must be numbers of earlier steps, got {list(step.after or ())} ({self.id})"
                )

    def _uses(self, number: int) -> list[int]:
        after = self.steps[number - 1].after
        return ([number - 1] if number > 1 else []) if after is None else list(after)

    def spec(self) -> dict[str, Any]:
        steps = [
            {"text": step.text, "why": step.why, "uses": [used - 1 for used in self._uses(number)]}
            for number, step in enumerate(self.steps, 1)
        ]
        return {**self.common("arrange"), "steps": steps}


@dataclass(frozen=True)
class Line:
    """A line of an argument, and why it holds, or why it does not."""

    text: str
    reason: str
    false: bool = False


@dataclass(frozen=True, kw_only=True)
class FalseLine(Exercise):
    """Three to eight lines as they follow one from another; one of them does not."""

    lines: Sequence[Line]

    def __post_init__(self) -> None:
        super().__post_init__()
        differ("lines", [line.text for line in self.lines], 3, self.id)
        for line in self.lines:
            filled(f"reason of line {line.text!r}", line.reason)
        if (false := sum(line.false for line in self.lines)) != 1:
            raise ValueError(f"lines must hold exactly one false one, got {false} ({self.id})")

    def spec(self) -> dict[str, Any]:
        options = [{"text": line.text, "reason": line.reason, "correct": line.false} for line in self.lines]
        return {**self.common("false_line"), "options": options}


@dataclass(frozen=True)
class Factor:
    """What an experiment could hold fixed, whether its control must, and why."""

    text: str
    fixed: bool
    reason: str


@dataclass(frozen=True, kw_only=True)
class Control(Exercise):
    """Three to eight factors: which must a control hold fixed? At least one must, at least one must not."""

    factors: Sequence[Factor]

    def __post_init__(self) -> None:
        super().__post_init__()
        differ("factors", [factor.text for factor in self.factors], 3, self.id)
        for factor in self.factors:
            filled(f"reason of factor {factor.text!r}", factor.reason)
        if {factor.fixed for factor in self.factors} != {True, False}:
            raise ValueError(f"factors must hold one that is fixed and one that is not ({self.id})")

    def spec(self) -> dict[str, Any]:
        options = [{"text": factor.text, "reason": factor.reason, "correct": factor.fixed} for factor in self.factors]
        return {**self.common("control"), "options": options}


Heights = Sequence[float] | Callable[[float], float]


@dataclass(frozen=True, kw_only=True)
class Sketch(Exercise):
    """Heights at the places `x`, drawn between `low` and `high`: right if their mean distance from `curve` is at most
    `within`.

    `curve` and each of `mistakes`, pairs (curve, hint), are heights at those places or a function of one place.
    ValueError where a mistake, or the level line with which the card begins, would be taken for right.
    """

    x: Sequence[float]
    low: float
    high: float
    within: float
    x_title: str
    y_title: str
    curve: Heights
    mistakes: Sequence[tuple[Heights, str]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        filled("x_title", self.x_title)
        filled("y_title", self.y_title)
        axes(self.x, self.low, self.high, self.id)
        tolerance("within", self.within)
        right, level = self._heights(self.curve), [(self.low + self.high) / 2] * len(self.x)
        for wrong in (level, *(self._heights(mistake) for mistake, _ in self.mistakes)):
            if apart(wrong, right) <= self.within:
                raise ValueError(
                    f"curve must be further than within = {self.within} from each mistake and from the level "
                    f"line ({self.id})"
                )
        for _, hint in self.mistakes:
            filled("a mistake's hint", hint)

    def _heights(self, curve: Heights) -> list[float]:
        heights = [finite_number("a height", y) for y in (map(curve, self.x) if callable(curve) else curve)]
        if len(heights) != len(self.x) or not all(self.low <= y <= self.high for y in heights):
            raise ValueError(
                f"curves must have {len(self.x)} heights from {self.low} to {self.high}, got {heights} ({self.id})"
            )
        return heights

    def spec(self) -> dict[str, Any]:
        names = ("low", "high", "within", "x_title", "y_title")
        mistakes = [{"heights": self._heights(curve), "hint": hint} for curve, hint in self.mistakes]
        drawn = {"x": list(self.x), "curve": self._heights(self.curve), "mistakes": mistakes}
        return {**self.common("sketch"), **{name: getattr(self, name) for name in names}, **drawn}


def apart(one: Sequence[float], other: Sequence[float]) -> float:
    return fmean(abs(a - b) for a, b in zip(one, other, strict=True))
