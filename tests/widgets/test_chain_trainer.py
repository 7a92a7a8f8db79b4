"""The chain trainer without a browser: the page's run held to PyTorch, its lines to the study's, its session by its
messages."""

import numpy as np
import pytest
import torch

from course_lib.graphs.chains import draw, read
from course_lib.graphs.random import Generator
from studies.chains_in_context import BATCH, Exam, N, Setting, begin, fixed, log_chances, spelled
from tests.shared.graph_node import call, js, stored, talked

STEPS = 12
GRAPHS = {name: stored(name) for name in ("adam", "chains_1", "chains_2")}
RUNS = [
    Setting(d=8, m=4),
    Setting(d=8, m=6, h=3, start=False, v=2, prior=0.5, rate=0.003),
    Setting(layers=1, d=12, m=4, h=1, v=4, prior=2.0),
    Setting(d=16, m=8, order=2, h=2),
]


def page(setting, seed=3, updates=100):
    names = ("v", "order", "prior", "layers", "h", "d", "m", "start", "rate")
    return {name: getattr(setting, name) for name in names} | {"seed": seed, "updates": updates}


@pytest.mark.parametrize("i", range(len(RUNS)))
def test_the_page_trains_as_torch_does(i):
    """The same lines, start and first gradients; the losses of torch.optim.Adam; then loss and maps of a forward
    pass."""
    setting, run = RUNS[i], js("chain_trainer/run.js").makeRun({"graphs": GRAPHS, "settings": page(RUNS[i])})
    exam, fix, random = Exam(setting, 64), fixed(N + setting.start), Generator(3)
    model = {name: p.requires_grad_() for name, p in begin(setting, random).items()}
    steps = [run.step(setting.rate) for _ in range(STEPS)]
    (got,) = call({
        "lines": run.lines, "count": run.parameterCount, "start": run.parameters(), "first": run.measure().exact,
        "loss": steps[0],
        "gradients": {name: run.gradient(name) for name in model}, "losses": steps, "end": run.measure(),
    })  # fmt: skip
    start, end = dict(got["start"]), got["end"]
    assert got["lines"] == pytest.approx(exam.lines, abs=1e-4)
    assert got["count"] == sum(p.numel() for p in model.values())
    for name, p in model.items():
        assert np.allclose(start[name], p.detach().numpy().ravel(), rtol=1e-6, atol=1e-7), name
    assert got["first"] == pytest.approx(exam.loss(exam.predictions(model, fix)), rel=1e-5)
    optimiser = torch.optim.Adam(model.values(), lr=setting.rate)
    losses = []
    for step in range(STEPS):
        tokens = draw(random, BATCH, N, setting.v, setting.prior, setting.order)[0]
        logs = log_chances(read(model, spelled(tokens, setting), *fix, setting.m**-0.5)[0], setting)[:, exam.asked]
        loss = -logs.gather(-1, torch.from_numpy(tokens[:, 1:])[:, exam.asked, None]).mean()
        optimiser.zero_grad()
        loss.backward()
        for name, p in model.items() if step == 0 else ():
            assert np.allclose(got["gradients"][name], p.grad.numpy().ravel(), rtol=1e-4, atol=1e-6), name
        optimiser.step()
        losses.append(loss.item())
    assert np.abs(np.array(got["losses"]) - losses).max() < 1e-4
    assert end["exact"] == pytest.approx(exam.loss(exam.predictions(model, fix)), abs=1e-3)
    assert end["tokens"] == exam.tokens[0, :-1].tolist()
    with torch.no_grad():
        maps = read(model, spelled(exam.tokens[:1], setting), *fix, setting.m**-0.5)[1]
    for A, weights in zip(maps, end["weights"], strict=True):
        assert np.allclose(weights, A[0].numpy().ravel(), atol=1e-3)


def test_a_conversation_ends_where_it_should():
    got = talked("chain_trainer", page(RUNS[0]), GRAPHS)
    assert not got["errors"] and got["first"]["step"] == 0 and got["ten"]["step"] == 10
    assert got["end"]["step"] == 100 and got["end"]["stopped"] == "end"
    assert [at for at, _ in got["end"]["curve"]] == [0, 20, 40, 60, 80, 100]
    assert (
        got["end"]["lines"]["uniform"]
        > got["end"]["lines"]["unigram"]
        > got["end"]["lines"]["bayes"]
        > got["end"]["lines"]["rate"]
    )
