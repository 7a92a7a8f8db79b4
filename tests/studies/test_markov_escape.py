"""Sources with memory: hand-made weights against the exact optimum, laws against sampling, the stored study against runs made again."""

import math

import numpy as np
import pytest
import torch
from torch import Tensor

from course_lib.memoryless import Batches, Ensemble, Sizes, SourceModel
from course_lib.results import load
from course_lib.sources import Markov, divergence, entropy
from studies import markov_escape as study
from tests.shared.seeded import F64, rng, seeded

RUNS = load("markov_escape")["runs"]

SIZES = Sizes(v=2, n=16, d=8, m=4, r=16)
CHAIN = Markov([[0.8, 0.2], [0.3, 0.7]])
XOR = np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]])  # [before the last, last, next]


def two_state(a: float, b: float) -> np.ndarray:
    return np.array([[1 - a, a], [b, 1 - b]])


# ---- Laws
@pytest.mark.parametrize("T", [two_state(0.2, 0.3), two_state(0.8, 0.7), rng(1).dirichlet(np.ones(4), 4)])
def test_entropy_of_short_sequences_grows_by_the_rate(T):  # R8: the chain rule, against all sequences one by one
    chain = Markov(T)
    words = np.stack(np.meshgrid(*[np.arange(chain.v)] * 4, indexing="ij"), -1).reshape(-1, 4)
    whole = chain.stationary[words[:, 0]] * np.prod([T[words[:, t], words[:, t + 1]] for t in range(3)], axis=0)
    assert whole.sum() == pytest.approx(1)
    assert entropy(whole) == pytest.approx(chain.best_memoryless_loss() + 3 * chain.entropy_rate(), abs=1e-12)


def test_what_forgetting_costs_is_the_mutual_information(record):  # R8
    joint = CHAIN.stationary[:, None] * CHAIN.P
    alone = np.outer(joint.sum(1), joint.sum(0))
    information = (joint * np.log(joint / alone)).sum()
    assert float(CHAIN.stationary @ divergence(CHAIN.P, CHAIN.stationary)) == pytest.approx(information, abs=1e-12)
    assert entropy(CHAIN.stationary) - CHAIN.entropy_rate() == pytest.approx(information, abs=1e-12)
    assert record("R8.rate", CHAIN.entropy_rate()) == pytest.approx(0.5446, abs=5e-5)
    assert record("R8.unigram", entropy(CHAIN.stationary)) == pytest.approx(0.6730, abs=5e-5)


@pytest.mark.parametrize("name", study.TWO_BACK)
def test_a_source_of_second_order_has_the_rate_it_says(name):  # the chain over pairs, against a recursion token by token
    source = study.Source(name)
    assert source.rate == pytest.approx(entropy([0.9, 0.1]))
    assert source.unigram == pytest.approx(math.log(2))
    words = source.sample(4000, 12, rng())
    older, last, after = words[:, :-2].ravel().astype(int), words[:, 1:-1].ravel().astype(int), words[:, 2:].ravel()
    likely = older if name == "copy" else older ^ last
    assert (after == likely).mean() == pytest.approx(0.9, abs=0.005)
    assert source.P[source.context(words[:, :-1])].argmax(-1).tolist() == (words[:, -3] if name == "copy" else words[:, -3] ^ words[:, -2]).tolist()


# ---- Weights by hand


def empty(sizes: Sizes) -> SourceModel:
    """The model with every weight 0 but the gains of its norms."""
    model = SourceModel(sizes, **F64)
    with torch.no_grad():
        for name, weight in model.named_parameters():
            weight.fill_(1.0 if name.startswith("gamma") else 0.0)
    return model


def read_out(model: SourceModel, Z: Tensor, table: np.ndarray) -> None:
    """W_3 and w_3 such that the last row Z[k], a one-hot of k but for scale and shift, gives the prediction table[k]."""
    high, low = Z[0, 0], Z[0, 1]
    with torch.no_grad():
        model.W_3[: len(table)] = torch.as_tensor(np.log(table)) / (high - low)
        model.w_3.copy_(-low * model.W_3.sum(0))


