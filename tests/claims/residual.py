"""Chapter 3's page on skip connections and layer norm: its numbers, computed as the page computes them or read from its table."""

import math
from functools import cache

import torch
from torch import Tensor, nn

from course_lib.attention import causal_mask
from course_lib.results import load
from course_lib.transformer import Encoder, LayerNorm

from . import claim, rounding

F64 = {"dtype": torch.float64}


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def stack(depth: int, norm: str, skip: str, seed: int = 0) -> tuple[Encoder, torch.Generator]:
    """Blocks alone, skipped past "both" parts, past the "feed-forward" part only, or past "none"."""
    generator = seeded(seed)
    encoder = Encoder(depth, 32, 8, 4, 64, norm=norm, residual=skip != "none", generator=generator, **F64)
    encoder.final_norm = None
    for block in encoder.blocks:
        block.around_attention.residual = skip == "both"
    return encoder, generator


@cache
def look(depth: int, norm: str, skip: str) -> tuple[float, float]:
    """Length at the input of a gradient of length 1; share of the tokens' squared size that is not their mean."""
    encoder, generator = stack(depth, norm, skip)
    x, u = torch.randn(2, 8, 32, generator=generator, **F64)
    x.requires_grad_()
    y = encoder(x, causal_mask(8)).output
    (gradient,) = torch.autograd.grad((y * u).sum(), x)
    return (gradient.norm() / u.norm()).item(), ((y - y.mean(0)).square().sum() / y.square().sum()).item()


# --- skip connections -------------------------------------------------------------------------------------------------


@claim("P5.vanishes")
def power_of_ten_without_skip_or_norm() -> float:
    return math.log10(look(16, "none", "none")[0])


@claim("P5.explodes")
def power_of_ten_with_skip_without_norm() -> float:
    return math.log10(look(16, "none", "both")[0])


@claim("P5.norm")
def power_of_ten_without_skip_with_norm() -> float:
    return math.log10(look(16, "pre", "none")[0])


@claim("P5.differences")
def power_of_ten_of_the_differences_without_skip() -> float:
    return math.log10(look(16, "pre", "none")[1])


@claim("P5.differences-kept")
def power_of_ten_of_the_differences_with_skip() -> float:
    return math.log10(look(16, "pre", "both")[1])


@claim("P-E6.attention")
def power_of_ten_of_the_differences_with_skip_past_feed_forward() -> float:
    return math.log10(look(16, "pre", "feed-forward")[1])


@cache
def singular_values(L: float = 1 / 32, depth: int = 32, d: int = 16) -> tuple[Tensor, Tensor]:
    """Of the derivatives of `depth` small maps in a row, with skip connections and without; each map's norm is at most L."""
    y, with_skip, without = torch.randn(d, generator=seeded(), **F64), torch.eye(d, **F64), torch.eye(d, **F64)
    for seed in range(depth):
        A, B = (torch.linalg.qr(torch.randn(d, d, generator=seeded(2 * seed + k), **F64)).Q for k in range(2))
        J = L * (B.T * (1 - torch.tanh(y @ A) ** 2)) @ A.T
        with_skip, without = (torch.eye(d, **F64) + J) @ with_skip, J @ without
        y = y + L * torch.tanh(y @ A) @ B
    return torch.linalg.svdvals(with_skip), torch.linalg.svdvals(without)


@claim("P5.smallest")
def smallest_singular_value_with_skip() -> float:
    return singular_values()[0].min().item()


@claim("P5.largest-without")
def power_of_ten_of_the_largest_without_skip() -> float:
    return math.log10(singular_values()[1].max().item())


# --- layer norm -------------------------------------------------------------------------------------------------------


def normalised(x: Tensor, eps: float = 0.0) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / ((x - mean).square().mean(-1, keepdim=True) + eps).sqrt()


def token() -> Tensor:
    return torch.randn(32, generator=seeded(), **F64)


@claim("P6.pytorch")
def difference_from_pytorchs_layer() -> float:
    ours, theirs = LayerNorm(32, **F64), nn.LayerNorm(32, **F64)
    x, gain, bias = torch.randn(3, 7, 32, generator=seeded(), **F64)
    with torch.no_grad():
        for parameter, value in ((ours.gain, gain), (theirs.weight, gain), (ours.bias, bias), (theirs.bias, bias)):
            parameter.copy_(value[0])
        return rounding((ours(x) - theirs(x)).abs().max().item())


