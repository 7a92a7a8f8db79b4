"""A formula that a reader types, read by a small grammar and given its value at a point: nothing is ever evaluated as code.

    sum      product (("+" | "-") product)*
    product  signed (("*" | "/" | nothing) signed)*      nothing: a product without a sign, `2 n^2 d`
    signed   ("-" | "+") signed | power                  so -x^2 is -(x^2)
    power    atom ("^" signed)?                          so 2^3^2 is 2^(3^2); `x²` is x^2
    atom     number | name | function "(" sum ")" | "(" sum ")"

A tree is a tuple: ("number", 2.0, "2"), ("name", "x"), ("-", tree) for the sign, ("+" | "-" | "*" | "/" | "^", tree, tree),
("call", "exp", tree). The number's
text is kept as typed. `widgets/static/formula.js` is the twin; shared test vectors hold the two together.
"""

from .names import CONSTANTS, FUNCTIONS, GREEK, key, listed, symbol
from .parse import DEPTH, LENGTH, parse
from .value import NoValue, value, write

__all__ = ["CONSTANTS", "DEPTH", "FUNCTIONS", "GREEK", "LENGTH", "NoValue", "key", "listed", "parse", "symbol", "value", "write"]
