"""Source G, §3.3 and its programs: teacher and student, by closed forms beside the loops, and from the stored study."""

import functools
import math

import numpy as np
import torch
from numpy.polynomial import polynomial

from course_lib.gaussian.beta import losses_in_beta, newton, teach
from course_lib.gaussian.layers import interpolated_loss
from course_lib.heads import random_heads
from course_lib.results import load

from . import claim, rounding


@functools.cache
def runs() -> dict:
    return load("teacher_student")["runs"]


def chosen(start: str) -> list[dict]:
    return [run for key, run in runs().items() if key.startswith(start) and key.removeprefix(start).isdigit()]


# ---- One number
@claim("G3.4.rate_80")
def rate_from_eighty_steps() -> float:
    """Learning rate times curvature, from β = 0.750 after 80 steps: (1 − x)^80 = 0.25."""
    return 1 - 0.25 ** (1 / 80)


@claim("G3.4.rate_250")
def rate_from_two_hundred_and_fifty() -> float:
    """The same from β = 0.987 after 250 steps."""
    return 1 - 0.013 ** (1 / 250)


@claim("G3.4.beta_250")
def beta_after_250_from_80() -> float:
    return 1 - 0.25 ** (250 / 80)


@claim("G3.4.curvature", rtol=1e-2)
def mean_curvature_at_epsilon_one() -> float:
    return float(np.mean([run["curvature"] for run in chosen("one_layer ")]))


@functools.cache
def quartic() -> np.ndarray:
    """‖F‖², ⟨F, G⟩, ‖G‖², means over 12 examples at the source's sizes, over d², with ε = 1: student minus teacher of map (3.3.2)
    is (β − 1)(εF + ε²(β + 1)G)."""
    generator = np.random.default_rng(0)
    heads = random_heads(164, 66, generator=generator)
    examples = teach(heads, 12, step=1.0, generator=generator, rule="congruence")
    _, _, c2, c3, c4 = losses_in_beta(examples, heads, step=1.0, rule="congruence").mean(0)
    return np.array([c2 + c3 + 2 * c4, c3 / 2, c4])


def loss_of_the_papers_map(step: float) -> np.ndarray:
    """Coefficients of 1, β, … β⁴."""
    f, g, q = quartic() * step ** np.array([2, 3, 4])
    return polynomial.polymul([1, -2, 1], [f + 2 * g + q, 2 * g + 2 * q, q])


@claim("G-E34.code")
def newtons_first_step_of_the_code() -> float:
    generator = np.random.default_rng(0)
    heads = random_heads(30, 12, generator=generator)
    return float(newton(losses_in_beta(teach(heads, 5, step=0.1, generator=generator), heads, step=0.1).mean(0), steps=1)[1])


@claim("G-E34.steps")
def newton_steps_at_a_tenth() -> int:
    """Steps until β is right to nine decimals, ε = 0.1."""
    return int(np.argmax(abs(newton(loss_of_the_papers_map(0.1), steps=20) - 1) < 5e-10))


@claim("G-E34.wrong")
def where_newton_goes_with_the_papers_map() -> float:
    """From β = 0 with ε = 1."""
    return float(newton(loss_of_the_papers_map(1.0), steps=50)[-1])


@claim("G-E34.curvature")
def curvature_where_newton_stops() -> float:
    beta = where_newton_goes_with_the_papers_map()
    return float(polynomial.polyval(beta, polynomial.polyder(loss_of_the_papers_map(1.0), 2)))


@claim("G-E34.from")
def step_from_which_newton_starts_the_wrong_way() -> float:
    """The ε at which the second derivative at β = 0 changes sign: ‖F‖² − 2ε⟨F, G⟩ − 2ε²‖G‖² = 0, in terms of ε = 1."""
    f, g, q = quartic()
    return float((math.sqrt(g**2 + 2 * q * f) - g) / (2 * q))


@functools.cache
def errors_of_training_beta() -> tuple[float, float]:
    """The program's gradient and Hessian in β, line by line, against autograd."""
    generator = np.random.default_rng(0)
    d, d_k, alpha, beta = 6, 3, 0.1, 0.4
    A, Q, K, R = (generator.standard_normal(shape) for shape in ((d, d), (d_k, d), (d_k, d), (d, d)))
    S = R @ R.T / math.sqrt(d)
    F = A @ S @ K.T @ Q @ S + S @ Q.T @ K @ S @ A.T
    T = S + alpha * F
    E = S + alpha * beta * F - T
    b = torch.tensor(beta, dtype=torch.float64, requires_grad=True)
    loss = (torch.from_numpy(S) + alpha * b * torch.from_numpy(F) - torch.from_numpy(T)).square().sum() / d**2
    (gradient,) = torch.autograd.grad(loss, b, create_graph=True)
    (hessian,) = torch.autograd.grad(gradient, b)
    return gradient.item() - 2 * alpha * (E * F).sum() / d**2, hessian.item() - 2 * alpha**2 * (F**2).sum() / d**2


