"""The worked example's replay: balls against drawn digits, recovered maps against those of a model whose maps are
known."""

import math

import numpy as np
import pytest
import torch

from course_lib.memoryless import Ensemble, SourceModel, replay
from course_lib.published import example
from course_lib.results import load
from studies import worked_example as study
from tests.shared.seeded import F64, rng, seeded

PRINTED = example()
RUNS = load("worked_example")["runs"]
LAST = 1e-4  # one unit of the last printed decimal
TRAITS = ("E", "P, last row", "P, other rows", "w_o", "w_3", "weights", "|Y|/|X|", "rows of Z", "error", "last loss")


def made_up(seed: int, digits: int | None = 4) -> tuple[dict[str, np.ndarray], SourceModel]:
    """A model with parameters as large as the printed ones, and what a document would print of it."""
    generator, ensemble = seeded(seed), Ensemble(study.SIZES, [seed], **F64)
    for name, value in ensemble.parameters.items():
        spread = 0.05 if name in ("E", "P") else 0.1
        value.add_(spread * torch.randn(value.shape, generator=generator, **F64))
    model, made = ensemble.model(0), study.matrices(ensemble, 0)
    made["Y"], made["z_8"] = made["X"] + made["A_O"], made["Z"][-1]
    made["logit"] = made["z_8"] @ made["W_3"] + made["w_3"]
    made["e_printed"], made["x"], made["ML_theory"] = abs(made["p"] - made["q"]), PRINTED["x"], np.array(1.213)
    exact = ("p", "x", "ML_theory")
    return {
        name: value if digits is None or name in exact else value.round(digits) for name, value in made.items()
    }, model


# ---- Balls
@pytest.mark.parametrize("axis", [0, 1])
def test_no_choice_of_the_unprinted_digits_leaves_the_ball(axis):
    generator = rng()
    a, b = replay.printed(generator.normal(size=(5, 3)), 1), replay.printed(generator.normal(size=(3, 5)), 1)
    product, weights, total = a @ b, replay.ball_softmax(a @ b, axis), a + a
    corners = [generator.choice([-1, 1], size=x.value.shape) for x in (a, b) for _ in range(2000)]
    for i, j in zip(corners[:2000], corners[2000:], strict=True):
        x, y = a.value + i * a.radius, b.value + j * b.radius
        assert (abs(x @ y - product.value) <= product.radius + 1e-12).all()
        assert (
            abs(torch.softmax(torch.from_numpy(x @ y), axis).numpy() - weights.value) <= weights.radius + 1e-12
        ).all()
        assert (abs(2 * x - total.value) <= total.radius + 1e-12).all()


def test_the_balls_of_sum_and_product_are_no_larger_than_they_must_be():
    a, b = replay.printed(np.array([[0.3, 0.2]])), replay.printed(np.array([[0.5], [0.7]]))
    product, edge = a @ b, (a.value + a.radius) @ (b.value + b.radius)
    assert product.radius == pytest.approx(edge - product.value)
    assert replay.printed(1.213, 3).radius == pytest.approx(5e-4)


def test_a_softmax_ball_is_reached_to_first_order():
    scores = replay.Ball(np.zeros(2), np.full(2, 1e-4))  # one up, one down: the weight moves by ε w (1 − w)·2 = ε/2
    moved = 1 / (1 + math.exp(-2e-4)) - 0.5
    assert moved <= replay.ball_softmax(scores).radius[0] <= 2.01 * moved


def test_refused():
    with pytest.raises(ValueError, match="numbers must be finite"):
        replay.printed(np.array([1.0, math.nan]))
    with pytest.raises(ValueError, match="X must be rows that settle 5 numbers a column, got rank 2"):
        replay.recover(np.outer(np.arange(8.0), np.ones(4)), np.ones((8, 4)))
    with pytest.raises(ValueError, match="Z must be rows of one layer norm"):
        replay.layer_norm(rng().normal(size=(8, 4)))
    beta = replay.layer_norm(PRINTED["Z"])[1]
    longer = 1 + 0.01 * rng().standard_normal(
        (8, 1)
    )  # in one plane still, but not normalised row by row: infinite gains alone would do
    with pytest.raises(ValueError, match="gains without bound"):
        replay.layer_norm((PRINTED["Z"] - beta) * longer + beta)


# ---- A printed model whose truth is known
@pytest.mark.parametrize("seed", range(20))
def test_what_a_model_prints_agrees_with_itself(seed):
    printed, _ = made_up(seed)
    for name, step in replay.steps(printed).items():
        assert step.agrees, name
    assert replay.readings(printed)[False, False, False, True].agrees


@pytest.mark.parametrize("name", ["X", "A", "A_O", "Y", "z_8", "logit", "q", "e_printed"])
def test_one_wrong_digit_is_seen(name):
    printed, _ = made_up(0)
    printed[name] = printed[name].copy()
    printed[name].flat[-1] += 20 * LAST  # in the second-last printed place
    after = {"e_printed": "e"}.get(name, name)
    assert not replay.steps(printed)[after].agrees


@pytest.mark.parametrize("seed", range(10))
def test_maps_are_recovered_within_their_radius(seed):
    printed, model = made_up(seed)
    for name in "QKV":
        found = replay.recover(printed["X"], printed[name])
        assert (abs(found.W.value - getattr(model, f"W_{name}").detach().numpy()) <= found.W.radius).all()
        assert (abs(found.w.value - getattr(model, f"w_{name.lower()}").detach().numpy()) <= found.w.radius).all()
        assert found.residual.agrees
    exact, _ = made_up(seed, digits=None)
    assert replay.recover(exact["X"], exact["V"]).W.value == pytest.approx(model.W_V.detach().numpy(), abs=1e-9)


