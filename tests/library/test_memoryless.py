"""The model of source R and its many-at-once trainer, held to PyTorch's own layers, to autograd and to a plain loop."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.memoryless import Batches, Ensemble, Sizes, SourceModel, Training, predictions, read, train
from course_lib.sources import Markov, Memoryless
from tests.shared.refusals import named
from tests.shared.seeded import F64, normal, rng, seeded
from tests.shared.torch_weights import randomise

P = [0.5, 0.25, 0.125, 0.125]
SOURCE = Memoryless(P)
CHAIN = Markov([[0.9, 0.1], [0.3, 0.7]])
SMALL = Sizes(v=4, n=5, d=6, m=3, r=7)  # all different
GRID = [SMALL, Sizes(2, 1, 3, 5, 2), Sizes(8, 16, 8, 4, 16), Sizes(3, 4, 2, 2, 1)]


def drawn(sizes: Sizes, count: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(rng(seed).integers(0, sizes.v, (count, sizes.n)))


def stirred(sizes: Sizes, **options) -> SourceModel:
    """A model whose every parameter is random, so that no gradient and no bias is zero by its start."""
    return randomise(SourceModel(sizes, **F64, **options), seeded(5))


# ---- the model


@pytest.mark.parametrize("scale", ["m", "d"])
def test_model_equals_torchs_own_layers(scale):
    d, m = SMALL.d, SMALL.m
    model, tokens = stirred(SMALL, scale=scale), drawn(SMALL, 9)
    with torch.no_grad():
        X = torch.nn.Embedding.from_pretrained(model.E)(tokens) + model.P
        linear = {name: torch.nn.Linear(1, 1) for name in "QKVO123"}
        for name, layer in linear.items():
            layer.weight, layer.bias = (
                torch.nn.Parameter(getattr(model, f"W_{name}").T),
                torch.nn.Parameter(getattr(model, f"w_{name.lower()}")),
            )
        attended = F.scaled_dot_product_attention(
            *(linear[name](X) for name in "QKV"), scale=(m if scale == "m" else d) ** -0.5
        )
        norms = [torch.nn.LayerNorm(d, **F64) for _ in range(2)]
        for i, norm in enumerate(norms, start=1):
            norm.weight, norm.bias = getattr(model, f"gamma_{i}"), getattr(model, f"beta_{i}")
        N = norms[0](X + linear["O"](attended))
        Z = norms[1](N + linear["2"](torch.relu(linear["1"](N))))
        expected = linear["3"](Z[:, -1])
        torch.testing.assert_close(model(tokens), expected, rtol=0, atol=1e-12)
        stages = model.stages(tokens)
        torch.testing.assert_close(stages.Z, Z, rtol=0, atol=1e-12)
        torch.testing.assert_close(stages.q, expected.softmax(-1), rtol=0, atol=1e-12)
        torch.testing.assert_close(stages.A @ stages.V, stages.O, rtol=0, atol=1e-12)


@pytest.mark.parametrize("sizes", GRID)
def test_last_row_alone_gives_the_same(sizes):
    model, tokens = stirred(sizes), drawn(sizes, 6)
    torch.testing.assert_close(model.last(tokens), model(tokens), rtol=0, atol=1e-12)


def test_start_is_matlabs():
    model = SourceModel(Sizes(8, 128, 128, 64, 512), **F64)
    for name in ("E", "P"):
        assert getattr(model, name).std().item() == pytest.approx(0.01, rel=0.05)
    for name in ("W_Q", "W_O", "W_1", "W_3"):
        matrix = getattr(model, name)
        reach = (6 / sum(matrix.shape)) ** 0.5
        assert 0.97 * reach < matrix.abs().max().item() <= reach
        assert matrix.std().item() == pytest.approx(reach / 3**0.5, rel=0.05)
    assert all((getattr(model, name) == 0).all() for name in ("w_q", "w_o", "w_1", "w_3", "beta_1", "beta_2"))
    assert all((getattr(model, name) == 1).all() for name in ("gamma_1", "gamma_2"))


# ---- the gradient


@pytest.mark.parametrize("scale", ["m", "d"])
@pytest.mark.parametrize("sizes", GRID)
def test_gradient_equals_autograds(sizes, scale):
    seeds, b = [4, 9, 1], 11
    ensemble = Ensemble(sizes, seeds, scale=scale, **F64)
    ensemble.flat += normal(ensemble.flat.shape, seed=2) / 3
    tokens = torch.stack([drawn(sizes, b, seed) for seed in seeds])
    targets = drawn(Sizes(sizes.v, b, 1, 1, 1), len(seeds), 7)
    losses = ensemble.differentiate(tokens, targets)
    gradients = ensemble.at(ensemble.gradient).parameters
    for i in range(len(seeds)):
        model = ensemble.model(i)
        loss = F.cross_entropy(model(tokens[i]), targets[i])
        loss.backward()
        assert losses[i].item() == pytest.approx(loss.item(), abs=1e-12)
        for name, parameter in model.named_parameters():
            torch.testing.assert_close(gradients[name][i], parameter.grad, rtol=0, atol=1e-12, msg=name)


def test_slopes_are_autograds_of_each_models_mean_logits():
    ensemble, tokens = Ensemble(SMALL, [4, 9], dtype=torch.float64), drawn(SMALL, 6)
    slopes = ensemble.slopes(tokens)
    for i in range(2):
        model = ensemble.model(i)
        for word, logit in enumerate(model.last(tokens).mean(0)):
            found = torch.autograd.grad(logit, list(model.parameters()), retain_graph=True, allow_unused=True)
            for (name, parameter), slope in zip(model.named_parameters(), found, strict=True):
                expected = torch.zeros_like(parameter) if slope is None else slope
                torch.testing.assert_close(
                    ensemble.by_model(slopes[word])[name][i], expected.flatten(), rtol=1e-9, atol=1e-12
                )


def test_what_learns_nothing_gets_exactly_zero():  # R-E14
    ensemble = train(SMALL, SOURCE, [0, 1], Training(updates=40, sequences=320), **F64).ensemble
    start = Ensemble(SMALL, [0, 1], **F64)
    assert (ensemble.parameters["w_k"] == 0).all()
    assert torch.equal(ensemble.parameters["E"][:, -1], start.parameters["E"][:, -1])
    assert not torch.equal(ensemble.parameters["E"][:, 0], start.parameters["E"][:, 0])


# ---- the trainer


def plain(
    sizes: Sizes, source, seed: int, training: Training, batches: Batches, i: int
) -> tuple[SourceModel, list[float]]:
    """One model, one step after the other: nn.Module, autograd and torch.optim.Adam."""
    model = SourceModel(sizes, scale=training.scale, generator=seeded(seed), **F64)
    optimiser = torch.optim.Adam(model.parameters(), lr=training.rate, betas=training.betas, eps=training.eps)
    losses = []
    for update in range(training.updates):
        tokens, targets = batches.at(update)
        loss = F.cross_entropy(model(tokens[i]), targets[i])
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        losses.append(loss.item())
    return model, losses


@pytest.mark.parametrize(
    ("sizes", "source", "training"),
    [
        (Sizes(4, 16, 8, 4, 16), SOURCE, Training(updates=100, sequences=320)),  # five epochs
        (Sizes(2, 8, 4, 6, 12), CHAIN, Training(updates=100, sequences=None, betas=(0.9, 0.999), scale="d")),
        (SMALL, SOURCE, Training(updates=100, sequences=1000, batch=7, rate=0.01)),
    ],
)
def test_ensemble_equals_separate_plain_runs(sizes, source, training):
    seeds = [3, 11, 5]
    together = train(sizes, source, seeds, training, **F64)
    for i, seed in enumerate(seeds):
        batches = Batches(source, seeds, sizes.n, training.batch, training.sequences)
        model, losses = plain(sizes, source, seed, training, batches, i)
        np.testing.assert_allclose(together.losses[i], losses, rtol=0, atol=1e-10)
        for name, parameter in model.named_parameters():
            torch.testing.assert_close(
                together.ensemble.parameters[name][i], parameter.detach(), rtol=0, atol=1e-10, msg=name
            )


def stopped_at(update: int):
    def watch(reached: int, ensemble: Ensemble) -> None:
        if reached == update:
            raise KeyboardInterrupt

    return watch


@pytest.mark.parametrize("average", [None, "tail", 0.9])
def test_an_interrupted_run_ends_as_if_nothing_had_happened(tmp_path, average):
    training, path = (
        Training(updates=60, sequences=320, average=average, decay="linear"),
        tmp_path / "deep" / "run.safetensors",
    )
    whole = train(SMALL, SOURCE, [1, 2], training)
    with pytest.raises(KeyboardInterrupt):
        train(SMALL, SOURCE, [1, 2], training, checkpoint=path, every=10, watch=stopped_at(47))
    seen = []
    resumed = train(
        SMALL, SOURCE, [1, 2], training, checkpoint=path, every=10, watch=lambda update, _: seen.append(update)
    )
    assert seen == list(range(41, 61))
    assert torch.equal(resumed.ensemble.flat, whole.ensemble.flat) and np.array_equal(resumed.losses, whole.losses)
    assert average is None or torch.equal(resumed.averaged.flat, whole.averaged.flat)


def test_a_checkpoint_of_another_run_is_refused(tmp_path):
    training, path = Training(updates=20, sequences=160), tmp_path / "run.safetensors"
    train(SMALL, SOURCE, [1], training, checkpoint=path, every=10)
    for other in (
        (SMALL, SOURCE, [2], training),
        (SMALL, Memoryless([0.25] * 4), [1], training),
        (SMALL, SOURCE, [1], replace(training, rate=0.01)),
    ):
        with pytest.raises(ValueError, match="is of another run: delete it to start afresh"):
            train(*other, checkpoint=path)
    before = path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(ValueError, match="is no safetensors file"):
        train(SMALL, SOURCE, [1], training, checkpoint=path)
    assert path.stat().st_size == before  # named, and left as it is


def test_averages_are_means_of_the_iterates():
    seen: list[torch.Tensor] = []
    training = Training(updates=20, sequences=160, average="tail")
    out = train(SMALL, SOURCE, [0, 1], training, **F64, watch=lambda update, e: seen.append(e.flat.clone()))
    torch.testing.assert_close(out.averaged.flat, torch.stack(seen[10:]).mean(0), rtol=0, atol=1e-12)
    out = train(SMALL, SOURCE, [0, 1], replace(training, average=0.8), **F64)
    weights = 0.8 ** torch.arange(19, -1, -1, **F64)
    expected = (weights[:, None] * torch.stack(seen)).sum(0) / weights.sum()
    torch.testing.assert_close(out.averaged.flat, expected, rtol=0, atol=1e-12)
    assert train(SMALL, SOURCE, [0], Training(updates=2)).averaged is None


def test_decays_end_at_nothing():
    for decay in ("linear", "cosine"):
        training = Training(updates=100, decay=decay)
        rates = [training.rate_at(update) for update in range(101)]
        assert rates[0] == training.rate and rates[100] == pytest.approx(0, abs=1e-18)
        assert rates[50] == pytest.approx(training.rate / 2) and all(a > b for a, b in pairwise(rates))
    assert Training().rate_at(1499) == 1e-3


def test_an_epoch_shows_every_sequence_once_and_orders_differ():
    batches = Batches(SOURCE, [5, 6], n=7, batch=16, sequences=50)  # 3 batches; 2 sequences are left out

    def epoch(number):
        got = [batches.at(3 * number + i) for i in range(3)]
        return [np.concatenate([np.column_stack([x[s], y[s]]) for x, y in got]) for s in range(2)]

    first, second = epoch(0), epoch(1)
    for s in range(2):
        own = {tuple(row) for row in batches.words[s].tolist()}
        assert {tuple(row) for row in first[s].tolist()} <= own and first[s].shape == (48, 8)
        assert not np.array_equal(first[s], second[s])
    order = batches.order[1] - 50
    assert sorted(order.tolist()) == list(range(50))
    again = Batches(SOURCE, [6], 7, 16, 50)
    assert torch.equal(again.at(4)[0][0], batches.at(4)[0][1])  # out of turn, in other company: the same


def test_fresh_batches_do_not_come_back():
    batches = Batches(SOURCE, [5], n=12, batch=16, sequences=None)
    assert not torch.equal(batches.at(0)[0], batches.at(500)[0])
    x, y = batches.at(777)
    assert torch.equal(Batches(SOURCE, [5], 12, 16, None).at(777)[0], x) and y.shape == (1, 16)


def test_reading_equals_one_model_after_the_other():
    ensemble = train(SMALL, SOURCE, [0, 1], Training(updates=50), **F64).ensemble
    got = read(ensemble, SOURCE, inputs=40, seed=3)
    each, words = predictions(ensemble, SOURCE, inputs=40, seed=3)
    for i in range(2):
        with torch.no_grad():
            q = ensemble.model(i)(torch.from_numpy(words)).softmax(-1).numpy()
        np.testing.assert_allclose(each[i], q, rtol=0, atol=1e-12)
        assert got.error[i] == pytest.approx(100 * max(abs(q.mean(0) - P)), abs=1e-10)
        assert got.spread[i] == pytest.approx(100 * (q.max(0) - q.min(0)).max(), abs=1e-10)
        assert got.loss[i] == pytest.approx(-(np.array(P) * np.log(q.mean(0))).sum(), abs=1e-12)
        assert got.exact_loss[i] == pytest.approx(-(np.array(P) * np.log(q)).sum(-1).mean(), abs=1e-12)


test_what_does_not_fit_together_is_refused = named(
    (lambda: SourceModel(SMALL)(torch.zeros(1, 4, dtype=torch.long)), r"tokens must be of size 5 \(the length n"),
    (lambda: SourceModel(SMALL)(torch.zeros(1, 5)), "tokens must be a tensor of ints"),
    (lambda: Training(average=1.0), r'average must be None, "tail" or a number between 0 and 1, got 1\.0'),
    (lambda: train(SMALL, CHAIN, [0]), "source must be of v = 4 words, as sizes say, got one of 2"),
    (lambda: train(SMALL, SOURCE, [0], Training(sequences=8)), "sequences must be at least batch = 16, got 8"),
    (lambda: train(SMALL, SOURCE, []), "seeds must be one seed or more"),
)


def test_a_loss_that_is_not_finite_names_its_seeds():
    with pytest.raises(FloatingPointError, match=r"no longer finite for seeds \[7\]: lower the rate"):
        train(SMALL, SOURCE, [7], Training(updates=60, rate=1e30))
