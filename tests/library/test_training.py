"""The loss, the learning rate and the loop, against PyTorch's own loss and against a plain loop written here."""

import os

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from safetensors.torch import load_file
from torch import nn

from course_lib import checks
from course_lib.training import cross_entropy, curve, train, warm_up
from tests.shared.refusals import named
from tests.shared.seeded import F64, seeded


# ---- the loss
@given(seed=st.integers(0, 999), smoothing=st.sampled_from([0.0, 0.1, 0.5, 1.0]), ignore=st.sampled_from([0, 3, -100]))
def test_cross_entropy_is_pytorchs(seed, smoothing, ignore):
    generator = seeded(seed)
    logits = 3 * torch.randn(4, 6, 7, generator=generator, **F64)
    targets = torch.randint(7, (4, 6), generator=generator)
    targets[0, 4:], targets[2, 1:] = ignore, ignore
    ours, theirs = logits.clone().requires_grad_(), logits.clone().requires_grad_()
    value = cross_entropy(ours, targets, smoothing=smoothing, ignore=ignore)
    reference = nn.CrossEntropyLoss(label_smoothing=smoothing, ignore_index=ignore)
    expected = reference(theirs.flatten(0, 1), targets.flatten())
    torch.testing.assert_close(value, expected, rtol=0, atol=1e-10)
    torch.testing.assert_close(
        *(torch.autograd.grad(*pair)[0] for pair in ((value, ours), (expected, theirs))), rtol=0, atol=1e-10
    )


ZEROS = torch.zeros(2, 3)
test_cross_entropy_says_what_is_wrong = named(
    (lambda: cross_entropy(ZEROS, torch.tensor([1, 3])), "targets must be from 0 to 2 in every entry, got 3"),
    (lambda: cross_entropy(ZEROS, torch.tensor([0, 0])), "targets must be other than ignore = 0"),
    (lambda: cross_entropy(ZEROS, torch.tensor([1])), "targets must be ints of shape"),
    (lambda: cross_entropy(ZEROS, torch.tensor([1, 2]), smoothing=1.1), "smoothing must be from 0 to 1"),
)


# ---- the rate
def test_warm_up_rises_in_a_line_and_falls_like_a_root():  # S-E4
    assert warm_up(4000, 512, 4000) == pytest.approx(7e-4, rel=2e-3)  # the peak that the paper's settings give
    rates = [warm_up(step, 64, 50) for step in range(1, 401)]
    assert rates.index(max(rates)) == 49
    assert rates[9] == pytest.approx(10 * rates[0])
    assert rates[399] == pytest.approx(rates[99] / 2)
    with pytest.raises(ValueError, match="step must be an int > 0"):
        warm_up(0, 64, 50)