@claim("P6.length")
def length_of_a_normalised_token_of_width_32() -> float:
    return normalised(token()).norm().item()


@claim("P6.invariance")
def change_when_moved_and_stretched() -> float:
    return rounding((normalised(5 * token() + 3) - normalised(token())).abs().max().item())


def derivative() -> Tensor:
    return torch.func.jacrev(normalised)(token())


@claim("P6.orthogonal")
def length_of_the_derivative_along_the_token() -> float:
    return rounding((derivative() @ token()).norm().item())


@claim("P6.gradient")
def norm_of_the_derivative_times_the_deviation() -> float:
    return (torch.linalg.matrix_norm(derivative(), ord=2) * token().std(correction=0)).item()


def moved_by_another_token(norm: nn.Module) -> float:
    """How far the result of the first of two tokens moves when the second one changes."""
    x = torch.randn(2, 32, generator=seeded(), **F64)
    changed = torch.stack([x[0], 2 * x[1] + 1])
    with torch.no_grad():
        return rounding((norm(changed)[0] - norm(x)[0]).norm().item())


@claim("P-E6.layer")
def moved_by_another_token_under_layer_norm() -> float:
    return moved_by_another_token(nn.LayerNorm(32, **F64))


@claim("P-E6.batch")
def moved_by_another_token_under_batch_norm() -> float:
    return moved_by_another_token(nn.BatchNorm1d(32, **F64))


# --- the stored study -------------------------------------------------------------------------------------------------


@cache
def table() -> dict:
    return load("residual_norm")


def results(way: str, depth: int, what: str, rate: float | None = None) -> list[float]:
    setting = table()["settings"]
    rate = setting["rate"] if rate is None else rate
    return [table()["runs"][f"{way} | {depth} | {rate} | {seed}"][what] for seed in setting["seeds"]]


@claim("L3.4.with-skip")
def least_right_at_twelve_layers_with_skip() -> float:
    return min(results("pre", 12, "accuracy"))


@claim("L3.4.without-skip")
def most_right_at_twelve_layers_without_skip() -> float:
    return max(results("no skip", 12, "accuracy"))


@claim("L3.4.feed-forward-only")
def most_right_at_twelve_layers_with_skip_past_feed_forward() -> float:
    return max(results("skip feed-forward only", 12, "accuracy"))


@claim("P6.post")
def most_right_at_twelve_layers_post_norm() -> float:
    return max(results("post", 12, "accuracy"))


@claim("P6.post-lower-rate")
def least_loss_at_twelve_layers_post_norm_lower_rate() -> float:
    return min(results("post", 12, "loss", table()["settings"]["lower_rate"]))


@claim("P6.no-norm")
def least_loss_at_twelve_layers_no_norm() -> float:
    return min(results("no norm", 12, "loss"))


def landscape(variant: str, seed: int = 1) -> torch.Tensor:
    """Heights round the trained model; seed 1 is the one with which both models have learned."""
    return torch.tensor(table()["surfaces"][f"{variant} | {seed}"]["z"], **F64)


def low_share(variant: str, seed: int = 1) -> float:
    """Share of the square where the loss is below half of guessing."""
    return (landscape(variant, seed) < table()["settings"]["blind"] / 2).double().mean().item()


def falling_share(variant: str, seed: int = 1) -> float:
    """Of all steps along rows and columns away from the middle: the share that leads down."""
    z = landscape(variant, seed)
    middle = len(z) // 2
    out = [half for part in (z, z.T) for half in (part[:, middle:], part[:, : middle + 1].flip(1))]
    return torch.stack([half.diff(dim=1) < 0 for half in out]).double().mean().item()


@claim("L3.4.low-with-skip")
def low_share_with_skip() -> float:
    return low_share("pre")


@claim("L3.4.low-without-skip")
def low_share_without_skip() -> float:
    return low_share("no skip")


@claim("L3.4.falling-with-skip")
def falling_share_with_skip() -> float:
    return falling_share("pre")


@claim("L3.4.falling-without-skip")
def falling_share_without_skip() -> float:
    return falling_share("no skip")
