"""Formulas: an author's, valued by Python; a reader's, read and judged by the card's rules, held to Python's own
reading and arithmetic."""

import json
import math
import random
import re
from pathlib import Path

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from course_lib.exercises import Formula
from course_lib.exercises.evaluate import FUNCTIONS, evaluator
from tests.widgets.test_exercises import HINTS, VECTORS, in_page, judged

NAMES = ["x", "n", "m", "d", "sigma_1", "lambda"]
POINT = {"x": 0.5, "n": 3.0, "m": 4.0, "d": 7.0, "sigma_1": 2.0, "lambda": -1.5}
FORMULAS, UNREAD = VECTORS["formulas"], VECTORS["unread formulas"]
LENGTH, DEPTH = 200, 40  # what the card reads at most


def read(texts):
    """Each text as the card reads it: {tree, text written out}, or {problem}."""
    return in_page("read", [[text, NAMES] for text in texts])


def valued(texts):
    """Each text's value at POINT as the card finds it: {value}, or {problem}; every text can be read."""
    return in_page("valueAt", [[one["tree"], POINT] for one in read(texts)])


# ------------------------------------------------------------------------------------------------ trees at random
leaves = st.one_of(
    st.sampled_from([("name", name) for name in (*NAMES, "e", "pi")]),
    st.floats(0.01, 9).map(lambda x: f"{x:.2f}").map(lambda text: ("number", float(text), text)),
    st.integers(0, 12).map(lambda n: ("number", float(n), str(n))),
)
trees = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.tuples(st.just("-"), inner),
        st.tuples(st.sampled_from("+-*/^"), inner, inner),
        st.tuples(st.just("call"), st.sampled_from(list(FUNCTIONS)), inner),
    ),
    max_leaves=10,
)


def text_of(tree):
    """The tree as a text with every operation in parentheses: an independent writing, which leaves nothing to
    precedence."""
    kind = tree[0]
    if kind in ("number", "name"):
        return tree[2] if kind == "number" else tree[1]
    if kind == "call":
        return f"{tree[1]}({text_of(tree[2])})"
    return f"(-{text_of(tree[1])})" if len(tree) == 2 else f"({text_of(tree[1])}{kind}{text_of(tree[2])})"


SCOPE = {
    "ln": math.log,
    "sigmoid": lambda x: (1 + math.tanh(x / 2)) / 2,
    "abs": abs,
    "float": float,
    "V": {**POINT, "e": math.e, "pi": math.pi},
}
SCOPE |= {name: getattr(math, name) for name in FUNCTIONS if hasattr(math, name)}


def by_python(tree):
    """(value, largest number on the way): what Python's eval makes of the tree's own text; None where there is no
    finite value."""
    code = re.sub(r"(?<![\w.])([A-Za-z]\w*)(?!\w*\()", r"V['\1']", text_of(tree).replace("^", "**"))
    try:
        result = eval(re.sub(r"(?<![\w.'])([0-9.]+)", r"float('\1')", code), SCOPE)
    except (ArithmeticError, ValueError):
        return None
    if not isinstance(result, float) or not math.isfinite(result):
        return None
    inner = [by_python(part) for part in tree[1:] if isinstance(part, tuple)]
    return None if None in inner else (result, max([abs(result), *(largest for _, largest in inner)]))


def agree(got, tree):
    expected = by_python(tree)
    if got is None or expected is None:
        return got is expected
    return expected[1] > 1e4 or got == pytest.approx(
        expected[0], rel=1e-6, abs=1e-6
    )  # beyond, the sine of a rounded number is anything


@settings(max_examples=150)
@given(trees)
def test_an_authors_formula_has_pythons_value(tree):
    assert agree(evaluator(text_of(tree), NAMES)(POINT), tree)


@settings(max_examples=4, phases=[Phase.generate])  # to shrink a failing forest would start Node hundreds of times
@given(st.lists(trees, min_size=60, max_size=60))
def test_the_card_reads_random_formulas_and_gives_them_pythons_values(forest):
    texts = [text_of(tree) for tree in forest]
    kept = [(tree, one) for tree, one in zip(forest, read(texts), strict=True) if "tree" in one]
    assert len(kept) > 30 and all(
        one["tree"] == json.loads(json.dumps(tree)) for tree, one in kept
    )  # the others are too deep or too long
    again = [one["text"] for _, one in kept if len(one["text"]) <= LENGTH]
    assert [
        one["text"] for one in read(again)
    ] == again  # written with as few parentheses as can be, and read as the same
    for (tree, _), one in zip(kept, in_page("valueAt", [[tree, POINT] for tree, _ in kept]), strict=True):
        assert agree(one.get("value"), tree), text_of(tree)


# ------------------------------------------------------------------------------------------------ reading
def test_formulas_are_read_as_meant():
    assert [
        (text, one.get("text")) for (text, _), one in zip(FORMULAS, read([text for text, _ in FORMULAS]), strict=True)
    ] == [tuple(each) for each in FORMULAS]


