"""Chapter 1's page on losses and descent: its numbers, computed as the page computes them."""

import math
from functools import cache

import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.descent import RIDGE, SURFACES, descend
from course_lib.graphs.random import Generator
from course_lib.optimisers import OPTIMISERS
from course_lib.training import cross_entropy

from . import claim, rounding

F64 = {"dtype": torch.float64}
SEEDS = 200


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


# --- losses -----------------------------------------------------------------------------------------------------------


def entropy(y: Tensor, y_hat: Tensor) -> float:
    """Cross-entropy of the prediction y_hat under the truth y, nats."""
    return -(y * y_hat.log()).sum().item()


@claim("L1.6.likelihood")
def cross_entropy_minus_negative_log_likelihood() -> float:
    """The library's cross-entropy of six samples, times six, minus the sum of −log p of the right classes."""
    logits, classes = torch.randn(6, 4, generator=seeded(), **F64), torch.tensor([1, 3, 0, 2, 2, 1])
    nll = -sum(logits[i].softmax(-1)[c].log() for i, c in enumerate(classes))
    one_hot = F.one_hot(classes, 4).double()
    by_definition = sum(entropy(y, p) for y, p in zip(one_hot, logits.softmax(-1), strict=True))
    ours = 6 * cross_entropy(logits, classes, ignore=-1)
    return rounding(max(abs(ours - nll).item(), abs(by_definition - nll.item())))


def normal_minus_squares(trial: int, s: float = 0.5, n: int = 50) -> float:
    """Negative log-likelihood of normal errors of deviation s, minus n/(2 s²) times the mean squared error."""
    y, y_hat = torch.randn(2, n, generator=seeded(trial), **F64)
    nll = -torch.distributions.Normal(y_hat, s).log_prob(y).sum()
    return (nll - n / (2 * s**2) * ((y - y_hat) ** 2).mean()).item()


@claim("L1.6.normal")
def what_is_left_of_the_normal_likelihood() -> float:
    return normal_minus_squares(0)


@claim("L1.6.pull")
def autograd_minus_prediction_less_truth() -> float:
    z, y = torch.tensor([2.0, -1.0, 0.5], requires_grad=True, **F64), torch.tensor([0.0, 1.0, 0.0], **F64)
    (pull,) = torch.autograd.grad(-(y * z.log_softmax(-1)).sum(), z)
    return rounding((pull - (z.softmax(-1) - y)).abs().max().item())


def steps_until_yes(loss, z: float = -6.0, rate: float = 1.0) -> int:
    """Steps of gradient descent on loss(probability of yes), by autograd, until yes is likelier than no."""
    z, steps = torch.tensor(z, requires_grad=True, **F64), 0
    while z < 0:
        (slope,) = torch.autograd.grad(loss(z.sigmoid()), z)
        z, steps = (z - rate * slope).detach().requires_grad_(), steps + 1
    return steps


@claim("L1.6.entropy_steps")
def steps_with_the_cross_entropy() -> int:
    return steps_until_yes(lambda p: -p.log())


@claim("L1.6.square_steps")
def steps_with_the_squared_error() -> int:
    return steps_until_yes(lambda p: (1 - p) ** 2)


TRUTH, SAID = torch.tensor([0.05, 0.90, 0.05], **F64), torch.tensor([0.20, 0.70, 0.10], **F64)


@claim("L-E14.right")
def cross_entropy_with_the_logarithm_of_the_prediction() -> float:
    return entropy(TRUTH, SAID)


@claim("L-E14.exchanged")
def cross_entropy_with_the_roles_exchanged() -> float:
    return entropy(SAID, TRUTH)


@claim("L-E14.square")
def change_of_the_squared_error() -> float:
    return rounding((((TRUTH - SAID) ** 2).mean() - ((SAID - TRUTH) ** 2).mean()).item())


# --- descent ----------------------------------------------------------------------------------------------------------


def square_after(steps: int, *, frozen: bool, rate: float = 0.1, start: float = 2.0) -> float:
    """θ after descent on θ² from `start`; frozen: with the gradient of the start at every step."""
    theta = start
    for _ in range(steps):
        theta -= rate * 2 * (start if frozen else theta)
    return theta