def test_noise_is_that_of_independent_roundings():
    printed, model = made_up(3, digits=None)
    truth = np.vstack([model.W_K.detach().numpy(), model.w_k.detach().numpy()])
    generator, misses = rng(), []
    for _ in range(2000):
        X, K = (printed[name] + generator.uniform(-LAST / 2, LAST / 2, (8, 4)) for name in "XK")
        found = replay.recover(X, K)
        misses.append(np.vstack([found.W.value, found.w.value]) - truth)
    assert np.std(misses, axis=0) == pytest.approx(found.noise, rel=0.1)


def test_no_affine_map_no_agreement():
    printed, _ = made_up(0)
    assert not replay.recover(printed["X"], np.abs(printed["Q"])).residual.agrees


@pytest.mark.parametrize("seed", range(5))
def test_the_norm_is_recovered_from_its_outputs(seed):
    exact, model = made_up(seed, digits=None)
    gamma, beta = replay.layer_norm(exact["Z"])
    assert gamma == pytest.approx(model.gamma_2.detach().numpy(), abs=2e-3)  # its ε = 1e-5 is left out
    assert beta == pytest.approx(model.beta_2.detach().numpy(), abs=2e-3)
    smallest, allowed = replay.flatness(exact["Z"].round(4))
    assert smallest <= allowed < replay.flatness(exact["Y"])[0]


# ---- The printed example


def test_every_step_agrees_but_the_misprint():  # R-E18, R-E19
    steps = replay.steps(PRINTED)
    agreeing = [step for name, step in steps.items() if name != "e"]
    assert sum(step.agrees for step in steps.values()) == len(agreeing) == 8
    assert max(step.share for step in agreeing) < 1
    # one by one and without balls
    assert steps["X"].deviation == pytest.approx(abs(PRINTED["E_x"] + PRINTED["P"] - PRINTED["X"]).max())
    assert steps["A_O"].made.value == pytest.approx(PRINTED["A"] @ PRINTED["W_O"] + PRINTED["w_o"])
    repaired = PRINTED | {"e_printed": np.array([0.0039, 0.0038, 0.0024, 0.0025])}
    assert replay.steps(repaired)["e"].agrees


def biased(bias: np.ndarray) -> float:
    """Deviation of A W_O + bias from the printed A_O, as a share of what rounding allows."""
    product = replay.printed(PRINTED["A"]) @ replay.printed(PRINTED["W_O"])
    return replay.Step(product + replay.printed(bias), replay.printed(PRINTED["A_O"])).share


def test_the_vector_printed_with_a_zero_is_the_output_bias():  # R-E17
    bias = biased(PRINTED["w_o"])
    assert bias == pytest.approx(replay.steps(PRINTED)["A_O"].share)
    assert biased(PRINTED["w_o"]) < 1 < 100 < biased(np.zeros(4))


def test_one_formula_agrees():  # R-E8: and K Qᵀ by columns, transposed, is that formula written another way
    found = replay.readings(PRINTED)
    assert [key for key, step in found.items() if step.agrees] == [
        (False, False, False, True),
        (True, True, True, True),
    ]


def test_rows_are_normalised_one_by_one():  # R-E10
    z, y = (smallest / allowed for smallest, allowed in map(replay.flatness, (PRINTED["Z"], PRINTED["Y"])))
    assert z < 1 < 20 < y


def test_the_key_bias_is_zero_as_far_as_the_digits_say():  # R-E14
    found = replay.recover(PRINTED["X"], PRINTED["K"])
    assert (abs(found.w.value) <= found.w.radius).all()
    largest = abs(found.w.value).max()
    assert largest < found.w.radius.max()
    for other in "QV":  # which training does move
        moved = replay.recover(PRINTED["X"], PRINTED[other])
        assert (abs(moved.w.value) > moved.w.radius).sum() >= 3


# ---- The stored table
def test_traits_by_hand():
    found = replay.traits(PRINTED)
    assert found["P, last row"] == pytest.approx(math.sqrt(sum(x * x for x in PRINTED["P"][7]) / 4))
    assert found["|Y|/|X|"] == pytest.approx(np.linalg.norm(PRINTED["A_O"]) / np.linalg.norm(PRINTED["X"]))
    assert found["|Y|/|X|"] < 10  # R-E20, R-E21
    assert found["error"] == pytest.approx(0.39)
    scores = torch.from_numpy(PRINTED["Q"] @ PRINTED["K"].T / 2)
    assert found["weights"] == pytest.approx((8 * torch.softmax(scores, 1) - 1).abs().max().item())


def theirs() -> dict[str, float]:
    return replay.traits(PRINTED) | {"last loss": float(PRINTED["mean_loss_last10pct"])}


def test_only_one_training_leaves_nothing_outside():  # R-E25: traits of the print beyond all of a setting's
    outside = {
        key: sum(not min(run[name]) <= theirs()[name] <= max(run[name]) for name in TRAITS) for key, run in RUNS.items()
    }
    assert outside["1500, 0.999"] >= 3
    assert outside.pop("1500, 0.95") == 0 < 3 <= min(outside.values())


def test_the_printed_error_is_a_lucky_one(record):  # R5
    errors = np.array(RUNS["1500, 0.95"]["error"])
    assert (errors <= 0.39).mean() < 0.15
    assert record("R5.median", np.median(errors)) > 1
