"""The page on the model: counts, idle learnables, what reaches the loss, and the source's programs against ours."""

from functools import cache

import numpy as np
import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course_lib import memoryless
from course_lib.memoryless import Ensemble, Sizes, SourceModel, Training, count, shapes, train
from course_lib.published import example, rows
from course_lib.results import load
from course_lib.widgets import ModelSizes
from studies import places_and_scale as source_model
from tests.shared.record import rounding

ROUNDING = 0.5e-4  # of a printed number

F64 = {"dtype": torch.float64}
EXAMPLE, BATCH = Sizes(4, 8, 4, 4, 16), 16


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def stirred(sizes: Sizes = EXAMPLE, seed: int = 0, scale: str = "m") -> SourceModel:
    """A model in float64 whose every learnable is random and large: nothing agrees by being near zero."""
    model, generator = SourceModel(sizes, scale=scale, **F64), seeded(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, **F64))
    return model


def modules(model: SourceModel) -> nn.Module:
    """PyTorch's own modules in the order of the source's getTransformer, with this model's numbers."""
    v, n, d, m, r = model.sizes
    assert d == m, "nn.MultiheadAttention keeps keys as wide as the tokens"

    class Chain(nn.Module):
        def __init__(self):
            super().__init__()
            self.words, self.places = nn.Embedding(v + 1, d, **F64), nn.Embedding(n, d, **F64)
            self.attention = nn.MultiheadAttention(d, 1, batch_first=True, **F64)
            self.first, self.second = nn.LayerNorm(d, **F64), nn.LayerNorm(d, **F64)
            self.feed = nn.Sequential(nn.Linear(d, r, **F64), nn.ReLU(), nn.Linear(r, d, **F64))
            self.out = nn.Linear(d, v, **F64)

        def forward(self, x):
            x = self.words(x) + self.places(torch.arange(n))
            x = self.first(x + self.attention(x, x, x)[0])
            return self.out(self.second(x + self.feed(x))[:, -1])

    chain, a = Chain(), model
    with torch.no_grad():
        pairs = [
            (chain.words.weight, a.E), (chain.places.weight, a.P),
            (chain.attention.in_proj_weight, torch.cat([a.W_Q, a.W_K, a.W_V], 1).T), (chain.attention.in_proj_bias, torch.cat([a.w_q, a.w_k, a.w_v])),
            (chain.attention.out_proj.weight, a.W_O.T), (chain.attention.out_proj.bias, a.w_o),
            (chain.first.weight, a.gamma_1), (chain.first.bias, a.beta_1), (chain.second.weight, a.gamma_2), (chain.second.bias, a.beta_2),
            (chain.feed[0].weight, a.W_1.T), (chain.feed[0].bias, a.w_1), (chain.feed[2].weight, a.W_2.T), (chain.feed[2].bias, a.w_2),
            (chain.out.weight, a.W_3.T), (chain.out.bias, a.w_3),
        ]  # fmt: skip
        for theirs, ours in pairs:
            theirs.copy_(ours)
    return chain


def rows_whose_count_is_ours() -> int:
    return sum(sum(p.numel() for p in SourceModel(Sizes(*row[1:6])).parameters()) == row.learnables for row in rows())


def test_the_model_has_the_printed_numbers(record):  # R1
    assert record("R1.counts", rows_whose_count_is_ours()) == 72
    numbers = record("R9.numbers", sum(parameter.numel() for parameter in modules(stirred()).parameters()))
    assert numbers == count(EXAMPLE) == int(example()["learnables"]) == 316


def words(sizes: Sizes = EXAMPLE, b: int = 64, seed: int = 0) -> torch.Tensor:
    return torch.randint(0, sizes.v, (b, sizes.n), generator=seeded(seed))


def largest(difference: torch.Tensor) -> float:
    return rounding(difference.detach().abs().max().item())


def difference_from_pytorchs_modules() -> float:
    model = stirred()
    return largest(modules(model)(words()) - model(words()))


def test_the_model_is_pytorchs_own_modules(record):  # R9
    assert record("R9.modules", difference_from_pytorchs_modules()) == pytest.approx(0, abs=1e-10)
    broken = stirred()
    other = modules(broken)
    with torch.no_grad():
        broken.w_v += 0.1  # the comparison sees a bias
    assert (other(words()) - broken(words())).abs().max() > 1e-3


def difference_of_the_last_row_alone() -> float:
    model = stirred()
    return largest(model.last(words()) - model(words()))


