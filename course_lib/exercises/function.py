"""A function to write: run on cases where Python is, worked out by hand where it is not."""

import copy
import math
import re
import traceback
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..answers import Verdict, nest, numbers, same, show, tolerance
from .base import Exercise, filled

MAX_BY_HAND = 12  # numbers a reader is asked to type for one case


@dataclass(frozen=True)
class Case:
    """Arguments (numbers, texts, nested lists) and the number or rectangular list of numbers to return; truth is 1 or 0.

    `by_hand=False` keeps a case that is too long to work out on paper for the learner's function only.
    """

    args: Sequence[Any]
    expected: Any = None
    by_hand: bool = True


@dataclass(frozen=True, kw_only=True)
class Function(Exercise):
    """Write a function. With Python, `check(function)` runs it on the cases; without, the reader works them out by hand.

    `starter` begins with `def name(…):`. Expected values come from the cases, or from `reference` where one is given.
    A mistake is a pair (wrong function, or its value on each case; the hint that helps). `prepare` (say, `torch.tensor`)
    turns every list among the arguments into what the function takes. `solution` is code.
    """

    starter: str
    cases: Sequence[Case]
    reference: Callable[..., Any] | None = None
    tolerance: float = 1e-6
    by_hand_tolerance: float = 0.01
    mistakes: Sequence[tuple[Any, str]] = ()
    prepare: Callable[[list], Any] | None = None
    name: str = field(init=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        found = re.match(r"def ([A-Za-z_]\w*)\(", filled("starter", self.starter))
        if found is None:
            raise ValueError(f"starter must begin with 'def name(', got {self.starter[:30]!r} ({self.id})")
        object.__setattr__(self, "name", found[1])
        for name in ("tolerance", "by_hand_tolerance"):
            object.__setattr__(self, name, tolerance(name, getattr(self, name)))
        cases = tuple(self._case(case) for case in self.cases)
        if not any(case.by_hand for case in cases):
            raise ValueError(f"cases must hold one that can be worked out by hand, got {len(cases)} cases and none ({self.id})")
        object.__setattr__(self, "cases", cases)
        object.__setattr__(self, "mistakes", tuple(self._mistake(wrong, hint) for wrong, hint in self.mistakes))

    def _case(self, case: Case) -> Case:
        if (self.reference is None) == (case.expected is None):
            raise ValueError(f"give expected in every case or a reference, not both and not neither ({self.id})")
        wanted = case.expected if self.reference is None else self._call(self.reference, case)
        shape, flat = numbers(wanted)
        if not all(map(math.isfinite, flat)):
            raise ValueError(f"expected must be finite, got {wanted!r} ({self.id})")
        if case.by_hand and (len(shape) > 2 or not 1 <= len(flat) <= MAX_BY_HAND):
            raise ValueError(f"a case worked out by hand has 1 to {MAX_BY_HAND} numbers in at most 2 axes, got shape {list(shape)} ({self.id})")
        return Case(tuple(case.args), nest(shape, flat), case.by_hand)

    def _mistake(self, wrong: Any, hint: str) -> tuple[tuple[Any, ...], str]:
        filled("a mistake's hint", hint)
        values = tuple(self._call(wrong, case) for case in self.cases) if callable(wrong) else tuple(wrong)
        if len(values) != len(self.cases):
            raise ValueError(f"a mistake must have one value for each of {len(self.cases)} cases, got {len(values)} ({self.id})")
        flat = [numbers(value) for value in values]
        if all(same(got, numbers(case.expected), self.tolerance) for got, case in zip(flat, self.cases, strict=True)):
            raise ValueError(f"a mistake must differ from the expected values in some case ({self.id}: {hint!r})")
        return tuple(nest(*pair) for pair in flat), hint

    def _call(self, function: Callable[..., Any], case: Case) -> Any:
        args = copy.deepcopy(list(case.args))  # a learner's function may change what it is given
        return function(*[self.prepare(a) if self.prepare and isinstance(a, list) else a for a in args])

    def _shown(self, case: Case) -> str:
        return f"{self.name}({', '.join(map(show, case.args))})"

    def _hint(self, index: int, got: tuple, function: Callable[..., Any]) -> str | None:
        """The hint of the mistake that gives these numbers in this case. Where several do, later cases tell them apart."""
        fits = lambda values, i, result: result is not None and same(result, numbers(values[i]), self.tolerance)  # noqa: E731
        found = [(values, hint) for values, hint in self.mistakes if fits(values, index, got)]
        if len(found) > 1:
            rest = [(i, self._result(function, i)) for i in range(index + 1, len(self.cases))]
            found = [one for one in found if all(fits(one[0], i, result) for i, result in rest if result is not None)] or found
        return found[0][1] if found else None

    def check(self, function: Callable[..., Any]) -> Verdict:
        """The function, run on every case up to the first that fails."""
        if not callable(function):
            return Verdict(False, f"Give your function itself: `{self.name}`, without parentheses.", counts=False)
        total = len(self.cases)
        for index, case in enumerate(self.cases):
            where, call, wanted = f"case {index + 1} of {total}", self._shown(case), numbers(case.expected)
            lines = [f"call:     {call}", f"expected: {show(case.expected)}"]
            try:
                result = self._call(function, case)
            except Exception as error:  # whatever a learner's function raises is told, not raised
                lines.append(f"it said:  {str(error).strip() or 'nothing more'}")
                return Verdict(False, f"Your function stopped with `{type(error).__name__}`{_line(error, function)} on {where}.", "\n".join(lines))
            if result is ...:
                return Verdict(False, f"Your turn: write `{self.name}` above, in place of the three dots.", counts=False)
            if result is None:
                return Verdict(False, f"Your function returned nothing on {where}: does it end with `return`?", "\n".join(lines))
            try:
                got = numbers(result)
            except (ValueError, OverflowError) as problem:
                return Verdict(False, f"On {where} your function's result is not made of numbers.", "\n".join([*lines, f"got:      {problem}"]))
            if same(got, wanted, self.tolerance):
                continue
            shown = show(nest(*got))
            if shown == show(case.expected):  # differs only beyond the printed digits
                shown = repr(nest(*got))
            lines.append(f"got:      {shown}")
            shapes = f"On {where} the result has shape {list(got[0])}, expected {list(wanted[0])}." if got[0] != wanted[0] else ""
            hint = self._hint(index, got, function)
            return Verdict(False, hint or shapes or f"Not yet: {where} gives another value.", "\n".join(lines))
        return Verdict(True, f"Right on {'the one case' if total == 1 else f'all {total} cases'}.")

    def _result(self, function: Callable[..., Any], index: int) -> tuple | None:
        try:
            return numbers(self._call(function, self.cases[index]))
        except Exception:  # a learner's function that stops there tells nothing
            return None

    def spec(self) -> dict[str, Any]:
        """Only what can be worked out by hand goes to the page."""
        kept = [i for i, case in enumerate(self.cases) if case.by_hand]
        cases = []
        for i in kept:
            shape, flat = numbers(self.cases[i].expected)
            cases.append({"call": self._shown(self.cases[i]), "shape": list(shape), "expected": flat})
        mistakes = [{"hint": hint, "values": [numbers(values[i])[1] for i in kept]} for values, hint in self.mistakes]
        return {**self.common("function"), "starter": self.starter, "tolerance": self.by_hand_tolerance, "cases": cases, "mistakes": mistakes}


def _line(error: Exception, function: Callable[..., Any]) -> str:
    """Where in the learner's function it stopped, if it did so there."""
    code = getattr(function, "__code__", None)
    frames = [f for f in traceback.extract_tb(error.__traceback__) if code and (f.filename, f.name) == (code.co_filename, code.co_name)]
    return f" in its line {frames[-1].lineno - code.co_firstlineno + 1}" if frames and frames[-1].lineno else ""
