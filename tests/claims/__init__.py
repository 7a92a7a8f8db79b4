"""Functions that compute the ledger's numbers, one a claim; `make ledger` runs them and stores what they return.

A function here only computes. The test that the ledger names beside it says what the number must be. It takes well under
a second; a number that takes longer is stored in a table by its own command and read from there.
"""

from collections.abc import Callable

REGISTERED: dict[str, tuple[Callable[[], float | int], float]] = {}


def claim(name: str, rtol: float = 1e-3):
    """Register a function without arguments under a claim id ("R-E1.rows").

    It returns an int (kept exactly) or a float (kept to four significant digits and compared within `rtol`).
    """

    def register(function):
        if name in REGISTERED:
            raise ValueError(f"claim {name!r} is registered twice")
        REGISTERED[name] = (function, rtol)
        return function

    return register


def rounding(value: float, bound: float = 1e-12) -> float:
    """Zero where `value` is rounding noise: such noise differs from machine to machine and says nothing."""
    return 0.0 if abs(value) < bound else float(value)
