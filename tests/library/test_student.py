"""Teacher and student: closed forms against autograd, finite differences and the source's own loops."""

import functools

import numpy as np
import pytest
import torch
from numpy.polynomial import polynomial

from benchmarks import gaussian as loops
from course_lib.gaussian.beta import (
    Examples,
    descend,
    descend_stochastic,
    largest_rate,
    losses_in_beta,
    newton,
    slope_of,
    teach,
)
from course_lib.gaussian.layers import interpolated_loss, losses_through_layers, slope_within
from course_lib.gaussian.maps import congruence, first_order
from course_lib.gaussian.matrices import Weights, loss_and_gradient, loss_of, train_matrices
from course_lib.heads import Heads, random_heads
from studies import teacher_student as study
from tests.shared.refusals import named
from tests.shared.seeded import rng

RULES = {"first_order": first_order, "congruence": congruence}


def small(
    d: int = 7, m: int = 3, c: int | None = 5, count: int = 6, *, h: int = 1, **settings
) -> tuple[Heads, Examples]:
    generator = rng()
    heads = random_heads(d, m, h, c=c, generator=generator)
    return heads, teach(heads, count, **{"step": 0.3, "generator": generator} | settings)


def student(d: int = 7, m: int = 3, c: int = 5) -> Heads:
    """Where a training starts, another than the teacher."""
    return random_heads(d, m, c=c, generator=rng(9))


def in_torch(*arrays: np.ndarray, grad: bool = False) -> list[torch.Tensor]:
    return [torch.tensor(each.copy(), requires_grad=grad) for each in arrays]


def scaled(heads: Heads, beta: float) -> Heads:
    return Heads(heads.W_Q, heads.W_K, heads.W_V, heads.W_O, heads.scale * beta)


# ---- One layer
@pytest.mark.parametrize("h", [1, 3])
@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("taught", RULES)
def test_coefficients_give_the_loss_of_the_map(rule, taught, h, monkeypatch):  # G-E35: any teacher, block after block
    monkeypatch.setattr("course_lib.gaussian.beta.BLOCK", 2 * 49)
    heads, examples = small(h=h, rule=taught)
    losses = losses_in_beta(examples, heads, step=0.3, rule=rule)
    assert losses.shape == (6, 3 if rule == "first_order" else 5)
    for beta in (-1.3, 0.0, 0.4, 1.0, 2.0):
        outputs = RULES[rule](examples.inputs, scaled(heads, beta), step=0.3)
        direct = np.square(outputs - examples.targets).mean((1, 2))
        assert polynomial.polyval(beta, losses.T) == pytest.approx(direct, rel=1e-10, abs=1e-12)


def test_descent_follows_the_sources_loop():  # to 1e-10; G-E38: so its gradient is that of the map's loss
    heads, examples = small(12, 5, 12, 20)
    loss = losses_in_beta(examples, heads, step=0.3).mean(0)
    path = descend(slope_of(loss), rate=0.7 * largest_rate(loss), steps=30)
    for steps in (1, 2, 30):
        assert path[steps] == pytest.approx(
            loops.training_beta(examples, heads, 0.3, steps, 0.7 * largest_rate(loss)), abs=1e-10
        )


def test_descent_on_a_parabola_is_geometric():  # G3.4: the law of the theorem; and the limit 2/L from both sides
    heads, examples = small()
    loss = losses_in_beta(examples, heads, step=0.3).mean(0)
    limit, curvature = largest_rate(loss), 2 * loss[2]
    for share in (0.3, 0.95, 1.05):
        path = descend(slope_of(loss), rate=share * limit, steps=12)
        assert path - 1 == pytest.approx(-((1 - share * limit * curvature) ** np.arange(13)), rel=1e-8, abs=1e-12)
    with pytest.raises(ValueError, match=r"rate must be small enough .* after"):
        descend(slope_of(loss), rate=100 * limit, steps=1000)


def test_stochastic_descent_really_draws():
    heads, examples = small(count=8)
    losses = losses_in_beta(examples, heads, step=0.3)
    rate = 0.4 / losses[:, 2].mean()
    path = descend_stochastic(losses, rate=rate, steps=40, generator=rng(5))
    drawn = rng(5).integers(8, size=40)
    assert len(set(drawn.tolist())) > 4
    # every example's parabola has its bottom at 1, so the distance is multiplied by 1 − rate·L_j of the one drawn
    assert 1 - path[1:] == pytest.approx(np.cumprod(1 - 2 * rate * losses[drawn, 2]), rel=1e-6, abs=1e-12)
    assert not np.array_equal(path, descend_stochastic(losses, rate=rate, steps=40, generator=rng(6)))


