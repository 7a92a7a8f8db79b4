"""Skip connections and layer norm: the page's numbers against closed forms, and its stored study against the beginning of runs made again."""

import math
from functools import cache

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from course_lib.attention import causal_mask
from course_lib.checks import trusted
from course_lib.results import load
from course_lib.transformer import Encoder, LayerNorm
from studies import residual_norm as study
from tests.shared.record import largest, rounding
from tests.shared.seeded import F64, normal, seeded

TABLE = load("residual_norm")

# ---- Skip connections


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


def test_without_norm_gradients_vanish_or_explode(record):  # P5
    assert record("P5.vanishes", math.log10(look(16, "none", "none")[0])) < -2
    assert record("P5.explodes", math.log10(look(16, "none", "both")[0])) > 4
    # with a norm it stays, even without skip
    assert -1.5 < math.log10(look(16, "pre", "none")[0]) < 0.5
    assert 0 < math.log10(look(16, "pre", "both")[0]) < 1


def test_a_gradient_is_the_product_of_the_blocks_derivatives():
    """The length that autograd finds through a stack, against the blocks' derivatives multiplied one by one."""
    encoder, generator = stack(3, "pre", "both")
    x, u = torch.randn(2, 8, 32, generator=generator, **F64)
    mask, product = causal_mask(8), torch.eye(8 * 32, **F64)
    with trusted():
        for block in encoder.blocks:
            J = torch.autograd.functional.jacobian(lambda x, block=block: block(x, mask).output, x).reshape(8 * 32, 8 * 32)
            product = J @ product
            x = block(x, mask).output.detach()
    expected = (product.T @ u.flatten()).norm() / u.norm()
    assert look(3, "pre", "both")[0] == pytest.approx(expected.item())


def test_without_skip_past_attention_tokens_grow_alike():  # P5, P-E6
    assert look(16, "pre", "both")[1] > 10**-1.3
    assert max(look(16, "pre", skip)[1] for skip in ("none", "feed-forward")) < 1e-6


def test_small_corrections_keep_their_bounds():  # P5: (1 ± L)^ℓ with L = 1/32, ℓ = 32, and L^ℓ without skip
    L, d = 1 / 32, 16  # each map's norm is at most L
    y, with_skip, without = normal(d), torch.eye(d, **F64), torch.eye(d, **F64)
    for seed in range(32):
        A, B = (torch.linalg.qr(normal(d, d, seed=2 * seed + k)).Q for k in range(2))
        J = L * (B.T * (1 - torch.tanh(y @ A) ** 2)) @ A.T
        with_skip, without = (torch.eye(d, **F64) + J) @ with_skip, J @ without
        y = y + L * torch.tanh(y @ A) @ B
    kept, lost = torch.linalg.svdvals(with_skip), torch.linalg.svdvals(without)
    assert (1 - L) ** 32 <= kept.min() <= kept.max() <= (1 + L) ** 32
    assert 0 < lost.max() <= L**32 * (1 + 1e-9)


# ---- Layer norm


def normalised(x: Tensor) -> Tensor:
    mean = x.mean(-1, keepdim=True)
    return (x - mean) / (x - mean).square().mean(-1, keepdim=True).sqrt()


TOKEN = normal(32)


@torch.no_grad()
def test_layer_norm_by_hand_and_pytorchs(record):  # P6
    ours, theirs = LayerNorm(32, **F64), nn.LayerNorm(32, **F64)
    x, gain, bias = normal(3, 7, 32)
    for parameter, value in ((ours.gain, gain), (theirs.weight, gain), (ours.bias, bias), (theirs.bias, bias)):
        parameter.copy_(value[0])
    assert record("P6.pytorch", largest(ours(x) - theirs(x))) == 0


def test_the_derivative_is_a_projection_over_the_deviation():  # P6
    y, one, deviation = normalised(TOKEN), torch.ones(32, **F64), TOKEN.std(correction=0)
    derivative = torch.func.jacrev(normalised)(TOKEN)
    projection = torch.eye(32, **F64) - torch.outer(one, one) / 32 - torch.outer(y, y) / 32
    torch.testing.assert_close(derivative, projection / deviation)
    torch.testing.assert_close(projection @ projection, projection)
    assert largest(derivative @ TOKEN) == 0
    assert (torch.linalg.matrix_norm(derivative, ord=2) * deviation).item() == pytest.approx(1)


def moved_by_another_token(norm: nn.Module) -> float:
    """How far the result of the first of two tokens moves when the second one changes."""
    x = normal(2, 32)
    changed = torch.stack([x[0], 2 * x[1] + 1])
    with torch.no_grad():
        return rounding((norm(changed)[0] - norm(x)[0]).norm().item())


def test_layer_norm_looks_at_one_token_and_batch_norm_at_all():  # P-E6
    assert moved_by_another_token(nn.LayerNorm(32, **F64)) == 0
    assert moved_by_another_token(nn.BatchNorm1d(32, **F64)) > 0.1


