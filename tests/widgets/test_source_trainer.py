"""The source trainer without a browser: the page's run held to PyTorch, its sources to `course_lib.sources`, and the
refusals."""

import math
from dataclasses import asdict, replace
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
import torch

from course_lib import published
from course_lib.checks import trusted
from course_lib.graphs.memoryless import OneHotModel
from course_lib.memoryless import Sizes, SourceModel, count
from course_lib.sources import Markov, Memoryless, counting_error, cross_entropy
from course_lib.widgets import SourceTrainer
from tests.shared.graph_node import call, exports, js, stored, talked
from tests.shared.source_run import SourceRun, SourceSettings, probes, transitions

STEPS = 60
RUNS = [
    SourceSettings(),
    SourceSettings(p=(0.75, 0.25), stickiness=-0.2, n=5, d=6, m=3, r=7, scale="d", updates=STEPS, batch=5, sequences=64,
    rate=0.01, beta_2=0.99, decay="linear", average="tail", seed=3),
    SourceSettings(p=(0.5, 0.3, 0.2), stickiness=0.7, n=1, d=4, m=1, r=1, updates=80, batch=1, sequences=None,
    rate=0.003, beta_2=0.999, decay="cosine", average=0.9, seed=9999),
    SourceSettings(p=(8 / 32, 8 / 32, 4 / 32, 4 / 32, 4 / 32, 2 / 32, 1 / 32, 1 / 32), n=20, d=12, m=20, r=33, batch=7,
    sequences=100, average=0.5, seed=0),
]  # fmt: skip

UPDATES = 250
CHAIN = SourceSettings(p=(0.5, 0.5), stickiness=0.8)


PAGE = exports("source_trainer", "record", "shares", "source", "source_controls")
GRAPHS = {name: stored(name) for name in ("memoryless", "memoryless_read", "adam_averaged")}


def in_page(settings, steps):
    """The page's run: its start, its losses, and what is drawn of it at the end."""
    run, rate = js("source_trainer/run.js").makeRun({"graphs": GRAPHS, "settings": asdict(settings)}), settings.rate
    told = {
        "start": run.parameters(),
        "losses": [run.step(rate) for _ in range(steps)],
        "count": run.parameterCount,
        "targets": run.targets(),
    }
    told |= {"q": run.predict(), "averaged": run.predict(True), "measured": run.measure(False), "law": run.law(rate)}
    (got,) = call(told | {"look": run.look(), "probe": run.probe, "end": run.parameters()})
    return got | got["look"] | {"start": dict(got["start"]), "end": dict(got["end"])}


@cache
def answers():
    return [in_page(settings, STEPS) for settings in RUNS]


@cache
def in_torch(i):
    """The same run in PyTorch, with its start and its losses."""
    run = SourceRun(RUNS[i])
    start = {name: parameter.detach().numpy().ravel().copy() for name, parameter in run.model.named_parameters()}
    return run, start, [run.step() for _ in range(STEPS)]


# ---- The run against PyTorch
@pytest.mark.parametrize("i", range(len(RUNS)))
def test_the_page_trains_as_torch_does(i):
    """From one seed: the same start, 60 losses of autograd and torch.optim.Adam, the same parameters and
    predictions."""
    got, (run, start, losses) = answers()[i], in_torch(i)
    assert list(got["start"]) == list(start)
    assert all(np.allclose(got["start"][name], values, rtol=1e-6, atol=1e-8) for name, values in start.items())
    assert np.allclose(got["losses"], losses, rtol=0, atol=2e-5)
    for name, parameter in run.model.named_parameters():
        if name != "w_k":  # no gradient but rounding reaches the bias of the keys: Adam makes steps of noise of it
            assert np.allclose(got["end"][name], parameter.detach().numpy().ravel(), rtol=0, atol=2e-4), name
    assert np.allclose(got["q"], run.measure(), rtol=0, atol=2e-5)
    assert np.allclose(got["averaged"], run.measure(averaged=True), rtol=0, atol=2e-5)
    assert got["count"] == count(run.sizes)
    sequences = RUNS[i].sequences or math.inf
    assert got["targets"] == min(STEPS * RUNS[i].batch, sequences)


