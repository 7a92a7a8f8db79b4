"""Chapter 4's page on the model and its programs: counts, what reaches the loss, what the printed program would do."""

from functools import cache

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

from course_lib.memoryless import Ensemble, Sizes, SourceModel, count, shapes
from course_lib.published import example, rows
from course_lib.results import load

from . import claim, rounding

F64 = {"dtype": torch.float64}
EXAMPLE, BATCH = Sizes(4, 8, 4, 4, 16), 16


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def words(sizes: Sizes = EXAMPLE, b: int = 64, seed: int = 0) -> torch.Tensor:
    return torch.randint(0, sizes.v, (b, sizes.n), generator=seeded(seed))


def stirred(sizes: Sizes = EXAMPLE, seed: int = 0, scale: str = "m") -> SourceModel:
    """A model in float64 whose every learnable is random and large: nothing agrees by being near zero."""
    model, generator = SourceModel(sizes, scale=scale, **F64), seeded(seed)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator, **F64))
    return model


def largest(difference: torch.Tensor) -> float:
    return rounding(difference.detach().abs().max().item())


# ---- The model
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


@claim("R9.modules")
def difference_from_pytorchs_modules() -> float:
    model = stirred()
    return largest(modules(model)(words()) - model(words()))


@claim("R9.numbers")
def learnables_of_pytorchs_modules() -> int:
    return sum(parameter.numel() for parameter in modules(stirred()).parameters())


@claim("R1.counts")
def rows_whose_count_is_ours() -> int:
    return sum(sum(p.numel() for p in SourceModel(Sizes(*row[1:6])).parameters()) == row.learnables for row in rows())


@claim("R1.last")
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


@claim("R1.other_rows")
def gradient_of_the_other_rows_of_z() -> float:
    return largest(gradient_of_z()[:, :-1])


@claim("R1.start")
def most_uneven_weight_at_the_start() -> float:
    """Largest |weight · n − 1| over 64 sequences and 8 starts of the worked example's model."""
    each = [SourceModel(EXAMPLE, generator=seeded(seed), **F64).stages(words()).A for seed in range(8)]
    return (torch.stack(each) * EXAMPLE.n - 1).abs().max().item()


def moved_by_order(places: float) -> float:
    """Largest change of q where all words but the last come in another order; P is drawn with this deviation."""
    model, x = stirred(), words()
    with torch.no_grad():
        model.P.mul_(places)
        other = torch.cat([x[:, torch.randperm(EXAMPLE.n - 1, generator=seeded(1))], x[:, -1:]], 1)
        return largest(model(other).softmax(-1) - model(x).softmax(-1))


@claim("R1.order")
def change_by_order_without_places() -> float:
    return moved_by_order(0)


@claim("R1.order_with")
def change_by_order_with_places() -> float:
    return moved_by_order(1)


def runs(name: str) -> dict[str, np.ndarray]:
    """A group of studies/places_and_scale.py."""
    return {key: np.array(value) for key, value in load("places_and_scale")["runs"][name].items()}


@claim("R1.with_places")
def error_with_places() -> float:
    return float(np.median(runs("places")["error"]))


@claim("R1.without_places")
def error_without_places() -> float:
    return float(np.median(runs("no places")["error"]))


@claim("R-E7.error_m")
def error_by_root_m() -> float:
    return float(np.median(runs("scale m")["error"]))


@claim("R-E7.error_d")
def error_by_root_d() -> float:
    return float(np.median(runs("scale d")["error"]))


# ---- Where text and program part
@claim("R-E9.missing")
def products_that_do_not_exist() -> int:
    """Of the n² products score_ij v_ji in the worked example, those that ask V [n, m] for a column beyond m."""
    _, n, _, m, _ = EXAMPLE
    return sum(i >= m for i in range(n) for _ in range(n))


@claim("R-E11.affine")
def distance_from_one_affine_map() -> float:
    """Largest difference of (N W_1 + w_1) W_2 + w_2, the feed-forward as the text writes it, from one affine map."""
    model = stirred()
    N = model.stages(words()).N
    W, w = model.W_1 @ model.W_2, model.w_1 @ model.W_2 + model.w_2
    return largest(((N @ model.W_1 + model.w_1) @ model.W_2 + model.w_2) - (N @ W + w))


