"""Chapter 3's page on the feed-forward layer: its numbers, computed as the page computes them."""

import math

import torch
import torch.nn.functional as F

from course_lib.attention import attend
from course_lib.results import load
from course_lib.transformer import FeedForward

from . import claim, rounding

F64 = {"dtype": torch.float64}
CASES = torch.tensor([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], **F64)
EXACTLY_ONE = torch.tensor([0.0, 1.0, 1.0, 0.0], **F64)
FIRST_WINDOW = 5


def best_affine() -> torch.Tensor:
    affine = torch.cat([CASES, torch.ones(4, 1, **F64)], 1)
    return affine @ torch.linalg.lstsq(affine, EXACTLY_ONE[:, None]).solution


@claim("P5.linear")
def error_of_the_best_affine_map() -> float:
    return (best_affine()[:, 0] - EXACTLY_ONE).abs().max().item()


def two_neurons() -> FeedForward:
    layer = FeedForward(2, 2, **F64)
    with torch.no_grad():
        layer.W_1.fill_(1.0)
        layer.b_1.copy_(torch.tensor([0.0, -1.0]))
        layer.W_2.copy_(torch.tensor([[1.0, 0.0], [-2.0, 0.0]]))
    return layer


@claim("P5.bent")
@torch.no_grad()
def error_of_two_neurons() -> float:
    return rounding((two_neurons()(CASES)[:, 0] - EXACTLY_ONE).abs().max().item())


def influence(f, x: torch.Tensor) -> torch.Tensor:
    """Norm of ∂ output_i / ∂ token_j: [n, n]."""
    return torch.autograd.functional.jacobian(f, x).pow(2).sum((1, 3)).sqrt()


def sideways() -> tuple[float, float]:
    """Largest influence of another token on an output: through attention, through a feed-forward layer."""
    generator = torch.Generator().manual_seed(0)
    layer = FeedForward(8, 32, generator=generator, **F64)
    x = torch.randn(6, 8, generator=generator, **F64)
    off = ~torch.eye(6, dtype=torch.bool)
    return tuple(influence(f, x)[off].max().item() for f in (lambda x: attend(x, x, x).output, layer))


@claim("G1.6.attention")
def influence_through_attention() -> float:
    return sideways()[0]


@claim("G1.6.feed_forward")
def influence_through_feed_forward() -> float:
    return sideways()[1]


def memory(number: int = 1000, d: int = 64) -> tuple[FeedForward, torch.Tensor, torch.Tensor]:
    """The layer of the theorem's proof, its keys and its values."""
    generator = torch.Generator().manual_seed(0)
    keys = F.normalize(torch.randn(number, d, generator=generator, **F64), dim=-1)
    values = torch.randn(number, d, generator=generator, **F64)
    threshold = (1 + (keys @ keys.T).fill_diagonal_(-1).max()) / 2
    layer = FeedForward(d, number, **F64)
    with torch.no_grad():
        layer.W_1.copy_(keys.T / (1 - threshold))
        layer.b_1.fill_(-threshold / (1 - threshold))
        layer.W_2.copy_(values)
    return layer, keys, values


@claim("P9.stored")
@torch.no_grad()
def error_of_a_thousand_facts() -> float:
    layer, keys, values = memory()
    return rounding((layer(keys) - values).abs().max().item(), 1e-9)


def left(place: str, part: str) -> float:
    """Share of the answer's probability left with layers 5–9 silent, geometric mean over the facts."""
    probe = load("fact_probe")
    window = probe["starts"].index(FIRST_WINDOW)
    return math.exp(sum(math.log(fact[place][part][window] / fact["whole"]) for fact in probe["facts"]) / len(probe["facts"]))


@claim("P9.name")
def left_without_feed_forward_at_the_name() -> float:
    return left("name", "feed-forward")


@claim("P9.control")
def left_without_feed_forward_at_the_next_token() -> float:
    return left("after", "feed-forward")


@claim("P9.attention")
def left_without_attention_at_the_name() -> float:
    return left("name", "attention")


@claim("P9.kolmogorov")
def probability_of_kolmogorov() -> float:
    return next(fact["whole"] for fact in load("fact_probe")["facts"] if fact["answer"] == "Kol")
