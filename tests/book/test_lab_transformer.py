"""The lab that builds a block: its checks know right from wrong, its solutions pass, its blanks fall back on the same model."""

import json
import re
from pathlib import Path

import pytest
import torch

from course_lib.exercises import checked
from tests.shared.lab_notebook import functions, solved

ROOT = Path(__file__).resolve().parents[2]
BLANK, SOLVED = ROOT / "labs/03_transformer.ipynb", ROOT / "labs/solutions/03_transformer.ipynb"


@pytest.fixture(scope="module")
def lab():
    """The names of the solved lab up to the training data, which are not needed here."""
    with solved("03_transformer", r"towns\(\)|trained\(|\bask\(|sample\(|interactive\(|moved\(|plots\.") as names:
        yield names


def test_every_solution_that_a_learner_can_open_passes_the_check(lab):
    found = functions(lab)
    assert set(found) == {
        "layer_norm", "attention", "split", "join", "self_attention", "feed_forward",
        "wired", "block", "predict", "surprise", "train", "no_residual", "no_norm",
    }  # fmt: skip
    for name, exercise in found.items():
        head = exercise.starter.splitlines()[0]
        space = dict(lab)
        exec(head + "\n" + "\n".join("    " + line for line in exercise.solution.splitlines()), space)
        written = lab["one_head"](space[name]) if name == "split" else space[name]
        assert exercise.check(written).correct, name


WRONG = {
    "attention": ("q @ k.mT / q.shape[-1] ** 0.5", "q @ k.mT", "not divided by √m"),
    "layer_norm": ("unbiased=False", "unbiased=True", "divides by d − 1"),
    "wired": ("x + f(", "f(", "skip is missing"),
    "block": ('p["gain_2"]', 'p["gain_1"]', "gain_2"),
    "predict": ("layer_norm(x, model", "(lambda x, gain, bias: x)(x, model", "last norm is missing"),
    "train": ("optimiser.zero_grad()", "pass", "zero_grad"),
    "surprise": ("[answers != 0]", "", "padding"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_typical_mistake_is_named_and_does_not_reach_the_later_steps(lab, name, capsys):
    right, wrong, message = WRONG[name]
    exercise = functions(lab)[name]
    space = dict(lab)
    code = exercise.solution.replace(right, wrong)
    if name == "block":
        code = code.replace("bias_2", "bias_1")
    assert code != exercise.solution
    exec(exercise.starter.splitlines()[0] + "\n" + "\n".join("    " + line for line in code.splitlines()), space)
    verdict = exercise.check(space[name])
    assert not verdict.correct and message in verdict.message
    course = object()
    assert checked(exercise, course)(space[name]) is course
    assert f"the course's {name}" in capsys.readouterr().out


def test_gradients_pass_through_every_parameter(lab):
    """Held to central differences: a detached piece would pass every check of values."""
    model = lab["weights_of_model"](6, 2, 4, 6, lambda *shape: torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))))
    tokens, answers, P = torch.tensor([[1, 4, 5]]), torch.tensor([[4, 5, 2]]), lab["table"]

    def loss():
        return lab["surprise"](lab["predict"](tokens, model, 2, P), answers)

    parameters = [model["E"], model["gain"], model["bias"], *(W for p in model["blocks"] for W in p.values())]
    for W in parameters:
        W.requires_grad_()
    gradients = torch.autograd.grad(loss(), parameters)
    for W, gradient in zip(parameters, gradients, strict=True):
        with torch.no_grad():
            flat = W.view(-1)
            before = flat[0].item()
            flat[0] = before + 1e-5
            up = loss()
            flat[0] = before - 1e-5
            slope = (up - loss()) / 2e-5
            flat[0] = before
        assert torch.isclose(gradient.view(-1)[0], slope, rtol=1e-4, atol=1e-7)


def printed(path):
    text = ""
    for cell in json.loads(path.read_text())["cells"]:
        for output in cell.get("outputs", []):
            text += "".join(output.get("text", []))
    return text


def test_blank_and_solution_train_the_same_model():
    def numbers(path):
        return [line for line in printed(path).splitlines() if re.search(r"nats a letter|loss|^held-out|^  [A-Z]|no positions|largest change", line)]

    assert len(numbers(SOLVED)) == 22 and numbers(BLANK) == numbers(SOLVED)
    assert printed(BLANK).count("Until it passes") == 13 and "Until it passes" not in printed(SOLVED)


def test_the_page_says_what_the_ablation_found():
    """The sentence below the table, and what the positions page proves: one causal block does not see the order, two do."""
    loss = {name: float(value) for name, value in re.findall(r"(whole|no \w+): ([\d.]+) nats", printed(SOLVED))}
    assert loss["no residual"] > loss["whole"] + 0.1  # clearly less
    assert 0 < loss["no norm"] - loss["whole"] < 0.1  # hardly worse
    assert loss["no positions"] <= loss["whole"]  # not worse at all
    one, two = (float(x) for x in re.findall(r"blocks?, no positions: the logits move by at most ([\d.]+)", printed(SOLVED)))
    assert one == 0 and two > 0.1
