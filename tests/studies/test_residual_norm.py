"""Skip connections and layer norm: the page's numbers against closed forms, and its stored study against the beginning of runs made again."""

import math

import numpy as np
import pytest
import torch
from claims import residual as page

from course_lib.results import load
from studies import residual_norm as study

TABLE = load("residual_norm")


# ---- Skip connections
def test_without_norm_gradients_vanish_or_explode():  # P5
    assert page.power_of_ten_without_skip_or_norm() < -2
    assert page.power_of_ten_with_skip_without_norm() > 4


def test_with_a_norm_the_length_stays_even_without_skip():  # P5
    assert -1.5 < page.power_of_ten_without_skip_with_norm() < 0.5
    assert 0 < math.log10(page.look(16, "pre", "both")[0]) < 1


def test_a_gradient_is_the_product_of_the_blocks_derivatives():
    """The length that autograd finds through a stack, against the blocks' derivatives multiplied one by one."""
    encoder, generator = page.stack(3, "pre", "both")
    x, u = torch.randn(2, 8, 32, generator=generator, dtype=torch.float64)
    mask, product = study.causal_mask(8), torch.eye(8 * 32, dtype=torch.float64)
    with study.trusted():
        for block in encoder.blocks:
            J = torch.autograd.functional.jacobian(lambda x, block=block: block(x, mask).output, x).reshape(8 * 32, 8 * 32)
            product = J @ product
            x = block(x, mask).output.detach()
    expected = (product.T @ u.flatten()).norm() / u.norm()
    assert page.look(3, "pre", "both")[0] == pytest.approx(expected.item())


def test_without_skip_past_attention_tokens_grow_alike():  # P5, P-E6
    kept = page.power_of_ten_of_the_differences_with_skip()
    assert kept > -1.3
    assert page.power_of_ten_of_the_differences_without_skip() < -6
    assert page.power_of_ten_of_the_differences_with_skip_past_feed_forward() < -6


def test_small_corrections_keep_their_bounds():  # P5: (1 ± L)^ℓ with L = 1/32, ℓ = 32, and L^ℓ without skip
    values, lost = page.singular_values()
    assert (1 - 1 / 32) ** 32 <= page.smallest_singular_value_with_skip() <= values.max() <= (1 + 1 / 32) ** 32
    assert page.power_of_ten_of_the_largest_without_skip() <= 32 * math.log10(1 / 32) + 1e-9
    assert lost.max() > 0


# ---- Layer norm
def test_layer_norm_by_hand_and_pytorchs():  # P6
    assert page.difference_from_pytorchs_layer() == 0
    x = page.token().numpy()
    assert page.normalised(page.token()).numpy() == pytest.approx((x - x.mean()) / x.std())


def test_a_sphere_in_a_hyperplane():  # P6
    assert page.length_of_a_normalised_token_of_width_32() == pytest.approx(math.sqrt(32))
    assert page.change_when_moved_and_stretched() == 0
    y = page.normalised(page.token())
    assert abs(y.mean()) < 1e-12
    torch.testing.assert_close(page.normalised(y), y)


def test_the_derivative_is_a_projection_over_the_deviation():  # P6
    x = page.token()
    y, one = page.normalised(x), torch.ones(32, dtype=torch.float64)
    projection = torch.eye(32, dtype=torch.float64) - torch.outer(one, one) / 32 - torch.outer(y, y) / 32
    torch.testing.assert_close(page.derivative(), projection / x.std(correction=0))
    torch.testing.assert_close(projection @ projection, projection)
    assert page.length_of_the_derivative_along_the_token() == 0
    assert page.norm_of_the_derivative_times_the_deviation() == pytest.approx(1)


def test_layer_norm_looks_at_one_token_and_batch_norm_at_all():  # P-E6
    assert page.moved_by_another_token_under_layer_norm() == 0
    assert page.moved_by_another_token_under_batch_norm() > 0.1


# ---- The stored study
def test_every_number_is_there():
    assert len(TABLE["runs"]) == 3 * 7 * 3 + 2 * 3
    for result in TABLE["runs"].values():
        assert len(result["curve"]) == study.STEPS // study.EVERY and np.isfinite([result["loss"], *result["curve"]]).all()
        assert 0 <= result["accuracy"] <= 1
    for result in TABLE["surfaces"].values():
        assert np.array(result["z"]).shape == (study.POINTS, study.POINTS) and np.isfinite(result["z"]).all()


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
    drawn = study.direction(centre, torch.Generator().manual_seed(1))
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
    first = study.direction(dict(model.named_parameters()), torch.Generator().manual_seed(5))
    with torch.no_grad():
        for name, value in model.named_parameters():
            value.add_(first[name].detach())
    assert z[1][2] == pytest.approx(loss(), rel=1e-3)  # α = 1, β = 0: column 2 of row 1


# ---- What the page says of the study
def test_what_learns_at_twelve_layers():  # L3.4, P6
    assert page.least_right_at_twelve_layers_with_skip() > 0.95
    for failed in (page.most_right_at_twelve_layers_without_skip(), page.most_right_at_twelve_layers_with_skip_past_feed_forward(),
                   page.most_right_at_twelve_layers_post_norm()):  # fmt: skip
        assert failed < 0.3
    assert page.least_loss_at_twelve_layers_no_norm() > TABLE["settings"]["blind"]
    assert page.least_loss_at_twelve_layers_post_norm_lower_rate() < 2.25


def test_low_ground_round_the_trained_models():  # L3.4: about as wide
    for variant, share in (("pre", page.low_share_with_skip()), ("no skip", page.low_share_without_skip())):
        z = TABLE["surfaces"][f"{variant} | 1"]["z"]
        assert share == pytest.approx(sum(value < math.log(10) / 2 for row in z for value in row) / study.POINTS**2)
        assert 0.1 < share < 0.2


def test_ways_out_are_more_even_with_skip():  # L3.4
    for variant, share in (("pre", page.falling_share_with_skip()), ("no skip", page.falling_share_without_skip())):
        z, middle = TABLE["surfaces"][f"{variant} | 1"]["z"], study.POINTS // 2
        steps = [(abs(j - middle), line[j], line[k]) for line in (*z, *zip(*z, strict=True)) for j in range(study.POINTS)
                 for k in (j - 1, j + 1) if 0 <= k < study.POINTS and abs(k - middle) > abs(j - middle)]  # fmt: skip
        assert share == pytest.approx(sum(after < before for _, before, after in steps) / len(steps))
    for seed in study.SEEDS:
        assert page.falling_share("no skip", seed) > 1.5 * page.falling_share("pre", seed)
