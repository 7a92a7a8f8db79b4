"""Do networks of the universality theorem's form learn targets that need the context, and for how many tokens?

    python studies/in_context_targets.py            (about five minutes of one core)

For each target and each shape five networks, each with parameters and clouds of its own, 1,200 steps on clouds of 8 to
64 tokens in [-1, 1]; then tested on clouds of 2 to 4,096, drawn from 6 populations of 1,024 atoms. float32.
"""

import math
import sys
from typing import Any, NamedTuple

import torch
from torch import Tensor

from course_lib.checks import trusted
from course_lib.results.study import Again, Part, Study
from course_lib.results.tables import short
from course_lib.universal import InContextNetworks

SEEDS = (0, 1, 2, 3, 4)
STEPS, WARM, RATE, BATCH, EARLY = 1200, 100, 0.01, 8, 50
FEWEST, MOST = 8, 64  # tokens of a training cloud
WIDTH, SHARP = 0.25, 0.1  # of the kernel, and of the step in the smoothed rank
COUNTS, DRAWS = (2, 4, 8, 16, 64, 256, 1024, 4096), (8, 8, 8, 8, 8, 4, 1, 1)
POPULATIONS, ATOMS, GRID = 2, 1024, 33  # populations of each of three families; points x
TEST_SEED, CONSTANT_SEED = 1_000_003, 2_000_003


# ------------------------------------------------------------------------------------------------------------- targets
def centred(cloud: Tensor, x: Tensor) -> Tensor:
    """x - mean of the cloud."""
    return x - cloud.mean(2, keepdim=True)


def rank(cloud: Tensor, x: Tensor) -> Tensor:
    """The share of the cloud whose first coordinate is below that of x, with a step smoothed by a logistic function."""
    return torch.sigmoid((x[..., :1] - cloud[:, :, None, :, 0]) / SHARP).mean(-1, keepdim=True)


def kernel(cloud: Tensor, x: Tensor) -> Tensor:
    """The mean of exp(-|x - y|²/2τ²) over the cloud's y."""
    squares = ((x[:, :, :, None] - cloud[:, :, None]) ** 2).sum(-1)
    return torch.exp(-squares / (2 * WIDTH**2)).mean(-1, keepdim=True)


TARGETS = {"centred": centred, "rank": rank, "kernel": kernel}


# -------------------------------------------------------------------------------------------------------------- clouds
def family(which: int, k: int, b: int, n: int, d: int, generator: torch.Generator) -> Tensor:
    """Clouds [k, b, n, d] in [-1, 1]^d, each from a law of its own: 0 a box, 1 up to three bumps, 2 up to four
    atoms."""

    def uniform(*shape: int) -> Tensor:
        return torch.rand(shape, generator=generator)

    if which == 0:
        half = 0.1 + 0.9 * uniform(k, b, 1, d)
        return (2 * uniform(k, b, 1, d) - 1) * (1 - half) + half * (2 * uniform(k, b, n, d) - 1)
    some = torch.randint(1, which + 3, (k, b, 1), generator=generator)  # of bumps or atoms
    weight = -torch.log1p(-uniform(k, b, 4)) * (torch.arange(4) < some)
    chosen = torch.multinomial(weight.flatten(0, 1), n, True, generator=generator).reshape(k, b, n, 1)
    if which == 2:
        return (2 * uniform(k, b, 4, d) - 1).gather(2, chosen.expand(-1, -1, -1, d))
    centre, spread = 1.6 * uniform(k, b, 4, d) - 0.8, 0.03 + 0.27 * uniform(k, b, 4, 1)
    noise = torch.randn(k, b, n, d, generator=generator)
    return (centre.gather(2, chosen.expand(-1, -1, -1, d)) + spread.gather(2, chosen) * noise).clamp(-1, 1)


def clouds(k: int, b: int, n: int, d: int, generator: torch.Generator) -> Tensor:
    """Clouds [k, b, n, d], each of a family that is drawn."""
    which = torch.randint(0, 3, (k, b, 1, 1), generator=generator)
    each = [family(i, k, b, n, d, generator) for i in range(3)]
    return torch.where(which == 0, each[0], torch.where(which == 1, each[1], each[2]))


