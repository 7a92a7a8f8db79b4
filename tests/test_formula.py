"""Formulas: precedence, what is refused and where, values against Python's own, and the page's twin against both."""

import json
import math
import random
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from course_lib.answers import figure
from course_lib.exercises import Formula
from course_lib.formula import DEPTH, FUNCTIONS, LENGTH, NoValue, listed, parse, symbol, value, write
from tests.test_exercises import HINTS, VECTORS, in_page

NAMES = ["x", "n", "m", "d", "sigma_1", "lambda"]
POINT = {"x": 0.5, "n": 3.0, "m": 4.0, "d": 7.0, "sigma_1": 2.0, "lambda": -1.5}
FORMULAS, UNREAD = VECTORS["formulas"], VECTORS["unread formulas"]


def read(text, names=NAMES):
    try:
        tree = parse(text, names)
        return {"tree": tree, "text": write(tree)}
    except ValueError as problem:
        return {"problem": str(problem)}


def value_at(tree, point=POINT):
    try:
        return {"value": value(tree, point)}
    except NoValue as problem:
        return {"problem": str(problem)}


def plain(answer):
    """As JSON brings it back: tuples are lists."""
    return json.loads(json.dumps(answer))


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
        st.tuples(st.just("call"), st.sampled_from(FUNCTIONS), inner),
    ),
    max_leaves=10,
)


def code(tree):
    """The same tree as Python code, every operation in parentheses: an independent reading of what a tree means."""
    kind = tree[0]
    if kind == "number":
        return f"float({tree[2]!r})"
    if kind == "name":
        return f"V[{tree[1]!r}]"
    if kind == "call":
        return f"{tree[1]}({code(tree[2])})"
    return f"(-{code(tree[1])})" if len(tree) == 2 else f"({code(tree[1])}{'**' if kind == '^' else kind}{code(tree[2])})"


def by_python(tree):
    scope = {"ln": math.log, "sigmoid": lambda x: (1 + math.tanh(x / 2)) / 2, "float": float, "V": {**POINT, "e": math.e, "pi": math.pi}, "abs": abs}
    scope |= {name: getattr(math, name) for name in FUNCTIONS if hasattr(math, name)}
    try:
        result = eval(code(tree), scope)
    except (ArithmeticError, ValueError):
        return None
    return result if isinstance(result, float) and math.isfinite(result) else None


def inner_values(tree):
    parts = [part for part in tree[1:] if isinstance(part, tuple)]
    return [abs(value(tree, POINT)), *(x for part in parts for x in inner_values(part))]


@settings(max_examples=150)
@given(trees)
def test_a_formula_written_out_is_read_as_the_same_tree_with_pythons_value(tree):
    text = write(tree)
    if len(text) > LENGTH:
        return
    assert parse(text, NAMES) == tree
    got, expected = value_at(tree), by_python(tree)
    if "value" in got:
        assert expected is not None
        if max(inner_values(tree)) < 1e4:  # beyond, the sine of a rounded number is anything
            assert got["value"] == pytest.approx(expected, rel=1e-6, abs=1e-6)


@settings(max_examples=3)
@given(st.lists(trees, min_size=60, max_size=60))
def test_the_page_reads_and_values_random_formulas_as_python_does(forest):
    texts = [write(tree) for tree in forest]
    here = [read(text) for text in texts]
    assert in_page("read", [[text, NAMES] for text in texts]) == plain(here)
    kept = [one["tree"] for one in here if "tree" in one]
    mine, page = [value_at(tree) for tree in kept], in_page("valueAt", [[tree, POINT] for tree in kept])
    for tree, one, other in zip(kept, mine, page, strict=True):
        assert one.keys() == other.keys() and one.get("problem") == other.get("problem"), write(tree)
        if "value" in one and max(inner_values(tree)) < 1e4:
            assert other["value"] == pytest.approx(one["value"], rel=1e-9, abs=1e-9)


# ------------------------------------------------------------------------------------------------ reading
@pytest.mark.parametrize(("text", "written"), FORMULAS)
def test_formulas_are_read_as_meant(text, written):
    assert read(text).get("text") == written, read(text)


