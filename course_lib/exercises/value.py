"""A number, with a tolerance and a unit."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ..answers import close, finite_number, tolerance
from .base import Exercise, filled


@dataclass(frozen=True, kw_only=True)
class Value(Exercise):
    """A number within ±`tolerance` (absolute) of `answer`, in `unit`; `mistakes` are pairs (wrong value, hint that
    helps)."""

    answer: float
    tolerance: float
    unit: str = ""
    mistakes: Sequence[tuple[float, str]] = ()

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "answer", finite_number("answer", self.answer))
        object.__setattr__(self, "tolerance", tolerance("tolerance", self.tolerance))
        mistakes: list[tuple[float, str]] = []
        for value, hint in self.mistakes:
            value, taken = finite_number("a mistake's value", value), [self.answer, *(m for m, _ in mistakes)]
            if any(close(value, other, self.tolerance) for other in taken):
                raise ValueError(
                    f"mistake {value} is within {self.tolerance} of the answer or of an earlier mistake ({self.id})"
                )
            mistakes.append((value, filled(f"hint of mistake {value}", hint)))
        object.__setattr__(self, "mistakes", tuple(mistakes))

    def spec(self) -> dict[str, Any]:
        unit = f" {self.unit}" if self.unit else ""
        return {
            **self.common("value"),
            "answer": self.answer,
            "tolerance": self.tolerance,
            "unit": self.unit,
            "mistakes": [list(mistake) for mistake in self.mistakes],
            "shown": f"{self.answer:.6g}{unit}".replace(
                "-", "−"
            ),  # written here: the two languages print floats differently
            "within": f"±{self.tolerance:.6g}{unit}",
        }
