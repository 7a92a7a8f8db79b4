"""Errata of sources P, L and S that a short computation decides: what the printed form gives, what the right one
gives."""

import math

import numpy as np
import pytest
import torch
import torch.nn.functional as F

from course_lib.attention import MultiHeadAttention, attend, softmax
from course_lib.costs import window_pairs, window_path
from course_lib.pretrained.files import NotInstalled
from course_lib.pretrained.minilm import MiniLM
from course_lib.pretrained.smollm import SmolLM
from course_lib.transformer import sinusoidal
from course_lib.transformer.layers import LayerNorm
from tests.shared import five_words
from tests.shared.optional import missing
from tests.shared.record import largest, rounding
from tests.shared.seeded import F64, normal, rng, seeded


def tokens(n: int = 6, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(rng(seed).standard_normal((n, 8)))


# ---- source P


def test_symmetric_scores_give_unequal_weights():  # P-E1
    scores = five_words.symmetric_scores()
    exponentials = [[math.exp(score) for score in row] for row in scores.tolist()]
    weights, hammer, tool = softmax(scores), five_words.HAMMER, five_words.TOOL
    forth, back = weights[hammer, tool], weights[tool, hammer]
    assert forth == pytest.approx(exponentials[2][3] / sum(exponentials[2]))
    assert back == pytest.approx(exponentials[3][2] / sum(exponentials[3]))
    assert back > 2 * forth
    flow = weights * scores.exp().sum(-1, keepdim=True)
    assert largest(flow - flow.T) == 0


def test_projecting_twice_shuts_the_heads_in():  # P-E2: every head then sees the same m directions
    def rank(twice, d=64, m=8, h=8):
        """Of all heads' maps from token to query side by side, projected once (X W_h) or twice (X W W_h)."""
        g = rng()
        heads = g.standard_normal((h, m if twice else d, m))
        maps = g.standard_normal((d, m)) @ heads if twice else heads
        return int(np.linalg.matrix_rank(np.concatenate(list(maps), axis=1)))

    assert rank(twice=True) == 8
    assert rank(twice=False) == 64


def test_heads_are_counted_by_a_letter_of_their_own():  # P-E3: i = 1 … h; h for both leaves a single, last head
    layer, x = MultiHeadAttention(16, 4, 3, generator=seeded(), **F64), normal(5, 16)
    last = attend(*(x @ W[-1] for W in (layer.W_Q, layer.W_K, layer.W_V))).output
    with pytest.raises(RuntimeError):
        last @ layer.W_O.flatten(0, 1)  # one head of width 4 does not fill the 12 rows of W^O


def test_positions_count_from_zero():  # P-E4
    n, d = np.arange(50), 16
    published = sinusoidal(50, d, **F64).numpy()

    def difference(first):
        """From source P's formula (2) with L = 10000 and the components counted from `first`."""
        columns = []
        for i in range(first, d + first):
            exponent, wave = (i, np.sin) if i % 2 == 0 else (i - 1, np.cos)
            columns.append(wave(n / 10000 ** (exponent / d)))
        return largest(np.stack(columns, axis=1) - published)

    assert difference(0) == 0
    assert difference(1) > 1


def test_weights_are_no_projection():  # P-E6
    weights = softmax(tokens() @ tokens().T / math.sqrt(8))
    assert largest(weights @ weights - weights) > 0.1


def test_embeddings_are_narrower_than_tens_of_thousands():  # P-E6
    try:
        widths = MiniLM.load().vectors.shape[1], SmolLM.load().E.shape[1]
    except NotInstalled as reason:
        missing(reason)
    assert widths == (384, 576)  # as their makers say
    assert max(widths) < 10_000


@torch.no_grad()
def test_layer_norm_needs_its_epsilon_and_its_beta():  # P-E6
    def printed(x):
        """Section 6: mean and standard deviation of the vector, and no γ, β, ε."""
        return (x - x.mean(-1, keepdim=True)) / x.std(-1, keepdim=True, correction=0)

    constant, norm = torch.full((1, 8), 0.5, **F64), LayerNorm(8, **F64)
    assert printed(constant).isnan().all() and not norm(constant).isnan().any()
    norm.bias.fill_(3.0)
    assert norm(torch.arange(8, **F64)[None]).mean().item() == pytest.approx(3)  # without β it is 0 whatever the token
    assert largest(printed(normal(5, 8)).mean(-1)) == 0


def test_tal_sentence_and_formula_17(record):  # P-E7
    sentence = "Mikhail Tal was a bad smoker but a good"
    assert record("P-E7.tokens", len(sentence.split())) == 9
    q, k, v = normal(3, 9, 3)
    assert largest((q @ k.T / math.sqrt(3)).softmax(-1) @ v - F.scaled_dot_product_attention(q, k, v)) == 0


# ---- source L


def test_mask_keeps_the_diagonal():  # L-E1: rows of weights that are nan when j < i, or j ≤ i, may be looked at
    def nan_rows(diagonal):
        allowed = torch.tril(torch.ones(5, 5, dtype=torch.bool), diagonal)
        return int(torch.zeros(5, 5).masked_fill(~allowed, -torch.inf).softmax(-1).isnan().any(1).sum())

    assert nan_rows(-1) == 1
    assert nan_rows(0) == 0


def test_layer_norm_takes_the_mean():  # L-E2
    x = np.array([1.0, 2, 3, 4])
    printed, right = ((x - mu) / np.sqrt(((x - mu) ** 2).mean()) for mu in (x.sum(), x.mean()))
    assert printed.mean() < -0.9
    assert rounding(right.mean()) == 0
    assert right.std() == pytest.approx(1)


W = torch.from_numpy(rng(5).standard_normal((3, 8, 4)))


def test_queries_come_first():  # L-E3
    x = tokens()
    q, k, v = x @ W
    with pytest.raises(RuntimeError):
        k @ q  # as printed the product does not conform
    right, swapped = ((scores / 2).softmax(-1) @ v for scores in (q @ k.T, k @ q.T))
    by_library = F.scaled_dot_product_attention(q, k, v)
    assert largest(right - by_library) == 0
    assert largest(swapped - by_library) > 0.1


def test_scale_is_the_width_of_a_head():  # R-E7, L-E4: a sum of m products of variance 1 has variance m
    def deviation(m):
        """Of q·k over 40,000 random pairs of width m."""
        q, k = rng(m).standard_normal((2, 40_000, m), dtype=np.float32)
        return (q * k).sum(1).std()

    for m in (4, 16, 64, 256):
        assert deviation(m) == pytest.approx(math.sqrt(m), rel=0.02)
    assert deviation(64) / math.sqrt(512 / 8) == pytest.approx(1, rel=0.02)
    assert deviation(64) / math.sqrt(512) == pytest.approx(math.sqrt(1 / 8), rel=0.02)


def test_cross_attention_has_the_decoders_length():  # L-E5
    assert five_words.rows_of_a_cross_attention() == 3


def test_column_and_row_conventions_differ():  # L-E6
    x, K = tokens(), W[:2].reshape(8, 8)  # a square K that is not symmetric
    columns = torch.stack([K @ row for row in x])
    assert largest(columns - x @ K) > 0.1
    assert largest(columns - x @ K.T) == 0


def test_an_epoch_is_many_updates_of_all_parameters():  # L-E12: 512 samples in batches of 16
    X, y, batches = normal(512, 5), normal(512, seed=1), torch.randperm(512, generator=seeded()).split(16)
    assert len(batches) == 32
    assert all((y[batch] @ X[batch] != 0).all() for batch in batches)  # each gradient at 0, in all five directions


def test_the_gradient_is_taken_anew():  # L-E13: descent on θ², with the gradient at θ_t and with that of the start
    anew = frozen = 2.0
    for _ in range(50):
        anew, frozen = anew - 0.2 * anew, frozen - 0.2 * 2.0
    assert anew == pytest.approx(2 * 0.8**50) and frozen == pytest.approx(2 - 50 * 0.4)


def test_the_logarithm_belongs_to_the_prediction():  # L-E14
    truth, said = np.array([[0.05, 0.90, 0.05], [0.20, 0.70, 0.10]])
    assert -said @ np.log(truth) > -1.5 * truth @ np.log(said)


def test_training_times_multiply_out(record):  # L-E17
    assert record("L-E17.big", 300_000 * 1.0 / 86_400) == pytest.approx(3.5, abs=0.05)
    assert record("L-E17.base", 100_000 * 0.4 / 3_600) == pytest.approx(11.5, abs=0.5)


# ---- source S


def test_path_and_operations_of_restricted_attention():  # S-E1: n/r and O(n r d), r/2 on each side
    assert window_path(512, 16) == math.ceil(511 / 16) == 2 * window_path(512, 32) == window_path(1024, 16) / 2
    assert window_pairs(512, 16) == 512 * 33 - 16 * 17  # the edges look at (r/2)(r/2 + 1) fewer
    assert window_pairs(1024, 16) / window_pairs(512, 16) == pytest.approx(2, rel=1 / 16)


def test_fully_masked_row_of_the_pseudocode():  # S-E5: the appendix's first function, run as printed
    q, k, v = torch.randn(3, 1, 1, 3, 4, generator=seeded())
    mask = torch.tensor([[1, 1, 1], [0, 0, 0], [1, 1, 1]])  # the second query may look at nothing
    scores = (q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))).masked_fill(mask == 0, float("-inf"))
    assert int((torch.softmax(scores, dim=-1) @ v).isnan().sum()) == 4  # one row of width four
