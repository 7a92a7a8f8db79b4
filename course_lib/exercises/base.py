"""What every kind of exercise has."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

HINTS = 3


@dataclass(frozen=True, kw_only=True)
class Exercise:
    """What every kind has. `id` is lower-case letters, digits and hyphens; `hints` go from a nudge to nearly the answer."""

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
        return {"kind": kind, "id": self.id, "question": self.question, "hints": list(self.hints), "solution": self.solution}


def check_id(id: Any) -> None:
    if not (isinstance(id, str) and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", id)):
        raise ValueError(f"id must be lower-case letters, digits and hyphens, got {id!r}")


def filled(name: str, value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{name} must be a text that is not empty, got {value!r}")
    return value