@pytest.mark.parametrize(("text", "said"), UNREAD)
def test_what_cannot_be_read_is_said_with_its_place(text, said):
    assert said in read(text).get("problem", ""), read(text)


def test_the_page_reads_and_refuses_in_the_same_words():
    texts = [text for text, _ in FORMULAS + UNREAD]
    assert in_page("read", [[text, NAMES] for text in texts]) == plain([read(text) for text in texts])


def test_the_page_reads_random_texts_as_python_does():
    chance, pieces = random.Random(2), ["x", "n", "m", "2", "3", "0,5", "1.5", "+", "-", "−", "*", "·", "/", "^", "**", "(", ")", " ", "²", "⁻¹", "exp", "ln(",
        "sqrt(", "√(", "σ₁", "sigma1", "λ", "e", "π", ",", ".", "=", "1e-3", "constructor", "toString(", "[", "😀", "_", "`", "nm", "x2"]  # fmt: skip
    texts = ["".join(chance.choices(pieces, k=chance.randint(1, 7))) for _ in range(4000)]
    mine = [read(text) for text in texts]
    assert sum("tree" in one for one in mine) > 200  # or the texts test nothing
    assert in_page("read", [[text, NAMES] for text in texts]) == plain(mine)


def test_length_and_depth_have_limits():
    assert "at most 200" in read("x+" * 100 + "x")["problem"]
    for deep in ("(" * DEPTH + "x", "-" * 150 + "x", "x^" * 90 + "x", "exp(" * 45):
        assert "nested too deeply" in read(deep)["problem"]
    assert "tree" in read("(" * (DEPTH - 1) + "x" + ")" * (DEPTH - 1)) and "tree" in read("+".join("x" * 100))
    assert "too large" in read("1e999*x")["problem"]


def test_no_value_is_told_with_the_part_that_has_none():
    said = {"1/(x - 0.5)": "divides by 0", "ln(x - 1)": "logarithm of a negative", "2*log2(0)": "`log2(0)` takes the logarithm of 0", "sqrt(lambda)": "square root",
            "(-x)^0.5": "broken power", "0^(0-1)": "divides by 0", "exp(exp(9))": "too large", "10^400": "too large"}  # fmt: skip
    for text, words in said.items():
        assert words in value_at(parse(text, NAMES)).get("problem", ""), text
    page = in_page("valueAt", [[parse(text, NAMES), POINT] for text in said])
    assert page == [value_at(parse(text, NAMES)) for text in said]


def test_nothing_is_evaluated_as_code():
    for text in ("__import__('os')", "x.real", "constructor", "x;x", "lambda: 1", "toString()", "exp", "x if x else n"):
        assert "problem" in read(text)
    for path in (Path("course_lib/formula").glob("*.py"), Path("course_lib/widgets/static").glob("formula*.js")):
        assert not any(re.search(r"\beval\(|new Function", file.read_text()) for file in path)


def test_names_are_shown_as_on_paper():
    assert [symbol(name) for name in ("sigma_1", "d_k", "lambda", "x_12")] == ["σ₁", "d_k", "λ", "x₁₂"] and listed(["x", "n"]) == "x and n"


def test_numbers_are_shown_alike():
    chance = random.Random(3)
    numbers = [0.0, -0.0, 0.25, -3, 1e-7, 123456.7, 1234567, 999999.7, 1e22, 5e-324, *(chance.gauss(0, 1) * 10 ** chance.randint(-9, 9) for _ in range(300))]
    assert in_page("figure", [[x] for x in numbers]) == [figure(x) for x in numbers]
    assert [figure(x) for x in numbers[:6]] == ["0", "0", "0.25", "−3", "1e−7", "123457"]


# ------------------------------------------------------------------------------------------------ the exercise
def logistic(**more):
    given = {"id": "slope", "question": "The slope of s = sigmoid(x), in s?", "answer": "s*(1 - s)", "variables": {"s": (0, 1)}, "left": "ds/dx"}
    mistakes = [("1 - s", "that is only one factor"), ("ln(s - 0.5)", "no logarithm here"), ("s*(1 + s)", "a sign")]
    return Formula(**{**given, "mistakes": mistakes, "hints": HINTS, "solution": "s(1 − s)", **more})


