"""The translator trainer without a browser: the page's run held to PyTorch, its floor to what can be known, its session
by its messages."""

import math
from dataclasses import asdict
from itertools import product

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.graphs.random import Generator
from course_lib.graphs.translator_run import LETTERS, TranslatorRun, TranslatorSettings, floor, letters
from tests.shared.graph_node import call, js, stored, talked

STEPS = 20
CELLS = ("rnn", "gru", "lstm")
STEPPED = [
    f"{name}_{cell}{looks}"
    for cell in CELLS
    for name, looks in (("encode", ""), ("decode", ""), ("decode", "_attentive"))
]
GRAPHS = {name: stored(name) for name in ("adam", "begin", "begin_attentive", *STEPPED)}
PAGE = js("translator_trainer/run.js")
RUNS = [
    TranslatorSettings(cell=cell, attention=attention, length=length, r=r, batch=b, order=order, noise=noise, seed=seed)
    for seed, ((cell, attention), (length, r, b, order, noise)) in enumerate(product(
        product(CELLS, (False, True)), ((4, 16, 32, "reversed", 0.1), (2, 3, 4, "copied", 0.0), (7, 10, 12, "reversed",
        0.5)),
    ))
]  # fmt: skip


def page(settings):
    return asdict(settings) | {"updates": 100}


def trained(i, steps, generate=True):
    """The page's run: its start, the gradients of the first step, all losses, and what it measures before and after."""
    run = PAGE.makeRun({"graphs": GRAPHS, "settings": page(RUNS[i]), "generate": generate})
    (named,) = call(run.parameters())
    losses = [run.step(RUNS[i].rate) for _ in range(steps)]
    gradients = [[name, run.gradient(name)] for name, _ in named]
    asked = {
        "first": run.measure(),
        "loss": losses[0],
        "gradients": gradients,
        "losses": losses,
        "end": run.measure(),
        "count": run.parameterCount,
    }
    return call(asked)[0] | {"start": named}


def joined(numbers, name):
    """A parameter as the module has it, of the page's parts: they stand in the order of its rows."""
    return np.concatenate([values for key, values in numbers if key == name or key.startswith(f"{name}.")])


@pytest.mark.parametrize("i", range(len(RUNS)))
def test_the_page_trains_as_torch_does(i):
    """The same start; the first gradients of autograd; the losses of torch.optim.Adam; then exact loss, shares and
    weights of a forward pass."""
    got, run = trained(i, STEPS), TranslatorRun(RUNS[i])
    assert got["count"] == sum(p.numel() for p in run.model.parameters())
    for name, parameter in run.model.named_parameters():
        assert np.allclose(joined(got["start"], name), parameter.detach().numpy().ravel(), rtol=1e-6, atol=1e-7), name
    assert got["first"]["exact"] == pytest.approx(run.measure()[0], rel=1e-5)
    losses = [run.step()]
    for name, parameter in run.model.named_parameters():  # still there: those of the first step
        assert np.allclose(joined(got["gradients"], name), parameter.grad.numpy().ravel(), rtol=1e-5, atol=1e-5), name
    losses += [run.step() for _ in range(STEPS - 1)]
    assert np.abs(np.array(got["losses"]) - losses).max() < 1e-4
    exact, shares, weights = run.measure()
    assert (
        got["end"]["exact"] == pytest.approx(exact, abs=1e-3)
        and np.abs(np.array(got["end"]["shares"]) - shares.numpy()).max() <= 2 / 128
    )
    assert (weights is None) == (got["end"]["weights"] is None)
    if weights is not None:
        assert np.allclose(got["end"]["weights"], weights.ravel(), rtol=0, atol=1e-3)
    assert got["end"]["source"] == run.test.source[0].tolist() and got["end"]["right"] == run.test.right[0].tolist()
    assert all(0 <= letter <= LETTERS for letter in got["end"]["said"])


def test_closures_train_as_generated_loops_do():
    assert trained(5, 3) == trained(5, 3, generate=False)


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.5])
def test_the_floor_is_the_least_loss_there_is(noise):
    """Who knows the right letter and the noise reaches it, as far as counted letters tell; and the page has the same
    number."""
    settings = TranslatorSettings(length=8, noise=noise)
    rows = letters(settings, Generator(3), 20_000)
    assert torch.equal(rows.right, rows.source.flip(1))
    q = (1 - noise) * F.one_hot(rows.right, LETTERS) + noise / LETTERS
    reached = -q.gather(-1, rows.target[..., None]).log().mean().item()
    assert reached == pytest.approx(floor(noise), abs=0.01)
    assert call(PAGE.floor(noise)) == [pytest.approx(floor(noise), abs=1e-12)]
    assert floor(noise) < math.log(LETTERS)


def test_the_session_as_the_page_needs_it():
    got = talked("translator_trainer", page(TranslatorSettings(length=3, r=4)), GRAPHS)
    first, ten, end = (got[name] for name in ("first", "ten", "end"))
    assert (first["step"], first["curve"]) == (0, [[0, first["seen"]["exact"]]]) and ten["step"] == ten["seen"][
        "step"
    ] == 10
    assert (end["step"], end["stopped"], [step for step, _ in end["curve"]]) == (100, "end", list(range(0, 101, 20)))
    assert end["curve"][-1][1] < first["seen"]["exact"] and floor(0.1) < end["seen"]["exact"]
    assert got["hopeless"]["stopped"] == "diverged" and math.isfinite(got["hopeless"]["seen"]["exact"])
    assert got["errors"] == []
