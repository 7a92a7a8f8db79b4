"""A function to write: run on cases where Python is, worked out by hand where it is not."""

import copy
import math
import re
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..answers import Outcome, Verdict, alike, nest, numbers, same, show, tolerance
from .base import Exercise, filled

MAX_BY_HAND = 12  # numbers a reader is asked to type for one case


@dataclass(frozen=True)
class Case:
    """Arguments as the function's docstring says them, and the number or rectangular list of numbers to return; truth
    is 1 or 0.

    `by_hand=False` keeps a case that is too long to work out on paper for the learner's function only.
    """

    args: Sequence[Any]
    expected: Any = None
    by_hand: bool = True


@dataclass(frozen=True, kw_only=True)
class Function(Exercise):
    """Write a function. With Python, `check(function)` runs it on the cases; without, the reader works them out by
    hand.

    `starter` begins with `def name(…):`. Expected values come from the cases, or from `reference` where one is given.
    A mistake is a pair (wrong function, the hint that helps): the cases by hand must tell it from what is right, and
    all cases from the other mistakes; one that stops is known by its error. `prepare` (say, `torch.tensor`) turns every
    list among the arguments into what the function takes. Numbers may come back as an array, a tensor, a list, NumPy's
    or Python's own; `returns` is the type that later steps need, where they need one. `solution` is code.
    """

    starter: str
    cases: Sequence[Case]
    reference: Callable[..., Any] | None = None
    tolerance: float = 1e-6
    by_hand_tolerance: float = 0.01
    mistakes: Sequence[tuple[Callable[..., Any], str]] = ()
    prepare: Callable[[list], Any] | None = None
    returns: type = object
    name: str = field(init=False)
    wrong: Sequence[tuple[Outcome, ...]] = field(init=False)  # what each mistake comes to, case by case

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
            raise ValueError(
                f"cases must hold one that can be worked out by hand, got {len(cases)} cases and none ({self.id})"
            )
        object.__setattr__(self, "cases", cases)
        wrong: list[tuple[Outcome, ...]] = []
        for mistake, hint in self.mistakes:
            wrong.append(self._wrong(mistake, filled("a mistake's hint", hint), wrong))
        object.__setattr__(self, "wrong", tuple(wrong))

    def _case(self, case: Case) -> Case:
        if (self.reference is None) == (case.expected is None):
            raise ValueError(f"give expected in every case or a reference, not both and not neither ({self.id})")
        shape, flat = numbers(case.expected if self.reference is None else self.reference(*self._given(case)))
        if not all(map(math.isfinite, flat)):
            raise ValueError(f"expected must be finite, got {nest(shape, flat)!r} ({self.id})")
        if case.by_hand and (len(shape) > 3 or not 1 <= len(flat) <= MAX_BY_HAND):
            raise ValueError(
                f"a case worked out by hand has 1 to {MAX_BY_HAND} numbers in at most 3 axes, got shape "
                f"{list(shape)} ({self.id})"
            )
        return Case(tuple(case.args), nest(shape, flat), case.by_hand)

    def _wrong(self, mistake: Callable[..., Any], hint: str, earlier: list) -> tuple[Outcome, ...]:
        """What the mistake comes to on each case. ValueError where no case by hand tells it from what is right."""
        found = tuple(self._outcome(mistake, case) for case in self.cases)
        coarse = max(self.tolerance, self.by_hand_tolerance)
        if all(
            alike(got, numbers(case.expected), coarse)
            for got, case in zip(found, self.cases, strict=True)
            if case.by_hand
        ):
            raise ValueError(
                f"a mistake must differ from the expected values in some case by hand ({self.id}: {hint!r})"
            )
        if any(self._agree(found, other) == len(found) for other in earlier):
            raise ValueError(f"a mistake must differ from the earlier ones in some case ({self.id}: {hint!r})")
        return found

    def _given(self, case: Case) -> list[Any]:
        """The arguments, copied: a learner's function may change what it is given."""
        args = copy.deepcopy(list(case.args))
        return [self.prepare(a) if self.prepare and isinstance(a, list) else a for a in args]

    def _outcome(self, function: Callable[..., Any], case: Case) -> Outcome:
        try:
            with warnings.catch_warnings(action="ignore"):
                return numbers(function(*self._given(case)))
        except (Exception, SystemExit) as error:
            return f"{type(error).__name__}: {error}"

    def _agree(self, one: Sequence[Outcome], other: Sequence[Outcome]) -> int:
        return sum(alike(a, b, self.tolerance) for a, b in zip(one, other, strict=True))

    def _shown(self, case: Case) -> str:
        return f"{self.name}({', '.join(map(show, case.args))})"

    def _hint(self, index: int, function: Callable[..., Any]) -> str | None:
        """The hint of the mistake that comes to the same in this case: of several the one that does so most often."""
        got = [self._outcome(function, case) for case in self.cases]
        if alike(got[index], numbers(self.cases[index].expected), self.tolerance):
            return None  # the numbers are right, what is wrong is something else
        fitting = [
            pair
            for pair in zip(self.wrong, self.mistakes, strict=True)
            if alike(pair[0][index], got[index], self.tolerance)
        ]
        return max(fitting, key=lambda pair: self._agree(pair[0], got))[1][1] if fitting else None

    def check(self, function: Callable[..., Any]) -> Verdict:
        """The function, run on every case up to the first that fails."""
        if not callable(function):
            return Verdict(False, f"Give your function itself: `{self.name}`, without parentheses.", counts=False)
        total = len(self.cases)
        for index, case in enumerate(self.cases):
            said, shown = self._fault(function, case, f"case {index + 1} of {total}")
            if shown:
                detail = f"call:     {self._shown(case)}\nexpected: {show(case.expected)}\n{shown}"
                return Verdict(False, self._hint(index, function) or said, detail)
            if said:
                return Verdict(False, said, counts=False)
        return Verdict(True, f"Right on {'the one case' if total == 1 else f'all {total} cases'}.")

    def _fault(self, function: Callable[..., Any], case: Case, where: str) -> tuple[str, str]:
        """What is wrong in one case, and what to show of it: two empty texts where nothing is. Three dots show
        nothing."""
        given, wanted = self._given(case), numbers(case.expected)
        try:
            result = function(*given)
        except (Exception, SystemExit) as error:  # whatever a learner's function raises is told, not raised
            stopped = f"Your function stopped with `{type(error).__name__}`{_line(error, function)} on {where}."
            return stopped, f"it said:  {str(error).strip() or 'nothing more'}"
        if result is ...:
            return f"Your turn: write `{self.name}` above, in place of the three dots.", ""
        kind = type(result).__name__
        if result is None:
            return (
                (
                    f"Your function returned nothing on {where}: does it end with `return`? What it prints is not "
                    f"returned."
                ),
                "got:      None",
            )
        try:
            got = numbers(result)
        except Exception as problem:  # of an object of the learner's, or a tensor without plain entries
            return f"On {where} your function's result is not made of numbers: {problem}.", f"got:      a {kind}"
        if not same(got, wanted, self.tolerance):
            shown = show(nest(*got))
            if shown == show(case.expected):  # differs only beyond the printed digits
                shown = repr(nest(*got))
            said = f"Not yet: {where} gives another value."
            if got[0] != wanted[0]:
                said = f"On {where} the result has {_shape(got)}, expected {_shape(wanted)}."
            elif not all(map(math.isfinite, got[1])):
                said = f"On {where} the result is not finite everywhere."
            return said, f"got:      {shown}"
        if not isinstance(result, self.returns):
            return (
                (
                    f"The numbers are right. But later steps need a `{self.returns.__name__}`, and your function "
                    f"returned a `{kind}`."
                ),
                f"got:      a {kind}",
            )
        for number, (before, after) in enumerate(zip(self._given(case), given, strict=True), 1):
            if _seen(before) != _seen(after):
                return (
                    (
                        f"The numbers are right. But your function changes its argument {number}, which its caller "
                        f"still needs: work on a copy."
                    ),
                    f"changed:  {show(after)}",
                )
        return "", ""

    def spec(self) -> dict[str, Any]:
        """Only what can be worked out by hand goes to the page; no values where a mistake comes to nothing that could
        be typed."""
        kept = [i for i, case in enumerate(self.cases) if case.by_hand]

        def short(flat: list[float]) -> list[float]:  # the last digits of a sum are not the same on every Python
            return [float(f"{x:.12g}") for x in flat]

        right = {i: numbers(self.cases[i].expected) for i in kept}
        cases = [
            {"call": self._shown(self.cases[i]), "shape": list(right[i][0]), "expected": short(right[i][1])}
            for i in kept
        ]
        mistakes = []
        for (_, hint), wrong in zip(self.mistakes, self.wrong, strict=True):
            typed = [
                wrong[i] if wrong[i][0] == right[i][0] and all(map(math.isfinite, wrong[i][1])) else None for i in kept
            ]
            if any(one and not same(one, right[i], self.by_hand_tolerance) for one, i in zip(typed, kept, strict=True)):
                mistakes.append({"hint": hint, "values": [short(one[1]) if one else [] for one in typed]})
        return {
            **self.common("function"),
            "starter": self.starter,
            "tolerance": self.by_hand_tolerance,
            "cases": cases,
            "mistakes": mistakes,
        }


def _shape(outcome: tuple) -> str:
    return f"shape {list(outcome[0])}{'' if outcome[0] else ' (one number)'}"


def _seen(x: Any) -> Any:
    """What can be seen of an argument: the numbers of arrays, also inside lists, tuples and dicts."""
    if isinstance(x, list | tuple | dict):
        return [_seen(each) for each in (x.items() if isinstance(x, dict) else x)]
    return x.tolist() if hasattr(x, "tolist") else x if isinstance(x, int | float | str) else type(x)


def _line(error: BaseException, function: Callable[..., Any]) -> str:
    """Where in the learner's function it stopped, if it did so there."""
    code = getattr(function, "__code__", None)
    frames = [
        f
        for f in traceback.extract_tb(error.__traceback__)
        if code and (f.filename, f.name) == (code.co_filename, code.co_name)
    ]
    return f" in its line {frames[-1].lineno - code.co_firstlineno + 1}" if frames and frames[-1].lineno else ""
