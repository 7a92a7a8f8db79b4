"""Does our number agree with the printed one? Only what the printed digits can decide gets a mark.

A number printed as 1.213 stands for everything from 1.2125 to 1.2135; one printed as 150 for 149.5 to 150.5, or, if its
zero only fills a place, for 145 to 155. Ours *agrees* if the narrowest reading holds it, *differs* if the widest does
not, and gets no mark in between. Ours are stored to four digits, so a longer printed number is rounded to as many
first. A single digit against a measured number (2 against 2.04) says too little to speak of agreement. "over 10" and
"under 1 %" are decided as the inequalities that they are.
"""

import re
from decimal import Decimal
from typing import NamedTuple

DIGITS = 4  # of our stored numbers
PLAIN = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")
BOUND = re.compile(r"(over|under) (\d+(?:\.\d+)?)( %)?")


class Mark(NamedTuple):
    """`kind` is agrees, differs or apart (not the same thing measured); `words` say it to the reader."""

    kind: str
    words: str


def mark(claim) -> Mark | None:
    """The mark of a claim by its `source`, `ours` and `apart`; None where nothing can be decided."""
    if claim.apart:
        return Mark("apart", f"not compared: {claim.apart}")
    text = str(claim.source)
    bound = BOUND.fullmatch(text)
    if bound:
        holds = claim.ours > float(bound[2]) if bound[1] == "over" else claim.ours < float(bound[2])
        return (
            Mark("agrees", f"{bound[1]} {bound[2]}: agrees")
            if holds
            else Mark("differs", f"differs: not {bound[1]} {bound[2]}")
        )
    if not PLAIN.fullmatch(text):
        return None
    return of_numbers(text, claim.ours)


def of_numbers(text: str, ours: float | int) -> Mark | None:
    """Ours against a number as printed."""
    printed = Decimal(text)
    narrow, wide = half_units(text)
    exact = isinstance(ours, int) or float(ours).is_integer()
    if exact and printed == printed.to_integral_value() and "." not in text and "e" not in text.lower():
        narrow = wide = Decimal(0)  # two counts are equal or not
    elif printed and len(printed.as_tuple().digits) > DIGITS:
        narrow = wide = half_units(f"{printed:.{DIGITS - 1}e}")[0]
    away = abs(Decimal(str(ours)) - printed)
    if away > wide:
        return Mark("differs", "differs: " + how_much(float(printed), float(ours)))
    digits = len(printed.as_tuple().digits) if printed else 1
    if away > narrow or (digits == 1 and narrow > 0):
        return None
    return Mark("agrees", "agrees" if narrow == 0 or away == 0 else "agrees, as far as printed")


def half_units(text: str) -> tuple[Decimal, Decimal]:
    """Half a unit of the last printed digit, and of the last that is not a filling zero."""
    exponent = Decimal(text).as_tuple().exponent
    narrow = Decimal(5).scaleb(exponent - 1)
    zeros = len(text) - len(text.rstrip("0")) if text.strip("-").isdigit() and text.strip("-0") else 0
    return narrow, narrow.scaleb(zeros)


def how_much(printed: float, ours: float) -> str:
    """The difference in words: by 3, 12 % more, 30 times less."""
    away = ours - printed
    if ours * printed <= 0 or (abs(away) < 10 and float(away).is_integer() and float(printed).is_integer()):
        return f"by {abs(away):.2g}"
    more = "more" if abs(ours) > abs(printed) else "less"
    factor = max(ours / printed, printed / ours)
    if factor < 2:
        return f"{abs(away / printed) * 100:.2g} % {more}"
    times = float(f"{factor:.2g}")
    return f"{times:,.10g} times {more}" if times >= 10_000 else f"{times:.10g} times {more}"