@pytest.mark.parametrize("right", ["s(1-s)", "s − s²", "(1-s)*s", "1/4 - (s-1/2)^2", "s*sqrt((1-s)^2)", "exp(ln(s)+ln(1-s))", "-s*(s-1)", "0,5*2s(1-s)"])
def test_equivalent_forms_are_right(right):
    assert logistic().check(right).correct


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("1-s", "only one factor"),
        ("log(s-1/2)", "no logarithm"),
        ("s(s-1)", "the sign is not"),
        ("2s(1-s)", "2 times the answer"),
        ("s(1-s)+1/4", "the answer + 0.25"),
        ("1/(s(1-s))", "reciprocal"),
        ("0.995*s*(1-s)*s^0.001", "exact numbers"),
        ("sqrt(s-2)", "no value where"),
        ("s", "Not yet. A hint"),
    ],
)
def test_a_wrong_formula_is_told_with_its_failing_case(wrong, said):
    verdict = logistic().check(wrong)
    assert not verdict.correct and verdict.counts and said in verdict.message
    assert verdict.detail.startswith("At s = 0.") and verdict.detail.endswith(".") and "expected 0." in verdict.detail


def test_the_failing_case_can_be_followed():
    exercise = Formula(id="add", question="n + m?", answer="n + m", variables={"n": range(2, 9), "m": range(2, 9)}, hints=HINTS, solution="n + m")
    n, m = next((n, m) for n, m in exercise.points if n + m != n * m)
    assert exercise.check("n m").detail == f"At n = {n}, m = {m} your formula gives {n * m}, expected {n + m}."
    assert all(x in range(2, 9) for point in exercise.points for x in point)


@pytest.mark.parametrize("answer", ["", "s*(", "q", None, 3, "x" * 300])
def test_what_cannot_be_read_is_no_try(answer):
    assert logistic().check(answer).counts is False


def test_points_follow_from_the_id_and_lie_inside():
    one = logistic()
    assert one.points == logistic().points != logistic(id="other").points
    assert all(0 < s < 1 and round(s, 2) == s for (s,) in one.points)
    assert [s for (s,) in one.points] == [0.2, 0.81, 0.32, 0.94, 0.47, 0.79, 0.45, 0.22]  # in every process and version


def test_an_answer_may_have_no_value_at_the_ends_of_its_interval():
    for number in range(100):  # of 800 points rounded to two digits, one in a hundred comes to an end
        logistic(id=f"ends-{number}", answer="ln(s) + ln(1 - s)", mistakes=())


@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"answer": "s*("}, "answer .* cannot be read"),
        ({"answer": "ln(-s)"}, "answer must have a finite value"),
        ({"mistakes": [("s - s^2", "same")]}, "same as the answer"),
        ({"mistakes": [("s", "one"), ("2*s/2", "two")]}, "same as the answer or as an earlier"),
        ({"mistakes": [("q", "one")]}, "a mistake 'q' cannot be read"),
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


def test_the_page_judges_formulas_as_python_does():
    exercise = logistic()
    spec = json.loads(json.dumps(exercise.spec(), allow_nan=False))
    texts = ["s(1-s)", "1-s", "log(s-1/2)", "s(s-1)", "2s(1-s)", "s(1-s)+0.25", "s(1-s)-7", "1/(s(1-s))", "0.999*s*(1-s)*s^0.001", "s*(1-s)*s^0.05", "sqrt(s-2)", "s", "", "s*(", "s/0", "1e-300*s/1e300", "0", "s - s^2 + 1e-8"]  # fmt: skip
    page = in_page("check", [[spec, text] for text in texts])
    for text, got in zip(texts, page, strict=True):
        mine = exercise.check(text)
        assert (got["correct"], got["message"], got["detail"], got["counts"]) == (mine.correct, mine.message, mine.detail, mine.counts), text
