"""The study of four starts: each does what its name says."""

import pytest
import torch
from torch.nn.utils import parameters_to_vector

from course_lib.results import load
from studies import stabilisers, warm_up

TABLE = load("warm_up")


def place(norm: str, start: str, steps: int) -> torch.Tensor:
    """All parameters of seed 0 after so many steps that move them."""
    return parameters_to_vector(warm_up.trained(norm, start, warm_up.FACTOR, 0, steps)[0].parameters()).detach()


@pytest.mark.parametrize(
    ("norm", "start", "variant"), [("post", "warm-up", "as published"), ("pre", "none", "pre-norm, no warm-up")]
)
def test_the_known_starts_are_those_of_the_other_study(norm, start, variant):
    theirs = {row["seed"]: row for row in load("stabilisers")["rows"] if row["variant"] == variant}
    ours = [row for row in TABLE["rows"] if (row["norm"], row["start"], row["factor"]) == (norm, start, warm_up.FACTOR)]
    assert [(row["nats"], row["first"]) for row in ours] == [
        (theirs[row["seed"]]["nats"], theirs[row["seed"]]["first"]) for row in ours
    ]


def test_a_head_start_moves_nothing_and_a_reset_moves_all_by_the_full_rate(monkeypatch):
    monkeypatch.setattr(warm_up, "WARM", 4)
    still = place("post", "none", 0)
    assert torch.equal(place("post", "head start", 0), still)
    # Adam's first step moves what has a gradient by the full rate; full averages move it less
    rate = warm_up.FACTOR * stabilisers.SIZES["d"] ** -0.5 * 5**-0.5
    for start, steps, share in (("none", 0, 1), ("reset", 4, 1), ("head start", 0, 0.9), ("warm-up", 4, 0.9)):
        move = (place("post", start, steps + 1) - place("post", start, steps)).abs()
        moved = move[move > 0].mean().item() / rate
        assert moved == pytest.approx(1, abs=0.01) if share == 1 else moved < share, start
    assert torch.equal(place("post", "reset", 4), place("post", "warm-up", 4))


def test_the_table_holds_what_was_to_be_compared():
    assert len(warm_up.COMPARED) == 6
    cells = {(row["start"], row["factor"]) for row in TABLE["rows"] if "nats" in row}
    assert {each for pair in warm_up.COMPARED for each in pair} <= cells


def test_two_averages_with_their_own_counts_are_adam_as_long_as_none_is_emptied():
    ours, theirs = torch.nn.Linear(4, 3), torch.nn.Linear(4, 3)
    theirs.load_state_dict(ours.state_dict())
    pairs = [(ours, warm_up.Apart(ours.parameters())), (theirs, stabilisers.adam(theirs))]

    def step(size: float) -> None:
        x = size * torch.ones(2, 4)
        for model, optimiser in pairs:
            optimiser.param_groups[0]["lr"] = 0.01
            optimiser.zero_grad()
            model(x).square().sum().backward()
            optimiser.step()

    for size in (1, 3, 0.1, 2):
        step(size)
    assert torch.allclose(ours.weight, theirs.weight, atol=1e-6)
    before = ours.weight.detach().clone()
    square = next(iter(pairs[0][1].state.values()))["averages"][1] * 0.98
    pairs[0][1].empty(0)
    step(1)
    gradient = ours.weight.grad  # by hand: one gradient over the root of five squares, each corrected for its own count
    wanted = 0.01 * gradient / ((square + 0.02 * gradient**2) / (1 - 0.98**5)).sqrt()
    assert torch.allclose(before - ours.weight, wanted, atol=1e-6)
