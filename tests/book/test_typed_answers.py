"""Every number and every formula of the book, typed in all the ways in which readers type: the same value, whatever
field it goes into."""

import random
import re
from decimal import Decimal
from fractions import Fraction
from itertools import product

from tests.book.test_exercise_specs import specs
from tests.book.test_predictions import predictions
from tests.widgets.test_exercises import in_page

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")
WIDE = str.maketrans("-.0123456789", "－．０１２３４５６７８９")
DASHES = "-−–—‑‒﹣"
PER_CENT = ("%", "per cent", "percent", "％")


def written(x: float, unit: str) -> list[str]:
    """A number as readers write it, with its unit and without."""
    plain = f"{Decimal(repr(x)):f}"
    m, _, e = f"{Decimal(repr(x)):e}".partition("e")
    e = int(e)
    forms = [
        plain,
        plain.translate(WIDE),
        f"\u200b{plain}\u2060",
        f"{plain}\u00a0",
        *(plain.replace("-", dash) for dash in DASHES),
        str(Fraction(plain)),
    ]
    forms += [
        f"{m}e{e}",
        f"{m}E{e:+}",
        f"{m}*10^{e}",
        f"{m} × 10^({e})",
        f"{m}×10{str(e).translate(RAISED)}",
        f"{m} x 10^{e}",
    ]
    forms += [f"{m}·10**{e}"] if x else []  # 0·10 may be 0.10
    whole = plain.lstrip("-").partition(".")[0]
    if len(whole) > 3:
        forms += [
            f"{int(whole):,}".replace(",", blank)
            for blank in (" ", "\u00a0", "\u202f", "\u2009")
            if "." not in plain and x > 0
        ]
    if len(whole) > 6:
        forms += [
            f"{int(whole):,}",
            f"{int(whole):,}".replace(",", "."),
            f"{int(whole):,}.0",
            f"{int(whole):,}".replace(",", ".") + ",0",
        ]
    forms += [
        form.replace(".", ",")
        for form in forms
        if form.count(".") == 1 and "," not in form and not re.search(r"[1-9]\d{0,2}\.\d{3}(?!\d)", form)
    ]
    units = PER_CENT if unit in PER_CENT else (unit, unit.upper(), unit.removesuffix("s")) if unit else ()
    return forms + [f"{plain}{blank}{one}" for one in units for blank in ("", " ", "\u202f")]


def test_every_number_of_the_book_is_right_however_it_is_written():
    asked = []
    for spec in specs().values():
        if spec["kind"] == "value":
            asked += [(spec["id"], text, "check", [spec, text]) for text in written(spec["answer"], spec["unit"])]
        elif spec["kind"] == "function":
            whole = [list(map(repr, case["expected"])) for case in spec["cases"]]
            x = spec["cases"][0]["expected"][0]
            asked += [
                (spec["id"], text, "check", [spec, [[text, *whole[0][1:]], *whole[1:]]]) for text in written(x, "")
            ]
    for _, spec, evidence in predictions():
        if spec["kind"] == "number":
            truth = float(re.search(spec["read"], evidence["text"], re.M)[1].replace(",", ""))
            asked += [(spec["id"], text, "predicted", [spec, text, evidence]) for text in written(truth, spec["unit"])]
    assert len(asked) > 5000
    for function, good in (("check", "correct"), ("predicted", "right")):
        some = [(id, text, arguments) for id, text, name, arguments in asked if name == function]
        wrong = [
            (id, text, got["message"])
            for (id, text, _), got in zip(some, in_page(function, [each for *_, each in some]), strict=True)
            if not got[good]
        ]
        assert wrong == []


# ------------------------------------------------------------------------------------------------ formulas
def spelled(name: str, chance: random.Random) -> str:
    """A name as readers type it, press it or copy it."""
    [shown] = in_symbols(name)
    head, _, index = name.partition("_")
    forms = [name, shown, f"{head}{index}", f"{shown[0]}{index}", f"{shown[0]}_{index}" if index else shown]
    if len(shown) == 1 and re.match(r"[a-gi-zα-ω]", shown):  # the italic h is an older sign
        forms.append(chr(ord(shown) + (0x1D44E - ord("a") if shown < "α" else 0x1D6FC - ord("α"))))
    return chance.choice(forms)