def training_batch(k: int, step: int, d: int) -> tuple[Tensor, Tensor]:
    """Clouds of 8 to 64 tokens, and 32 points for each: 24 from all of [-1, 1]^d and 8 of its own tokens."""
    generator = torch.Generator().manual_seed(step)
    n = int(torch.randint(FEWEST, MOST + 1, (1,), generator=generator))
    cloud = clouds(k, BATCH, n, d, generator)
    return cloud, torch.cat([2 * torch.rand(k, BATCH, 24, d, generator=generator) - 1, cloud[:, :, :8]], 2)


# ------------------------------------------------------------------------------------------------------------ training
class Shape(NamedTuple):
    """Width of a token, heads, width of a head; whether there is attention at all."""

    d: int = 4  # d + 3d' for points on a line and one answer
    h: int = 1
    m: int = 1
    context: bool = True


SHAPES = {"theorem": Shape(), "no context": Shape(context=False), "wide head": Shape(m=4), "four heads": Shape(h=4)}


class Run(NamedTuple):
    target: str
    shape: str
    layers: int
    d: int = 1  # coordinates of a point

    @property
    def key(self) -> str:
        return f"{self.target} | {self.shape} | {self.layers}" + (" | plane" if self.d == 2 else "")


def plan() -> list[Run]:
    one, two, four = (
        [Run(target, "theorem", layers) for target in ("kernel", "rank", "centred")] for layers in (1, 2, 4)
    )
    without = [Run(target, "no context", 1) for target in TARGETS]
    four_heads, wide = [Run("kernel", "four heads", layers) for layers in (1, 2)], Run("kernel", "wide head", 2)
    return [
        *one,
        *without,
        four_heads[0],
        *two[:2],
        *four[:2],
        wide,
        four_heads[1],
        two[2],
        four[2],
        Run("centred", "theorem", 1, 2),
    ]


def train(run: Run, until: int | None = None) -> tuple[InContextNetworks, list[list[float]]]:
    """The networks and the loss of each at each step. `until` stops earlier, on the same path."""
    shape = SHAPES[run.shape]
    answers = run.d if run.target == "centred" else 1
    d = run.d + 3 * answers if shape.d == 4 else shape.d
    h = answers if shape.h == 1 else shape.h
    networks = InContextNetworks(run.d, answers, run.layers, d=d, h=h, m=shape.m, context=shape.context, seeds=SEEDS)
    optimiser, losses = torch.optim.Adam(networks.parameters(), lr=RATE), []
    with trusted():
        for step in range(1, (until or STEPS) + 1):
            optimiser.param_groups[0]["lr"] = (
                RATE * min(1.0, step / WARM) * (0.5 + 0.5 * math.cos(math.pi * step / STEPS))
            )
            cloud, x = training_batch(len(SEEDS), step, run.d)
            loss = ((networks(x, cloud) - TARGETS[run.target](cloud, x)) ** 2).mean((1, 2, 3))  # [k]
            optimiser.zero_grad()
            loss.sum().backward()  # the networks share no parameter: each gets the gradient of its own loss
            optimiser.step()
            losses.append(loss.tolist())
    return networks, losses


# ------------------------------------------------------------------------------------------------------------- testing
def grid(d: int) -> Tensor:
    """Points [1, 1, q, d]: 33 on the line, 11 × 11 in the plane."""
    axis = torch.linspace(-1, 1, GRID if d == 1 else 11)
    return torch.cartesian_prod(*[axis] * d).reshape(1, 1, -1, d)


def populations(d: int) -> Tensor:
    """[6, 1024, d]: the laws that test clouds are drawn from."""
    generator = torch.Generator().manual_seed(TEST_SEED)
    return torch.cat([family(i, 1, POPULATIONS, ATOMS, d, generator)[0] for i in range(3)])


def samples(n: int, draws: int, d: int) -> Tensor:
    """Clouds [6, draws, n, d] of n tokens drawn from the populations, with replacement."""
    generator = torch.Generator().manual_seed(TEST_SEED + n)
    people = populations(d)
    chosen = torch.randint(ATOMS, (len(people), draws * n, 1), generator=generator).expand(-1, -1, d)
    return people.gather(1, chosen).reshape(len(people), draws, n, d)


