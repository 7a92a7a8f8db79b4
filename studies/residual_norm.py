"""What do skip connections and layer norm do for deep models? Small ones, trained with them and without.

    python studies/residual_norm.py            (about twelve minutes of one core)

Three studies on the task `reverse` (six letters, then the same backwards; course_lib/tasks.py), in float64:

- runs: every variant at every depth, three seeds, the same steps, batches and rate for all, with their first losses;
- moved: the gradients of twelve layers when the parameters have moved so far from their start, with a warm-up and
  without: after equal steps the two have moved by very different lengths;
- surfaces: the loss of trained models over planes through their parameters along pairs of filter-normalised random
  directions, with skip connections and without; the same pairs for all.  [Li et al. 2018, §4]
"""

import math
import sys
from collections.abc import Iterator
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from torch.func import functional_call

from course_lib.attention import causal_mask
from course_lib.checks import trusted
from course_lib.graphs import Generator
from course_lib.graphs.training import TokenModel, masked_cross_entropy
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.tasks import TASKS, Batch, one_hot
from course_lib.transformer import sinusoidal

TASK = TASKS["reverse"]
D, M, H, R = 32, 16, 2, 64
BATCH, STEPS, WARM, RATE, EVERY = 16, 200, 100, 0.003, 20
FIRST = 5  # losses kept of a run, which a test finds again
DEPTHS, SEEDS = (2, 6, 12), (0, 1, 2)
LOWER_RATE, LOWER = 0.001, ("pre", "post")  # these two also at the lower rate, in the deepest model
MOVED = (("pre", RATE), ("post", RATE), ("post, warm-up", RATE), ("post", LOWER_RATE))
TEST_SEED, TEST = 2_000_000_000, 64
MANY, FEWER = (0, 1, 2, 3, 4), (0, 1, 2)  # seeds of `moved`, those of its lower rate
LEVELS, MOVED_STEPS = (
    (1.0, 2.0, 4.0, 8.0),
    300,
)  # lengths by which the parameters have moved; a run ends at the last one
SURFACE_LAYERS, SURFACE_STEPS, POINTS, REACH = 2, 2000, 15, 1.0
ARRIVED, WINDOW = (
    0.05,
    50,
)  # models are trained until the mean loss of the last so many steps is below it, so that all stand equally low
PAIRS, DRAWN = (0, 1, 2, 3), 1  # a pair's number draws its directions; of this seed's models the heights are kept
LANDSCAPES = [(variant, SURFACE_LAYERS, seed) for seed in (1,) for variant in ("no skip", "pre")] + [("no skip", 4, 1)]
F64 = {"dtype": torch.float64}


class Variant(NamedTuple):
    """How a block is built: the norm's place, which of its two parts is skipped past, and whether the rate warms up."""

    norm: str
    skip: str = "both"  # or "feed-forward", "none"
    warm: bool = False


VARIANTS = {
    "pre": Variant("pre"),
    "post": Variant("post"),
    "post, warm-up": Variant("post", warm=True),
    "no norm": Variant("none"),
    "skip feed-forward only": Variant("pre", skip="feed-forward"),
    "no skip": Variant("pre", skip="none"),
    "neither": Variant("none", skip="none"),
}


class Run(NamedTuple):
    variant: str
    depth: int
    rate: float
    seed: int

    @property
    def key(self) -> str:
        return f"{self.variant} | {self.depth} | {self.rate} | {self.seed}"


def runs() -> Iterator[Run]:
    for depth in DEPTHS:
        for variant in VARIANTS:
            yield from (Run(variant, depth, RATE, seed) for seed in SEEDS)
    for variant in LOWER:
        yield from (Run(variant, DEPTHS[-1], LOWER_RATE, seed) for seed in SEEDS)


# ------------------------------------------------------------------------------------------------------------ training
def build(variant: Variant, depth: int, seed: int) -> TokenModel:
    generator = torch.Generator().manual_seed(seed)
    sizes = (depth, len(TASK.vocabulary), D, M, H, R)
    model = TokenModel(*sizes, norm=variant.norm, residual=variant.skip != "none", generator=generator, **F64)
    if variant.skip == "feed-forward":
        for block in model.encoder.blocks:
            block.around_attention.residual = False
    return model


def tensors(batch: Batch) -> tuple[Tensor, Tensor]:
    """One-hot tokens and targets [b, n, vocab]."""
    tokens, targets = (torch.from_numpy(one_hot(part, len(TASK.vocabulary))).double() for part in batch)
    return tokens, targets


def logits_of(model: TokenModel, tokens: Tensor, parameters: dict[str, Tensor] | None = None) -> Tensor:
    """Logits [b, n, vocab]; sinusoidal positions times √(2/d), so that each has length 1, as an embedding has on
    average."""
    positions = sinusoidal(TASK.n, D, **F64) * math.sqrt(2 / D)
    arguments = (tokens, positions, causal_mask(TASK.n), M**-0.5)
    return (model(*arguments) if parameters is None else functional_call(model, parameters, arguments))[0]


