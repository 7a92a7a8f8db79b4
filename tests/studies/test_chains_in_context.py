"""Chains in context: the exact predictors against enumeration, what one layer cannot see, and the phases."""

import re
from itertools import pairwise, product

import numpy as np
import pytest
import torch

from course_lib.graphs.chains import contexts, counted, draw, read
from course_lib.graphs.random import Generator
from course_lib.results import load
from studies import chains_in_context as study

RUNS = load("chains_in_context")["runs"]


def test_the_counting_predictor_is_the_posterior_mean():
    """Against the integral over the prior: many matrices drawn, weighed by the chance that each gives the sequence."""
    alpha, seen = 1.5, [0, 1, 1, 0, 1]
    T = np.random.default_rng(0).dirichlet([alpha] * 2, (400_000, 2))
    weight = np.prod([T[:, i, j] for i, j in pairwise(seen)], axis=0)
    mean = (weight[:, None] * T[:, seen[-1]]).sum(0) / weight.sum()
    assert counted(np.array([[*seen, 0]]), 2, alpha, 1)[0, -1] == pytest.approx(mean, abs=2e-3)


def test_predictors_count_as_a_loop_does():
    tokens, _ = draw(Generator(1), 3, 12, 3, 1.0, order=2)
    for order in (0, 1, 2):
        q = counted(tokens, 3, 0.5, order)
        for row, t in product(range(3), range(order, 12)):
            x = tokens[row, : t + 1].tolist()
            last = x[len(x) - order :]
            after = [x[k] for k in range(order, len(x)) if x[k - order : k] == last]
            want = [(after.count(j) + 0.5) / (len(after) + 1.5) for j in range(3)]
            assert q[row, t] == pytest.approx(want)
    assert contexts(tokens, 3, 2)[0, 0] == 3 * tokens[0, 0] + tokens[0, 1]


@pytest.mark.parametrize("prior", [0.5, 1.0, 2.5])
def test_rows_are_dirichlet_and_tokens_follow_them(prior):
    tokens, truth = draw(Generator(2), 20_000, 2, 3, prior)
    assert truth.sum(-1) == pytest.approx(1)
    assert truth[:, 0, 0].mean() == pytest.approx(1 / 3, abs=0.01)
    assert truth[:, 0, 0].var() == pytest.approx((1 / 3) * (2 / 3) / (3 * prior + 1), rel=0.06)
    chance = np.take_along_axis(truth[:, 0], tokens[:, 1:2], 1)
    assert chance.mean() == pytest.approx((truth[:, 0] ** 2).sum(-1).mean(), abs=0.01)


def test_one_layer_without_distances_sees_counts_and_the_last_token():
    setting = study.Setting(layers=1, h=3)
    model = study.begin(setting, Generator(4))
    tokens = np.array([[0, 1, 2, 0, 1, 1, 2], [1, 0, 0, 2, 1, 1, 2]])  # the same counts before the last, another order
    x = torch.nn.functional.one_hot(torch.from_numpy(tokens), 4).float()
    near = {**model, "B0": model["B0"][:, :7]}
    logits = read(near, x, *study.fixed(7), 0.25)[0][:, -1]
    torch.testing.assert_close(logits[0], logits[1], rtol=0, atol=1e-5)
    far = {**near, "B0": torch.arange(7.0).expand(3, 7)}
    apart = read(far, x, *study.fixed(7), 0.25)[0][:, -1]
    assert (apart[0] - apart[1]).abs().max() > 1e-3


def test_many_models_side_by_side_are_each_alone():
    setting, fix = study.Setting(d=8, m=4), study.fixed(study.N + 1)
    exam = study.Exam(setting, 4)
    models = [study.begin(setting, Generator(seed)) for seed in (1, 2)]
    together = exam.predictions({name: torch.stack([each[name] for each in models]) for name in models[0]}, fix)
    for q, model in zip(together, models, strict=True):
        assert q == pytest.approx(exam.predictions(model, fix), abs=1e-6)


def test_the_phases_come_in_one_order(record):  # R8
    phases = RUNS["as it is"]["nearest"]
    ordered = sum(re.fullmatch("U+u+B+", each) is not None for each in phases)
    assert record("R8.phases", ordered) >= 15
    assert all(each.endswith("B") for each in phases)


def test_two_layers_come_near_bayes_and_one_does_not(record):  # R8
    two, one, plain = (RUNS[key] for key in ("as it is", "layers 1", "start False"))
    gap = np.array(two["final"]) - two["final lines"]["bayes"]
    assert gap.min() > 0 and gap.max() < 0.04
    assert np.median(gap) < 0.02
    assert np.median(plain["final"]) - plain["final lines"]["bayes"] > gap.max()
    assert record("R8.one_layer", float(np.median(one["final"]))) > 0.95 * one["final lines"]["unigram"]