@pytest.mark.parametrize("i", range(len(RUNS)))
def test_what_is_drawn_is_the_models_own(i):
    """Map and lengths from `stages`, the loss and the error from the sources' exact rows."""
    got, run, settings = answers()[i], in_torch(i)[0], RUNS[i]
    tokens = probes(settings)
    assert got["probe"] == tokens[0].tolist()
    with torch.no_grad():
        stages = run.model.stages(torch.from_numpy(tokens[:1]))
    assert np.allclose(got["A"], stages.A.flatten(), atol=1e-5)
    assert got["X"] == pytest.approx(stages.X.norm(dim=-1).mean().item(), rel=1e-3)
    assert got["Y"] == pytest.approx(stages.Y.norm(dim=-1).mean().item(), rel=1e-3)
    q, P, p = run.measure().double().numpy(), transitions(settings), np.array(settings.p)
    ends = q[64:].reshape(len(p), 8, len(p))
    measured = got["measured"]
    exact = (p[:, None] * cross_entropy(P[:, None], ends, tolerance=1e-5)).sum() / 8
    assert measured["loss"] == pytest.approx(exact, abs=2e-5)
    mean, rows = q[:64].mean(0), ends.mean(1)
    error = np.abs(mean - p).max() if settings.stickiness is None else np.abs(rows - P).max()
    assert measured["error"] == pytest.approx(error, abs=2e-5)
    assert np.allclose(measured["q"], mean, atol=2e-5) and np.allclose(measured["after"], rows, atol=2e-5)
    assert np.allclose(measured["low"], q[:64].min(0), atol=2e-5) and np.allclose(
        measured["high"], q[:64].max(0), atol=2e-5
    )


@pytest.mark.parametrize("i", range(len(RUNS)))
def test_the_law_is_the_sum_over_slopes(i):
    """Σ s_k from the slopes of the mean logits by autograd, in float64; at this update's rate."""
    got, run, settings = answers()[i], in_torch(i)[0], RUNS[i]
    model = SourceModel(run.sizes, scale=settings.scale, dtype=torch.float64)
    model.load_state_dict({name: value.double() for name, value in run.model.state_dict().items()})
    mean = model.last(torch.from_numpy(probes(settings)[:16])).mean(0)
    slopes = torch.stack(
        [
            torch.cat([g.ravel() for g in torch.autograd.grad(each, list(model.parameters()), retain_graph=True)])
            for each in mean
        ]
    )
    p = torch.tensor(settings.p, dtype=torch.float64)
    spread = ((p @ slopes.square()) - (p @ slopes).square()).clamp(min=0).sqrt().sum().item()
    assert got["law"] == pytest.approx(run.training.rate_at(STEPS) / (4 * settings.batch**0.5) * spread, rel=2e-3)


def test_the_traced_model_is_the_published_one():
    sizes = Sizes(3, 5, 4, 2, 6)
    one_hot, model = OneHotModel(sizes, dtype=torch.float64), SourceModel(sizes, dtype=torch.float64)
    tokens = torch.randint(3, (7, 5), generator=torch.Generator().manual_seed(0))
    encoded = torch.nn.functional.one_hot(tokens, 4).double()
    assert torch.allclose(one_hot(encoded, 2**-0.5), model(tokens), rtol=0, atol=1e-12)
    assert torch.equal(one_hot(encoded, 2**-0.5, True).A, model.stages(tokens).A)


# ---- The sources
SOURCES = [
    ((0.75, 0.25), None), ((0.5, 0.25, 0.125, 0.125), None), ((0.97, 0.01, 0.01, 0.01), None), ((0.75, 0.25), 0.5),
    ((0.5, 0.5), -0.9),
    ((0.5, 0.3, 0.2), 0.8), ((8 / 32, 8 / 32, 4 / 32, 4 / 32, 4 / 32, 2 / 32, 1 / 32, 1 / 32), 0.3),
]  # fmt: skip


@cache
def sources():
    def exact(p, s):
        told = {"P": PAGE.transitions(p, s), "counting": PAGE.countingScale(p, s), "probes": PAGE.probes(p, s, 6)}
        return js().Object.assign(told, PAGE.optimum(p, s))

    return list(zip(SOURCES, call(*(exact(*each) for each in SOURCES)), strict=True))


