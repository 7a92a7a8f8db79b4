"""Long work says in advance what it costs, shows how far it is, and can be interrupted: what is finished is kept.

    for page in long_work.runs(todo, done=len(there), minutes=10):     # 12 runs, 4 there, 8 to go: about 7 minutes …
        there[page] = execute(page)

    sys.exit(long_work.interruptible(main))                            # Ctrl-C: "interrupted: …", exit status 130

Everything is said on stderr; the outputs of a command stay what they are. Studies have a harness:
`course_lib.results.study`.
"""

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

INTERRUPTED = 130  # the exit status of a command that Ctrl-C has ended
T = TypeVar("T")


def tell(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def spoken(seconds: float) -> str:
    """ "40 seconds", "7 minutes", "3.5 hours": as precise as an estimate is."""
    if seconds < 90:
        number, unit = max(1, round(seconds)), "second"
    elif seconds < 90 * 60:
        number, unit = round(seconds / 60), "minute"
    else:
        number, unit = round(seconds / 3600, 1), "hour"
    return f"{number:g} {unit}{'' if number == 1 else 's'}"


def counted(number: int, unit: str) -> str:
    return f"{number} {unit}{'' if number == 1 else 's'}"


def runs(
    todo: Iterable[T], *, count: int | None = None, done: int = 0, minutes: float | None = None, unit: str = "run",
    kept: str = "",
    name: Callable[[T], str] | None = None, clock: Callable[[], float] = time.monotonic,
) -> Iterator[T]:  # fmt: skip
    """Give one after the other of `todo`; the caller finishes it, and stores it, before asking for the next.

    Says beforehand how many are to go and what they cost: `minutes` is what all of them took on one core, the `done`
    ones that an earlier call has left included (None: not known). After each it says what is left, measured on this
    machine, and which it was where `name` says that. `todo` may be finished runs that come from elsewhere, `count` of
    them. `kept` says what an interruption leaves; the default is true where every finished run is stored.
    """
    todo = todo if count is not None else list(todo)
    count = len(todo) if count is None else count
    kept = kept or f"finished {unit}s are kept, and the same command goes on from there"
    if not count:
        return tell(f"nothing to do: {counted(done, unit)} there")
    there = f", {done} there, {count} to go" if done else ""
    cost = "" if minutes is None else f": about {spoken(60 * minutes * count / (count + done))} of one core"
    tell(f"{counted(count + done, unit)}{there}{cost}. Interrupt when you like (Ctrl-C): {kept}.")
    begun = clock()
    for number, each in enumerate(todo, 1):
        yield each
        passed, left = clock() - begun, count - number
        which = f"{name(each)}: " if name else ""
        tell(
            f"{which}{done + number} of {done + count}, "
            + (f"about {spoken(passed / number * left)} left" if left else f"in {spoken(passed)}")
        )
    return None


def interruptible(
    main: Callable[[], int | None],
    kept: str = "what was finished is kept; the same command (without --force) goes on from there",
) -> int:
    """The exit status of a command: main's, or after Ctrl-C a sentence that says what is `kept`, and 130."""
    try:
        return main() or 0
    except KeyboardInterrupt:
        tell(f"interrupted: {kept}")
        return INTERRUPTED
