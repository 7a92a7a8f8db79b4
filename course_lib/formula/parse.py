"""Reading: a tokenizer and one method a rule of the grammar. What cannot be read is said in words, with its place."""

import math
import re
from collections.abc import Iterable

from ..answers import COMMA, LARGE, SPACES, THOUSANDS
from .names import ALIASES, CONSTANTS, FUNCTIONS, key, listed

LENGTH = 200  # characters
DEPTH = 40  # signs, powers and parentheses inside one another
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺", "0123456789-+")
_SIGNS = {"−": "-", "–": "-", "·": "*", "⋅": "*", "×": "*", "∗": "*", "÷": "/", "**": "^"}
_TOKEN = re.compile(
    r"(?P<number>(?:[0-9]+(?:[.,][0-9]+|\.)?|[.,][0-9]+)(?:[eE][-+−–]?[0-9]{1,3}(?![0-9]))?)"
    r"|(?P<name>[A-Za-zα-ωΑ-Ωϵϑϕµ][A-Za-zα-ωΑ-Ωϵϑϕµ0-9_₀-₉]*|√)"
    r"|(?P<raised>[⁻⁺]?[⁰¹²³⁴⁵⁶⁷⁸⁹]+)"
    r"|(?P<sign>\*\*|[-+*/^()−–·⋅×∗÷])"
)


def parse(text: str, names: Iterable[str]) -> tuple:
    """The tree of a formula in these names. Raises ValueError in words meant for the reader, saying where."""
    return _Parser(text, names).tree()