def gradient_of_z() -> torch.Tensor:
    """Of the mean loss, [b, n, d]."""
    model, x = stirred(), words()
    stages = model.stages(x)
    Z = stages.Z.detach().requires_grad_()
    loss = F.cross_entropy(Z[:, -1] @ model.W_3 + model.w_3, x[:, 0])
    return torch.autograd.grad(loss, Z)[0]


def test_only_the_last_row_reaches_the_loss():  # R1
    gradient = gradient_of_z()
    assert largest(gradient_of_z()[:, :-1]) == 0 and gradient[:, -1].abs().min() > 0
    assert difference_of_the_last_row_alone() == pytest.approx(0, abs=1e-10)


def most_uneven_weight_at_the_start() -> float:
    """Largest |weight · n − 1| over 64 sequences and 8 starts of the worked example's model."""
    each = [SourceModel(EXAMPLE, generator=seeded(seed), **F64).stages(words()).A for seed in range(8)]
    return (torch.stack(each) * EXAMPLE.n - 1).abs().max().item()


def test_attention_begins_as_an_average():  # R1
    assert 0 < most_uneven_weight_at_the_start() < 0.01
    assert stirred().stages(words()).A.max() > 0.9  # not by itself


def moved_by_order(places: float) -> float:
    """Largest change of q where all words but the last come in another order; P is drawn with this deviation."""
    model, x = stirred(), words()
    with torch.no_grad():
        model.P.mul_(places)
        other = torch.cat([x[:, torch.randperm(EXAMPLE.n - 1, generator=seeded(1))], x[:, -1:]], 1)
        return largest(model(other).softmax(-1) - model(x).softmax(-1))


def test_order_enters_through_places_alone():  # R1
    assert moved_by_order(0) == pytest.approx(0, abs=1e-12)
    assert moved_by_order(1) > 0.01


def runs(name: str) -> dict[str, np.ndarray]:
    """A group of studies/places_and_scale.py."""
    return {key: np.array(value) for key, value in load("places_and_scale")["runs"][name].items()}


def test_places_and_root_hardly_matter_here(record):  # R1, R-E7
    seeds = runs("places")["error"]
    with_places = record("R1.with_places", np.median(runs("places")["error"]))
    without_places = record("R1.without_places", np.median(runs("no places")["error"]))
    assert abs(with_places - without_places) < np.diff(np.quantile(seeds, [0.25, 0.75]))[0] / 3
    by_m, by_d = runs("scale m")["error"], runs("scale d")["error"]
    assert abs(by_m - by_d).max() < 0.1 * np.ptp(by_m)
    error_m = record("R-E7.error_m", np.median(runs("scale m")["error"]))
    error_d = record("R-E7.error_d", np.median(runs("scale d")["error"]))
    assert error_m == pytest.approx(error_d, abs=0.2)
    assert runs("places")["order"].max() < 0.01 and runs("no places")["order"].max() < 1e-3


def products_that_do_not_exist() -> int:
    """Of the n² products score_ij v_ji in the worked example, those that ask V [n, m] for a column beyond m."""
    _, n, _, m, _ = EXAMPLE
    return sum(i >= m for i in range(n) for _ in range(n))


def distance_from_one_affine_map() -> float:
    """Largest difference of (N W_1 + w_1) W_2 + w_2, the feed-forward as the text writes it, from one affine map."""
    model = stirred()
    N = model.stages(words()).N
    W, w = model.W_1 @ model.W_2, model.w_1 @ model.W_2 + model.w_2
    return largest(((N @ model.W_1 + model.w_1) @ model.W_2 + model.w_2) - (N @ W + w))


def distance_of_the_program_from_affine() -> float:
    """What the best affine map of N leaves of N + ReLU(N W_1 + w_1) W_2 + w_2: its part of the variance, for rows normalised
    without gain and offset."""
    model = stirred()
    N = F.layer_norm(torch.randn(512, EXAMPLE.d, generator=seeded(1), **F64), (EXAMPLE.d,))
    target = N + torch.relu(N @ model.W_1 + model.w_1) @ model.W_2 + model.w_2
    inputs = torch.cat([N, torch.ones(len(N), 1, **F64)], 1)
    left = target - inputs @ torch.linalg.lstsq(inputs, target, driver="gelsd").solution
    return ((left**2).sum() / ((target - target.mean(0)) ** 2).sum()).item()


def rows_counted_without_norms() -> int:
    """Printed counts reproduced by the learnables of the summary, which has no normalisation."""
    bare = [sum(np.prod(shape) for name, shape in shapes(Sizes(*row[1:6])).items() if name[:4] not in ("gamm", "beta")) for row in rows()]
    return sum(int(mine) == row.learnables for mine, row in zip(bare, rows(), strict=True))