def test_exact_lines_are_those_of_the_sources():
    for (p, s), got in sources():
        source = Memoryless(p) if s is None else Markov(np.array(got["P"]))
        assert got["plain"] == pytest.approx(source.best_memoryless_loss(), abs=1e-12)
        assert got["rate"] == pytest.approx(source.entropy_rate(), abs=1e-12)
        if s is not None:
            assert np.allclose(source.stationary, p, atol=1e-12)  # whatever the stickiness, each token keeps its share
        settings = SourceSettings(p=tuple(p), stickiness=s, n=6)
        assert np.allclose(got["P"], transitions(settings), atol=1e-15)
        assert got["probes"] == probes(settings).ravel().tolist()


def test_the_counting_limit_is_what_counting_reaches():
    """Against counts: of a memoryless source by `counting_error`, of a chain row by row with each token's share of the
    targets."""
    generator, targets = np.random.default_rng(0), 40_000
    for (p, s), got in sources():
        expected = got["counting"] / targets**0.5
        if s is None:
            assert expected == pytest.approx(counting_error(np.array(p), targets, generator), rel=0.04)
        else:
            rows = [
                generator.multinomial(round(share * targets), row, size=3000) / round(share * targets)
                for share, row in zip(p, got["P"], strict=True)
            ]
            errors = np.stack([np.abs(counts - row).max(-1) for counts, row in zip(rows, got["P"], strict=True)])
            assert expected == pytest.approx(errors.max(0).mean(), rel=0.04)
    assert sources()[0][1]["counting"] == pytest.approx(
        math.sqrt(2 / math.pi * 0.75 * 0.25), rel=0.02
    )  # the mean of |normal|: an exact case


@pytest.mark.parametrize("settings", [RUNS[1], RUNS[2], RUNS[3]])
def test_data_have_the_sources_statistics(settings):
    run = SourceRun(replace(settings, sequences=20_000, n=9, batch=1))
    pairs = np.zeros((len(settings.p),) * 2)
    np.add.at(pairs, (run.words[:, :-1].ravel(), run.words[:, 1:].ravel()), 1)
    assert np.allclose(pairs.sum(1) / pairs.sum(), settings.p, atol=0.01)
    assert np.allclose(pairs / pairs.sum(1, keepdims=True), transitions(settings), atol=0.025)


def test_moved_shares_keep_the_sum_one():
    moves = [
        ([0.5, 0.25, 0.125, 0.125], 0, 0.7),
        ([1.0, 0, 0], 0, 0.4),
        ([0.2, 0.8], 1, 0),
        ([0.33334, 0.33333, 0.33333], 2, 1),
        ([0.5, 0.5, 0], 2, 0.123),
        # one unit or two are left over
        ([0.5, 0.25, 0.25], 0, 0.33335),
        ([0.25] * 4, 0, 0.5),
        ([0.25] * 4, 3, 0.50001),
    ]
    for (p, i, share), got in zip(moves, call(*(PAGE.move(*each) for each in moves)), strict=True):
        units = [x * 1e5 for x in got]
        assert np.allclose(units, np.round(units)) and round(sum(units)) == 100_000 and min(got) >= 0
        assert got[i] == pytest.approx(share, abs=1e-5)
        others = [p[j] for j in range(len(p)) if j != i]
        want = [x / sum(others) if sum(others) else 1 / len(others) for x in others]
        assert np.allclose([got[j] for j in range(len(p)) if j != i], (1 - share) * np.array(want), atol=2e-5)


# ---- The session and its record
def test_a_run_shows_what_torch_makes_and_never_what_is_no_number():
    settings = replace(RUNS[0], updates=60)
    got = talked("source_trainer", asdict(settings), GRAPHS, {"p": [js().NaN] * len(settings.p)})
    first, ten, end, hopeless = (got[name] for name in ("first", "ten", "end", "hopeless"))
    assert (first["step"], first["loss"], first["on"]) == (0, None, False)
    run = SourceRun(settings)
    losses = [run.step() for _ in range(10)]
    assert ten["loss"] == pytest.approx(losses[-1], abs=1e-5) and ten["seen"]["step"] == 10
    assert [step for step, *_ in ten["errors"]] == list(range(1, 11))
    assert (end["step"], end["stopped"], end["seen"]["step"], end["targets"]) == (60, "end", 60, 960)
    for _ in range(50):
        run.step()
    error = np.abs(run.measure()[:64].double().mean(0).numpy() - settings.p).max()
    assert end["seen"]["last"]["error"] == pytest.approx(error, abs=2e-5)
    assert hopeless["stopped"] == "diverged" and math.isfinite(hopeless["seen"]["last"]["error"])
    assert got["errors"] == ["the exact loss before the first update must be a number, got NaN"]


