"""Gradients through time in the page: the whole flow, of the traced step and its products, against autograd through the
cells; the words."""

import itertools
import json
import math

import numpy as np
import pytest
import torch

from course_lib.gradients import jacobians, norms
from course_lib.graphs import Generator
from course_lib.graphs.gradients import STEPS
from course_lib.recurrent.cells import ACTIVATIONS, CELLS, RNNCell
from course_lib.widgets import GradientFlow
from tests.shared.graph_node import call, codec, exports, js, stored

STATE = GradientFlow(r=8, length=20, seed=3, back=10).get_state(GradientFlow._settings)
OPTIONS = {name: each["takes"] for name, each in GradientFlow._settings.items() if each["kind"] == "option"}
GRAPHS = {kind: stored(f"gradient_{kind}") for kind in STEPS}


PAGE = exports("gradient_flow", "chart", "controls", "flow", "matrices", "words")
KEPT = js().structuredClone(GRAPHS)


def flow(state):
    return PAGE.compute(state, PAGE.machine(KEPT[PAGE.kindOf(state)], state["r"]))


def flows(states):
    """Norms, memory, parts, total and bound in the page."""
    found = map(flow, states)
    return call(*({name: each[name] for name in ("norms", "memory", "parts", "total", "bound")} for each in found))


def words(*states):
    return call(*(PAGE.words(js().Object.assign({}, state, flow(state))) for state in states))


def made(kind, r):
    """A cell that reads what it is given: W_x is the identity, and b is zero."""
    name, activation = STEPS[kind]
    generator = torch.Generator().manual_seed(r)
    wide = CELLS[name].gates * r
    cell = (
        RNNCell(wide, r, activation=activation, generator=generator)
        if activation
        else CELLS[name](wide, r, generator=generator)
    )
    cell = cell.double()
    with torch.no_grad():
        cell.W_x.copy_(torch.eye(wide))
        cell.b.zero_()
    return cell


# ---- The whole flow
def test_random_matrices_are_orthogonal_and_stretch_as_numpy_says():
    A = np.random.default_rng(0).normal(size=(9, 9))
    Q, norm, zero = call(
        PAGE.orthogonal(A.ravel().tolist(), 9),
        PAGE.spectralNorm(A.ravel().tolist(), 9, 9),
        PAGE.spectralNorm([0] * 9, 3, 3),
    )
    theirs, R = np.linalg.qr(A.T)
    np.testing.assert_allclose(np.reshape(Q, (9, 9)), (theirs * np.sign(np.diag(R))).T, atol=1e-12)
    assert norm == pytest.approx(np.linalg.norm(A, 2), rel=1e-4) and zero == 0


def draws(state):
    """W_s [r, g, r], v [r] and reads [T, g·r] by the course's own generator and NumPy's factorisation."""
    g, r = CELLS[state["cell"]].gates, state["r"]
    generator, blocks = Generator(state["seed"]), []
    for _ in range(g):
        A = generator.normal(r * r).reshape(r, r)
        Q, R = np.linalg.qr(A.T)
        blocks.append((Q * np.sign(np.diag(R))).T if state["weights"] == "orthogonal" else A / math.sqrt(r))
    v = generator.normal(r)
    reads = state["inputs"] * generator.normal(state["length"] * g * r).reshape(-1, g, r)
    if g > 1:
        reads[:, 1] += state["bias"]
    return state["scale"] * np.stack(blocks, 1), v / np.linalg.norm(v), reads.reshape(-1, g * r)