@claim("L-E13.right")
def theta_with_the_gradient_at_theta() -> float:
    return square_after(50, frozen=False)


@claim("L-E13.frozen")
def theta_with_the_gradient_of_the_start() -> float:
    return square_after(50, frozen=True)


def distance_after(share: float, steps: int = 500) -> float:
    """From the minimum of the valley, with `share` of the rate 2/λ_max = 0.125."""
    A = torch.tensor([[6.4, -7.2], [-7.2, 10.6]], **F64)
    theta = torch.tensor([-1.8, -0.4], **F64)
    for _ in range(steps):
        theta = theta - share * 0.125 * A @ theta
    return theta.norm().item()


@claim("L1.7.below")
def distance_just_below_the_edge() -> float:
    return distance_after(0.99)


@claim("L1.7.above")
def distance_just_above_the_edge() -> float:
    return distance_after(1.01)


# --- batches ----------------------------------------------------------------------------------------------------------

N, D = 512, 5


@cache
def regression() -> tuple[Tensor, Tensor]:
    generator = seeded()
    X = torch.randn(N, D, generator=generator, **F64)
    return X, X @ torch.tensor([1.0, -2.0, 0.5, 0.0, 3.0], **F64) + torch.randn(N, generator=generator, **F64)


def gradient_of(samples, theta: Tensor) -> Tensor:
    """Of the mean squared error of these samples, by autograd, [5]."""
    X, y = regression()
    theta = theta.clone().requires_grad_()
    return torch.autograd.grad(((X[samples] @ theta - y[samples]) ** 2).mean(), theta)[0]


def batch_gradients(B: int, count: int = 3000) -> Tensor:
    """Gradients at θ = 0 of `count` random batches of B, less the whole gradient, in its length; [count, 5]."""
    X, y = regression()
    each, whole = -2 * y[:, None] * X, gradient_of(slice(None), torch.zeros(D, **F64))
    orders = torch.rand(count, N, generator=seeded(B)).argsort(1)[:, :B]
    return (each[orders].mean(1) - whole) / whole.norm()


@claim("L1.7.unbiased", rtol=0.01)
def error_of_the_mean_of_batches_of_16() -> float:
    return batch_gradients(16).mean(0).norm().item()


@claim("L1.7.spread", rtol=0.01)
def error_of_a_single_batch_of_16() -> float:
    return batch_gradients(16).pow(2).sum(1).mean().sqrt().item()


def epoch(B: int) -> tuple[int, Tensor]:
    """Updates in one pass through the samples, and how far each parameter moved in the first."""
    theta, updates, first = torch.zeros(D, **F64), 0, None
    for batch in torch.randperm(N, generator=seeded()).split(B):
        theta = theta - 0.02 * gradient_of(batch, theta)
        first, updates = theta if first is None else first, updates + 1
    return updates, first


@claim("L-E12.updates")
def updates_in_an_epoch_of_512_with_batches_of_16() -> int:
    return epoch(16)[0]


@claim("L-E12.moved")
def parameters_moved_by_one_batch() -> int:
    return int((epoch(16)[1] != 0).sum())


# --- noise ------------------------------------------------------------------------------------------------------------


def mean_loss(rate: float, decay: float) -> float:
    """Of 200 runs in the bowl with 4 of 64 samples a step, over the last 50 of 500 steps."""
    generators = [Generator(seed) for seed in range(SEEDS)]
    return descend("bowl", rate=rate, decay=decay, batch=4, steps=500, generators=generators).heights[:, -50:].mean().item()


def floor(rate: float, batch: int = 4) -> float:
    """Where V = (1 − αλ)² V + α² s² leaves the loss ½ Σ λ V of the bowl, curvatures 2 and 1."""
    s2 = (64 - batch) / (63 * batch)
    return sum(rate * s2 / (2 * (2 - rate * curvature)) for curvature in (2, 1))


@claim("L1.7.floor", rtol=0.02)
def loss_with_a_constant_rate() -> float:
    return mean_loss(0.4, 0.0)