def bigram(T: np.ndarray, sizes: Sizes) -> SourceModel:
    """A model that predicts T[last token]: words are one-hot, and nothing is added to them on the way."""
    model, v = empty(sizes), sizes.v
    with torch.no_grad():
        model.E[:v, :v] = torch.eye(v)
        words = torch.arange(v)[:, None].expand(v, sizes.n)
        read_out(model, model.stages(words).Z[:, -1], T)
    return model


@pytest.mark.parametrize("sizes", [Sizes(2, 16, 8, 4, 16), Sizes(4, 5, 4, 1, 1), Sizes(3, 2, 7, 2, 5)])
def test_bigram_weights_attain_the_rate(sizes):  # R8
    T = rng().dirichlet(np.ones(sizes.v), sizes.v)
    words = rng(1).integers(0, sizes.v, (40, sizes.n))
    q = bigram(T, sizes)(torch.from_numpy(words)).softmax(-1).detach().numpy()
    assert q == pytest.approx(T[words[:, -1]], abs=1e-12)


def two_back(T: np.ndarray, sizes: Sizes, score: float = 60.0) -> SourceModel:
    """A model that predicts T[before the last, last]: attention fetches a word, the feed-forward layer names the pair."""
    model, (v, n, d, _, _) = empty(sizes), sizes
    place = 2 * v  # columns: the last word, the word before it, and a mark of the place n − 1
    with torch.no_grad():
        model.E[:v, :v] = torch.eye(v)
        model.P[n - 2, place] = 1
        model.W_K[place, v] = 1  # the mark becomes a key …
        model.w_q[v] = score / model.factor  # … that every query likes
        model.W_V[:v, :v] = torch.eye(v)
        model.W_O[:v, v : 2 * v] = torch.eye(v)
        first, last = torch.meshgrid(torch.arange(v), torch.arange(v), indexing="ij")
        words = torch.zeros(v, v, n, dtype=torch.long)
        words[..., -2], words[..., -1] = first, last
        words = words.reshape(v * v, n)
        N = model.stages(words).N[:, -1]  # [v², d]: two of 2v columns high
        high, low = N.max(), N.min()
        for a in range(v):
            for b in range(v):
                model.W_1[b, v * a + b] = model.W_1[v + a, v * a + b] = 1
        model.w_1[: v * v] = -(high + low)  # only the pair with both columns high gets above it, by high − low
        model.W_2[: v * v] = (torch.eye(v * v, d) - N) / (high - low)  # and is replaced by its number, one-hot
        read_out(model, model.stages(words).Z[:, -1], T.reshape(v * v, v))
    return model


@pytest.mark.parametrize("sizes", [Sizes(2, 16, 8, 4, 16), Sizes(3, 6, 9, 4, 9)])
def test_weights_that_look_back_name_every_pair(sizes):
    T = rng().dirichlet(np.ones(sizes.v), (sizes.v, sizes.v))
    words = rng(1).integers(0, sizes.v, (60, sizes.n))
    model = two_back(T, sizes)
    stages = model.stages(torch.from_numpy(words))
    assert stages.A[:, -1, -2].min() > 1 - 1e-12
    assert stages.q.detach().numpy() == pytest.approx(T[words[:, -2], words[:, -1]], abs=1e-9)


# ---- A tied skip path
def test_a_tied_skip_path_expects_repetition():  # R8: the theorem's inequality, at random embeddings and shifts
    for seed in range(50):
        options = {"generator": seeded(seed), **F64}
        model = empty(SIZES)
        with torch.no_grad():
            model.E.copy_(torch.randn(3, 8, **options) * 10 ** (4 * torch.rand(3, 1, **options) - 3))
            model.P.copy_(torch.randn(16, 8, **options) * 10 ** (2 * (seed % 3) - 3.0))
            model.W_3.copy_(model.E[:2].T)
            model.w_3.copy_(torch.randn(2, **options))
            logits = model(torch.arange(2)[:, None].expand(2, 16))
        odds = logits[:, 1] - logits[:, 0]
        assert odds[1] >= odds[0]


