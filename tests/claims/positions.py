"""Page 03's numbers on order and positions, computed as the page computes them."""

import math

import torch

from course_lib.attention import attend, causal_mask
from course_lib.transformer import Encoder, sinusoidal

from . import claim, rounding

F64 = {"dtype": torch.float64}
SMOKER = (
    ["Mikhail", "Tal", "was", "a", "bad", "smoker", "but", "a", "good"],
    ["Mikhail", "Tal", "was", "a", "good", "smoker", "but", "a", "bad"],
)
TAL_LAST = (
    ["a", "bad", "smoker", "but", "a", "good", "player", "was", "Mikhail", "Tal"],
    ["a", "good", "smoker", "but", "a", "bad", "player", "was", "Mikhail", "Tal"],
)
WORDS = sorted({*SMOKER[0], "player"})


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def run(sentence: list[str], layers: int, mask: torch.Tensor | None = None) -> torch.Tensor:
    """The sentence's vectors after some layers with random weights and no positions: [n, d]."""
    E = torch.randn(len(WORDS), 16, generator=seeded(), **F64)
    encoder = Encoder(layers, 16, 8, 2, 32, generator=seeded(1), **F64)
    with torch.no_grad():
        return encoder(E[[WORDS.index(word) for word in sentence]], mask).output


def last_vectors_differ(layers: int, causal: bool) -> float:
    one, two = (run(sentence, layers, causal_mask(len(sentence)) if causal else None)[-1] for sentence in TAL_LAST)
    return rounding((one - two).norm().item())


@claim("P3.words")
def largest_difference_of_a_words_two_vectors() -> float:
    one, two = (run(sentence, 2) for sentence in SMOKER)
    pairs = [(one[SMOKER[0].index(word)], two[SMOKER[1].index(word)]) for word in SMOKER[0]]
    return rounding(max((a - b).norm().item() for a, b in pairs))


@claim("P3.last")
def difference_of_the_last_vectors() -> float:
    return last_vectors_differ(2, causal=False)


@claim("P3.causal1")
def difference_with_one_causal_layer() -> float:
    return last_vectors_differ(1, causal=True)


@claim("P3.causal2")
def difference_with_two_causal_layers() -> float:
    return last_vectors_differ(2, causal=True)


@claim("P3.clock")
def what_the_sixth_place_brings_home() -> float:
    values, blank = torch.zeros(6, 1, **F64), torch.zeros(6, 1, **F64)
    values[0] = 1
    return attend(blank, blank, values, causal_mask(6)).output[5, 0].item()


