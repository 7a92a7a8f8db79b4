"""Scaling: the text has the floor that is claimed, the model is a decoder, the optimiser PyTorch's, and rows are made
as they are stored."""

import itertools
import math

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

from course_lib import costs
from course_lib.results import load
from course_lib.sources import Markov, entropy
from studies import scaling as study

STORED = load("scaling")
ROWS = {tuple(row[name] for name in ("d", "updates", "schedule", "decay", "few")): row for row in STORED["rows"]}


def test_the_floor_is_the_entropy_rate_of_the_chain_of_pairs():
    v = 6  # the first letters of the table, made shares again: 36 pairs
    P = study.table()[:v, :v, :v]
    P = P / P.sum(-1, keepdims=True)
    chain = np.zeros((v, v, v, v))  # from the pair a, b to the pair b, c
    for a, b, c in itertools.product(range(v), repeat=3):
        chain[a, b, b, c] = P[a, b, c]
    source = Markov(chain.reshape(v * v, v * v))
    two = source.stationary.reshape(v, v)
    assert np.einsum("ab,abc->bc", two, P) == pytest.approx(two, abs=1e-12)
    assert source.entropy_rate() == pytest.approx(float((two * entropy(P)).sum()))


def test_pairs_are_stationary_and_texts_are_drawn_from_the_table():
    two = study.pairs()
    assert two.sum() == pytest.approx(1) and np.einsum("ab,abc->bc", two, study.table()) == pytest.approx(
        two, abs=1e-12
    )
    letters = study.texts(20000, 3)
    a, b = np.unravel_index(two.argmax(), two.shape)
    there = (letters[:, :-2] == a) & (letters[:, 1:-1] == b)
    came = np.bincount(letters[:, 2:][there], minlength=study.V) / int(there.sum())
    assert abs(came - study.table()[a, b]).max() < 5 / math.sqrt(int(there.sum()))
    assert int(there.sum()) / there.numel() == pytest.approx(two[a, b], rel=0.05)


def test_who_knows_the_table_has_no_excess_and_a_floor_as_loss():
    """The excess of the model is its loss less that of the true shares, on the texts' average."""
    theta = study.start(8, 0)[None]
    batch = study.texts(4000, 9)
    p = torch.from_numpy(study.table())[batch[:, :-2], batch[:, 1:-1]]
    floor = -p.gather(-1, batch[:, 2:, None]).log().mean().item()
    assert floor == pytest.approx(float((study.pairs() * entropy(study.table())).sum()), abs=0.02)
    found = study.losses(theta, batch[None], 8).item() - floor
    assert study.excess(theta, [0], 8)[0] == pytest.approx(found, abs=0.05)


def test_models_side_by_side_are_models_alone_and_see_no_later_letter():
    theta, batch = torch.stack([study.start(12, seed) for seed in (0, 1)]), study.texts(6, 1).view(2, 3, -1)
    both = study.logits(theta, batch, 12)
    assert torch.allclose(both[1:], study.logits(theta[1:], batch[1:], 12), atol=1e-5)
    other = batch.clone()
    other[..., 20:] = (other[..., 20:] + 1) % study.V
    moved = (study.logits(theta, other, 12) - both).abs().amax((0, 1, 3))
    assert moved[:20].max() < 1e-5 < moved[20]


@pytest.mark.parametrize("d", [6, 48])
def test_operations_are_those_of_the_formula(d):
    """Forward: the block by `costs`, and the read-out. Backward: twice that, less nothing."""
    theta, batch = study.start(d, 0)[None].requires_grad_(), study.texts(2, 0)[None]
    with FlopCounterMode(display=False) as counter:
        loss = study.losses(theta, batch, d)
    n, tokens = study.N + 1, 2 * (study.N + 1)
    forward = costs.transformer(n, d, study.HEADS, 1).flops / n + 2 * d * study.V
    assert counter.get_total_flops() == round(forward * tokens)
    with FlopCounterMode(display=False) as counter:
        loss.sum().backward()
    assert counter.get_total_flops() == 2 * round(forward * tokens)
    assert study.parameters(d) == 12 * d * d + 2 * study.V * d