def test_the_best_pair_of_log_odds_in_that_order_is_constant():  # … and its loss, on a grid, for chains on both sides
    grid = np.linspace(-4, 4, 401)
    for a, b in ((0.8, 0.7), (0.5, 0.8), (0.2, 0.3)):
        chain = Markov(two_state(a, b))
        q = np.stack([1 / (1 + np.exp(grid)), 1 / (1 + np.exp(-grid))], -1)
        costs = [-chain.stationary[i] * (chain.P[i] * np.log(q)).sum(-1) for i in range(2)]
        allowed = np.where(grid[:, None] <= grid, costs[0][:, None] + costs[1], np.inf)  # [l₀, l₁] with l₀ ≤ l₁
        best = chain.best_memoryless_loss() if a + b > 1 else chain.entropy_rate()
        assert allowed.min() == pytest.approx(best, abs=1e-4)


def test_tied_steps_keep_the_weights_tied_and_follow_autograd():
    ensemble = Ensemble(SIZES, [0, 1], **F64)
    with torch.no_grad():
        ensemble.parameters["W_3"].copy_(ensemble.parameters["E"][:, :2].mT)
        words, targets = Batches(CHAIN, [0, 1], 16, 4, None).at(0)
        model = ensemble.model(1)
    tied = model.E.detach()[:2].clone().requires_grad_()
    E = torch.cat([tied, model.E.detach()[2:]])
    logits = torch.func.functional_call(model, {"E": E, "W_3": tied.T}, (words[1],))
    torch.nn.functional.cross_entropy(logits, targets[1]).backward()
    with torch.no_grad():
        study.tied_step(ensemble, words, targets, 1e-3)
    assert study.like(ensemble, "E")[1, :2].numpy() == pytest.approx(tied.grad.numpy(), abs=1e-12)
    assert torch.equal(ensemble.parameters["W_3"], ensemble.parameters["E"][:, :2].mT)


# ---- The stored study
def test_every_run_has_its_setting_and_its_bounds():
    for setting in study.settings():
        run, source = RUNS[setting.key], study.Source(setting.source)
        assert {name: run[name] for name in setting._fields} == setting._asdict()
        assert (run["unigram"], run["best"]) == (round(source.unigram, 4), round(source.rate, 4))
        assert min(run["final"]) >= run["best"] - 1e-4  # nobody beats the floor


@pytest.mark.parametrize("setting", [study.Setting("0.2 0.3"), study.Setting("0.8 0.7", 3000, tied=True), study.Setting("0.2 0.3", places=100.0)], ids=lambda s: s.key)
def test_a_sample_of_the_table_is_made_again(setting):
    stored, again = RUNS[setting.key], study.run(setting, updates=60)
    kept = [stored["at"].index(update) for update in again["at"]]
    assert again["at"][-1] == 60
    assert np.array(again["percentiles"]) == pytest.approx(np.array(stored["percentiles"])[:, kept], abs=0.005)
    early = [(new, old) for new, old in zip(again["escape"], stored["escape"], strict=True) if old is not None and old <= 50]
    assert all(new is not None and abs(new - old) <= 10 for new, old in early)


def test_losses_of_the_study_are_exact():
    """The exam's loss of the unigram prediction is H(π), and of the bigram prediction h, to rounding: no sampling is left."""
    source = study.Source("0.2 0.3")
    exam = study.Exam(source, 16)
    best, flat = torch.from_numpy(np.log(exam.truth)), torch.from_numpy(np.log(source.weights)).expand(len(exam.truth), 2)
    losses = exam.losses(torch.stack([best, flat]))
    assert losses == pytest.approx([source.rate, source.unigram], abs=1e-12)


def test_silencing_a_part_keeps_its_mean():
    model = two_back(XOR, SIZES)
    words = torch.from_numpy(study.Source("xor").sample(32, 16, rng()))
    before = model(words).detach()
    silent = study.without(model, words, "attention")
    assert torch.equal(model(words).detach(), before)  # the model is as it was
    assert (silent - before).abs().max() > 0.1
    idle = bigram(CHAIN.P, SIZES)
    assert torch.allclose(study.without(idle, words, "attention"), idle(words))