def bits(n: int, d: int) -> torch.Tensor:
    """Column i is bit i of the position, the least first: [n, d]."""
    return (torch.arange(n)[:, None] // 2 ** torch.arange(d)) % 2


@claim("P3.bits")
def bits_that_are_no_sign_of_a_sine(n: int = 1024, d: int = 10) -> int:
    sines = torch.sin(2 * math.pi * (torch.arange(n, **F64)[:, None] + 0.5) / 2 ** (torch.arange(d) + 1))
    return int(((sines < 0) != (bits(n, d) == 1)).sum())


@claim("P3.carry")
def bits_that_change_from_7_to_8() -> int:
    table = bits(16, 4)
    return int((table[7] != table[8]).sum())


def rotation(k: int, d: int, base: float = 10_000.0) -> torch.Tensor:
    """R_k with P[p + k] = P[p] R_k, one 2 × 2 block a pair: [d, d]."""
    blocks = []
    for i in range(d // 2):
        s, c = math.sin(k * base ** (-2 * i / d)), math.cos(k * base ** (-2 * i / d))
        blocks.append(torch.tensor([[c, -s], [s, c]], **F64))
    return torch.block_diag(*blocks)


@claim("L3.3.rotation")
def error_of_the_rotation(n: int = 200, d: int = 64, k: int = 7) -> float:
    P = sinusoidal(n, d, **F64)
    return rounding((P[:-k] @ rotation(k, d) - P[k:]).abs().max().item())


def spread(P: torch.Tensor, k: int = 3) -> float:
    """Largest minus smallest dot product of two places that are k apart."""
    dots = (P[:-k] * P[k:]).sum(1)
    return rounding((dots.max() - dots.min()).item())


def by_entry(entries: torch.Tensor, exponent: torch.Tensor, n: int = 200, d: int = 16) -> torch.Tensor:
    """Sine where the entry's number is even, cosine where it is odd, at speed 10000^(-exponent/d)."""
    angle = torch.arange(n, **F64)[:, None] * 10_000.0 ** (-exponent.double() / d)
    return torch.where(entries % 2 == 0, angle.sin(), angle.cos())


@claim("L3.3.distance")
def spread_of_the_sinusoids() -> float:
    return spread(sinusoidal(200, 16, **F64))


@claim("L-E19.pair")
def spread_when_i_counts_pairs() -> float:
    i = torch.arange(16)
    return spread(by_entry(i, 2 * (i // 2)))


@claim("L-E19.entry")
def spread_when_i_counts_entries() -> float:
    i = torch.arange(16)
    return spread(by_entry(i, 2 * i))


@claim("P-E4.spread")
def spread_when_entries_count_from_one() -> float:
    i = torch.arange(1, 17)
    return spread(by_entry(i, i - i % 2))


def profile(d: int, n: int = 101) -> torch.Tensor:
    """Dot product of positions at distance 0 … n-1, over its largest value d/2."""
    P = sinusoidal(n, d, **F64)
    return P @ P[0] / (d / 2)


@claim("L3.3.near")
def similarity_of_neighbours() -> float:
    return profile(64)[1].item()


@claim("L3.3.rise")
def first_distance_at_which_similarity_rises() -> int:
    curve = profile(64)
    return int((curve[1:] > curve[:-1] + 1e-9).nonzero()[0, 0]) + 1


def nearest(d: int, n: int = 10_000) -> tuple[int, float]:
    """How far apart the two most similar of the first n places are, and the distance of their vectors."""
    P = sinusoidal(n, d, **F64)
    away = (P[1:] - P[0]).norm(dim=1)
    return int(away.argmin()) + 1, away.min().item()


@claim("L3.3.twin")
def places_between_the_most_similar_at_width_2() -> int:
    return nearest(2)[0]


@claim("L3.3.unique")
def least_distance_at_width_16() -> float:
    return nearest(16)[1]


def readable(d: int, *, scaled: bool, fitted: bool, vocab: int = 1000, places: int = 50) -> float:
    """Share of words still found in the sum of word and position: by least squares, or by dot products with the words."""
    E = (d**0.5 if scaled else 1.0) * torch.randn(vocab, d, generator=seeded(), **F64) / d**0.5
    P = sinusoidal(places, d, **F64)
    if fitted:
        E, P = E - E.mean(0), P - P.mean(0)
        W = torch.linalg.pinv(E.T @ E / vocab + P.T @ P / places, hermitian=True) @ E.T
    else:
        W = E.T
    of_words, of_places = E @ W, P @ W  # the reader is linear: its answers to a sum are sums
    right = sum(((of_words + row).argmax(1) == torch.arange(vocab)).sum().item() for row in of_places)
    return right / (vocab * places)


@claim("P3.narrow", rtol=0.02)
def words_kept_at_width_8() -> float:
    return readable(8, scaled=True, fitted=True)


@claim("P3.wide", rtol=0.02)
def words_kept_at_width_32() -> float:
    return readable(32, scaled=True, fitted=True)


@claim("S-E2.plain", rtol=0.05)
def words_read_by_their_own_vectors_without_the_factor() -> float:
    return readable(32, scaled=False, fitted=False)


@claim("S-E2.root", rtol=0.02)
def words_read_by_their_own_vectors_with_the_factor() -> float:
    return readable(32, scaled=True, fitted=False)
