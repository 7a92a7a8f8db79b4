"""Page 07 of chapter 4: sources with memory. Weights written down by hand, and what training makes of the same model."""

import numpy as np
import torch
from torch import Tensor

from course_lib.memoryless import Sizes, SourceModel
from course_lib.results import load
from course_lib.sources import Markov, divergence, entropy

from . import claim, rounding

SIZES = Sizes(v=2, n=16, d=8, m=4, r=16)
CHAIN = Markov([[0.8, 0.2], [0.3, 0.7]])
XOR = np.array([[[0.9, 0.1], [0.1, 0.9]], [[0.1, 0.9], [0.9, 0.1]]])  # [before the last, last, next]


def empty(sizes: Sizes) -> SourceModel:
    """The model with every weight 0 but the gains of its norms."""
    model = SourceModel(sizes, dtype=torch.float64)
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


def unigram(p: np.ndarray, sizes: Sizes) -> SourceModel:
    """A model that predicts p whatever it reads."""
    model = empty(sizes)
    with torch.no_grad():
        model.w_3.copy_(torch.as_tensor(np.log(p)))
    return model


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


def exact_loss(model: SourceModel, words: np.ndarray, truth: np.ndarray) -> float:
    """Mean cross-entropy against the true distributions [inputs, v], in nats; float64."""
    with torch.no_grad():
        return float(-(truth * model(torch.from_numpy(words)).log_softmax(-1).numpy()).sum(-1).mean())


def inputs(rows: int = 64) -> np.ndarray:
    return CHAIN.sample(rows, SIZES.n, np.random.default_rng(0))


@claim("R8.rate")
def rate_of_the_chain() -> float:
    return CHAIN.entropy_rate()


@claim("R8.unigram")
def best_loss_without_memory() -> float:
    return entropy(CHAIN.stationary)


@claim("R8.information")
def mutual_information_of_neighbours() -> float:
    return float(CHAIN.stationary @ divergence(CHAIN.P, CHAIN.stationary))


@claim("R8.bigram")
def excess_of_the_bigram_weights() -> float:
    words = inputs()
    truth = CHAIN.next(words[:, -1])
    return rounding(exact_loss(bigram(CHAIN.P, SIZES), words, truth) - float(entropy(truth).mean()))


@claim("R8.unigram_weights")
def excess_of_the_unigram_weights() -> float:
    words = inputs()
    best = float(-(CHAIN.next(words[:, -1]) * np.log(CHAIN.stationary)).sum(-1).mean())
    return rounding(exact_loss(unigram(CHAIN.stationary, SIZES), words, CHAIN.next(words[:, -1])) - best)


@claim("R8.two_back_weights")
def excess_of_the_weights_that_look_back() -> float:
    words = np.random.default_rng(0).integers(0, 2, (64, SIZES.n)).astype(np.uint8)
    truth = XOR[words[:, -2], words[:, -1]]
    return rounding(exact_loss(two_back(XOR, SIZES), words, truth) - float(entropy(truth).mean()), 1e-6)


def runs() -> dict[str, dict]:
    return load("markov_escape")["runs"]


def chains(suffix: str = "") -> dict[tuple[float, float], dict]:
    """The stored runs of the two-state chains, by their switching probabilities."""
    named = {key: run for key, run in runs().items() if key.startswith("source 0.")}
    return {tuple(map(float, key.split()[1:3])): run for key, run in named.items() if key == f"source {run['source']}{suffix}"}


def median_escape(run: dict) -> float:
    """Updates until half of the models are half-way; those that never are count as later than all."""
    return float(np.median([np.inf if time is None else time for time in run["escape"]]))


@claim("R8.published_escape")
def slowest_chain_of_the_published_model() -> float:
    return max(map(median_escape, chains().values()))


@claim("R8.tied_sticky")
def slowest_sticky_chain_with_tied_weights() -> float:
    return max(median_escape(run) for (a, b), run in chains(" | tied True").items() if a + b < 1 and min(a, b) < 0.4)


@claim("R8.tied_alternating")
def fastest_alternating_chain_with_tied_weights() -> float:
    return min(median_escape(run) for (a, b), run in chains(" | tied True").items() if a + b > 1)


@claim("R8.attention")
def largest_use_of_attention_on_first_order_chains() -> float:
    """Median over the models of what silencing attention costs, the largest over the chains; nats."""
    return max(float(np.median(np.subtract(run["without attention"], run["final"]))) for run in chains().values())


@claim("R8.two_back")
def models_that_learn_to_look_back() -> int:
    return sum(time is not None for time in runs()["source copy"]["escape"])




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


@claim("R8.counts_16")
def loss_from_the_last_token_and_counts() -> float:
    return best_from_counts(16, np.array([[0.9, 0.1], [0.1, 0.9]]))