@claim("L1.7.decayed", rtol=0.02)
def loss_with_a_decaying_rate() -> float:
    return mean_loss(0.4, 0.1)


@cache
def crossed(rate: float, batch: int, deep: bool = False) -> float:
    """Share of 200 runs on the two minima that have been beyond the ridge within 500 steps."""
    generators = [Generator(seed) for seed in range(SEEDS if batch < 64 else 1)]
    start = (-1.1, 0.0) if deep else None
    x = descend("two minima", rate=rate, batch=batch, steps=500, start=start, generators=generators).positions[..., 0]
    return ((x > RIDGE) if deep else (x < RIDGE)).any(1).mean().item()


@claim("L1.7.crossed_none")
def share_that_crosses_without_noise() -> float:
    return crossed(0.2, 64)


@claim("L1.7.crossed_four", rtol=0.02)
def share_that_crosses_with_four_samples() -> float:
    return crossed(0.2, 4)


@claim("L1.7.crossed_two", rtol=0.02)
def share_that_crosses_with_two_samples() -> float:
    return crossed(0.2, 2)


@claim("L1.7.crossed_one", rtol=0.02)
def share_that_crosses_with_one_sample() -> float:
    return crossed(0.2, 1)


@claim("L1.7.crossed_one_slower", rtol=0.02)
def share_that_crosses_with_one_sample_at_half_the_rate() -> float:
    return crossed(0.1, 1)


@claim("L1.7.crossed_back", rtol=0.02)
def share_that_leaves_the_deep_minimum() -> float:
    return crossed(0.2, 1, deep=True)


# --- optimisers -------------------------------------------------------------------------------------------------------

LIBRARY = {
    "sgd": torch.optim.SGD, "momentum": lambda p, lr: torch.optim.SGD(p, lr=lr, momentum=0.9), "adagrad": torch.optim.Adagrad,
    "rmsprop": torch.optim.RMSprop, "adadelta": torch.optim.Adadelta, "adam": torch.optim.Adam,
}  # fmt: skip


@claim("L1.7.torch")
def largest_difference_from_the_library() -> float:
    """Of the six rules after 100 steps on random gradients."""
    gradients, largest = torch.randn(100, 5, generator=seeded(1), **F64), 0.0
    for name, rule in OPTIMISERS.items():
        theirs = torch.ones(5, requires_grad=True, **F64)
        optimiser = LIBRARY[name]([theirs], lr=0.01)
        ours, state = torch.ones(5, **F64), rule.start(torch.ones(5, **F64))
        for g in gradients:
            theirs.grad = g.clone()
            optimiser.step()
            ours, state = rule.step(ours, g, state, 0.01)
        largest = max(largest, (ours - theirs).abs().max().item())
    return rounding(largest)


def follow(name: str, surface: str, rate: float, factor: float = 1.0, steps: int = 100) -> Tensor:
    """Positions [steps + 1, 2] with the surface's loss multiplied by `factor`."""
    rule, theta = OPTIMISERS[name], torch.tensor(SURFACES[surface].start, **F64)
    state, path = rule.start(theta), [theta]
    for _ in range(steps):
        theta, state = rule.step(theta, factor * torch.stack(SURFACES[surface].slope(*theta)), state, rate)
        path.append(theta)
    return torch.stack(path)


@claim("L1.7.adam_scale")
def distance_of_adams_ways_on_a_loss_and_on_a_hundred_times_it() -> float:
    return rounding((follow("adam", "valley", 0.1) - follow("adam", "valley", 0.1, 100.0)).norm(dim=1).max().item(), 1e-5)


@claim("L1.7.descent_steps")
def steps_of_plain_descent_in_the_valley() -> int:
    return steps_below("sgd", "valley", 0.1)


@claim("L1.7.adam_steps")
def steps_of_adam_in_the_valley() -> int:
    return steps_below("adam", "valley", math.sqrt(0.1))


def steps_below(name: str, surface: str, rate: float) -> int:
    """Steps of 400 after which the loss stays below 0.001."""
    above = ~(SURFACES[surface].height(*follow(name, surface, rate, steps=400).T) < 1e-3)
    return int(above.nonzero().max()) + 1
