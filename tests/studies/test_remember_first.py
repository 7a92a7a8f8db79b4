"""Who remembers the first token, and what is thrown: rows of the stored study made again, and what the page concludes
from it."""

import pytest

from course_lib.results import load
from studies import remember_first as study

TABLE = load("remember_first")
SEEDS = TABLE["settings"]["seeds"]
KEY = ("cell", "optimiser", "T", "clip", "rate", "lies", "then")
WATCHED = {tuple(each[name] for name in KEY): each for each in TABLE["watched"]}
GRU = [("gru", "SGD", 32, 1.0, 10.0), ("gru", "Adam", 32, 1.0, 0.1)]


def opened(watched, least=0.5):
    """In how many runs ‖∂s_T/∂s_1‖ reaches `least`."""
    return sum(any(norm >= least for norm in norms) for norms in watched["norm"])


def test_the_rate_changes_after_the_steps_by_lot_and_the_answers_do_too():
    """Before `lies` steps both runs are one; afterwards one has the small rate and the truth."""
    long, short = (study.watch("gru", "SGD", 8, 1.0, 3.0, lies, 0.0, steps=10) for lies in (10, 5))
    assert [norms[1] for norms in long["norm"]] == [norms[1] for norms in short["norm"]]
    assert all(norms[1] == norms[2] for norms in short["norm"]) and not any(
        norms[1] == norms[2] for norms in long["norm"]
    )


@pytest.mark.parametrize("setting", GRU)
def test_a_gru_is_thrown_open_and_then_taught(setting):
    """At a large rate the norm rises as well with answers by lot; at a tenth of it nothing happens, unless twenty steps
    by lot came before."""
    *_, rate = setting
    assert opened(WATCHED[(*setting, 0, rate)]) == opened(WATCHED[(*setting, 200, rate)]) == SEEDS
    slow, after = (
        WATCHED[(*setting[:4], study.slower(rate), 0, study.slower(rate))],
        WATCHED[(*setting, 20, study.slower(rate))],
    )
    assert opened(slow) == 0 and max(max(shares) for shares in slow["right"]) < 0.4
    assert sum(max(shares) >= TABLE["settings"]["learned_from"] for shares in after["right"]) >= SEEDS - 1


@pytest.mark.parametrize("setting", [("rnn", "Adam", 16, 1.0, 0.01), ("lstm, bias 2", "SGD", 32, 1.0, 0.3)])
def test_others_are_taught(setting):
    assert (
        opened(WATCHED[(*setting, 0, setting[-1])]) >= SEEDS - 1 and opened(WATCHED[(*setting, 200, setting[-1])]) <= 1
    )


def test_every_run_is_shortened_by_itself():
    import torch

    parameters = [torch.zeros(2, 3, requires_grad=True), torch.zeros(2, 2, 2, requires_grad=True)]
    for p, scale in zip(parameters, (3.0, 4.0), strict=True):
        p.grad = torch.ones_like(p) * scale * torch.tensor([1.0, 0.01]).view(-1, *[1] * (p.dim() - 1))
    before = [p.grad.clone() for p in parameters]
    study.shorten(parameters, 1.0)
    lengths = torch.stack([p.grad.flatten(1).pow(2).sum(1) for p in parameters]).sum(0).sqrt()
    assert lengths[0].item() == pytest.approx(1) and torch.equal(parameters[0].grad[1], before[0][1])
