"""Skip connections and layer norm: the pages' numbers, and the stored study against the beginning of runs made
again."""

import math
from functools import cache

import numpy as np
import pytest
import torch

from course_lib.attention import causal_mask
from course_lib.results import load
from course_lib.transformer import Encoder
from studies import residual_norm as study
from tests.shared.seeded import F64, seeded

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


def test_without_norm_gradients_vanish_or_explode():  # P5
    assert math.log10(look(16, "none", "none")[0]) < -2
    assert math.log10(look(16, "none", "both")[0]) > 4
    # with a norm it stays, even without skip
    assert -1.5 < math.log10(look(16, "pre", "none")[0]) < 0.5
    assert 0 < math.log10(look(16, "pre", "both")[0]) < 1


def test_without_skip_past_attention_tokens_grow_alike():  # P5, P-E6
    assert look(16, "pre", "both")[1] > 10**-1.3
    assert max(look(16, "pre", skip)[1] for skip in ("none", "feed-forward")) < 1e-6


# ---- The stored study
@pytest.mark.parametrize("variant", ["pre", "no skip"])
def test_shares_of_a_surface_are_those_of_the_heights_beside_them(variant):
    stored = TABLE["surfaces"][f"{variant} | {study.SURFACE_LAYERS} | {study.DRAWN}"]
    for pair in stored["pairs"]:
        z = np.array(pair["z"])
        assert z.shape == (study.POINTS, study.POINTS) and pair["low"] == pytest.approx(
            (z < study.TASK.blind / 2).mean(), abs=1e-4
        )
        assert pair["falling"] == pytest.approx(study.falling(z), abs=1e-4) and pair["saddled"] == pytest.approx(
            study.saddled(z), abs=1e-4
        )


def test_a_model_that_has_not_arrived_has_no_pairs():
    for row in TABLE["surfaces"].values():
        assert len(row["pairs"]) == (len(study.PAIRS) if row["steps"] else 0)
        assert row["steps"] is None or len(row["curve"]) == -(-row["steps"] // 100)


def test_moved_is_measured_where_the_distance_is_first_reached():
    run = study.Run("post", study.DEPTHS[-1], study.RATE, 0)
    stored = TABLE["moved"][run.key]
    again = study.moved(run, levels=study.LEVELS[:1], steps=study.FIRST)
    [at], known = again["at"], stored["at"][0]
    assert at["step"] == known["step"] and at["moved"] == pytest.approx(known["moved"], rel=1e-2)
    assert at["gradients"] == pytest.approx(known["gradients"], rel=5e-2) and at["loss"] == pytest.approx(
        known["loss"], rel=1e-2
    )
    # an independent way to the same place: the distance before and after that step, by numpy
    start = np.concatenate(
        [value.detach().numpy().ravel() for value in study.build(study.VARIANTS["post"], run.depth, 0).parameters()]
    )
    far = []
    for steps in (at["step"] - 1, at["step"]):
        model, _ = study.train(run, steps)
        far.append(
            np.linalg.norm(np.concatenate([value.detach().numpy().ravel() for value in model.parameters()]) - start)
        )
    assert far[0] < study.LEVELS[0] <= far[1] == pytest.approx(at["moved"], rel=1e-3)


def test_a_level_that_is_not_reached_has_no_row():
    assert study.moved(study.Run("post, warm-up", 2, study.RATE, 0), levels=(1e9,), steps=2)["at"] == []


def test_bowls_do_not_fall_and_saddles_are_bent_down():
    x = np.linspace(-1, 1, 7)
    bowl, saddle, twisted = x**2 + x[:, None] ** 2, x**2 - x[:, None] ** 2, 3 * x * x[:, None] + x**2 + x[:, None] ** 2
    assert study.falling(bowl) == 0 and study.saddled(bowl) == 0
    assert study.falling(-bowl) == 1 and study.saddled(-bowl) == 1
    assert study.falling(saddle) == 0.5 and study.saddled(saddle) == 1
    assert study.saddled(twisted) == 1  # rows and columns are bent up, a diagonal is not: eigenvalues 5 and -1
    assert study.saddled(twisted - x * x[:, None] * 2) == 0  # eigenvalues 3 and 1


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


def test_the_middle_of_a_surface_is_the_model_and_its_edge_one_direction_away():
    model = study.build(study.VARIANTS["pre"], 1, 0)
    z = study.surface(model, 5, points=3)
    tokens, targets = study.tensors(study.TASK.batch(study.Generator(study.TEST_SEED), study.TEST))
    loss = lambda: study.masked_cross_entropy(study.logits_of(model, tokens), targets).item()
    assert z[1][1] == pytest.approx(loss(), rel=1e-3)
    first = study.direction(dict(model.named_parameters()), seeded(5))
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.add_(first[name].detach())
    assert z[1][2] == pytest.approx(loss(), rel=1e-3)  # α = 1, β = 0: column 2 of row 1


# ---- What the page says of the study


def accuracy(way: str) -> list[float]:
    """Of the runs with twelve layers."""
    return [TABLE["runs"][f"{way} | 12 | {study.RATE} | {seed}"]["accuracy"] for seed in study.SEEDS]


def ratios(way: str, rate: float, level: int) -> list[float]:
    """Gradient of the first layer's W_2 over that of the last, of the seeds that got so far."""
    rows = [row["at"] for key, row in TABLE["moved"].items() if key.startswith(f"{way} | 12 | {rate} |")]
    return [at[level]["gradients"][0] / at[level]["gradients"][-1] for at in rows if len(at) > level]


def test_at_equal_distance_full_steps_cut_the_lower_layers_off_and_small_ones_do_not():
    full, warm = ratios("post", study.RATE, 2), ratios("post, warm-up", study.RATE, 2)
    assert len(full) == len(warm) == 5 and max(full) < 0.05 and min(warm) > 0.4
    assert min(ratios("post", study.LOWER_RATE, 2)) > 0.3 and min(ratios("pre", study.RATE, 2)) > 0.9
    assert max(ratios("post", study.RATE, 0)) < 0.1


def test_what_learns_at_twelve_layers():  # L3.4, P6
    assert min(accuracy("pre")) > 0.95
    assert max(accuracy("no skip")) < 0.3
    assert max(accuracy("post")) < 0.3