@claim("G-E38.gradient")
def error_of_the_gradient_in_beta() -> float:
    return rounding(errors_of_training_beta()[0])


@claim("G-E38.hessian")
def error_of_the_hessian_in_beta() -> float:
    return rounding(errors_of_training_beta()[1])


@claim("G-E38.layers")
def error_of_the_gradient_through_layers() -> float:
    """The recursion of `training_multistep` for dΣ_T/dβ against autograd, four layers, relative."""
    generator = np.random.default_rng(0)
    d, d_k, alpha, beta, T = 6, 3, 0.05, 0.4, 4
    A, Q, K, R, Sout = (generator.standard_normal(shape) / math.sqrt(d) for shape in ((d, d), (d_k, d), (d_k, d), (d, d), (d, d)))
    S, G = R @ R.T, np.zeros((d, d))
    b = torch.tensor(beta, dtype=torch.float64, requires_grad=True)
    a, q, k, s = (torch.from_numpy(each) for each in (A, Q, K, S))
    for _ in range(T):
        F = alpha * (A @ S @ K.T @ Q @ S + S @ Q.T @ K @ S @ A.T)
        DF_G = alpha * (A @ G @ K.T @ Q @ S + A @ S @ K.T @ Q @ G + G @ Q.T @ K @ S @ A.T + S @ Q.T @ K @ G @ A.T)
        S, G = S + beta * F, G + F + beta * DF_G
        s = s + b * alpha * (a @ s @ k.T @ q @ s + s @ q.T @ k @ s @ a.T)
    ((s - torch.from_numpy(Sout)).square().sum() / d**2).backward()
    return rounding(2 / d**2 * ((S - Sout) * G).sum() / b.grad.item() - 1, 1e-11)


@claim("G-E36.hessian")
def hessian_of_one_number_has_entries() -> int:
    return int(np.size(polynomial.polyval(0.0, polynomial.polyder(np.array([1.0, -2.0, 1.0]), 2))))


@claim("G-E36.examples")
def examples_of_all_against_one() -> int:
    """A full-batch step goes through round(0.75 · 300) examples, a stochastic step through one."""
    return round(0.75 * 300) // 1


@claim("G-E36.seconds")
def seconds_of_one_newton_step() -> float:
    """All 80 passes of the source took 35.765 s; the first found β."""
    return 35.765 / 80


# ---- Many layers
@claim("G-E40.largest")
def largest_stable_rate_of_five_layers() -> float:
    """The largest 2/L″(1) over the seeds, T = 5, ε = 0.1."""
    return max(2 / run["curvature at 1"] for run in chosen("layers 5 "))


@claim("G-E40.first")
def shortest_first_step_at_a_half() -> float:
    """With rate 0.5 the first step from β = 0 ends here or further, over the seeds."""
    return min(run["first step at 0.5"] for run in chosen("layers 5 "))


@claim("G-E41.lowest")
def lowest_final_beta_of_ten_layers() -> float:
    return min(run["final"] for run in chosen("layers 10 "))


@claim("G-E41.highest")
def highest_final_beta_of_ten_layers() -> float:
    return max(run["final"] for run in chosen("layers 10 "))


@claim("G3.4.degree")
def degree_that_fixes_ten_layers() -> int:
    generator = np.random.default_rng(0)
    heads = random_heads(44, 16, generator=generator)
    return interpolated_loss(teach(heads, 4, step=1e-3, layers=10, generator=generator), heads, step=1e-3, layers=10).degree()


# ---- All matrices
def matrices(name: str) -> list[dict]:
    return chosen(f"matrices {name} ")