def answers(networks: InContextNetworks, cloud: Tensor, x: Tensor) -> Tensor:
    """[k, b, q, d'] of every network in the same clouds [b, n, d], cloud by cloud: 4,096² scores are enough at a
    time."""
    k, few = len(networks.W), max(1, 4096**2 // cloud.shape[1] ** 2 // 4)
    with torch.no_grad(), trusted():
        return torch.cat(
            [networks(x.expand(k, len(part), -1, -1), part[None].expand(k, -1, -1, -1)) for part in cloud.split(few)], 1
        )


def rms(values: Tensor) -> Tensor:
    """[k]: the root of the mean square of all that belongs to a network."""
    return (values**2).mean((1, 2, 3)).sqrt()


def test(networks: InContextNetworks, run: Run, counts: tuple[int, ...] = COUNTS) -> dict[str, Any]:
    """Errors [k] for each count: against the cloud's own answer, and against the population's; and on the
    population."""
    target, x, people = TARGETS[run.target], grid(run.d), populations(run.d)
    truth = target(people[None], x)  # [1, 6, q, d']
    table: dict[str, Any] = {
        "limit": short(rms(answers(networks, people, x) - truth)),
        "own": [],
        "population": [],
        "largest": [],
    }
    for n, draws in zip(COUNTS, DRAWS, strict=True):
        if n not in counts:
            continue
        cloud = samples(n, draws, run.d).flatten(0, 1)
        got = answers(networks, cloud, x)
        error = got - target(cloud[None], x)
        table["own"].append(short(rms(error)))
        table["population"].append(short(rms(got - truth.repeat_interleave(draws, 1))))
        table["largest"].append(short(error.abs().amax((1, 2, 3))))
    return table


def two_atoms() -> Tensor:
    """Clouds [b, 16, 1] on two places: 9 · 9 places, and 0 to 16 of the tokens at the first."""
    axis = torch.linspace(-1, 1, 9)
    first, second = torch.cartesian_prod(axis, axis).T
    return torch.cat([torch.where(torch.arange(16) < j, first[:, None], second[:, None]) for j in range(0, 17, 2)])[
        ..., None
    ]


def without_context(target: str) -> dict[str, Any]:
    """Errors for each count of the best answer that knows x alone, its mean over 4,000 training clouds; and of sampling
    itself."""
    x, function, generator = grid(1), TARGETS[target], torch.Generator().manual_seed(CONSTANT_SEED)
    best = function(clouds(1, 4000, 36, 1, generator), x).mean(1, keepdim=True)
    truth = function(populations(1)[None], x)
    table: dict[str, Any] = {"best": [], "noise": []}
    for n, draws in zip(COUNTS, DRAWS, strict=True):
        own = function(samples(n, draws, 1).flatten(0, 1)[None], x)
        table["best"].append(short(rms(own - best))[0])
        table["noise"].append(short(rms(own - truth.repeat_interleave(draws, 1)))[0])
    return table


def result(run: Run) -> dict[str, Any]:
    networks, losses = train(run)
    last = torch.tensor(losses[-100:]).mean(0).sqrt()
    small = COUNTS if run.d == 1 and run.shape in ("theorem", "no context") else COUNTS[:-1]
    table = {"early": short(torch.tensor(losses[EARLY - 1])), "trained": short(last), **test(networks, run, small)}
    if run.d == 1:
        cloud = two_atoms()
        error = answers(networks, cloud, grid(1)) - TARGETS[run.target](cloud[None], grid(1))
        table |= {"two atoms": short(rms(error)), "two atoms, largest": short(error.abs().amax((1, 2, 3)))}
    if run.shape == "theorem" and run.layers == (1 if run.target == "centred" else 4) and run.d == 1:
        table["network"] = networks.to_text(0)
    if run.target == "kernel" and run.shape == "theorem":
        table["networks"] = [
            networks.to_text(k) for k in range(len(SEEDS))
        ]  # a reader asks them in a context of her own
    return table


SETTINGS = {
    "steps": STEPS, "rate": RATE, "warm": WARM, "clouds a step": BATCH, "tokens": [FEWEST, MOST], "hidden": 32,
    "kernel width": WIDTH, "rank width": SHARP, "counts": list(COUNTS), "draws": list(DRAWS), "seeds": list(SEEDS),
}  # fmt: skip
STUDY = Study(
    "in_context_targets",
    {"settings": SETTINGS},
    {
        "targets": Part(without_context, {target: (target,) for target in TARGETS}),
        "runs": Part(result, {run.key: (run,) for run in plan()}),
    },
    minutes=5,
    again=[
        Again("targets", list(TARGETS), without_context, rel=2e-3),
        Again(
            "runs",
            ["centred | theorem | 1", "kernel | no context | 1"],
            lambda run: train(run, until=EARLY)[1][-1],
            "early",
            rel=2e-2,
        ),
    ],
)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