def test_the_text_parts_from_the_program(record):  # R-E9, R-E11, R-E12, R-E13
    scores, V = torch.zeros(8, 8), torch.zeros(8, 4)
    asked = [(j, i) for i in range(8) for j in range(8)]

    def exists(j, i):
        try:
            return bool((scores[i, j] * V[j, i]) == 0)
        except IndexError:
            return False

    missing = record("R-E9.missing", products_that_do_not_exist())
    assert missing == sum(not exists(*pair) for pair in asked) == 32
    assert record("R-E11.affine", distance_from_one_affine_map()) == pytest.approx(0, abs=1e-10)
    assert record("R-E11.program", distance_of_the_program_from_affine()) > 0.05
    assert record("R-E12.rows", rows_counted_without_norms()) == 0
    least = record("R-E13.least", min(count(Sizes(*row[1:6])) for row in rows()))
    most = record("R-E13.most", max(count(Sizes(*row[1:6])) for row in rows()))
    assert (least, most, len(Sizes._fields)) == (630, 216_840, 5)
    assert {row.learnables for row in rows()} >= {630, 216_840}


def recovered_bias(name: str) -> float:
    """Largest entry of w in X W + w = `name`, by least squares from the printed X and result."""
    x = example()
    inputs = np.concatenate([x["X"], np.ones((len(x["X"]), 1))], 1)
    return float(abs(np.linalg.lstsq(inputs, x[name], rcond=None)[0][-1]).max())


def test_the_key_bias_stands_where_it_began():  # R-E14
    # least squares carries the rounding of K, at most tenfold here: the smallest singular value of the inputs is 0.007
    assert recovered_bias("K") < 20 * ROUNDING < recovered_bias("Q") / 10
    ensemble = train(EXAMPLE, source_model.SOURCE, [0], Training(updates=50), dtype=torch.float64).ensemble
    fresh = Ensemble(EXAMPLE, [0], dtype=torch.float64)
    assert ensemble.parameters["w_k"].abs().max() < 1e-9 < ensemble.parameters["w_q"].abs().max()
    assert torch.equal(ensemble.parameters["E"][:, -1], fresh.parameters["E"][:, -1])


def away(table: np.ndarray) -> np.ndarray:
    """The distance of each row from the mean of the others."""
    return np.array([np.linalg.norm(row - np.delete(table, i, 0).mean(0)) for i, row in enumerate(table)])


def reading_the_first_row_is_reading_backwards() -> float:
    """Difference of the first row's logits from those of the same model with P and the words in reverse, read at the last row."""
    model, back = stirred(), stirred()
    with torch.no_grad():
        back.P.copy_(model.P.flip(0))
    first = model.stages(words()).Z[:, 0] @ model.W_3 + model.w_3
    return largest(first - back(words().flip(1)))


def test_the_run_read_the_last_row(record):  # R-E24
    printed = away(example()["P"])
    assert printed.argmax() == 7
    assert float(away(example()["P"])[-1]) > 4 * record("R-E24.others", away(example()["P"])[:-1].max())
    last = record("R-E24.last", away(example()["P"])[-1])
    assert last == pytest.approx(source_model.away(example()["P"])[-1])
    assert record("R-E24.trained", int((runs("places")["away"].argmax(1) == EXAMPLE.n - 1).sum())) == 16
    assert reading_the_first_row_is_reading_backwards() == pytest.approx(0, abs=1e-10)


def exchanged(batch: np.ndarray) -> np.ndarray:
    """What the network takes for samples [b, n] when time and batch are exchanged."""
    return batch.T


def share_of_words_from_the_labels_own_sequence() -> float:
    """At n = 16: of the words that the network sees before it is told a label, those that came before that label."""
    owner = np.repeat(np.arange(BATCH)[:, None], BATCH, 1)  # which sequence each word is from
    return float((exchanged(owner) == np.arange(BATCH)[:, None]).mean())


