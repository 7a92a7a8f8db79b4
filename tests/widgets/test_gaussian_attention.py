"""GaussianAttention: its JavaScript against course_lib.gaussian, layer by layer; what overflows is told; what it
refuses."""

import itertools
import math
from typing import NamedTuple

import numpy as np
import pytest

from course_lib.gaussian import Gaussian, Heads, affine, attend_particles, push
from course_lib.graphs.random import Generator
from course_lib.widgets import GaussianAttention
from tests.shared.graph_node import call, exports, js, node, pieces

TURN = [[0.0, 1.0], [-1.0, 0.0]]
EYE = [[1.0, 0.0], [0.0, 1.0]]
DEFAULT = GaussianAttention(n=60, layers=3).get_state(GaussianAttention._settings)
CASES = [
    {},
    {"matched": True, "seed": 9999, "angle": -145.0, "spread": [0.05, 3.0]},
    {"heads": [[EYE, [[-0.6, 0], [0, -0.6]]], [TURN, [[0.5, 0.1], [0, 0.5]]]], "step": 0.5, "layers": 8, "seed": 3},
    {"heads": [[[[0.3, -1.2], [0.7, 2.0]], [[-0.25, 1.1], [0.4, -0.9]]]] * 3, "scale": 0.2, "step": 0.07, "layers": 5,
    "n": 10, "mean": [-4.0, 4.0]},
    {"heads": [[[[0, 0], [0, 0]], EYE]], "layers": 4, "step": 1.0},
    {"heads": [[EYE, EYE]], "step": 0.9, "scale": 3.0, "layers": 2, "n": 50},
    {"layers": 0},
]  # fmt: skip


class Layer(NamedTuple):
    """After so many layers: the closed form, the particles, the map I + εB that made it, what a query rested on."""

    closed: Gaussian
    particles: np.ndarray
    A: np.ndarray | None = None
    effective: float | None = None


PAGE = exports("gaussian_attention", "maps", "chart", "particles", "plane", "words")
HEADS = js("drawing/heads.js")


def ask(*questions):
    return call(*(PAGE[name](*given) for name, *given in questions))


def words(*states):
    """What is said of each state, and whether its picture leaves something outside."""
    found = ask(*(["path", state] for state in states), *(["swarm", state] for state in states))
    asked = []
    for state, path, flock in zip(states, found, found[len(states) :], strict=False):
        shown = min(state["layers"], len(path["clouds"]) - 1, len(flock["steps"]) - 1)
        cloud, seen = path["clouds"][shown], flock["steps"][shown]
        outside = PAGE.extentFor(path["clouds"][0], seen["x"], cloud).outside
        told = {
            "told": PAGE.told(state, shown, cloud, seen),
            "ended": PAGE.ended(state, shown, path["end"], flock["end"]),
        }
        asked.append(
            {"shown": shown, "outside": outside, "pictured": PAGE.pictured(state, cloud, seen, outside), **told}
        )
    return call(*asked)


def start(state):
    """Mean, covariance and sample of the start, by matrices and Cholesky, not as the page does it."""
    turn = math.radians(state["angle"])
    R = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
    root = np.diag(state["spread"]) @ R  # z @ root has the covariance rootᵀ root
    z = Generator(state["seed"]).normal(2 * state["n"]).reshape(-1, 2)
    if state["matched"]:
        z = z - z.mean(0)
        z = np.linalg.solve(np.linalg.cholesky(z.T @ z / len(z)), z.T).T
    return Gaussian(np.array(state["mean"]), root.T @ root), np.array(state["mean"]) + z @ root


def layer(state):
    S, M = np.array(state["heads"], dtype=float).swapaxes(0, 1)
    eye = np.broadcast_to(np.eye(2), S.shape)
    return Heads(S, eye, M, eye, scale=state["scale"])


def layers_of(state):
    """Layers 0 … state["layers"] by course_lib."""
    cloud, x = start(state)
    heads, step = layer(state), state["step"]
    yield Layer(cloud, x)
    for _ in range(state["layers"]):
        A, looked = affine(heads, cloud, step=step).A, attend_particles(x, heads, step=step)
        cloud, x = push(cloud, heads, step=step), looked.output
        yield Layer(cloud, x, A, float(looked.effective.mean()))


def errors_of(one):
    """How far the particles are from the closed form: the mean as a share of √trace Σ, the covariance (Frobenius) of
    the size of Σ."""
    cloud, x, *_ = one
    covariance = np.linalg.norm(np.cov(x.T, bias=True) - cloud.covariance) / np.linalg.norm(cloud.covariance)
    return float(np.linalg.norm(x.mean(0) - cloud.mean) / math.sqrt(np.trace(cloud.covariance))), float(covariance)