@pytest.mark.parametrize("kind", ["none", "decoupled"])
def test_a_step_is_pytorchs(kind):
    strength = 0.3 if kind == "decoupled" else 0.0
    ours = study.Training(6, [0.02], [0], [strength], kind)
    theta = study.start(6, 0).requires_grad_()
    optimiser = (torch.optim.AdamW if kind == "decoupled" else torch.optim.Adam)(
        [theta], lr=0.0, betas=(0.9, 0.99), weight_decay=strength
    )
    for t in range(4):
        batch = ours.batch()
        optimiser.param_groups[0]["lr"] = 0.02 * study.share("cosine", t + 1, 30)
        optimiser.zero_grad()
        study.losses(theta[None], batch, 6).sum().backward()
        optimiser.step()
        ours.go(t + 1, lambda t: study.share("cosine", t, 30))
    assert torch.allclose(ours.theta[0], theta.detach(), atol=1e-5)


def test_bfloat16_loses_small_updates_and_a_master_keeps_them():
    for keep, lost in (("bfloat16", True), ("master", False), ("float32", False)):
        training = study.Training(6, [0.0], [0], [0.0], keep=keep)
        training.theta, training.t = torch.full((1, study.parameters(6)), 1.0), study.WATCH
        training.step(torch.ones_like(training.theta), torch.tensor([[0.001]]))
        assert bool((training.theta == 1).all()) == lost and training.moved == [[0.0 if lost else 1.0]]


def test_schedules_begin_alike_and_end_where_they_should():
    for name in study.SCHEDULES:
        assert study.share(name, study.WARM // 2, 600) == 0.5 and study.share(name, study.WARM, 600) == pytest.approx(1)
    ends = {name: study.share(name, 600, 600) for name in study.SCHEDULES}
    assert ends == pytest.approx({"constant": 1, "1/√t": math.sqrt(study.WARM / 600), "cosine": 0, "wsd": 0}, abs=1e-12)
    assert (
        study.share("wsd", 480, 600) == 1
        and study.share("wsd", 540, 600) == 0.5
        and study.share("cosine", 310, 600) == pytest.approx(0.5)
    )


def test_a_branch_is_a_run_planned_for_its_length(monkeypatch):
    monkeypatch.setattr(study, "LENGTHS", (25, 40))
    found = study.branches(study.Training(6, [0.02] * 2, [0, 1], [0.0] * 2))
    for branch in found:
        length = branch["updates"]
        planned = study.Training(6, [0.02] * 2, [0, 1], [0.0] * 2).go(
            length, lambda t, length=length: study.share("wsd", t, length)
        )
        assert branch["excess"] == pytest.approx(planned.excess(), abs=1e-4)


def test_the_search_goes_on_until_the_best_has_neighbours(monkeypatch):
    monkeypatch.setattr(study, "RATES", {"triples": (0.0001, 0.0002)})
    tried = study.search(6, 21, "cosine", "none", 0)
    rates = [rate for rate, _ in tried]
    assert (
        rates == sorted(rates)
        and study.best(tried)[0] not in (rates[0], rates[-1])
        and all(b == pytest.approx(2 * a) for a, b in itertools.pairwise(rates))
    )
    study.search.cache_clear()


def test_every_rate_is_the_best_of_its_search_with_neighbours_on_both_sides():
    for row in STORED["rows"] + STORED["pairs"]:
        tried = {
            (rate, strength): [math.nan if each is None else each for each in found]
            for rate, strength, *found in row["tried"]
        }
        rates = sorted({rate for rate, _ in tried})
        assert study.best(tried) == (row["rate"], row["strength"]) and rates[0] < row["rate"] < rates[-1]
    assert ROWS[study.SMALL, study.UPDATES, "cosine", "none", 0]["rate"] == study.SMALL_RATE
    for text, rows in (("triples", STORED["rows"]), ("pairs", STORED["pairs"])):
        assert all(row["parameters"] == study.parameters(row["d"], study.LETTERS[text]) for row in rows)


def test_pairs_hang_on_one_letter_and_their_patterns_fall_in_strength():
    P = study.table("pairs")
    assert (P[:1] == P).all() and P.shape == (96,) * 3
    scores = np.log(P[0]) + np.log(np.arange(1, 97))
    sizes = np.linalg.svd(scores - scores.mean(1, keepdims=True), compute_uv=False)
    assert sizes[0] > 4 * sizes[7] > 8 * sizes[40] and study.pairs("pairs").sum() == pytest.approx(1)