def training(run: Run, losses: list[float]) -> Iterator[TokenModel]:
    """The model after each step, whose loss in nats per answer is added to `losses`. Seed s draws parameters and
    batches."""
    variant = VARIANTS[run.variant]
    model, random = build(variant, run.depth, run.seed), Generator(run.seed)
    optimiser = torch.optim.Adam(model.parameters(), lr=run.rate)
    for step in count(1):
        if variant.warm:
            optimiser.param_groups[0]["lr"] = run.rate * min(1.0, step / WARM)
        tokens, targets = tensors(TASK.batch(random, BATCH))
        with trusted():
            loss = masked_cross_entropy(logits_of(model, tokens), targets)
            optimiser.zero_grad()
            loss.backward()
        optimiser.step()
        losses.append(loss.item())
        yield model


def train(run: Run, steps: int) -> tuple[TokenModel, list[float]]:
    """The trained model and its loss at each step."""
    losses: list[float] = []
    *_, model = islice(training(run, losses), steps)
    return model, losses


def study(run: Run, steps: int = STEPS) -> dict[str, Any]:
    """curve: mean loss over each 20 steps; first: the first losses; loss and accuracy: of the fixed test questions."""
    model, losses = train(run, steps)
    tokens, targets = tensors(TASK.batch(Generator(TEST_SEED), TEST))
    with torch.no_grad():
        logits = logits_of(model, tokens)
    asked = targets.sum(-1) > 0
    right = (logits.argmax(-1) == targets.argmax(-1))[asked].double().mean().item()
    curve = [short(np.mean(losses[start : start + EVERY])) for start in range(0, steps, EVERY)]
    return {
        "accuracy": round(right, 3),
        "loss": short(masked_cross_entropy(logits, targets).item()),
        "curve": curve,
        "first": short(losses[:FIRST]),
    }


def moving() -> Iterator[Run]:
    for way, rate in MOVED:
        yield from (Run(way, DEPTHS[-1], rate, seed) for seed in (MANY if rate == RATE else FEWER))


# --------------------------------------------------------------------------------------------------------------- moved
def gradients(model: TokenModel) -> tuple[list[float], float]:
    """Of the test questions: the length of each layer's gradient of W_2, and the loss."""
    tokens, targets = tensors(TASK.batch(Generator(TEST_SEED), TEST))
    weights = [block.feed_forward.W_2 for block in model.encoder.blocks]
    with trusted():
        loss = masked_cross_entropy(logits_of(model, tokens), targets)
        found = torch.autograd.grad(loss, weights)
    return [each.norm().item() for each in found], loss.item()


def distance(model: TokenModel, start: list[Tensor]) -> float:
    """‖θ - θ₀‖ over all parameters."""
    return math.sqrt(
        sum((now.detach() - then).square().sum().item() for now, then in zip(model.parameters(), start, strict=True))
    )


def moved(run: Run, levels: tuple[float, ...] = LEVELS, steps: int = MOVED_STEPS) -> dict[str, Any]:
    """at: for each level the first step after which the parameters have moved so far, how far, gradients and loss
    there."""
    start = [value.detach().clone() for value in build(VARIANTS[run.variant], run.depth, run.seed).parameters()]
    losses: list[float] = []
    at: list[dict[str, Any]] = []
    for model in islice(training(run, losses), steps):
        far = distance(model, start)
        while len(at) < len(levels) and far >= levels[len(at)]:
            lengths, loss = gradients(model)
            at.append({"step": len(losses), "moved": short(far), "gradients": short(lengths), "loss": short(loss)})
        if len(at) == len(levels):
            break
    return {"at": at, "first": short(losses[:FIRST])}


# ------------------------------------------------------------------------------------------------------------ surfaces
def direction(parameters: dict[str, Tensor], generator: torch.Generator) -> dict[str, Tensor]:
    """A normal random direction, each column of each matrix as long as the model's own; zero for gains and biases.

    A column [..., d_in, 1] of a matrix [..., d_in, d_out] is what makes one number of the next layer: a "filter".
    """
    drawn = {}
    for name, value in parameters.items():
        noise = torch.randn(value.shape, generator=generator, **F64)
        matrix = value.dim() > 1
        drawn[name] = (
            noise * value.norm(dim=-2, keepdim=True) / noise.norm(dim=-2, keepdim=True) if matrix else 0 * noise
        )
    return drawn


