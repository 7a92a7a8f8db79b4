"""The lab that builds a translator: its checks know right from wrong, its solutions pass, its blanks fall back on the same model."""

import json
import re
from pathlib import Path

import pytest
import torch

from course_lib.exercises import checked
from course_lib.recurrent import GRUCell, RecurrentDecoder
from tests.shared.lab_notebook import functions, solved

ROOT = Path(__file__).resolve().parents[2]
BLANK, SOLVED = ROOT / "labs/01_sequence_to_sequence.ipynb", ROOT / "labs/solutions/01_sequence_to_sequence.ipynb"
NAMES = {"gru", "read", "start", "step", "forced_loss", "write", "backwards"}


@pytest.fixture(scope="module")
def lab():
    """The names of the solved lab, without its data and its training."""
    with solved("01_sequence_to_sequence", r"number_words\(|trained\(|\bask\(|say\(|interactive\(|plots\.") as names:
        yield names


def exercises(names):
    """Each exercise by name, with the view through which the lab looks at the learner's function."""
    views = {"start": names["pair_of"], "step": names["both_steps"]}
    found = functions(names)
    return {name: (each, views.get(name, lambda function: function)) for name, each in found.items()}


def defined(names, exercise, code):
    space = dict(names)
    exec(exercise.starter.splitlines()[0] + "\n" + "\n".join("    " + line for line in code.splitlines()), space)
    return space[exercise.name]


def test_every_solution_that_a_learner_can_open_passes_the_check(lab):
    found = exercises(lab)
    assert set(found) == NAMES
    for name, (exercise, view) in found.items():
        assert exercise.check(view(defined(lab, exercise, exercise.solution))).correct, name


WRONG = {
    "gru": ("(1 - z) * proposal + z * s", "z * proposal + (1 - z) * s", "Old and new are exchanged"),
    "read": ("torch.where((t < lengths)[:, None], after, s)", "after", "padding has been read"),
    "step": ("torch.cat([y, C], -1)", "torch.cat([y, 0 * C], -1)", "context has not reached"),
    "forced_loss": (", ignore_index=PAD", "", "padding and must not count"),
    "write": ("ended | (tokens == END)", "tokens == END", "come back to life"),
    "backwards": ("torch.where(place >= 0, source.gather(1, place.clamp(min=0)), PAD)", "source.flip(1)", "padding has come to the front"),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_typical_mistake_is_named_and_does_not_reach_the_later_steps(lab, name, capsys):
    right, wrong, message = WRONG[name]
    exercise, view = exercises(lab)[name]
    code = exercise.solution.replace(right, wrong)
    assert code != exercise.solution
    function = defined(lab, exercise, code)
    verdict = exercise.check(view(function))
    assert not verdict.correct and message in verdict.message
    course = object()
    assert checked(exercise, course, via=view)(function) is course
    assert f"the course's {name}" in capsys.readouterr().out


def test_the_labs_cell_and_decoder_are_the_librarys(lab):
    """The truths of the checks are PyTorch's; here the solved functions are held to course_lib.recurrent."""
    generator = torch.Generator().manual_seed(5)
    cell = GRUCell(4, 3, generator=generator, dtype=torch.float64)
    p = lab["Weights"]({name: value.detach() for name, value in cell.named_parameters()})
    x, s = torch.randn(5, 4, generator=generator, dtype=torch.float64), torch.randn(5, 3, generator=generator, dtype=torch.float64)
    assert torch.allclose(lab["gru"](x, s, p), cell(x, s), atol=1e-12)
    decoder = RecurrentDecoder(7, 4, 3, generator=generator, dtype=torch.float64)
    model = {
        "decoder": {name: value.detach() for name, value in decoder.cell.named_parameters()},
        "E_target": torch.randn(7, 4, generator=generator, dtype=torch.float64), "U": torch.eye(3, dtype=torch.float64), "b_U": torch.zeros(3, dtype=torch.float64),
    }  # fmt: skip
    C, tokens = torch.randn(5, 3, generator=generator, dtype=torch.float64), torch.tensor([0, 6, 2, 2, 5])
    logits, (after, kept) = lab["step"](model, tokens, (s, C))
    theirs = decoder.cell(torch.cat([model["E_target"][tokens], C], -1), s)
    assert torch.allclose(after, theirs, atol=1e-12) and torch.equal(logits, after) and kept is C


def test_gradients_pass_through_every_parameter(lab):
    """Held to central differences: a detached piece would pass every check of values."""
    model = lab["model_weights"](5, 4, 3, 2, lambda *shape: torch.randn(*shape, generator=torch.Generator().manual_seed(sum(shape))))
    given = torch.tensor([[4, 1, 3], [2, 0, 0]]), torch.tensor([3, 1]), torch.tensor([[1, 3, 3], [1, 3, 0]]), torch.tensor([[3, 3, 2], [3, 2, 0]])
    parameters = [value for part in model.values() for value in (part.values() if isinstance(part, dict) else [part])]
    assert len(parameters) == 12
    for W in parameters:
        W.requires_grad_()
    gradients = torch.autograd.grad(lab["forced_loss"](model, *given), parameters)
    for W, gradient in zip(parameters, gradients, strict=True):
        place = gradient.abs().argmax()  # the embedding of a token that does not occur has no gradient
        with torch.no_grad():
            flat = W.view(-1)
            before = flat[place].item()
            flat[place] = before + 1e-5
            up = lab["forced_loss"](model, *given)
            flat[place] = before - 1e-5
            slope = (up - lab["forced_loss"](model, *given)) / 2e-5
            flat[place] = before
        assert gradient.abs().max() > 1e-6 and torch.isclose(gradient.view(-1)[place], slope, rtol=1e-4, atol=1e-8)


def printed(path):
    text = ""
    for cell in json.loads(path.read_text())["cells"]:
        for output in cell.get("outputs", []):
            text += "".join(output.get("text", []))
    return text


def test_blank_and_solution_train_the_same_model():
    def numbers(path):
        return [line for line in printed(path).splitlines() if re.search(r"nats a token|loss(es)? \d|^held-out|English words|→|^seed \d", line)]

    assert len(numbers(SOLVED)) >= 14 and numbers(BLANK) == numbers(SOLVED)
    assert printed(BLANK).count("Until it passes") == 7 and "Until it passes" not in printed(SOLVED)


def test_the_page_says_what_reading_backwards_did():
    """Fewer numbers right, the first word right every time, the last one hardly ever."""
    text = printed(SOLVED)
    assert float(re.search(r"held-out numbers exactly right: ([\d.]+)", text)[1]) > 0.95
    runs = re.findall(r"seed (\d), (\w+) +([\d.]+) +([\d.]+) +([\d.]+)", text)
    scores = {(seed, order): tuple(map(float, each)) for seed, order, *each in runs}
    for seed in "12":
        there, back = scores[seed, "forwards"], scores[seed, "backwards"]
        assert back[0] < there[0] / 2 and back[1] == 1 >= there[1] and back[2] < 0.25 < there[2]