def test_what_cannot_be_read_is_said_with_its_place():
    wrong = [
        (text, one)
        for (text, said), one in zip(UNREAD, read([text for text, _ in UNREAD]), strict=True)
        if said not in one.get("problem", "")
    ]
    assert wrong == []


def test_a_word_is_a_product_where_it_can_be_cut_in_one_way():
    names = ["a", "b", "ab", "x", "p", "i", "s_0", "s_1"]
    products = {"ab": "ab", "bax": "b*a*x", "xexp(a)": "x*exp(a)", "s0s_1s₀": "s₀*s₁*s₀", "as₀²": "a*s₀^2",
        "abs(a)": "abs(a)",
                "asin(a)": "a*sin(a)", "a" * 190: "*".join("a" * 190)}  # fmt: skip
    refused = {
        "abx": "can be read in two ways: write `ab*x` or `a*b*x",
        "xpi": "two ways",
        "abs0": "two ways",
        "asin": "none of",
    }
    got = in_page("read", [[text, names] for text in (*products, *refused)])
    assert [one.get("text") for one in got[: len(products)]] == list(products.values())
    assert all(words in one["problem"] for one, words in zip(got[len(products) :], refused.values(), strict=True))


def test_length_and_depth_have_limits():
    deep = ["(" * DEPTH + "x", "-" * 150 + "x", "x^" * 90 + "x", "exp(" * 45]
    long, *nested, many, flat, large = read(
        ["x+" * 100 + "x", *deep, "(" * (DEPTH - 1) + "x" + ")" * (DEPTH - 1), "+".join("x" * 100), "1e999*x"]
    )
    assert f"at most {LENGTH}" in long["problem"] and all("nested too deeply" in one["problem"] for one in nested)
    assert "tree" in many and "tree" in flat and "too large" in large["problem"]


def test_no_value_is_told_with_the_part_that_has_none():
    said = {"1/(x - 0.5)": "divides by 0", "ln(x - 1)": "logarithm of a negative",
        "2*log2(0)": "`log2(0)` takes the logarithm of 0", "sqrt(lambda)": "square root",
            "(-x)^0.5": "broken power", "0^(0-1)": "divides by 0", "exp(exp(9))": "too large",
            "10^400": "too large"}  # fmt: skip
    for (text, words), one in zip(said.items(), valued(said), strict=True):
        assert words in one.get("problem", ""), text
        assert evaluator(text, NAMES)(POINT) is None, text


def test_nothing_is_evaluated_as_code():
    code = ["__import__('os')", "x.real", "constructor", "x;x", "lambda: 1", "toString()", "exp", "x if x else n",
        "[x]", "x == n", "(x, n)", "'x'", "1j", "True", "exp(x, n)", "x @ n", "x // n", "f(x)", "_"]  # fmt: skip
    for text, one in zip(code, read(code), strict=True):
        assert "problem" in one, text
        with pytest.raises(ValueError):
            evaluator(text, NAMES)
    for path in (Path("course_lib/exercises/evaluate.py"), *Path("course_lib/widgets/exercise").glob("formula*.js")):
        assert not re.search(r"\beval\(|new Function", path.read_text())


def test_names_are_shown_as_on_paper():
    assert in_page("symbol", [["sigma_1"], ["d_k"], ["lambda"], ["x_12"]]) == ["σ₁", "d_k", "λ", "x₁₂"]
    assert in_page("listed", [[["x", "n"]]]) == ["x and n"]


def test_numbers_are_shown_with_six_digits():
    chance = random.Random(3)
    known = [
        (0.0, "0"),
        (-0.0, "0"),
        (0.25, "0.25"),
        (-3, "−3"),
        (1e-7, "1e−7"),
        (123456.7, "123457"),
        (1e22, "1e22"),
        (5e-324, "4.94066e−324"),
    ]
    assert in_page("figure", [[x] for x, _ in known]) == [text for _, text in known]
    numbers = [999999.7, *(chance.gauss(0, 1) * 10 ** chance.randint(-9, 9) for _ in range(300))]
    shown = in_page("figure", [[x] for x in numbers])
    assert [float(text.replace("−", "-")) for text in shown] == [float(f"{x:.5e}") for x in numbers]
    assert all(
        ("e" in text) == (not 1e-4 <= abs(float(f"{x:.5e}")) < 1e6) for text, x in zip(shown, numbers, strict=True)
    )


# ------------------------------------------------------------------------------------------------ the exercise
def logistic(**more):
    given = {
        "id": "slope",
        "question": "The slope of s = sigmoid(x), in s?",
        "answer": "s*(1 - s)",
        "variables": {"s": (0, 1)},
        "left": "ds/dx",
    }
    mistakes = [("1 - s", "that is only one factor"), ("ln(s - 0.5)", "no logarithm here"), ("s*(1 + s)", "a sign")]
    return Formula(**{**given, "mistakes": mistakes, "hints": HINTS, "solution": "s(1 − s)", **more})


