"""Chapter 3's pages on the scale √m and on the temperature: their numbers, computed as the pages compute them."""

import math
from functools import cache

import torch

from course_lib.attention import softmax

from . import claim
from .chapter3 import F64, HAMMER, X, seeded

# --- page 05: the scale -----------------------------------------------------------------------------------------------

WIDTHS = [4, 16, 64, 256, 1024]


@cache
def page_on_scale() -> dict[str, dict[int, float]]:
    """The page's measurements by width, in its order and from its one generator, so that they are its digits too."""
    generator, found = seeded(), {}

    def draw(*shape):
        return torch.randn(*shape, generator=generator, **F64)

    def rows(m, scale, count):
        return (draw(count, 1, m) * draw(count, 12, m)).sum(-1) * scale

    def largest_weight(m, scale):
        return softmax(rows(m, scale, 2_000)).max(-1).values.mean().item()

    def derivative_norm(m, scale):
        return derivative(rows(m, scale, 60))[0].mean().item()

    found["spread"] = {m: (draw(2, 10_000, m).prod(0)).sum(-1).std().item() for m in WIDTHS[:-1]}
    for name, measure in (("weight", largest_weight), ("norm", derivative_norm)):
        found[f"{name} without"] = {m: measure(m, 1.0) for m in WIDTHS}
        found[f"{name} divided"] = {m: measure(m, m**-0.5) for m in WIDTHS}
    return found


def derivative(scores: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Spectral norm of ∂softmax/∂scores for each row, and the theorem's bound 2(1 - p_max).

    Every 1 - p is summed from the other weights: the subtraction would leave only rounding where one weight is nearly 1.
    """
    p = softmax(scores)
    same = torch.eye(p.shape[-1], dtype=torch.bool)
    others = p[..., None, :].masked_fill(same, 0).sum(-1)  # 1 - p, [rows, s]
    J = torch.where(same, (p * others)[..., None], -p[..., :, None] * p[..., None, :])
    return torch.linalg.matrix_norm(J, ord=2), 2 * others.min(-1).values


@claim("S2.spread", rtol=0.01)
def spread_at_width_256() -> float:
    return page_on_scale()["spread"][256]


@claim("S2.exponent", rtol=0.02)
def exponent_of_the_spread() -> float:
    """Slope of the least-squares line through log spread against log m."""
    spread = page_on_scale()["spread"]
    x, y = (torch.tensor(list(values), **F64).log() for values in (spread.keys(), spread.values()))
    return ((x - x.mean()) @ y / ((x - x.mean()) ** 2).sum()).item()


@claim("S2.weight_without", rtol=0.01)
def largest_weight_without_the_division() -> float:
    return page_on_scale()["weight without"][1024]


@claim("S2.weight_divided", rtol=0.01)
def largest_weight_with_the_division() -> float:
    return page_on_scale()["weight divided"][1024]


@claim("S2.norm_without", rtol=0.01)
def derivative_without_the_division() -> float:
    return page_on_scale()["norm without"][1024]


@claim("S2.norm_divided", rtol=0.01)
def derivative_with_the_division() -> float:
    return page_on_scale()["norm divided"][1024]


@claim("S2.bound", rtol=0.01)
def largest_norm_over_its_bound(rows: int = 500) -> float:
    generator, ratios = seeded(), []
    for m in WIDTHS:
        q, k = (torch.randn(rows, s, m, generator=generator, **F64) for s in (1, 12))
        norm, bound = derivative((q * k).sum(-1))
        ratios.append((norm / bound).max().item())
    return max(ratios)


@cache
def scores_through_maps(d: int = 256, m: int = 16, n: int = 12) -> torch.Tensor:
    """Scores between different tokens of 400 random sequences, through maps with entries of variance 1/d."""
    generator = seeded()
    x = torch.randn(400, n, d, generator=generator, **F64)
    W_Q, W_K = (torch.randn(d, m, generator=generator, **F64) / math.sqrt(d) for _ in range(2))
    return ((x @ W_Q) @ (x @ W_K).mT)[:, ~torch.eye(n, dtype=torch.bool)]


@claim("R-E7.by_m", rtol=0.01)
def scores_over_root_m() -> float:
    return scores_through_maps().std().item() / math.sqrt(16)


@claim("R-E7.by_d", rtol=0.01)
def scores_over_root_d() -> float:
    return scores_through_maps().std().item() / math.sqrt(256)


# --- page 06: the temperature -----------------------------------------------------------------------------------------

SCORES = (X @ X.T)[HAMMER]


@claim("G1.2.cold")
def what_the_winner_lacks() -> float:
    return 1 - softmax(SCORES, temperature=0.2).max().item()


@claim("G1.2.hot")
def largest_weight_when_hot() -> float:
    return softmax(SCORES, temperature=10.0).max().item()


@claim("G1.2.slope")
def slope_of_the_entropy() -> float:
    temperature = torch.tensor(0.7, **F64, requires_grad=True)
    p = torch.softmax(SCORES / temperature, -1)
    (slope,) = torch.autograd.grad(-(p * p.log()).sum(), temperature)
    return slope.item()


def objective(p: torch.Tensor, temperature: float = 0.7) -> torch.Tensor:
    """Average score plus temperature times entropy."""
    return (p * SCORES).sum(-1) - temperature * torch.special.xlogy(p, p).sum(-1)


@claim("G1.2.gibbs")
def best_objective() -> float:
    return objective(softmax(SCORES, temperature=0.7)).item()


@claim("G1.2.rival")
def best_of_random_weightings() -> float:
    draws = torch.empty(100_000, 5, **F64).exponential_(generator=seeded())
    return objective(draws / draws.sum(-1, keepdim=True)).max().item()