@torch.no_grad()
def surface(model: TokenModel, seed: int, points: int = POINTS) -> list[list[float]]:
    """z[i][j]: loss of the test questions at θ + axis[j]·δ + axis[i]·η, axis from -1 to 1; seed draws δ and η."""
    centre = {name: value.detach() for name, value in model.named_parameters()}
    generator = torch.Generator().manual_seed(seed)
    first, second = direction(centre, generator), direction(centre, generator)
    tokens, targets = tensors(TASK.batch(Generator(TEST_SEED), TEST))
    axis = np.linspace(-REACH, REACH, points).tolist()
    with trusted():
        return [
            [short(masked_cross_entropy(logits_of(model, tokens, {
                name: value + a * first[name] + b * second[name] for name, value in centre.items()
            }), targets).item()) for a in axis]
            for b in axis
        ]  # fmt: skip


def falling(z: np.ndarray) -> float:
    """Of all steps along rows and columns away from the middle of z [n, n], n odd: the share that leads down."""
    middle = len(z) // 2
    out = [half for part in (z, z.T) for half in (part[:, middle:], part[:, middle::-1])]
    return float(np.mean([np.diff(half, axis=1) < 0 for half in out]))


def saddled(z: np.ndarray) -> float:
    """Of the inner points of z [n, n]: the share where the matrix of second differences has a negative eigenvalue."""
    inner = z[1:-1, 1:-1]
    xx, yy = z[1:-1, 2:] + z[1:-1, :-2] - 2 * inner, z[2:, 1:-1] + z[:-2, 1:-1] - 2 * inner
    xy = (z[2:, 2:] + z[:-2, :-2] - z[2:, :-2] - z[:-2, 2:]) / 4
    return float(np.mean((xx + yy) / 2 < np.hypot((xx - yy) / 2, xy)))


def landscape(variant: str, layers: int, seed: int) -> dict[str, Any]:
    """steps: until the model arrived, None where it did not; curve: mean loss over each 100 steps.

    A pair's shares: of the square below half of guessing, falling, saddled. A model that has not arrived stands in no
    bowl: no pairs.
    """
    losses: list[float] = []
    arrived, pairs = None, []
    for trained in islice(training(Run(variant, layers, RATE, seed), losses), SURFACE_STEPS):
        if len(losses) >= WINDOW and np.mean(losses[-WINDOW:]) < ARRIVED:
            arrived, model = len(losses), trained
            break
    for pair in PAIRS if arrived else ():
        heights = surface(model, pair)
        z = np.array(heights)
        shares = {"low": (z < TASK.blind / 2).mean(), "falling": falling(z), "saddled": saddled(z)}
        pairs.append(
            {name: round(float(share), 4) for name, share in shares.items()} | ({"z": heights} if seed == DRAWN else {})
        )
    curve = [short(np.mean(losses[start : start + 100])) for start in range(0, len(losses), 100)]
    return {"steps": arrived, "curve": curve, "pairs": pairs, "first": short(losses[:FIRST])}


# --------------------------------------------------------------------------------------------------------------- table
def settings() -> dict[str, Any]:
    return {
        "task": TASK.name, "blind": round(TASK.blind, 4), "d": D, "m": M, "h": H, "r": R, "batch": BATCH,
        "steps": STEPS,
        "rate": RATE, "warm": WARM, "every": EVERY, "depths": list(DEPTHS), "seeds": list(SEEDS),
        "lower_rate": LOWER_RATE,
        "surface": {"layers": SURFACE_LAYERS, "steps": SURFACE_STEPS, "points": POINTS, "reach": REACH,
        "questions": TEST, "pairs": list(PAIRS), "drawn": DRAWN,
                    "arrived": ARRIVED, "window": WINDOW},
        "many": list(MANY), "fewer": list(FEWER), "levels": list(LEVELS), "moved_steps": MOVED_STEPS,
    }  # fmt: skip


STUDY = Study(
    "residual_norm",
    {"settings": settings()},
    {
        "runs": Part(study, {run.key: (run,) for run in runs()}),
        "surfaces": Part(landscape, {" | ".join(map(str, row)): row for row in LANDSCAPES}),
        "moved": Part(moved, {run.key: (run,) for run in moving()}),
    },
    minutes=12,
    again=[
        Again("runs", [f"pre | 2 | {RATE} | 0"], lambda run: study(run, EVERY), ("curve", "first"), rel=1e-2),
        Again(
            "runs",
            [
                f"post, warm-up | 2 | {RATE} | 1",
                f"skip feed-forward only | 6 | {RATE} | 2",
                f"neither | 12 | {RATE} | 1",
                f"post | 12 | {LOWER_RATE} | 0",
            ],
            lambda run: train(run, FIRST)[1],
            "first",
            rel=1e-2,
        ),
        Again(
            "surfaces",
            ["pre | 2 | 1", "no skip | 2 | 1"],
            lambda variant, layers, seed: train(Run(variant, layers, RATE, seed), FIRST)[1],
            "first",
            rel=1e-2,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
