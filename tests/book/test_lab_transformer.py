"""The lab that builds a block: its checks know right from wrong, its solutions pass, its blanks fall back on the same model."""

import re

import torch

from tests.shared.lab_notebook import EveryLab, printed


class TestLab(EveryLab):
    name, left_out = "03_transformer", r"towns\(\)|trained\(|\bask\(|sample\(|interactive\(|moved\(|plots\."
    exercises = (
        "layer_norm", "attention", "split", "join", "self_attention", "feed_forward",
        "wired", "block", "predict", "surprise", "train", "no_residual", "no_norm",
    )  # fmt: skip
    lines, fallbacks = 25, 13


def test_gradients_pass_through_every_parameter(lab):
    """Held to central differences: a detached piece would pass every check of values."""
    model = lab["weights_of_model"](6, 2, 4, 6, lambda *shape: torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))))
    tokens, answers, P = torch.tensor([[1, 4, 5]]), torch.tensor([[4, 5, 2]]), lab["table"]
    parameters = [model["E"], model["gain"], model["bias"], *(W for p in model["blocks"] for W in p.values())]
    for W in parameters:
        W.requires_grad_()
    assert torch.autograd.gradcheck(lambda *_: lab["surprise"](lab["predict"](tokens, model, 2, P), answers), parameters, rtol=1e-4, atol=1e-7)


def test_the_page_says_what_the_ablation_found():
    """The sentence below the table, and what the positions page proves: one causal block does not see the order, two do."""
    loss = {name: float(value) for name, value in re.findall(r"(whole|no \w+): ([\d.]+) nats", printed(f"labs/solutions/{TestLab.name}"))}
    assert loss["no residual"] > loss["whole"] + 0.1  # clearly less
    assert 0 < loss["no norm"] - loss["whole"] < 0.1  # hardly worse
    assert loss["no positions"] <= loss["whole"]  # not worse at all
    one, two = (float(x) for x in re.findall(r"blocks?, no positions: the logits move by at most ([\d.]+)", printed(f"labs/solutions/{TestLab.name}")))
    assert one == 0 and two > 0.1
