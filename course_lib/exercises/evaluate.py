"""The value of a formula as its author writes it: numbers, names, + - * / ^, parentheses and the functions below, every
sign written.

Python's own parser reads it, and nothing is run as code: what is none of these is refused. What a reader types is read
in the page by `widgets/exercise/formula.js`, which says where it cannot, and knows `2x`, `x²` and σ₁ as well.
"""

import ast
import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x >= 0 else math.exp(x) / (1 + math.exp(x))  # the form that cannot overflow


CONSTANTS = {"e": math.e, "pi": math.pi}
FUNCTIONS = {
    "exp": math.exp, "ln": math.log, "log2": math.log2, "sqrt": math.sqrt, "sin": math.sin, "cos": math.cos,
    "tanh": math.tanh, "abs": abs, "sigmoid": _sigmoid,
}  # fmt: skip
SIGNS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
}
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*")

Point = Mapping[str, float]
Evaluated = Callable[[Point], float]


def evaluator(text: str, names: Iterable[str]) -> Callable[[Point], float | None]:
    """The formula as a function of a point, name → number. It gives None where the formula, or a part of it, has no
    finite value.

    Raises ValueError where the text is no formula in these names.
    """
    marked = _NAME.sub(r"_\g<0>", text.strip().replace("^", "**"))  # so that `lambda` is a name like any other
    try:
        whole = _read(ast.parse(marked, mode="eval").body, set(names))
    except SyntaxError:
        raise ValueError("a formula has every sign written, as in 2*x^2") from None

    def value(point: Point) -> float | None:
        try:
            return whole(point)
        except (ArithmeticError, ValueError):  # ValueError: the logarithm or the root of a negative number
            return None

    return value


def _read(node: ast.expr, names: set[str]) -> Evaluated:
    match node:
        case ast.Constant(value=int() | float() as number):
            return lambda point: float(number)
        case ast.Name(id=marked) if (name := marked[1:]) in names:
            return lambda point: float(point[name])
        case ast.Name(id=marked) if (name := marked[1:]) in CONSTANTS:
            return lambda point: CONSTANTS[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            negated = _read(operand, names)
            return lambda point: -negated(point)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in SIGNS:
            sign, a, b = SIGNS[type(op)], _read(left, names), _read(right, names)
            return lambda point: _finite(sign(a(point), b(point)))
        case ast.Call(func=ast.Name(id=marked), args=[argument], keywords=[]) if (name := marked[1:]) in FUNCTIONS:
            inner = _read(argument, names)
            return lambda point: _finite(FUNCTIONS[name](inner(point)))
    part = re.sub(r"\b_(?=[A-Za-z])", "", ast.unparse(node)).replace("**", "^")
    raise ValueError(f"`{part}` is none of the names {', '.join(sorted(names))}, and no sign or function of a formula")


def _finite(x: float | complex) -> float:
    if isinstance(x, complex) or not math.isfinite(x):
        raise ArithmeticError(f"{x} is no finite number")
    return x
