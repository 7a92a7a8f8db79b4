"""Spectrum: its eigenvalues against NumPy, its laws against course_lib.spectra, its words, and what it refuses."""

import itertools

import numpy as np
import pytest

from course_lib.graphs.random import Generator
from course_lib.spectra import DIVISORS, FORMS, MOMENTS, Ensemble, law_distance
from course_lib.widgets import Spectrum
from tests.shared.graph_node import call, codec, float64, js, pieces

DEFAULT = Spectrum(60).get_state(Spectrum._settings)


EIGEN, BINS, ENSEMBLE = (js(f"spectrum/{name}.js") for name in ("eigen", "bins", "ensemble"))
SOLVE, SAID = js("spectrum/solve.js").solve, js("spectrum/words.js")


def look(state):
    """What the page sees of these settings, and says."""
    values = SOLVE(state).values
    found = SAID.seen(state, {"values": values})
    hist = BINS.bins(values, found.law)
    told = {"told": SAID.told(state, found), "formula": SAID.formula(state)}
    return js().Object.assign({"values": values, "hist": hist, "top": BINS.top(hist, found.law), **told}, found)


# ---- the algorithms
def matrices():
    """Matrices [n, n] by name: random ones, and those on which such iterations have failed."""
    g = np.random.default_rng(5)
    for n in (1, 2, 3, 5, 24, 70):
        yield f"random {n}", g.standard_normal((n, n))
    yield "zero", np.zeros((4, 4))
    yield "identity", np.eye(5)
    yield "diagonal", np.diag([3.0, -1.0, 0.0, 7.0, -1.0])
    yield "ones", np.ones((6, 6))
    yield "cycle", np.roll(np.eye(6), 1, axis=1)  # all eigenvalues of one size: needs the exceptional shift
    yield "rotation", np.kron(np.eye(3), [[0.0, 1.0], [-1.0, 0.0]])
    yield "Jordan", np.diag(np.full(4, 2.0)) + np.diag(np.ones(3), 1)
    yield (
        "Jordan below",
        np.diag(np.full(4, 2.0)) + np.diag([1.0, 0.0, 1.0], -1),
    )  # two equal eigenvalues beside each other
    yield "triangular", np.triu(g.standard_normal((8, 8)))
    yield "graded", np.outer(10.0 ** -np.arange(8), 10.0 ** -np.arange(8)) * g.standard_normal((8, 8))
    yield "rank 2", g.standard_normal((9, 2)) @ g.standard_normal((2, 9))
    yield "small", 1e-150 * g.standard_normal((6, 6))


NAMED = dict(matrices())


@pytest.mark.parametrize("name", NAMED)
def test_eigenvalues_and_singular_values_are_numpys(name):
    A = NAMED[name]
    S = A + A.T
    asked = {"symmetric": S, "singular": A, "general": A}
    symmetric, singular, general = call(
        *(EIGEN[kind](float64(M.ravel().tolist()), len(M)) for kind, M in asked.items())
    )
    scale = max(np.abs(A).sum(), 1e-300)
    np.testing.assert_allclose(symmetric, np.linalg.eigvalsh(S), atol=1e-13 * scale)
    np.testing.assert_allclose(singular, np.linalg.svd(A, compute_uv=False)[::-1], atol=1e-13 * scale)
    values = np.array(general["re"]) + 1j * np.array(general["im"])
    wanted, tolerance = (
        np.linalg.eigvals(A),
        (1e-3 if name == "Jordan" else 1e-11) * scale,
    )  # a Jordan block of 4: rounding to the power 1/4
    for value in values:  # conjugates may come in any order: each has its partner, and is taken away
        nearest = np.abs(wanted - value).argmin()
        assert abs(wanted[nearest] - value) <= tolerance
        wanted = np.delete(wanted, nearest)


CASES = [dict(zip(("entries", "form", "values", "centre"), case, strict=True)) for case in itertools.product(
    MOMENTS, FORMS, ("eigenvalues", "singular values"), (False, True))]  # fmt: skip


def drawn(state):
    """The same matrix in NumPy."""
    n, generator = state["n"], Generator(state["seed"])
    W = (generator.normal if state["entries"] == "gaussian" else generator.uniform)(n * n).reshape(n, n)
    W = 2 * W - 1 if state["entries"] == "centred" else W
    W = W - (0.5 if state["centre"] and state["entries"] == "uniform" else 0)
    W = np.tril(W) + np.tril(W, -1).T if state["form"] == "symmetric" else W
    matrix = W @ W.T if state["form"] == "product" else W
    return matrix / {"none": 1, "root": np.sqrt(n), "full": n}[state["divisor"]]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case.values())))