def expected(state):
    """Norms, memory norms, parts of the gradient by W_s and its length, by autograd through the cell."""
    kind = f"rnn_{state['activation']}" if state["cell"] == "rnn" else state["cell"]
    cell, (W, v, reads) = made(kind, state["r"]), draws(state)
    with torch.no_grad():
        cell.W_s.copy_(torch.as_tensor(W).flatten(1))
        if kind == "gru":
            cell.b_n.zero_()
    x = torch.as_tensor(reads)[None]
    result = {
        "norms": norms(jacobians(cell, x))[0],
        "memory": norms(jacobians(cell, x, part="c"))[0] if kind == "lstm" else None,
    }
    weights = [
        cell.W_s.detach().clone().requires_grad_() for _ in reads
    ]  # one copy a step: its gradient is that step's part
    state, own = cell.start(1), cell.W_s
    for t, W_t in enumerate(weights):
        del cell._parameters["W_s"]
        cell.W_s = W_t
        state = cell.step(x[:, t], state)
        del cell.W_s
        cell.register_parameter("W_s", own)
    parts = torch.autograd.grad(cell.visible(state)[0] @ torch.as_tensor(v), weights)
    return result | {"parts": torch.stack([p.norm() for p in parts[1:]]), "total": torch.stack(parts).sum(0).norm()}


FLOWS = [
    {**STATE, "cell": cell, "activation": activation, "weights": weights, "scale": scale, "r": r, "length": length}
    for (cell, activation), (weights, scale), (r, length) in itertools.product(
        [*(("rnn", name) for name in ACTIVATIONS), ("gru", "tanh"), ("lstm", "tanh")],
        [("orthogonal", 0.5), ("gaussian", 1.5)],
        [(2, 3), (13, 40)],
    )
]
FLOWS += [
    {**STATE, "cell": "lstm", "bias": 3.0, "inputs": 2.0, "r": 32},
    {**STATE, "cell": "gru", "bias": -1.5, "seed": 99},
]


def test_the_flow_is_that_of_the_cells():
    for state, got in zip(FLOWS, flows(FLOWS), strict=True):
        want = expected(state)
        for name in ("norms", "memory", "parts"):
            if want[name] is None:
                assert got[name] is None
                continue
            there = np.exp([float(x) for x in got[name]])
            np.testing.assert_allclose(
                there, want[name].detach().numpy(), rtol=2e-3, atol=1e-300, err_msg=f"{name} of {state}"
            )
        assert math.exp(float(got["total"])) == pytest.approx(want["total"].item(), rel=2e-3)


def test_the_bound_holds_for_the_plain_cell_and_is_tight_for_a_scaled_rotation():
    states = [state for state in FLOWS if state["cell"] == "rnn"]
    for state, got in zip(states, flows(states), strict=True):
        measured, bound = (np.array([float(x) for x in got[name]]) for name in ("norms", "bound"))
        assert (measured <= bound + 1e-3).all()
        steepest = 0.25 if state["activation"] == "sigmoid" else 1.0
        each = steepest * np.linalg.norm(draws(state)[0][:, 0], 2)
        np.testing.assert_allclose(bound, math.log(each) * np.arange(state["length"], -1, -1), atol=1e-3)
        if state["activation"] == "identity" and state["weights"] == "orthogonal":
            np.testing.assert_allclose(measured, bound, atol=1e-3)
    assert flows([{**STATE, "cell": "gru"}])[0]["bound"] is None


def test_sixty_steps_of_a_tiny_gradient_are_still_measured():
    [got] = flows([{**STATE, "activation": "sigmoid", "scale": 0.1, "length": 60}])
    assert -260 < got["norms"][0] < -200 and math.isfinite(
        got["parts"][0]
    )  # far below float32's smallest number, e^-103


def other(state, name):
    """Another value of a setting."""
    if name in OPTIONS:
        return next(value for value in OPTIONS[name][1:] + OPTIONS[name] if value not in (state[name], "identity"))
    return {"scale": 0.8, "inputs": 1.4, "bias": 1.5, "r": 5, "seed": 8, "length": 11, "threshold": 0.002}[name]