# ---- the loop
class Net(nn.Module):
    """A net with dropout, a tied parameter and a buffer: what a checkpoint has to get right."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(5, 4)
        self.unembed = nn.Linear(4, 5, bias=False)
        self.dropout = nn.Dropout(0.5)
        self.register_buffer("seen", torch.zeros(()))
        with torch.no_grad():
            self.embed.weight.copy_(torch.randn(5, 4, generator=seeded()))
        self.unembed.weight = self.embed.weight

    def forward(self, tokens):
        if self.training:
            self.seen += 1
        return self.unembed(self.dropout(self.embed(tokens)))


def batch_at(step):
    return torch.randint(1, 5, (8,), generator=seeded(step))


def loss_of(model, tokens):
    return cross_entropy(model(tokens), tokens)


def fresh(kind="adam"):
    model = Net()
    kinds = {
        "adam": lambda: torch.optim.Adam(model.parameters(), lr=0.01),
        "momentum": lambda: torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9),
        "sgd": lambda: torch.optim.SGD(model.parameters(), lr=0.1),
    }
    return model, kinds[kind]()


def moments(optimiser):
    return {
        (i, name): value
        for i, state in optimiser.state_dict()["state"].items()
        for name, value in state.items()
        if value is not None
    }


@pytest.fixture(autouse=True)
def global_generator():
    before = torch.get_rng_state()
    torch.manual_seed(3)
    yield
    torch.set_rng_state(before)


def test_train_is_a_plain_loop():
    model, optimiser = fresh()
    model.eval()  # the loop itself turns dropout on
    losses = train(model, batch_at, loss_of, optimiser, 20, rate=lambda t: 0.1 / t, clip=0.5)
    torch.manual_seed(3)
    plain, plain_optimiser = fresh()
    expected = []
    for step in range(1, 21):
        plain_optimiser.param_groups[0]["lr"] = 0.1 / step
        loss = nn.functional.cross_entropy(plain(batch_at(step)), batch_at(step))
        plain_optimiser.zero_grad()
        loss.backward()
        gradient = plain.embed.weight.grad
        if gradient.norm() > 0.5:
            gradient *= 0.5 / gradient.norm()
        plain_optimiser.step()
        expected.append(loss.item())
    assert losses == pytest.approx(expected, abs=1e-6)
    torch.testing.assert_close(model.embed.weight, plain.embed.weight, rtol=0, atol=1e-5)
    assert not model.training
    assert losses[-1] < losses[0]


@pytest.mark.parametrize("kind", ["adam", "momentum", "sgd"])
def test_a_resumed_run_is_the_whole_run_bit_for_bit(tmp_path, kind):
    whole, whole_optimiser = fresh(kind)
    expected = train(whole, batch_at, loss_of, whole_optimiser, 30)
    path = tmp_path / "run.safetensors"
    torch.manual_seed(3)

    def breaks_at_17(model, tokens):
        if model.seen == 16:
            raise KeyboardInterrupt
        return loss_of(model, tokens)

    model, optimiser = fresh(kind)
    with pytest.raises(KeyboardInterrupt):
        train(model, batch_at, breaks_at_17, optimiser, 30, checkpoint=path, every=5)
    torch.manual_seed(99)  # another process has another generator
    model, optimiser = fresh(kind)
    with torch.no_grad():
        model.embed.weight.zero_()
    losses = train(model, batch_at, loss_of, optimiser, 30, checkpoint=path, every=5)
    assert losses == expected
    for (name, ours), theirs in zip(model.state_dict().items(), whole.state_dict().values(), strict=True):
        assert torch.equal(ours, theirs), name
    assert model.unembed.weight is model.embed.weight
    ours, theirs = moments(optimiser), moments(whole_optimiser)
    assert ours.keys() == theirs.keys()
    assert all(torch.equal(ours[key], theirs[key]) for key in theirs)
    # A finished run is read, not trained on
    again, optimiser = fresh(kind)
    assert train(again, lambda step: 1 / 0, loss_of, optimiser, 30, checkpoint=path) == expected
    assert torch.equal(again.embed.weight, whole.embed.weight)
    with pytest.raises(ValueError, match="steps must be at least 30"):
        train(again, batch_at, loss_of, optimiser, 29, checkpoint=path)


def test_a_checkpoint_is_written_whole_or_not_at_all(tmp_path, monkeypatch):
    path = tmp_path / "run.safetensors"
    model, optimiser = fresh()
    train(model, batch_at, loss_of, optimiser, 4, checkpoint=path, every=2)
    before = path.read_bytes()
    assert [file.name for file in tmp_path.iterdir()] == ["run.safetensors"]

    def full(descriptor):
        raise OSError("no space left")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        train(model, batch_at, loss_of, optimiser, 8, checkpoint=path, every=2)
    assert path.read_bytes() == before
    assert len(load_file(path)["losses"]) == 4


def test_checkpoints_that_do_not_fit_are_named(tmp_path):
    path = tmp_path / "run.safetensors"
    model, optimiser = fresh()
    train(model, batch_at, loss_of, optimiser, 2, checkpoint=path)
    other = nn.Linear(2, 2)
    with pytest.raises(ValueError, match=r"of another model .*delete it to start afresh"):
        train(other, batch_at, loss_of, torch.optim.Adam(other.parameters()), 4, checkpoint=path)


def test_a_loss_that_is_not_finite_stops_the_run_before_it_reaches_the_parameters():
    model, optimiser = fresh()

    def explodes(model, tokens):
        return loss_of(model, tokens) * (float("inf") if model.seen == 7 else 1.0)

    with pytest.raises(FloatingPointError, match="the loss is inf at step 7"):
        train(model, batch_at, explodes, optimiser, 20)
    assert model.embed.weight.isfinite().all()


def test_checks_that_read_data_are_off_inside_and_on_again_after():
    model, optimiser = fresh()

    def looks(model, tokens):
        checks.finite("x", torch.tensor(float("nan")))
        return loss_of(model, tokens)

    train(model, batch_at, looks, optimiser, 1)
    with pytest.raises(ValueError, match="x must be finite"):
        looks(model, None)


def test_progress_goes_to_stderr_and_only_when_asked(capsys):
    model, optimiser = fresh()
    train(model, batch_at, loss_of, optimiser, 2)
    assert capsys.readouterr() == ("", "")
    train(model, batch_at, loss_of, optimiser, 2, progress=True)
    out, err = capsys.readouterr()
    assert out == "" and "2/2" in err


def test_a_curve_is_the_means_of_even_pieces():
    assert curve([4.0, 2.0, 1.0, 1.0, 5.0, 1.0], points=3) == [[2, 3.0], [4, 1.0], [6, 3.0]]
    assert [step for step, _ in curve([0.0] * 7, points=3)] == [2, 5, 7]
    with pytest.raises(ValueError, match="points must be at most the number of losses, 2, got 3"):
        curve([1.0, 2.0], points=3)
