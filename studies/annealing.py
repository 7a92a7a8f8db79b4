"""How large the excess loss of a constant rate is, beside what the law of the walk predicts from the model's slopes.

    python studies/annealing.py            (about an hour of one core)

Part `rows`: the 72 published shapes, four seeds each, 1,500 updates and 8,000; the four smallest of each vocabulary
also 24,000, and the seven of four words with d of 64 and more. (Of the 33 shapes that the study of all shapes has at
24,000 these 19 were taken for their cost, before any of their ratios was looked at.) Part `factors`: on three shapes of
four words, always new sequences, one setting of the training changed at a time. Part `course`: the three shapes again
for 8,000 updates, and the gain on the way; the smallest also with other norms. Seeds and the window were fixed before
the first row was made.

A run's excess is the mean of D(p‖q), q the mean prediction over 64 inputs, over every 20th update of the last two
fifths; the law is evaluated six times there. For learnable k let s_k be the standard deviation, under p, of its v
slopes ∂(mean logit)/∂θ_k. Then

    Adam:  rate/(4√b) · Σ s_k        SGD:  rate/(4b) · Σ s_k²        with Adam's own divisors √v̂_k:  rate/(4b) · Σ
                                     s_k²/√v̂_k
"""

import sys
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from course_lib.memoryless import Batches, Ensemble, Sizes, Training, count, predictions
from course_lib.memoryless.model import EPS
from course_lib.memoryless.study import READINGS, configurations, seeds_of
from course_lib.published import P
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.sources import Memoryless, divergence

SEEDS, WINDOW, EVERY, LOOKS = 4, 0.4, 20, 6
INPUTS, FEW = 64, 32  # for a prediction, for slopes
SHAPES = (Sizes(4, 16, 8, 4, 16), Sizes(4, 32, 16, 8, 32), Sizes(4, 64, 64, 32, 256))
NUMBER = {8: 16, 16: 16, 64: 4}  # seeds of a factor's run, by the width
TIMES = (10, 25, 50, 100, 200, 400, 800, 1500, 3000, 8000)
FACTORS: dict[str, tuple[dict[str, Any], str, str]] = {  # what is changed: training, optimiser, place of the norm
    "as published": ({}, "Adam", "post"),
    "rate 0.0003": ({"rate": 3e-4}, "Adam", "post"),
    "rate 0.003": ({"rate": 3e-3}, "Adam", "post"),
    "rate 0.01": ({"rate": 1e-2}, "Adam", "post"),
    "batch 4": ({"batch": 4}, "Adam", "post"),
    "batch 64": ({"batch": 64}, "Adam", "post"),
    "beta_2 0.9": ({"betas": (0.9, 0.9)}, "Adam", "post"),
    "beta_2 0.99": ({"betas": (0.9, 0.99)}, "Adam", "post"),
    "beta_2 0.999": ({"betas": (0.9, 0.999)}, "Adam", "post"),
    "SGD, rate 0.03": ({"rate": 0.03}, "SGD", "post"),
    "SGD, rate 0.1": ({"rate": 0.1}, "SGD", "post"),
    "norm before": ({}, "Adam", "pre"),
    "no norm": ({}, "Adam", "none"),
}


class Elsewhere(Ensemble):
    """The ensemble with each norm before its part (and one before the read-out), or without norms; gradients by
    autograd."""

    def __init__(self, *given: Any, norm: str, **more: Any) -> None:
        super().__init__(*given, **more)
        self.norm = norm
        self.flat.requires_grad_(True)

    def logits(self, tokens: Tensor) -> Tensor:
        p, pre, S = self.by_name(), self.norm == "pre", len(self.seeds)
        tokens = tokens.long().expand(S, *tokens.shape[-2:])
        standard = (lambda x: F.layer_norm(x, x.shape[-1:], eps=EPS)) if pre else (lambda x: x)
        X = p["E"][torch.arange(S)[:, None, None], tokens] + p["P"][:, None]  # [S, b, n, d]
        N = standard(X) * p["gamma_1"][:, None, None] + p["beta_1"][:, None, None]
        K, V = (N @ p[f"W_{x}"][:, None] + p[f"w_{x.lower()}"][:, None, None] for x in "KV")
        Q = N[:, :, -1:] @ p["W_Q"][:, None] + p["w_q"][:, None, None]  # [S, b, 1, m]
        O = (Q @ K.mT * self.factor).softmax(-1) @ V
        Y = X[:, :, -1] + O[:, :, 0] @ p["W_O"] + p["w_o"][:, None]  # [S, b, d]
        N = standard(Y) * p["gamma_2"][:, None] + p["beta_2"][:, None]
        Y = Y + torch.relu(N @ p["W_1"] + p["w_1"][:, None]) @ p["W_2"] + p["w_2"][:, None]
        return standard(Y) @ p["W_3"] + p["w_3"][:, None]

    def by_name(self) -> dict[str, Tensor]:
        shapes = {name: part.shape for name, part in self.parameters.items()}
        return {name: part.reshape(shapes[name]) for name, part in self.by_model(self.flat).items()}

    def differentiate(self, tokens: Tensor, targets: Tensor) -> Tensor:
        with torch.enable_grad():
            logits = self.logits(tokens)
            losses = F.cross_entropy(logits.transpose(1, 2), targets, reduction="none").mean(1)
            self.gradient.copy_(torch.autograd.grad(losses.sum(), self.flat)[0])
        return losses.detach()

    def slopes(self, tokens: Tensor) -> Tensor:
        with torch.enable_grad():
            means = self.logits(tokens).mean(1).sum(0)
            return torch.stack([torch.autograd.grad(each, self.flat, retain_graph=True)[0] for each in means])


