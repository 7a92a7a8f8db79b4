"""The fit to play with, without a browser: the page's run held to PyTorch step by step, its points to the wave, its
words to its numbers."""

import numpy as np
import pytest
import torch

from course_lib.graphs.fit import HELD_OUT, NOISE, points, wave
from tests.shared.fit_run import FitRun
from tests.shared.graph_node import call, exports, stored

STEPS = 100
RUNS = [(1, 5, 0), (2, 20, 3), (8, 20, 5), (64, 200, 9999), (5, 33, 17)]  # width, points, seed


PAGE = exports("fit", "run", "words")
GRAPHS = {name: stored(name) for name in ("fit", "adam")}


def in_page(width, count, seed):
    """The page's run: what it kept at every tenth step, its losses and the curve at the end."""
    run, tens = PAGE.makeRun({"graphs": GRAPHS, "width": width, "points": count, "seed": seed}), STEPS // 10
    *_, moments, losses, parameters, outputs = call(
        *(run.advance() for _ in range(tens)), run.moments, run.losses, run.count, run.outputs(tens)
    )
    return moments, losses, parameters, outputs


def in_torch(i):
    """The same run in PyTorch: its start, the loss before each step, the errors at every tenth, and itself at the
    end."""
    run = FitRun(*RUNS[i])
    start = {name: parameter.detach().numpy().ravel().copy() for name, parameter in run.network.named_parameters()}

    def errors():
        with torch.no_grad():
            return {kind: run.error(kind).item() for kind in run.points}

    losses, seen = [], [errors()]
    for step in range(1, STEPS + 1):
        losses.append(run.step())
        if step % 10 == 0:
            seen.append(errors())
    return run, start, losses, seen


@pytest.mark.parametrize("i", range(len(RUNS)))
def test_the_page_trains_as_torch_does(i):
    """From one seed: the same start, the losses of autograd and torch.optim.Adam at each step, the three errors,
    weights and curve."""
    (moments, own, count, outputs), (run, start, losses, errors) = in_page(*RUNS[i]), in_torch(i)
    assert [name for name, _ in moments[0]["weights"]] == list(start)
    assert all(np.allclose(values, start[name], rtol=1e-6, atol=1e-8) for name, values in moments[0]["weights"])
    assert np.allclose(own, losses, rtol=1e-4, atol=2e-6)
    for moment, torchs in zip(moments, errors, strict=True):
        assert moment["errors"] == pytest.approx(torchs, rel=1e-3, abs=1e-5)
    for name, values in moments[-1]["weights"]:
        assert np.allclose(
            values, dict(run.network.named_parameters())[name].detach().numpy().ravel(), rtol=0, atol=1e-3
        ), name
    grid = torch.linspace(-1, 1, 161)[:, None]
    assert np.allclose(outputs, run.network(grid).detach().numpy().ravel(), rtol=0, atol=1e-3)
    assert count == 3 * RUNS[i][0] + 1


def test_points_are_the_pages_and_lie_round_the_wave():
    for stream in (0, 17, 29_999):
        x, y = points(stream, 200)
        drawn, few = call(PAGE.draw(stream, 200), PAGE.draw(stream, 7))
        assert np.array_equal(drawn["x"], x.ravel().double()) and np.allclose(drawn["y"], y.ravel(), rtol=0, atol=1e-6)
        assert few["x"] == drawn["x"][:7] and few["y"] == drawn["y"][:7]  # more points begin with the same ones
    x, y = (each.ravel().double().numpy() for each in points(5, 4000))
    noise = y - wave(x)
    assert abs(x).max() <= 1 and np.histogram(x, 4, (-1, 1))[0] == pytest.approx([1000] * 4, rel=0.1)
    assert noise.mean() == pytest.approx(0, abs=0.02) and noise.std() == pytest.approx(NOISE, rel=0.05)


def test_the_three_kinds_of_points_share_none():
    run = FitRun(8, 20, 5)
    places = torch.cat([x for x, _ in run.points.values()]).ravel()
    assert len(places.unique()) == len(places) == 20 + sum(HELD_OUT.values())


def test_words_follow_the_errors():
    def told(*errors, width=8):
        rows = [{"errors": dict(zip(("training", "validation", "test"), each, strict=True))} for each in errors]
        return call(PAGE.sentence({"width": width, "step": 10 * (len(rows) - 1)}, rows))[0]

    assert told((1, 1, 1), width=1).startswith("One neuron, nothing learned yet")
    assert "underfits" in told((1, 1, 1), (0.3, 0.4, 0.4))
    assert "good fit" in told((1, 1, 1), (0.1, 0.1, 0.12))
    risen = told((1, 1, 1), (0.1, 0.1, 0.12), (0.02, 0.3, 0.4))
    assert "It overfits" in risen and "it was 0.12 after 10 steps" in risen and "training error 0.020" in risen
    rows = [{"errors": {"test": error}} for error in (3, 2, 1, 4)]
    assert call(PAGE.lowest(rows, "test", 3), PAGE.lowest(rows, "test", 1)) == [2, 1]