def test_every_dial_that_is_shown_acts_and_every_dial_that_is_hidden_does_not():
    """For each kind of setting, each dial is turned in turn: the numbers drawn change exactly where the dial is
    shown."""
    dials = ("scale", "inputs", "bias", "r", "seed", "weights", "activation", "length", "threshold")
    bases = [
        {**STATE, "length": 10, "cell": cell, "activation": activation, "weights": weights, "view": view}
        for cell, activation in [*(("rnn", name) for name in ACTIVATIONS), ("gru", "tanh"), ("lstm", "tanh")]
        for weights, view in itertools.product(OPTIONS["weights"], OPTIONS["view"])
    ]
    turned = [[{**state, name: other(state, name)} for name in dials] for state in bases]
    shown = call(*map(PAGE.acting, bases))
    numbers = iter(flows(state for pair in zip(bases, turned, strict=True) for state in (pair[0], *pair[1])))
    for state, others, names in zip(bases, turned, shown, strict=True):
        before = drawn(state, next(numbers))
        for name, each in zip(dials, others, strict=True):
            assert (drawn(each, next(numbers)) != before) == (name in names), (state, name)


def drawn(state, numbers):
    """What the reader sees: the curves, to the fourth digit, cut where the view clips."""
    if state["view"] == "states":
        return [[round(float(x), 3) for x in numbers[name] or []] for name in ("norms", "memory")]
    cut = min(0.0, math.log(state["threshold"]) - float(numbers["total"]))
    return [round(float(x) + shift, 3) for x in numbers["parts"] for shift in (0.0, cut)]


def test_words_tell_what_is_left():
    half = {**STATE, "activation": "identity", "scale": 0.5, "back": 10}
    told = words(half, {**half, "back": 0}, {**half, "scale": 2.0, "back": 3}, {**STATE, "cell": "lstm"})
    assert (
        told[0]
        == "After 10 steps back 9.8·10⁻⁴ of the gradient is left, a factor of 0.5 a step. The bound allows 9.8·10⁻⁴."
    )
    assert told[1].startswith("At the last state the gradient sets out, with length 1.")
    assert (
        told[2]
        == "After 3 steps back the gradient has grown to 8 times its length, a factor of 2 a step. The bound allows 8."
    )
    assert "Through the memory c, " in told[3] and "bound" not in told[3]


def test_words_tell_what_clipping_does():
    state = {**STATE, "view": "clipping", "weights": "gaussian", "scale": 1.5, "activation": "identity", "back": 5}
    want = expected(state)
    clipped, left = words(state, {**state, "scale": 0.5, "threshold": 1000})
    assert clipped.startswith("Step 15 of 20 adds a gradient by W_s of length ")
    head, exponent = clipped.split("multiplied by ")[1].split(":")[0].split("·10⁻")
    factor = float(head) / 10 ** "⁰¹²³⁴⁵⁶⁷⁸⁹".index(exponent)
    assert factor == pytest.approx(1 / want["total"].item(), rel=0.06)
    assert left.endswith("Clipping does nothing.")


def test_words_for_a_network_that_is_switched_off():
    small = {**STATE, "activation": "relu", "r": 2}
    dead = next(state for state in ({**small, "seed": seed} for seed in range(100)) if expected(state)["total"] == 0)
    assert words({**dead, "view": "clipping"}) == [
        "No step adds anything to the gradient by W_s: on every way a unit is switched off."
    ]
    assert words(dead)[0].startswith("After 10 steps back 0 of the gradient is left. ")


def test_the_axis_has_few_ranges_and_holds_every_value():
    assert call(*map(PAGE.rangeOf, ([0, -3.9], [0, -4.1], [js().Number.NEGATIVE_INFINITY, 1], [-300]))) == [
        [-4, 2],
        [-8, 4],
        [-4, 2],
        [-256, 128],
    ]


# ---- Python
def test_graphs_travel_as_data():
    widget = GradientFlow()
    assert {kind: json.loads(widget._data[key]) for kind, key in widget.data_keys.items()} == GRAPHS


def test_a_link_holds_decimals():
    given = {"scale": 1.05, "inputs": 0.125, "bias": -1.5, "threshold": 0.001, "back": 7, "cell": "gru"}
    assert call(*(codec("gradient_flow", name).write(value) for name, value in given.items())) == [
        "1.05",
        "0.13",
        "-1.5",
        "0.001",
        "7",
        "gru",
    ]