# ---- What the page says of the study


def chains(suffix: str = "") -> dict[tuple[float, float], dict]:
    """The stored runs of the two-state chains, by their switching probabilities."""
    named = {key: run for key, run in RUNS.items() if key.startswith("source 0.")}
    return {tuple(map(float, key.split()[1:3])): run for key, run in named.items() if key == f"source {run['source']}{suffix}"}


def median_escape(run: dict) -> float:
    """Updates until half of the models are half-way; those that never are count as later than all."""
    return float(np.median([np.inf if time is None else time for time in run["escape"]]))


def test_the_published_model_has_no_plateau():  # R8
    assert max(map(median_escape, chains().values())) <= 60
    assert all(None not in run["escape"] for run in chains().values())


def test_tied_models_wait_exactly_where_the_source_alternates():  # R8
    tied = {switches: median_escape(run) for switches, run in chains(" | tied True").items()}
    assert max(time for (a, b), time in tied.items() if a + b < 1 and min(a, b) < 0.4) <= 60
    assert min(time for (a, b), time in tied.items() if a + b > 1) >= 150


def test_attention_is_idle_on_first_order_chains():  # R8: what silencing it costs the median model, in nats
    assert max(np.median(np.subtract(run["without attention"], run["final"])) for run in chains().values()) < 0.001


def test_attention_learns_to_look_one_place_back(record):  # R8
    run = RUNS["source copy"]
    assert record("R8.two_back", sum(time is not None for time in run["escape"])) == 16
    assert np.median(run["without attention"]) > 0.6
    assert divergence([0.9, 0.1], [0.5, 0.5]) == pytest.approx(run["unigram"] - run["best"], abs=1e-4)


def chain_counts(length: int, T: np.ndarray) -> np.ndarray:
    """[length + 1, 2]: how likely a symmetric chain of this length has k ones and ends in each token."""
    ways = np.zeros((length + 1, 2))
    ways[0, 0] = ways[1, 1] = 0.5
    for _ in range(length - 1):
        ways = ways @ T
        ways[:, 1] = np.roll(ways[:, 1], 1)
    return ways


def best_from_counts(n: int, T: np.ndarray) -> float:
    """Two chains dealt out in turn: the least loss of who knows the last token and the number of ones among all n."""
    half = chain_counts(n // 2, T)
    pairs = np.array([[np.convolve(half[:, a], half[:, b]) for b in range(2)] for a in range(2)])
    joint = np.einsum("abk,ac->bkc", pairs, T)
    weight = joint.sum(-1)
    seen = weight > 0
    return float(weight[seen] @ entropy(joint[seen] / weight[seen][:, None]))


def test_the_plateau_of_the_copying_source_is_that_of_counting():  # R8
    """The law for counts against all 256 sequences of 8, and against where sixteen models are after 400 updates."""
    stay = np.array([[0.9, 0.1], [0.1, 0.9]])
    words = np.stack(np.meshgrid(*[np.arange(2)] * 9, indexing="ij"), -1).reshape(-1, 9)
    likely = 0.25 * np.prod([stay[words[:, t], words[:, t + 2]] for t in range(7)], axis=0)
    known = np.stack([words[:, 7], words[:, :8].sum(1), words[:, 8]])
    joint = np.zeros((2, 9, 2))
    np.add.at(joint, tuple(known), likely)
    loss = entropy(joint.ravel()) - entropy(joint.sum(-1).ravel())  # H(next | last, ones)
    assert best_from_counts(8, stay) == pytest.approx(loss, abs=1e-12)
    assert best_from_counts(16, stay) == pytest.approx(0.5751, abs=5e-5)
    for n, key in ((8, "source copy | n 8"), (16, "source copy"), (32, "source copy | n 32"), (64, "source copy | n 64")):
        run = RUNS[key]
        assert run["percentiles"][1][run["at"].index(400)] == pytest.approx(best_from_counts(n, stay), abs=0.03)