# ---- The stored study
@pytest.mark.parametrize("run", [
    study.Run("pre", 2, study.RATE, 0), study.Run("post, warm-up", 2, study.RATE, 1), study.Run("skip feed-forward only", 6, study.RATE, 2),
    study.Run("neither", 12, study.RATE, 1), study.Run("post", 12, study.LOWER_RATE, 0),
])  # fmt: skip
def test_runs_begin_as_stored(run):
    assert study.train(run, study.FIRST)[1] == pytest.approx(TABLE["runs"][run.key]["first"], rel=1e-2)


def test_a_run_is_measured_as_stored():
    run = study.Run("pre", 2, study.RATE, 0)
    again, stored = study.study(run, study.EVERY), TABLE["runs"][run.key]
    assert again["curve"] == pytest.approx(stored["curve"][:1], rel=1e-2) and again["first"] == pytest.approx(stored["first"], rel=1e-2)
    assert stored["loss"] < stored["curve"][-1] < again["loss"] < again["curve"][0]  # questions that were never trained on, after 20 steps


@pytest.mark.parametrize("variant", ["pre", "no skip"])
def test_models_of_the_surfaces_begin_as_stored(variant):
    run = study.Run(variant, study.SURFACE_LAYERS, study.RATE, 0)
    assert study.train(run, study.FIRST)[1] == pytest.approx(TABLE["surfaces"][f"{variant} | 0"]["first"], rel=1e-2)


def test_directions_are_as_long_as_the_model_column_by_column():
    model = study.build(study.VARIANTS["pre"], 2, 0)
    centre = {name: value.detach() for name, value in model.named_parameters()}
    drawn = study.direction(centre, seeded(1))
    for name, value in centre.items():
        if value.dim() > 1:
            torch.testing.assert_close(drawn[name].norm(dim=-2), value.norm(dim=-2))
            assert not torch.allclose(drawn[name], value)
        else:
            assert not drawn[name].any()


def test_rescaled_layers_have_the_same_surface():
    """The function of `W_1, b_1` times ten and `W_2` over ten is the same, and so is its filter-normalised surface."""
    model = study.build(study.VARIANTS["pre"], 1, 0)
    before = study.surface(model, 3, points=3)
    feed_forward = model.encoder.blocks[0].feed_forward
    with torch.no_grad():
        feed_forward.W_1.mul_(10)
        feed_forward.b_1.mul_(10)
        feed_forward.W_2.div_(10)
    np.testing.assert_allclose(study.surface(model, 3, points=3), before, rtol=1e-3)


def test_the_middle_of_a_surface_is_the_model_and_its_edge_one_direction_away():
    model = study.build(study.VARIANTS["pre"], 1, 0)
    z = study.surface(model, 5, points=3)
    tokens, targets = study.tensors(study.TASK.batch(study.Generator(study.TEST_SEED), study.TEST))
    loss = lambda: study.masked_cross_entropy(study.logits_of(model, tokens), targets).item()  # noqa: E731
    assert z[1][1] == pytest.approx(loss(), rel=1e-3)
    first = study.direction(dict(model.named_parameters()), seeded(5))
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.add_(first[name].detach())
    assert z[1][2] == pytest.approx(loss(), rel=1e-3)  # α = 1, β = 0: column 2 of row 1


# ---- What the page says of the study


def results(way: str, depth: int, what: str, rate: float | None = None) -> list[float]:
    setting = TABLE["settings"]
    rate = setting["rate"] if rate is None else rate
    return [TABLE["runs"][f"{way} | {depth} | {rate} | {seed}"][what] for seed in setting["seeds"]]


def test_what_learns_at_twelve_layers(record):  # L3.4, P6
    assert record("L3.4.with-skip", min(results("pre", 12, "accuracy"))) > 0.95
    assert record("L3.4.without-skip", max(results("no skip", 12, "accuracy"))) < 0.3
    assert record("P6.post", max(results("post", 12, "accuracy"))) < 0.3
    assert max(results("skip feed-forward only", 12, "accuracy")) < 0.3
    assert min(results("no norm", 12, "loss")) > TABLE["settings"]["blind"]
    assert min(results("post", 12, "loss", TABLE["settings"]["lower_rate"])) < 2.25


def landscape(variant: str, seed: int = 1) -> np.ndarray:
    """Heights round the trained model; seed 1 is the one with which both models have learned."""
    return np.array(TABLE["surfaces"][f"{variant} | {seed}"]["z"])


def test_low_ground_round_the_trained_models():  # L3.4: about as wide
    for variant in ("pre", "no skip"):
        assert 0.1 < (landscape(variant) < math.log(10) / 2).mean() < 0.2  # below half of guessing


def falling_share(variant: str, seed: int) -> float:
    """Of all steps along rows and columns away from the middle: the share that leads down."""
    z = landscape(variant, seed)
    middle = len(z) // 2
    out = [half for part in (z, z.T) for half in (part[:, middle:], part[:, middle::-1])]
    return np.mean([np.diff(half) < 0 for half in out])


def test_ways_out_are_more_even_with_skip():  # L3.4
    for seed in study.SEEDS:
        assert falling_share("no skip", seed) > 1.5 * falling_share("pre", seed)
