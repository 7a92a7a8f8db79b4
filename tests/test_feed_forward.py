"""The page on the feed-forward layer: what attention cannot do, what a layer stores, where a real model looks it up."""


import pytest
import torch

from tests.claims import feed_forward as page


def test_no_affine_map_tells_exactly_one():
    torch.testing.assert_close(page.best_affine()[:, 0], torch.full((4,), 0.5, dtype=torch.float64))
    g = page.best_affine()[:, 0]
    assert g[0] + g[3] == pytest.approx(g[1] + g[2])


def test_two_neurons_tell_exactly_one():
    with torch.no_grad():
        torch.testing.assert_close(page.two_neurons()(page.CASES)[:, 0], page.EXACTLY_ONE)


def test_feed_forward_never_looks_sideways():
    attention, feed_forward = page.sideways()
    assert attention > 0.1
    assert feed_forward == 0


def test_a_neuron_a_fact():
    layer, keys, values = page.memory(200, 32)
    with torch.no_grad():
        torch.testing.assert_close(layer(keys), values)
        assert ((keys @ layer.W_1 + layer.b_1 > 0).sum(-1) == 1).all()


def test_facts_are_fetched_at_the_name():
    assert page.left("name", "feed-forward") < 0.6 < 0.8 < page.left("after", "feed-forward")
    assert page.left("name", "attention") > 0.8
