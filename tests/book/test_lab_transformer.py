"""The lab that builds a block: its checks know right from wrong, its solutions pass, its blanks fall back on the same model."""

import copy
import re

import pytest
import torch

from course_lib.shipped import town_model
from course_lib.transformer.positions import sinusoidal
from tests.book.test_lab_answers import LEFT_OUT
from tests.shared.lab_notebook import EveryLab, printed, tables


class TestLab(EveryLab):
    name, left_out = "transformer", LEFT_OUT
    exercises = (
        "attention", "split", "join", "self_attention", "layer_norm", "feed_forward", "wired", "block",
        "language_model", "surprise", "train", "no_residual", "no_norm", "loaded", "draw",
    )  # fmt: skip
    lines, fallbacks = 12, 15

    def view(self, name, lab):
        return lab["its_logits"] if name == "loaded" else super().view(name, lab)


def test_gradients_pass_through_every_parameter(lab):
    """Held to central differences: a detached piece would pass every check of values."""
    model = lab["weights_of_model"](6, 2, 4, 6, lambda *shape: torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))))
    tokens, answers, P = torch.tensor([[1, 4, 5]]), torch.tensor([[4, 5, 2]]), lab["table"]
    parameters = [model["E"], model["gain"], model["bias"], *(W for p in model["blocks"] for W in p.values())]
    for W in parameters:
        W.requires_grad_()
    assert torch.autograd.gradcheck(lambda *_: lab["surprise"](lab["language_model"](tokens, model, 2, P), answers), parameters, rtol=1e-4, atol=1e-7)


def test_the_shipped_weights_give_the_librarys_logits_in_the_labs_code(lab):
    """To 1e-10, on tokens drawn by chance; one wrong matrix moves them by far more."""
    shipped = copy.deepcopy(town_model().model).double()
    shipped.embedding.P = sinusoidal(512, 64)  # the buffer may have been made in float32
    state, tokens = shipped.state_dict(), torch.randint(69, (4, 20), generator=torch.Generator().manual_seed(0))
    with torch.no_grad():
        right = shipped(tokens).logits
        ours = lab["loaded"](state, 3)
        assert (lab["language_model"](tokens, ours, 4, sinusoidal(80, 64)) - right).abs().max() < 1e-10
        W = state["stack.blocks.2.attention.W_V"]
        ours["blocks"][2]["W_V"] = W.reshape(W.shape[1], -1)
        assert (lab["language_model"](tokens, ours, 4, sinusoidal(80, 64)) - right).abs().max() > 0.1


def test_draw_draws_each_token_as_often_as_its_probability_says(lab):
    u = (torch.arange(100_000) + 0.5) / 100_000
    logits = torch.tensor([0.3, -1.0, 2.0, 0.0])
    found = lab["draw"](logits.expand(len(u), 4), 0.7, u).bincount(minlength=4) / len(u)
    assert found.tolist() == pytest.approx(torch.softmax(logits / 0.7, 0).tolist(), abs=2e-5)


def rows(caption: str) -> dict[str, list[float]]:
    """The rows of a table of the solved lab."""
    body = tables(f"labs/solutions/{TestLab.name}").split(caption)[1].splitlines()[3:7]
    return {line.split()[0]: [float(x) for x in line.split()[1:]] for line in body}


def test_the_page_says_what_the_ablations_found():
    """The paragraphs below the tables, and what the positions page proves: one causal block does not see the order, two do."""
    without, after = rows("Trained without it"), rows("Taken out after training")
    costs = {part: [round(x - y, 2) for x, y in zip(without[part], without["nothing"], strict=True)] for part in without}
    rises = {part: [round(x - y, 2) for x, y in zip(after[part], after["nothing"], strict=True)] for part in after}
    assert min(costs["sums"]) >= 0.15 and min(costs["norms"]) >= 0.02 and max(costs["norms"]) <= 0.04 and max(costs["positions"]) <= 0
    assert min(rises["positions"]) > 0 and all(rise > 10 * cost for rise, cost in zip(rises["norms"], costs["norms"], strict=True))
    assert all(4 < loss < 4.23 for loss in after["sums"])
    text = printed(f"labs/solutions/{TestLab.name}")
    one, two = (float(x) for x in re.findall(r"blocks: \d, logits move by ([\d.]+)", text))
    assert one == 0 and two > 0.1
    assert "1.716 nats; its file says 1.716" in text and re.search(r"the library's and yours: equal to within 1e-1[0-9]", text)
