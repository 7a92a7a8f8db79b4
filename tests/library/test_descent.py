"""Descent: the optimisers against torch.optim, the surfaces against autograd, the batches against their mean, the
page's twin."""

import math
from functools import cache

import numpy as np
import pytest
import torch

from course_lib.descent import REACH, RIDGE, SAMPLES, SURFACES, TILTS, descend, shuffled
from course_lib.graphs.random import Generator
from course_lib.optimisers import OPTIMISERS
from course_lib.widgets import Descent, settings
from tests.shared.graph_node import call, exports, js
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal

# The library's optimiser for each of ours, with its defaults.
TORCH = {
    "gd": torch.optim.SGD,
    "sgd": torch.optim.SGD,
    "momentum": lambda parameters, lr: torch.optim.SGD(parameters, lr=lr, momentum=0.9),
    "adagrad": torch.optim.Adagrad,
    "rmsprop": torch.optim.RMSprop,
    "adadelta": torch.optim.Adadelta,
    "adam": torch.optim.Adam,
}
RATES = {"gd": 0.1, "sgd": 0.1, "momentum": 0.02, "adagrad": 0.3, "rmsprop": 0.02, "adadelta": 5.0, "adam": 0.1}
TOLERANCE = {"rtol": 1e-12, "atol": 1e-12}
PAGE = exports("descent", "optimisers", "run", "surfaces", "words")