def test_exchanged_time_and_batch_fail_or_mix(record):  # R-E26
    assert record("R-E26.rows", sum(row.n == BATCH for row in rows())) == 18
    wide = Sizes(4, 64, 8, 4, 16)
    with pytest.raises(ValueError, match=r"tokens must be of size 64"):
        SourceModel(wide)(words(wide, BATCH).T)
    assert record("R-E26.own", share_of_words_from_the_labels_own_sequence()) == 1 / 16
    samples = np.arange(256).reshape(16, 16)
    assert sorted(exchanged(samples)[0] // 16) == list(range(16))  # one word of each sample


def changed_by(act) -> int:
    """How many learnables of the worked example's model differ once 20 batches were differentiated, `act(optimiser)` after each."""
    model = SourceModel(EXAMPLE, **F64)
    optimiser = torch.optim.Adam(model.parameters(), lr=1e-3, betas=(0.9, 0.95))
    before = [parameter.detach().clone() for parameter in model.parameters()]
    for seed in range(20):
        x = words(Sizes(4, 9, 4, 4, 16), BATCH, seed)
        optimiser.zero_grad()
        F.cross_entropy(model(x[:, :-1]), x[:, -1]).backward()
        act(optimiser)
    # Adam makes a step of 1e-14 out of a gradient of 1e-19, which is how the zero of w_k is rounded
    return sum(int(((now.detach() - old).abs() > 1e-9).sum()) for now, old in zip(model.parameters(), before, strict=True))


def difference_of_the_two_losses() -> float:
    """The source's −mean Σ_j e_j log q_j over one-hot labels, from our cross-entropy of logits."""
    logits, labels = stirred()(words()), words(seed=1)[:, 0]
    theirs = -(F.one_hot(labels, EXAMPLE.v) * logits.softmax(-1).log()).sum(-1).mean()
    return largest(theirs - F.cross_entropy(logits, labels))


@cache
def loops(updates: int = 30) -> tuple[torch.Tensor, torch.Tensor]:
    """The source's update written out, and ours, from the same start on the same batches: all learnables after `updates`."""
    rate, beta1, beta2, eps = 1e-3, 0.9, 0.95, 1e-8
    model = SourceModel(EXAMPLE, generator=seeded(0), **F64)
    ours = Ensemble(EXAMPLE, [0], betas=(beta1, beta2), eps=eps, dtype=torch.float64)
    mean = [torch.zeros_like(p) for p in model.parameters()]
    square = [torch.zeros_like(p) for p in model.parameters()]
    for t in range(1, updates + 1):
        x = words(Sizes(4, 9, 4, 4, 16), BATCH, t)
        loss = -(F.one_hot(x[:, -1], EXAMPLE.v) * model(x[:, :-1]).softmax(-1).log()).sum(-1).mean()
        gradients = torch.autograd.grad(loss, list(model.parameters()))
        with torch.no_grad():
            for p, g, a, s in zip(model.parameters(), gradients, mean, square, strict=True):
                a.mul_(beta1).add_(g, alpha=1 - beta1)
                s.mul_(beta2).add_(g * g, alpha=1 - beta2)
                p -= rate * (a / (1 - beta1**t)) / ((s / (1 - beta2**t)).sqrt() + eps)
        ours.step(x[None, :, :-1], x[None, :, -1], rate)
    return torch.cat([p.detach().flatten() for p in model.parameters()]), torch.cat([ours.parameters[n][0].flatten() for n in shapes(EXAMPLE)])


def difference_after_thirty_updates() -> float:
    theirs, ours = loops()
    return rounding((theirs - ours).abs().max().item(), 1e-10)


def test_the_program_line_by_line(record):  # R9, R-E27
    assert difference_of_the_two_losses() == pytest.approx(0, abs=1e-10)
    assert difference_after_thirty_updates() == pytest.approx(0, abs=1e-10)
    theirs, _ = loops()
    assert (theirs - torch.cat([p.detach().flatten() for p in SourceModel(EXAMPLE, **F64).parameters()])).abs().max() > 1e-3
    assert record("R-E27.evaluated", changed_by(lambda optimiser: None)) == 0
    idle, silent_units = 8, 2
    updated = record("R-E27.updated", changed_by(lambda optimiser: optimiser.step()))
    assert updated == 316 - idle - silent_units * (2 * 4 + 1)


def test_the_names_in_the_table_of_programs_exist():  # R9
    for name in ("embed", "stages", "last"):
        assert hasattr(SourceModel, name)
    assert hasattr(memoryless.Batches, "at") and hasattr(Ensemble, "differentiate") and hasattr(Ensemble, "step")
    assert ModelSizes().published[0][-1] == rows()[0].learnables and set(shapes(EXAMPLE)) == dict(SourceModel(EXAMPLE).named_parameters()).keys()


def learnables_at_length(n: int) -> int:
    return count(Sizes(v=2, n=n, d=8, m=4, r=16))


def test_the_count_depends_on_the_length(record):  # R-E28: rows of Table 3 with v = 2, d = 8, m = 4, r = 16
    printed = {row.n: row.learnables for row in rows() if (row.v, row.d, row.m, row.r) == (2, 8, 4, 16)}
    assert printed == {n: learnables_at_length(n) for n in (16, 32, 64, 128)}
    assert record("R-E28.fewest", learnables_at_length(16)) < record("R-E28.most", learnables_at_length(128))
    assert len(set(printed.values())) == 4