def test_newton():  # one step on a parabola; on the quartic it may climb to the top of a hill  (G-E34)
    heads, examples = small()
    assert newton(losses_in_beta(examples, heads, step=0.3).mean(0), steps=1)[1] == pytest.approx(1, abs=1e-12)
    path = newton(np.array([0.0, 0.5, -8.0, 0.0, 1.0]), steps=20)  # a maximum near 1/32
    assert abs(slope_of(np.array([0.0, 0.5, -8.0, 0.0, 1.0]))(path[-1])) < 1e-12 and path[-1] == pytest.approx(
        1 / 32, abs=1e-3
    )
    with pytest.raises(ValueError, match="loss must be curved"):
        newton(np.array([0.0, 1.0, 0.0]), steps=1)


@functools.cache
def quartic() -> np.ndarray:
    """‖F‖², ⟨F, G⟩, ‖G‖², means over 12 examples at the source's sizes, over d², with ε = 1: student minus teacher of
    map (3.3.2) is (β − 1)(εF + ε²(β + 1)G)."""
    heads, examples = small(164, 66, None, 12, step=1.0, rule="congruence")
    _, _, c2, c3, c4 = losses_in_beta(examples, heads, step=1.0, rule="congruence").mean(0)
    return np.array([c2 + c3 + 2 * c4, c3 / 2, c4])


def loss_of_the_papers_map(step: float) -> np.ndarray:
    """Coefficients of 1, β, … β⁴."""
    f, g, q = quartic() * step ** np.array([2, 3, 4])
    return polynomial.polymul([1, -2, 1], [f + 2 * g + q, 2 * g + 2 * q, q])


def test_which_newton_finds_the_teacher(record):  # G-E34
    heads, examples = small(30, 12, None, 5, step=0.1)
    of_the_code = losses_in_beta(examples, heads, step=0.1).mean(0)
    assert record("G-E34.code", newton(of_the_code, steps=1)[1]) == pytest.approx(1, abs=1e-10)
    steps = record("G-E34.steps", int(np.argmax(abs(newton(loss_of_the_papers_map(0.1), steps=20) - 1) < 5e-10)))
    assert steps == 4
    wrong = record("G-E34.wrong", newton(loss_of_the_papers_map(1.0), steps=50)[-1])
    assert wrong == pytest.approx(-0.111, abs=0.02)
    assert polynomial.polyval(wrong, polynomial.polyder(loss_of_the_papers_map(1.0), 2)) < 0


# ---- Many layers
@pytest.mark.parametrize("h", [1, 2])
def test_loss_through_layers(h, monkeypatch):
    heads, examples = small(h=h, step=0.05, layers=4)
    monkeypatch.setattr("course_lib.gaussian.layers.BLOCK", 2 * 49)
    for beta in (-0.5, 0.0, 0.7, 1.0):
        S = examples.inputs
        for _ in range(4):
            S = first_order(S, scaled(heads, beta), step=0.05)
        found = losses_through_layers(examples, heads, [beta], step=0.05, layers=4)[0]
        assert found == pytest.approx(np.square(S - examples.targets).mean(), rel=1e-10, abs=1e-20)


@pytest.mark.parametrize(("layers", "step", "rate"), [(10, 1e-3, 30.0), (5, 0.05, 0.2)])
def test_interpolated_descent_follows_the_sources_loop(layers, step, rate):  # β to 1e-8
    heads, examples = small(12, 5, 12, 4, step=step, layers=layers)
    series = interpolated_loss(examples, heads, step=step, layers=layers)
    path = descend(slope_within(series), rate=rate, steps=60)
    assert path[-1] > 0.02
    for steps in (1, 7, 60):
        assert path[steps] == pytest.approx(
            loops.training_multistep(examples, heads, step, steps, rate, layers), abs=1e-8
        )


def test_series_say_where_they_end():
    heads, examples = small(step=0.05, layers=5)
    series = interpolated_loss(examples, heads, step=0.05, layers=5, interval=(0.0, 1.0))
    slope = slope_within(series)
    assert slope(0.3) == pytest.approx(series.deriv()(0.3), rel=1e-10)
    with pytest.raises(ValueError, match=r"beta must be in the interval \[0, 1\]"):
        slope(1.5)
    with pytest.raises(ValueError, match="interval must be"):
        interpolated_loss(examples, heads, step=0.05, layers=5, interval=(1.0, 0.0))
    with pytest.raises(ValueError, match="betas must be small enough for float64"):
        losses_through_layers(examples, heads, [1e9], step=0.05, layers=9)