class _Parser:
    def __init__(self, text: str, names: Iterable[str]) -> None:
        self.names = list(names)
        self.known = {key(name): name for name in self.names}
        self.text = text.strip(SPACES)
        self.tokens = [*self._tokens(), ("end", "", len(self.text))]
        self.at = self.depth = 0

    # ------------------------------------------------------------------------------------------------ tokens
    def _tokens(self) -> Iterable[tuple[str, str, int]]:
        if not self.text:
            raise ValueError(f"There is no answer yet: write a formula in {listed(self.names)}.")
        if len(self.text) > LENGTH:
            raise ValueError(f"A formula of at most {LENGTH} characters is read; this has {len(self.text)}.")
        at = 0
        while at < len(self.text):
            if self.text[at] in SPACES:
                at += 1
                continue
            if THOUSANDS.match(self.text, at) and self.text[at] not in "+-":
                raise ValueError(f"{COMMA} That is{self._after(at)}.")
            found = _TOKEN.match(self.text, at)
            if found is None:
                raise ValueError(self._stranger(at))
            yield found.lastgroup, _SIGNS.get(found[0], found[0]), at
            at = found.end()

    def _stranger(self, at: int) -> str:
        sign = self.text[at]
        if sign == "=":
            return "Leave the `=` out: write only what stands on its right."
        if sign == ",":
            return f"The comma{self._after(at)} cannot be read: a comma stands only inside a number, as in 0,5."
        if sign in "[]{}":
            return f"Write round parentheses instead of `{sign}`{self._after(at)}."
        return f"I cannot read the sign `{sign}`{self._after(at)}." if sign != "`" else f"I cannot read the quotation mark{self._after(at)}."

    def _after(self, at: int) -> str:
        """Where a position is, in words."""
        before = self.text[:at].rstrip(SPACES)
        if not before:
            return " at the beginning"
        return f" after `{'…' + before[-18:] if len(before) > 20 else before}`"

    # ------------------------------------------------------------------------------------------------ grammar
    def tree(self) -> tuple:
        tree = self._sum()
        kind, text, at = self.tokens[self.at]
        if kind != "end":  # only a closing parenthesis can be left over
            raise ValueError(f"The `{text}`{self._after(at)} closes nothing.")
        return tree

    def _next(self, *signs: str) -> str | None:
        kind, text, _ = self.tokens[self.at]
        if kind == "sign" and text in signs:
            self.at += 1
            return text
        return None

    def _sum(self) -> tuple:
        tree = self._product()
        while sign := self._next("+", "-"):
            tree = (sign, tree, self._product())
        return tree

    def _product(self) -> tuple:
        tree, last = self._signed(), "*"
        while True:
            if sign := self._next("*", "/"):
                tree, last = (sign, tree, self._signed()), sign
                continue
            kind, text, at = self.tokens[self.at]
            if kind in ("end", "raised") or (kind == "sign" and text != "("):
                if kind == "raised":
                    raise ValueError(f"Two powers follow each other{self._after(at)}: write parentheses.")
                return tree
            self._clear(last)
            tree = ("*", tree, self._signed())

    def _clear(self, last: str) -> None:
        """A product without a sign must be readable in one way only."""
        kind, text, at = self.tokens[self.at]
        if kind == "number":
            raise ValueError(f"A sign is missing before `{text}`{self._after(at)}: write `*` for a product, `^` for a power.")
        if last == "/":
            raise ValueError(f"Is `{text}`{self._after(at)} divided by too, or multiplied? Write `*` or parentheses.")
        squared = self.tokens[self.at - 1][0] == "number" and text == "("  # x^2(1 - x) has one reading
        if self._caret() and self.text[at - 1] not in SPACES and not squared:
            raise ValueError(f"Does `{text}`{self._after(at)} still belong to the exponent? Write `*` or parentheses.")

    def _caret(self) -> bool:
        """Whether the token before this one is a whole exponent, with or without a minus sign, as in e^2 or e^-2."""
        if self.tokens[self.at - 1][0] not in ("number", "name"):
            return False
        at = self.at - 2
        while at > 0 and self.tokens[at][1] in ("-", "+"):
            at -= 1
        return self.tokens[at][1] == "^"

    def _signed(self) -> tuple:
        self.depth += 1
        if self.depth > DEPTH:
            raise ValueError(f"That is nested too deeply: at most {DEPTH} levels are read.")
        sign = self._next("-", "+")
        tree = self._signed() if sign else self._power()
        self.depth -= 1
        return ("-", tree) if sign == "-" else tree

    def _power(self) -> tuple:
        tree = self._atom()
        kind, text, _ = self.tokens[self.at]
        if kind == "raised":
            self.at += 1
            digits = text.translate(_SUPERSCRIPTS)
            power = _number(digits.lstrip("+-"))
            tree = ("^", tree, ("-", power) if digits.startswith("-") else power)
            if self.tokens[self.at][:2] == ("sign", "^"):
                raise ValueError(f"Two powers follow each other{self._after(self.tokens[self.at][2])}: write parentheses.")
            return tree
        return ("^", tree, self._signed()) if self._next("^") else tree

    def _atom(self) -> tuple:
        kind, text, at = self.tokens[self.at]
        if kind == "number":
            self.at += 1
            return _number(text)
        if kind == "name":
            self.at += 1
            return self._name(text, at)
        if self._next("("):
            return self._closed(at)
        before = f" before `{text}`" if text else ""
        raise ValueError(f"Something is missing{self._after(at)}{before}.")

    def _name(self, text: str, at: int) -> tuple:
        short, opens = key(text), self.tokens[self.at][:2] == ("sign", "(")
        if short in self.known:
            return ("name", self.known[short])
        function = ALIASES.get(short, short)
        if function in FUNCTIONS and (opens or short != "sigma"):
            if not opens:
                raise ValueError(f"A function takes parentheses: write `{text}(…)`{self._after(at)}.")
            self.at += 1
            return ("call", function, self._closed(self.tokens[self.at - 1][2]))
        if short in CONSTANTS:
            return ("name", short)
        raise ValueError(f"`{text}`{self._after(at)} is none of the names here: {listed(self.names)}.{self._perhaps(text)}")

    def _perhaps(self, text: str) -> str:
        """What an unknown name may have been meant to be: nm a product, x2 a power."""
        if all(key(letter) in self.known for letter in text):
            return f" For a product write `{'*'.join(text)}`."
        if (found := re.fullmatch("(.+?)([0-9]+)", text)) and key(found[1]) in self.known:
            return f" For a power write `{found[1]}^{found[2]}`."
        return ""

    def _closed(self, opened: int) -> tuple:
        tree = self._sum()
        if not self._next(")"):
            raise ValueError(f"The parenthesis `(`{self._after(opened)} is not closed.")
        return tree


def _number(text: str) -> tuple:
    text = re.sub("[−–]", "-", text.replace(",", "."))
    if not math.isfinite(float(text)):
        raise ValueError(LARGE)
    return ("number", float(text), text)