SYMBOLS = {}


def in_symbols(*names: str) -> list[str]:
    new = [name for name in names if name not in SYMBOLS]
    SYMBOLS.update(zip(new, in_page("symbol", [[name] for name in new]) if new else [], strict=True))
    return [SYMBOLS[name] for name in names]


CALLS = {
    "ln": ["ln", "log", "Ln", "Log"],
    "log2": ["log2", "log_2", "log₂"],
    "exp": ["exp", "Exp"],
    "sqrt": ["sqrt", "√", "Sqrt"],
    "tanh": ["tanh", "Tanh"],
}


def text_of(tree: list, chance: random.Random, least: int = 0) -> str:
    """The tree as somebody may type it, so that it can be read in one way only."""
    kind, pick = tree[0], chance.choice
    inner = lambda part, level: text_of(part, chance, level)
    gap = pick(["", " ", "  "])
    if kind == "number":
        return pick([tree[2], f"{tree[2]}.0", f"{tree[2]},0", tree[2].translate(WIDE)])
    if kind == "name":
        return spelled(tree[1], chance)
    if kind == "call":
        if tree[1] == "exp" and chance.random() < 0.3:
            return f"(e^({inner(tree[2], 0)}))"
        return f"{pick(CALLS.get(tree[1], [tree[1]]))}({gap}{inner(tree[2], 0)})"
    if kind == "-" and len(tree) == 2:
        level, text = 3, pick(DASHES) + gap + inner(tree[1], 3)
    elif kind in "+-":
        level, text = 1, inner(tree[1], 1) + gap + ("+" if kind == "+" else pick(DASHES)) + gap + inner(tree[2], 2)
    elif kind == "^":
        level = 4
        raised = tree[2][0] == "number" and least < 5 and chance.random() < 0.5
        text = inner(tree[1], 5) + (tree[2][2].translate(RAISED) if raised else pick(["^", "**"]) + inner(tree[2], 3))
    else:
        level, left, right = 2, inner(tree[1], 2), inner(tree[2], 3)
        sign = pick("*·×⋅∙") if kind == "*" else pick("/÷∕")
        joins = kind == "*" and tree[1][0] != "/" and not re.match(r"[\d.,０-９．+]|" + f"[{DASHES}]", right)
        if joins and chance.random() < 0.7:
            sign = " " if re.search(r"(\^|\*\*|√)[^()*/^]*$", left) else ""
        text = left + gap + sign + gap + right
    return f"({text})" if level < least or chance.random() < 0.1 else text


def test_every_formula_of_the_book_is_right_in_a_hundred_forms():
    chance = random.Random(5)
    formulas = [spec for spec in specs().values() if spec["kind"] == "formula"]
    trees = [one["tree"] for one in in_page("read", [[spec["answer"], spec["names"]] for spec in formulas])]
    asked = [(spec, text_of(tree, chance)) for spec, tree in zip(formulas, trees, strict=True) for _ in range(100)]
    assert len(asked) >= 2000
    wrong = [
        (spec["id"], text, got["message"])
        for (spec, text), got in zip(asked, in_page("check", asked), strict=True)
        if not got["correct"]
    ]
    assert wrong == []


def test_what_two_keys_of_a_card_write_is_read_as_a_product():
    pairs = [
        (spec["names"], one, two)
        for spec in specs().values()
        if spec["kind"] == "formula"
        for one, two in product(spec["names"], repeat=2)
    ]
    joined = [[f"2{''.join(in_symbols(one, two))}exp({in_symbols(one)[0]})", names] for names, one, two in pairs]
    spaced = [[f"2*{one}*{two}*exp({one})", names] for names, one, two in pairs]
    assert in_page("read", joined) == in_page("read", spaced)
