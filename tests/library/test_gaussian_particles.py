"""True softmax attention over sampled tokens against PyTorch's layer of chapter 3 and against the closed form."""

import numpy as np
import pytest
import torch

from course_lib.attention import attend
from course_lib.gaussian import Gaussian, Heads, affine, attend_particles, particles, random_heads, score_spread
from tests.shared.seeded import rng


def by_torch(x: np.ndarray, keys: np.ndarray, heads: Heads, step: float = 1.0, mask=None) -> tuple[np.ndarray, ...]:
    """The same tokens through course_lib.attention: output, and each head's weights and scores."""
    x, keys, W_Q, W_K, W_V, W_O = (
        torch.tensor(array) for array in (x, keys, heads.W_Q, heads.W_K, heads.W_V, heads.W_O)
    )
    output, weights, scores = attend(x @ W_Q, keys @ W_K, keys @ W_V, mask, scale=heads.scale)
    return (x + step * (output @ W_O).sum(0)).numpy(), weights.numpy(), scores.numpy()


@pytest.mark.parametrize(("d", "m", "h", "c", "scale"), [(1, 1, 1, 1, None), (3, 2, 4, 5, None), (6, 4, 2, 6, 1.7)])
@pytest.mark.parametrize("step", [0.25, 1.0])
def test_equals_the_layer_of_chapter_three(d, m, h, c, scale, step):
    start = random_heads(d, m, h, c=c, generator=rng(1))
    heads = Heads(start.W_Q, start.W_K, start.W_V, start.W_O, scale)
    x, keys = rng(2).standard_normal((37, d)), rng(3).standard_normal((50, d))
    for given in (None, keys):
        looked = attend_particles(x, heads, step=step, keys=given)
        output, weights, scores = by_torch(x, x if given is None else given, heads, step)
        np.testing.assert_allclose(looked.output, output, atol=1e-12)
        np.testing.assert_allclose(looked.effective, 1 / (weights**2).sum(-1), rtol=1e-11)
        np.testing.assert_allclose(looked.spread, scores.std(-1), atol=1e-12)


def test_scores_of_ten_thousand_are_finite_and_choose_one_key():
    one = [[[1.0]]]
    keys = np.array([[-1e4], [0.0], [1e4]])
    looked = attend_particles(np.array([[1.0], [-1.0], [0.0]]), Heads(one, one, one, one), keys=keys)
    np.testing.assert_allclose(looked.output[:, 0], [1 + 1e4, -1 - 1e4, 0], atol=1e-9)
    np.testing.assert_allclose(looked.effective[0], [1, 1, 3])
    assert all(np.isfinite(each).all() for each in looked)


@pytest.mark.parametrize("block", [1, 20, 41, 100, 10**6])
def test_blocks_do_not_matter(monkeypatch, block):
    heads, x = random_heads(3, 2, 2, generator=rng(4)), rng(5).standard_normal((41, 3))
    whole = attend_particles(x, heads)
    monkeypatch.setattr(particles, "BLOCK", block)
    for a, b in zip(attend_particles(x, heads), whole, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-13, atol=1e-13)


def test_many_tokens_find_the_closed_form():
    """The error is what the theorem on the page says: e^{s²}/n (Σ + uuᵀ) is the covariance of one query's average."""
    g = rng(6)
    cloud, heads = Gaussian([0.5, -0.2], [[0.8, 0.3], [0.3, 0.5]]), random_heads(2, 2, generator=g)
    x, n, repeats = np.array([[1.0, 0.4]]), 2000, 400
    A, b = affine(heads, cloud)
    errors = np.concatenate(
        [attend_particles(x, heads, keys=cloud.sample(n, g)).output - (x @ A + b) for _ in range(repeats)]
    )
    spread = score_spread(x, heads, cloud.covariance)[0, 0]
    u = (x @ heads.scoring[0] @ cloud.covariance)[0]
    value = heads.writing[0].T @ (cloud.covariance + np.outer(u, u)) @ heads.writing[0]
    predicted = np.exp(spread**2) / n * np.trace(value)
    assert (errors**2).sum() / repeats == pytest.approx(predicted, rel=0.2)