def test_equivalent_forms_are_right():
    forms = [
        "s(1-s)",
        "s − s²",
        "(1-s)*s",
        "1/4 - (s-1/2)^2",
        "s*sqrt((1-s)^2)",
        "exp(ln(s)+ln(1-s))",
        "-s*(s-1)",
        "0,5*2s(1-s)",
        "s - s^2 + 1e-12",
    ]
    assert {one["message"] for one in judged(logistic(), *forms)} == {
        "Right: the same as `s*(1 - s)` at 8 random points."
    }


WRONG = {
    "1-s": "that is only one factor",
    "log(s-1/2)": "no logarithm here",
    "s(s-1)": "The size is right, the sign is not.",
    "2s(1-s)": "Nearly: everywhere yours is 2 times the answer.",
    "s(1-s)+1/4": "Nearly: everywhere yours is the answer + 0.25.",
    "s(1-s)-7": "Nearly: everywhere yours is the answer − 7.",
    "1/(s(1-s))": "That is the reciprocal: what stands above the line belongs below.",
    "0.995*s*(1-s)*s^0.001": "Close everywhere, but not the same: write exact numbers, 1/3 rather than 0.33.",
    "0.9*s*(1-s)*s^0.01": "Not yet. A hint may help.",  # a tenth off is not close
    "sqrt(s-2)": "Not yet: your formula has no value where the answer has one.",
    "s": "Not yet. A hint may help.",
    "0": "Not yet. A hint may help.",
}


def test_a_wrong_formula_is_told_with_its_failing_case():
    got = judged(logistic(), *WRONG)
    assert [one["message"] for one in got] == list(WRONG.values())
    assert all(one["counts"] and not one["correct"] for one in got)
    assert all(re.fullmatch(r"At s = 0\.\d+ your formula .*expected 0\.\d+\.", one["detail"]) for one in got)
    assert (
        judged(logistic(), "s - s^2 + 2e-7")[0]["detail"]
        == "At s = 0.2 your formula differs from 0.16 beyond the digits shown."
    )
    assert (
        judged(logistic(), "s/0")[0]["detail"]
        == "At s = 0.2 your formula has no value, for s/0 divides by 0; expected 0.16."
    )


def test_the_failing_case_can_be_followed():
    exercise = Formula(
        id="add",
        question="n + m?",
        answer="n + m",
        variables={"n": range(2, 9), "m": range(2, 9)},
        hints=HINTS,
        solution="n + m",
    )
    n, m = next((n, m) for n, m in exercise.points if n + m != n * m)
    assert judged(exercise, "n m")[0]["detail"] == f"At n = {n}, m = {m} your formula gives {n * m}, expected {n + m}."
    assert all(x in range(2, 9) for point in exercise.points for x in point)


def test_what_cannot_be_read_is_no_try():
    assert [one["counts"] for one in judged(logistic(), "", "s*(", "q", "x" * 300)] == [False] * 4


def test_points_follow_from_the_id_and_lie_inside():
    one = logistic()
    assert one.points == logistic().points != logistic(id="other").points
    assert all(0 < s < 1 and round(s, 2) == s for (s,) in one.points)
    assert [s for (s,) in one.points] == [0.2, 0.81, 0.32, 0.94, 0.47, 0.79, 0.45, 0.22]  # in every process and version
    assert list(one.expected) == pytest.approx([s * (1 - s) for (s,) in one.points], rel=1e-15)


def test_an_answer_may_have_no_value_at_the_ends_of_its_interval():
    for number in range(100):  # of 800 points rounded to two digits, one in a hundred comes to an end
        logistic(id=f"ends-{number}", answer="ln(s) + ln(1 - s)", mistakes=())


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"answer": "s*("}, "answer .* cannot be read"),
        ({"answer": "2s"}, "every sign written"),
        ({"answer": "ln(-s)"}, "answer must have a finite value at every point, got none at s = 0.2"),
        ({"mistakes": [("s - s^2", "same")]}, "same as the answer"),
        ({"mistakes": [("s", "one"), ("2*s/2", "two")]}, "same as the answer or as an earlier"),
        ({"mistakes": [("q", "one")]}, "a mistake 'q' cannot be read: `q` is none of the names s"),
        ({"mistakes": [("log(s)", "one")]}, r"`log\(s\)` is none"),
        ({"mistakes": [("s", "")]}, "hint of mistake"),
        ({"variables": {}}, "1 to 6 names"),
        ({"variables": {"s": (1, 0)}}, "low < high"),
        ({"variables": {"s": 3}}, "interval of s"),
        ({"variables": {"s": range(1)}}, "range of s"),
        ({"variables": {"s": (0, math.inf)}}, "an end of s"),
        ({"variables": {"σ": (0, 1)}}, "variable's name"),
        ({"variables": {"exp": (0, 1)}}, "variable's name"),
        ({"variables": {"s_1": (0, 1), "s1": (0, 1)}}, "variable's name"),
    ],
)
def test_the_authors_slips_are_named(more, named):
    with pytest.raises(ValueError, match=named):
        logistic(**more)
