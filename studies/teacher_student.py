"""Does source G's student find its teacher? Many seeds, and the training of all four matrices.

    python studies/teacher_student.py            (some minutes of one core)

Three parts. `one_layer`: the curvature of the loss in β at d = 164, m = 66. `layers`: T = 5 with ε = 0.1, T = 10 with ε
= 1e-3, d = 44, m = 16. `matrices`: W_Q, W_K, W_V, W_O at d = 64, m = c = 36. All at the source's sizes, 300 examples of
which 225 train. Loss and learning rate matter only through ε² times the rate (a theorem on the page), so ε stands for
the rate too. At first there were three starts; starts 3 and 4 came later, with nothing else changed, since a sentence
about trainings asks for five.
"""

import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from course_lib.gaussian.beta import Examples, descend, losses_in_beta, teach
from course_lib.gaussian.layers import interpolated_loss, slope_within
from course_lib.gaussian.matrices import Weights, loss_and_gradient, loss_of, train_matrices
from course_lib.heads import Heads, random_heads
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short

COUNT, TRAINING, SEEDS = 300, 225, 20
LAYERS = ((5, 0.1), (10, 1e-3))
RATE = 0.1  # of the matrices
# name → ε, batch, shuffled, epochs
MATRICES = {
    "1 32": (1.0, 32, True, 150),
    "1 32 cyclic": (1.0, 32, False, 150),
    "1 32 printed": (1.0, 32, False, 150),
    "1 25": (1.0, 25, True, 120),  # 25 divides 225: no batch of one at the end
    "1 25 cyclic": (1.0, 25, False, 120),
    "1 225": (1.0, None, True, 600),
    "1 1": (1.0, 1, True, 20),
    "0.3 32": (0.3, 32, True, 500),
    "0.3 1": (0.3, 1, True, 150),
    "0.3 1 cyclic": (0.3, 1, False, 150),
}
STARTS = 5  # seeds of the matrices
WIDTHS, EPOCHS = (
    (36, 64),
    (20, 30, 40, 50, 60, 100),
)  # of the values, which the source does not give where it shows its plateau; and when to look
SMALL = {"d": 16, "m": 9, "step": 0.6, "epochs": 2500, "starts": 10}  # many starts without noise
KRYLOV = 40


def one_layer(seed: int) -> dict[str, Any]:
    """The second derivative of the loss in β, with ε = 1."""
    generator = np.random.default_rng(seed)
    heads = random_heads(164, 66, generator=generator)
    losses = losses_in_beta(teach(heads, TRAINING, step=1.0, generator=generator), heads, step=1.0)
    curvatures = 2 * losses[:, 2]
    return {
        "curvature": short(curvatures.mean()),
        "spread": short(curvatures.std() / curvatures.mean()),
        "largest": short(curvatures.max()),
    }


def through_layers(seed: int, layers: int, step: float) -> dict[str, Any]:
    """Curvature and slope of the loss in β; and where 3,000 steps of rate 0.5 end, or how many it takes to leave [−1,
    2]."""
    generator = np.random.default_rng(seed)
    heads = random_heads(44, 16, generator=generator)
    examples = teach(heads, TRAINING, step=step, layers=layers, generator=generator)
    series = interpolated_loss(examples, heads, step=step, layers=layers)
    found = {
        "degree": series.degree(),
        "loss at 0": short(series(0.0)),
        "curvature at 0": short(series.deriv(2)(0.0)),
        "curvature at 1": short(series.deriv(2)(1.0)),
    }
    slope = slope_within(series)
    rate = 0.5 if layers == 10 else 1 / series.deriv(2)(1.0)
    steps = 3000 if layers == 10 else 300
    return found | {
        "rate": short(rate),
        "steps": steps,
        "final": float(f"{descend(slope, rate=rate, steps=steps)[-1]:.6f}"),
        "first step at 0.5": short(-0.5 * slope(0.0)),
    }


def problem(seed: int, d: int, m: int, step: float, c: int | None = None) -> tuple[Heads, Examples, Heads]:
    """Teacher, examples and the student's start; values of width c, m unless given."""
    generator = np.random.default_rng(seed)
    teacher = random_heads(d, m, c=c or m, generator=generator)
    return (
        teacher,
        teach(teacher, COUNT, step=step, generator=generator),
        random_heads(d, m, c=c or m, generator=generator),
    )