@claim("R-E11.program")
def distance_of_the_program_from_affine() -> float:
    """What the best affine map of N leaves of N + ReLU(N W_1 + w_1) W_2 + w_2: its part of the variance, for rows normalised
    without gain and offset."""
    model = stirred()
    N = F.layer_norm(torch.randn(512, EXAMPLE.d, generator=seeded(1), **F64), (EXAMPLE.d,))
    target = N + torch.relu(N @ model.W_1 + model.w_1) @ model.W_2 + model.w_2
    inputs = torch.cat([N, torch.ones(len(N), 1, **F64)], 1)
    left = target - inputs @ torch.linalg.lstsq(inputs, target, driver="gelsd").solution
    return ((left**2).sum() / ((target - target.mean(0)) ** 2).sum()).item()


@claim("R-E12.rows")
def rows_counted_without_norms() -> int:
    """Printed counts reproduced by the learnables of the summary, which has no normalisation."""
    bare = [sum(np.prod(shape) for name, shape in shapes(Sizes(*row[1:6])).items() if name[:4] not in ("gamm", "beta")) for row in rows()]
    return sum(int(mine) == row.learnables for mine, row in zip(bare, rows(), strict=True))


@claim("R-E13.least")
def fewest_learnables() -> int:
    return min(count(Sizes(*row[1:6])) for row in rows())


@claim("R-E13.most")
def most_learnables() -> int:
    return max(count(Sizes(*row[1:6])) for row in rows())


@claim("R-E13.chosen")
def sizes_to_choose() -> int:
    return len(Sizes._fields)


@claim("R-E14.key_bias", rtol=0.02)
def recovered_key_bias() -> float:
    return recovered_bias("K")


@claim("R-E14.query_bias")
def recovered_query_bias() -> float:
    return recovered_bias("Q")


def recovered_bias(name: str) -> float:
    """Largest entry of w in X W + w = `name`, by least squares from the printed X and result."""
    x = example()
    inputs = np.concatenate([x["X"], np.ones((len(x["X"]), 1))], 1)
    return float(abs(np.linalg.lstsq(inputs, x[name], rcond=None)[0][-1]).max())


# ---- The programs
def away(table: np.ndarray) -> np.ndarray:
    """The distance of each row from the mean of the others."""
    return np.array([np.linalg.norm(row - np.delete(table, i, 0).mean(0)) for i, row in enumerate(table)])


@claim("R-E24.last")
def printed_last_row_of_p() -> float:
    return float(away(example()["P"])[-1])


@claim("R-E24.others")
def printed_other_rows_of_p() -> float:
    return float(away(example()["P"])[:-1].max())


@claim("R-E24.trained")
def trained_models_whose_last_row_stands_out() -> int:
    return int((runs("places")["away"].argmax(1) == EXAMPLE.n - 1).sum())


@claim("R-E24.reversed")
def reading_the_first_row_is_reading_backwards() -> float:
    """Difference of the first row's logits from those of the same model with P and the words in reverse, read at the last row."""
    model, back = stirred(), stirred()
    with torch.no_grad():
        back.P.copy_(model.P.flip(0))
    first = model.stages(words()).Z[:, 0] @ model.W_3 + model.w_3
    return largest(first - back(words().flip(1)))


@claim("R-E26.rows")
def rows_on_which_the_printed_program_runs() -> int:
    """A batch of 16 rows with time and batch exchanged has n results for 16 labels."""
    return sum(row.n == BATCH for row in rows())


def exchanged(batch: np.ndarray) -> np.ndarray:
    """What the network takes for samples [b, n] when time and batch are exchanged."""
    return batch.T


@claim("R-E26.own")
def share_of_words_from_the_labels_own_sequence() -> float:
    """At n = 16: of the words that the network sees before it is told a label, those that came before that label."""
    owner = np.repeat(np.arange(BATCH)[:, None], BATCH, 1)  # which sequence each word is from
    return float((exchanged(owner) == np.arange(BATCH)[:, None]).mean())


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


@claim("R-E27.evaluated")
def changed_by_evaluating() -> int:
    return changed_by(lambda optimiser: None)


@claim("R-E27.updated")
def changed_by_the_update() -> int:
    return changed_by(lambda optimiser: optimiser.step())


@claim("R9.loss")
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


@claim("R9.updates")
def difference_after_thirty_updates() -> float:
    theirs, ours = loops()
    return rounding((theirs - ours).abs().max().item(), 1e-10)


def learnables_at_length(n: int) -> int:
    return count(Sizes(v=2, n=n, d=8, m=4, r=16))


@claim("R-E28.fewest")
def learnables_at_the_shortest() -> int:
    return learnables_at_length(16)


@claim("R-E28.most")
def learnables_at_the_longest() -> int:
    return learnables_at_length(128)
