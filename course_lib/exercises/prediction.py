"""Predictions: what a reader commits to before the evidence below it is uncovered.

A prediction holds no truth. It says where the evidence holds it: `read` is a pattern with one group, searched in what
the cells tagged `evidence` below it have put out, or the name of a line in their figure. The card reads it there when
the reader has committed (`widgets/exercise/prediction_check.js`), so that what it says is what nbval keeps.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..answers import finite_number, tolerance
from .base import axes, check_id, differ, filled


@dataclass(frozen=True, kw_only=True)
class Prediction:
    """What every kind has. `id` is used once in the book, among exercises too; the reader's record is kept under it."""

    id: str
    question: str

    def __post_init__(self) -> None:
        check_id(self.id)
        filled("question", self.question)

    def common(self, kind: str) -> dict[str, Any]:
        return {"kind": kind, "id": self.id, "question": self.question}


@dataclass(frozen=True)
class Idea:
    """An outcome that a thoughtful reader may expect, and what speaks for or against it. It holds where what is read is
    the text `when`, or a number from when[0] to when[1]."""

    text: str
    reason: str
    when: str | tuple[float, float]

    def __post_init__(self) -> None:
        filled("an idea's text", self.text)
        filled(f"reason of idea {self.text!r}", self.reason)
        if not isinstance(self.when, str):
            low, high = (finite_number(f"when of idea {self.text!r}", end) for end in self.when)
            if low > high:
                raise ValueError(f"when of idea {self.text!r} must be a text or (low, high), got {self.when!r}")


@dataclass(frozen=True, kw_only=True)
class Choose(Prediction):
    """One of two to eight ideas."""

    ideas: Sequence[Idea]
    read: str

    def __post_init__(self) -> None:
        super().__post_init__()
        one_group(self.read, self.id)
        differ("ideas", [idea.text for idea in self.ideas], 2, self.id)

    def spec(self) -> dict[str, Any]:
        options = [
            {"text": i.text, "reason": i.reason, "when": i.when if isinstance(i.when, str) else list(i.when)}
            for i in self.ideas
        ]
        return {**self.common("choose"), "options": options, "read": self.read}


@dataclass(frozen=True, kw_only=True)
class Number(Prediction):
    """A number, right within ±`within` of the one read; `mistakes` are pairs (value, why it is not so),
    said to who predicts a number within a tenth of the value."""

    read: str
    within: float
    unit: str = ""
    mistakes: Sequence[tuple[float, str]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        one_group(self.read, self.id)
        tolerance("within", self.within)
        for value, reason in self.mistakes:
            filled(f"reason of mistake {finite_number('a mistake', value)}", reason)

    def spec(self) -> dict[str, Any]:
        mistakes = [list(each) for each in self.mistakes]
        return {
            **self.common("number"),
            "read": self.read,
            "within": self.within,
            "unit": self.unit,
            "mistakes": mistakes,
        }


@dataclass(frozen=True, kw_only=True)
class Order(Prediction):
    """Two to eight things, each a text with the pattern that reads its number; the largest comes first."""

    things: Sequence[tuple[str, str]]
    reason: str

    def __post_init__(self) -> None:
        super().__post_init__()
        filled("reason", self.reason)
        differ("things", [text for text, _ in self.things], 2, self.id)
        for _, pattern in self.things:
            one_group(pattern, self.id)

    def spec(self) -> dict[str, Any]:
        return {**self.common("order"), "things": [list(thing) for thing in self.things], "reason": self.reason}


@dataclass(frozen=True, kw_only=True)
class Curve(Prediction):
    """Heights at the places `x`, drawn between `low` and `high`; right if the mean distance from the line `read` is at
    most `within`."""

    x: Sequence[float]
    low: float
    high: float
    within: float
    x_title: str
    y_title: str
    read: str
    reason: str

    def __post_init__(self) -> None:
        super().__post_init__()
        for name in ("x_title", "y_title", "read", "reason"):
            filled(name, getattr(self, name))
        tolerance("within", self.within)
        axes(self.x, self.low, self.high, self.id)

    def spec(self) -> dict[str, Any]:
        names = ("low", "high", "within", "x_title", "y_title", "read", "reason")
        return {**self.common("curve"), "x": list(self.x), **{name: getattr(self, name) for name in names}}


def one_group(pattern: str, id: str) -> None:
    try:
        groups = re.compile(pattern).groups
    except re.error as wrong:
        raise ValueError(f"read must be a pattern, got {pattern!r}: {wrong} ({id})") from None
    if groups != 1:
        raise ValueError(f"read must have one group in brackets, got {groups} in {pattern!r} ({id})")
