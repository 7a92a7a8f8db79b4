"""What every kind of exercise has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..answers import finite_number

HINTS = 3


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What every kind has. `id` is lower-case letters, digits and hyphens; `hints` go from a nudge to nearly the
    answer."""

    id: str
    question: str
    hints: Sequence[str]
    solution: str

    def __post_init__(self) -> None:
        check_id(self.id)
        filled("question", self.question)
        filled("solution", self.solution)
        hints = () if isinstance(self.hints, str) else tuple(self.hints)
        if len(hints) != HINTS:
            raise ValueError(f"hints must be {HINTS} texts in order, got {len(hints)} ({self.id})")
        for number, hint in enumerate(hints, 1):
            filled(f"hint {number}", hint)
        object.__setattr__(self, "hints", hints)

    def common(self, kind: str) -> dict[str, Any]:
        return {
            "kind": kind,
            "id": self.id,
            "question": self.question,
            "hints": list(self.hints),
            "solution": self.solution,
        }


def check_id(id: Any) -> None:
    if not (isinstance(id, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)):
        raise ValueError(f"id must be lower-case letters, digits and hyphens, got {id!r}")


def filled(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a text that is not empty, got {value!r}")
    return value


def differ(name: str, texts: Sequence[str], least: int, id: str) -> None:
    """ValueError unless these are `least` to eight texts, filled and different."""
    for text in texts:
        filled(f"a text of {name}", text)
    if not least <= len(texts) <= 8 or len(set(texts)) != len(texts):
        raise ValueError(f"{name} must be {least} to 8 that differ in their texts, got {len(texts)} ({id})")


def axes(x: Sequence[float], low: float, high: float, id: str) -> None:
    """ValueError unless a curve can be drawn over these places between these heights."""
    places = [finite_number("x", place) for place in x]
    if not 2 <= len(places) <= 12 or places != sorted(set(places)):
        raise ValueError(f"x must be 2 to 12 rising places, got {list(x)} ({id})")
    if not finite_number("low", low) < finite_number("high", high):
        raise ValueError(f"low must be below high, got {low} and {high} ({id})")
