"""MeasurePlayground: its JavaScript against course_lib.incontext; blur against its closed form; splitting; what is told
and refused."""

import itertools
import math
from functools import cache

import numpy as np
import pytest

from course_lib.graphs.random import Generator, normal_quantile
from course_lib.incontext import Heads, Measure, attention, blurred, compose, gamma, moved
from course_lib.widgets import MeasurePlayground
from tests.shared.graph_node import call, codec, exports, float64, js, pieces

EYE, TURN, MINUS = [[1.0, 0.0], [0.0, 1.0]], [[0.0, 1.0], [-1.0, 0.0]], [[-1.0, 0.0], [0.0, -1.0]]
DEFAULT = MeasurePlayground().get_state(MeasurePlayground._settings)
FIVE = DEFAULT["tokens"]
OTHER = [[0.3, -1.2], [0.7, 2.0]], [[-0.25, 1.1], [0.4, -0.9]]
CASES = [
    {},
    {"layers": 6, "heads": [[EYE, MINUS], [TURN, [[0.5, 0.1], [0, 0.5]]]]},
    {"layers": 4, "pushed": False},
    {"layers": 2, "heads": [list(OTHER)] * 3, "step": 0.1, "scale": 0.3, "tokens": [[-4.0, 4.0, 0.01], [4.0, 4.0, 10.0],
    [1.0, 0.0, 0.5]]},
    {"layers": 2, "heads": [[[[2.0, 0.0], [0.0, 2.0]], EYE]], "scale": 5.0, "step": 1.0},  # scores of some thousands
    {"layers": 3, "heads": [[[[0.0, 0.0], [0.0, 0.0]], EYE]], "tokens": [[1.0, 2.0, 3.0]]},
]  # fmt: skip
PLACES = [[0.0, 0.0], [-3.0, 3.0], [1.3, -0.2], [2.5, 2.9]]
PAGE, SAID = (
    exports("measure_playground", "hermite", "measure", "plane", "presets", "sample"),
    js("measure_playground/words.js"),
)


def plain(mu):
    """Places and shares of a measure in the page."""
    return {"x": mu.x, "p": js().Array["from"](mu.log, js().Math.exp)}


def flow(state):
    """Behind each layer the grid's places, and the measure."""
    steps = PAGE.flow(state, PAGE.measure(state), PAGE.grid(), state["layers"])
    return [{"x": steps[k].x, "mu": plain(steps[k].mu)} for k in range(state["layers"] + 1)]


def rates(state):
    errors = PAGE.rates(state, PAGE.measure(state), PAGE.grid(), flow(state)[-1]["x"])
    return {"errors": errors, "power": PAGE.exponent(errors)}


OF_STATES = {
    "flow": flow, "rates": rates,
    "seen": lambda state: PAGE.flow(state, PAGE.measure(state), PAGE.grid(), state["layers"], False).at(-1).x,
    "gamma": lambda state, x=None: PAGE.gamma(float64(x) if x else PAGE.grid(), PAGE.measure(state), state),
    "nodes": lambda state: plain(PAGE.quadrature(PAGE.measure(state))),
    "quadratureError": lambda state: PAGE.quadratureError(state, PAGE.measure(state), PAGE.grid()),
    "sample": lambda state: plain(PAGE.sample(PAGE.measure(state), state["n"],
    js().Reflect.construct(js("runtime/random.js").Generator, [state["seed"]]))),
    "drawn": lambda state: PAGE.drawn(state, PAGE.measure(state), PAGE.grid()),
    "moments": lambda state: PAGE.moments(PAGE.measure(state)),
    "stretch": lambda state: PAGE.stretch(PAGE.measure(state), state),
    "words": lambda name, *given: SAID[name](*given),
}  # fmt: skip


def ask(*questions):
    return call(*((OF_STATES.get(name) or PAGE[name])(*given) for name, *given in questions))


def points(flat):
    return np.reshape(flat, (-1, 2))


@cache
def grid() -> np.ndarray:
    """The page's 30 × 30 places over [-3, 3]²."""
    along = np.linspace(-3, 3, 30)
    return np.stack(np.meshgrid(along, along), -1).reshape(-1, 2)


