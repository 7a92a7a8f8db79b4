"""Does a network fit noisy points better when it is wider, or when it is deeper?

    python studies/width_and_depth.py            (about six minutes of one core)

Two studies of networks with one input and one output, in float64, by Adam on the mean squared error over all points.
Seed s draws the points and the network, so that a band shows both kinds of luck:

- width: one hidden layer of tanh neurons, 1 to 256 of them, on 20 noisy points of a wave; errors on these training
  points, on 20 validation points and on 500 test points during the fit and, for the first seed, the fitted curve;
- decay: 8 and 64 neurons again with weight decay, the sum of all squared weights (no bias) added to the loss with a
  factor; and 8 neurons on 80 training points;
- depth: 1 to 4 hidden layers of ReLU neurons with nearly the same number of parameters, on 100 points of the wave and
  of a line folded three times, at two learning rates.
"""

import sys
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor

from course_lib.checks import trusted
from course_lib.neurons import Network, count, layer
from course_lib.results.study import Part, Study
from course_lib.results.tables import short

F64 = {"dtype": torch.float64}
SEEDS, GRID = tuple(range(10)), 81
POINTS = {"validation": 20, "test": 500}


def wave(x: Tensor) -> Tensor:
    return torch.sin(5 * x)


def folded(x: Tensor) -> Tensor:
    """A line folded three times: eight straight pieces between -1 and 1."""
    for _ in range(3):
        x = 1 - 2 * x.abs()
    return x


TARGETS: dict[str, Callable[[Tensor], Tensor]] = {"wave": wave, "folded": folded}


class Fit(NamedTuple):
    """widths and activation of the networks; what they are shown; how they are fitted."""

    widths: tuple[int, ...]
    activation: str
    target: str
    points: int
    noise: float
    rate: float
    look: tuple[int, ...]  # the steps after which the errors are taken; the last one ends the fit
    decay: float = 0.0  # times the sum of all squared weights is added to the loss


WIDTHS, LOOK = (1, 2, 4, 8, 16, 32, 64, 256), (50, 100, 200, 300, 500, 700, 1000, 1500, 2000, 3000, 5000)
DECAYS = (0.0001, 0.001, 0.01, 0.1)
DEPTHS = ((1, 143, 1), (1, 19, 19, 1), (1, 14, 13, 13, 1), (1, 11, 11, 11, 11, 1))  # 419 to 438 parameters
RATES = (0.003, 0.01)
FITS: dict[str, Fit] = {f"width {r}": Fit((1, r, 1), "tanh", "wave", 20, 0.3, 0.01, LOOK) for r in WIDTHS} | {
    f"width {r} | decay {decay}": Fit((1, r, 1), "tanh", "wave", 20, 0.3, 0.01, LOOK, decay) for r in (8,
    64) for decay in DECAYS
} | {"width 8 | points 80": Fit((1, 8, 1), "tanh", "wave", 80, 0.3, 0.01, LOOK)} | {
    f"depth {len(widths) - 2} | {target} | {rate}": Fit(widths, "relu", target, 100, 0.1, rate, (3000,))
    for target in TARGETS for widths in DEPTHS for rate in RATES
}  # fmt: skip


def draw(fit: Fit, seed: int, points: int) -> tuple[Tensor, Tensor]:
    """x [points, 1] uniform between -1 and 1, and the target there with normal noise."""
    generator = torch.Generator().manual_seed(seed)
    x = 2 * torch.rand(points, 1, generator=generator, **F64) - 1
    return x, TARGETS[fit.target](x) + fit.noise * torch.randn(points, 1, generator=generator, **F64)


def points(fit: Fit, seed: int, kind: str) -> tuple[Tensor, Tensor]:
    """training: what seed's network is fitted to; validation, test: fresh points of the same kind, with noise of their
    own."""
    first = {"training": 1000, "test": 2000, "validation": 3000}[kind]
    return draw(fit, first + seed, POINTS.get(kind, fit.points))


def study(fit: Fit, seeds: Sequence[int] = SEEDS, until: int | None = None) -> dict[str, Any]:
    """Fit one network a seed, all in one stack. training, validation, test: mean squared errors [len(look), seeds];
    curve: the first seed's."""
    networks = [
        Network(fit.widths, fit.activation, generator=torch.Generator().manual_seed(seed), **F64) for seed in seeds
    ]
    W = [torch.stack(each).detach().requires_grad_() for each in zip(*(network.W for network in networks), strict=True)]
    b = [
        torch.stack(each)[:, None].detach().requires_grad_()
        for each in zip(*(network.b for network in networks), strict=True)
    ]
    names = [fit.activation] * (len(W) - 1) + ["identity"]

    def answer(x: Tensor) -> Tensor:
        for each in zip(W, b, names, strict=True):
            x = layer(x, *each)
        return x

    each = {
        kind: [*map(torch.stack, zip(*(points(fit, seed, kind) for seed in seeds), strict=True))]
        for kind in ("training", *POINTS)
    }
    optimiser = torch.optim.Adam([*W, *b], lr=fit.rate)
    look = [step for step in fit.look if until is None or step <= until]
    errors: dict[str, list] = {kind: [] for kind in each}
    x, y = each["training"]
    with trusted():
        for step in range(1, look[-1] + 1):
            optimiser.zero_grad()
            loss = (answer(x) - y).square().mean((1, 2)).sum()  # a sum over seeds: each has its own gradient
            if fit.decay:
                loss = loss + fit.decay * sum(weights.square().sum() for weights in W)
            loss.backward()
            optimiser.step()
            if step in look:
                with torch.no_grad():
                    for kind, (places, wanted) in each.items():
                        errors[kind].append(short((answer(places) - wanted).square().mean((1, 2))))
        with torch.no_grad():
            curve = answer(torch.linspace(-1, 1, GRID, **F64)[:, None])[0, :, 0]
    return {**errors, "curve": [round(value, 3) for value in curve.tolist()]}


def settings() -> dict[str, Any]:
    return {
        "seeds": list(SEEDS), "points": POINTS, "grid": GRID, "optimiser": "Adam",
        "fits": {name: {**fit._asdict(), "widths": list(fit.widths), "look": list(fit.look),
        "parameters": count(fit.widths)} for name, fit in FITS.items()},
    }  # fmt: skip


WANTED = {name: (fit,) for name, fit in FITS.items()}
STUDY = Study("width_and_depth", {"settings": settings()}, {"fits": Part(study, WANTED)}, minutes=6)


if __name__ == "__main__":
    sys.exit(STUDY.main(__doc__))
