"""Long work says in advance what it costs, shows how far it is, and can be interrupted: what is finished is kept.

    for seed in long_work.runs(todo, done=len(rows), minutes=10):      # 12 runs, 4 there, 8 to go: about 7 minutes …
        rows.append(train(seed))
        store(rows)

    sys.exit(long_work.interruptible(main))                            # Ctrl-C: "interrupted: …", exit status 130

Everything is said on stderr; the outputs of a command stay what they are.
"""

import sys
import time
from collections.abc import Callable, Iterator, Sequence
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
    todo: Sequence[T], *, done: int = 0, minutes: float | None = None, unit: str = "run", kept: str = "", clock: Callable[[], float] = time.monotonic
) -> Iterator[T]:
    """Give one after the other of `todo`; the caller finishes it, and stores it, before asking for the next.

    Says beforehand how many are to go and what they cost: `minutes` is what all of them took on one core, the `done` ones that an
    earlier call has left included (None: not known). After the first it says what this machine needs, measured on it, and after each
    what is left. `kept` says what an interruption leaves; the default is true where every finished run is stored.
    """
    todo, kept = list(todo), kept or f"finished {unit}s are kept, and the same command goes on from there"
    if not todo:
        return tell(f"nothing to do: {counted(done, unit)} there")
    there = f", {done} there, {len(todo)} to go" if done else ""
    share = len(todo) / (len(todo) + done)
    cost = "" if minutes is None else f": about {spoken(60 * minutes * share)} of one core"
    tell(f"{counted(len(todo) + done, unit)}{there}{cost}. Interrupt when you like (Ctrl-C): {kept}.")
    begun = clock()
    for number, each in enumerate(todo, 1):
        yield each
        passed, left = clock() - begun, len(todo) - number
        if left and number == 1:
            tell(f"about {spoken(passed * left)}: {counted(left, unit)} of {spoken(passed)} each (measured on the first)")
        elif left:
            tell(f"{done + number} of {done + len(todo)}, about {spoken(passed / number * left)} left")
    return tell(f"{counted(len(todo), unit)} in {spoken(clock() - begun)}")


def interruptible(main: Callable[[], int | None], kept: str = "what was finished is kept; the same command (without --force) goes on from there") -> int:
    """The exit status of a command: main's, or after Ctrl-C a sentence that says what is `kept`, and 130."""
    try:
        return main() or 0
    except KeyboardInterrupt:
        tell(f"interrupted: {kept}")
        return INTERRUPTED