@pytest.mark.parametrize("divisor", DIVISORS)
def test_the_page_computes_what_numpy_and_the_ensemble_say(case, divisor):  # G3.1
    state = DEFAULT | case | {"divisor": divisor, "seed": 11}
    ensemble = Ensemble(state["n"], state["entries"], state["form"], divisor)
    singular, disc = (
        state["values"] == "singular values",
        state["form"] == "general" and state["values"] == "eigenvalues",
    )
    law = ensemble.singular_law if singular else ensemble.law
    xs = np.linspace(law.support[0] - 0.1, law.support[1] * 1.1, 41)
    shape = ENSEMBLE.law(state)
    seen, ends, cdf, density = call(
        look(state),
        [shape.low, shape.high],
        *(js().Array["from"](xs.tolist(), shape[name]) for name in ("cdf", "density")),
    )
    matrix = drawn(state)
    values = (
        np.linalg.svd(matrix, compute_uv=False)[::-1]
        if singular
        else np.abs(np.linalg.eigvals(matrix))
        if disc
        else np.linalg.eigvalsh(matrix)
    )
    np.testing.assert_allclose(seen["values"], np.sort(values), atol=1e-10 * max(values))
    assert ends == pytest.approx(law.support)
    np.testing.assert_allclose(cdf, law.cdf(xs), atol=1e-7)
    inside = (xs > law.support[0]) & (xs < law.support[1])
    np.testing.assert_allclose(np.array(density)[inside], law.density(xs[inside]), rtol=1e-10)
    assert seen["gap"] == pytest.approx(law_distance(values, law), abs=1e-7)
    if state["centre"] or state["entries"] != "uniform":
        assert seen["predicted"] is None and seen["formula"] == ""
        return
    wanted = (
        Ensemble(state["n"], "uniform", "product", "none").outlier ** 0.5 / ensemble.divided_by
        if singular and state["form"] == "general"
        else ensemble.outlier
    )
    assert seen["predicted"] == pytest.approx(wanted)
    # The place fluctuates by about √2 σ (of W Wᵀ: twice the root times that), and every other value stays with the law.
    root = ensemble.n / 2
    noise = 4 * np.sqrt(2 / 12) * (2 * root if state["form"] == "product" else 1) / ensemble.divided_by
    assert abs(seen["largest"] - wanted) < noise
    assert seen["within"] == state["n"] - 1 and "stands apart" in seen["told"]


def test_the_work_is_cut_into_pieces():
    for more in ({}, {"form": "general"}, {"form": "general", "values": "singular values"}):
        assert pieces(SOLVE, DEFAULT | more) >= 58, more  # one a column at least: a hundredth of the work or so


def test_bars_are_numpys_and_hold_all_but_the_outlier():
    for more in ({}, {"entries": "uniform"}, {"form": "product", "divisor": "full"}):
        (seen,) = call(look(DEFAULT | more))
        hist, values = seen["hist"], np.array(seen["values"])
        edges = hist["low"] + hist["width"] * np.arange(len(hist["heights"]) + 1)
        np.testing.assert_allclose(hist["heights"], np.histogram(values, edges)[0] / (len(values) * hist["width"]))
        assert np.sum(hist["heights"]) * hist["width"] >= (DEFAULT["n"] - 1.5) / DEFAULT["n"]
        assert seen["top"] >= max(hist["heights"])


def test_the_strip_holds_both_places():
    for found, predicted in ((7.06, 7.07), (5.0, 5.0), (706, 710)):
        [(low, high)] = call(BINS.apart(found, predicted))
        assert low < min(found, predicted) <= max(found, predicted) < high


def test_words_say_what_is_seen():
    plain, apart, disc, product, shrunk = (seen["told"].replace("\u00a0",
        " ") for seen in call(*(look(DEFAULT | more) for more in (
        {}, {"entries": "uniform"}, {"form": "general"}, {"form": "product", "divisor": "none"},
        {"divisor": "full"}))))  # fmt: skip
    gap = law_distance(np.linalg.eigvalsh(drawn(DEFAULT)), Ensemble(60).law)
    assert plain == (
        "All 60 eigenvalues lie in the support of the semicircle law, from −2 to 2, or within 5 % of it; with "
        "this scaling its edges do not "
        f"depend on n. The share of values up to x differs from the law's by {gap:.2g} at most (Kolmogorov–Smirnov)."
    )
    largest = np.linalg.eigvalsh(drawn(DEFAULT | {"entries": "uniform"}))[-1]
    assert (
        f"One stands apart at {largest:.4g}: the mean of the entries, μ = 0.5, predicts {(30 + 1 / 6) / 60**0.5:.4g}."
        in apart
    )
    assert (
        "59 of the 60" in apart
        and "disc of radius 1 of the circular law" in disc
        and "its edges grow like n." in product
    )
    assert "its edges shrink like 1/√n." in shrunk


# ---- Python's side
def test_the_page_knows_what_python_knows():
    moments, short = call(ENSEMBLE.MOMENTS, codec("spectrum", "values").write("singular values"))
    assert {name: tuple(pair) for name, pair in moments.items()} == MOMENTS and short == "singular"
    assert [tuple(Spectrum._settings[name]["takes"]) for name in ("entries", "form", "divisor")] == [
        tuple(MOMENTS),
        FORMS,
        DIVISORS,
    ]
