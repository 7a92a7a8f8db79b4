"""A formula's value at a point, and the formula written out again."""

import math
from collections.abc import Mapping

from .names import CONSTANTS, symbol

_LEVEL = {"+": 1, "-": 1, "*": 2, "/": 2, "^": 4}


class NoValue(ArithmeticError):
    """The formula has no finite value at this point: `part` is where, `why` says it in words."""

    def __init__(self, part: str, why: str) -> None:
        super().__init__(f"`{part}` {why}")
        self.part, self.why = part, why


def value(tree: tuple, point: Mapping[str, float]) -> float:
    """The formula's value at a point (name → number). Raises NoValue where it, or a part of it, is not a finite number."""
    kind = tree[0]
    if kind == "number":
        return tree[1]
    if kind == "name":
        return float(point[tree[1]]) if tree[1] in point else CONSTANTS[tree[1]]
    inner = [value(part, point) for part in tree[1:] if isinstance(part, tuple)]
    try:
        result = _call(tree[1], inner[0]) if kind == "call" else _signs(kind, *inner)
    except (ValueError, OverflowError, ZeroDivisionError):
        result = math.nan
    if isinstance(result, complex) or not math.isfinite(result):
        raise NoValue(write(tree), _why(tree, inner))
    return result


def _signs(sign: str, a: float, b: float | None = None) -> float:
    if b is None:
        return -a
    return a + b if sign == "+" else a - b if sign == "-" else a * b if sign == "*" else a / b if sign == "/" else a**b


def _call(function: str, x: float) -> float:
    if function == "sigmoid":  # the form that cannot overflow
        return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))
    return abs(x) if function == "abs" else getattr(math, "log" if function == "ln" else function)(x)


def _why(tree: tuple, inner: list[float]) -> str:
    if tree[0] == "/" and inner[1] == 0:
        return "divides by 0"
    if tree[0] == "call" and tree[1] in ("ln", "log2") and inner[0] <= 0:
        return "takes the logarithm of 0" if inner[0] == 0 else "takes the logarithm of a negative number"
    if tree[0] == "call" and tree[1] == "sqrt":
        return "takes the square root of a negative number"
    if tree[0] == "^" and inner[0] == 0:
        return "divides by 0"
    if tree[0] == "^" and inner[0] < 0 and inner[1] != math.floor(inner[1]):
        return "raises a negative number to a broken power"
    return "is too large"


def write(tree: tuple, least: int = 0) -> str:
    """The formula in one line, every product with its sign and no parenthesis too many; `parse` reads the same tree."""
    kind = tree[0]
    if kind == "number":
        level, text = 5, tree[2]
    elif kind == "name":
        level, text = 5, symbol(tree[1])
    elif kind == "call":
        level, text = 5, f"{tree[1]}({write(tree[2])})"
    elif len(tree) == 2:
        level, text = 3, "-" + write(tree[1], 3)
    else:
        level = _LEVEL[kind]
        left, right = (5, 3) if kind == "^" else (level, level + 1)
        gap = " " if level == 1 else ""
        text = f"{write(tree[1], left)}{gap}{kind}{gap}{write(tree[2], right)}"
    return f"({text})" if level < least else text