def test_the_curve_tells_every_update():
    losses = np.random.default_rng(1).random(1500)
    record = PAGE.makeRecord({"last": {"loss": losses[0]}})
    *_, curve = call(*map(record.add, losses.tolist()), record.curve())
    assert len(curve) <= 240 and curve[-1][0] == 1500
    ends = [0] + [int(point[0]) for point in curve]
    for (start, end), (_, low, mean, high, smooth) in zip(pairwise(ends), curve, strict=True):
        part = losses[start:end]
        assert (low, high) == (part.min(), part.max()) and mean == pytest.approx(part.mean())
        assert smooth == pytest.approx(losses[max(0, end - 100) : end].mean())


# ---- The widget
def test_defaults_are_the_runs_and_source_rs():
    widget, settings = SourceTrainer(), asdict(SourceSettings())
    assert {name: getattr(widget, name) for name in settings} == settings | {"p": list(settings["p"])}
    assert (widget.n, widget.d, widget.m, widget.r) == min((row.n, row.d, row.m, row.r) for row in published.rows())
    assert call(PAGE.PUBLISHED) == [{str(v): list(p) for v, p in published.P.items()}]


# Beside what its settings.json says (test_declared_settings.py).
def test_stickiness_stays_as_low_as_the_shares_allow():
    widget = SourceTrainer([0.5, 0.5], stickiness=-1)
    widget.p = [0.75, 0.25]
    assert widget.stickiness == pytest.approx(-1 / 3)


# ---- The page's claims, made in PyTorch from the seeds that the page uses


@cache
def trained(settings: SourceSettings, updates: int = UPDATES) -> SourceRun:
    run = SourceRun(settings, torch.float64)
    with trusted():
        for _ in range(updates):
            run.step()
    return run


def excess_over_the_entropy() -> float:
    return trained(SourceSettings()).exact_loss() - Memoryless(SourceSettings().p).entropy_rate()


def excess_of_the_averaged_model() -> float:
    return trained(SourceSettings()).exact_loss(averaged=True) - Memoryless(SourceSettings().p).entropy_rate()


def share_of_the_chains_memory_found() -> float:
    """How much of the way from H(π) down to the entropy rate the exact loss has gone."""
    chain = Markov(transitions(CHAIN))
    plateau, floor = chain.best_memoryless_loss(), chain.entropy_rate()
    return (plateau - trained(CHAIN).exact_loss()) / (plateau - floor)


def test_the_page_comes_as_near_the_optimum_as_pytorch_says():
    """250 updates in the page: the exact losses that the claims tell, of the model, its average, and a chain."""
    plain, chain = (in_page(settings, UPDATES) for settings in (SourceSettings(), CHAIN))
    entropy = Memoryless(SourceSettings().p).entropy_rate()
    assert plain["measured"]["loss"] - entropy == pytest.approx(excess_over_the_entropy(), abs=1e-4)
    averaged = np.array(plain["averaged"])[64:].reshape(4, 8, 4)
    assert (
        np.array(SourceSettings().p) @ cross_entropy(np.array(SourceSettings().p), averaged, tolerance=1e-5)
    ).mean() - entropy == pytest.approx(excess_of_the_averaged_model(), abs=1e-4)
    excess = excess_over_the_entropy()
    assert (
        0
        <= excess_of_the_averaged_model()
        < excess
        < 0.01
        < SourceRun(SourceSettings(), torch.float64).exact_loss() - Memoryless(SourceSettings().p).entropy_rate()
    )
    lines = Markov(transitions(CHAIN))
    found = (lines.best_memoryless_loss() - chain["measured"]["loss"]) / (
        lines.best_memoryless_loss() - lines.entropy_rate()
    )
    assert found == pytest.approx(share_of_the_chains_memory_found(), abs=1e-3)
    assert found > 0.9