def loss_after(run: dict, epochs: int) -> float:
    """The stored loss of the epoch with this number, from 1; the first 60 and every tenth are kept."""
    return run["losses"][epochs - 1 if epochs <= 60 else 60 + (epochs - 60) // 10 - 1]


@claim("G-E39.shuffles")
def shuffles_an_epoch_of_the_source() -> int:
    """`randperm` stands once, before the loop over epochs."""
    return 0


@claim("G-E39.ratio", rtol=2e-2)
def cyclic_over_shuffled() -> float:
    """Final loss in fixed batches of 32 over that in shuffled ones, geometric mean over the starts."""
    return fixed_over_drawn(32)


@claim("G-E39.rest", rtol=2e-2)
def cyclic_over_shuffled_without_a_rest() -> float:
    """The same for batches of 25, which divide the 225 examples."""
    return fixed_over_drawn(25)


def fixed_over_drawn(batch: int) -> float:
    ratios = [a["training"] / b["training"] for a, b in zip(matrices(f"1 {batch} cyclic"), matrices(f"1 {batch}"), strict=True)]
    return float(np.exp(np.mean(np.log(ratios))))


@claim("G-E42.lowest", rtol=2e-2)
def highest_lowest_eigenvalue_on_the_plateau() -> float:
    """Over the starts: the Hessian's lowest eigenvalue found on the plateau, at its highest."""
    return max(run["lowest"] for run in chosen("plateau "))


@claim("G-E42.left")
def starts_without_noise_that_leave_the_plateau() -> int:
    """Full-batch descents whose loss ends below a fifth of that after 20 updates."""
    return sum(run["training"] < run["losses"][20] / 5 for run in matrices("1 225"))


@claim("G-E43.epochs", rtol=2e-2)
def loss_of_32_over_loss_of_1_at_equal_epochs() -> float:
    """After 150 epochs, ε = 0.3, geometric mean over the starts."""
    return float(np.exp(np.mean([math.log(loss_after(a, 150) / loss_after(b, 150)) for a, b in zip(matrices("0.3 32"), matrices("0.3 1"), strict=True)])))


@claim("G-E43.updates", rtol=2e-2)
def loss_of_32_over_loss_of_1_at_equal_updates() -> float:
    """After 3,600 updates: 450 epochs of 8 against 16 of 225."""
    return float(np.exp(np.mean([math.log(loss_after(a, 450) / loss_after(b, 16)) for a, b in zip(matrices("0.3 32"), matrices("0.3 1"), strict=True)])))


@claim("G-E44.drawn")
def examples_drawn_for_a_stochastic_step() -> int:
    """How the sentence must end: `idxTrain(randi(numel(idxTrain)))` is one number."""
    return int(np.size(np.random.default_rng(0).integers(225)))


@claim("G3.4.cosine")
def smallest_cosine_of_the_products() -> float:
    """|cos| of C and M with the teacher's, over the runs of B = 32 and of B = 1 at ε = 0.3."""
    return min(abs(run[f"cosine {name}"]) for run in [*matrices("1 32"), *matrices("0.3 1")] for name in "CM")


@claim("G3.4.single")
def largest_cosine_of_a_single_matrix() -> float:
    return max(abs(run[f"cosine {name}"]) for run in [*matrices("1 32"), *matrices("0.3 1")] for name in ("W_Q", "W_K", "W_V", "W_O"))


@claim("G3.4.validation")
def largest_gap_to_validation() -> float:
    """Validation loss over training loss, over all runs that end."""
    return max(run["validation"] / run["training"] for name in ("1 32", "1 225", "0.3 32", "0.3 1") for run in matrices(name))


# ---- The appendix's gradient
@functools.cache
def lines_for_gradA() -> tuple[float, float, float]:
    """At the source's sizes and a random student, five examples: relative errors of the right and of the printed line against
    autograd, and the printed one's cosine with the gradient."""
    generator = np.random.default_rng(0)
    d, d_k, alpha = 64, 36, 0.1 / 6
    teacher, student = (random_heads(d, d_k, c=d_k, generator=generator) for _ in range(2))
    examples = teach(teacher, 5, step=0.1, generator=generator)
    A, Q, K = student.writing[0].T, student.W_Q[0].T, student.W_K[0].T
    a = torch.tensor(A.copy(), requires_grad=True)
    k, q, S, T = (torch.from_numpy(np.ascontiguousarray(each)) for each in (K, Q, examples.inputs, examples.targets))
    half = a @ S @ k.T @ q @ S
    ((S + alpha * (half + half.mT) - T).square().sum() / d**2).backward()
    right, printed = np.zeros((d, d)), np.zeros((d, d))
    for S_in, S_out in zip(examples.inputs, examples.targets, strict=True):
        X, Y = S_in @ K.T @ Q @ S_in, S_in @ Q.T @ K @ S_in
        G = 2 / d**2 * (S_in + alpha * (A @ X + Y @ A.T) - S_out)
        printed += alpha * (G @ X.T + G @ Y.T)
        right += alpha * (G @ X.T + G @ Y)
    true = a.grad.numpy()
    size = np.linalg.norm(true)
    return np.linalg.norm(right - true) / size, np.linalg.norm(printed - true) / size, float(np.vdot(printed, true) / size / np.linalg.norm(printed))


@claim("G3.5.right")
def error_of_the_right_line() -> float:
    return rounding(lines_for_gradA()[0], 1e-11)


@claim("G3.5.printed")
def error_of_the_printed_line() -> float:
    return float(lines_for_gradA()[1])


@claim("G3.5.cosine")
def cosine_of_the_printed_line() -> float:
    return lines_for_gradA()[2]


@claim("G3.5.training", rtol=2e-2)
def printed_over_right_after_training() -> float:
    """Final loss with the printed line over that with the right one, fixed batches of 32, 150 epochs, geometric mean over the starts."""
    return float(np.exp(np.mean([math.log(a["training"] / b["training"]) for a, b in zip(matrices("1 32 printed"), matrices("1 32 cyclic"), strict=True)])))