@pytest.mark.parametrize("more", CASES, ids=range(len(CASES)))
def test_closed_form_and_particles_are_those_of_python(more):  # B5
    state = DEFAULT | more
    path, flock = ask(["path", state], ["swarm", state])
    assert path["end"] is None and flock["end"] is None
    for one, closed, seen in zip(layers_of(state), path["clouds"], flock["steps"], strict=True):
        cloud, x, A, effective = one
        if A is not None:
            np.testing.assert_allclose(closed["A"], A, rtol=1e-11, atol=1e-11)
            assert seen["effective"] == pytest.approx(effective, rel=1e-8)
        size = abs(cloud.covariance).max()
        np.testing.assert_allclose(closed["mean"], cloud.mean, rtol=1e-10, atol=1e-10)
        np.testing.assert_allclose(closed["sigma"], cloud.covariance, atol=1e-10 * size)
        np.testing.assert_allclose(np.reshape(seen["x"], (-1, 2)), x, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(seen["mean"], x.mean(0), atol=1e-8)
        np.testing.assert_allclose(seen["sigma"], np.cov(x.T, bias=True), rtol=1e-7, atol=1e-8)
        if state["matched"] and A is None:  # the sample has the cloud's own moments
            np.testing.assert_allclose(seen["mean"], cloud.mean, atol=1e-12)
            np.testing.assert_allclose(seen["sigma"], cloud.covariance, atol=1e-12 * size)


def test_layers_go_on_from_those_already_known():
    state = DEFAULT | {"layers": 5}
    whole, resumed, shorter = call(
        *(
            PAGE.swarm(each, PAGE.swarm(each | {"layers": known}))
            for each, known in ((state, 0), (state, 2), (DEFAULT | {"layers": 1}, 5))
        )
    )
    assert whole == resumed and shorter["steps"] == whole["steps"][:2]


def test_between_two_layers_stands_a_smaller_step():
    """The share t of a layer of step ε is the layer of step tε: what the picture glides through is true at every
    moment."""
    cloud, _ = start(DEFAULT)
    given = {"mean": cloud.mean.tolist(), "sigma": cloud.covariance.tolist()}
    for part in (0.25, 0.5, 1.0):
        [moved] = ask(["push", given, DEFAULT, part])
        wanted = push(cloud, layer(DEFAULT), step=0.3 * part)
        np.testing.assert_allclose(moved["mean"], wanted.mean, rtol=1e-12)
        np.testing.assert_allclose(moved["sigma"], wanted.covariance, rtol=1e-12)


@pytest.mark.parametrize(
    "matrix",
    [
        [[2, 0], [0, -3]],
        [[1, 2], [-2, 1]],
        [[0, 1], [0, 0]],
        [[1.3, -0.2], [0.7, 0.4]],
        [[0, 0], [0, 0]],
        [[1e200, 3e199], [0, 2e-5]],
    ],
)
def test_eigenvalues_are_numpys(matrix):
    [pairs] = ask(["eigenvalues", matrix])
    got, want = np.sort_complex([complex(*pair) for pair in pairs]), np.sort_complex(np.linalg.eigvals(matrix))
    np.testing.assert_allclose(got, want, atol=1e-14 * max(1e-300, np.abs(want).max()))


def test_eigenvalues_in_words():
    asked = [[[1.25, 0], [0, -0.5]], [[0.9, 0.2], [-0.2, 0.9]], [[1e100, 1e100], [1e100, 1e100]], [[1, 0], [0, 0]]]
    assert ask(*(["pair", A] for A in asked)) == ["1.25 and −0.5", "0.9 ± 0.2 i", "2·10¹⁰⁰, other lost", "1 and 0"]


def test_the_charts_scale_is_of_round_numbers():
    near, far, flat, huge = call(
        *(PAGE.powers(PAGE.span(values)) for values in ([0.3, 2.5], [1, 1e166], [0.5, 0.5], [0.0, 0.0]))
    )
    assert [text for _, text in near] == ["0.5", "1", "2"] and [text for _, text in far] == [
        "1",
        "10⁵⁰",
        "10¹⁰⁰",
        "10¹⁵⁰",
    ]
    assert all(math.isfinite(exponent) for scale in (flat, huge) for exponent, _ in scale)


def test_axes_are_the_eigenvectors():
    for angle, spread in ((30, [1.2, 0.6]), (-145, [0.05, 3]), (90, [2, 1]), (10, [1, 1])):
        state = DEFAULT | {"angle": angle, "spread": spread}
        [sigma] = ask(["covariance", state])
        [axes] = ask(["axes", sigma])
        values, vectors = np.linalg.eigh(sigma)
        assert (axes["small"], axes["large"]) == pytest.approx(np.sqrt(values), rel=1e-9)
        if spread[0] != spread[1]:
            direction = [math.cos(axes["angle"]), math.sin(axes["angle"])]
            assert abs(vectors[:, 1] @ direction) == pytest.approx(1)


def test_the_work_is_cut_into_pieces():
    """500 particles, three heads, eight layers are six million exponentials: the page draws between pieces of 16
    queries."""
    assert pieces(PAGE.swarm, DEFAULT | {"n": 100, "heads": DEFAULT["heads"] * 3, "layers": 2}) == 2 * 3 * math.ceil(
        100 / 16
    )
    sliced = node("sliced.mjs", None)
    assert sliced["answers"] == [
        ["a", 40],
        ["d", 40],
    ]  # the one under way is finished, then the last that was asked for
    assert sliced["slices"] == 2 * math.ceil(
        40 / 3
    )  # pieces of 3 ms, nine milliseconds at a time: then others have their turn
    assert sliced["after_stop"] == 0 and not sliced["busy"]


# ---- what is told
LARGE = DEFAULT | {"heads": [[EYE, EYE]], "step": 1.0, "layers": 8, "n": 30}


def layer_at_which_float64_ends(state):
    cloud, heads = start(state)[0], layer(state)
    with np.errstate(over="ignore", invalid="ignore"):
        for passed in itertools.count(1):
            try:
                cloud = push(cloud, heads, step=state["step"])
            except ValueError:  # an entry is not finite
                return passed


def test_the_layer_at_which_float64_ends_is_told_and_nothing_after_it_is_drawn():  # B5
    [path], [said] = ask(["path", LARGE]), words(LARGE)
    assert path["end"] == len(path["clouds"]) == layer_at_which_float64_ends(LARGE) == 7
    assert np.isfinite([np.ravel(each["sigma"]) for each in path["clouds"]]).all()
    assert said["shown"] == 6 and said["told"].startswith("After 6 layers the closed form has its mean at (2.38·10⁸³,")
    assert "next to which the other is lost in rounding" in said["told"]
    assert said["ended"] == (
        "The closed form ends here: at layer 7 a number is larger than float64 can hold, 1.8·10³⁰⁸. Shown is layer 6."
    )
    assert said["outside"] and said["pictured"].startswith("The closed form's ellipse is far larger than the picture.")


def test_words_name_the_error_and_where_it_comes_from():
    whole, matched, begun, exact = words(
        *(DEFAULT | more for more in ({}, {"layers": 0, "matched": True}, {"layers": 0}, {"layers": 1}))
    )
    *_, last = layers_of(DEFAULT)
    gap = np.linalg.norm(last.particles.mean(0) - last.closed.mean)
    mean, covariance = errors_of(last)
    said = whole["told"].replace("\u00a0", " ")
    assert f"is {gap:.2g} away from it ({100 * mean:.2g} % of the cloud's width)" in said
    assert f"their covariance is off by {100 * covariance:.2g} %." in said
    assert f"rested on {last.effective:.3g} of the 60 particles on average" in said
    assert "own mean and covariance" in matched["told"] and "sampling alone" in begun["told"]
    assert exact["told"].startswith("After 1 layer the closed form") and whole["ended"] == ""


def test_few_particles_behind_a_softmax_are_told():
    [said] = words(DEFAULT | {"scale": 3.0, "spread": [3.0, 3.0], "layers": 1, "n": 100})
    assert said["told"].endswith("too few to stand for the whole cloud.")


def test_the_picture_holds_what_it_shows():
    state = DEFAULT | {"layers": 2}
    path, flock = ask(["path", state], ["swarm", state])
    cloud, x = path["clouds"][2], flock["steps"][2]["x"]
    [view] = ask(["extentFor", path["clouds"][0], x, cloud])
    assert (
        view["extent"] >= max(abs(np.array(x[1::2])))
        and view["extent"] / 0.84 >= max(abs(np.array(x[::2])))
        and not view["outside"]
    )
    [far] = ask(["extentFor", path["clouds"][0], x, {"mean": [0, 0], "sigma": [[1e6, 0], [0, 1]]}])
    assert far["outside"] and far["extent"] == view["extent"]


# ---- Python's side
def test_presets_are_known_by_their_numbers():
    [presets] = call(HEADS.PRESETS)
    assert call(*map(HEADS.presetOf, [*presets.values(), [[0.4, 0.3], [-0.3, 0.2]]])) == [*presets, "own numbers"]


def test_the_covariance_is_the_starts():
    np.testing.assert_allclose(GaussianAttention().covariance, start(DEFAULT)[0].covariance, rtol=1e-14)


def test_the_widgets_errors_are_numpys():  # B5
    """500 particles with exactly the cloud's mean and covariance, seed 0, and the closed form, after one layer."""
    state = DEFAULT | {"n": 500, "matched": True, "layers": 1}
    path, flock = ask(["path", state], ["swarm", state])
    [error] = ask(["errors", path["clouds"][1], flock["steps"][1]])
    *_, last = layers_of(state)
    mean, covariance = errors_of(last)
    assert error["mean"] == pytest.approx(mean, rel=1e-6)
    assert error["covariance"] == pytest.approx(covariance, rel=1e-6)
    assert flock["steps"][1]["effective"] == pytest.approx(last.effective, rel=1e-6)