def torch_path(surface, rule, *, rate, steps, start, decay=0.0, batch=SAMPLES, seed=0):
    """The same run by torch.optim, torch's schedule and autograd of the batch's own loss; [steps + 1, 2]."""
    theta = torch.tensor(start, requires_grad=True, **F64)
    optimiser = TORCH[rule]([theta], lr=rate)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda t: 1 / (1 + decay * t))
    generator, path = Generator(seed), [start]
    batch = SAMPLES if rule == "gd" else batch
    for _ in range(steps):
        order = sorted(range(SAMPLES), key=generator.uniform(SAMPLES).tolist().__getitem__)
        tilts = torch.tensor([[2 * (i % 8) - 7, 2 * (i // 8) - 7] for i in order[:batch]]).double() / math.sqrt(21)
        losses = SURFACES[surface].height(theta[0], theta[1]) + tilts @ theta  # one for each sample of the batch
        if batch == SAMPLES:  # the tilts' sum is 0 and not its rounding error, which would push a run off the saddle
            losses = SURFACES[surface].height(theta[0], theta[1])
        optimiser.zero_grad()
        losses.mean().backward()
        optimiser.step()
        schedule.step()
        path.append(theta.tolist())
    return np.array(path)


# ---- the optimisers
@pytest.mark.parametrize("name", OPTIMISERS)
def test_every_rule_is_the_librarys(name):
    """On 200 gradients of five sizes, from 1e-6 to 1e4, that no loss has made; the page's twin beside it."""
    gradients = normal(200, 5) * torch.tensor([1e-6, 1e-2, 1, 1e2, 1e4])
    start, rate = torch.tensor([1.0, -1.0, 0.5, 0.0, 30.0], **F64), RATES[name]
    theta = start.clone().requires_grad_()
    optimiser, rule = TORCH[name]([theta], lr=rate), OPTIMISERS[name]
    ours, state, path, mine = start, rule.start(start), [], []
    for gradient in gradients:
        theta.grad = gradient.clone()
        optimiser.step()
        ours, state = rule.step(ours, gradient, state, rate)
        path.append(theta.tolist())
        mine.append(ours.tolist())
    scale = np.abs(path).max(0)  # 1e4 · 200 steps: the sum's own rounding is relative to what was added up
    np.testing.assert_allclose(np.array(mine) / scale, np.array(path) / scale, **TOLERANCE)
    at, drawn = [start.tolist(), PAGE.OPTIMISERS[name].start(start.tolist())], []
    for gradient in gradients.tolist():
        at = PAGE.OPTIMISERS[name].step(at[0], gradient, at[1], rate)
        drawn.append(at[0])
    drawn = call(*drawn)
    np.testing.assert_allclose(np.array(drawn) / scale, np.array(path) / scale, **TOLERANCE)


# ---- the surfaces and the samples
@pytest.mark.parametrize("name", SURFACES)
def test_slopes_are_the_derivatives_of_the_heights(name):
    x, y = normal(2, 50, seed=1, grad=True)
    surface = SURFACES[name]
    wanted = torch.autograd.grad(surface.height(x, y).sum(), (x, y))
    for got, derivative in zip(surface.slope(x, y), wanted, strict=True):
        torch.testing.assert_close(got, derivative, rtol=1e-12, atol=1e-12)


def curvatures(name, x, y):
    hessian = torch.autograd.functional.hessian(
        SURFACES[name].height, (torch.tensor(x).double(), torch.tensor(y).double())
    )
    return np.linalg.eigvalsh(np.array(hessian, dtype=float))


def test_the_surfaces_are_what_they_are_called():
    assert curvatures("bowl", 0.3, -1.0) == pytest.approx([1, 2])
    assert curvatures("valley", 0.3, -1.0) == pytest.approx([1, 16])
    for x, height, kind in ((-1.1, 0, 1), (0.3, 0.686, -1), (1.1, 0.5324, 1)):
        assert SURFACES["two minima"].slope(x, 0) == pytest.approx((0, 0))
        assert SURFACES["two minima"].height(x, 0) == pytest.approx(height)
        assert np.sign(curvatures("two minima", x, 0.0)).tolist() == [kind, 1]
    low, high = curvatures("saddle", 0.0, 0.0)
    assert low < 0 < high and SURFACES["saddle"].height(0, 1) == SURFACES["saddle"].height(0, -1) == 0


def test_tilts_cancel_and_have_variance_one():
    assert TILTS.shape == (64, 2) and len({tuple(tilt) for tilt in TILTS}) == 64
    np.testing.assert_allclose(TILTS.mean(0), 0, atol=1e-15)
    np.testing.assert_allclose(np.cov(TILTS.T, bias=True), np.eye(2), atol=1e-12)


@pytest.mark.parametrize("batch", [1, 4, 32])
def test_a_batch_has_the_right_mean_and_variance(batch):
    """Sampling without repeats: mean 0, variance (64 − B)/(63 B), the textbook's correction for a finite population."""
    means = TILTS[shuffled(Generator(3), 20_000)[:, :batch]].mean(1)
    spread = math.sqrt((64 - batch) / (63 * batch))
    np.testing.assert_allclose(means.mean(0), 0, atol=4 * spread / math.sqrt(20_000))
    np.testing.assert_allclose(means.std(0), spread, rtol=0.02)


# ---- whole runs: torch, Python and the page
RUNS = [
    ("bowl", "gd", {}), ("bowl", "momentum", {"decay": 0.05}), ("valley", "gd", {"rate": 0.12}), ("valley", "sgd",
    {"batch": 16, "rate": 0.05}),
    ("valley", "adam", {"decay": 0.02}), ("valley", "adagrad", {}), ("two minima", "sgd", {"batch": 1, "seed": 7,
    "rate": 0.2}),
    ("two minima", "adadelta", {"batch": 8}), ("two minima", "rmsprop", {"batch": 2, "seed": 9999}), ("saddle", "sgd",
    {"batch": 4, "decay": 0.1}),
    ("saddle", "gd", {}), ("saddle", "adam", {"batch": 32, "start": [-0.7, 0.1]}),
]  # fmt: skip


@pytest.mark.parametrize(("surface", "rule", "more"), RUNS)
def test_a_run_is_the_same_in_torch_in_python_and_in_the_page(surface, rule, more):
    asked = {"rate": RATES[rule], "decay": 0.0, "batch": 64, "seed": 0, "start": list(SURFACES[surface].start)} | more
    wanted = torch_path(surface, rule, steps=200, **asked)
    assert np.abs(wanted).max() <= 2  # the run stays in the picture
    batch = 64 if rule == "gd" else asked["batch"]
    rest = {name: asked[name] for name in ("rate", "decay", "start")}
    ours = descend(
        surface, "sgd" if rule == "gd" else rule, steps=200, batch=batch, generators=[Generator(asked["seed"])], **rest
    )
    np.testing.assert_allclose(ours.positions[0], wanted, **TOLERANCE)
    [drawn] = call(PAGE.run({"surface": surface, "optimiser": rule, **asked}, 200))
    np.testing.assert_allclose(drawn["positions"], wanted, **TOLERANCE)
    heights = SURFACES[surface].height(*wanted.T)
    np.testing.assert_allclose(drawn["heights"], heights, **TOLERANCE)
    np.testing.assert_allclose(ours.heights[0], heights, **TOLERANCE)
    assert drawn["left"] is None and ours.left.tolist() == [-1]


def test_a_run_that_leaves_the_picture_ends():
    """On the bowl at rate 1.1, x is multiplied by 1 − 2·1.1 = −1.2 at each step: 1.6 · 1.2² > 2."""
    ours = descend("bowl", rate=1.1, steps=400, generators=[Generator(0)])
    [drawn] = call(
        PAGE.run(
            {
                "surface": "bowl",
                "optimiser": "gd",
                "rate": 1.1,
                "decay": 0,
                "batch": 64,
                "seed": 0,
                "start": [-1.6, 1.5],
            }
        )
    )
    assert ours.left.tolist() == [2] and drawn["left"] == 2
    assert np.isnan(ours.positions[0, 2:]).all() and np.isnan(ours.heights[0, 2:]).all()
    np.testing.assert_allclose(drawn["positions"], ours.positions[0, :2])


RUN = {"surface": "bowl", "rate": 0.1, "steps": 5, "generators": [Generator(0)]}
test_a_wrong_argument_of_a_run_is_named = named(
    (lambda: descend(**RUN, optimiser="gd"), "optimiser must be "),
    (lambda: descend(**RUN, batch=65), "batch must be "),
    (lambda: descend(**RUN, start=(0, 2.1)), "start must be "),
    (lambda: descend(**RUN, start=(0, 1, 2)), "start must be "),
    (lambda: descend(**RUN | {"generators": []}), "generators must be "),
    (lambda: descend(**RUN, decay=-1), "decay must be "),
    begin="^",
)


# ---- what the page tells of the widget
def test_what_was_found_on_the_surfaces():
    def run(surface, rate, **more):
        return descend(surface, rate=rate, steps=500, **{"generators": [Generator(0)], **more})

    for rate in (0.1, 0.5, 0.6):
        end = run("two minima", rate).positions[0, -1, 0]
        assert end == pytest.approx(1.1 if rate < 0.5 else -1.1, abs=1e-3)
    restless = run("two minima", 0.7).positions[0, :, 0]
    assert restless[-1] < RIDGE and abs(restless[-1] - restless[-2]) > 0.1  # it crosses, and cannot rest
    # the edge is 2 over the largest curvature, 16
    assert run("valley", 0.12).heights[0, -1] < 1e-10 and run("valley", 0.125).heights[0, -1] == pytest.approx(
        4.62, abs=0.005
    )
    assert run("valley", 0.13).left[0] == 15
    noisy = run("saddle", 0.1, batch=32, generators=[Generator(seed) for seed in range(200)])
    first = (abs(noisy.positions[..., 1]) > 0.9).argmax(1)
    assert (first.min(), round(np.median(first)), first.max()) == (20, 28, 52)
    for decay, crossed in ((0.0, 1.0), (0.01, 0.485), (0.05, 0.085)):
        runs = run("two minima", 0.2, batch=1, decay=decay, generators=[Generator(seed) for seed in range(200)])
        assert (runs.positions[..., 0] < RIDGE).any(1).mean() == pytest.approx(crossed, abs=1e-9)
        assert decay or runs.heights[:, -1].mean() == pytest.approx(0.12, abs=0.005)


# ---- the widget
def test_the_page_knows_what_python_knows():
    samples, names, surfaces = call(PAGE.SAMPLES, js().Object.keys(PAGE.NAMES), PAGE.SURFACES)
    takes = {name: each.get("takes") for name, each in settings.declared(Descent).items()}
    assert samples == SAMPLES and takes["start"] == [-REACH, REACH]
    assert names == takes["optimiser"] and set(takes["optimiser"]) == {"gd", *OPTIMISERS}
    assert list(surfaces) == takes["surface"] == list(SURFACES)
    assert [each["start"] for each in surfaces.values()] == [list(surface.start) for surface in SURFACES.values()]
    axis = np.linspace(-2, 2, 41)
    for name, z in zip(SURFACES, call(*map(PAGE.grid, SURFACES)), strict=True):
        np.testing.assert_allclose(z, SURFACES[name].height(axis, axis[:, None]), atol=1e-9)


def test_the_start_is_the_surfaces_and_rounded():
    widget = Descent("saddle", "adam", step=np.int64(3))
    assert widget.start == [1.8, 0.0] and widget.step == 3 and Descent("bowl", start=(0.123, -1)).start == [0.1, -1]


STATE = {
    "surface": "two minima",
    "optimiser": "sgd",
    "rate": 0.1,
    "decay": 0,
    "batch": 4,
    "seed": 0,
    "start": [1.8, 1.4],
    "step": 40,
}


def told(*changes):
    return call(*(PAGE.told(STATE | more, PAGE.run(STATE | more)) for more in changes))


def test_the_words_say_where_the_run_stands():
    gd, noisy, started, first, full = told(
        *({"optimiser": "gd", "step": 500}, {}, {"step": 0}, {"step": 1, "batch": 64}, {"step": 16, "decay": 0.25})
    )
    assert gd == "After 500 steps of gradient descent: loss 0.532, in the shallow minimum."
    run = descend("two minima", rate=0.1, steps=40, batch=4, generators=[Generator(0)])
    assert noisy == (
        f"After 40 steps of SGD with 4 of 64 samples a step (2.5 epochs): loss {run.heights[0, -1]:.3g}, in "
        f"the shallow minimum."
    )
    assert started == (
        f"At the start: loss {SURFACES['two minima'].height(1.8, 1.4):.3g}, on the shallow minimum's side of the ridge."
    )
    assert first.startswith("After 1 step of SGD on all samples: loss ")
    assert "(1 epoch)" in full and full.endswith("The rate is down to 0.02.")  # 0.1 / (1 + 0.25 · 16)


def test_the_words_of_the_other_surfaces():
    cases = [
        ({"surface": "bowl", "optimiser": "gd", "start": [-1.6, 1.5], "step": 100}, "at the minimum."),
        ({"surface": "valley", "optimiser": "gd", "start": [-1.6, -1.2], "step": 0}, "2 from the minimum."),
        ({"surface": "saddle", "optimiser": "gd", "start": [1.8, 0], "step": 500}, "on the saddle."),
        (
            {"surface": "saddle", "optimiser": "gd", "start": [1.8, 0], "step": 1},
            "on the line that leads to the saddle.",
        ),
        ({"surface": "saddle", "optimiser": "gd", "start": [1.8, -0.1], "step": 500}, "in the minimum at y = −1."),
        ({"surface": "bowl", "optimiser": "gd", "rate": 1.1, "start": [-1.6, 1.5], "step": 9}, "Before it: loss 3.7."),
    ]
    for (_, end), words in zip(cases, told(*(more for more, _ in cases)), strict=True):
        assert words.endswith(end), words
    assert words.startswith("Step 2 of gradient descent leads out of the picture")


# ---- the page on losses and descent


def steps_until_yes(loss, z: float = -6.0, rate: float = 1.0) -> int:
    """Steps of gradient descent on loss(probability of yes), by autograd, until yes is likelier than no."""
    z, steps = torch.tensor(z, requires_grad=True, **F64), 0
    while z < 0:
        (slope,) = torch.autograd.grad(loss(z.sigmoid()), z)
        z, steps = (z - rate * slope).detach().requires_grad_(), steps + 1
    return steps


def test_squared_error_on_a_sigmoid_learns_slowly():  # L1.6
    assert steps_until_yes(lambda p: -p.log()) == 7
    assert steps_until_yes(lambda p: (1 - p) ** 2) == 214
    p = 1 / (1 + math.exp(6))
    assert 2 * (1 - p) ** 2 * p < 0.01 * (1 - p)  # the two pulls at z = −6


def mean_loss(rate: float, decay: float) -> float:
    """Of 200 runs in the bowl with 4 of 64 samples a step, over the last 50 of 500 steps."""
    generators = [Generator(seed) for seed in range(200)]
    return (
        descend("bowl", rate=rate, decay=decay, batch=4, steps=500, generators=generators)
        .heights[:, -50:]
        .mean()
        .item()
    )


def floor(rate: float, batch: int = 4) -> float:
    """Where V = (1 − αλ)² V + α² s² leaves the loss ½ Σ λ V of the bowl, curvatures 2 and 1."""
    s2 = (64 - batch) / (63 * batch)
    return sum(rate * s2 / (2 * (2 - rate * curvature)) for curvature in (2, 1))


def test_a_constant_rate_has_a_floor_and_a_decaying_one_has_none():  # L1.7
    assert mean_loss(0.4, 0.0) == pytest.approx(floor(0.4), rel=0.05)
    assert mean_loss(0.4, 0.1) < 0.03 * mean_loss(0.4, 0.0)


@cache
def crossed(rate: float, batch: int, deep: bool = False) -> float:
    """Share of 200 runs on the two minima that have been beyond the ridge within 500 steps."""
    generators = [Generator(seed) for seed in range(200 if batch < 64 else 1)]
    start = (-1.1, 0.0) if deep else None
    x = descend("two minima", rate=rate, batch=batch, steps=500, start=start, generators=generators).positions[..., 0]
    return ((x > RIDGE) if deep else (x < RIDGE)).any(1).mean().item()


def test_noise_crosses_the_ridge_and_descent_does_not():  # L1.7
    assert crossed(0.2, 64) == 0
    assert 0 < crossed(0.2, 4) < 0.2 < crossed(0.2, 2) < 0.9
    assert crossed(0.2, 1) > 0.98
    assert crossed(0.2, 1, deep=True) < 0.05