def his_plateau(c: int, line: str, seed: int, at: tuple[int, ...] = EPOCHS) -> dict[str, Any]:
    """The losses of epochs `at`, in fixed batches of 32 with ε = 1, by the printed line or the right one."""
    _, examples, start = problem(seed, 64, 36, 1.0, c)
    training = examples[:TRAINING]
    if line == "printed":
        losses = printed_train(start, training, 1.0, 32, at[-1])[1]
    else:
        losses = train_matrices(start, training, step=1.0, rate=RATE, epochs=at[-1], batch=32, generator=None).losses
    return {"losses": short(losses[np.array(at) - 1])}


def printed_train(start: Heads, examples: Examples, step: float, batch: int, epochs: int) -> tuple[Heads, np.ndarray]:
    """As `train_matrices` in fixed batches, with the gradient of W_V and W_O that the source's line for gradA gives."""
    weights, alpha = Weights(start.W_Q[0], start.W_K[0], start.W_V[0], start.W_O[0]), step * start.scale
    change, losses = examples.targets - examples.inputs, np.zeros(epochs)
    for epoch in range(epochs):
        for begin in range(0, len(examples), batch):
            rows = slice(begin, begin + batch)
            loss, gradient = loss_and_gradient(weights, examples.inputs[rows], change[rows], alpha)
            of_M = printed_of_M(weights, examples.inputs[rows], change[rows], alpha)
            gradient = gradient._replace(W_V=of_M @ weights.W_O.T, W_O=weights.W_V.T @ of_M)
            weights = Weights(*(each - RATE * slope for each, slope in zip(weights, gradient, strict=True)))
            losses[epoch] += loss * len(change[rows]) / len(examples)
    return Heads(*(each[None] for each in weights), start.scale), losses


def printed_of_M(weights: Weights, S: np.ndarray, change: np.ndarray, alpha: float) -> np.ndarray:
    """The transpose of the source's mean gradA = alpha (G X' + G Y'), X = Y' = Σ W_K W_Qᵀ Σ in our letters."""
    X = S @ weights.W_K @ weights.W_Q.T @ S
    half = np.swapaxes(X, -1, -2) @ (weights.W_V @ weights.W_O)
    G = 2 * (alpha * (half + np.swapaxes(half, -1, -2)) - change) / (len(S) * S.shape[1] ** 2)
    return alpha * ((X + np.swapaxes(X, -1, -2)) @ G).sum(0)


def matrices(name: str, seed: int, epochs: int | None = None) -> dict[str, Any]:
    """Train as `name` says (for fewer epochs, if given) and compare the student with its teacher."""
    step, batch, shuffled, all_epochs = MATRICES[name]
    epochs = all_epochs if epochs is None else epochs
    teacher, examples, start = problem(seed, 64, 36, step)
    training, held_out = examples[:TRAINING], examples[TRAINING:]
    generator = np.random.default_rng([seed, 1]) if shuffled else None
    try:
        if name.endswith("printed"):
            heads, losses = printed_train(start, training, step, batch, epochs)
        else:
            heads, losses, _ = train_matrices(
                start, training, step=step, rate=RATE, epochs=epochs, batch=batch, generator=generator
            )
    except ValueError as error:
        return {"overflow": str(error).split("got an overflow in ")[1]}
    return {
        "updates an epoch": -(-TRAINING // (batch or TRAINING)),
        "losses": short(losses[kept(epochs)]), "training": short(loss_of(heads, training, step=step)),
        "validation": short(loss_of(heads, held_out, step=step)),
        **recovered(heads, teacher),
    }  # fmt: skip


def kept(epochs: int) -> np.ndarray:
    """The epochs, from 0, whose losses are stored: the first 60, then every tenth."""
    return np.array([epoch for epoch in range(epochs) if epoch < 60 or epoch % 10 == 9])


def recovered(student: Heads, teacher: Heads) -> dict[str, Any]:
    """Cosines of the products and of the single matrices with the teacher's; λ of C ≈ λ C*."""
    pairs = {"C": (student.scoring, teacher.scoring), "M": (student.writing, teacher.writing)} | {
        name: (getattr(student, name), getattr(teacher, name)) for name in ("W_Q", "W_K", "W_V", "W_O")
    }
    found = {
        f"cosine {name}": short(np.vdot(a, b) / np.linalg.norm(a) / np.linalg.norm(b)) for name, (a, b) in pairs.items()
    }
    C, like = pairs["C"]
    return found | {"lambda": short(np.vdot(C, like) / np.vdot(like, like))}


def plateau(seed: int) -> dict[str, Any]:
    """Full-batch descent, no noise, from the start of "1 225": at the slowest moment of the first 400 updates before
    the loss has fallen to a fifth of what it was at update 20, the gradient's length and the Hessian's extreme
    eigenvalues (Lanczos)."""
    step = 1.0
    _, examples, start = problem(seed, 64, 36, step)
    training = examples[:TRAINING]
    stored: list[Heads] = []
    losses = train_matrices(
        start, training, step=step, rate=RATE, epochs=400, generator=None, watch=stored.append
    ).losses
    end = next((i for i in range(20, 400) if losses[i] < losses[20] / 5), 399)
    falls = -np.diff(np.log(losses))
    slowest = 20 + int(np.convolve(falls[20:end], np.ones(10) / 10, "valid").argmin()) + 5
    heads, change, alpha = stored[slowest - 1], training.targets - training.inputs, step * start.scale
    here = Weights(heads.W_Q[0], heads.W_K[0], heads.W_V[0], heads.W_O[0])
    shapes = [each.shape for each in here]

    def gradient(flat: np.ndarray) -> np.ndarray:
        parts = np.split(flat, np.cumsum([np.prod(shape) for shape in shapes])[:-1])
        weights = Weights(*(part.reshape(shape) for part, shape in zip(parts, shapes, strict=True)))
        return np.concatenate([each.ravel() for each in loss_and_gradient(weights, training.inputs, change, alpha)[1]])

    point = np.concatenate([each.ravel() for each in here])
    low, high = lanczos(
        lambda v: (gradient(point + 1e-4 * v) - gradient(point - 1e-4 * v)) / 2e-4, len(point), np.random.default_rng(0)
    )
    length = float(np.linalg.norm(gradient(point)))
    return {
        "update": slowest,
        "loss": short(losses[slowest]),
        "gradient": short(length),
        "fall": short(RATE * length**2 / losses[slowest]),
        "lowest": short(low),
        "highest": short(high),
        "left after": end,
    }


def lanczos(times: Any, size: int, generator: np.random.Generator) -> tuple[float, float]:
    """Extreme Ritz values of a symmetric operator: each is a Rayleigh quotient, so the lowest eigenvalue is no higher
    than the first."""
    basis = [generator.standard_normal(size)]
    basis[0] /= np.linalg.norm(basis[0])
    diagonal, beside = [], []
    for _ in range(KRYLOV):
        w = times(basis[-1])
        diagonal.append(w @ basis[-1])
        for each in basis:
            w = w - (w @ each) * each
        beside.append(np.linalg.norm(w))
        basis.append(w / beside[-1])
    values = np.linalg.eigvalsh(np.diag(diagonal) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1))
    return float(values[0]), float(values[-1])


