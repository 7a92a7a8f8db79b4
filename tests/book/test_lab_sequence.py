"""The lab that builds a translator: its checks know right from wrong, its solutions pass, its blanks fall back on the same model."""

import re

import torch

from tests.shared.lab_notebook import EveryLab, printed


class TestLab(EveryLab):
    name, left_out = "sequence_to_sequence", r"number_words\(|trained\(|\bask\(|say\(|interactive\(|plots\."
    exercises = ("gru", "read", "start", "step", "forced_loss", "write", "backwards")
    lines, fallbacks = 20, 7

    def view(self, name, lab):
        return lab["both_steps"] if name == "step" else super().view(name, lab)


def test_gradients_pass_through_every_parameter(lab):
    """Held to central differences: a detached piece would pass every check of values."""
    model = lab["model_weights"](5, 4, 3, 2, lambda *shape: torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))))
    given = torch.tensor([[4, 1, 3], [2, 0, 0]]), torch.tensor([3, 1]), torch.tensor([[1, 3, 3], [1, 3, 0]]), torch.tensor([[3, 3, 2], [3, 2, 0]])
    parameters = [value for part in model.values() for value in (part.values() if isinstance(part, dict) else [part])]
    assert len(parameters) == 12
    for W in parameters:
        W.requires_grad_()
    assert torch.autograd.gradcheck(lambda *_: lab["forced_loss"](model, *given), parameters, rtol=1e-4, atol=1e-8)
    gradients = torch.autograd.grad(lab["forced_loss"](model, *given), parameters)
    assert min(gradient.abs().max() for gradient in gradients) > 1e-6


def test_the_page_says_what_reading_backwards_did():
    """Fewer numbers right, the first word right every time, the last one hardly ever."""
    text = printed(f"labs/solutions/{TestLab.name}")
    assert float(re.search(r"held-out numbers exactly right: ([\d.]+)", text)[1]) > 0.95
    runs = re.findall(r"seed (\d), (\w+) +([\d.]+) +([\d.]+) +([\d.]+)", text)
    scores = {(seed, order): tuple(map(float, each)) for seed, order, *each in runs}
    for seed in "12":
        there, back = scores[seed, "forwards"], scores[seed, "backwards"]
        assert back[0] < there[0] / 2 and back[1] == 1 >= there[1] and back[2] < 0.25 < there[2]