def measure(state):
    tokens = np.array(state["tokens"])
    return Measure(tokens[:, :2], tokens[:, 2] / tokens[:, 2].sum())


def heads(state):
    """The step ε belongs to the values: W_O is ε times the identity."""
    S, M = np.array(state["heads"], dtype=float).swapaxes(0, 1)
    eye = np.broadcast_to(np.eye(2), S.shape)
    return Heads(S, eye, M, state["step"] * eye, scale=state["scale"])


def composed(state):
    """Γ ⋄ … ⋄ Γ (or, not pushed, every layer at the start's measure) by Python, as a map of measure and places."""
    layer = attention(heads(state))
    if state["layers"] == 0:
        return lambda mu, x: x
    whole = layer
    for _ in range(state["layers"] - 1):
        whole = compose(layer, whole) if state["pushed"] else (lambda mu, x, before=whole: layer(mu, before(mu, x)))
    return whole


# ---- the field
@pytest.mark.parametrize("more", CASES, ids=range(len(CASES)))
def test_grid_and_tokens_are_those_of_python(more):  # B4
    state = DEFAULT | more
    [steps] = ask(["flow", state])
    mu, layer, x = measure(state), attention(heads(state)), grid()
    np.testing.assert_allclose(points(ask(["grid"])[0]), x, atol=1e-14)
    assert len(steps) == state["layers"] + 1
    carried = mu
    for k, step in enumerate(steps):
        if k:
            seen = carried if state["pushed"] else mu
            x, carried = layer(seen, x), carried.push(lambda atoms, seen=seen: layer(seen, atoms))
        size = 1 + abs(x).max()
        np.testing.assert_allclose(points(step["x"]), x, rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(points(step["mu"]["x"]), carried.atoms, rtol=0, atol=1e-10 * size)
        np.testing.assert_allclose(step["mu"]["p"], carried.weights, rtol=1e-12)
    np.testing.assert_allclose(x, composed(state)(mu, grid()), atol=1e-10 * size)
    [seen] = ask(["seen", state])  # the measure after the last layer is left out: the places are the same
    np.testing.assert_array_equal(seen, steps[-1]["x"])


def test_huge_scores_stay_finite():  # B4
    state = DEFAULT | CASES[4]
    far = [[1e3, 0.0], [0.0, -1e3]]  # scores of ±1.6 · 10⁴
    [got] = ask(["gamma", state, np.ravel(far).tolist()])
    np.testing.assert_allclose(points(got), gamma(measure(state), np.array(far), heads(state)), rtol=1e-12)
    np.testing.assert_allclose(points(got), [[1001.5, 1.0], [-0.5, -1001.0]], rtol=1e-12)  # all the weight on one token


def test_a_split_token_changes_nothing():  # B4
    half = [[-1.5, 0.5, 0.5], [-1.5, 0.5, 0.5], *FIVE[1:]]
    state = DEFAULT | {"layers": 3}
    whole, split = ask(["flow", state], ["flow", state | {"tokens": half}])
    np.testing.assert_allclose(split[-1]["x"], whole[-1]["x"], atol=1e-13)
    scaled, turned = ask(
        ["flow", state | {"tokens": [[x, y, 3 * w] for x, y, w in FIVE]}], ["flow", state | {"tokens": FIVE[::-1]}]
    )
    for same in (scaled, turned):
        np.testing.assert_allclose(same[-1]["x"], whole[-1]["x"], atol=1e-13)
    [moved_] = ask(["flow", state | {"tokens": [[-1.5, 0.5, 2.0], *FIVE[1:]]}])
    assert abs(np.subtract(moved_[-1]["x"], whole[-1]["x"])).max() > 0.05  # another weight is another measure


@pytest.mark.parametrize(
    "more",
    [*CASES, {"blur": 0.6}, {"blur": 1.2, "heads": [[EYE, MINUS], list(OTHER)], "step": 0.7}],
    ids=range(len(CASES) + 2),
)
def test_the_largest_stretch_is_that_of_the_layers_own_derivative(more):
    """By small steps of every token through Γ itself, blurred ones through the closed form's linear term."""
    state = DEFAULT | more
    mu, layer = measure(state), heads(state)
    linear = state["blur"] ** 2 * sum(C @ M for C, M in zip(layer.scoring, layer.writing, strict=True))
    most = 0.0
    for x in mu.atoms:
        steps = [
            (gamma(mu, [x + u], layer) - gamma(mu, [x - u], layer)) / 2e-5 + u @ linear / 1e-5 for u in 1e-5 * np.eye(2)
        ]
        most = max(most, np.linalg.norm(np.concatenate(steps), 2))
    assert ask(["stretch", state]) == [pytest.approx(most, rel=1e-5)]


# ---- the blur
@pytest.mark.parametrize("sigma", [0.3, 1.0])
def test_blur_is_a_linear_map_more(sigma):  # B4
    """Γ of the mixture of Gaussians by its closed form, against 40 × 40 Gauss–Hermite nodes a token."""
    state = DEFAULT | {"blur": sigma, "heads": [[EYE, TURN], [[[0.4, -0.2], [0.1, 0.3]], MINUS]]}
    x = np.array(PLACES)
    [got, plain] = ask(
        ["gamma", state, np.ravel(PLACES).tolist()], ["gamma", state | {"blur": 0.0}, np.ravel(PLACES).tolist()]
    )
    np.testing.assert_allclose(points(got), gamma(blurred(measure(state), sigma, nodes=40), x, heads(state)), atol=1e-9)
    layer = heads(state)
    linear = sigma**2 * sum(C @ M for C, M in zip(layer.scoring, layer.writing, strict=True))
    np.testing.assert_allclose(points(got) - points(plain), x @ linear, atol=1e-12)


def test_the_nodes_are_python_s_and_their_error_is_told():
    state = DEFAULT | {"blur": 0.5, "layers": 3}
    [nodes, steps, error, rule] = ask(["nodes", state], ["flow", state], ["quadratureError", state], ["hermite", 9])
    wanted = blurred(measure(state), 0.5, nodes=9)
    np.testing.assert_allclose(points(nodes["x"]), wanted.atoms, atol=1e-12)
    np.testing.assert_allclose(nodes["p"], wanted.weights, rtol=1e-10)
    x, w = np.polynomial.hermite_e.hermegauss(9)
    np.testing.assert_allclose(rule["nodes"], x, atol=1e-13)
    np.testing.assert_allclose(rule["weights"], w / w.sum(), rtol=1e-11)
    # the first layer exact, the later ones at the images of the nodes
    layer, x = attention(heads(state)), grid()
    first = ask(["gamma", state])[0]
    np.testing.assert_allclose(points(steps[1]["x"]), points(first), atol=1e-13)
    carried = wanted.push(lambda atoms: points(ask(["gamma", state, np.ravel(atoms).tolist()])[0]))
    np.testing.assert_allclose(points(steps[2]["x"]), layer(carried, points(first)), atol=1e-10)
    np.testing.assert_allclose(
        points(steps[3]["x"]), layer(moved(layer, carried), layer(carried, points(first))), atol=1e-10
    )
    off = np.linalg.norm(gamma(wanted, x, heads(state)) - points(first), axis=1).max()
    assert error == pytest.approx(off, rel=1e-3) and off < 1e-8
    # many more nodes give the same third layer: the page's nine an axis are enough here
    fine = blurred(measure(state), 0.5, nodes=20)
    np.testing.assert_allclose(composed(state)(fine, x), points(steps[3]["x"]), atol=1e-6)


def test_nodes_never_exceed_their_budget():
    counts = ask(*(["nodesPerAxis", n] for n in range(1, 201)))
    assert counts[0] == 9 and counts[-1] == 3 and all(a >= b for a, b in itertools.pairwise(counts))
    assert all(n * count**2 <= 1800 for n, count in enumerate(counts, 1))


# ---- n against the limit
@pytest.mark.parametrize("sigma", [0.0, 0.6])
def test_drawn_tokens_are_python_s(sigma):
    state = DEFAULT | {"blur": sigma, "n": 200, "seed": 11, "layers": 2}
    [got, landed] = ask(["sample", state], ["drawn", state])
    u = Generator(11).uniform(600).reshape(200, 3)
    mu = measure(state)
    which = np.searchsorted(np.cumsum(mu.weights), u[:, 0], side="right")
    X = mu.atoms[which] + sigma * normal_quantile(u[:, 1:])
    np.testing.assert_allclose(points(got["x"]), X, atol=1e-14)
    np.testing.assert_allclose(points(landed), composed(state)(Measure(X), grid()), atol=1e-10)


def test_the_error_falls_like_the_square_root():  # B4
    blurry = DEFAULT | {"blur": 0.5}
    found, counts, draws = call(rates(blurry), PAGE.COUNTS, PAGE.DRAWS)
    assert counts == [10, 30, 100, 300, 1000] and draws == 4
    slope = np.polyfit(np.log(counts), np.log(found["errors"]), 1)[0]
    assert found["power"] == pytest.approx(slope, rel=1e-10) and -0.62 < slope < -0.38
    assert found["errors"][0] > 4 * found["errors"][-1]
    powers = [each["power"] for each in ask(*(["rates", blurry | {"seed": seed}] for seed in range(1, 9)))]
    assert np.mean(powers) == pytest.approx(-0.5, abs=0.06)
    [one] = ask(["rates", DEFAULT | {"tokens": [[1.0, 1.0, 1.0]]}])
    assert one["errors"] == [0] * 5 and one["power"] is None  # all draws are the one token


# ---- measures, presets, words
def test_moments_and_distances():
    [found], mu = ask(["moments", DEFAULT | {"blur": 0.7}]), measure(DEFAULT)
    mean = mu.weights @ mu.atoms
    assert found["mean"] == pytest.approx(mean) and found["spread"] == pytest.approx(
        math.sqrt(mu.weights @ ((mu.atoms - mean) ** 2).sum(1) + 2 * 0.49)
    )
    assert call(PAGE.apart(float64([0, 0, 1, 1, 2, 0]), float64([0, 0, 4, 5, 2, 1]))) == [
        {"most": 5, "rms": pytest.approx(math.sqrt(26 / 3)), "where": 1}
    ]


def test_presets_do_what_their_words_say():
    (layers, measures), x = call(PAGE.LAYERS, PAGE.MEASURES), grid()

    def size(measure):
        places, shares = points(measure["x"]), measure["p"]
        return math.sqrt(
            np.average(((places - np.average(places, axis=0, weights=shares)) ** 2).sum(1), weights=shares)
        )

    def spread(name, count=6):
        [steps] = ask(
            ["flow", DEFAULT | {key: layers[name][key] for key in ("heads", "scale", "step")} | {"layers": count}]
        )
        return [size(step["mu"]) for step in steps], steps

    sizes, steps = spread("consensus")
    assert (
        all(np.diff(sizes) < 0)
        and np.linalg.norm(points(steps[-1]["mu"]["x"]), axis=1).max()
        < np.linalg.norm(np.array(FIVE)[:, :2], axis=1).max() * 0.75
    )
    assert all(np.diff(spread("repulsion")[0]) > 0)
    cross = points(ask(["flow", DEFAULT | {"layers": 1}])[0][1]["mu"]["x"])
    start = np.array(FIVE)[:, :2]
    assert (
        np.average(start[:, 0] * cross[:, 1] - start[:, 1] * cross[:, 0], weights=[1, 1, 2, 1, 1]) > 0
    )  # anticlockwise
    sizes, steps = spread("translation", 1)
    assert sizes[0] == pytest.approx(sizes[1]) and points(steps[1]["x"]) - x == pytest.approx(
        np.tile(-measure(DEFAULT).weights @ start, (900, 1))
    )
    moves = points(spread("winner takes all", 1)[1][1]["x"]) - x
    near = np.linalg.norm(moves[:, None] - 0.5 * start, axis=2).min(1)
    assert np.mean(near < 0.01) > 0.75 and np.mean(near < 0.1) > 0.85  # nearly every place moves by half of one token
    named = ask(
        *(["measureOf", {"tokens": tokens}] for tokens in measures.values()),
        *(["layerOf", each] for each in layers.values()),
    )
    assert named == [*measures, *layers]
    for tokens in measures.values():
        MeasurePlayground(tokens)
    for each in layers.values():
        MeasurePlayground(heads=each["heads"], scale=each["scale"], step=each["step"])
    assert ask(["layerOf", DEFAULT], ["measureOf", DEFAULT]) == ["rotation", "five tokens"]
    assert len(measures["three clouds, 200"]) == 200


def test_words():
    before, after = {"mean": [0.25, 0], "spread": 1.5}, {"mean": [0.5, 0.125], "spread": 1.25}
    facts = {"layers": 2, "before": before, "after": after, "move": {"most": 1.234, "rms": 0.5}, "from": [3, -3]}
    told, begun, ring, blurred_, one = ask(
        ["words", "told", DEFAULT, facts], ["words", "told", DEFAULT, facts | {"layers": 0}], ["words", "told",
        DEFAULT | {"pushed": False, "scale": 1}, facts],
        ["words", "blurred", DEFAULT | {"blur": 0.5}, 2, 405, 1e-9], ["words", "told", DEFAULT | {"tokens": FIVE[:1]},
        facts | {"layers": 1}],
    )  # fmt: skip
    assert told.startswith(
        "After 2 layers, each looking at the measure that the one before has pushed forward, the grid's places "
        "have moved by 0.5 (root mean square)"
    )
    assert (
        "at most by 1.23, from (3, −3)" in told
        and "from (0.25, 0) to (0.5, 0.125)" in told
        and "the spread from 1.5 to 1.25." in told
        and "“rotation”" in told
    )
    assert (
        "No layer has moved anything yet." in begun
        and "each looking at the measure of the start" in ring
        and "layer “" not in ring
    )
    assert (
        "405 nodes" in blurred_
        and "10⁻⁹" in blurred_
        and "After 1 layer, the grid's" in one
        and "The mean of 1 token went" in one
    )
    split, nodes = ask(["words", "split", 1, 0.5, 2e-16], ["words", "split", 1, 0.5, 1e-6])
    assert (
        split.startswith("Token 2 is now two tokens of weight 0.5 in one place. The field has not changed")
        and "nodes' error only" in nodes
    )
    drawn, rate, none = ask(
        ["words", "sampled", DEFAULT, {"most": 0.2, "rms": 0.1}],
        ["words", "rate", -0.48, [0.5, 0.1]],
        ["words", "rate", None, [0, 0]],
    )
    assert "With 100 tokens drawn" in drawn and "−0.48" in rate and "no error" in none


def test_the_picture_holds_the_tokens():
    near, far = ask(["extentFor", [1, 1]], ["extentFor", [0, 50, 0, 5]])
    assert near["extent"] == 4 and near["outside"] == 0 and far["extent"] < 20 and far["outside"] == 1
    assert ask(["heavier", 1, True], ["heavier", 1.25, False], ["heavier", 10, True], ["heavier", 0.01, False]) == [
        1.25,
        1,
        10,
        0.01,
    ]


def test_the_work_is_cut_into_pieces():
    """About 8,000 exponentials between two pauses, so that the page draws in between."""
    state = DEFAULT | {"tokens": [[0.01 * k, 0, 1] for k in range(200)], "layers": 2}
    assert pieces(PAGE.flow, state, PAGE.measure(state), PAGE.grid(), 2) == 2 * (
        math.ceil(900 / 40) + math.ceil(200 / 40)
    )


# ---- the tokens in a link, and Python's side
def linked(way, *values):
    return call(*(codec("measure_playground", "tokens")[way](value) for value in values))


def test_tokens_come_back_from_the_address():
    many = [[0.25, -4, 0.01], [4, 0, 10]] * 100
    text, few = linked("write", many, [[0, 1, 2.5]])
    assert linked("read", text) == [many] and few == "0,1,2.5"
    bad = ["", "1,2", "1,2,0", "5,0,1", "0,0,1,", "0,0,x", "0,0,Infinity", ",".join(["0,0,1"] * 201)]
    assert linked("read", *bad) == [None] * len(bad)