def small(seed: int) -> dict[str, Any]:
    """A small problem by full-batch descent: where does the loss end?"""
    teacher, examples, start = problem(seed, SMALL["d"], SMALL["m"], SMALL["step"])
    heads, losses, _ = train_matrices(
        start, examples[:TRAINING], step=SMALL["step"], rate=RATE, epochs=SMALL["epochs"], generator=None
    )
    return {"losses": short(losses[[0, 99, 499, 999, SMALL["epochs"] - 1]])} | recovered(heads, teacher)


def wanted() -> Iterator[tuple[str, tuple]]:
    """Every run: its key in the table and its arguments."""
    for seed in range(SEEDS):
        yield f"one_layer {seed}", (one_layer, seed)
    for layers, step in LAYERS:
        for seed in range(SEEDS):
            yield f"layers {layers} {seed}", (through_layers, seed, layers, step)
    for seed in range(STARTS):
        for name in MATRICES:
            yield f"matrices {name} {seed}", (matrices, name, seed)
        yield f"plateau {seed}", (plateau, seed)
    for c in WIDTHS:
        for line in ("printed", "right"):
            for seed in range(5):
                yield f"his {c} {line} {seed}", (his_plateau, c, line, seed)
    for seed in range(SMALL["starts"]):
        yield f"small {seed}", (small, seed)


def run(part: Callable[..., dict[str, Any]], *which: Any) -> dict[str, Any]:
    return part(*which)


SETTINGS = {"count": COUNT, "training": TRAINING, "rate": RATE, "matrices": MATRICES, "small": SMALL}
STUDY = Study(
    "teacher_student",
    {"settings": SETTINGS},
    {"runs": Part(run, dict(wanted()))},
    again=[
        Again("runs", ["layers 5 3", "layers 10 4", "one_layer 7"], run, rel=2e-3, abs=1e-5),
        Again(
            "runs", ["his 36 printed 1", "his 64 right 2"], lambda *key: run(*key, EPOCHS[:1]), ("losses",), rel=1e-3
        ),
        Again(
            "runs",
            [f"matrices {name} 1" for name in ("1 32", "1 32 cyclic", "1 32 printed", "0.3 1")],
            lambda *key: run(*key, 3),
            ("losses",),
            rel=2e-3,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