def law(ensemble: Ensemble, words: Tensor, rate: float, batch: int, optimiser: str) -> dict[str, np.ndarray]:
    """What is predicted for each model [S]: its gain, that of logit 1 alone, the law, and the law with Adam's own
    divisors, nats."""
    p = torch.tensor(P[ensemble.sizes.v], dtype=torch.float32)
    bias = (p * (1 - p)).sqrt().sum()  # Σ s_k of the biases alone
    slopes = ensemble.slopes(words)
    s = ((slopes.square() * p[:, None]).sum(0) - (slopes * p[:, None]).sum(0).square()).clamp(min=0).sqrt()
    sums = lambda flat: sum(part.sum(1) for part in ensemble.by_model(flat).values())
    first = sums((slopes[0] - slopes.mean(0)).abs()) / (2 * (len(p) - 1) / len(p))
    found = {"gain": sums(s) / bias, "gain one": first}
    found["law"] = rate / (4 * batch**0.5) * sums(s) if optimiser == "Adam" else rate / (4 * batch) * sums(s.square())
    if optimiser == "Adam":
        state = ensemble.optimiser.state[ensemble.flat]
        root = (
            state["exp_avg_sq"] / (1 - ensemble.optimiser.param_groups[0]["betas"][1] ** state["step"].item())
        ).sqrt() + 1e-8
        found["own"] = rate / (4 * batch) * sums(s.square() / root)
    return {name: each.numpy() for name, each in found.items()}


def before_norms(ensemble: Ensemble, words: Tensor) -> list[np.ndarray]:
    """For each model the spread over columns of a row before the first norm and before the second: what the norm
    divides by."""
    stages = [ensemble.model(i).stages(words) for i in range(len(ensemble.seeds))]
    models = [ensemble.model(i) for i in range(len(ensemble.seeds))]
    second = [s.N + torch.relu(s.N @ m.W_1 + m.w_1) @ m.W_2 + m.w_2 for s, m in zip(stages, models, strict=True)]
    rows = [[(s.X + s.Y)[:, -1] for s in stages], [each[:, -1] for each in second]]
    return [np.array([row.std(-1, correction=0).mean().item() for row in part]) for part in rows]


@torch.no_grad()
def walk(
    sizes: Sizes,
    seeds: list[int],
    training: Training,
    *,
    optimiser: str = "Adam",
    norm: str = "post",
    times: tuple[int, ...] = (),
) -> dict[str, Any]:
    """Train at a constant rate; first: the first three losses; then a number a seed, or for the course one a time and
    seed."""
    source, more = Memoryless(P[sizes.v]), {"betas": training.betas}
    ensemble = Ensemble(sizes, seeds, **more) if norm == "post" else Elsewhere(sizes, seeds, norm=norm, **more)
    ensemble.flat.grad = ensemble.gradient
    if optimiser == "SGD":
        ensemble.optimiser = torch.optim.SGD([ensemble.flat], lr=training.rate)
    batches = Batches(source, seeds, sizes.n, training.batch, training.sequences)
    words = torch.from_numpy(source.sample(FEW, sizes.n, np.random.default_rng(5)))
    begin, first, excess, laws = round((1 - WINDOW) * training.updates), [], [], []
    looks = {round(begin + (training.updates - begin) * i / LOOKS) for i in range(1, LOOKS + 1)}
    course: dict[str, list[Any]] = {name: [] for name in ("gain", "excess", "first norm", "second norm")}
    for update in range(1, training.updates + 1):
        losses = ensemble.step(*batches.at(update - 1), training.rate)
        if update <= 3:
            first.append(short(losses.numpy()))
        if update in times or (update > begin and update % EVERY == 0):
            q = predictions(ensemble, source, inputs=INPUTS, seed=update)[0].mean(1)
            now = divergence(source.p, q, tolerance=1e-5)
            if update > begin and update % EVERY == 0:
                excess.append(now)
        if update in times:
            gain = law(ensemble, words, training.rate, training.batch, optimiser)["gain"]
            for name, value in zip(
                course, (gain, now, *(before_norms(ensemble, words) if norm == "post" else ())), strict=False
            ):
                course[name].append(short(value))
        if update in looks:
            laws.append(law(ensemble, words, training.rate, training.batch, optimiser))
    means = {name: short(np.mean([each[name] for each in laws], 0), 4) for name in laws[0]}
    return {"first": first, "excess": short(np.mean(excess, 0), 4)} | means | ({"course": course} if times else {})