# ---- All matrices
@pytest.mark.parametrize(("d", "m", "c", "count"), [(7, 3, 5, 4), (40, 3, 4, 30)])
def test_gradient_is_autograds(d, m, c, count):  # G3.4: to 1e-10, through more than one block at d = 40
    _, examples = small(d, m, c, count)
    start = student(d, m, c)
    weights = Weights(*(getattr(start, name)[0] for name in Weights._fields))
    alpha = 0.3 * start.scale
    loss, gradient = loss_and_gradient(weights, examples.inputs, examples.targets - examples.inputs, alpha)
    tensors = W_Q, W_K, W_V, W_O = in_torch(*weights, grad=True)
    S, T = in_torch(examples.inputs, examples.targets)
    half = S @ W_Q @ W_K.T @ S @ W_V @ W_O
    value = (S + alpha * (half + half.mT) - T).square().mean()
    value.backward()
    assert loss == pytest.approx(value.item(), rel=1e-12)
    assert loss_of(start, examples, step=0.3) == pytest.approx(value.item(), rel=1e-12)
    for mine, tensor in zip(gradient, tensors, strict=True):
        assert mine == pytest.approx(tensor.grad.numpy(), rel=1e-10, abs=1e-10 * abs(mine).max())


@pytest.mark.parametrize("batch", [1, 4, 10])
def test_training_in_fixed_batches_follows_the_sources_loop(batch):
    _, examples = small(count=10)
    theirs, history = loops.training_matrix(examples, student(), 0.3, 3, 0.05, batch)
    mine = train_matrices(student(), examples, step=0.3, rate=0.05, epochs=3, batch=batch, generator=None)
    assert mine.losses == pytest.approx(history, rel=1e-10)
    for name in Weights._fields:
        assert getattr(mine.heads, name) == pytest.approx(getattr(theirs, name), abs=1e-10)


def test_shuffled_batches_take_every_example_once_an_epoch(monkeypatch):
    _, examples = small(count=10)
    seen = []

    def spy(weights, inputs, change, alpha, chosen=None):
        seen.append(chosen.tolist())
        return loss_and_gradient(weights, inputs, change, alpha, chosen)

    monkeypatch.setattr("course_lib.gaussian.matrices.loss_and_gradient", spy)
    options = {
        "step": 0.3,
        "rate": 0.01,
        "epochs": 2,
        "batch": 4,
        "generator": rng(),
        "watch": lambda heads: heads.W_Q.copy(),
    }
    watched = train_matrices(student(), examples, **options)
    assert [len(batch) for batch in seen] == [4, 4, 2] * 2
    first, second = ([i for batch in part for i in batch] for part in (seen[:3], seen[3:]))
    assert sorted(first) == sorted(second) == list(range(10)) and first != second
    assert np.array_equal(watched.history[-1], watched.heads.W_Q) and not np.array_equal(*watched.history)


# G3.5: the study's batch version against the loop with the line as printed
def test_printed_gradient_is_the_sources_line():
    _, examples = small(count=8)
    theirs, history = loops.training_matrix(examples, student(), 0.3, 3, study.RATE, 4, printed=True)
    mine, losses = study.printed_train(student(), examples, 0.3, 4, 3)
    assert losses == pytest.approx(history, rel=1e-10)
    for name in Weights._fields:
        assert getattr(mine, name) == pytest.approx(getattr(theirs, name), abs=1e-10)


def test_the_map_determines_the_products():  # identifiability, the theorem: the only flat directions are the known ones
    d, m, c = 5, 2, 2
    heads, examples = small(d, m, c, 40)
    shapes = [(d, m), (d, m), (d, c), (c, d)]
    point = np.concatenate([getattr(heads, name)[0].ravel() for name in Weights._fields])

    def outputs(flat: np.ndarray) -> np.ndarray:
        parts = np.split(flat, np.cumsum([a * b for a, b in shapes])[:-1])
        return first_order(
            examples.inputs,
            Heads(*(part.reshape(1, *shape) for part, shape in zip(parts, shapes, strict=True)), heads.scale),
            step=0.3,
        ).ravel()

    J = np.stack([(outputs(point + 1e-5 * e) - outputs(point - 1e-5 * e)) / 2e-5 for e in np.eye(len(point))], 1)
    values = np.linalg.svd(J, compute_uv=False)
    flat = m * m + c * c + 1  # the bases Z, Y and λ: the last is in neither
    assert (values < 1e-6 * values[0]).sum() == flat


# ---- Errors
HEADS, EXAMPLES = small()
test_what_cannot_be_is_refused = named(
    (lambda: Examples(EXAMPLES.inputs, np.triu(EXAMPLES.targets)), "targets must be symmetric"),
    (lambda: teach(HEADS, 2, step=10.0, layers=12, generator=rng()), "targets must be finite"),
    (lambda: largest_rate(np.array([1.0, 0.0, -1.0])), "loss must be curved upwards"),
    (
        lambda: train_matrices(student(), EXAMPLES, step=0.3, rate=1e9, epochs=9, generator=None),
        "rate must be small enough",
    ),
    (lambda: loss_of(random_heads(7, 2, 2, generator=rng()), EXAMPLES, step=0.1), "heads must be one head"),
)
