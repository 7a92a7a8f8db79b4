"""Tokens on a sphere: the layer against PyTorch's attention, groups against a search, the equation of equal angles
against tokens and limits."""

import numpy as np
import pytest
import torch
from torch.nn.functional import scaled_dot_product_attention

from course_lib.gaussian.sphere import cosine_path, cosine_speed, equal_angles, groups, mean_cosine, sphere_layer, unit


def drawn(n, d, seed=0):
    return unit(np.random.default_rng(seed).standard_normal((n, d)))


def test_a_layer_is_pytorchs_attention_added_and_normed():
    x, generator = drawn(12, 5), np.random.default_rng(1)
    Q, V = generator.standard_normal((2, 3, 5, 5))
    t = torch.tensor(x)
    heads = [
        scaled_dot_product_attention(t @ torch.tensor(q), t, t @ torch.tensor(v), scale=2.5).numpy()
        for q, v in zip(Q, V, strict=True)
    ]
    np.testing.assert_allclose(sphere_layer(x, 2.5, 0.3, V, Q), unit(x + 0.3 * np.mean(heads, 0)), atol=1e-12)
    plain = scaled_dot_product_attention(t, t, -t, scale=4.0).numpy()
    np.testing.assert_allclose(sphere_layer(x, 4, 0.7, -1.0), unit(x + 0.7 * plain), atol=1e-12)
    with pytest.raises(ValueError, match="step"):
        sphere_layer(x, 1, 0)


def test_large_scores_give_finite_answers():
    assert np.isfinite(sphere_layer(drawn(8, 3), 1e5, 0.5)).all()


def test_groups_are_chains_of_near_tokens():
    turn = np.array([0, 3.0, 0.19, 0.095, 3.05, 2 * np.pi - 0.09, 1.5])
    x = np.stack([np.cos(turn), np.sin(turn)], 1)
    assert groups(x).tolist() == [0, 1, 0, 0, 1, 0, 2]
    assert groups(x, 0.01).tolist() == list(range(7)) and set(groups(x, 2.0)) == {0}


def test_the_mean_cosine_is_that_of_all_pairs():
    x = drawn(9, 4)
    assert mean_cosine(x) == pytest.approx(np.mean([x[i] @ x[k] for i in range(9) for k in range(9) if i != k]))


@pytest.mark.parametrize("c", [-1 / 6, -0.1, 0.0, 0.4, 1.0])
def test_equal_angles_are_equal(c):
    x = equal_angles(7, c)
    np.testing.assert_allclose(x @ x.T, np.full((7, 7), c) + (1 - c) * np.eye(7), atol=1e-12)


def test_no_seven_tokens_are_farther_apart():
    with pytest.raises(ValueError, match="c must be from"):
        equal_angles(7, -0.2)


@pytest.mark.parametrize(
    ("n", "c", "beta", "value"), [(2, 0.3, 1, 1.0), (5, -0.1, 3, 1.0), (20, 0.6, 0, -1.0), (8, 0.05, 9, 1.0)]
)
def test_the_speed_is_the_limit_of_small_layers(n, c, beta, value):
    x = sphere_layer(equal_angles(n, c), beta, 1e-6, value)
    assert (x[0] @ x[1] - c) / 1e-6 == pytest.approx(cosine_speed(c, n, beta, value), abs=1e-4)


def test_the_path_is_that_of_two_tokens_in_closed_form():
    # n = 2 and β = 0: ċ = (1 − c)(1 + c), so c = tanh(t + artanh c₀)
    times = np.array([0, 0.5, 0.51, 3.0])
    np.testing.assert_allclose(cosine_path(-0.4, 2, 0, times), np.tanh(times + np.arctanh(-0.4)), atol=1e-9)