def published_row(shape: Sizes, updates: int) -> dict[str, Any]:
    """A published shape under a reading of the budget, trained as in the study of all shapes, the first of its
    seeds."""
    training = Training(updates=updates, sequences=READINGS[updates])
    return {"shape": list(shape), "updates": updates} | walk(shape, seeds_of(shape, SEEDS), training)


def factor_row(shape: Sizes, name: str) -> dict[str, Any]:
    changed, optimiser, norm = FACTORS[name]
    training = Training(**{"sequences": None, **changed})
    return {"shape": list(shape), "changed": name} | walk(
        shape, list(range(NUMBER[shape.d])), training, optimiser=optimiser, norm=norm
    )


def course_row(shape: Sizes, norm: str) -> dict[str, Any]:
    training = Training(updates=TIMES[-1], sequences=None)
    return {"shape": list(shape), "norm": norm} | walk(
        shape, list(range(NUMBER[shape.d] // 2)), training, norm=norm, times=TIMES
    )


def settings() -> dict[str, Any]:
    return {
        "seeds": SEEDS, "window": WINDOW, "every": EVERY, "looks": LOOKS, "inputs": INPUTS, "inputs of slopes": FEW,
        "times": list(TIMES),
        "factor seeds": {str(width): number for width, number in NUMBER.items()},
        "learnables": {str(list(shape)): count(shape) for shape in configurations()},
    }  # fmt: skip


COURSES = [(shape, "post") for shape in SHAPES] + [(SHAPES[0], "pre"), (SHAPES[0], "none")]
SMALL_TO_LARGE = sorted(configurations(), key=lambda shape: (shape[1:], shape.v))
SMALLEST = [
    shape
    for shape in SMALL_TO_LARGE
    if sum(count(other) < count(shape) for other in configurations() if other.v == shape.v) < 4
]
LONG = SMALLEST + [shape for shape in SMALL_TO_LARGE if shape.v == 4 and shape.d >= 64]
BUDGETS = {1500: SMALL_TO_LARGE, 8000: SMALL_TO_LARGE, 24000: LONG}
# The third shape has post-norm only.
CHANGED = [
    (shape, name) for shape in SHAPES for name, (_, _, norm) in FACTORS.items() if norm == "post" or shape.d < 64
]
STUDY = Study(
    "annealing",
    {"settings": settings()},
    {
        "course": Part(course_row, COURSES, key=("shape", "norm"), effort=lambda *_: TIMES[-1]),
        "factors": Part(factor_row, CHANGED, key=("shape", "changed"), effort=lambda *_: 1500),
        "rows": Part(
            published_row,
            [(shape, updates) for updates, shapes in BUDGETS.items() for shape in shapes],
            key=("shape", "updates"),
            effort=lambda shape, updates: updates,
        ),
    },
    minutes=65,
    again=[
        Again(
            "course",
            [(SHAPES[0], norm) for norm in ("post", "pre", "none")],
            lambda shape, norm: walk(shape, [0, 1], Training(updates=20, sequences=None), norm=norm, times=(3,))[
                "first"
            ],
            "first",
            rel=2e-3,
        ),
        Again(
            "rows",
            [(SHAPES[0], 1500)],
            lambda shape, updates: walk(shape, seeds_of(shape, 4), Training(updates=20, sequences=READINGS[updates]))[
                "first"
            ],
            "first",
            rel=2e-3,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
