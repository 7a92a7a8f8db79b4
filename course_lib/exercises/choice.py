"""One right option, and a reason for every one."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .base import Exercise, differ, filled


@dataclass(frozen=True)
class Option:
    """One answer to choose, and why it is right or wrong: the reason is what a reader learns from."""

    text: str
    reason: str
    correct: bool = False

    def __post_init__(self) -> None:
        filled("an option's text", self.text)
        filled(f"reason of option {self.text!r}", self.reason)


@dataclass(frozen=True, kw_only=True)
class Choice(Exercise):
    """One right option among two to eight."""

    options: Sequence[Option]

    def __post_init__(self) -> None:
        super().__post_init__()
        options = tuple(self.options)
        differ("options", [option.text for option in options], 2, self.id)
        if sum(option.correct for option in options) != 1:
            raise ValueError(
                f"options must hold exactly one correct one, got {sum(o.correct for o in options)} ({self.id})"
            )
        object.__setattr__(self, "options", options)

    def spec(self) -> dict[str, Any]:
        options = [{"text": o.text, "reason": o.reason, "correct": o.correct} for o in self.options]
        return {**self.common("choice"), "options": options}
